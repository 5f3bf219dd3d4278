// SPDX-License-Identifier: GPL-2.0-only
/* The ways there are to write to memory, none of which may work on a mapping of the device. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

_Thread_local sigjmp_buf *volatile fuzz_on_fault;

/* Did the store go through? */
static bool store(volatile char *at)
{
	sigjmp_buf fault;
	volatile bool done = false;

	if (!sigsetjmp(fault, 1)) {
		fuzz_on_fault = &fault;
		*at = 1;
		done = true;
	}
	fuzz_on_fault = NULL;
	return done;
}

/* A child inherits the mappings: a write to one must kill it. */
static void store_in_child(struct fuzzer *f, char *at)
{
	int status, pid = fork();

	if (pid < 0)
		return;
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile char *)at = 1;
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fuzz_die(f, "waitpid: %s", strerror(errno));
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		fuzz_die(f, "a child's write to %p ended with status %#x", (void *)at, status);
}

static void must_fail(struct fuzzer *f, const char *what, long ret, int error)
{
	if (ret >= 0)
		fuzz_die(f, "%s works on a mapping", what);
	if (error && errno != error)
		fuzz_die(f, "%s on a mapping: %s", what, strerror(errno));
}

void fuzz_writes(struct fuzzer *f, const struct mapping *m)
{
	char *at = m->at + fuzz_random(f, m->bytes);
	char *page = m->at + (fuzz_random(f, m->bytes) & ~4095ul), byte = 1;
	struct iovec from = { &byte, 1 }, to = { at, 1 };
	int zero;

	f->writes_tried++;
	switch (fuzz_random(f, 16)) {
	case 0:
		store_in_child(f, at);
		break;
	case 1:
	case 2:
		must_fail(f, "mprotect(PROT_WRITE)", mprotect(page, 4096, PROT_READ | PROT_WRITE),
			  EACCES);
		break;
	case 3:
		must_fail(f, "mprotect(PROT_EXEC)", mprotect(page, 4096, PROT_READ | PROT_EXEC),
			  EACCES);
		break;
	case 4:
		must_fail(f, "mprotect(PROT_WRITE) of all", mprotect(m->at, m->bytes, PROT_WRITE),
			  EACCES);
		break;
	case 5:
		/* A debugger would write this way. */
		must_fail(f, "a write to /proc/self/mem", pwrite(f->mem, &byte, 1, (off_t)at), 0);
		break;
	case 6:
		must_fail(f, "process_vm_writev", process_vm_writev(getpid(), &from, 1, &to, 1, 0),
			  0);
		break;
	case 7:
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		if (zero < 0)
			break;
		must_fail(f, "read(2)", read(zero, at, 1), EFAULT);
		close(zero);
		break;
	case 8:
		must_fail(f, "MADV_POPULATE_WRITE", madvise(page, 4096, MADV_POPULATE_WRITE), 0);
		break;
	case 9:
		must_fail(f, "MADV_REMOVE", madvise(page, 4096, MADV_REMOVE), 0);
		break;
	default:
		if (store(at))
			fuzz_die(f, "a store to %p goes through", (void *)at);
	}
}
