// SPDX-License-Identifier: GPL-2.0-only
#include "output/cut.h"
#include "output/quote.h"
#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* An argument that has only these bytes needs no quotes. */
static const bool plain[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
	['%'] = true, ['+'] = true, [','] = true, ['-'] = true, ['.'] = true,
	['/'] = true, [':'] = true, ['='] = true, ['@'] = true, ['_'] = true,
};

/* How many of them are in front; four at a time, as there are many. */
static inline size_t plain_bytes(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0;

	while (n - i >= 4 && plain[s[i]] & plain[s[i + 1]] & plain[s[i + 2]] & plain[s[i + 3]])
		i += 4;
	while (i < n && plain[s[i]])
		i++;
	return i;
}

/* Bytes that are not printable are escaped as in names: within $'', a shell knows these escapes. */
static void put_escaped(struct text *text, const char *s, size_t n)
{
	text_string(text, "$'");
	while (n) {
		const char *quote = memchr(s, '\'', n);
		size_t piece = quote ? (size_t)(quote - s) : n;

		text_name(text, s, piece);
		s += piece;
		n -= piece;
		if (quote) {
			text_string(text, "\\'");
			s++;
			n--;
		}
	}
	text_string(text, "'");
}

/* One that is empty, or not plain. */
static void put_quoted(struct text *text, struct text *scratch, const char *s, size_t n)
{
	text_clear(scratch);
	text_string(scratch, "");
	text_name(scratch, s, n);
	if (memchr(s, '\'', n) || strchr(scratch->s, '\\')) {
		put_escaped(text, s, n);
		return;
	}
	text_string(text, "'");
	text_name(text, s, n);
	text_string(text, "'");
}

void text_word(struct text *text, const char *s, size_t n)
{
	struct text scratch;

	if (n && plain_bytes(s, n) == n) {
		text_bytes(text, s, n, n);
		return;
	}
	text_init(&scratch, text->screen);
	put_quoted(text, &scratch, s, n);
	text_free(&scratch);
}

void text_args(struct text *text, const char *args, uint32_t bytes, bool cut, unsigned int skip)
{
	struct text scratch;
	uint32_t i = 0;

	text_init(&scratch, text->screen);
	for (; skip && i < bytes; skip--)
		i += strnlen(args + i, bytes - i) + 1;
	while (i < bytes) {
		const char *s = args + i;
		size_t n = plain_bytes(s, bytes - i);

		if (i)
			text_string(text, " ");
		if (n && (i + n == bytes || !s[n])) {
			text_bytes(text, s, n, n);
		} else {
			n += strnlen(s + n, bytes - i - n);
			put_quoted(text, &scratch, s, n);
		}
		i += n + 1;
	}
	text_free(&scratch);
	if (cut)
		text_gap(text);
}

static const char *base_of(const char *path, size_t n)
{
	const char *slash = memrchr(path, '/', n);

	return slash && slash + 1 < path + n ? slash + 1 : path;
}

/* Is this argument the script? A path that was cut begins with "...". */
static bool is_script(const struct command *command, const char *argument, size_t n)
{
	const char *path = command->path;
	size_t length = strlen(path);

	if (length == PROCLIFE_PATH_LEN + 3 && !memcmp(path, "...", 3)) {
		path += 3;
		length -= 3;
		return n >= length && !memcmp(argument + n - length, path, length);
	}
	return n == length && !memcmp(argument, path, n);
}

/* An interpreter's name, its own argument, the script; or several of these, if the interpreter is a script, too. */
#define MOST_BEFORE 8

unsigned int command_skip(const struct command *command)
{
	uint32_t i = 0, n;

	if (!command->script)
		return 1;
	for (unsigned int count = 0; i < command->bytes && count < MOST_BEFORE; count++, i += n + 1) {
		n = (uint32_t)strnlen(command->args + i, command->bytes - i);
		if (count && is_script(command, command->args + i, n))
			return count + 1;
	}
	return 1;
}

static void put_interpreter(struct text *text, const struct command *command)
{
	unsigned int count = command_skip(command) - 1;
	uint32_t i = 0, n;

	text_string(text, " [");
	do {
		n = (uint32_t)strnlen(command->args + i, command->bytes - i);
		if (i) {
			text_string(text, " ");
			text_word(text, command->args + i, n);
		} else {
			const char *base = base_of(command->args, n);

			text_label(text, base, (size_t)(command->args + n - base));
		}
		i += n + 1;
	} while (count > 1 && i < command->bytes && count--);
	text_string(text, "]");
}

