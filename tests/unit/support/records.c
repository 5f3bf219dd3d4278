// SPDX-License-Identifier: GPL-2.0-only
#include "records.h"

#include "lives/tasks.h"
#include "check.h"

#include <stdio.h>
#include <signal.h>
#include <string.h>

struct reported reported;

static uint64_t made_up(void)
{
	static uint64_t last;

	return ++last;
}

struct who process_of_pid(uint32_t pid, const char *comm)
{
	uint64_t n = made_up();

	return (struct who){
		.task = 0xa000 + n,
		.group = 0xb000 + n,
		.start = 1000000 * n,
		.pid = pid,
		.tgid = pid,
		.comm = comm,
	};
}

struct who thread_of(const struct who *leader, uint32_t tid)
{
	uint64_t n = made_up();

	return (struct who){
		.task = 0xa000 + n,
		.group = leader->group,
		.start = 1000000 * n,
		.pid = tid,
		.tgid = leader->tgid,
		.flags = PROCLIFE_F_THREAD,
		.comm = leader->comm,
	};
}

struct proclife_record record_of(uint64_t ts, enum proclife_type type, const struct who *who)
{
	struct proclife_record record = {
		.ts = ts,
		.type = type,
		.flags = who->flags & ~PROCLIFE_F_THREAD,
		.task = who->task,
		.start = who->start,
		.pid = who->pid,
		.tgid = who->tgid,
	};

	if (who->pid != who->tgid)
		record.flags |= PROCLIFE_F_THREAD;
	strncpy(record.comm, who->comm, sizeof(record.comm) - 1);
	return record;
}

struct proclife_record clone_record(uint64_t ts, const struct who *child, const struct who *parent,
				    const struct who *creator)
{
	struct proclife_record record = record_of(ts, PROCLIFE_FORK, child);

	record.fork = (struct proclife_fork){
		.parent = parent->task,
		.group = child->group,
		.creator = creator->task,
		.cgroup = 77,
		.parent_pid = parent->pid,
		.parent_tgid = parent->tgid,
		.creator_pid = creator->pid,
		.creator_tgid = creator->tgid,
		.uid = 1000,
		.ns_pid = child->pid,
		.ns_inum = 0xeffffffc,
	};
	return record;
}

struct proclife_record fork_record(uint64_t ts, const struct who *child, const struct who *parent)
{
	return clone_record(ts, child, parent, parent);
}

struct proclife_record exec_record(uint64_t ts, const struct who *who, uint32_t old_pid,
				   const char *path)
{
	struct proclife_record record = record_of(ts, PROCLIFE_EXEC, who);
	size_t len = strlen(path);
	size_t tail = len < PROCLIFE_PATH_LEN ? len : PROCLIFE_PATH_LEN;

	record.exec = (struct proclife_exec){
		.group = who->group,
		.old_pid = old_pid,
		.uid = 1000,
		.euid = 1000,
		.path_len = len,
	};
	memcpy(record.exec.path, path + len - tail, tail);
	if (tail < len)
		record.flags |= PROCLIFE_F_TRUNCATED;
	return record;
}

struct proclife_record rename_record(uint64_t ts, const struct who *who, const char *name)
{
	struct proclife_record record = record_of(ts, PROCLIFE_RENAME, who);

	strncpy(record.rename.name, name, sizeof(record.rename.name) - 1);
	record.rename.cgroup = 77;
	return record;
}

struct proclife_record exit_record(uint64_t ts, const struct who *who, int32_t code, uint32_t live)
{
	struct proclife_record record = record_of(ts, PROCLIFE_EXIT, who);

	record.exit = (struct proclife_exit){
		.exit_code = code,
		.live = live,
		.runtime = 100,
		.utime = 30,
		.stime = 10,
		.min_flt = 5,
		.nvcsw = 3,
		.nivcsw = 2,
		.maj_flt = 1,
		.parent_tgid = 1,
	};
	if (!live) {
		record.flags |= PROCLIFE_F_GROUP_DEAD | PROCLIFE_F_PEAK; /* as from Linux 6.16 on */
		record.exit.max_rss = 4096;
	}
	return record;
}

