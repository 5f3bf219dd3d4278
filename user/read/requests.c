// SPDX-License-Identifier: GPL-2.0-only
#include "requests.h"

#define POINT_AT_VIEW(name) &view_##name.request,
#define POINT_AT_TOOL(name) &tool_##name,

const struct request *const all_requests[] = { REQUESTS(POINT_AT_VIEW, POINT_AT_TOOL) NULL };

_Static_assert(sizeof(all_requests) / sizeof(all_requests[0]) == MOST_REQUESTS + 1, "MOST_REQUESTS is their number");
