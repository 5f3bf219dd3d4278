// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record costs its writer on this CPU: again and again, and after other work has used the cache. The cycles
 * are those of the time stamp counter; the CPU's own, and instructions, are there where perf_event_open(2) is.
 */
#include "kernel/writer.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORDS 16384UL /* as the module's default */
#define TASKS 64
#define HOT 200000
#define COLD 4000
#define ROUNDS 9

/* Per-CPU variables that the kernel's headers read. */
unsigned long this_cpu_off;
int __preempt_count;
int cpu_number;
void *current_task;

/* What the kernel patches at boot, as it is on a CPU that needs no workaround. */
__asm__(".globl __x86_indirect_thunk_rax, __x86_return_thunk\n"
	"__x86_indirect_thunk_rax:\n\tjmp *%rax\n"
	"__x86_return_thunk:\n\tret\n");

static void *tasks[TASKS], *parent;
static char *other_work;

/* The kernel's stack is less aligned. */
__attribute__((force_align_arg_pointer)) static void *zeroed(unsigned long bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) & ~63UL);

	if (!memory)
		abort();
	return memset(memory, 0, (bytes + 63) & ~63UL);
}

static inline uint64_t tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double cycles_per_ns(void)
{
	double began = now();
	uint64_t first = tsc();

	while (now() < began + 5e7)
		;
	return (double)(tsc() - first) / (now() - began);
}

static int counter(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = config, .exclude_kernel = 1, .exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static uint64_t count_of(int fd)
{
	uint64_t value = 0;

	return fd >= 0 && read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[count / 2];
}

/* Cycles of one, in a loop over the tasks. */
static double hot(const struct writer_piece *piece)
{
	uint64_t began = tsc();

	for (unsigned int i = 0; i < HOT; i++)
		piece->run(tasks[i % TASKS], parent);
	return (double)(tsc() - began) / HOT;
}

/* Cycles of one, after as much of the cache was used for something else. */
static double cold(const struct writer_piece *piece, size_t bytes)
{
	static double values[COLD];

	for (unsigned int i = 0; i < COLD; i++) {
		uint64_t began;

		for (size_t at = 0; at < bytes; at += 64)
			other_work[at]++;
		began = tsc();
		piece->run(tasks[i % TASKS], parent);
		values[i] = (double)(tsc() - began);
	}
	return median(values, COLD);
}

static double instructions(const struct writer_piece *piece, int fd)
{
	uint64_t began = count_of(fd);

	hot(piece);
	return (double)(count_of(fd) - began) / HOT;
}

enum { HOT_CYCLES, AFTER_L1, AFTER_L2, MEASURES };

static void measure(const struct writer_piece *piece, double out[MEASURES])
{
	static const size_t used[MEASURES] = { 0, 48 << 10, 2 << 20 };
	double rounds[MEASURES][ROUNDS];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		rounds[HOT_CYCLES][i] = hot(piece);
		rounds[AFTER_L1][i] = cold(piece, used[AFTER_L1]);
		rounds[AFTER_L2][i] = cold(piece, used[AFTER_L2]);
	}
	for (unsigned int i = 0; i < MEASURES; i++)
		out[i] = median(rounds[i], ROUNDS);
}

static void show(const char *name, const double found[MEASURES], double scale)
{
	printf("%-24s", name);
	for (unsigned int i = 0; i < MEASURES; i++)
		printf(" %8.1f %7.1f", found[i], found[i] / scale);
}

int main(int argc, char **argv)
{
	struct writer_setup setup = {
		.records = RECORDS, .zeroed = zeroed, .is_read = argc > 1 && !strcmp(argv[1], "read"),
	};
	double scale = cycles_per_ns(), none[MEASURES], found[MEASURES], sum[MEASURES] = { 0 };
	int fd = counter(PERF_COUNT_HW_INSTRUCTIONS);

	setup.ring = mmap(NULL, 4096 + RECORDS * 128, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (setup.ring == MAP_FAILED)
		return 1;
	setup.ns_per_cycle = (unsigned long long)((double)(1ULL << 62) / scale);
	other_work = zeroed(4 << 20);
	writer_begin(&setup);
	parent = writer_task(NULL);
	for (unsigned int i = 0; i < TASKS; i++)
		tasks[i] = writer_task(parent);
	printf("%s\n", setup.is_read ? "A reader has the device open." : "Nobody has the device open.");
	printf("%.2f GHz by the time stamp counter; instructions: %s\n", scale, fd < 0 ? "no counter here" : "counted");
	printf("%-24s %16s %16s %16s %8s\n%-24s", "", "in a loop", "after 48 KiB", "after 2 MiB", "instr.", "");
	for (unsigned int i = 0; i < MEASURES; i++)
		printf(" %8s %7s", "cycles", "ns");
	printf("\n");
	measure(&writer_pieces[0], none);
	for (const struct writer_piece *piece = &writer_pieces[1]; piece->name; piece++) {
		measure(piece, found);
		for (unsigned int i = 0; i < MEASURES; i++) {
			found[i] -= none[i];
			if (piece - writer_pieces > 2)
				sum[i] += found[i];
		}
		show(piece->name, found, scale);
		if (fd >= 0)
			printf(" %8.0f", instructions(piece, fd));
		printf("\n");
	}
	show("a life: these nine", sum, scale);
	printf("\n");
	return 0;
}
