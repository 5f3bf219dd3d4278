/* SPDX-License-Identifier: GPL-2.0-only */
/* All that can be asked for, by its name. */
#ifndef READ_REQUESTS_H
#define READ_REQUESTS_H

#include "view.h"

/* In the order in which they are listed, and views are printed where several are given. */
#define REQUESTS(view, tool) \
	view(lives) view(events) view(tree) view(summary) view(critical) view(latency) view(parents) view(zombies) \
	view(dying) view(live) tool(diff) view(html) tool(info) tool(slice) view(export) tool(status)

#define DECLARE_VIEW(name) extern const struct view view_##name;
#define DECLARE_TOOL(name) extern const struct request tool_##name;
REQUESTS(DECLARE_VIEW, DECLARE_TOOL)

extern const struct request *const all_requests[]; /* NULL at its end */

#endif
