/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a command that does not begin until we watch it. */
#ifndef READ_FOLLOW_H
#define READ_FOLLOW_H

#include <stdbool.h>
#include <sys/types.h>

struct follow {
	pid_t pid;  /* 0: none */
	int go;	    /* writing to this descriptor lets the command begin */
	int failed; /* reading from this one gives the error if it could not */
	bool ended;
	int status; /* once it has ended: as a shell would give it */
};

/* Forks; the child waits. Return: 0 or a negative errno. */
int follow_fork(struct follow *follow, char **command);
/* Lets it begin. Returns 0, or the exit status after a message why it cannot be executed. */
int follow_start(struct follow *follow, char **command);
/* A child was reaped: perhaps it was the command. */
void follow_reaped(struct follow *follow, pid_t pid, int status);
/* Kills a child that has not begun. */
void follow_cancel(struct follow *follow);

#endif
