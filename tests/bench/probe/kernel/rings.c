// SPDX-License-Identifier: GPL-2.0-only
/* The module's own rings, for pieces.c to write. */
#include "../../../../module/rings.c"
