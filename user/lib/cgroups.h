/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_CGROUPS_H
#define PROCLIFE_CGROUPS_H

#include "proclife.h"

/* Of a recording: "ID PATH", a line each. */
#define PROCLIFE_CGROUPS_FILE ".cgroups"

/* Has it been asked for already? */
bool proclife_cgroups_known(const struct proclife_cgroups *cgroups, uint64_t id);

/* The first id that has this path, 0 if none has. 0 or -ENOMEM. */
int proclife_cgroups_find(struct proclife_cgroups *cgroups, const char *path, uint64_t *id);

/* 0 or -ENOMEM. */
int proclife_cgroups_add(struct proclife_cgroups *cgroups, uint64_t id, const char *path);

#endif
