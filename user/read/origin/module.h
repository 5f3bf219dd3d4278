/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_MODULE_H
#define READ_MODULE_H

/* Loads the module unless it is loaded already. Returns 0, or a negative errno and has printed why. */
int load_module(void);
/* The same for unloading it. */
int unload_module(void);

#endif
