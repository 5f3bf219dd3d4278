// SPDX-License-Identifier: GPL-2.0-only
/* Processes, and the truth about them (truth.h). */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "forest.h"

struct forest *forest;
int forest_fd;
uint32_t self;
uint32_t randomness = 1;

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

uint32_t draw(uint32_t n)
{
	randomness ^= randomness << 13;
	randomness ^= randomness >> 17;
	randomness ^= randomness << 5;
	return randomness % n;
}

void map_truth(void)
{
	struct stat st;

	if (fstat(forest_fd, &st))
		err(1, "the truth");
	forest = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, forest_fd, 0);
	if (forest == MAP_FAILED)
		err(1, "the truth");
}

/* A slot for a child that will have this name. */
static uint32_t new_slot(const char *name)
{
	uint32_t slot = forest->used++;
	struct forest_process *p = &forest->process[slot];

	if (slot >= forest->room)
		errx(1, "no slot is left for the truth");
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->parent = self;
	p->parent_pid = getpid();
	return slot;
}

/* Return: has the call that makes a process to be tried again, because no pid is left? */
static bool again(pid_t pid)
{
	if (pid >= 0)
		return false;
	if (errno != EAGAIN)
		err(1, "cannot make a process");
	usleep(1000);
	return true;
}

static pid_t make_child(uint32_t slot)
{
	struct forest_process *p = &forest->process[slot];
	pid_t pid;

	do {
		p->after = now();
		pid = fork();
	} while (again(pid));
	if (!pid) {
		self = slot;
		return 0;
	}
	p->before = now();
	p->pid = pid;
	return pid;
}

pid_t make_named(const char *name, uint32_t *slot)
{
	pid_t pid;

	*slot = new_slot(name);
	pid = make_child(*slot);
	if (!pid)
		prctl(PR_SET_NAME, name);
	return pid;
}

/* The child does not change the name that it inherits. */
pid_t make_unnamed(uint32_t *slot)
{
	*slot = new_slot(forest->process[self].name);
	return make_child(*slot);
}

/* All that an exec needs, since the child of a vfork must not write to our memory. */
struct program {
	const char *path;
	char fd[16];
	char slot[16];
	char seed[16];
	char *argv[5];
};

static void prepare(struct program *p, const char *name, uint32_t *slot)
{
	*slot = new_slot(name);
	forest->process[*slot].execs = 1; /* its status will show whether it did */
	snprintf(p->fd, sizeof(p->fd), "%d", forest_fd);
	snprintf(p->slot, sizeof(p->slot), "%u", *slot);
	forest->process[*slot].seed = draw(UINT_MAX - 1) + 1;
	snprintf(p->seed, sizeof(p->seed), "%u", forest->process[*slot].seed);
	p->path = name; /* they are in the current folder */
	p->argv[0] = (char *)name;
	p->argv[1] = p->fd;
	p->argv[2] = p->slot;
	p->argv[3] = p->seed;
	p->argv[4] = NULL;
}

pid_t make_program(const char *name, uint32_t *slot)
{
	static char *environment[] = { NULL };
	struct program program;
	pid_t pid;

	prepare(&program, name, slot);
	pid = make_child(*slot);
	if (pid)
		return pid;
	execve(program.path, program.argv, environment);
	err(127, "%s", name);
}

pid_t make_program_vfork(const char *name, uint32_t *slot)
{
	static char *environment[] = { NULL };
	struct forest_process *p;
	struct program program;
	pid_t pid;

	prepare(&program, name, slot);
	p = &forest->process[*slot];
	do {
		p->after = now();
		pid = vfork();
		if (!pid) {
			execve(program.path, program.argv, environment);
			_exit(127);
		}
	} while (again(pid));
	p->before = now();
	p->pid = pid;
	return pid;
}

void reap(pid_t pid, uint32_t slot)
{
	struct forest_process *p = &forest->process[slot];

	if (waitpid(pid, &p->status, 0) != pid)
		err(1, "waiting for %d", pid);
	if (WIFEXITED(p->status) && WEXITSTATUS(p->status) == 127)
		errx(1, "%d (%s) could not be executed", pid, p->name);
	p->reaper = getpid();
}

void __attribute__((noreturn)) leave(void)
{
	_exit(draw(4) ? 0 : draw(100));
}
