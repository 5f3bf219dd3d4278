// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader [OPTION...]: what it costs to read records, in ns per record, next to a memcpy() of the
 * same bytes to where there is room for all of them.
 *
 * A trace is made in chunks. All passes go over a chunk, one after the other, before the next one
 * is made, which is not timed; so a disturbance affects them all. Each keeps its state
 * from chunk to chunk. Figures are CPU time: medians of the chunks, and of several rounds where a
 * pass keeps no state.
 */
#include "passes.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 5
#define MOST_CHUNKS 65536

struct options {
	uint64_t processes;
	uint64_t most; /* for growth */
	uint64_t chunk;
	uint32_t cpus;
	uint32_t alive;
	uint32_t threads;
	const char *tables;
};

static struct options options = {
	.processes = 1000000,
	.most = 10000000,
	.chunk = 1000000,
	.cpus = 4,
	.alive = 1000,
	.threads = 5,
	.tables = "psga",
};

struct result {
	uint64_t records;
	uint64_t processes;
	double ns[PASSES]; /* per record */
	double tree_bytes; /* per process */
	long peak_kib;
};

static struct trace_plan plan_of(uint64_t processes, uint32_t cpus, uint32_t alive)
{
	return (struct trace_plan){
		.seed = 1,
		.processes = processes,
		.cpus = cpus,
		.alive = alive,
		.pids = alive < 16000 ? 32468 : 4 * alive,
		.lag = alive / 10 + 1,
		.zombies = alive / 50 + 1,
		.threads = options.threads,
		.snapshot = true,
	};
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void measure(const struct trace_plan *plan, unsigned int mask, struct result *result)
{
	static double ns[PASSES][MOST_CHUNKS];
	size_t counts[PASSES] = { 0 };
	struct trace *trace = trace_new(plan);
	struct passes *passes = passes_new(trace, plan, mask);
	size_t before = 0, grown = 0, chunks = 0;

	*result = (struct result){ 0 };
	while (chunks++ < MOST_CHUNKS / ROUNDS && trace_round(trace, options.chunk)) {
		double records = (double)(trace_recorded(trace) - result->records);
		bool whole = records >= (double)options.chunk / 2 || chunks == 1;

		result->records = trace_recorded(trace);
		for (unsigned int round = 0; round < ROUNDS; round++) {
			for (unsigned int pass = 0; pass < PASSES; pass++) {
				uint64_t time;

				if (!(mask & 1u << pass) || (pass >= PASS_LIVES && round))
					continue;
				before = mallinfo2().uordblks + mallinfo2().hblkhd;
				time = passes_run(passes, (enum pass)pass);
				if (whole)
					ns[pass][counts[pass]++] = (double)time / records;
				if (pass == PASS_TREE)
					grown += mallinfo2().uordblks + mallinfo2().hblkhd - before;
			}
			/* Where many chunks give many figures, one round is enough. */
			if (chunks > ROUNDS)
				break;
		}
	}
	result->processes = passes_tree_size(passes);
	if (result->processes)
		result->tree_bytes = (double)grown / (double)result->processes;
	for (unsigned int pass = 0; pass < PASSES; pass++)
		result->ns[pass] = median(ns[pass], counts[pass]);
	passes_free(passes);
	trace_free(trace);
}

/* In a process of its own, so that its memory is its own. */
static void measure_apart(const struct trace_plan *plan, unsigned int mask, struct result *result)
{
	struct rusage usage;
	int ends[2], status = 0;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends) || (pid = fork()) < 0) {
		perror("reader");
		exit(1);
	}
	if (!pid) {
		measure(plan, mask, result);
		_exit(write(ends[1], result, sizeof(*result)) != sizeof(*result));
	}
	close(ends[1]);
	if (read(ends[0], result, sizeof(*result)) != sizeof(*result) ||
	    wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "reader: a measurement did not come to its end\n");
		exit(1);
	}
	close(ends[0]);
	result->peak_kib = usage.ru_maxrss;
}

static const char *const pass_names[PASSES] = { "memcpy", "merge", "+ lives", "+ tree",
						"+ latency" };

static void print_row(const struct result *result, unsigned int mask)
{
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		if (mask & 1u << pass)
			printf(" %8.2f %5.2f", result->ns[pass],
			       result->ns[pass] / result->ns[PASS_MEMCPY]);
	}
	putchar('\n');
}

static void print_head(const char *first, unsigned int mask)
{
	printf("%-24s", first);
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		if (mask & 1u << pass)
			printf(" %8s %5s", pass_names[pass], "ratio");
	}
	putchar('\n');
}

