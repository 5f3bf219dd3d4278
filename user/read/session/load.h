/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_LOAD_H
#define READ_LOAD_H

#include <stdbool.h>

/* Loads the module unless it is loaded already. Prints why if it cannot. */
int load_module(bool *loaded);
void unload_module(void);

#endif
