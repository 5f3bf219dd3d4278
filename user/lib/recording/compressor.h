/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread of nice 19 that compresses the parts of a recorder, one at a time. The recorder shares no lock with
 * it, and waits for it only at its own end: for a frame, and for what is on its way to the disk.
 */
#ifndef PROCLIFE_COMPRESSOR_H
#define PROCLIFE_COMPRESSOR_H

#include <stdbool.h>

struct proclife_compressor;

/* NULL: there is no thread, or no memory. */
struct proclife_compressor *proclife_compressor_new(void);
/* Leaves what it is at as it was. */
void proclife_compressor_free(struct proclife_compressor *compressor);

/* It has been given nothing, or is done with that. What it could not compress is as it was. */
bool proclife_compressor_is_idle(const struct proclife_compressor *compressor);
/* It is idle. @dir, the folder of a part, is closed by it. */
void proclife_compressor_give(struct proclife_compressor *compressor, int dir);
/* What it was given is not wanted any more. */
void proclife_compressor_stop(struct proclife_compressor *compressor);

#endif