void text_command(struct text *text, const struct command *command)
{
	const char *base = base_of(command->path, strlen(command->path)), *typed;
	size_t length = strlen(base), n = command->args ? strnlen(command->args, command->bytes) : 0;

	typed = n ? base_of(command->args, n) : base;
	if (n)
		n -= (size_t)(typed - command->args);
	if (!n || command->script || (n == length && !memcmp(typed, base, n))) {
		text_label(text, base, SIZE_MAX);
		if (command->script && command->args && command->bytes)
			put_interpreter(text, command);
		return;
	}
	text_label(text, typed, n);
	if (*typed == '-' && n == length + 1 && !memcmp(typed + 1, base, length))
		return; /* a login shell */
	text_string(text, " [");
	text_label(text, base, SIZE_MAX);
	text_string(text, "]");
}

bool command_is_called(const struct command *command, const char comm[PROCLIFE_COMM_LEN])
{
	const char *base = base_of(command->path, strlen(command->path)), *typed = command->args;
	size_t length = strnlen(comm, PROCLIFE_COMM_LEN), n;

	if (command->by_fd || !strncmp(base, comm, PROCLIFE_COMM_LEN - 1))
		return true;
	if (!typed || command->script)
		return false;
	n = strnlen(typed, command->bytes);
	typed = base_of(typed, n);
	n -= (size_t)(typed - command->args);
	return n >= length && (n == length || length == PROCLIFE_COMM_LEN - 1) && !memcmp(typed, comm, length);
}

/* Faults that a process caused by itself, and the kernel signals. */
static bool is_fault(const struct proclife_killer *killer)
{
	switch (killer->signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS:
		return killer->code > 0;
	}
	return false;
}

void text_who(struct text *text, const char comm[PROCLIFE_COMM_LEN], uint32_t tgid)
{
	text_comm(text, comm);
	text_string(text, " (");
	text_uint(text, tgid);
	text_string(text, ")");
}

void text_actor(struct text *text, const char comm[PROCLIFE_COMM_LEN], bool named, uint32_t tgid)
{
	if (named) {
		text_who(text, comm, tgid);
		return;
	}
	text_string(text, "thread ");
	text_comm(text, comm);
	text_printf(text, " of (%" PRIu32 ")", tgid);
}

void text_wanted(struct text *text, uint32_t what, uint32_t wanted)
{
	if (what == PROCLIFE_WAIT_ANY)
		text_string(text, "for any child");
	else if (!wanted)
		text_string(text, what == PROCLIFE_WAIT_PID   ? "for a PID that no process has" :
				  what == PROCLIFE_WAIT_GROUP ? "for a process group without a process" :
								"for what is not known");
	else
		text_printf(text, "for %s%" PRIu32, what == PROCLIFE_WAIT_PID   ? "PID " :
						    what == PROCLIFE_WAIT_GROUP ? "process group " :
										  "PID or process group ", wanted);
}

static void put_sender(struct text *text, const char *before, const struct proclife_killer *killer)
{
	text_string(text, before);
	text_actor(text, killer->comm, killer->named, killer->tgid);
}

static void put_oom(struct text *text, const struct proclife_killer *killer, uint32_t tgid,
		    struct proclife_cgroups *cgroups)
{
	const char *path = cgroups && killer->oom_cgroup ? proclife_cgroups_path(cgroups, killer->oom_cgroup) : NULL;

	text_string(text, " from the OOM killer");
	if (path) {
		text_string(text, " of ");
		text_name(text, path, SIZE_MAX);
	} else if (killer->oom_cgroup) {
		text_printf(text, " of cgroup %" PRIu64, killer->oom_cgroup);
	} else if (killer->oom_scope == PROCLIFE_OOM_CGROUP) {
		text_string(text, " of a cgroup");
	}
	if (killer->tgid != tgid)
		put_sender(text, ", for ", killer);
}

/* By the kernel itself; returns whether that is all there is to say. */
static bool put_cause(struct text *text, const struct proclife_killer *killer, uint32_t tgid,
		      struct proclife_cgroups *cgroups)
{
	bool thread = !(killer->flags & PROCLIFE_F_GROUP_DEAD);

	switch (killer->cause) {
	case PROCLIFE_BY_PARENT_END:
		put_sender(text, thread ? ", parent-death signal: a thread of its parent " :
					  ", parent-death signal: its parent ", killer);
		text_string(text, " had ended");
		return true;
	case PROCLIFE_BY_NAMESPACE_END:
		put_sender(text, " from the kernel: the init of its pid namespace, ", killer);
		text_string(text, ", had ended");
		return true;
	case PROCLIFE_BY_TRACER_END:
		put_sender(text, " from the kernel: its tracer ", killer);
		text_string(text, " had ended");
		return true;
	case PROCLIFE_BY_TERMINAL:
		text_string(text, " from the terminal");
		if (!(killer->flags & PROCLIFE_F_KTHREAD) && killer->tgid != tgid)
			put_sender(text, ", by ", killer);
		return true;
	case PROCLIFE_BY_OOM:
		put_oom(text, killer, tgid, cgroups);
		return true;
	case PROCLIFE_BY_ITSELF:
	case PROCLIFE_CAUSES:
		break;
	}
	return false;
}

