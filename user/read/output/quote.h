/* SPDX-License-Identifier: GPL-2.0-only */
/* Quoting for shells of argument vectors, and descriptions of how processes ended. */
#ifndef READ_QUOTE_H
#define READ_QUOTE_H

#include "output/format.h"
#include "output/json.h"

/*
 * Appends the arguments from number @skip on, with a space before each except the very first, so
 * that a shell (bash, zsh, ksh) reads them back: 'in quotes' if needed, $'with \n and \xff' if that
 * is not enough.
 */
void text_args(struct text *text, const char *args, uint32_t bytes, bool cut, unsigned int skip);

/* A command as it was executed, in an EXEC and its ARGS. */
struct command {
	const char *path;
	const char *args; /* or NULL */
	uint32_t bytes;
	bool cut;
	bool script; /* the interpreter is the first of the arguments */
	bool by_fd;
};

/* How many arguments come before those that the command was given: its own name, and a script's interpreter. */
unsigned int command_skip(const struct command *command);
/*
 * Appends the command's name as it was typed, without folders, and in brackets what ran, if that has another one:
 * "make", "nightly [sleep]", "deploy.sh [bash -e]".
 */
void text_command(struct text *text, const struct command *command);

/* Does what text_command() appends have this name? By a descriptor, the kernel's name is the number, perhaps. */
bool command_is_called(const struct command *command, const char comm[PROCLIFE_COMM_LEN]);

/* Appends one word in the same way. */
void text_word(struct text *text, const char *s, size_t n);

/* Appends "bash (400)". */
void text_who(struct text *text, const char comm[PROCLIFE_COMM_LEN], uint32_t tgid);

/* The same of a process that did something; "thread worker of (400)" if @comm is only a thread's. */
void text_actor(struct text *text, const char comm[PROCLIFE_COMM_LEN], bool named, uint32_t tgid);

/* Appends what a wait(2) is for: "for any child", "for PID 400", "for process group 400", ... */
void text_wanted(struct text *text, uint32_t what, uint32_t wanted);

/*
 * Appends " from bash (400)", " from the kernel", ...; nothing if the process did it itself. @cgroups: has the
 * paths, or NULL.
 */
void text_killer(struct text *text, const struct proclife_killer *killer, uint32_t tgid,
		 struct proclife_cgroups *cgroups);

/* "status 2", "killed by SIGKILL from bash (400)"; @process: at this EXIT, or NULL. */
void text_exit(struct text *text, int exit_code, const struct proclife_process *process,
	       struct proclife_cgroups *cgroups);

/* Texts, each with a NUL. */
void json_words(struct json *json, const char *name, const char *words, size_t bytes);
/* Members "args" and "args_cut", if there are arguments. */
void json_args(struct json *json, const char *args, uint32_t bytes, bool cut);
/* A member "signal", its name. */
void json_signal(struct json *json, int signo);
/*
 * Members "wait_status", as wait(2) gives it, and its meaning: "status" of a task that exited by
 * itself, "signal" of one that was killed. All are null if it is not known, or not yet.
 */
void json_wait_status(struct json *json, bool known, int wait_status);
/* A member "tracer", null if @tracer is NULL: what was notified of the end before the parent, and when. */
void json_tracer(struct json *json, const struct proclife_tracer *tracer);
/* A member "killer": an object, or null. */
void json_killer(struct json *json, const struct proclife_killer *killer);
/* "exec of /usr/bin/foo failed (ENOENT)", or "foo: ENOENT" if it is not wanted @whole. */
void text_failed_exec(struct text *text, const struct proclife_failed_exec *failed, bool whole);
/* A member "failed_exec": an object, or null. */
void json_failed_exec(struct json *json, const struct proclife_failed_exec *failed);

#endif