#define ALL ((1u << PASSES) - 1)

static void table_passes(void)
{
	struct trace_plan plan = plan_of(options.processes, options.cpus, options.alive);
	struct result result;

	measure_apart(&plan, ALL, &result);
	printf("\n%llu processes, %u CPUs, about %u alive: %llu records, ns per record\n",
	       (unsigned long long)options.processes, plan.cpus, plan.alive,
	       (unsigned long long)result.records);
	print_head("", ALL);
	printf("%-24s", "");
	print_row(&result, ALL);
}

static void table_streams(void)
{
	unsigned int mask = 1u << PASS_MEMCPY | 1u << PASS_MERGE | 1u << PASS_LIVES;

	printf("\nGrowth with streams, %llu processes\n",
	       (unsigned long long)options.processes / 4);
	print_head("streams", mask);
	for (uint32_t cpus = 1; cpus <= 1024; cpus *= 4) {
		struct trace_plan plan = plan_of(options.processes / 4, cpus, options.alive);
		struct result result;

		measure_apart(&plan, mask, &result);
		printf("%-24u", cpus);
		print_row(&result, mask);
	}
}

static void table_alive(void)
{
	unsigned int mask = 1u << PASS_MEMCPY | 1u << PASS_MERGE | 1u << PASS_LIVES;

	printf("\nGrowth with processes alive at a time, %llu in all\n",
	       (unsigned long long)options.processes);
	print_head("alive", mask);
	for (uint32_t alive = 10; alive <= 100000; alive *= 10) {
		struct trace_plan plan = plan_of(options.processes, options.cpus, alive);
		struct result result;

		measure_apart(&plan, mask, &result);
		printf("%-24u", alive);
		print_row(&result, mask);
	}
}

static void table_growth(void)
{
	unsigned int lives = 1u << PASS_MEMCPY | 1u << PASS_MERGE | 1u << PASS_LIVES;
	unsigned int mask = lives | 1u << PASS_TREE;

	printf("\nGrowth with processes in all, %u CPUs; the peaks include a chunk of records and its copy\n",
	       options.cpus);
	printf("%10s %10s ", "peak MiB", "B/process");
	print_head("processes", mask);
	for (uint64_t processes = 10000; processes <= options.most; processes *= 10) {
		struct trace_plan plan = plan_of(processes, options.cpus, options.alive);
		struct result result;

		measure_apart(&plan, mask, &result);
		printf("%10ld %10.1f %-24llu", result.peak_kib / 1024, result.tree_bytes,
		       (unsigned long long)processes);
		print_row(&result, mask);
	}
}

static void usage(int status)
{
	fprintf(status ? stderr : stdout,
		"usage: reader [OPTION...]\n"
		"  -p N  processes (%llu)\n"
		"  -m N  the most processes to grow to (%llu)\n"
		"  -c N  CPUs (%u)\n"
		"  -a N  processes alive at a time (%u)\n"
		"  -t N  percent of tasks' actions that create a thread (%u)\n"
		"  -k N  records in a chunk (%llu)\n"
		"  -T S  tables: p passes, s streams, a alive, g growth (%s)\n",
		(unsigned long long)options.processes, (unsigned long long)options.most,
		options.cpus, options.alive, options.threads, (unsigned long long)options.chunk,
		options.tables);
	exit(status);
}

static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (end == text || *end || !n || n > most) {
		fprintf(stderr, "reader: %s is not a number from 1 to %llu\n", text,
			(unsigned long long)most);
		exit(1);
	}
	return n;
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "p:m:c:a:t:k:T:h")) != -1) {
		switch (c) {
		case 'p':
			options.processes = number(optarg, 1ULL << 40);
			break;
		case 'm':
			options.most = number(optarg, 1ULL << 40);
			break;
		case 'c':
			options.cpus = (uint32_t)number(optarg, 1024);
			break;
		case 'a':
			options.alive = (uint32_t)number(optarg, 1u << 24);
			break;
		case 't':
			options.threads = (uint32_t)number(optarg, 99);
			break;
		case 'k':
			options.chunk = number(optarg, 1ULL << 32);
			break;
		case 'T':
			options.tables = optarg;
			break;
		default:
			usage(c == 'h' ? 0 : 1);
		}
	}
	if (optind != argc)
		usage(1);
	if (strchr(options.tables, 'p'))
		table_passes();
	if (strchr(options.tables, 's'))
		table_streams();
	if (strchr(options.tables, 'a'))
		table_alive();
	if (strchr(options.tables, 'g'))
		table_growth();
	return 0;
}
