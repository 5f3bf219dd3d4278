// SPDX-License-Identifier: GPL-2.0-only
#include "output/cut.h"
#include "output/quote.h"
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

void text_killer(struct text *text, const struct proclife_killer *killer, uint32_t tgid)
{
	bool kernel = killer->code > 0;

	if (is_fault(killer) && killer->tgid == tgid)
		return;
	if (!killer->task || (kernel && killer->tgid == tgid)) {
		text_string(text, " from the kernel");
	} else if (killer->tgid == tgid) {
		text_string(text, " from itself");
	} else {
		text_string(text, kernel ? " from the kernel in " : " from ");
		text_who(text, killer->comm, killer->tgid);
	}
}

void text_exit(struct text *text, int exit_code, const struct proclife_process *process)
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
		text_killer(text, killer, process->tgid);
	if (exit_code & 0x80)
		text_string(text, ", core dumped");
}

void json_args(struct json *json, const char *args, uint32_t bytes, bool cut)
{
	size_t i, n;

	if (!args)
		return;
	json_array(json, "args");
	for (i = 0; i < bytes; i += n + 1) {
		n = strnlen(args + i, bytes - i);
		json_blob(json, NULL, args + i, n);
	}
	json_array_end(json);
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

void json_task(struct json *json, uint32_t tgid, uint32_t pid, const char comm[PROCLIFE_COMM_LEN])
{
	json_uint(json, "pid", tgid);
	json_uint(json, "tid", pid);
	json_bytes(json, "comm", comm, PROCLIFE_COMM_LEN);
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
	json_task(json, killer->tgid, killer->pid, killer->comm);
	json_object_end(json);
}
