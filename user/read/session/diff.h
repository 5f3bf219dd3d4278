/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_RUN_DIFF_H
#define READ_RUN_DIFF_H

#include "output/format.h"
#include "options.h"

/* Measures both recordings and prints what has changed. Returns the exit status. */
int diff_run(const struct options *options, const struct screen *screen);

#endif
