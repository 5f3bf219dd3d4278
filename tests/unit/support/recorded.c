// SPDX-License-Identifier: GPL-2.0-only
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const recorded_files[RECORDED_FILES] = { "metadata", "cpu_0", "cpu_1", "snapshot" };

struct folder folder, other;
struct log live, again;

void log_event(struct log *log, const struct proclife_event *event)
{
	struct proclife_record *record;

	if (log->count == log->size) {
		log->size = log->size ? 2 * log->size : 1024;
		log->records = realloc(log->records, log->size * sizeof(*log->records));
		assert_non_null(log->records);
	}
	record = &log->records[log->count++];
	if (event->record) {
		*record = *event->record;
		return;
	}
	memset(record, 0, sizeof(*record));
	memcpy(record->words, &event->gap, sizeof(event->gap.lost) * 3);
	record->words[3] = event->gap.cpu;
}

int log_source(struct log *log, struct proclife_source *source, uint64_t most)
{
	struct proclife_event event;
	int ret = 1;

	while (most-- && (ret = proclife_source_next(source, &event)) == 1)
		log_event(log, &event);
	return ret;
}

void log_free(struct log *log)
{
	free(log->records);
	memset(log, 0, sizeof(*log));
}

size_t log_common(const struct log *a, const struct log *b)
{
	size_t n = 0;

	while (n < a->count && n < b->count &&
	       !memcmp(&a->records[n], &b->records[n], sizeof(*a->records)))
		n++;
	return n;
}

void assert_same_log(const struct log *a, const struct log *b)
{
	assert_int_equal(a->count, b->count);
	if (a->count)
		assert_memory_equal(a->records, b->records, a->count * sizeof(*a->records));
}

