/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_RUN_SLICE_H
#define READ_RUN_SLICE_H

#include "options.h"
#include "output/format.h"

/* --slice: writes what is selected of a recording to a new one. Return: the exit status. */
int slice_run(const struct options *options, const struct screen *screen);

#endif
