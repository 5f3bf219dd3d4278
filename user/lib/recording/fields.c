// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The one description of the records' fields: the metadata of a recording and the JSON of
 * proclife-read are made from these tables. tests/unit/recording/test_fields.c compares abi.h, the schema and
 * the manual with them.
 */
#include "recording/fields.h"

#include <stddef.h>

/* 0. Fails to compile if a name is longer than the library promises to programs. */
#define SHORT(name)                                                                                \
	(0 * sizeof(struct {                                                                       \
		_Static_assert(sizeof(name) <= PROCLIFE_FIELD_NAME_LEN, "the name is too long");   \
		char unused;                                                                       \
	}))
/* The member of the record, its names in JSON and in a recording, and its kind. */
#define NAMED(member, name, ctf_name, kind, only)                                                  \
	{                                                                                          \
		#member, name, ctf_name, PROCLIFE_FIELD_##kind,                                    \
			offsetof(struct proclife_record, member) + SHORT(name),                    \
			sizeof(((struct proclife_record *)0)->member), only                        \
	}
#define RENAMED(member, name, ctf_name, kind) NAMED(member, name, ctf_name, kind, 0)
#define FIELD(member, name, kind) NAMED(member, name, name, kind, 0)
/* A field that has a meaning only with one of these flags. */
#define ONLY(flags, member, name, kind) NAMED(member, name, name, kind, flags)
/* A field that JSON shows in another form. */
#define HIDDEN(member, ctf_name, kind) NAMED(member, NULL, ctf_name, kind, 0)

static const struct proclife_field head[] = {
	RENAMED(ts, "ts", "timestamp", UINT),
	HIDDEN(type, "id", UINT),
	FIELD(cpu, "cpu", UINT),
	HIDDEN(flags, "flags", FLAGS),
	FIELD(task, "task", HANDLE),
	FIELD(start, "start", UINT),
	FIELD(pid, "tid", UINT),
	FIELD(tgid, "pid", UINT),
	FIELD(comm, "comm", TEXT),
};

static const struct proclife_field fork_fields[] = {
	FIELD(fork.parent, "parent", HANDLE),
	RENAMED(fork.group, "group", "child_group", HANDLE),
	FIELD(fork.creator, "creator", HANDLE),
	FIELD(fork.cgroup, "cgroup", UINT),
	FIELD(fork.parent_pid, "parent_tid", UINT),
	FIELD(fork.parent_tgid, "parent_pid", UINT),
	FIELD(fork.creator_pid, "creator_tid", UINT),
	FIELD(fork.creator_tgid, "creator_pid", UINT),
	FIELD(fork.uid, "uid", UINT),
	RENAMED(fork.ns_pid, "ns_tid", "child_ns_tid", UINT),
	RENAMED(fork.ns_inum, "ns_inum", "child_ns_inum", UINT),
};

static const struct proclife_field exec_fields[] = {
	FIELD(exec.group, "group", HANDLE),
	FIELD(exec.old_pid, "old_tid", UINT),
	FIELD(exec.uid, "uid", UINT),
	FIELD(exec.euid, "euid", UINT),
	RENAMED(exec.path_len, "path_len", "filename_length", UINT),
	RENAMED(exec.path, "path", "filename", TEXT),
};

static const struct proclife_field args_fields[] = {
	RENAMED(args.total, "args_bytes", "total", UINT),
	HIDDEN(args.offset, "offset", UINT),
	HIDDEN(args.len, "length", UINT),
	HIDDEN(args.text, "args", TEXT),
};

static const struct proclife_field path_fields[] = {
	HIDDEN(path.what, "what", UINT),
	HIDDEN(path.total, "total", UINT),
	HIDDEN(path.offset, "offset", UINT),
	HIDDEN(path.len, "length", UINT),
	HIDDEN(path.searched, "searched", UINT),
	HIDDEN(path.text, "path", TEXT),
};

static const struct proclife_field rename_fields[] = {
	RENAMED(rename.name, "name", "newcomm", TEXT),
	FIELD(rename.cgroup, "cgroup", UINT),
};

static const struct proclife_field exit_fields[] = {
	FIELD(exit.exit_code, "wait_status", WAIT_STATUS),
	FIELD(exit.live, "live", UINT),
	FIELD(exit.runtime, "runtime", UINT),
	FIELD(exit.utime, "utime", UTIME),
	FIELD(exit.stime, "stime", STIME),
	FIELD(exit.min_flt, "min_flt", UINT),
	FIELD(exit.nvcsw, "nvcsw", UINT),
	FIELD(exit.nivcsw, "nivcsw", UINT),
	HIDDEN(exit.max_rss, "max_rss", UINT), /* JSON has the life's, without what an exec dropped */
	FIELD(exit.maj_flt, "maj_flt", UINT),
	FIELD(exit.parent_tgid, "parent_pid", UINT),
};

