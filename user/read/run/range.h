/* SPDX-License-Identifier: GPL-2.0-only */
/* --from and --to: the times that they come to. */
#ifndef READ_RANGE_H
#define READ_RANGE_H

#include "views/views.h"

/*
 * Sets run->from and run->to. @replay: the recording that is looked at; NULL if it is this machine,
 * now. 0, or -ESRCH after having said why.
 */
int range_resolve(struct run *run, const struct proclife_run_info *replay);

#endif
