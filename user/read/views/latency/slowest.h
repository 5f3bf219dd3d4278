/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slowest from exit to free: slowest.c collects and lists them, explain.c says what they waited for.
 */
#ifndef READ_SLOWEST_H
#define READ_SLOWEST_H

#include "views/share/life.h"
#include "views/views.h"

/* A process or a thread that took long to end, and what else is known of that. */
struct slow {
	struct life life; /* of a thread, only some of it */
	uint64_t ended;	 /* the trace */
	uint64_t group_exited;	/* of a leader: when the last thread of its process had */
	uint64_t leader_exited; /* of a process */
	uint64_t reaper_waited;
	uint32_t pid;
	uint32_t reaper_pid;
	uint32_t real_parent_tgid;
	uint32_t notified_tgid; /* as in struct proclife_process */
	uint16_t free_cpu;
	bool is_thread;
	bool tracer_lost; /* as in struct proclife_process */
	bool notified_known; /* the name of the process that was notified */
	bool ended_with_parent; /* as in struct proclife_process */
	char notified_comm[PROCLIFE_COMM_LEN];
};

/* From its exit to its free, or to the end of the trace. */
static inline uint64_t slow_took(const struct slow *slow)
{
	uint64_t end = slow->life.marks.freed ? slow->life.marks.freed : slow->ended;

	return end > slow->life.marks.exited ? end - slow->life.marks.exited : 0;
}

struct slowest;

int slowest_new(struct slowest **slowest, struct run *run);
/* Forgets those that there are. */
void slowest_clear(struct slowest *slowest);
void slowest_free(struct slowest *slowest);
void slowest_print(const struct slowest *slowest);

/* Appends a sentence: what took the longest, and whose doing that was. @rcu: see rcu.h */
void text_why(struct text *text, const struct slow *slow, const char *rcu);

#endif
