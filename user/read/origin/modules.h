/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine's tools for modules do: modules_kmod.c asks libkmod. user/static/modules.c is in its place in a
 * program that is one file.
 */
#ifndef READ_MODULES_H
#define READ_MODULES_H

#include <stdbool.h>

/* Is the module installed for this kernel? */
bool modules_have(const char *release);
/* Loads it as modprobe.d(5) says. Returns 0, or a negative errno; with -ECANCELED, it has printed why. */
int modules_load(void);
/* Unloads it unless it is in use. Returns 0 or a negative errno. */
int modules_unload(void);

#endif
