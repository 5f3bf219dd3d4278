/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What we were executed with and change for ourselves: each program that we execute gets it as if the
 * caller had executed it.
 */
#ifndef READ_INHERITED_H
#define READ_INHERITED_H

/* Call it first. Standard streams that are closed are held, so that no file of ours gets their numbers. */
void inherited_save(void);
/* In a child, just before it executes a program: nothing of ours works any more. */
void inherited_restore(void);
/* Raises a signal as it would have reached us. Returns if that does not end us. */
void inherited_raise(int signo);

#endif
