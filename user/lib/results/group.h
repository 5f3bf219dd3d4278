/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_GROUP_H
#define PROCLIFE_GROUP_H

#include "proclife.h"

/* What identifies a group: the first members of struct proclife_group. */
struct proclife_key {
	bool known;
	char name[PROCLIFE_COMM_LEN];
	uint64_t number;
};

struct proclife_key proclife_process_key(enum proclife_by by, const struct proclife_process *process);
struct proclife_key proclife_task_key(enum proclife_by by, const struct proclife_task *task);

#endif
