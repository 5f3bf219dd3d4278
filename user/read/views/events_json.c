// SPDX-License-Identifier: GPL-2.0-only
/* The events view as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/events.h"
#include <string.h>

static void json_phase(struct json *json, const struct before *before, enum proclife_phase phase)
{
	if (before->known[phase])
		json_uint(json, proclife_phase_name(phase), before->phases[phase]);
}

static void json_cputime(struct json *json, uint64_t runtime, uint64_t utime, uint64_t stime)
{
	uint64_t user, system;

	proclife_cputime(runtime, utime, stime, &user, &system);
	json_uint(json, "runtime", runtime);
	json_uint(json, "utime", user);
	json_uint(json, "stime", system);
}

static void json_fork(struct json *json, const struct proclife_record *r)
{
	const struct proclife_fork *f = &r->fork;

	json_handle(json, "group", f->group);
	json_handle(json, "parent", f->parent);
	json_uint(json, "parent_tid", f->parent_pid);
	json_uint(json, "parent_pid", f->parent_tgid);
	json_handle(json, "creator", f->creator);
	json_uint(json, "creator_tid", f->creator_pid);
	json_uint(json, "creator_pid", f->creator_tgid);
	json_uint(json, "uid", f->uid);
	json_uint(json, "ns_tid", f->ns_pid);
	json_uint(json, "ns_inum", f->ns_inum);
	json_uint(json, "cgroup", f->cgroup);
}

static void json_exit(struct json *json, const struct proclife_record *r)
{
	const struct proclife_exit *x = &r->exit;

	json_wait_status(json, true, x->exit_code);
	json_bool(json, "group_dead", r->flags & PROCLIFE_F_GROUP_DEAD);
	json_uint(json, "live", x->live);
	json_uint(json, "parent_pid", x->parent_tgid);
	json_cputime(json, x->runtime, x->utime, x->stime);
	json_uint(json, "min_flt", x->min_flt);
	json_uint(json, "maj_flt", x->maj_flt);
	json_uint(json, "nvcsw", x->nvcsw);
	json_uint(json, "nivcsw", x->nivcsw);
	if (r->flags & PROCLIFE_F_GROUP_DEAD)
		json_uint(json, "max_rss", x->max_rss);
}

static void json_state(struct json *json, const struct proclife_record *r)
{
	const struct proclife_state *s = &r->state;

	json_string(json, "state", r->flags & PROCLIFE_F_ZOMBIE ? "zombie" :
				   r->flags & PROCLIFE_F_EXITING ? "exiting" : "alive");
	json_handle(json, "group", s->group);
	json_handle(json, "parent", s->parent);
	json_uint(json, "parent_pid", s->parent_tgid);
	json_uint(json, "uid", s->uid);
	json_uint(json, "ns_tid", s->ns_pid);
	json_uint(json, "ns_inum", s->ns_inum);
	json_uint(json, "cgroup", s->cgroup);
	json_wait_status(json, r->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE), s->exit_code);
	json_cputime(json, s->runtime, s->utime, s->stime);
}

static void json_details(struct json *json, const struct proclife_record *r,
			 const struct before *before)
{
	switch (r->type) {
	case PROCLIFE_FORK:
		json_fork(json, r);
		break;
	case PROCLIFE_EXEC:
		json_handle(json, "group", r->exec.group);
		json_bytes(json, "path", r->exec.path, PROCLIFE_PATH_LEN);
		json_uint(json, "path_len", r->exec.path_len);
		json_uint(json, "old_tid", r->exec.old_pid);
		json_uint(json, "uid", r->exec.uid);
		json_uint(json, "euid", r->exec.euid);
		break;
	case PROCLIFE_ARGS:
		json_args(json, before->process->args ? before->process->args : "",
			  before->process->args_bytes, before->process->args_cut);
		json_uint(json, "args_bytes", r->args.total);
		break;
	case PROCLIFE_RENAME:
		json_bytes(json, "name", r->rename.name, PROCLIFE_COMM_LEN);
		json_uint(json, "cgroup", r->rename.cgroup);
		break;
	case PROCLIFE_EXIT:
		json_exit(json, r);
		if (before->process)
			json_killer(json, proclife_process_killer(before->process));
		json_phase(json, before, PROCLIFE_LIFE);
		break;
	case PROCLIFE_REAP:
		json_handle(json, "reaper", r->reap.reaper);
		json_uint(json, "reaper_tid", r->reap.reaper_pid);
		json_uint(json, "reaper_pid", r->reap.reaper_tgid);
		json_bytes(json, "reaper_comm", r->reap.reaper_comm, PROCLIFE_COMM_LEN);
		json_uint(json, "cgroup", r->reap.cgroup);
		json_phase(json, before, PROCLIFE_TEARDOWN);
		json_phase(json, before, PROCLIFE_ZOMBIE);
		break;
	case PROCLIFE_FREE:
		json_cputime(json, r->free.runtime, r->free.utime, r->free.stime);
		json_phase(json, before, PROCLIFE_RCU_FREE);
		json_phase(json, before, PROCLIFE_EXIT_FREE);
		break;
	case PROCLIFE_WAIT:
		json_uint(json, "wanted", r->wait.wanted);
		break;
	case PROCLIFE_SIGNAL:
		json_int(json, "signo", r->signal.signo);
		json_signal(json, r->signal.signo);
		json_int(json, "code", r->signal.code);
		json_int(json, "result", r->signal.result);
		json_bool(json, "to_group", r->signal.to_group);
		json_handle(json, "sender", r->signal.sender);
		json_uint(json, "sender_tid", r->signal.sender_pid);
		json_uint(json, "sender_pid", r->signal.sender_tgid);
		json_bytes(json, "sender_comm", r->signal.sender_comm, PROCLIFE_COMM_LEN);
		break;
	case PROCLIFE_TASK:
		json_state(json, r);
		break;
	}
}

void event_json_record(struct json *json, const struct proclife_record *r,
		       const struct before *before)
{
	const char *name = type_name(r->type);
	char unknown[16];

	if (!name) {
		snprintf(unknown, sizeof(unknown), "type%u", r->type);
		name = unknown;
	}
	json_line(json, name);
	json_uint(json, "ts", r->ts);
	json_uint(json, "cpu", r->cpu);
	json_handle(json, "task", r->task);
	json_uint(json, "start", r->start);
	json_uint(json, "tid", r->pid);
	json_uint(json, "pid", r->tgid);
	json_bytes(json, "comm", r->comm, PROCLIFE_COMM_LEN);
	json_bool(json, "thread", r->flags & PROCLIFE_F_THREAD);
	if (r->flags & PROCLIFE_F_KTHREAD)
		json_bool(json, "kthread", true);
	if (r->flags & PROCLIFE_F_WORKER)
		json_bool(json, "worker", true);
	if (r->flags & PROCLIFE_F_TRUNCATED)
		json_bool(json, "truncated", true);
	json_details(json, r, before);
	json_line_end(json);
}

void event_json_suppressed(struct json *json, const struct proclife_record *r)
{
	const struct proclife_suppressed *s = &r->suppressed;
	const char *what = s->what < PROCLIFE_TYPES ? type_name(s->what) : NULL;
	char unknown[16];

	if (!what) {
		snprintf(unknown, sizeof(unknown), "type%u", s->what);
		what = unknown;
	}
	json_line(json, "suppressed");
	json_uint(json, "ts", r->ts);
	json_uint(json, "cpu", r->cpu);
	json_string(json, "record", what);
	json_bool(json, "ended", s->ended);
	json_uint(json, "since", s->since);
	json_uint(json, "count", s->count);
	json_line_end(json);
}

void event_json_gap(struct json *json, const struct proclife_gap *gap)
{
	json_line(json, gap->lost ? "lost" : "history");
	if (gap->cpu == UINT32_MAX)
		json_null(json, "cpu");
	else
		json_uint(json, "cpu", gap->cpu);
	if (gap->lost)
		json_uint(json, "lost", gap->lost);
	json_uint(json, "from", gap->from);
	json_uint(json, "to", gap->to);
	json_line_end(json);
}
