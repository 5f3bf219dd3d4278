// SPDX-License-Identifier: GPL-2.0-only
/* The module's own readers, for pieces.c to write. */
#include "../../../../module/readers.c"
