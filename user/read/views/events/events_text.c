// SPDX-License-Identifier: GPL-2.0-only
/* What --events shows of a record behind its head. */
#include "output/quote.h"
#include "views/events/events.h"
#include <inttypes.h>
#include <signal.h>
#include <string.h>

void text_event_pid(struct text *line, uint32_t pid, uint32_t tgid)
{
	text_uint(line, pid);
	if (pid == tgid)
		return;
	text_string(line, "/");
	text_uint(line, tgid);
}

static void show_who(struct text *line, const char *comm, uint32_t pid, uint32_t tgid)
{
	text_comm(line, comm);
	text_string(line, " ");
	text_event_pid(line, pid, tgid);
}

/* A process, and which thread of it that was. Its name is not known where the record has none. */
static void show_actor(struct text *line, const char *group, const char *thread, uint32_t pid, uint32_t tgid)
{
	show_who(line, *group ? group : thread, pid, tgid);
	if (*group && pid != tgid && strncmp(group, thread, PROCLIFE_COMM_LEN)) {
		text_string(line, " (thread ");
		text_comm(line, thread);
		text_string(line, ")");
	}
}

static void show_name(struct text *line, const struct name *name, uint32_t pid, uint32_t tgid)
{
	if (name->known)
		show_who(line, name->comm, pid, tgid);
	else
		text_event_pid(line, pid, tgid);
}

/* @title: ", zombie ", say; inline, so that its length is known. */
static inline void show_phase(struct text *line, const struct before *before,
			      enum proclife_phase phase, const char *title)
{
	if (!before->known[phase])
		return;
	text_string(line, title);
	text_time(line, before->phases[phase]);
}

static void show_fork(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	const struct proclife_fork *f = &r->fork;
	/* A thread's real_parent is the parent of its process: no news. */
	bool parent = f->parent != f->creator && !(r->flags & PROCLIFE_F_THREAD);

	text_string(line, r->flags & PROCLIFE_F_KTHREAD ? "kernel thread by " :
			  r->flags & PROCLIFE_F_WORKER ? "worker by " :
			  r->flags & PROCLIFE_F_THREAD ? "thread by " : "by ");
	show_name(line, &before->creator, f->creator_pid, f->creator_tgid);
	if (parent) {
		text_string(line, ", parent ");
		show_name(line, &before->parent, f->parent_pid, f->parent_tgid);
	}
	if (f->ns_pid != r->pid)
		text_printf(line, ", pid %u in namespace %u", f->ns_pid, f->ns_inum);
}

static void show_path(struct text *line, const char *path, uint32_t len)
{
	if (len > PROCLIFE_PATH_LEN)
		text_string(line, "...");
	text_label(line, path, PROCLIFE_PATH_LEN);
}

static void show_exec(struct text *line, const struct proclife_record *r)
{
	const struct proclife_exec *x = &r->exec;

	show_path(line, x->path, x->path_len);
	if (r->flags & PROCLIFE_F_SCRIPT)
		text_string(line, ", a script");
	if (r->flags & PROCLIFE_F_BY_FD)
		text_string(line, ", by descriptor");
	if (x->old_pid != r->pid)
		text_printf(line, ", was pid %u", x->old_pid);
	if (x->uid != x->euid)
		text_printf(line, ", uid %u as %u", x->uid, x->euid);
}

static void show_env(struct text *line, const struct proclife_program *program)
{
	text_string(line, "env ");
	if (program->env_bytes)
		text_args(line, program->env, program->env_bytes, false, 0);
	else
		text_string(line, program->env_whole ? "has none of them" : "is not known");
	if (!program->env_whole)
		text_printf(line, ", there can be more after %u bytes", program->env_searched);
}

/* The same of these texts. */
static void show_program(struct text *line, const struct proclife_record *r, const struct proclife_process *process)
{
	const struct proclife_program *program = proclife_process_program(process);
	const char *path = NULL;
	char unknown[16];

	if (program && r->path.what == PROCLIFE_PATH_ENV && program->env) {
		show_env(line, program);
		return;
	}
	if (program && r->path.what == PROCLIFE_PATH_EXE)
		path = program->exe;
	else if (program && r->path.what == PROCLIFE_PATH_CWD)
		path = program->cwd;
	text_string(line, path_what_text(r->path.what, unknown));
	if (path) {
		text_string(line, " ");
		text_label(line, path, SIZE_MAX);
	} else if (r->path.what <= PROCLIFE_PATH_ENV) {
		text_string(line, " is not known");
	}
}

