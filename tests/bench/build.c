// SPDX-License-Identifier: GPL-2.0-only
#include "build.h"
#include "command_lines.h"

#include <tests/unit/support/check.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILES_IN_FOLDER 200
#define MS 1000000

/* The sum of twelve uniform numbers, which is close to a normal deviate. */
static double deviation(uint64_t seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(&seed, 1 << 30) / (1 << 30);
	return sum;
}

/* How many times as long this phase of the program takes in this run. */
static double slowness(const struct build *build, const char *comm, const char *phase)
{
	double times = build->scale ? build->scale : 1;
	uint64_t seed = build->seed;

	if (build->planted && !strcmp(build->planted, comm) && !strcmp(build->phase, phase))
		times *= build->factor;
	if (!build->jitter)
		return times;
	for (const char *s = comm; *s; s++)
		seed = seed * 31 + (unsigned char)*s;
	for (const char *s = phase; *s; s++)
		seed = seed * 31 + (unsigned char)*s;
	return times * exp(build->jitter * deviation(seed));
}

/* The records of one file, in order; they wait for earlier records of other files. */
struct build_job {
	struct proclife_record *records;
	size_t count;
	size_t size;
	size_t next;
	uint64_t now;
};

static void job_add(struct build_job *job, const struct proclife_record *record)
{
	if (job->count == job->size) {
		job->size = job->size ? 2 * job->size : 64;
		job->records = realloc(job->records, job->size * sizeof(*job->records));
		assert_non_null(job->records);
	}
	job->records[job->count++] = *record;
}

static void put_after(struct build *build, struct proclife_record record, double times)
{
	build->now += (uint64_t)(times * (double)(1000 + random_below(&build->random, 20000)));
	record.ts = build->now;
	if (build->job)
		job_add(build->job, &record);
	else
		build->put(build->data, record);
}

static void put(struct build *build, struct proclife_record record)
{
	put_after(build, record, 1);
}

static void put_args(struct build *build, const struct who *who, enum tool tool, uint64_t file)
{
	char args[MOST_ARGS];
	size_t total = command_line(tool, file, FILES_IN_FOLDER, args), n;

	build->args_bytes += total;
	for (size_t at = 0; at < total; at += n) {
		struct proclife_record record = record_of(0, PROCLIFE_ARGS, who);

		n = total - at < PROCLIFE_ARGS_LEN ? total - at : PROCLIFE_ARGS_LEN;
		record.args.total = (uint32_t)total;
		record.args.offset = (uint16_t)at;
		record.args.len = (uint16_t)n;
		memcpy(record.args.text, args + at, n);
		put(build, record);
	}
}

static struct who begin(struct build *build, const struct who *parent, enum tool tool, uint64_t file)
{
	static const char *const paths[TOOLS] = {
		[TOOL_MAKE] = "/usr/bin/make",
		[TOOL_FOLDER] = "/usr/bin/make",
		[TOOL_SHELL] = "/bin/sh",
		[TOOL_COMPILER] = "/usr/bin/gcc",
		[TOOL_CC1] = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
		[TOOL_AS] = "/usr/bin/as",
		[TOOL_MV] = "/usr/bin/mv",
		[TOOL_LINKER] = "/usr/bin/gcc",
		[TOOL_COLLECT2] = "/usr/lib/gcc/x86_64-linux-gnu/12/collect2",
		[TOOL_LD] = "/usr/bin/ld",
	};
	struct who who;

	build->pid = build->pid == 32767 ? 300 : build->pid + 1;
	who = process_of_pid(build->pid, parent->comm);
	put(build, fork_record(0, &who, parent));
	who.comm = strrchr(paths[tool], '/') + 1;
	put(build, exec_record(0, &who, who.pid, paths[tool]));
	if (build->args)
		put_args(build, &who, tool, file);
	return who;
}

