// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads perform random operations on the device, while processes come and go, and one reader
 * checks that its records stay in order. No way to write to a mapping may work.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <proclife.h>

#include "../module.h"
#include "fuzz.h"

#define THREADS_MAX 16

static const char usage[] = "usage: fuzz/fuzz [--seconds N] [--seed N] [--threads N] [--points FILE]\n"
	"Fuzzes /dev/proclife of the module, which is loaded; FILE gets what was reached of it.\n";

static bool over;

static void on_signal(int signal)
{
	if (fuzz_on_fault)
		siglongjmp(*fuzz_on_fault, signal);
	if (signal != SIGALRM)
		abort();
}

static void *fuzz(void *arg)
{
	struct fuzzer *f = arg;

	f->coverage = coverage_begin();
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		fuzz_step(f);
	return f->coverage;
}

static void prepare(struct fuzzer *f, uint64_t seed, uint64_t map_bytes)
{
	unsigned int i;

	*f = (struct fuzzer){ .random = seed * 0x9e3779b97f4a7c15ull, .map_bytes = map_bytes };
	for (i = 0; i < FILES; i++)
		f->files[i] = -1;
	f->mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	f->arena = mmap(NULL, ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			0);
	if (f->mem < 0 || f->arena == MAP_FAILED) {
		perror("fuzz");
		exit(1);
	}
}

/* One thread's signals would break the faults of all threads, but not their sleep. */
static void wake(pthread_t *threads, unsigned int count)
{
	while (count--)
		pthread_kill(threads[count], SIGALRM);
}

static uint64_t read_in_order(struct proclife_source *source, uint64_t *last)
{
	struct proclife_event event;
	uint64_t n = 0;
	int ret;

	while (n < 100000 && (ret = proclife_source_next(source, &event)) == 1) {
		if (!event.record)
			continue;
		if (event.record->ts < *last || event.record->type >= PROCLIFE_TYPES) {
			fprintf(stderr, "fuzz: a record is out of order, or damaged\n");
			exit(1);
		}
		*last = event.record->ts;
		n++;
	}
	return n;
}

int main(int argc, char *argv[])
{
	static struct fuzzer fuzzers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	unsigned long seconds = 10, seed = 1, count = 4, i;
	uint64_t operations = 0, succeeded = 0, writes = 0, records = 0, last = 0;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	struct proclife_source *source;
	struct proclife_header header;
	const char *points = NULL;
	FILE *file = NULL;
	struct storm *storm;
	bool measured = true;
	time_t end;
	int ret;

	for (i = 1; i + 1 < (unsigned long)argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--threads"))
			count = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--points"))
			points = argv[i + 1];
		else
			break;
	}
	if (i != (unsigned long)argc || !seconds || !count || count > THREADS_MAX) {
		fputs(usage, stderr);
		return 129;
	}

	storm = storm_start(2);
	ret = proclife_device_open(&source, NULL);
	if (ret) {
		fprintf(stderr, "fuzz: %s: %s\n", PROCLIFE_DEVICE, strerror(-ret));
		return 1;
	}
	header = *proclife_source_header(source);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < count; i++)
		prepare(&fuzzers[i], seed + i * 1000003, header.map_bytes);
	for (i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, fuzz, &fuzzers[i]))
			abort();

	end = time(NULL) + (time_t)seconds;
	while (time(NULL) < end) {
		usleep(20000);
		wake(threads, count);
		records += read_in_order(source, &last);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < count; i++) {
		struct timespec soon;
		void *coverage;

		do {
			wake(&threads[i], 1);
			clock_gettime(CLOCK_REALTIME, &soon);
			soon.tv_sec++;
		} while (pthread_timedjoin_np(threads[i], &coverage, &soon) == ETIMEDOUT);
		measured = measured && coverage;
		operations += fuzzers[i].operations;
		succeeded += fuzzers[i].succeeded;
		writes += fuzzers[i].writes_tried;
	}
	storm_stop(storm);
	if (memcmp(proclife_source_header(source), &header, offsetof(struct proclife_header, reap_missed))) {
		fprintf(stderr, "fuzz: the header has changed\n");
		return 1;
	}
	proclife_source_free(source);

	printf("fuzz: seed %lu: %llu operations by %lu threads in %lu s, %llu of which succeeded;"
	       " %llu tried to write, none could; %llu records in order\n",
	       seed, (unsigned long long)operations, count, seconds, (unsigned long long)succeeded,
	       (unsigned long long)writes, (unsigned long long)records);
	if (points)
		file = fopen(points, "we");
	i = coverage_end(file);
	if (measured)
		printf("fuzz: %lu points of the module were reached\n", i);
	if (file)
		fclose(file);
	return 0;
}