/* The whole vector, with its last piece. */
static void show_args(struct text *line, const struct proclife_process *process)
{
	text_args(line, process->args ? process->args : "", process->args_bytes,
		  process->args_cut, 0);
}

static void show_pair(struct text *line, const char *name, uint64_t a, uint64_t b)
{
	text_string(line, name);
	text_uint(line, a);
	text_string(line, "+");
	text_uint(line, b);
}

/* 0: the scheduler has not counted any of it yet. */
static void show_cpu(struct text *line, const struct proclife_exit *x)
{
	uint64_t user, system;

	if (!x->runtime)
		return;
	proclife_cputime(x->runtime, x->utime, x->stime, &user, &system);
	text_string(line, ", cpu ");
	text_time(line, x->runtime);
	text_string(line, " (user ");
	text_time(line, user);
	text_string(line, ", sys ");
	text_time(line, system);
	text_string(line, ")");
}

static void show_exit(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	const struct proclife_exit *x = &r->exit;
	bool group_dead = r->flags & PROCLIFE_F_GROUP_DEAD;

	if (x->exit_code)
		text_style(line, STYLE_BAD);
	text_exit(line, x->exit_code, before->process, NULL);
	if (x->exit_code)
		text_style(line, STYLE_PLAIN);
	if (!group_dead) {
		text_string(line, ", ");
		text_uint(line, x->live);
		text_string(line, " of its group alive");
	} else if (before->threaded || r->flags & PROCLIFE_F_THREAD) {
		text_string(line, ", last of its group");
	}
	show_phase(line, before, PROCLIFE_LIFE, ", life ");
	show_cpu(line, x);
	if (before->process && before->process->max_rss) {
		text_string(line, ", rss ");
		text_size(line, before->process->max_rss);
	}
	show_pair(line, ", faults ", x->min_flt, x->maj_flt);
	show_pair(line, ", switches ", x->nvcsw, x->nivcsw);
}

static void show_free(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	if (before->known[PROCLIFE_EXIT_FREE]) {
		show_phase(line, before, PROCLIFE_EXIT_FREE, "exit_free ");
		show_phase(line, before, PROCLIFE_RCU_FREE, ", rcu_free ");
		text_string(line, ", cpu ");
	} else if (before->known[PROCLIFE_RCU_FREE]) {
		show_phase(line, before, PROCLIFE_RCU_FREE, "rcu_free ");
		text_string(line, ", cpu ");
	} else {
		text_string(line, "cpu ");
	}
	text_time(line, r->free.runtime);
}

/* PROCLIFE_SIGNAL_*; 0 is "queued" and needs no word. */
static void show_result(struct text *line, int32_t result)
{
	static const char *const results[] = { "", ", ignored", ", already pending",
					       ", queue overflow", ", information lost" };

	if (result > 0 && result < 5)
		text_string(line, results[result]);
}

static void show_signal(struct text *line, const struct proclife_record *r)
{
	static const char *const causes[] = {
		[PROCLIFE_CAUSE_PARENT] = ", its parent, as it ended", [PROCLIFE_CAUSE_NAMESPACE] = ", as its namespace ended",
		[PROCLIFE_CAUSE_TRACER] = ", its tracer, as it ended", [PROCLIFE_CAUSE_TERMINAL] = ", of the terminal",
	};
	const struct proclife_signal *s = &r->signal;
	char buffer[24];

	text_string(line, signal_name(s->signo, buffer));
	text_string(line, " from ");
	if (!s->sender) {
		text_string(line, "an interrupt");
	} else {
		/* A fault, a limit, or for what another process did. */
		bool kernel = s->code > 0 && !s->cause, itself = s->sender_tgid == r->tgid;

		if (kernel)
			text_string(line, itself ? "the kernel" : "the kernel in ");
		if (!kernel || !itself)
			show_actor(line, s->sender_group_comm, s->sender_comm, s->sender_pid, s->sender_tgid);
	}
	if (s->cause && s->cause < sizeof(causes) / sizeof(causes[0]))
		text_string(line, causes[s->cause]);
	else if (s->sender_flags & PROCLIFE_F_EXITING && s->code == SI_KERNEL)
		text_string(line, ", as it ended");
	if (s->to_group)
		text_string(line, ", to the group");
	if (r->flags & PROCLIFE_F_GROUP_DEAD)
		text_string(line, ", which had ended");
	if (s->blocked)
		text_string(line, ", blocked");
	show_result(line, s->result);
}

