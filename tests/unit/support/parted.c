// SPDX-License-Identifier: GPL-2.0-only
#include "parted.h"

#include <bench/generate.h>
#include <fcntl.h>
#include <ftw.h>
#include <recording/parts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPUS 3
#define RING (1 << 16)

struct fake_device *parted_device;
struct proclife_source *parted_source;
struct proclife_recorder *recorder;
struct trace *generated;
struct proclife_keep keep;
struct proclife_run_info parted_run;
static uint64_t bytes; /* that were counted */

bool parted_compresses;

struct proclife_compressor *__real_proclife_compressor_new(void);
struct proclife_compressor *__wrap_proclife_compressor_new(void);

struct proclife_compressor *__wrap_proclife_compressor_new(void)
{
	return parted_compresses ? __real_proclife_compressor_new() : NULL;
}

static int count_bytes(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)type;
	(void)ftw;
	bytes += (uint64_t)st->st_blocks * 512;
	return 0;
}

uint64_t parted_bytes(void)
{
	bytes = 0;
	nftw(folder.path, count_bytes, 8, FTW_PHYS);
	return bytes;
}

void parted_begin_recording(void)
{
	parted_source = fake_device_open(parted_device);
	parted_run = (struct proclife_run_info){ .size = sizeof(parted_run), .began = parted_device->now, .command_status = -1 };
	if (!keep.bytes)
		keep.bytes = proclife_keep_least(parted_source);
	keep.size = sizeof(keep);
	assert_int_equal(proclife_recorder_keep(&recorder, parted_source, folder.path, &parted_run, &keep), 0);
}

void parted_begin(uint64_t processes, uint64_t seed)
{
	struct trace_plan plan = trace_plan_of_seed(seed);

	plan.cpus = CPUS;
	plan.processes = processes;
	plan.gap_every = 0;
	plan.snapshot = false;
	plan.before = 0;
	plan.leave = 20;
	plan.pids = 30000;
	generated = trace_new(&plan);
	parted_device = fake_device_new(CPUS, RING);
	fake_device_add_rings(parted_device);
	parted_device->now = trace_now(generated);
	keep = (struct proclife_keep){ 0 };
	parted_begin_recording();
}

bool parted_go_on(uint64_t records)
{
	if (!trace_round(generated, records))
		return false;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t count;
		const struct proclife_record *record = trace_records(generated, cpu, &count);

		for (; count--; record++) {
			struct proclife_record *slot = fake_device_begin(parted_device, cpu);

			*slot = *record;
			proclife_ring_commit(&parted_device->rings[cpu], record->type);
		}
	}
	parted_device->now = trace_now(generated);
	assert_int_equal(log_source(&live, parted_source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_error(recorder), 0);
	return true;
}

void parted_end_recording(void)
{
	parted_run.ended = ++parted_device->now;
	strcpy(parted_run.reason, "signal");
	assert_int_equal(log_source(&live, parted_source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &parted_run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(parted_source);
}

void parted_end(void)
{
	parted_end_recording();
	fake_device_free(parted_device);
	trace_free(generated);
}

size_t parted_carried(const struct log *log, const struct log *yielded, uint64_t began)
{
	size_t rest = 0;

	while (rest < log->count && rest < yielded->count &&
	       !memcmp(&log->records[log->count - rest - 1], &yielded->records[yielded->count - rest - 1],
		       sizeof(*log->records)))
		rest++;
	assert_true(rest > 0);
	for (size_t i = 0; i < log->count - rest; i++) {
		assert_true(log->records[i].ts <= began);
		assert_true(!i || log->records[i - 1].ts <= log->records[i].ts);
	}
	assert_true(rest == yielded->count || yielded->records[yielded->count - rest - 1].ts <= began);
	return log->count - rest;
}

void parted_run_path(char path[PATH_MAX])
{
	int fd = open(folder.path, O_RDONLY | O_DIRECTORY);
	uint32_t *numbers;
	size_t count;

	assert_true(fd >= 0);
	assert_int_equal(proclife_parts_locate(fd, folder.path, path, &numbers, &count), 0);
	free(numbers);
	close(fd);
	assert_string_not_equal(path, folder.path);
}
