/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles of addresses, where the rings have addresses: as in the module, nobody learns from a handle where in the
 * kernel an object is. All readers of a load make the same ones, of its key.
 */
#ifndef PROCLIFE_HANDLES_H
#define PROCLIFE_HANDLES_H

#include "proclife.h"

struct proclife_handles;

/* NULL: no memory. */
struct proclife_handles *proclife_handles_new(const __u64 key[2]);
void proclife_handles_free(struct proclife_handles *handles);

/* Puts handles in the place of all addresses in the record. */
void proclife_handles_make(struct proclife_handles *handles, struct proclife_record *record);

#endif
