// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which process killed which. A process can have several fatal signals pending, and only its exit code shows
 * which one ended it. So the latest signal of each number is kept until then. The latest is the
 * right one: a second signal of a number is only queued once the first was taken without ending the
 * process, if it is sent to the same queue. One that is not blocked ends the process at once, unless
 * it dumps core or a tracer holds it back: so the first such one is kept, and it is noted if there is
 * another one. The first SIGKILL is kept: it always ends the process.
 */
#include "lives/feed.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SIGNALS 0x80 /* an exit code has no room for higher numbers, so there cannot be more */

struct proclife_fatal_signals {
	uint8_t place[SIGNALS]; /* by number: its place in `killers`, counted from 1; 0: none */
	unsigned int count;
	unsigned int room;
	struct proclife_killer killers[];
};

/* The place for a signal of this number. NULL: no memory. */
static struct proclife_killer *place_of(struct proclife_process *process, int32_t signo)
{
	struct proclife_priv_process *own = proclife_priv(process);
	struct proclife_fatal_signals *fatal = own->fatal_signals;
	unsigned int count = fatal ? fatal->count : 0;

	if (fatal && fatal->place[signo])
		return &fatal->killers[fatal->place[signo] - 1];
	if (!fatal || count == fatal->room) {
		unsigned int room = count ? 2 * count : 1;

		fatal = realloc(fatal, sizeof(*fatal) + room * sizeof(fatal->killers[0]));
		if (!fatal)
			return NULL;
		if (!count)
			memset(fatal->place, 0, sizeof(fatal->place));
		fatal->room = room;
		own->fatal_signals = fatal;
	}
	fatal->count = count + 1;
	fatal->place[signo] = (uint8_t)fatal->count;
	fatal->killers[count] = (struct proclife_killer){ 0 };
	return &fatal->killers[count];
}

int proclife_killer_note(struct proclife_process *process, const struct proclife_record *record)
{
	const struct proclife_signal *signal = &record->signal;
	struct proclife_killer *killer;
	bool again;

	if (signal->result != PROCLIFE_SIGNAL_QUEUED && signal->result != PROCLIFE_SIGNAL_NO_INFO)
		return 0;
	if (record->flags & PROCLIFE_F_GROUP_DEAD)
		return 0; /* it had ended */
	if (signal->signo < 1 || signal->signo >= SIGNALS)
		return 0;
	if (signal->signo == SIGKILL && proclife_process_sigkill(process))
		return 0; /* it is ending already: some kernels queue another one then */
	killer = place_of(process, (int32_t)signal->signo);
	if (!killer)
		return -ENOMEM;
	if (killer->ts && proclife_priv(process)->ends)
		return 0; /* that was too late */
	again = killer->ts && (killer->again || !killer->blocked);
	if (again && !proclife_dumps_core(signal->signo)) {
		killer->again = true;
		return 0;
	}
	*killer = (struct proclife_killer){
		.ts = record->ts,
		.task = signal->sender,
		.signo = signal->signo,
		.code = signal->code,
		.pid = signal->sender_pid,
		.tgid = signal->sender_tgid,
		.flags = signal->sender_flags,
		.cause = signal->cause <= PROCLIFE_CAUSE_TERMINAL ? (enum proclife_cause)signal->cause :
								    PROCLIFE_BY_ITSELF,
		.blocked = signal->blocked,
		.again = again,
	};
	proclife_copy_name(killer->thread_comm, signal->sender_comm);
	killer->named = proclife_copy_who(killer->comm, signal->sender_group_comm, signal->sender_comm,
					  signal->sender_pid == signal->sender_tgid);
	return 0;
}

/* It comes after the SIGKILL, from the same task. */
void proclife_killer_oom(struct proclife_process *process, const struct proclife_record *record)
{
	const struct proclife_fatal_signals *fatal = proclife_priv(process)->fatal_signals;
	const struct proclife_oom *oom = &record->oom;
	struct proclife_killer *killer;

	if (!fatal || !fatal->place[SIGKILL])
		return;
	killer = &proclife_priv(process)->fatal_signals->killers[fatal->place[SIGKILL] - 1];
	if (killer->cause || killer->code != SI_KERNEL || killer->task != oom->allocator)
		return;
	killer->cause = PROCLIFE_BY_OOM;
	killer->oom_scope = oom->scope <= PROCLIFE_OOM_CGROUP ? oom->scope : 0;
	killer->oom_cgroup = killer->oom_scope == PROCLIFE_OOM_CGROUP ? oom->cgroup : 0;
}

const char *proclife_oom_scope_name(uint32_t scope)
{
	return scope == PROCLIFE_OOM_CGROUP ? "cgroup" : scope == PROCLIFE_OOM_GLOBAL ? "global" : NULL;
}

const char *proclife_cause_name(enum proclife_cause cause)
{
	static const char *const names[PROCLIFE_CAUSES] = {
		[PROCLIFE_BY_PARENT_END] = "parent-end",
		[PROCLIFE_BY_NAMESPACE_END] = "namespace-end",
		[PROCLIFE_BY_TRACER_END] = "tracer-end",
		[PROCLIFE_BY_TERMINAL] = "terminal",
		[PROCLIFE_BY_OOM] = "oom",
	};

	return (unsigned int)cause < PROCLIFE_CAUSES ? names[cause] : NULL;
}

/* A signal whose action is to dump core, by signal(7). */
bool proclife_dumps_core(int signo)
{
	switch (signo) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return true;
	default:
		return false;
	}
}

const struct proclife_killer *proclife_process_killer(const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	const struct proclife_fatal_signals *fatal = own->fatal_signals;
	int32_t signo = process->exit_code & 0x7f;

	if (process->exit_code < 0 || (process->live && !own->group_dead))
		return NULL; /* the code is only the leader's, or not known */
	return fatal && fatal->place[signo] ? &fatal->killers[fatal->place[signo] - 1] : NULL;
}

uint64_t proclife_process_killed(const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	const struct proclife_priv_process *own = proclife_priv(process);

	if (!killer || killer->blocked || killer->again || process->incomplete)
		return 0;
	/* An older one that nothing shows alive can have been killed by one that is not in the trace. */
	return own->end_hidden || !(own->shown_alive || own->sole) ? 0 : killer->ts;
}

const struct proclife_killer *proclife_process_sigkill(const struct proclife_process *process)
{
	const struct proclife_fatal_signals *fatal = proclife_priv(process)->fatal_signals;

	return fatal && fatal->place[SIGKILL] ? &fatal->killers[fatal->place[SIGKILL] - 1] : NULL;
}

void proclife_killers_free(struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	free(own->fatal_signals);
	own->fatal_signals = NULL;
}