void folder_make(struct folder *folder)
{
	const char *tmp = getenv("TMPDIR");

	/* In memory, since thousands of files are damaged and repaired. */
	if (!tmp)
		tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(folder->base, sizeof(folder->base), "%s/proclife-test-XXXXXX", tmp);
	assert_non_null(mkdtemp(folder->base));
	snprintf(folder->path, sizeof(folder->path), "%s/recording", folder->base);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void folder_remove(struct folder *folder)
{
	nftw(folder->base, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int recorded_setup(void **state)
{
	(void)state;
	folder_make(&folder);
	return 0;
}

int recorded_teardown(void **state)
{
	(void)state;
	log_free(&live);
	log_free(&again);
	folder_remove(&folder);
	snapshot_tasks = 0;
	snapshot_at = 1;
	return 0;
}

void copy_file(const char *from_dir, const char *to_dir, const char *name)
{
	char path[PATH_MAX], buffer[65536];
	int from, to;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", from_dir, name);
	from = open(path, O_RDONLY);
	assert_true(from >= 0);
	snprintf(path, sizeof(path), "%s/%s", to_dir, name);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(to >= 0);
	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		assert_int_equal(write(to, buffer, n), n);
	close(from);
	close(to);
}

int copied_setup(void **state)
{
	folder_make(&other);
	assert_int_equal(mkdir(other.path, 0700), 0);
	return recorded_setup(state);
}

int copied_teardown(void **state)
{
	folder_remove(&other);
	return recorded_teardown(state);
}

void copy_recording(void)
{
	for (size_t i = 0; i < RECORDED_FILES; i++)
		copy_file(folder.path, other.path, recorded_files[i]);
}

static int open_in(const char *dir, const char *name, int flags)
{
	char path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags);
	assert_true(fd >= 0);
	return fd;
}

bool file_is(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

off_t file_size(const char *dir, const char *name)
{
	int fd = open_in(dir, name, O_RDONLY);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	return st.st_size;
}

FILE *open_metadata(const char *mode)
{
	char path[PATH_MAX + 16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", folder.path);
	file = fopen(path, mode);
	assert_non_null(file);
	return file;
}

void metadata_set(const char *dir, const char *name, const char *value)
{
	char path[PATH_MAX + 16], text[1 << 16], entry[100], *at, *rest;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_true(n < sizeof(text) - 1);
	text[n] = '\0';
	snprintf(entry, sizeof(entry), "\n\t%s = ", name);
	at = strstr(text, entry);
	rest = at ? strchr(at + 1, '\n') : NULL;
	if (!at)
		at = rest = strstr(text, "\n\tsynced = ");
	assert_non_null(at);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%.*s", (int)(at - text), text);
	if (value)
		fprintf(file, "%s%s;", entry, value);
	fputs(rest, file);
	assert_int_equal(fclose(file), 0);
}

void file_cut(const char *dir, const char *name, off_t size)
{
	int fd = open_in(dir, name, O_WRONLY);

	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

void file_patch(const char *dir, const char *name, off_t at, const void *bytes, size_t size)
{
	int fd = open_in(dir, name, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, size, at), size);
	close(fd);
}

void file_flip(const char *dir, const char *name, off_t at, unsigned char bits)
{
	int fd = open_in(dir, name, O_RDWR);
	unsigned char byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= bits;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

struct proclife_source *replay(const char *path)
{
	struct proclife_source *source = NULL;
	struct proclife_fault fault = { .text = "" };
	int ret = proclife_recording_open(&source, path, &fault);

	if (ret)
		fail_msg("%s: %d: %s", path, ret, fault.text);
	return source;
}

/* Joins the fault's path and text. */
static void join_fault(struct proclife_fault *fault, const struct proclife_fault *from)
{
	assert_int_not_equal(from->path[0], 0);
	assert_int_not_equal(from->text[0], 0);
	assert_true(strlen(from->path) + strlen(from->text) + 3 <= sizeof(fault->text));
	stpcpy(stpcpy(stpcpy(fault->text, from->path), ": "), from->text);
}

/* Gaps account for at least all that is missing in damaged places. */
static int found_damage(const struct proclife_source *source, struct proclife_fault *fault)
{
	const struct proclife_damage *damage;
	uint64_t lost = 0;
	size_t i;

	for (i = 0; (damage = proclife_recording_damage(source, i)); i++) {
		assert_true(damage->places > 0);
		assert_true(damage->from <= damage->to);
		assert_int_not_equal(damage->what[0], 0);
		lost += damage->lost;
		if (!i)
			snprintf(fault->text, sizeof(fault->text), "%s: damaged at byte %llu: %s",
				 damage->stream, (unsigned long long)damage->at, damage->what);
	}
	assert_true(lost <= proclife_source_lost(source));
	return i ? -EBADMSG : 0;
}

int try_replay(const char *path, struct proclife_fault *fault, struct log *log)
{
	struct proclife_fault opening = { .text = "" };
	struct proclife_source *source = NULL;
	int ret;

	memset(fault, 0, sizeof(*fault));
	ret = proclife_recording_open(&source, path, &opening);
	if (ret) {
		join_fault(fault, &opening);
		return ret;
	}
	ret = log_source(log, source, UINT64_MAX);
	if (ret == -ENODATA) {
		ret = found_damage(source, fault);
		/* The error is final. */
		assert_int_equal(log_source(log, source, 1), -ENODATA);
	}
	proclife_source_free(source);
	return ret;
}

void check_slice(const char *path, const struct log *log)
{
	struct proclife_source *source = replay(path);
	struct proclife_run_info info = *proclife_recording_info(source);
	struct proclife_recorder *slicer;
	struct proclife_event event;
	struct log copied = { 0 };
	struct folder part;
	int ret;

	folder_make(&part);
	assert_int_equal(proclife_recorder_slice(&slicer, source, path, part.path, &info), 0);
	while ((ret = proclife_source_next(source, &event)) >= 0)
		assert_true(!ret || !proclife_recorder_add(slicer, &event));
	assert_int_equal(ret, -ENODATA);
	info.ended = proclife_source_horizon(source);
	assert_int_equal(proclife_recorder_finish(slicer, &info), 0);
	proclife_recorder_free(slicer);
	proclife_source_free(source);
	source = replay(part.path);
	assert_int_equal(log_source(&copied, source, UINT64_MAX), -ENODATA);
	if (proclife_recording_damage(source, 0))
		fail_msg("the slice is damaged: %s", proclife_recording_damage(source, 0)->what);
	assert_same_log(log, &copied);
	proclife_source_free(source);
	log_free(&copied);
	folder_remove(&part);
}

uint64_t snapshot_tasks, snapshot_at = 1;

int given_ioctl(unsigned long request, void *data)
{
	struct proclife_snapshot *snapshot = data;
	struct proclife_record *records;

	if (request != PROCLIFE_IOC_SNAPSHOT || !snapshot_tasks) {
		errno = ENOTTY;
		return -1;
	}
	assert_true(snapshot->capacity >= snapshot_tasks);
	snapshot->count = snapshot_tasks;
	records = (void *)(uintptr_t)snapshot->records;
	memset(records, 0, snapshot_tasks * sizeof(*records));
	for (uint64_t i = 0; i < snapshot_tasks; i++) {
		records[i].ts = snapshot_at + i / 2;
		records[i].type = PROCLIFE_TASK;
		records[i].task = 0x1000000 + i;
		records[i].state.uid = (uint32_t)i;
		strcpy(records[i].comm, "older");
	}
	return 0;
}

static void write_some(struct fake_device *device, uint32_t cpus, uint64_t *random)
{
	for (uint64_t n = random_below(random, 1500); n; n--) {
		device->now += random_below(random, 3);
		fake_device_write(device, random_below(random, cpus), device->now);
	}
}

void record_run(const struct run_options *options, const char *path, struct log *log)
{
	struct fake_device *device = fake_device_new(options->cpus, options->ring);
	uint32_t cpus = options->late ? options->cpus - 1 : options->cpus;
	struct proclife_recorder *recorder = NULL;
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .command_status = -1 };
	uint64_t random = options->seed;
	struct proclife_source *source;

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		fake_device_add_ring(device, cpu);
	device->now = 1;
	source = fake_device_open(device);
	snapshot_tasks = options->snapshot;
	if (snapshot_tasks)
		assert_int_equal(proclife_source_snapshot(source), 0);
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), 0);
	for (uint64_t round = 0; round < options->rounds; round++) {
		if (options->late && round == options->rounds / 2)
			fake_device_add_ring(device, cpus++);
		write_some(device, cpus, &random);
		log_source(log, source, random_below(&random, 1000));
		if (options->sync && !random_below(&random, 3))
			assert_int_equal(proclife_recorder_sync(recorder), 0);
	}
	if (options->abandon)
		assert_int_equal(proclife_recorder_sync(recorder), 0);
	run.ended = UINT64_MAX / 4;
	strcpy(run.reason, "signal");
	if (!options->abandon)
		assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
}

void record_hole(const char *path)
{
	const struct run_options options = { .cpus = 1, .ring = 64, .rounds = 2, .seed = 1 };
	char part[2 * PATH_MAX], number[16];
	struct log log = { 0 };

	assert_int_equal(mkdir(path, 0700), 0);
	for (unsigned int i = 1; i <= 3; i += 2) {
		snprintf(part, sizeof(part), "%s/%08u", path, i);
		record_run(&options, part, &log);
		snprintf(number, sizeof(number), "%u", i);
		metadata_set(part, "part", number);
		if (i == 3)
			metadata_set(part, "began", "2");
	}
	log_free(&log);
}

void write_file_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

void expect_file_text(const char *path, const char *text)
{
	char buffer[64] = "";
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	buffer[fread(buffer, 1, sizeof(buffer) - 1, in)] = '\0';
	fclose(in);
	assert_string_equal(buffer, text);
}
