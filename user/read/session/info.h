/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_RUN_INFO_H
#define READ_RUN_INFO_H

#include "options.h"
#include "output/format.h"

/* Reads each recording as a whole, and prints what is in it. Returns the exit status. */
int info_run(const struct options *options, const struct screen *screen);

#endif
