/* SPDX-License-Identifier: GPL-2.0-only */
/* A condition of --on is met: what is printed about it. */
#ifndef READ_ALERT_H
#define READ_ALERT_H

#include "triggers/judge.h"
#include "views/views.h"

struct alert {
	const struct condition *condition;
	uint64_t ts;
	uint64_t value; /* ns, an exit status as shells have it, forks, or records that were lost */
	bool open;	/* it is not over yet, and will be more */
	bool at_least;	/* it began earlier than this says */
	uint64_t span;	/* ns, in which there were that many forks */
	uint64_t by_most; /* how many of them the named process forked */
	const struct proclife_process *process; /* NULL: it is about none, or that is gone */
	bool has_who;
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
	const struct thread_end *thread; /* of one of the process; NULL: it is not about one */
	const char *saved; /* the folder of the recording that it will be in; NULL: in none */
	uint64_t suppressed; /* how many were, since the last that was printed */
};

/* @day: as for when_is_new_day(). */
void alert_print(const struct run *run, const struct alert *alert, int64_t *day);
void alert_json(const struct run *run, const struct alert *alert);

#endif
