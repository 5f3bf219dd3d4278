/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_DIAGNOSE_H
#define READ_DIAGNOSE_H


/* Says why the device cannot be opened (a negative errno), and what to do about it. */
void diagnose_open(int error, const char *path);
/* Says why nothing more can be read of the device or the recording. */
void diagnose_read(int error, const char *name);
/* Says why the module cannot be loaded. */
void diagnose_load(int error);

#endif
