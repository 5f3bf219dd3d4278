/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slowest from exit to free: slowest.c collects and lists them, explain.c says what they waited for.
 */
#ifndef READ_SLOWEST_H
#define READ_SLOWEST_H

#include "views/views.h"

/* What is known of the end of a process, or of a thread. */
struct death {
	struct proclife_marks marks;
	uint64_t ended;	 /* the trace */
	enum proclife_life_state state; /* then */
	uint64_t group_exited;	/* of a leader: when the last thread of its process had */
	uint64_t leader_exited; /* of a process */
	uint64_t reaper_waited;
	uint64_t max_rss; /* KiB */
	uint64_t id;	  /* of a process */
	uint64_t killed;  /* see proclife_process_killed() */
	struct proclife_killer killer; /* its signal is 0 if there is none */
	struct proclife_memory memory; /* zeros: not known */
	struct proclife_cgroups *cgroups; /* has their paths */
	struct proclife_tracer tracer; /* its pid is 0 if there is none */
	uint32_t pid;
	uint32_t tgid;
	uint32_t threads;
	uint32_t reaper_pid;
	uint32_t reaper_tgid;
	uint32_t parent_tgid;
	uint32_t real_parent_tgid;
	uint32_t notified_tgid; /* as in struct proclife_process */
	uint16_t free_cpu;
	bool is_thread;
	uint8_t autoreaped; /* PROCLIFE_AUTOREAP_* */
	bool is_held; /* by the tracer, at the end; nothing lost can have ended that */
	bool tracer_lost; /* as in struct proclife_process */
	bool parent_known; /* its name, by birth */
	bool notified_known; /* the name of who was notified */
	bool ended_with_parent; /* as in struct proclife_process */
	bool reaper_named; /* reaper_comm is not only a thread's */
	char comm[PROCLIFE_COMM_LEN];
	char parent_comm[PROCLIFE_COMM_LEN];
	char notified_comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN]; /* once it is reaped */
};

/* From its exit to its free, or to the end of the trace. */
static inline uint64_t death_took(const struct death *death)
{
	uint64_t end = death->marks.freed ? death->marks.freed : death->ended;

	return end > death->marks.exited ? end - death->marks.exited : 0;
}

struct slowest;

int slowest_new(struct slowest **slowest, struct run *run);
/* Forgets those that there are. */
void slowest_clear(struct slowest *slowest);
void slowest_free(struct slowest *slowest);
void slowest_print(const struct slowest *slowest);

/* Appends a sentence: what took the longest, and whose doing that was. @rcu: see rcu.h */
void text_why(struct text *text, const struct death *death, const char *rcu);

#endif
