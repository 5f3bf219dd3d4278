/* SPDX-License-Identifier: GPL-2.0-only */
/* A life as --lives shows it: the facts at the exit of the last thread, and later ones. */
#ifndef READ_LIFE_H
#define READ_LIFE_H

#include "options.h"
#include "views/views.h"
#include <proclife.h>

/* By what deaths are ranked. */
struct figure {
	uint64_t value;
	bool known;
	bool at_least; /* it began at an unknown time before the trace, or goes on */
};

/* What is known of a phase. */
enum {
	PHASE_UNKNOWN,
	PHASE_OVER,
	PHASE_OPEN, /* it goes on */
};

struct run;

struct life {
	const struct run *run;
	uint64_t when; /* its exit; 0: when that began was not seen */
	uint64_t begin; /* of --export: its fork, by its start if that was before the trace */
	uint64_t end;	/* of --export: by when it had ended; 0: it has not, or that is not known */
	uint64_t order; /* of the deaths */
	struct figure figure; /* of --sort */
	struct proclife_marks marks;
	uint64_t killed; /* see proclife_process_killed() */
	struct proclife_usage usage; /* at `when`; utime and stime are parts of runtime */
	struct proclife_memory memory; /* zeros: not known */
	uint64_t phases[PROCLIFE_PHASES]; /* ns; of one that goes on, since when */
	uint8_t known[PROCLIFE_PHASES];	  /* PHASE_* */
	struct proclife_split teardown; /* see proclife_process_split() */
	struct proclife_io io;
	bool io_known;
	struct proclife_killer killer; /* its signal is 0 if there is none */
	struct proclife_failed_exec failed_exec; /* its error is 0 if there is none */
	const char *path; /* or NULL; so are the arguments */
	const char *args;
	struct proclife_program program; /* the texts of it, too */
	uint64_t id;
	uint64_t parent_id; /* as in struct proclife_process, and so are these */
	uint64_t seen;
	uint64_t start;
	uint64_t cgroup;
	uint64_t alone;
	uint64_t max_rss; /* KiB */
	uint32_t args_bytes;
	uint32_t tgid;
	uint32_t parent_tgid;
	uint32_t creator_tgid;
	uint32_t reaper_tgid;
	uint32_t ns_pid;
	uint32_t ns_inum;
	uint32_t uid;
	uint32_t threads;
	uint32_t execs;
	uint32_t flags;
	int32_t exit_code;
	enum proclife_life_state state;
	bool exited; /* its last EXIT was seen */
	bool ended;  /* of --export */
	bool has_uid;
	bool has_parent;
	bool has_cpu;
	bool alone_known;
	bool args_cut;
	bool incomplete;
	bool notified_lost;
	bool script;
	bool by_fd;
	bool reaper_named;
	uint8_t autoreaped; /* PROCLIFE_AUTOREAP_* */
	bool is_held; /* by the tracer, and nothing lost can have ended that */
	struct proclife_tracer tracer; /* its tgid is 0 if there is none */
	char comm[PROCLIFE_COMM_LEN];
	char parent_comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN];
};

/* As it is now; the texts are the process's. */
void life_set(struct life *life, const struct proclife_process *process);
/* A copy that has its own texts, for free(3). */
struct life *life_keep(const struct life *life);
/* The process is gone: all that happened after its EXIT is known. */
void life_end(struct life *life, const struct proclife_process *process);

/* Did it exit with another status than 0, or was it killed? */
static inline bool life_failed(const struct life *life)
{
	return life->ended && life->exit_code > 0;
}

/* Is it known whether it did? */
static inline bool life_failed_is_known(const struct life *life)
{
	return life->ended ? life->exit_code >= 0 : life->state != PROCLIFE_IS_UNKNOWN;
}

/* Is it known how it ended? If its exit was lost, what came later says that it has, and so that this was read. */
static inline bool life_has_status(const struct life *life)
{
	return (life->exited || life->ended) && life->exit_code >= 0;
}

/* The signal that killed it; 0: none did. */
static inline int life_signal(const struct life *life)
{
	return life->exit_code & 0x7f;
}

/* Its exit status, if none did. */
static inline unsigned int life_status(const struct life *life)
{
	return (unsigned int)life->exit_code >> 8 & 0xff;
}

static inline bool life_has_memory(const struct life *life)
{
	return life->memory.left || life->memory.teardown;
}

/* Again, since the memory of a process that is gone is, too. */
void life_set_phases(struct life *life, const struct proclife_process *process);
/* Can a phase of it go on? */
bool life_has_open_phases(const struct proclife_process *process);
/* After that, for what goes on: since when. */
void life_set_open_phases(struct life *life, const struct proclife_process *process);
/* Is the memory of a process that is gone reported gone after it? */
bool life_memory_follows(const struct proclife_process *process);

/* How long a phase was; false if it goes on, or if that is not known. */
bool life_phase(const struct life *life, enum proclife_phase phase, uint64_t *ns);
/* The same; what goes on is as long as that, at least, at the time @ended. */
struct figure life_phase_so_far(const struct life *life, enum proclife_phase phase, uint64_t ended);

/* @ended: until when phases that go on have done so. */
struct figure life_figure(const struct life *life, enum sort_key key, uint64_t ended);
/* Does it come before the other one? */
bool life_before(const struct life *a, const struct life *b);

/* The fields that are written of it: see life_rows.h. */
enum life_field {
#define ROW(name, ...) LIFE_##name,
#include "views/share/life_rows.h"
	LIFE_FIELDS,
};

#endif
