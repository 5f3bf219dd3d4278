// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorder [-p PROCESSES] [-c CPUS] [DIR]: what recording costs, beside copying the same bytes.
 *
 * The same records are read by two sources, one of which is recorded; and they are copied to a file
 * as cat(1) would, through a buffer as large as a packet. All three take turns on each piece of the
 * trace, so that a disturbance affects them all. CPU time, user and system; the
 * folder, which should be on a memory file system, is emptied at the end.
 */
#include "generate.h"

#include <tests/unit/support/fake_device.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536 /* records at a time: the ring of a CPU holds this many */
#define BUFFER 65536

static void need(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "recorder: %s: %s\n", what, strerror(-err));
	exit(1);
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double read_all(struct proclife_source *source)
{
	struct proclife_event event;
	double begin = cpu_ns();
	int ret;

	while ((ret = proclife_source_next(source, &event)) == 1) {
		if (!event.record)
			need(-EOVERFLOW, "the ring");
	}
	need(ret, "reading");
	return cpu_ns() - begin;
}

static double copy_all(int fd, const struct proclife_record *records, uint64_t count)
{
	static char buffer[BUFFER];
	const char *from = (const char *)records;
	size_t left = count * sizeof(*records);
	double begin = cpu_ns();

	while (left) {
		size_t n = left < BUFFER ? left : BUFFER;

		memcpy(buffer, from, n);
		if (write(fd, buffer, n) != (ssize_t)n)
			need(-errno, "copying");
		from += n;
		left -= n;
	}
	return cpu_ns() - begin;
}

static void put(struct fake_device *device, const struct proclife_record *records, uint64_t count)
{
	while (count--) {
		struct proclife_record *slot = fake_device_begin(device, records->cpu);

		*slot = *records;
		proclife_ring_commit(&device->rings[records->cpu], records->type);
		records++;
	}
}

static void row(const char *what, double ns, double copied, uint64_t records)
{
	printf("%-28s %8.2f %5.2f\n", what, ns / (double)records, ns / copied);
}

static void measure(struct trace *trace, struct fake_device *device, uint32_t cpus,
		    const char *dir)
{
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 1, .command_status = -1, .reason = "end",
	};
	struct proclife_source *plain = fake_device_open(device);
	struct proclife_source *recorded = fake_device_open(device);
	double read = 0, both = 0, copied = 0, finish;
	struct proclife_recorder *recorder;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/recording", dir);
	need(proclife_recorder_new(&recorder, recorded, path, &run), path);
	snprintf(path, sizeof(path), "%s/copy", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	need(fd < 0 ? -errno : 0, path);

	while (trace_round(trace, CHUNK / 2)) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			uint64_t count;
			const struct proclife_record *records = trace_records(trace, cpu, &count);

			put(device, records, count);
			copied += copy_all(fd, records, count);
		}
		device->now = trace_now(trace);
		read += read_all(plain);
		both += read_all(recorded);
	}
	run.ended = device->now;
	finish = cpu_ns();
	need(proclife_recorder_finish(recorder, &run), "the recording");
	both += cpu_ns() - finish;

	printf("%llu records, %u CPUs, ns of CPU time per record\n",
	       (unsigned long long)trace_recorded(trace), cpus);
	row("copied to a file", copied, copied, trace_recorded(trace));
	row("read and merged", read, copied, trace_recorded(trace));
	row("read, merged and recorded", both, copied, trace_recorded(trace));
	row("so recording costs", both - read, copied, trace_recorded(trace));
	proclife_recorder_free(recorder);
	proclife_source_free(plain);
	proclife_source_free(recorded);
	close(fd);
}

int main(int argc, char **argv)
{
	struct trace_plan plan = {
		.seed = 1, .processes = 300000, .cpus = 4,     .alive = 1000,
		.pids = 32468, .lag = 100,	.zombies = 20, .threads = 5,
	};
	char made[] = "/dev/shm/proclife-recorder.XXXXXX", command[4200];
	struct fake_device *device;
	struct trace *trace;
	const char *dir;
	bool wrong = false;
	int c;

	while ((c = getopt(argc, argv, "p:c:")) != -1) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 10) : 0;

		if (c == 'p' && n)
			plan.processes = n;
		else if (c == 'c' && n && n <= 1024)
			plan.cpus = (uint32_t)n;
		else
			wrong = true;
	}
	if (wrong || optind + 1 < argc) {
		fprintf(stderr, "usage: recorder [-p PROCESSES] [-c CPUS] [DIR]\n");
		return 1;
	}
	dir = optind < argc ? argv[optind] : mkdtemp(made);
	need(dir ? 0 : -errno, made);
	device = fake_device_new(plan.cpus, CHUNK);
	fake_device_add_rings(device);
	trace = trace_new(&plan);
	measure(trace, device, plan.cpus, dir);
	trace_free(trace);
	fake_device_free(device);
	snprintf(command, sizeof(command), "rm -rf '%s/recording' '%s/copy'", dir, dir);
	c = system(command);
	if (dir == made)
		rmdir(made);
	return c ? 1 : 0;
}
