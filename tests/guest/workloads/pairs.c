// SPDX-License-Identifier: GPL-2.0-only
/* pairs [PAIRS]: parents and children that exit at the same time, so that each step of an exit meets an adoption. */
#include <err.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin(unsigned int times)
{
	for (volatile unsigned int i = 0; i < times; i++)
		;
}

/* The parent is late by @late turns of a loop, so that the child is at another step each time. */
static void end_together(atomic_uint *there, unsigned int late)
{
	pid_t child = fork();

	if (child < 0)
		_exit(99);
	atomic_fetch_add(there, 1);
	while (atomic_load(there) < 2)
		;
	if (child)
		spin(late);
	_exit(child ? 1 : 2);
}

int main(int argc, char **argv)
{
	const unsigned int pairs = argc > 1 ? (unsigned int)atoi(argv[1]) : 300;
	atomic_uint *there = mmap(NULL, pairs * sizeof(*there), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (there == MAP_FAILED)
		err(1, "mmap");
	for (unsigned int n = 0; n < pairs; n++) {
		int status;
		pid_t parent = fork();

		if (!parent)
			end_together(&there[n], n % 64 * 64);
		if (parent < 0 || waitpid(parent, &status, 0) != parent || status != 1 << 8)
			errx(1, "a pair");
	}
	return 0;
}
