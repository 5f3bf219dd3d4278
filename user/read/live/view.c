// SPDX-License-Identifier: GPL-2.0-only
/* Apart from the screen itself, as the completions are printed without one. */
#include "views/views.h"

const struct view view_live = {
	.request = {
		.name = "live",
		.help = "A screen of all this, with keys; -i plays a recording",
		.scope = "is a screen that stays until it is left",
		.takes = OF_PROCESSES | OF_DEVICE | GIVEN(INPUT) | GIVEN(HISTORY) | GIVEN(RECORD) | GIVEN(METRICS),
		.no_json = "draws on a terminal, and JSON is for programs: leave one of them out",
	},
	.is_screen = true,
};
