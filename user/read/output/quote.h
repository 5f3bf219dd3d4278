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

/* Appends one word in the same way. */
void text_word(struct text *text, const char *s, size_t n);

/* Appends "bash (400)". */
void text_who(struct text *text, const char comm[PROCLIFE_COMM_LEN], uint32_t tgid);

/* Appends " from bash (400)", " from the kernel", ...; nothing if the process did it itself. */
void text_killer(struct text *text, const struct proclife_killer *killer, uint32_t tgid);

/* "status 2", "killed by SIGKILL from bash (400)"; @process: as of this EXIT, or NULL. */
void text_exit(struct text *text, int exit_code, const struct proclife_process *process);

/* Members "args" and "args_cut", if there are arguments. */
void json_args(struct json *json, const char *args, uint32_t bytes, bool cut);
/* A member "signal", its name. */
void json_signal(struct json *json, int signo);
/*
 * Members "wait_status", as wait(2) gives it, and its meaning: "status" of a task that exited by
 * itself, "signal" of one that was killed. All are null if it is not known, or not yet.
 */
void json_wait_status(struct json *json, bool known, int wait_status);
/* Members "pid", "tid" and "comm". */
void json_task(struct json *json, uint32_t tgid, uint32_t pid, const char comm[PROCLIFE_COMM_LEN]);
/* A member "killer": an object, or null. */
void json_killer(struct json *json, const struct proclife_killer *killer);

#endif
