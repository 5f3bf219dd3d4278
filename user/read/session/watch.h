/* SPDX-License-Identifier: GPL-2.0-only */
/* The selected processes that are not gone: what keeps us after a command has ended. */
#ifndef READ_WATCH_H
#define READ_WATCH_H

#include <proclife.h>

struct watch {
	struct proclife_process **open;
	size_t count;
	size_t size;
	uint64_t gone; /* processes */
	uint64_t next_note;
};

int watch_begin(struct watch *watch, struct proclife_tasks *tasks);
void watch_end(struct watch *watch);
/* Says from time to time what we wait for since the command ended, and how to stop that; sooner on a terminal. */
void watch_note(struct watch *watch, uint64_t ended, uint64_t now);
/* Has everything that is waited for ended, in records that were lost? */
bool watch_is_vain(const struct watch *watch);

#endif