/* Works for about this long, and ends. */
static void end(struct build *build, const struct who *who, const struct who *parent, int32_t code,
		uint64_t about)
{
	struct proclife_record record = exit_record(0, who, code, 0);
	uint64_t work = about / 2 + random_below(&build->random, about);

	work = (uint64_t)((double)work * slowness(build, who->comm, "life"));
	build->now += work;
	record.exit.runtime = work;
	record.exit.utime = work * 3 / 4;
	record.exit.stime = work / 4;
	record.exit.max_rss = 1500 + work / 4000;
	record.exit.parent_tgid = parent->pid;
	put(build, record);
	put_after(build, reap_record(0, who, parent), slowness(build, who->comm, "zombie"));
	record = free_record(0, who);
	record.free.runtime = work;
	put_after(build, record, slowness(build, who->comm, "rcu_free"));
}

static void compile(struct build *build, const struct who *make, uint64_t file)
{
	struct who sh = begin(build, make, TOOL_SHELL, file);
	struct who gcc = begin(build, &sh, TOOL_COMPILER, file), tool;
	/* One file in a thousand does not compile, one in a hundred is large. */
	bool bad = !random_below(&build->random, 1000);
	bool large = !random_below(&build->random, 100);

	tool = begin(build, &gcc, TOOL_CC1, file);
	end(build, &tool, &gcc, bad ? 1 << 8 : 0, large ? 900 * MS : 40 * MS);
	if (!bad) {
		tool = begin(build, &gcc, TOOL_AS, file);
		end(build, &tool, &gcc, 0, 5 * MS);
	}
	end(build, &gcc, &sh, bad ? 1 << 8 : 0, MS / 2);
	if (!bad) {
		tool = begin(build, &sh, TOOL_MV, file);
		end(build, &tool, &sh, 0, MS / 4);
	}
	end(build, &sh, make, bad ? 1 << 8 : 0, MS / 2);
}

/* The job with the earliest next record; NULL if none has any. */
static struct build_job *first_of(struct build_job *jobs, uint32_t count)
{
	struct build_job *first = NULL;

	for (struct build_job *job = jobs; job < jobs + count; job++) {
		if (job->next < job->count &&
		    (!first || job->records[job->next].ts < first->records[first->next].ts))
			first = job;
	}
	return first;
}

/* Several files at a time: when one ends, the next one begins. */
static void compile_all(struct build *build, const struct who *make, uint64_t file, uint64_t files)
{
	uint32_t count = build->jobs ? build->jobs : 1;
	struct build_job *jobs = calloc(count, sizeof(*jobs)), *job;

	assert_non_null(jobs);
	for (job = jobs; job < jobs + count; job++)
		job->now = build->now;
	do {
		for (job = jobs; job < jobs + count && file < files; job++) {
			if (job->next < job->count)
				continue;
			job->next = job->count = 0;
			build->job = job;
			build->now = job->now;
			compile(build, make, file++);
			job->now = build->now;
			build->job = NULL;
		}
		job = first_of(jobs, count);
		if (job)
			build->put(build->data, job->records[job->next++]);
	} while (job);
	for (job = jobs; job < jobs + count; job++) {
		if (build->now < job->now)
			build->now = job->now;
		free(job->records);
	}
	free(jobs);
}

static void link_folder(struct build *build, const struct who *make, uint64_t file)
{
	struct who gcc = begin(build, make, TOOL_LINKER, file);
	struct who collect = begin(build, &gcc, TOOL_COLLECT2, file);
	struct who ld = begin(build, &collect, TOOL_LD, file);

	end(build, &ld, &collect, 0, 400 * MS);
	end(build, &collect, &gcc, 0, MS);
	end(build, &gcc, make, 0, MS);
}

void build_run(struct build *build)
{
	struct who shell = process_of_pid(299, "bash");
	struct who top = begin(build, &shell, TOOL_MAKE, 0);
	uint64_t file = 0, files;

	for (; file < build->files; file = files) {
		struct who make = begin(build, &top, TOOL_FOLDER, file);

		files = file + FILES_IN_FOLDER < build->files ? file + FILES_IN_FOLDER : build->files;
		compile_all(build, &make, file, files);
		link_folder(build, &make, files - 1);
		end(build, &make, &top, 0, 2 * MS);
	}
	end(build, &top, &shell, 0, 5 * MS);
}
