// SPDX-License-Identifier: GPL-2.0-only
/* The module's own budget, for pieces.c to write. */
#include "../../../../module/budget.c"
