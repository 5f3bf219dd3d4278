/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All lives, their creators and reapers, kept after the processes are gone: for --critical-path.
 * Between kin.c, which keeps them, and critical*.c.
 */
#ifndef READ_KIN_H
#define READ_KIN_H

#include "views/share/id_table.h"
#include "views/share/numbers.h"
#include "views/share/overtime.h"
#include "views/views.h"

struct kin_life {
	uint64_t id;
	union {
		uint64_t creator_id; /* the process that forked it; 0: not known */
		uint32_t creator;    /* the index, or NOBODY, once kin_link() has been called */
	};
	union {
		uint64_t reaper_id; /* its reaper; 0: not known */
		uint32_t reaper;
	};
	uint64_t born;	  /* or first seen */
	uint64_t ended;	  /* its parent was notified, or it exited; 0: not known */
	uint64_t reaped;  /* its reaper could go on; 0: never */
	uint64_t runtime; /* CPU time */
	uint32_t tgid;
	uint32_t comm; /* numbers of texts; 0: none */
	uint32_t path;
	uint32_t args;
	bool older : 1; /* than the trace */
	bool open : 1;	/* it lives on */
	bool incomplete : 1;
	bool args_cut : 1;
	bool kthread : 1;
	bool named : 1;	 /* --pid asks for it */
	bool script : 1; /* as in struct proclife_process */
};

/* A list of lives for each life: from first[life] up to first[life + 1]. */
struct kin_lists {
	uint32_t *first;
	uint32_t *all;
};

struct kin {
	struct run *run;
	struct kin_life *all; /* by id, once they are linked */
	uint32_t count;
	uint32_t room;
	struct numbers texts;
	struct id_table creators; /* of those whose parent did not fork them */
	struct overtime overtime; /* of all processes of the machine */
	bool began;
	uint64_t cpus[65536 / 64]; /* a bit for each on which one ended */
	struct kin_lists born;	   /* the lives that it forked, by birth */
	struct kin_lists done;	   /* the same, by kin_done(); once kin_sort_done() was called */
	struct kin_lists reaped;   /* the lives that it reaped, by reap, once kin_sort_reaped() was called */
};

/* Knows of all processes from now on. 0 or a negative errno. */
int kin_init(struct kin *kin, struct run *run);
void kin_free(struct kin *kin);

/* Once all are gone. */
void kin_order(struct kin *kin);
/*
 * @to is the end of what is looked at: those that lived on count as if they had ended then; with @await,
 * as if they had been waited for, too.
 */
void kin_link(struct kin *kin, uint64_t to, bool await);
void kin_sort_done(struct kin *kin, uint32_t life);
void kin_sort_reaped(struct kin *kin, uint32_t life);

/* The life that forked it, by index, or NOBODY; before kin_link(). */
uint32_t kin_creator(const struct kin *kin, uint32_t life);

/* A text with a NUL at its end that *@bytes, which can be NULL, does not count; NULL: none. */
const char *kin_text(const struct kin *kin, uint32_t number, uint32_t *bytes);

/* On how many CPUs something ended. */
unsigned int kin_cpus(const struct kin *kin);

/* When the process that forked it was done with it. */
static inline uint64_t kin_done(const struct kin_life *life)
{
	return life->reaped && life->reaper == life->creator ? life->reaped : life->ended;
}

static inline uint32_t kin_list_size(const struct kin_lists *lists, uint32_t life)
{
	return lists->first[life + 1] - lists->first[life];
}

#endif
