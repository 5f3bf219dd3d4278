/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of phases, as --latency shows them. */
#ifndef READ_PHASES_H
#define READ_PHASES_H

#include <proclife.h>

/* @row: below PROCLIFE_PHASES */
enum proclife_phase phase_of_row(unsigned int row);

#endif