static void show_notify(struct text *line, const struct proclife_record *r)
{
	const struct proclife_notify *n = &r->notify;
	char buffer[24];

	text_string(line, r->flags & PROCLIFE_F_TRACER ? "to its tracer " : "to ");
	show_actor(line, n->receiver_group_comm, n->receiver_comm, n->receiver_pid, n->receiver_tgid);
	if (n->signo) {
		text_string(line, ", ");
		text_string(line, signal_name(n->signo, buffer));
		show_result(line, n->result);
	} else {
		text_string(line, ", without a signal");
	}
	if (r->flags & PROCLIFE_F_AUTOREAP)
		text_string(line, ", nobody has to reap it");
	else if (!(r->flags & (PROCLIFE_F_GROUP_DEAD | PROCLIFE_F_THREAD)))
		text_string(line, ", of the leader alone");
}

static void show_rss(struct text *line, uint64_t anon, uint64_t file, uint64_t shmem)
{
	text_string(line, ", anonymous ");
	text_size(line, anon);
	text_string(line, ", file ");
	text_size(line, file);
	text_string(line, ", shared ");
	text_size(line, shmem);
}

static void show_exiting(struct text *line, const struct proclife_record *r)
{
	const struct proclife_exiting *x = &r->exiting;

	text_string(line, "begins to exit");
	if (x->tracer)
		text_printf(line, ", traced by %u", x->tracer_tgid);
	if (x->mm)
		show_rss(line, x->rss_anon, x->rss_file, x->rss_shmem);
	if (x->mm_users > 1)
		text_printf(line, ", %u %s its memory", x->mm_users - 1,
			    plural(x->mm_users - 1, "other holds", "others hold"));
}

static void show_mm(struct text *line, const struct proclife_record *r)
{
	const struct proclife_mm *m = &r->mm;
	char unknown[16];

	text_string(line, mm_what_text(m->what, unknown));
	if (!r->task)
		text_string(line, ", by an interrupt");
	if (r->flags & PROCLIFE_F_EXECING)
		text_string(line, ", for an exec");
	if (m->users)
		text_printf(line, ", %u still hold%s it", m->users, plural(m->users, "s", ""));
	if (m->what != PROCLIFE_MM_GONE)
		show_rss(line, m->rss_anon, m->rss_file, m->rss_shmem);
	if (m->swap) {
		text_string(line, ", swapped ");
		text_size(line, m->swap);
	}
}

static void show_coredump(struct text *line, const struct proclife_record *r)
{
	char buffer[24];

	text_string(line, "may dump core, ");
	text_string(line, signal_name(r->coredump.signo, buffer));
}

static void show_birth(struct text *line, const struct proclife_record *r)
{
	static const char *const texts[] = {
		[PROCLIFE_BIRTH_FORKING] = "begins to fork",
		[PROCLIFE_BIRTH_STARTED] = "runs for the first time",
		[PROCLIFE_BIRTH_EXECING] = "begins to exec",
	};
	char unknown[16];

	if (r->birth.what && r->birth.what < sizeof(texts) / sizeof(*texts))
		text_string(line, texts[r->birth.what]);
	else
		text_string(line, birth_what_text(r->birth.what, unknown));
}

