// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel does when tasks fork, exec, exit, are reaped and freed, and what it records. */
#include "simulate.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void fill_fork(struct proclife_record *record, const struct sim_task *child,
		      const struct sim_task *creator)
{
	const struct sim_task *parent = child->process->parent;

	record->fork = (struct proclife_fork){
		.parent = parent->handle,
		.group = child->process->group,
		.creator = creator->handle,
		.cgroup = 77,
		.parent_pid = parent->pid,
		.parent_tgid = parent->process->tgid,
		.creator_pid = creator->pid,
		.creator_tgid = creator->process->tgid,
		.uid = child->process->uid,
		.ns_pid = child->pid,
		.ns_inum = 0xeffffffc,
	};
}

void sim_fork(struct trace *trace, struct sim_task *creator, bool clone_parent)
{
	struct sim_task *parent = clone_parent ? creator->process->parent : creator;
	struct sim_process *process = sim_new_process(trace, parent, sim_pid_get(trace));
	struct sim_task *task = process->leader;
	struct proclife_record *record;

	memcpy(task->comm, creator->comm, sizeof(task->comm));
	record = sim_record(trace, PROCLIFE_FORK, task, creator);
	fill_fork(record, task, creator);
	truth_new(trace, process);
	process->truth->creator = creator->process->truth->start;
	process->truth->creator_tgid = creator->process->tgid;
}

void sim_thread(struct trace *trace, struct sim_task *creator, bool worker)
{
	struct sim_process *process = creator->process;
	struct sim_task *task = sim_new_task(trace, process, sim_pid_get(trace));
	struct proclife_record *record;

	memcpy(task->comm, creator->comm, sizeof(task->comm));
	if (worker) {
		task->flags = PROCLIFE_F_WORKER;
		snprintf(task->comm, sizeof(task->comm), "iou-wrk-%u", creator->pid);
	}
	record = sim_record(trace, PROCLIFE_FORK, task, creator);
	fill_fork(record, task, creator);
	truth_new_task(trace, task);
}

void sim_rename(struct trace *trace, struct sim_task *task, struct sim_task *by, const char *name)
{
	struct proclife_record *record = sim_record(trace, PROCLIFE_RENAME, task, by);

	memset(task->comm, 0, sizeof(task->comm));
	strncpy(task->comm, name, sizeof(task->comm) - 1);
	memcpy(record->rename.name, task->comm, sizeof(task->comm));
	if (task->process->leader == task)
		memcpy(task->process->truth->comm, task->comm, sizeof(task->comm));
}

static void record_args(struct trace *trace, struct sim_task *task)
{
	uint32_t total = (uint32_t)sim_below(trace, trace->plan.args_bytes + 1);

	for (uint32_t offset = 0; offset < total; offset += PROCLIFE_ARGS_LEN) {
		struct proclife_record *record = sim_record_more(trace, PROCLIFE_ARGS, task);
		uint32_t n = total - offset;

		record->args.total = total;
		record->args.offset = (uint16_t)offset;
		if (n > PROCLIFE_ARGS_LEN)
			n = PROCLIFE_ARGS_LEN;
		record->args.len = (uint16_t)n;
		for (uint32_t i = 0; i < n; i++)
			record->args.text[i] = 'a' + (char)((task->handle + offset + i) % 26);
	}
	task->process->truth->args_bytes = total;
}

/* No other thread is left, but for the leader that @task replaces. */
void sim_exec_alone(struct trace *trace, struct sim_task *task)
{
	static const char *const places[] = { "/bin", "/usr/bin", "/usr/libexec/gcc/x86_64-linux" };
	struct sim_process *process = task->process;
	struct sim_task *old = process->leader;
	uint32_t old_pid = task->pid, n = (uint32_t)sim_below(trace, 50);
	struct proclife_record *record;
	char path[sizeof(process->truth->path)], name[PROCLIFE_COMM_LEN];
	size_t length;

	process->execer = NULL;
	sim_set_state(trace, task, SIM_RUNNING);
	if (old != task) {
		task->pid = old->pid;
		task->start = old->start;
		old->pid = old_pid;
		process->leader = task;
		task->truth->pid = task->pid;
		old->truth->pid = old->pid;
		sim_reap(trace, old, task);
	}
	snprintf(name, sizeof(name), "prog-%u", n);
	length = (size_t)snprintf(path, sizeof(path), "%s/%s", places[n % 3], name);
	sim_rename(trace, task, task, name);
	record = sim_record_more(trace, PROCLIFE_EXEC, task);
	record->exec = (struct proclife_exec){
		.group = process->group,
		.old_pid = old_pid,
		.uid = process->uid,
		.euid = process->uid,
		.path_len = (uint32_t)length,
	};
	if (length > PROCLIFE_PATH_LEN)
		record->flags |= PROCLIFE_F_TRUNCATED;
	n = length < PROCLIFE_PATH_LEN ? (uint32_t)length : PROCLIFE_PATH_LEN;
	memcpy(record->exec.path, path + length - n, n);
	process->execs++;
	process->truth->execs++;
	process->truth->execed = record->ts;
	memcpy(process->truth->path, path, sizeof(path));
	process->truth->args_bytes = 0;
	if (trace->plan.args_bytes)
		record_args(trace, task);
}

