// SPDX-License-Identifier: GPL-2.0-only
/* The module's own clock, for pieces.c to read. */
#include "../../../../module/clock.c"