static void show_fail(struct text *line, const struct proclife_record *r)
{
	static const char *const limits[] = {
		[PROCLIFE_LIMIT_NPROC] = "at the user's RLIMIT_NPROC",
		[PROCLIFE_LIMIT_PIDS_MAX] = "at the cgroup's pids.max",
		[PROCLIFE_LIMIT_PID_MAX] = "at pid_max",
		[PROCLIFE_LIMIT_NO_INIT] = "as the init of its PID namespace has ended",
	};
	const struct proclife_fail *x = &r->fail;
	char unknown[16];

	text_string(line, fail_what_text(x->what, unknown));
	text_string(line, " failed: ");
	text_string(line, error_name(x->error, unknown));
	if (x->path_len) {
		text_string(line, ", ");
		show_path(line, x->path, x->path_len);
	}
	if (r->flags & PROCLIFE_F_BY_FD)
		text_string(line, ", by descriptor");
	if (x->limit && x->limit < sizeof(limits) / sizeof(*limits))
		text_printf(line, ", %s", limits[x->limit]);
	else if (x->limit)
		text_printf(line, ", at limit %u", x->limit);
}

static void show_times(struct text *line, const struct proclife_record *r)
{
	const struct proclife_times *t = &r->times;

	text_string(line, "has run ");
	text_time(line, t->runtime);
	text_string(line, ", waited ");
	text_time(line, t->delay);
	text_string(line, " for a CPU, and blocked ");
	text_plural(line, t->nvcsw, "time", "times");
	if (t->read_bytes) {
		text_string(line, "; read ");
		text_size(line, t->read_bytes / 1024);
	}
	if (t->write_bytes) {
		text_string(line, t->read_bytes ? ", wrote " : "; wrote ");
		text_size(line, t->write_bytes / 1024);
	}
}

static void show_oom(struct text *line, const struct proclife_record *r)
{
	text_string(line, "chosen by the OOM killer, for ");
	show_actor(line, r->oom.allocator_group_comm, r->oom.allocator_comm, r->oom.allocator_pid,
		   r->oom.allocator_tgid);
	if (r->oom.scope == PROCLIFE_OOM_CGROUP && r->oom.cgroup)
		text_printf(line, ", limit of cgroup %" PRIu64, (uint64_t)r->oom.cgroup);
	else if (r->oom.scope == PROCLIFE_OOM_CGROUP)
		text_string(line, ", limit of a cgroup");
}

void text_event_details(struct text *line, const struct proclife_record *r,
			 const struct before *before)
{
	switch (r->type) {
	case PROCLIFE_FORK:
		show_fork(line, r, before);
		break;
	case PROCLIFE_EXEC:
		show_exec(line, r);
		break;
	case PROCLIFE_ARGS:
		show_args(line, before->process);
		break;
	case PROCLIFE_RENAME:
		text_comm(line, r->comm);
		text_string(line, " -> ");
		text_comm(line, r->rename.name);
		break;
	case PROCLIFE_EXIT:
		show_exit(line, r, before);
		break;
	case PROCLIFE_REAP:
		text_string(line, "by ");
		show_actor(line, r->reap.reaper_group_comm, r->reap.reaper_comm, r->reap.reaper_pid,
			   r->reap.reaper_tgid);
		show_phase(line, before, PROCLIFE_TEARDOWN, ", teardown ");
		show_phase(line, before, PROCLIFE_TRACED, ", traced ");
		show_phase(line, before, PROCLIFE_ZOMBIE, ", zombie ");
		break;
	case PROCLIFE_NOTIFY:
		show_notify(line, r);
		break;
	case PROCLIFE_FREE:
		show_free(line, r, before);
		break;
	case PROCLIFE_WAIT:
		text_wanted(line, r->wait.what, r->wait.wanted);
		break;
	case PROCLIFE_HANG:
		text_string(line, "has not run for too long in uninterruptible sleep");
		break;
	case PROCLIFE_SIGNAL:
		show_signal(line, r);
		break;
	case PROCLIFE_EXITING:
		show_exiting(line, r);
		break;
	case PROCLIFE_MM:
		show_mm(line, r);
		break;
	case PROCLIFE_COREDUMP:
		show_coredump(line, r);
		break;
	case PROCLIFE_OOM:
		show_oom(line, r);
		break;
	case PROCLIFE_BIRTH:
		show_birth(line, r);
		break;
	case PROCLIFE_FAIL:
		show_fail(line, r);
		break;
	case PROCLIFE_TIMES:
		show_times(line, r);
		break;
	case PROCLIFE_PATH:
		show_program(line, r, before->process);
		break;
	}
}