static const struct proclife_field reap_fields[] = {
	FIELD(reap.reaper, "reaper", HANDLE),
	FIELD(reap.reaper_group, "reaper_group", HANDLE),
	FIELD(reap.reaper_pid, "reaper_tid", UINT),
	FIELD(reap.reaper_tgid, "reaper_pid", UINT),
	RENAMED(reap.reaper_comm, "reaper_thread_comm", "reaper_comm", TEXT),
	FIELD(reap.cgroup, "cgroup", UINT),
	RENAMED(reap.reaper_group_comm, "reaper_comm", "reaper_group_comm", TEXT),
	ONLY(PROCLIFE_F_USER, reap.uid, "uid", UINT),
	ONLY(PROCLIFE_F_USER, reap.euid, "euid", UINT),
};

static const struct proclife_field notify_fields[] = {
	FIELD(notify.receiver, "receiver", HANDLE),
	FIELD(notify.receiver_group, "receiver_group", HANDLE),
	FIELD(notify.receiver_pid, "receiver_tid", UINT),
	FIELD(notify.receiver_tgid, "receiver_pid", UINT),
	RENAMED(notify.receiver_comm, "receiver_thread_comm", "receiver_comm", TEXT),
	RENAMED(notify.signo, "signo", "sig", SIGNAL),
	FIELD(notify.result, "result", INT),
	FIELD(notify.parent_tgid, "parent_pid", UINT),
	HIDDEN(notify.autoreap, "autoreap", UINT),
	RENAMED(notify.receiver_group_comm, "receiver_comm", "receiver_group_comm", TEXT),
};

static const struct proclife_field free_fields[] = {
	FIELD(free.runtime, "runtime", UINT),
	FIELD(free.utime, "utime", UTIME),
	FIELD(free.stime, "stime", STIME),
	FIELD(free.runner, "runner", HANDLE),
	FIELD(free.runner_pid, "runner_tid", UINT),
	FIELD(free.users, "users", UINT),
	FIELD(free.runner_comm, "runner_comm", TEXT),
	ONLY(PROCLIFE_F_IO, free.read_bytes, "read_bytes", UINT),
	ONLY(PROCLIFE_F_IO, free.write_bytes, "write_bytes", UINT),
};

static const struct proclife_field wait_fields[] = {
	RENAMED(wait.wanted, "wanted", "tid", UINT), /* LTTng's name */
	HIDDEN(wait.what, "what", UINT),
};

static const struct proclife_field signal_fields[] = {
	FIELD(signal.sender, "sender", HANDLE),
	FIELD(signal.sender_pid, "sender_tid", UINT),
	FIELD(signal.sender_tgid, "sender_pid", UINT),
	RENAMED(signal.sender_comm, "sender_thread_comm", "sender_comm", TEXT),
	RENAMED(signal.signo, "signo", "sig", SIGNAL),
	FIELD(signal.code, "code", INT),
	FIELD(signal.result, "result", INT),
	RENAMED(signal.to_group, "to_group", "group", BOOL),
	FIELD(signal.blocked, "blocked", BOOL),
	HIDDEN(signal.cause, "cause", UINT),
	HIDDEN(signal.sender_flags, "sender_flags", UINT),
	RENAMED(signal.sender_group_comm, "sender_comm", "sender_group_comm", TEXT),
};

static const struct proclife_field exiting_fields[] = {
	FIELD(exiting.parent, "parent", HANDLE),
	FIELD(exiting.tracer, "tracer", HANDLE),
	FIELD(exiting.mm, "mm", HANDLE),
	FIELD(exiting.cgroup, "cgroup", UINT),
	FIELD(exiting.rss_anon, "rss_anon", UINT),
	FIELD(exiting.rss_file, "rss_file", UINT),
	FIELD(exiting.rss_shmem, "rss_shmem", UINT),
	FIELD(exiting.parent_tgid, "parent_pid", UINT),
	FIELD(exiting.tracer_tgid, "tracer_pid", UINT),
	FIELD(exiting.exit_code, "wait_status", WAIT_STATUS),
	FIELD(exiting.mm_users, "mm_users", UINT),
};

