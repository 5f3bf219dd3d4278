/* SPDX-License-Identifier: GPL-2.0-only */
/* --from and --to as times. */
#ifndef READ_RANGE_H
#define READ_RANGE_H

#include "views/views.h"

/*
 * Sets run->from and run->to. @replay: the recording; NULL: this machine, now. Returns 0, or -ESRCH
 * after a message.
 */
int range_resolve(struct run *run, const struct proclife_run_info *replay);

/* What a moment is that is asked for later. */
uint64_t range_moment(const struct run *run, const struct proclife_run_info *replay,
		      const struct moment *moment);

#endif
