/* SPDX-License-Identifier: GPL-2.0-only */
/* The lives that have something in common, their program at first, added up for --summary. */
#ifndef READ_PROGRAMS_H
#define READ_PROGRAMS_H

#include "views/share/kept_args.h"
#include "views/share/numbers.h"
#include "views/views.h"

/* How long a phase of lives took in all. */
struct phase_cost {
	uint64_t count; /* lives with that phase */
	uint64_t ns;
	struct proclife_spent spent; /* where it went, of those of which that is known */
};

/* The phases that are the price of a process itself, whatever it does: of the first exec only. */
#define COST_PHASES 3
extern const enum proclife_phase cost_phases[COST_PHASES];

struct program {
	bool known;	 /* false: these are the lives with an unknown program or group */
	char *name;	 /* by name, path, folder or parent; not if it is not known */
	uint64_t number; /* by cgroup and uid */
	uint64_t runs;	 /* that have ended */
	uint64_t failed; /* of them, with a status other than 0, or killed */
	uint64_t open;	 /* that have not ended, or not as far as is known */
	uint64_t runtime;
	uint64_t waiting; /* for a CPU, of the runs of which that is known... */
	uint64_t waits;	  /* ... and how many these are */
	uint64_t max_rss; /* KiB, the largest */
	struct proclife_histogram *life; /* of lives with a known birth; NULL: there are none */
	struct kept_args first;		 /* of the first run */
	struct kept_args second;
	struct {
		uint64_t ns; /* 0: none has a known life */
		uint32_t tgid;
		int32_t exit_code;
		bool first; /* it is the first run */
		struct kept_args args;
	} longest;
};

/* All programs. */
struct programs {
	struct numbers keys;
	struct program **by_number; /* [number - 1] */
	struct program **all; /* as programs_sort() left them; later ones behind */
	size_t count;
	size_t number_room;
	size_t room;
	uint64_t runs;
	uint64_t failed;
	uint64_t open;
	uint64_t unsure; /* of them, those that do not outlive the trace either */
	uint64_t runtime;
	uint64_t waits;
	struct phase_cost costs[COST_PHASES]; /* of lives that ended */
};

/* @ended: by the end of what is looked at. */
void programs_add(struct programs *programs, enum summary_by by,
		  const struct proclife_process *process, bool ended);
/* Puts `all` in the order of CPU time, the largest first. More can be added after that. */
void programs_sort(struct programs *programs);
void programs_free(struct programs *programs);

/* What distinguishes the longest run: its shortest argument that the first run lacks, or if it is
 * that itself, the second; or NULL. */
const char *program_longest_argument(const struct program *program);

#endif
