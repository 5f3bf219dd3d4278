/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of a death, in the order in which they are shown. */
#ifndef READ_PHASES_H
#define READ_PHASES_H

#include <proclife.h>

#define PHASE_ROWS 9

extern const struct phase_row {
	const char *from;
	const char *to;
	enum proclife_phase phase;
	bool optional; /* no row without a life that has it */
	bool has_bars;
} phase_rows[PHASE_ROWS];

#endif