void text_killer(struct text *text, const struct proclife_killer *killer, uint32_t tgid,
		 struct proclife_cgroups *cgroups)
{
	bool kernel = killer->code > 0;

	if ((is_fault(killer) && killer->tgid == tgid) || put_cause(text, killer, tgid, cgroups))
		return;
	if (!killer->task || (kernel && killer->tgid == tgid)) {
		text_string(text, " from the kernel");
	} else if (killer->tgid == tgid) {
		text_string(text, " from itself");
	} else if (kernel && killer->flags & PROCLIFE_F_EXITING) {
		put_sender(text, " from the kernel, as ", killer);
		text_string(text, " ended");
	} else {
		put_sender(text, kernel ? " from the kernel in " : " from ", killer);
	}
}

void text_exit(struct text *text, int exit_code, const struct proclife_process *process,
	       struct proclife_cgroups *cgroups)
{
	const struct proclife_killer *killer = process ? proclife_process_killer(process) : NULL;
	int signo = exit_code & 0x7f;
	char buffer[24];

	if (exit_code < 0) {
		text_string(text, "status ?");
		return;
	}
	if (!signo) {
		text_string(text, "status ");
		text_uint(text, (exit_code >> 8) & 0xff);
		return;
	}
	text_printf(text, "killed by %s", signal_name(signo, buffer));
	if (killer && killer->signo == signo)
		text_killer(text, killer, process->tgid, cgroups);
	if (exit_code & 0x80)
		text_string(text, ", core dumped");
}

void json_words(struct json *json, const char *name, const char *words, size_t bytes)
{
	size_t i, n;

	json_array(json, name);
	for (i = 0; i < bytes; i += n + 1) {
		n = strnlen(words + i, bytes - i);
		json_blob(json, NULL, words + i, n);
	}
	json_array_end(json);
}

void json_args(struct json *json, const char *args, uint32_t bytes, bool cut)
{
	if (!args)
		return;
	json_words(json, "args", args, bytes);
	json_bool(json, "args_cut", cut);
}

void json_signal(struct json *json, int signo)
{
	char buffer[24];

	json_string(json, "signal", signal_name(signo, buffer));
}

void json_wait_status(struct json *json, bool known, int wait_status)
{
	int signo = wait_status & 0x7f;

	if (known)
		json_int(json, "wait_status", wait_status);
	else
		json_null(json, "wait_status");
	if (known && !signo)
		json_uint(json, "status", (wait_status >> 8) & 0xff);
	else
		json_null(json, "status");
	if (known && signo)
		json_signal(json, signo);
	else
		json_null(json, "signal");
}

void json_tracer(struct json *json, const struct proclife_tracer *tracer)
{
	if (!tracer) {
		json_null(json, "tracer");
		return;
	}
	json_object(json, "tracer");
	json_uint(json, "pid", tracer->tgid);
	json_comm_or_null(json, "comm", tracer->ts, tracer->comm);
	json_uint_or_null(json, "notified", tracer->ts);
	json_object_end(json);
}

void json_killer(struct json *json, const struct proclife_killer *killer)
{
	if (!killer) {
		json_null(json, "killer");
		return;
	}
	json_object(json, "killer");
	json_signal(json, killer->signo);
	json_int(json, "code", killer->code);
	json_uint(json, "pid", killer->tgid);
	json_uint(json, "tid", killer->pid);
	json_comm_or_null(json, "comm", killer->named, killer->comm);
	json_bytes(json, "thread_comm", killer->thread_comm, PROCLIFE_COMM_LEN);
	json_string_or_null(json, "cause", proclife_cause_name(killer->cause));
	json_string_or_null(json, "oom_scope", proclife_oom_scope_name(killer->oom_scope));
	json_uint_or_null(json, "oom_cgroup", killer->oom_cgroup);
	json_object_end(json);
}

void text_failed_exec(struct text *text, const struct proclife_failed_exec *failed, bool whole)
{
	const char *slash = strrchr(failed->path, '/');
	char buffer[16];

	if (!whole) {
		text_label(text, !*failed->path ? "exec" : slash ? slash + 1 : failed->path, sizeof(failed->path));
		text_printf(text, ": %s", error_name(failed->error, buffer));
		return;
	}
	text_string(text, "exec ");
	if (*failed->path) {
		text_string(text, "of ");
		text_label(text, failed->path, sizeof(failed->path));
		text_string(text, " ");
	}
	text_printf(text, "failed (%s)", error_name(failed->error, buffer));
}

void json_failed_exec(struct json *json, const struct proclife_failed_exec *failed)
{
	char buffer[16];

	if (!failed) {
		json_null(json, "failed_exec");
		return;
	}
	json_object(json, "failed_exec");
	json_string_or_null(json, "path", *failed->path ? failed->path : NULL);
	json_string(json, "error", error_name(failed->error, buffer));
	json_object_end(json);
}
