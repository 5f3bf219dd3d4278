// SPDX-License-Identifier: GPL-2.0-only
/* A row per life, with the members that the JSON of --lives has, and some more. */
#include "output/csv.h"
#include "views/export/export.h"
#include <errno.h>
#include <stdlib.h>

struct table {
	const struct export *export;
	struct csv csv;
};

static void put_time(struct csv *csv, const char *name, uint64_t ns)
{
	csv_number(csv, name, ns, ns);
}

static void put_count(struct csv *csv, const char *name, uint64_t count)
{
	csv_number(csv, name, true, count);
}

static void put_comm(struct csv *csv, const char *name, bool known, const char comm[PROCLIFE_COMM_LEN])
{
	csv_bytes(csv, name, comm, known ? PROCLIFE_COMM_LEN : 0);
}

static void put_phases(struct csv *csv, const struct life *life)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		bool known = life_phase(life, phase, &ns);

		csv_number(csv, proclife_phase_info(phase)->name, known, ns);
	}
	csv_number(csv, "alone", life->alone_known, life->alone);
}

static void put_memory(struct csv *csv, const struct proclife_memory *memory)
{
	const struct proclife_actor *early = &memory->early_by, *last = &memory->last, *by = &memory->by;
	bool known = memory->left || memory->teardown;

	put_time(csv, "memory_left", memory->left);
	csv_number(csv, "memory_holders", known, memory->holders);
	put_time(csv, "memory_early", known ? memory->early : 0);
	csv_number(csv, "memory_early_by_pid", known && early->pid, early->tgid);
	csv_number(csv, "memory_early_by_tid", known && early->pid, early->pid);
	put_comm(csv, "memory_early_by_comm", known && early->pid && early->named, early->comm);
	put_comm(csv, "memory_early_by_thread_comm", known && early->pid, early->thread_comm);
	csv_number(csv, "memory_early_anon", known, memory->early_anon);
	put_time(csv, "memory_teardown", memory->teardown);
	csv_number(csv, "memory_last_pid", known && last->pid, last->tgid);
	csv_number(csv, "memory_last_tid", known && last->pid, last->pid);
	put_comm(csv, "memory_last_comm", known && last->pid && last->named, last->comm);
	put_comm(csv, "memory_last_thread_comm", known && last->pid, last->thread_comm);
	csv_number(csv, "memory_by_pid", known && by->pid, by->tgid);
	csv_number(csv, "memory_by_tid", known && by->pid, by->pid);
	put_comm(csv, "memory_by_comm", known && by->pid && by->named, by->comm);
	put_comm(csv, "memory_by_thread_comm", known && by->pid, by->thread_comm);
	csv_number(csv, "memory_rss_anon", known, memory->rss_anon);
	csv_number(csv, "memory_rss_file", known, memory->rss_file);
	csv_number(csv, "memory_rss_shmem", known, memory->rss_shmem);
	csv_number(csv, "memory_swap", known, memory->swap);
	put_time(csv, "memory_gone", known ? memory->gone : 0);
}

static void put_usage(struct csv *csv, const struct life *life)
{
	const struct proclife_usage *usage = &life->usage;
	uint64_t user, system;

	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	put_count(csv, "runtime", usage->runtime);
	put_count(csv, "utime", user);
	put_count(csv, "stime", system);
	csv_number(csv, "max_rss", life->max_rss, life->max_rss);
	put_count(csv, "min_flt", usage->min_flt);
	put_count(csv, "maj_flt", usage->maj_flt);
	put_count(csv, "nvcsw", usage->nvcsw);
	put_count(csv, "nivcsw", usage->nivcsw);
}

