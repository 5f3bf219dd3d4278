/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done when a condition of --on is met: --save, and --exec once that is complete. */
#ifndef READ_REACTION_H
#define READ_REACTION_H

#include "triggers/saving.h"

/* That are waiting for their command; more than these get none. */
#define MOST_WAITING 16

/* What a command finds in its environment. */
struct facts {
	const struct condition *condition;
	uint64_t ts;
	uint64_t value;
	uint64_t suppressed;
	bool has_who;
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
	uint32_t tid; /* of the thread that it is about; 0: of none */
	char thread_comm[PROCLIFE_COMM_LEN];
	bool saving; /* it waits for that to be complete */
	char *saved; /* where; NULL: nowhere */
};

struct reaction {
	const struct run *run;
	struct saving saving;
	struct facts waiting[MOST_WAITING]; /* in this order */
	size_t waiting_count;
	uint64_t unexecuted; /* as too many waited, or it could not be started */
	bool full; /* too many have waited, and that was printed */
	pid_t pid; /* of the command that runs; 0: none does */
};

/* 0, or -ESRCH after a message. */
int reaction_begin(struct reaction *reaction, const struct run *run);
/* The folder that it is saved in, which is not complete yet, or NULL. */
const char *reaction_to(struct reaction *reaction, const struct alert *alert);
/* Call it from time to time. */
void reaction_poll(struct reaction *reaction);
/* When it should be called next; 0: at once. */
uint64_t reaction_due(const struct reaction *reaction);
/* Is something being saved? */
bool reaction_is_saving(const struct reaction *reaction);
/* A child was reaped: perhaps it was the command. */
void reaction_reaped(struct reaction *reaction, pid_t pid, int status);
/* Completes what is being saved. */
void reaction_finish(struct reaction *reaction);
/* What is still to be executed, or runs. */
bool reaction_is_busy(const struct reaction *reaction);
void reaction_free(struct reaction *reaction);

#endif
