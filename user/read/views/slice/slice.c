// SPDX-License-Identifier: GPL-2.0-only
/* --slice shows nothing: run/slice.c writes it. It selects as a view does that shows who lived. */
#include "views/views.h"

const struct view view_slice = {
	.name = "slice",
	.argument = "DIR",
	.help = "Write the selected processes of a recording to this new folder",
	.scope = "writes a part of a recording, which --record makes",
	.takes = OF_SELECTION | GIVEN(INPUT),
	.range = RANGE_OF_LIVES,
	.needs_input = true,
	.is_minor = true,
};
