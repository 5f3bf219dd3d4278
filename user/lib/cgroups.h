/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_CGROUPS_H
#define PROCLIFE_CGROUPS_H

#include "proclife.h"

/* The file in a recording: a line "ID PATH" for each. */
#define PROCLIFE_CGROUPS_FILE ".cgroups"

/* Has this id been asked for already? */
bool proclife_cgroups_known(const struct proclife_cgroups *cgroups, uint64_t id);

/* Sets @id to the first id with this path, 0 if there is none. Returns 0 or -ENOMEM. */
int proclife_cgroups_find(struct proclife_cgroups *cgroups, const char *path, uint64_t *id);

/* Returns 0 or -ENOMEM. */
int proclife_cgroups_add(struct proclife_cgroups *cgroups, uint64_t id, const char *path);

#endif