static void doom_others(struct trace *trace, struct sim_process *process,
			const struct sim_task *but, int32_t code)
{
	for (struct sim_task *task = process->tasks; task; task = task->next) {
		if (task == but || task->state != SIM_RUNNING)
			continue;
		task->exit_code = code;
		sim_set_state(trace, task, SIM_DOOMED);
	}
}

void sim_exec(struct trace *trace, struct sim_task *task)
{
	struct sim_process *process = task->process;

	if (process->tasks == task && !task->next) {
		sim_exec_alone(trace, task);
		return;
	}
	process->execer = task;
	sim_set_state(trace, task, SIM_EXECING);
	doom_others(trace, process, task, SIGKILL);
}

void sim_exit_group(struct trace *trace, struct sim_task *task, int32_t code)
{
	doom_others(trace, task->process, task, code);
	task->exit_code = code;
	sim_set_state(trace, task, SIM_DOOMED);
}

/* The task exits: its children get another parent, in its process if there is one. */
static void reparent(struct trace *trace, struct sim_task *task)
{
	struct sim_process *process = task->process, *child = process->children, *next;
	struct sim_task *to = process->tasks;

	while (to && to->state > SIM_EXECING)
		to = to->next;
	if (!to)
		to = trace->init->leader;
	for (; child; child = next) {
		next = child->next;
		if (child->parent != task)
			continue;
		sim_del_child(child);
		sim_add_child(child, to);
	}
}

/* Called by the leader itself, or by the last thread of its process. */
static void notify(struct trace *trace, struct sim_process *process, struct sim_task *by)
{
	const struct sim_task *parent = process->parent;
	struct proclife_record *record = sim_record(trace, PROCLIFE_NOTIFY, process->leader, by);
	bool ignores = parent->process->ignores;

	record->flags |= PROCLIFE_F_GROUP_DEAD | (ignores ? PROCLIFE_F_AUTOREAP : 0);
	record->notify = (struct proclife_notify){
		.receiver = parent->handle,
		.receiver_group = parent->process->group,
		.receiver_pid = parent->pid,
		.receiver_tgid = parent->process->tgid,
		.signo = ignores ? 0 : SIGCHLD,
		.result = ignores ? 0 : PROCLIFE_SIGNAL_IGNORED,
		.parent_tgid = parent->process->tgid,
		.autoreap = ignores ? PROCLIFE_AUTOREAP_IGNORED : 0,
	};
	memcpy(record->notify.receiver_comm, parent->comm, sizeof(parent->comm));
	process->truth->notified = record->ts;
}

static void leader_done(struct trace *trace, struct sim_task *leader, struct sim_task *by)
{
	if (trace->plan.notify)
		notify(trace, leader->process, by);
	if (leader->process->parent->process->ignores) {
		sim_reap(trace, leader, by);
		return;
	}
	sim_set_state(trace, leader, SIM_ZOMBIE);
}