static const struct proclife_field mm_fields[] = {
	FIELD(mm.mm, "mm", HANDLE),
	HIDDEN(mm.what, "what", UINT),
	FIELD(mm.users, "users", UINT),
	FIELD(mm.rss_anon, "rss_anon", UINT),
	FIELD(mm.rss_file, "rss_file", UINT),
	FIELD(mm.rss_shmem, "rss_shmem", UINT),
	FIELD(mm.swap, "swap", UINT),
	FIELD(mm.tables, "tables", UINT),
	FIELD(mm.peak, "peak", UINT),
};

static const struct proclife_field coredump_fields[] = {
	RENAMED(coredump.signo, "signo", "sig", SIGNAL),
};

static const struct proclife_field oom_fields[] = {
	FIELD(oom.allocator, "allocator", HANDLE),
	FIELD(oom.allocator_pid, "allocator_tid", UINT),
	FIELD(oom.allocator_tgid, "allocator_pid", UINT),
	RENAMED(oom.allocator_comm, "allocator_thread_comm", "allocator_comm", TEXT),
	FIELD(oom.cgroup, "cgroup", UINT),
	RENAMED(oom.allocator_group_comm, "allocator_comm", "allocator_group_comm", TEXT),
	HIDDEN(oom.scope, "scope", UINT),
};

static const struct proclife_field cgroup_fields[] = {
	FIELD(cgroup.cgroup, "cgroup", UINT),
	FIELD(cgroup.populated, "populated", BOOL),
};

static const struct proclife_field past_fields[] = {
	FIELD(past.runtime, "runtime", UINT),
	FIELD(past.utime, "utime", UTIME),
	FIELD(past.stime, "stime", STIME),
	FIELD(past.min_flt, "min_flt", UINT),
	FIELD(past.maj_flt, "maj_flt", UINT),
	FIELD(past.nvcsw, "nvcsw", UINT),
	FIELD(past.nivcsw, "nivcsw", UINT),
	FIELD(past.threads, "threads", UINT),
	FIELD(past.execs, "execs", UINT),
	FIELD(past.waited, "waited", UINT),
};

static const struct proclife_field birth_fields[] = {
	/* No event: what an older part of the recording had. */
	HIDDEN(birth.forking, "forking", UINT),
	HIDDEN(birth.started, "started", UINT),
	HIDDEN(birth.execing, "execing", UINT),
	HIDDEN(birth.execed, "execed", UINT),
	HIDDEN(birth.what, "what", UINT),
	HIDDEN(birth.ran, "ran", UINT),
};

static const struct proclife_field fail_fields[] = {
	HIDDEN(fail.what, "what", UINT),
	RENAMED(fail.error, "errno", "error", UINT),
	HIDDEN(fail.limit, "limit", UINT),
	RENAMED(fail.path_len, "path_len", "filename_length", UINT),
	RENAMED(fail.path, "path", "filename", TEXT),
};

static const struct proclife_field times_fields[] = {
	FIELD(times.runtime, "runtime", UINT),
	FIELD(times.delay, "waiting", UINT),
	FIELD(times.nvcsw, "nvcsw", UINT),
	FIELD(times.nivcsw, "nivcsw", UINT),
	FIELD(times.read_bytes, "read_bytes", UINT),
	FIELD(times.write_bytes, "write_bytes", UINT),
	HIDDEN(times.what, "what", UINT),
	HIDDEN(times.threads, "threads", UINT),
};

static const struct proclife_field suppressed_fields[] = {
	HIDDEN(suppressed.what, "what", UINT),
	FIELD(suppressed.ended, "ended", BOOL),
	FIELD(suppressed.since, "since", UINT),
	FIELD(suppressed.count, "count", UINT),
};

