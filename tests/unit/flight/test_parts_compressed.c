// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl unlinkat proclife_compressor_new
/* A recorder compresses the parts that have ended, within its bounds, and whatever interrupts it. */
#include "parted.h"
#include "given_ioctl.h"

#include <bench/generate.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <recording/frames.h>
#include <recording/parts.h>
#include <recording/recorder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE 20000 /* ms: only a machine that stands still needs them */

/* How many files of this name are in the parts of a run. */
static unsigned int files_named(const char *run, const char *name, unsigned int parts)
{
	unsigned int count = 0;

	for (unsigned int number = 1; number <= parts; number++) {
		char path[PATH_MAX + 64];

		snprintf(path, sizeof(path), "%s/%08u", run, number);
		count += file_is(path, name);
	}
	return count;
}

static uint32_t part_number(void)
{
	return recorder->metadata.run.part;
}

/* Syncs until all parts of this run are compressed, but for the one that is present. */
static void wait_for_compressor(const char *run)
{
	unsigned int ms = 0;

	while (files_named(run, "cpu_0", part_number() - 1)) {
		assert_true(ms++ < PATIENCE);
		usleep(1000);
		assert_int_equal(proclife_recorder_sync(recorder), 0);
		assert_true(parted_bytes() <= keep.bytes);
	}
}

static void write_in(const char *dir, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	write_file_text(path, "a beginning");
}

static void expect_carried(void)
{
	struct proclife_source *replayed = replay(folder.path);

	log_free(&again);
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	assert_null(proclife_recording_damage(replayed, 0));
	parted_carried(&again, &live, proclife_recording_info(replayed)->began);
	proclife_source_free(replayed);
}

/* Begins a recording with this much room. An empty one of another run is there, too. */
static void begin(uint64_t processes, bool plain, unsigned int room)
{
	parted_begin(processes, 17);
	parted_end_recording();
	log_free(&live);
	keep.bytes *= room;
	parted_compresses = !plain;
	parted_begin_recording();
}

static void end(void)
{
	fake_device_free(parted_device);
	trace_free(generated);
	log_free(&live);
	log_free(&again);
}

/* Records until a part was removed for the others; returns how many of the records are there then. */
static size_t records_that_fit(bool plain)
{
	char run[PATH_MAX];
	size_t fit;

	begin(400000, plain, 4);
	parted_run_path(run);
	while (part_number() < 3 || file_is(run, "00000001")) {
		assert_true(parted_go_on(2000));
		if (!plain)
			wait_for_compressor(run);
		assert_true(parted_bytes() <= keep.bytes);
	}
	assert_true(plain || proclife_recorder_held(recorder)->bytes <= keep.bytes);
	parted_end_recording();
	expect_carried();
	fit = again.count;
	end();
	folder_remove(&folder);
	folder_make(&folder);
	return fit;
}

/* The same space holds several times as much. */
static void test_more(void **state)
{
	size_t plain = records_that_fit(true), compressed = records_that_fit(false);

	(void)state;
	assert_true(compressed >= 3 * plain);
}

/* However the compressor and the recorder come to run, the folder stays within its bounds. */
static void test_bounds(void **state)
{
	char run[PATH_MAX];

	(void)state;
	for (unsigned int room = 1; room <= 3; room++) {
		begin(30000, false, room);
		for (unsigned int round = 0; parted_go_on(1500); round++) {
			if (round % 2)
				assert_int_equal(proclife_recorder_sync(recorder), 0);
			assert_true(parted_bytes() <= keep.bytes);
		}
		parted_run_path(run);
		for (unsigned int ms = 0; !files_named(run, "cpu_0.zst", part_number()); ms++) {
			assert_true(ms < PATIENCE); /* otherwise this has shown nothing */
			usleep(1000);
			assert_int_equal(proclife_recorder_sync(recorder), 0);
		}
		parted_end_recording();
		assert_true(parted_bytes() <= keep.bytes);
		expect_carried();
		end();
		folder_remove(&folder);
		folder_make(&folder);
	}
}

/* What the compressor of a killed recorder has left: the next one goes on with it. */
static void test_killed(void **state)
{
	char run[PATH_MAX], part[PATH_MAX + 64];
	struct proclife_source *replayed;
	struct log before = { 0 };
	unsigned int ms = 0;
	uint32_t parts;

	(void)state;
	begin(60000, true, 4);
	while (part_number() < 5)
		assert_true(parted_go_on(1500));
	parts = part_number();
	parted_run_path(run);
	parted_end_recording();
	snprintf(part, sizeof(part), "%s/00000002", run);
	write_in(part, "cpu_1.zst");
	write_in(part, PROCLIFE_FRAMES_DRAFT);
	expect_carried();
	before = again;
	again = (struct log){ 0 };
	parted_compresses = true;
	parted_begin_recording();
	while (files_named(run, "cpu_1", parts)) {
		assert_true(ms++ < PATIENCE);
		usleep(1000);
		assert_int_equal(proclife_recorder_sync(recorder), 0);
	}
	assert_false(file_is(part, PROCLIFE_FRAMES_DRAFT));
	assert_true(files_named(run, "cpu_1.zst", parts) >= parts - 1);
	parted_end_recording();
	replayed = replay(run);
	log_free(&again);
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	assert_null(proclife_recording_damage(replayed, 0));
	assert_same_log(&before, &again);
	proclife_source_free(replayed);
	log_free(&before);
	end();
}

