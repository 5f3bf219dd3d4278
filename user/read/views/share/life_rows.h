/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a life, a row each, in the order in which they are written: FIELD(name, kind, known, value), of the
 * struct life that `life` points to. The JSON of --lives, and the formats of --export, are made from these. A format
 * that leaves some of them out, or gives them other names, has a list of these beside its code. The kinds:
 *
 *	COUNT	how many, or which
 *	PID	of a process or thread; 0: none
 *	TIME	ns, as records have it
 *	DATE	the same, shown as the time of day
 *	SPAN	ns
 *	SIZE	KiB
 *	SIGNED	a number with a sign
 *	SIGNAL	a number, shown as its name
 *	FLAG
 *	TEXT	NULL: not known
 *	COMM	PROCLIFE_COMM_LEN bytes
 *	WORDS	two values: texts, each with a NUL, and how many bytes they are
 *
 * A PART is a field of an OBJECT, and unknown if the object is. A part has a path besides its name.
 *
 * This is included where something is made of each row: define ROW(name, path, kind, known, value), and if they matter,
 * OBJECT(path, known), OBJECT_END, and PHASES, whose rows are those of enum proclife_phase.
 */

#ifndef OBJECT
#define OBJECT(path, known)
#define OBJECT_END
#endif
#ifndef PHASES
#define PHASES
#endif
#define FIELD(name, kind, ...) PART(name, #name, kind, __VA_ARGS__)
#define PART(name, path, kind, ...) ROW(name, path, kind, __VA_ARGS__)
#define NONZERO(value) value, value /* 0: not known */
#define USED(value) life->exited, value /* counted at each EXIT */
#define ACTOR(name, path, actor) \
	OBJECT(path, (actor).pid) \
	PART(name##_pid, path ".pid", PID, true, (actor).tgid) \
	PART(name##_tid, path ".tid", PID, true, (actor).pid) \
	PART(name##_comm, path ".comm", COMM, (actor).named, (actor).comm) \
	PART(name##_thread_comm, path ".thread_comm", COMM, true, (actor).thread_comm) \
	OBJECT_END

FIELD(begin_time, DATE, true, life->begin)
FIELD(end_time, DATE, true, life->end)
FIELD(id, COUNT, true, life->id)
FIELD(parent_id, COUNT, true, life->parent_id)
FIELD(pid, PID, true, life->tgid)
FIELD(parent_pid, PID, life->has_parent, life->parent_tgid)
FIELD(parent_comm, COMM, life->parent_id, life->parent_comm)
FIELD(creator_pid, PID, NONZERO(life->creator_tgid))
FIELD(uid, COUNT, life->has_uid, life->uid)
FIELD(user, TEXT, life->has_uid, life->has_uid ? proclife_users_name(life->run->users, life->uid) : NULL)
FIELD(start, TIME, NONZERO(life->start)) /* CLOCK_BOOTTIME */
FIELD(cgroup, COUNT, true, life->cgroup)
FIELD(cgroup_path, TEXT, true, proclife_cgroups_path(life->run->cgroups, life->cgroup))
FIELD(ns_pid, PID, NONZERO(life->ns_pid))
FIELD(ns_inum, COUNT, NONZERO(life->ns_inum))
FIELD(comm, COMM, true, life->comm)
FIELD(path, TEXT, true, life->path)
FIELD(args, WORDS, life->args, life->args, life->args_bytes)
FIELD(args_cut, FLAG, life->args, life->args_cut)
FIELD(exe, TEXT, true, life->program.exe)
FIELD(cwd, TEXT, true, life->program.cwd)
FIELD(env, WORDS, life->program.env, life->program.env, life->program.env_bytes)
FIELD(env_whole, FLAG, life->program.env, life->program.env_whole)
FIELD(kthread, FLAG, true, life->flags & PROCLIFE_F_KTHREAD)
FIELD(threads, COUNT, true, life->threads)
FIELD(execs, COUNT, true, life->execs)
FIELD(script, FLAG, true, life->script)
FIELD(by_fd, FLAG, true, life->by_fd)

FIELD(born, TIME, NONZERO(life->marks.born))
FIELD(seen, TIME, true, life->seen)
FIELD(killed, TIME, NONZERO(life->killed))
FIELD(exited, TIME, NONZERO(life->marks.exited))
OBJECT("tracer", life->tracer.tgid)
PART(tracer_pid, "tracer.pid", PID, true, life->tracer.tgid)
PART(tracer_comm, "tracer.comm", COMM, life->tracer.ts, life->tracer.comm)
PART(tracer_notified, "tracer.notified", TIME, NONZERO(life->tracer.ts))
OBJECT_END
FIELD(notified, TIME, NONZERO(life->marks.notified))
FIELD(reaped, TIME, NONZERO(life->marks.reaped))
FIELD(freed, TIME, NONZERO(life->marks.freed))
PHASES
FIELD(alone, SPAN, life->alone_known, life->alone)

OBJECT("memory", life_has_memory(life))
PART(memory_left, "memory.left", TIME, NONZERO(life->memory.left))
PART(memory_holders, "memory.holders", COUNT, life->memory.left, life->memory.holders)
PART(memory_early, "memory.early", TIME, NONZERO(life->memory.early))
ACTOR(memory_early_by, "memory.early_by", life->memory.early_by)
PART(memory_early_anon, "memory.early_anon", SIZE, life->memory.early, life->memory.early_anon)
PART(memory_teardown, "memory.teardown", TIME, NONZERO(life->memory.teardown))
ACTOR(memory_last, "memory.last", life->memory.last)
ACTOR(memory_by, "memory.by", life->memory.by)
PART(memory_rss_anon, "memory.rss_anon", SIZE, life->memory.teardown, life->memory.rss_anon)
PART(memory_rss_file, "memory.rss_file", SIZE, life->memory.teardown, life->memory.rss_file)
PART(memory_rss_shmem, "memory.rss_shmem", SIZE, life->memory.teardown, life->memory.rss_shmem)
PART(memory_swap, "memory.swap", SIZE, life->memory.teardown, life->memory.swap)
PART(memory_gone, "memory.gone", TIME, NONZERO(life->memory.gone))
OBJECT_END

FIELD(runtime, SPAN, life->has_cpu, life->usage.runtime)
FIELD(utime, SPAN, life->has_cpu, life->usage.utime)
FIELD(stime, SPAN, life->has_cpu, life->usage.stime)
FIELD(max_rss, SIZE, NONZERO(life->max_rss))
FIELD(min_flt, COUNT, USED(life->usage.min_flt))
FIELD(maj_flt, COUNT, USED(life->usage.maj_flt))
FIELD(nvcsw, COUNT, USED(life->usage.nvcsw))
FIELD(nivcsw, COUNT, USED(life->usage.nivcsw))

FIELD(read_bytes, COUNT, life->io_known, life->io.read_bytes)
FIELD(write_bytes, COUNT, life->io_known, life->io.write_bytes)

FIELD(ended, FLAG, life->ended || life->state != PROCLIFE_IS_UNKNOWN, life->ended)
FIELD(failed, FLAG, life_failed_is_known(life), life_failed(life))
FIELD(wait_status, COUNT, life_has_status(life), (uint32_t)life->exit_code)
FIELD(status, COUNT, life_has_status(life) && !life_signal(life), life_status(life))
FIELD(signal, SIGNAL, life_has_status(life) && life_signal(life), life_signal(life))
OBJECT("killer", life->killer.signo)
PART(killer_signal, "killer.signal", SIGNAL, true, life->killer.signo)
PART(killer_code, "killer.code", SIGNED, true, life->killer.code)
PART(killer_pid, "killer.pid", PID, true, life->killer.tgid)
PART(killer_tid, "killer.tid", PID, true, life->killer.pid)
PART(killer_comm, "killer.comm", COMM, life->killer.named, life->killer.comm)
PART(killer_thread_comm, "killer.thread_comm", COMM, true, life->killer.thread_comm)
PART(killer_cause, "killer.cause", TEXT, true, proclife_cause_name(life->killer.cause))
PART(killer_oom_scope, "killer.oom_scope", TEXT, true, proclife_oom_scope_name(life->killer.oom_scope))
PART(killer_oom_cgroup, "killer.oom_cgroup", COUNT, NONZERO(life->killer.oom_cgroup))
OBJECT_END
OBJECT("failed_exec", life->failed_exec.error)
PART(failed_exec_path, "failed_exec.path", TEXT, *life->failed_exec.path, life->failed_exec.path)
PART(failed_exec_error, "failed_exec.error", TEXT, true, error_name(life->failed_exec.error, (char[16]){ 0 }))
OBJECT_END
FIELD(autoreaped, FLAG, true, life->autoreaped)
FIELD(reaper_pid, PID, NONZERO(life->reaper_tgid))
FIELD(reaper_comm, COMM, life->reaper_tgid && life->reaper_named, life->reaper_comm)
FIELD(state, TEXT, true, proclife_state_name(life->state))
FIELD(incomplete, FLAG, true, life->incomplete)
FIELD(partial, FLAG, true, !life->marks.born)

#undef ROW
#undef OBJECT
#undef OBJECT_END
#undef PHASES
#undef FIELD
#undef PART
#undef NONZERO
#undef USED
#undef ACTOR
