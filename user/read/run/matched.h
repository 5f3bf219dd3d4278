/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether anybody is what --pid, --comm, --uid and --cgroup ask for: a slip there shows nothing. */
#ifndef READ_MATCHED_H
#define READ_MATCHED_H

#include "views/views.h"

/*
 * Applies the filter, with the paths of cgroups of this recording (NULL: of this machine), and counts
 * in run->matched from now on. 0 or a negative errno.
 */
int matched_begin(struct run *run, const char *dir);
/* Adds what another recording has. */
void matched_add(struct run *run, const struct run *other);
/*
 * Says what nobody has matched; call once the tasks are closed. @dir: the recording, if there are
 * two; or NULL.
 */
void matched_report(const struct run *run, const char *dir);

#endif
