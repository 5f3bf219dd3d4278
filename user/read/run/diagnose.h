/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_DIAGNOSE_H
#define READ_DIAGNOSE_H

#include <stdbool.h>

#define MODULE_NAME "proclife"

/* Says why the device cannot be opened (a negative errno), and what to do about it. */
void diagnose_open(int error, const char *path);
/* Says why the module cannot be loaded. */
void diagnose_load(int error);
bool module_is_loaded(void);
/* Why cgroups have numbers here, but no paths, and what to do about it; NULL if they have. */
const char *why_no_cgroup_paths(void);

#endif
