/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a process lived while none of its children did. */
#ifndef READ_ALONE_H
#define READ_ALONE_H

#include <proclife.h>

struct alone;

/* Knows of all processes from now on. 0 or a negative errno. */
int alone_new(struct alone **alone, struct proclife_tasks *tasks, const struct proclife_source *source);
void alone_free(struct alone *alone);

/*
 * From its birth, or from when it was first seen, to its last EXIT, which has been reported. False if
 * the end of one of its children was lost, or a child can have lived and died in a part of the recording that
 * was removed.
 */
bool alone_of(const struct alone *alone, const struct proclife_process *process, uint64_t *ns);

#endif
