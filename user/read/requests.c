// SPDX-License-Identifier: GPL-2.0-only
#include "requests.h"

#define POINT_AT_VIEW(name) &view_##name.request,
#define POINT_AT_TOOL(name) &tool_##name,

const struct request *const all_requests[] = { REQUESTS(POINT_AT_VIEW, POINT_AT_TOOL) NULL };