static void record_exit(struct trace *trace, struct sim_task *task)
{
	struct sim_process *process = task->process;
	struct proclife_record *record = sim_record(trace, PROCLIFE_EXIT, task, task);
	uint32_t live = process->live;

	if (trace->plan.dead_twice && live == 1 && task->state == SIM_DOOMED &&
	    !process->execer && sim_percent(trace, 50)) {
		struct sim_task *other = process->tasks;

		/* The last two were both counted out before either was recorded. */
		while (other == task || other->state > SIM_EXECING)
			other = other->next;
		if (other->state == SIM_DOOMED)
			live = 0;
	}
	task->runtime = 1000 + sim_below(trace, 1000000);
	record->exit = (struct proclife_exit){
		.exit_code = task->exit_code,
		.live = live,
		.runtime = task->runtime,
		.utime = task->runtime / 2,
		.stime = task->runtime / 4,
		.min_flt = 5,
		.nvcsw = 3,
		.nivcsw = 2,
		.maj_flt = 1,
		.parent_tgid = process->parent->process->tgid,
	};
	if (!live) {
		record->flags |= PROCLIFE_F_GROUP_DEAD | PROCLIFE_F_PEAK;
		record->exit.max_rss = 1000 + process->tgid;
	}
	/* Since Linux 5.18, a last thread that exits by itself makes that a group exit. */
	if (!process->live)
		record->flags |= PROCLIFE_F_GROUP_EXIT;
	task->truth->exited = record->ts;
	task->truth->exit_code = task->exit_code;
	if (!process->live) {
		process->truth->exited = record->ts;
		process->truth->exit_code = task->exit_code;
		process->truth->max_rss = record->exit.max_rss;
	}
}

void sim_exit(struct trace *trace, struct sim_task *task)
{
	struct sim_process *process = task->process;
	struct sim_task *leader = process->leader;

	process->live--;
	process->truth->live--;
	trace->alive -= !process->live;
	record_exit(trace, task);
	sim_set_state(trace, task, SIM_DELAYED);
	reparent(trace, task);
	if (task != leader)
		sim_reap(trace, task, task);
	/* sim_reap() has unlinked the task, but it is not freed yet. */
	if (!process->live && leader->state == SIM_DELAYED)
		leader_done(trace, leader, task);
}

void sim_reap(struct trace *trace, struct sim_task *task, struct sim_task *reaper)
{
	struct sim_process *process = task->process;
	struct proclife_record *record = sim_record(trace, PROCLIFE_REAP, task, reaper);
	struct sim_task **at = &process->tasks;

	record->reap = (struct proclife_reap){
		.reaper = reaper->handle,
		.reaper_group = reaper->process->group,
		.reaper_pid = reaper->pid,
		.reaper_tgid = reaper->process->tgid,
	};
	memcpy(record->reap.reaper_comm, reaper->comm, sizeof(reaper->comm));
	task->truth->reaped = record->ts;
	task->truth->reaper_pid = reaper->pid;
	if (process->leader == task) {
		process->truth->reaped = record->ts;
		process->truth->reaper_tgid = reaper->process->tgid;
		sim_del_child(process);
	}
	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	sim_pid_put(trace, task->pid);
	sim_set_state(trace, task, SIM_REAPED);
}

void sim_free(struct trace *trace, struct sim_task *task)
{
	struct sim_process *process = task->process;
	struct proclife_record *record = sim_record(trace, PROCLIFE_FREE, task, NULL);

	task->runtime += 500;
	record->free.runtime = task->runtime;
	record->free.utime = task->runtime / 2;
	record->free.stime = task->runtime / 4;
	record->flags |= PROCLIFE_F_IO;
	record->free.read_bytes = task->runtime * 8;
	record->free.write_bytes = task->runtime * 2;
	truth_free_task(task, record->ts);
	sim_slot_put(&trace->task_slots, task->slot);
	sim_list_del(trace, task);
	proclife_slab_put(&trace->task_slab, task);
	if (--process->unfreed)
		return;
	sim_slot_put(&trace->group_slots, process->slot);
	proclife_slab_put(&trace->process_slab, process);
}

void sim_snapshot(struct trace *trace)
{
	for (unsigned int i = 0; i < SIM_REAPED; i++) {
		for (uint32_t n = 0; n < trace->lists[i].count; n++) {
			struct sim_task *task = trace->lists[i].tasks[n];
			const struct sim_process *process = task->process;
			const struct sim_task *parent = process->parent;
			struct proclife_record *record =
				sim_record_more(trace, PROCLIFE_TASK, task);

			if (i >= SIM_ZOMBIE)
				record->flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
			record->state = (struct proclife_state){
				.parent = parent ? parent->handle : 0,
				.group = process->group,
				.cgroup = 77,
				.parent_tgid = parent ? parent->process->tgid : 0,
				.uid = process->uid,
				.ns_pid = task->pid,
				.ns_inum = 0xeffffffc,
				.exit_code = task->exit_code,
			};
		}
	}
}
