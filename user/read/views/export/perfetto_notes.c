// SPDX-License-Identifier: GPL-2.0-only
/* What is known of a life, besides its times: by the names that CSV has. */
#include "views/export/perfetto_packets.h"

static void put_known(struct packets *packets, const char *name, uint64_t value)
{
	if (value)
		packets_note_uint(packets, name, value);
}

static void put_text(struct packets *packets, const char *name, const char *s)
{
	if (s)
		packets_note_text(packets, name, s, SIZE_MAX);
}

static void put_comm(struct packets *packets, const char *name, const char comm[PROCLIFE_COMM_LEN])
{
	packets_note_text(packets, name, comm, PROCLIFE_COMM_LEN);
}

static void put_actor(struct packets *packets, const char *pid, const char *comm, const char *thread,
		      const struct proclife_actor *actor)
{
	if (!actor->pid)
		return;
	packets_note_uint(packets, pid, actor->tgid);
	if (actor->named)
		put_comm(packets, comm, actor->comm);
	put_comm(packets, thread, actor->thread_comm);
}

static void put_who(struct packets *packets, const struct run *run, const struct proclife_process *process)
{
	packets_note_uint(packets, "pid", process->tgid);
	put_known(packets, "parent_pid", process->parent_tgid);
	if (proclife_process_has_uid(process)) {
		packets_note_uint(packets, "uid", process->uid);
		put_text(packets, "user", proclife_users_name(run->users, process->uid));
	}
	put_text(packets, "cgroup_path", proclife_cgroups_path(run->cgroups, process->cgroup));
	put_text(packets, "path", process->path);
	if (process->args)
		packets_note_words(packets, "args", process->args, process->args_bytes);
	if (process->args_cut)
		packets_note_true(packets, "args_cut");
	packets_note_uint(packets, "threads", process->threads);
	packets_note_uint(packets, "execs", process->execs);
	if (process->script)
		packets_note_true(packets, "script");
	if (process->by_fd)
		packets_note_true(packets, "by_fd");
}

static void put_end(struct packets *packets, const struct life *life, const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	unsigned int code = (unsigned int)process->exit_code, signal = code & 0x7f;
	char text[24];

	if (life->end)
		packets_note_true(packets, "ended");
	if (life_failed(life))
		packets_note_true(packets, "failed");
	if (life_has_status(life) && !signal)
		packets_note_uint(packets, "status", code >> 8 & 0xff);
	else if (life_has_status(life))
		put_text(packets, "signal", signal_name((int)signal, text));
	if (killer) {
		put_text(packets, "killer_signal", signal_name(killer->signo, text));
		packets_note_int(packets, "killer_code", killer->code);
		packets_note_uint(packets, "killer_pid", killer->tgid);
		if (killer->named)
			put_comm(packets, "killer_comm", killer->comm);
		put_comm(packets, "killer_thread_comm", killer->thread_comm);
		put_text(packets, "killer_cause", proclife_cause_name(killer->cause));
		put_text(packets, "killer_oom_scope", proclife_oom_scope_name(killer->oom_scope));
		put_known(packets, "killer_oom_cgroup", killer->oom_cgroup);
	}
	if (process->autoreaped)
		packets_note_true(packets, "autoreaped");
	if (tracer) {
		packets_note_uint(packets, "tracer_pid", tracer->tgid);
		if (tracer->ts)
			put_comm(packets, "tracer_comm", tracer->comm);
	}
	if (process->reaper_tgid) {
		packets_note_uint(packets, "reaper_pid", process->reaper_tgid);
		if (process->reaper_named)
			put_comm(packets, "reaper_comm", process->reaper_comm);
	}
	put_text(packets, "state", proclife_state_name(life->state));
	if (process->incomplete)
		packets_note_true(packets, "incomplete");
	if (!process->marks.born)
		packets_note_true(packets, "partial");
}

static void put_memory(struct packets *packets, const struct proclife_memory *memory)
{
	if (!memory->left && !memory->teardown)
		return;
	put_known(packets, "memory_holders", memory->holders);
	put_actor(packets, "memory_early_by_pid", "memory_early_by_comm", "memory_early_by_thread_comm",
		  &memory->early_by);
	put_actor(packets, "memory_last_pid", "memory_last_comm", "memory_last_thread_comm",
		  &memory->last);
	put_actor(packets, "memory_by_pid", "memory_by_comm", "memory_by_thread_comm",
		  &memory->by);
	packets_note_uint(packets, "memory_rss_anon", memory->rss_anon);
	packets_note_uint(packets, "memory_rss_file", memory->rss_file);
	packets_note_uint(packets, "memory_rss_shmem", memory->rss_shmem);
	packets_note_uint(packets, "memory_swap", memory->swap);
}

void perfetto_notes(struct packets *packets, const struct run *run, const struct life *life,
		    const struct proclife_process *process)
{
	const struct proclife_usage *usage = &life->usage;
	uint64_t user, system;

	put_who(packets, run, process);
	put_end(packets, life, process);
	put_memory(packets, &life->memory);
	if (life->alone_known)
		packets_note_uint(packets, "alone", life->alone);
	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	packets_note_uint(packets, "runtime", usage->runtime);
	packets_note_uint(packets, "utime", user);
	packets_note_uint(packets, "stime", system);
	if (life->max_rss)
		packets_note_uint(packets, "max_rss", life->max_rss);
	packets_note_uint(packets, "min_flt", usage->min_flt);
	packets_note_uint(packets, "maj_flt", usage->maj_flt);
	packets_note_uint(packets, "nvcsw", usage->nvcsw);
	packets_note_uint(packets, "nivcsw", usage->nivcsw);
}
