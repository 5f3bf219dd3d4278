/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included first in each file that has mutants: reads which of them lives from PROCLIFE_MUTANT, and notes which
 * are reached in the file PROCLIFE_REACHED, with a byte for each. Everything is static, as the library
 * exports nothing of this; system calls are called directly, as some tests replace the C library's.
 */
#ifndef MUTANT_H
#define MUTANT_H

#define MUTANT_MAX 65536
#define MUTANT_IS(n) __builtin_expect(mutant_number == (n), 0)
#define MUTANT_REACHED(n) ((void)(mutant_noted[n] = 1))

#ifdef __KERNEL__

/* Defined by the module in switch.c, which has parameters for both. */
extern int mutant_number;
extern unsigned char mutant_noted[MUTANT_MAX];

#else

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* It is there where a test replaces syscall(2), too: mutant_system_call() is the C library's. */
extern long __real_syscall(long number, ...) __attribute__((weak));
#define mutant_system_call (__real_syscall ? __real_syscall : syscall)

static int mutant_number;
static unsigned char mutant_nowhere[MUTANT_MAX];
static unsigned char *mutant_noted = mutant_nowhere;

__attribute__((constructor)) static void mutant_begin(void)
{
	const char *number = getenv("PROCLIFE_MUTANT"), *path = getenv("PROCLIFE_REACHED");
	long fd, memory;

	mutant_number = number ? atoi(number) : 0;
	fd = path ? mutant_system_call(SYS_open, path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	memory = mutant_system_call(SYS_mmap, NULL, MUTANT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0L);
	if ((unsigned long)memory < -4096UL)
		mutant_noted = (unsigned char *)memory;
	mutant_system_call(SYS_close, (int)fd);
}

/* A mutant could kill any process. */
static inline int mutant_kill(pid_t pid, int number)
{
	if (!number)
		return kill(pid, 0);
	errno = EPERM;
	return -1;
}

/* Not in tests that include it by a header: tests have to end what they begin. */
#if __INCLUDE_LEVEL__ == 1
#define kill(pid, number) mutant_kill(pid, number)
#endif

#endif
#endif
