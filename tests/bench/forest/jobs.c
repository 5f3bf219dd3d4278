// SPDX-License-Identifier: GPL-2.0-only
/* What builds and shells do. */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forest.h"

#define BATCH 8

const char *const leaves[LEAVES] = { "cc1", "as", "ld", "collect2", "sed" };

/* A shell, or a process that acts as one: children of its own, at the same time. */
void be_shell(void)
{
	uint32_t slot[3];
	pid_t pid[3];
	int i, n = 1 + draw(3);

	for (i = 0; i < n; i++) {
		pid[i] = draw(2) ? make_program(leaves[draw(LEAVES)], &slot[i]) :
				   make_unnamed(&slot[i]);
		if (!pid[i])
			leave();
	}
	for (i = 0; i < n; i++)
		reap(pid[i], slot[i]);
}

/* Each one has the next one as its child. */
static void be_chain(unsigned int length)
{
	char name[FOREST_NAME_LEN];
	uint32_t slot;
	pid_t pid;

	if (!length)
		return;
	snprintf(name, sizeof(name), "chain %u", length % 10);
	pid = make_named(name, &slot);
	if (!pid) {
		be_chain(length - 1);
		leave();
	}
	reap(pid, slot);
}

/* Waits till its parent is gone, and then writes what no other process can know in time. */
static void __attribute__((noreturn)) be_orphan(pid_t parent)
{
	struct forest_process *me = &forest->process[self];
	int status = draw(100);
	uint32_t slot;
	pid_t pid;

	while (getppid() == parent)
		usleep(500);
	me->reaper = getppid();
	me->status = status << 8;
	pid = make_program(leaves[draw(LEAVES)], &slot);
	reap(pid, slot);
	forest->orphans_ended++;
	_exit(status);
}

static void make_orphan(void)
{
	uint32_t middle, orphan;
	pid_t pid;

	while (forest->orphans - forest->orphans_ended > ORPHANS_AT_ONCE)
		usleep(1000);
	forest->orphans++;
	prctl(PR_SET_CHILD_SUBREAPER, draw(2));
	pid = make_named("middle", &middle);
	if (!pid) {
		pid_t parent = getpid();

		if (!make_named("daemon", &orphan))
			be_orphan(parent);
		forest->process[orphan].orphan = 1;
		leave();
	}
	reap(pid, middle);
	/* Reaps the orphans that we have got in the meantime: they have written their own truth. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void make_batch(void)
{
	char name[FOREST_NAME_LEN];
	uint32_t slot[BATCH];
	pid_t pid[BATCH];
	int i;

	for (i = 0; i < BATCH; i++) {
		snprintf(name, sizeof(name), "batch %u", draw(1000));
		pid[i] = make_named(name, &slot[i]);
		if (!pid[i])
			leave();
	}
	for (i = BATCH - 1; i >= 0; i--)
		reap(pid[i], slot[i]);
}

static void make_victim(void)
{
	uint32_t slot;
	pid_t pid = make_unnamed(&slot);

	if (!pid)
		for (;;)
			pause();
	if (kill(pid, SIGKILL))
		err(1, "kill");
	reap(pid, slot);
}

void do_job(void)
{
	const char *leaf = leaves[draw(LEAVES)];
	uint32_t slot;
	pid_t pid;

	switch (draw(16)) {
	case 0 ... 3:
		pid = make_program(leaf, &slot);
		break;
	case 4 ... 6:
		pid = make_program_vfork(leaf, &slot);
		break;
	case 7 ... 9:
		pid = make_program(SHELL, &slot);
		break;
	case 10:
		pid = make_unnamed(&slot);
		if (!pid) {
			be_shell();
			leave();
		}
		break;
	case 11:
		be_chain(5);
		return;
	case 12 ... 13:
		make_batch();
		return;
	case 14:
		make_victim();
		return;
	default:
		make_orphan();
		return;
	}
	reap(pid, slot);
}