static void put_end(struct csv *csv, const struct life *life)
{
	const struct proclife_killer *killer = &life->killer;
	bool known = life_has_status(life), killed = killer->signo;
	unsigned int code = known ? (unsigned int)life->exit_code : 0, signal = code & 0x7f;
	char buffer[24];

	csv_bool(csv, "ended", true, life->end);
	csv_bool(csv, "failed", true, life_failed(life));
	csv_number(csv, "wait_status", known, code);
	csv_number(csv, "status", known && !signal, code >> 8 & 0xff);
	csv_text(csv, "signal", signal ? signal_name((int)signal, buffer) : NULL);
	csv_text(csv, "killer_signal", killed ? signal_name(killer->signo, buffer) : NULL);
	csv_signed(csv, "killer_code", killed, killer->code);
	csv_number(csv, "killer_pid", killed, killer->tgid);
	csv_number(csv, "killer_tid", killed, killer->pid);
	put_comm(csv, "killer_comm", killed && killer->named, killer->comm);
	put_comm(csv, "killer_thread_comm", killed, killer->thread_comm);
	csv_text(csv, "killer_cause", killed ? proclife_cause_name(killer->cause) : NULL);
	csv_text(csv, "killer_oom_scope", killed ? proclife_oom_scope_name(killer->oom_scope) : NULL);
	csv_number(csv, "killer_oom_cgroup", killed && killer->oom_cgroup, killer->oom_cgroup);
	csv_bool(csv, "autoreaped", true, life->autoreaped);
	put_count(csv, "reaper_pid", life->reaper_tgid);
	put_comm(csv, "reaper_comm", life->reaper_tgid && life->reaper_named, life->reaper_comm);
	csv_text(csv, "state", proclife_state_name(life->state));
	csv_bool(csv, "incomplete", true, life->incomplete);
	csv_bool(csv, "partial", true, !life->marks.born);
}

static void put_who(struct csv *csv, const struct run *run, const struct life *life)
{
	/* The row of names comes before there is anything that knows users and cgroups. */
	const char *user = csv->names || !life->has_uid ? NULL : proclife_users_name(run->users, life->uid);
	const char *path = csv->names ? NULL : proclife_cgroups_path(run->cgroups, life->cgroup);

	put_count(csv, "id", life->id);
	put_count(csv, "parent_id", life->parent_id);
	put_count(csv, "pid", life->tgid);
	put_count(csv, "parent_pid", life->parent_tgid);
	put_comm(csv, "parent_comm", life->parent_id, life->parent_comm);
	put_count(csv, "creator_pid", life->creator_tgid);
	csv_number(csv, "uid", life->has_uid, life->uid);
	csv_text(csv, "user", user);
	csv_number(csv, "start", life->start, life->start);
	put_count(csv, "cgroup", life->cgroup);
	csv_text(csv, "cgroup_path", path);
	csv_number(csv, "ns_pid", life->ns_pid, life->ns_pid);
	csv_number(csv, "ns_inum", life->ns_inum, life->ns_inum);
	put_comm(csv, "comm", true, life->comm);
	csv_text(csv, "path", life->path);
	csv_words(csv, "args", life->args, life->args_bytes);
	csv_bool(csv, "args_cut", life->args, life->args_cut);
	csv_bool(csv, "kthread", true, life->flags & PROCLIFE_F_KTHREAD);
	put_count(csv, "threads", life->threads);
	put_count(csv, "execs", life->execs);
	csv_bool(csv, "script", true, life->script);
	csv_bool(csv, "by_fd", true, life->by_fd);
}

/* The names, if @names; of @life then counts nothing. */
static void put_row(struct table *table, const struct life *life, bool names)
{
	const struct run *run = table->export->run;
	struct csv *csv = &table->csv;

	csv_row(csv, names);
	csv_moment(csv, "begin_time", names ? 0 : export_realtime(run, life->begin));
	csv_moment(csv, "end_time", names ? 0 : export_realtime(run, life->end));
	put_who(csv, run, life);
	put_time(csv, "born", life->marks.born);
	put_count(csv, "seen", life->seen);
	put_time(csv, "killed", life->killed);
	put_time(csv, "exited", life->marks.exited);
	csv_number(csv, "tracer_pid", life->tracer.tgid, life->tracer.tgid);
	put_comm(csv, "tracer_comm", life->tracer.ts, life->tracer.comm);
	put_time(csv, "tracer_notified", life->tracer.ts);
	put_time(csv, "notified", life->marks.notified);
	put_time(csv, "reaped", life->marks.reaped);
	put_time(csv, "freed", life->marks.freed);
	put_phases(csv, life);
	put_memory(csv, &life->memory);
	put_usage(csv, life);
	put_end(csv, life);
	csv_row_end(csv);
}

static int begin(const struct export *export, void **state)
{
	static const struct life none;
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->export = export;
	csv_init(&table->csv, export->out);
	*state = table;
	put_row(table, &none, true);
	return 0;
}

static void add_life(void *state, const struct life *life, const struct proclife_process *process)
{
	(void)process;
	put_row(state, life, false);
}

static void end(void *state)
{
	struct table *table = state;

	if (!table)
		return;
	csv_free(&table->csv);
	free(table);
}

const struct export_format export_csv = {
	.format = { .name = "csv" },
	.begin = begin,
	.life = add_life,
	.free = end,
};
