/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_DIAGNOSE_H
#define READ_DIAGNOSE_H

#include <stdbool.h>

/* Prints why the device cannot be opened (a negative errno), and what to do about it. */
void diagnose_open(int error, const char *path);
/* Prints that there is neither the module nor, for this reason, BPF. */
void diagnose_none(const char *bpf);
/* Is it there for the running kernel? */
bool module_is_installed(void);
/* Prints why nothing more can be read from the device or the recording. */
void diagnose_read(int error, const char *name);
/* Prints why the module cannot be loaded. */
void diagnose_load(int error);

#endif