struct proclife_record reap_record(uint64_t ts, const struct who *who, const struct who *reaper)
{
	struct proclife_record record = record_of(ts, PROCLIFE_REAP, who);

	record.reap = (struct proclife_reap){
		.reaper = reaper->task,
		.reaper_group = reaper->group,
		.reaper_pid = reaper->pid,
		.reaper_tgid = reaper->tgid,
		.cgroup = 77,
	};
	strncpy(record.reap.reaper_comm, reaper->comm, sizeof(record.reap.reaper_comm) - 1);
	if (reaper->pid == reaper->tgid)
		strncpy(record.reap.reaper_group_comm, reaper->comm, sizeof(record.reap.reaper_group_comm) - 1);
	return record;
}

struct proclife_record free_record(uint64_t ts, const struct who *who)
{
	struct proclife_record record = record_of(ts, PROCLIFE_FREE, who);

	record.free = (struct proclife_free){ .runtime = 120, .utime = 40, .stime = 20 };
	return record;
}

struct proclife_record wait_record(uint64_t ts, const struct who *who)
{
	struct proclife_record record = record_of(ts, PROCLIFE_WAIT, who);

	record.wait.what = PROCLIFE_WAIT_ANY;
	return record;
}

struct proclife_record signal_record(uint64_t ts, const struct who *target, int signo,
				     const struct who *sender)
{
	struct proclife_record record = record_of(ts, PROCLIFE_SIGNAL, target);

	record.signal.sender = sender->task;
	record.signal.sender_pid = sender->pid;
	record.signal.sender_tgid = sender->tgid;
	strncpy(record.signal.sender_comm, sender->comm, PROCLIFE_COMM_LEN - 1);
	if (sender->pid == sender->tgid)
		strncpy(record.signal.sender_group_comm, sender->comm, PROCLIFE_COMM_LEN - 1);
	record.signal.signo = signo;
	record.signal.code = SI_USER;
	record.signal.to_group = 1;
	return record;
}

struct proclife_record notify_record(uint64_t ts, const struct who *who, const struct who *receiver)
{
	struct proclife_record record = record_of(ts, PROCLIFE_NOTIFY, who);

	record.flags |= PROCLIFE_F_GROUP_DEAD;
	record.notify = (struct proclife_notify){
		.receiver = receiver->task,
		.receiver_group = receiver->group,
		.receiver_pid = receiver->pid,
		.receiver_tgid = receiver->tgid,
		.signo = SIGCHLD,
		.result = PROCLIFE_SIGNAL_IGNORED,
		.parent_tgid = receiver->tgid,
	};
	strncpy(record.notify.receiver_comm, receiver->comm, PROCLIFE_COMM_LEN - 1);
	if (receiver->pid == receiver->tgid)
		strncpy(record.notify.receiver_group_comm, receiver->comm, PROCLIFE_COMM_LEN - 1);
	return record;
}

struct proclife_record traced_record(uint64_t ts, const struct who *who, const struct who *tracer,
				     const struct who *parent)
{
	struct proclife_record record = notify_record(ts, who, tracer);

	record.flags |= PROCLIFE_F_TRACER;
	record.notify.parent_tgid = parent->tgid;
	return record;
}

struct proclife_record ignored_record(uint64_t ts, const struct who *who, const struct who *parent)
{
	struct proclife_record record = notify_record(ts, who, parent);

	record.flags |= PROCLIFE_F_AUTOREAP;
	record.notify.autoreap = PROCLIFE_AUTOREAP_IGNORED;
	record.notify.signo = 0;
	record.notify.result = 0;
	return record;
}

struct proclife_record task_record(uint64_t ts, const struct who *who, const struct who *parent)
{
	struct proclife_record record = record_of(ts, PROCLIFE_TASK, who);

	record.state = (struct proclife_state){
		.parent = parent->task,
		.group = who->group,
		.cgroup = 77,
		.runtime = 50,
		.utime = 20,
		.stime = 5,
		.parent_tgid = parent->tgid,
		.uid = 1000,
		.ns_pid = who->pid,
		.ns_inum = 0xeffffffc,
	};
	return record;
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct reported *to = data;

