// SPDX-License-Identifier: GPL-2.0-only
/*
 * record DIR: writes a made-up trace as a recording, for benchmarks of proclife-read and to look at
 * its views. The trace comes through a file in the layout of the device, and the library's recorder.
 */
#include "build.h"
#include "generate.h"

#include <tests/unit/support/fake_device.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536 /* records at a time: the ring of a CPU holds this many */

struct shape {
	uint64_t processes;
	uint32_t cpus;
	uint32_t args_bytes;
	uint32_t jobs;
	bool build;
	bool build_args;
	uint64_t seed;
	double scale;
	double jitter;
	char *planted; /* PROGRAM:PHASE:FACTOR */
};

static void need(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "record: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* Writes a record as the module does: a slot of the ring, and the commit. */
static void put(struct fake_device *device, const struct proclife_record *record)
{
	struct proclife_record *slot = fake_device_begin(device, record->cpu);

	*slot = *record;
	proclife_ring_commit(&device->rings[record->cpu], record->type);
}

static void pass_on(struct proclife_source *source)
{
	struct proclife_event event;
	int ret;

	while ((ret = proclife_source_next(source, &event)) == 1)
		if (!event.record)
			need(-EOVERFLOW, "the ring");
	need(ret, "reading");
}

static void write_trace(struct fake_device *device, struct proclife_source *source,
			const struct shape *shape)
{
	struct trace_plan plan = {
		.seed = 1,
		.processes = shape->processes,
		.cpus = shape->cpus,
		.alive = 1000,
		.pids = 32468,
		.lag = 100,
		.zombies = 20,
		.threads = 5,
		.args_bytes = shape->args_bytes,
	};
	struct trace *trace = trace_new(&plan);

	while (trace_round(trace, CHUNK / 2)) {
		for (uint32_t cpu = 0; cpu < shape->cpus; cpu++) {
			uint64_t count;
			const struct proclife_record *records = trace_records(trace, cpu, &count);

			while (count--)
				put(device, records++);
		}
		device->now = trace_now(trace);
		pass_on(source);
	}
	trace_free(trace);
}

struct build_target {
	struct fake_device *device;
	struct proclife_source *source;
	uint32_t cpus;
	uint64_t records;
};

static void put_build(void *data, struct proclife_record record)
{
	struct build_target *target = data;

	record.cpu = record.pid % target->cpus;
	put(target->device, &record);
	target->device->now = record.ts;
	if (++target->records % (CHUNK / 2) == 0)
		pass_on(target->source);
}

/* "cc1:life:1.2" */
static bool plant(struct build *build, char *planted)
{
	char *phase = planted ? strchr(planted, ':') : NULL;
	char *factor = phase ? strchr(phase + 1, ':') : NULL;

	if (!planted)
		return true;
	if (!factor)
		return false;
	*phase++ = '\0';
	*factor++ = '\0';
	build->planted = planted;
	build->phase = phase;
	build->factor = strtod(factor, NULL);
	return build->factor > 0;
}

/* Return: the bytes of all command lines. */
static uint64_t write_build(struct fake_device *device, struct proclife_source *source,
			    const struct shape *shape)
{
	struct build_target target = { device, source, shape->cpus, 0 };
	struct build build = {
		.put = put_build,
		.data = &target,
		.files = (shape->processes + 4) / 5,
		.now = 1000000,
		.pid = 299,
		.args = shape->build_args,
		.random = shape->seed,
		.seed = shape->seed,
		.scale = shape->scale,
		.jitter = shape->jitter,
		.jobs = shape->jobs,
	};

	if (!plant(&build, shape->planted)) {
		fprintf(stderr, "record: -f PROGRAM:PHASE:FACTOR, such as cc1:life:1.2\n");
		exit(1);
	}
	build_run(&build);
	device->now++;
	pass_on(source);
	return build.args_bytes;
}

int main(int argc, char **argv)
{
	struct shape shape = { .processes = 100000, .cpus = 4 };
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 1, .command_status = -1, .reason = "gone",
	};
	struct proclife_recorder *recorder = NULL;
	struct proclife_recorder_counts counts;
	struct proclife_source *source;
	struct fake_device *device;
	uint64_t args_bytes = 0;
	int c;

	while ((c = getopt(argc, argv, "p:c:a:bBJ:s:x:j:f:")) != -1) {
		unsigned long long n = optarg ? strtoull(optarg, NULL, 10) : 0;

		if (c == 'p')
			shape.processes = n;
		else if (c == 'c' && n && n <= 1024)
			shape.cpus = (uint32_t)n;
		else if (c == 'a')
			shape.args_bytes = (uint32_t)n;
		else if (c == 'b')
			shape.build = true;
		else if (c == 'B')
			shape.build = shape.build_args = true;
		else if (c == 'J' && n <= 1024)
			shape.jobs = (uint32_t)n;
		else if (c == 's')
			shape.seed = n;
		else if (c == 'x')
			shape.scale = strtod(optarg, NULL);
		else if (c == 'j')
			shape.jitter = strtod(optarg, NULL);
		else if (c == 'f')
			shape.planted = optarg;
		else
			optind = argc;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: record [-b | -B] [-p PROCESSES] [-c CPUS] [-a BYTES of arguments] "
				"DIR\n"
				"  -b: a build, not a machine at random\n"
				"  -B: a build with its command lines\n"
				"  of a build: -J files at a time (1), -s SEED, -x SCALE of all times of the run, -j JITTER of each "
				"program's (0.05), -f PROGRAM:PHASE:FACTOR (cc1:life:1.2)\n");
		return 1;
	}
	device = fake_device_new(shape.cpus, CHUNK);
	fake_device_add_rings(device);
	device->header->features = WITHOUT_EXITING;
	device->header->reap_source = PROCLIFE_REAP_CGROUP_RELEASE;
	device->header->to_realtime = 1700000000000000000; /* 14 November 2023 */
	source = fake_device_open(device);
	need(proclife_recorder_new(&recorder, source, argv[optind], &run), argv[optind]);
	if (shape.build)
		args_bytes = write_build(device, source, &shape);
	else
		write_trace(device, source, &shape);
	run.ended = device->now;
	need(proclife_recorder_finish(recorder, &run), argv[optind]);
	counts = *proclife_recorder_counts(recorder);
	printf("%llu records, %llu bytes, %llu of command lines\n",
	       (unsigned long long)counts.records, (unsigned long long)counts.bytes,
	       (unsigned long long)args_bytes);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
	return 0;
}