static const struct proclife_field state_fields[] = {
	FIELD(state.parent, "parent", HANDLE),
	FIELD(state.group, "group", HANDLE),
	FIELD(state.cgroup, "cgroup", UINT),
	FIELD(state.runtime, "runtime", UINT),
	FIELD(state.utime, "utime", UTIME),
	FIELD(state.stime, "stime", STIME),
	FIELD(state.parent_tgid, "parent_pid", UINT),
	FIELD(state.uid, "uid", UINT),
	FIELD(state.ns_pid, "ns_tid", UINT),
	FIELD(state.ns_inum, "ns_inum", UINT),
	ONLY(PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE, state.exit_code, "wait_status", WAIT_STATUS),
	ONLY(PROCLIFE_F_ZOMBIE, state.tracer_tgid, "tracer_pid", UINT),
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define FIELDS(array) array, COUNT(array)

static const struct proclife_layout layouts[] = {
	{ PROCLIFE_FORK, "sched_process_fork", { "child_tid", "child_pid", "child_comm" },
	  FIELDS(fork_fields) },
	{ PROCLIFE_EXEC, "sched_process_exec", { 0 }, FIELDS(exec_fields) },
	{ PROCLIFE_ARGS, "proclife_args", { 0 }, FIELDS(args_fields) },
	{ PROCLIFE_PATH, "proclife_path", { 0 }, FIELDS(path_fields) },
	{ PROCLIFE_RENAME, "task_rename", { [2] = "oldcomm" }, FIELDS(rename_fields) },
	{ PROCLIFE_EXIT, "sched_process_exit", { 0 }, FIELDS(exit_fields) },
	{ PROCLIFE_REAP, "proclife_reap", { 0 }, FIELDS(reap_fields) },
	{ PROCLIFE_FREE, "sched_process_free", { 0 }, FIELDS(free_fields) },
	{ PROCLIFE_WAIT, "sched_process_wait", { "waiter_tid", "waiter_pid" }, FIELDS(wait_fields) },
	{ PROCLIFE_HANG, "sched_process_hang", { 0 }, NULL, 0 },
	{ PROCLIFE_SIGNAL, "signal_generate", { 0 }, FIELDS(signal_fields) },
	{ PROCLIFE_SUPPRESSED, "proclife_suppressed", { 0 }, FIELDS(suppressed_fields) },
	{ PROCLIFE_TASK, "proclife_task", { 0 }, FIELDS(state_fields) },
	{ PROCLIFE_EXITING, "proclife_exiting", { 0 }, FIELDS(exiting_fields) },
	{ PROCLIFE_MM, "proclife_mm", { 0 }, FIELDS(mm_fields) },
	{ PROCLIFE_COREDUMP, "proclife_coredump", { 0 }, FIELDS(coredump_fields) },
	{ PROCLIFE_OOM, "mark_victim", { 0 }, FIELDS(oom_fields) },
	{ PROCLIFE_CGROUP, "cgroup_notify_populated", { 0 }, FIELDS(cgroup_fields) },
	{ PROCLIFE_PAST, "proclife_past", { 0 }, FIELDS(past_fields) },
	{ PROCLIFE_NOTIFY, "proclife_notify", { 0 }, FIELDS(notify_fields) },
	{ PROCLIFE_BIRTH, "proclife_birth", { 0 }, FIELDS(birth_fields) },
	{ PROCLIFE_FAIL, "proclife_fail", { 0 }, FIELDS(fail_fields) },
	{ PROCLIFE_TIMES, "proclife_times", { 0 }, FIELDS(times_fields) },
};

const struct proclife_layout *proclife_layout(unsigned int index)
{
	return index < COUNT(layouts) ? &layouts[index] : NULL;
}

const struct proclife_layout *proclife_layout_of(uint16_t type)
{
	for (unsigned int i = 0; i < COUNT(layouts); i++)
		if (layouts[i].type == type)
			return &layouts[i];
	return NULL;
}

const char *proclife_type_name(unsigned int type)
{
	static const char *const names[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = "fork",     [PROCLIFE_EXEC] = "exec",	  [PROCLIFE_ARGS] = "args",
		[PROCLIFE_SUPPRESSED] = "suppressed",
		[PROCLIFE_RENAME] = "rename", [PROCLIFE_EXIT] = "exit",	  [PROCLIFE_REAP] = "reap",
		[PROCLIFE_FREE] = "free",     [PROCLIFE_WAIT] = "wait",	  [PROCLIFE_HANG] = "hang",
		[PROCLIFE_SIGNAL] = "signal", [PROCLIFE_TASK] = "task",
		[PROCLIFE_EXITING] = "exiting", [PROCLIFE_MM] = "mm",
		[PROCLIFE_COREDUMP] = "coredump",
		[PROCLIFE_OOM] = "oom",	      [PROCLIFE_CGROUP] = "cgroup",
		[PROCLIFE_PAST] = "past",     [PROCLIFE_NOTIFY] = "notify",
		[PROCLIFE_BIRTH] = "birth",   [PROCLIFE_FAIL] = "fail",
		[PROCLIFE_TIMES] = "times",   [PROCLIFE_PATH] = "path",
	};

	return type < PROCLIFE_TYPES ? names[type] : NULL;
}

const struct proclife_field *proclife_field(uint16_t type, unsigned int index)
{
	const struct proclife_layout *layout = proclife_layout_of(type);

	if (type == PROCLIFE_NONE)
		return index < COUNT(head) ? &head[index] : NULL;
	return layout && index < layout->count ? &layout->fields[index] : NULL;
}
