/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_DIAGNOSE_H
#define READ_DIAGNOSE_H


/* Prints why the device cannot be opened (a negative errno), and what to do about it. */
void diagnose_open(int error, const char *path);
/* Prints why nothing more can be read from the device or the recording. */
void diagnose_read(int error, const char *name);
/* Prints why the module cannot be loaded. */
void diagnose_load(int error);

#endif