	assert_true(to->born_count < MOST_REPORTS);
	to->born[to->born_count] = *process;
	to->parents[to->born_count] = parent ? parent->id : 0;
	to->creators[to->born_count] = creator ? creator->id : 0;
	to->born_count++;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct reported *to = data;

	assert_true(to->gone_count < MOST_REPORTS);
	assert_int_equal(process->open, 0);
	to->left_in[to->gone_count] = proclife_process_state(process);
	to->had_exited[to->gone_count] = proclife_process_has_exited(process);
	to->gone[to->gone_count++] = *process;
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct reported *to = data;

	assert_true(to->task_count < MOST_REPORTS);
	assert_non_null(task->process);
	to->tasks[to->task_count] = *task;
	to->task_processes[to->task_count++] = task->process->id;
}

static void process_linked(void *data, struct proclife_process *process,
			   struct proclife_process *parent)
{
	struct reported *to = data;

	assert_true(to->linked_count < MOST_REPORTS);
	to->linked[to->linked_count] = process->id;
	to->linked_to[to->linked_count++] = parent ? parent->id : 0;
}

static void process_exited(void *data, struct proclife_process *process)
{
	struct reported *to = data;

	assert_true(to->exited_count < MOST_REPORTS);
	assert_true(proclife_process_has_exited(process));
	proclife_process_usage(process, &to->usage[to->exited_count]);
	to->exited[to->exited_count++] = *process;
}

static void process_exiting(void *data, struct proclife_process *process)
{
	struct reported *to = data;

	assert_true(to->exiting_count < MOST_REPORTS);
	assert_false(proclife_process_has_exited(process));
	to->exiting[to->exiting_count++] = *process;
}

void report_to(struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = process_born,
		.process_gone = process_gone,
		.process_exiting = process_exiting,
		.task_gone = task_gone,
		.process_linked = process_linked,
		.process_exited = process_exited,
	};

	memset(&reported, 0, sizeof(reported));
	reported.by = tasks;
	assert_int_equal(proclife_tasks_report(tasks, &reports, &reported), 0);
}

int feed(struct proclife_tasks *tasks, struct proclife_record record)
{
	struct proclife_event event = { .record = &record };
	int ret = proclife_tasks_feed(tasks, &event);

	assert_in_range(ret, 0, 1);
	return ret;
}

bool gaps_are_stops;

void feed_stop(struct proclife_tasks *tasks, uint64_t ts, uint64_t since, bool ended)
{
	struct proclife_record record = {
		.ts = ts,
		.type = PROCLIFE_SUPPRESSED,
		.suppressed = { .what = PROCLIFE_NONE, .ended = ended, .since = since },
	};

	feed(tasks, record);
}

void feed_gap(struct proclife_tasks *tasks, uint64_t lost, uint64_t from, uint64_t to)
{
	struct proclife_event event = { .gap = { .lost = lost, .from = from, .to = to } };

	if (lost && gaps_are_stops) {
		feed_stop(tasks, from, from, false);
		feed_stop(tasks, to, from, true);
		return;
	}
	assert_int_equal(proclife_tasks_feed(tasks, &event), 1);
}

void feed_life(struct proclife_tasks *tasks, uint64_t ts, const struct who *who,
	       const struct who *parent)
{
	feed(tasks, fork_record(ts, who, parent));
	feed(tasks, exit_record(ts + 1, who, 0, 0));
	feed(tasks, reap_record(ts + 2, who, parent));
	feed(tasks, free_record(ts + 3, who));
}

void trace_with_exiting(struct proclife_tasks *tasks)
{
	tasks->with_exiting = true;
}

void trace_with_notify(struct proclife_tasks *tasks)
{
	tasks->with_notify = true;
}

void trace_with_births(struct proclife_tasks *tasks)
{
	tasks->birth_marks = UINT32_MAX;
	tasks->with_times = true;
	proclife_tasks_make_room(tasks);
}

void trace_without_reap(struct proclife_tasks *tasks)
{
	tasks->without_reap = true;
}
