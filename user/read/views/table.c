// SPDX-License-Identifier: GPL-2.0-only
#include "views/views.h"

#define POINT_AT_VIEW(name) &view_##name,

const struct view *const all_views[] = { VIEWS(POINT_AT_VIEW) NULL };
