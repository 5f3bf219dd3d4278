// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's KCOV, for which only this module is instrumented. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define KCOV_INIT_TRACE _IOR('c', 1, unsigned long)
#define KCOV_ENABLE _IO('c', 100)
#define KCOV_TRACE_PC 0

#define WORDS (64 << 10)
#define SEEN (1u << 16) /* a power of two, far more than the module has */

struct coverage {
	unsigned long *words; /* their number, then each */
};

/* Shared by all threads and by the children they fork. */
static unsigned long *seen;

struct coverage *coverage_begin(void)
{
	struct coverage *coverage = NULL;
	unsigned long *words;
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (!ioctl(fd, KCOV_INIT_TRACE, WORDS)) {
		words = mmap(NULL, WORDS * sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     0);
		if (words != MAP_FAILED && !ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
			coverage = malloc(sizeof(*coverage));
		if (coverage)
			coverage->words = words;
	}
	return coverage; /* the file stays open: closing it would end the tracing */
}

static void remember(unsigned long pc)
{
	unsigned int i = (pc * 0x9e3779b97f4a7c15ul) >> 48;

	for (;; i = (i + 1) & (SEEN - 1)) {
		unsigned long old = 0;

		if (__atomic_load_n(&seen[i], __ATOMIC_RELAXED) == pc)
			return;
		if (__atomic_compare_exchange_n(&seen[i], &old, pc, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    old == pc)
			return;
	}
}

void coverage_collect(struct coverage *coverage)
{
	unsigned long i, n;

	if (!coverage)
		return;
	n = __atomic_load_n(&coverage->words[0], __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < WORDS; i++)
		remember(coverage->words[i]);
	__atomic_store_n(&coverage->words[0], 0, __ATOMIC_RELAXED);
}

/* Before main(), and so before there are threads. */
static void __attribute__((constructor)) coverage_init(void)
{
	seen = mmap(NULL, SEEN * sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	if (seen == MAP_FAILED)
		abort();
}

size_t coverage_end(FILE *file)
{
	unsigned long text = 0;
	FILE *section = fopen("/sys/module/proclife/sections/.text", "re");
	size_t i, n = 0;

	if (section) {
		if (fscanf(section, "%lx", &text) != 1)
			text = 0;
		fclose(section);
	}
	for (i = 0; i < SEEN; i++) {
		if (!seen[i])
			continue;
		n++;
		if (file)
			fprintf(file, "%lx\n", seen[i] - text);
	}
	return n;
}
