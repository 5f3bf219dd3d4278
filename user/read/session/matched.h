/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any process match --pid, --comm, --uid and --cgroup? With a typo there, nothing is shown. */
#ifndef READ_MATCHED_H
#define READ_MATCHED_H

#include "views/views.h"

/*
 * Applies the filter, with the cgroup paths of this recording (NULL: of this machine), and counts
 * in run->matched from now on. Returns 0 or a negative errno.
 */
int matched_begin(struct run *run, const char *dir);
/* Is any filter other than --pid given? */
bool matched_is_limited(const struct run *run);
/* Adds the counts of another recording. */
void matched_add(struct run *run, const struct run *other);
/*
 * Prints which filters no process matched, and how many may have. Call it once the tasks are closed. @dir: the recording,
 * if there are two; otherwise NULL.
 */
void matched_report(const struct run *run, const char *dir);

#endif