#define STREAM (8 << 20)

/* Makes a part of one stream, of zeros or of what cannot be compressed, and ends it. */
static void make_part(struct proclife_parts *parts, uint64_t room, size_t size, bool noise)
{
	static char bytes[STREAM];
	uint64_t seed = 11;
	const char *path;
	int dir, fd;

	for (size_t i = 0; i < size; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		bytes[i] = noise ? (char)(seed >> 40) : 0;
	}
	assert_int_equal(proclife_parts_begin(parts, room, &path), 0);
	dir = proclife_parts_made(parts);
	fd = openat(dir, "cpu_0", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	close(dir);
	assert_int_equal(proclife_parts_publish(parts, &path), 0);
	proclife_parts_end(parts, 1);
}

static struct proclife_parts *open_parts(uint64_t bytes)
{
	struct proclife_keep some = { .size = sizeof(some), .bytes = bytes };
	struct proclife_parts *parts;

	assert_int_equal(proclife_parts_open(&parts, folder.path, &some), 0);
	return parts;
}

static uint64_t bytes_held(const struct proclife_parts *parts)
{
	struct proclife_held held;

	proclife_parts_held(parts, &held);
	return held.bytes;
}

/* What is written aside has room, or it is not written. */
static void test_room(void **state)
{
	struct proclife_parts *parts = open_parts(2 * STREAM + STREAM / 2);
	char run[PATH_MAX];

	(void)state;
	parted_compresses = true;
	make_part(parts, STREAM, STREAM, true);
	parted_run_path(run);
	proclife_parts_compress(parts);
	for (unsigned int ms = 0; file_is(run, "00000001/.compressing") || ms < 50; ms++)
		usleep(1000);
	assert_true(file_is(run, "00000001/cpu_0"));
	make_part(parts, STREAM / 4, STREAM, false);
	assert_true(file_is(run, "00000001"));
	proclife_parts_compress(parts); /* it can need half of the part more: so the first one goes */
	assert_false(file_is(run, "00000001"));
	for (unsigned int ms = 0; bytes_held(parts) > STREAM / 2; ms++) {
		assert_true(ms < PATIENCE);
		usleep(1000);
		proclife_parts_compress(parts);
	}
	assert_true(file_is(run, "00000002/cpu_0.zst") && !file_is(run, "00000002/cpu_0"));
	proclife_parts_free(parts);
	folder_remove(&folder);
	folder_make(&folder);

	/* It alone leaves no room for that. */
	parts = open_parts(STREAM + STREAM / 2);
	make_part(parts, STREAM / 4, STREAM, false);
	parted_run_path(run);
	proclife_parts_compress(parts);
	proclife_parts_free(parts);
	assert_true(file_is(run, "00000001/cpu_0"));
}

static _Thread_local bool adds; /* the compressor adds a file while its folder is being removed */

int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);

int __wrap_unlinkat(int dir, const char *name, int flags)
{
	if (adds && flags & AT_REMOVEDIR && !strncmp(name, ".being-removed", 14)) {
		char path[128];

		adds = false;
		snprintf(path, sizeof(path), "%s/%s", name, PROCLIFE_FRAMES_DRAFT);
		close(openat(dir, path, O_WRONLY | O_CREAT, 0600));
	}
	return __real_unlinkat(dir, name, flags);
}

/* A part is removed while it is being compressed: nothing is left of it. */
static void test_removed(void **state)
{
	(void)state;
	parted_compresses = true;
	for (unsigned int i = 0; i < 40; i++) {
		struct proclife_parts *parts = open_parts(1 << 30);
		char run[PATH_MAX], name[64];

		make_part(parts, STREAM, STREAM, false);
		proclife_parts_compress(parts);
		usleep(i * 100);
		parted_run_path(run);
		adds = i % 2;
		assert_true(proclife_parts_drop(parts));
		if (i % 4 < 2)
			proclife_parts_free(parts);
		snprintf(name, sizeof(name), ".being-removed-%08u", 1);
		for (unsigned int ms = 0; i % 4 >= 2 && file_is(run, name); ms++) {
			assert_true(ms < PATIENCE);
			usleep(1000);
			proclife_parts_compress(parts);
		}
		assert_false(file_is(run, name) || file_is(run, "00000001"));
		if (i % 4 >= 2)
			proclife_parts_free(parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_more),
		RECORDED(test_bounds),
		RECORDED(test_killed),
		RECORDED(test_room),
		RECORDED(test_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
