// SPDX-License-Identifier: GPL-2.0-only
/* Its options; live/ has the screen. */
#include "views/views.h"

const struct view view_live = {
	.name = "live",
	.help = "A screen of all this, with keys; -i plays a recording",
	.scope = "is a screen that stays until it is left",
	.takes = GIVEN(PID) | GIVEN(COMM) | GIVEN(UID) | GIVEN(CGROUP) | GIVEN(FAILED) | GIVEN(STATUS) |
		 GIVEN(SIGNAL) | GIVEN(ARGS) | OF_DEVICE | GIVEN(INPUT) | GIVEN(HISTORY) | GIVEN(RECORD) |
		 GIVEN(METRICS),
	.is_screen = true,
};
