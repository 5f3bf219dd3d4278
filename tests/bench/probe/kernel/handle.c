// SPDX-License-Identifier: GPL-2.0-only
/* The module's own handles, for pieces.c to read. */
#include "../../../../module/handle.c"
