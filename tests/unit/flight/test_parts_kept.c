// SPDX-License-Identifier: GPL-2.0-only
// WRAP: renameat closedir
// WRAP: proclife_compressor_new
/* A recording that keeps the latest: parts that are removed while they are read, killed recorders, bounds. */
#include "check.h"
#include "parted.h"
#include "records.h"

#include <bench/generate.h>
#include <recording/cgroups.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <flight/bygone.h>
#include <recording/parts.h>
#include <recording/recorder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* While it is read, parts are removed: what is missing is counted, and the rest is read. */
static void test_removed_meanwhile(void **state)
{
	const struct proclife_damage *damage;
	struct proclife_source *replayed;
	size_t lost = 0, records = 0, before;
	uint64_t all = 0;

	(void)state;
	parted_begin(30000, 31);
	for (unsigned int i = 0; i < 40; i++)
		assert_true(parted_go_on(1500));
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	before = live.count;
	replayed = replay(folder.path);
	assert_true(proclife_recording_info(replayed)->running);
	assert_int_equal(log_source(&again, replayed, 1000), 1);
	for (unsigned int i = 0; i < 18; i++)
		assert_true(parted_go_on(1500));
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	damage = proclife_recording_damage(replayed, 0);
	assert_non_null(damage);
	for (size_t i = 0; (damage = proclife_recording_damage(replayed, i)); i++) {
		assert_string_equal(damage->what, "removed by the recorder while this was read");
		assert_true(damage->unread && !damage->estimated);
		all += damage->lost;
	}
	for (size_t i = 0; i < again.count; i++) {
		if (!again.records[i].type)
			lost += again.records[i].words[0];
		else
			records++;
	}
	assert_int_equal(lost, all);
	assert_true(lost > 0);
	/* The first part, and the last ones as they were at the time. */
	for (size_t i = 0; i < again.count; i++)
		records -= again.records[i].type && again.records[i].ts < proclife_recording_info(replayed)->began;
	assert_true(records + lost <= before);
	assert_memory_equal(&again.records[again.count - 1], &live.records[before - 1], sizeof(*live.records));
	proclife_source_free(replayed);
	while (parted_go_on(5000))
		;
	parted_end();
}

static void touch(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void make_dir(const char *dir, const char *name, char path[PATH_MAX + 64])
{
	snprintf(path, PATH_MAX + 64, "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* A user keeps a file in each part: it stays, and the part goes. */
static void test_not_ours(void **state)
{
	char run_path[PATH_MAX], path[PATH_MAX + 64];

	(void)state;
	parted_begin(30000, 81);
	parted_run_path(run_path);
	for (unsigned int number = 1; parted_go_on(1500);) {
		snprintf(path, sizeof(path), "%s/%08u", run_path, number);
		if (file_is(path, "metadata")) {
			touch(path, "notes");
			number++;
		}
		assert_true(parted_bytes() <= keep.bytes);
	}
	parted_end();
	assert_false(file_is(run_path, "00000001") || file_is(run_path, "00000002"));
	snprintf(path, sizeof(path), "%s/.being-removed-00000002", run_path);
	assert_true(file_is(path, "notes"));
}

/* The recorder is killed, and another one begins. The first one's parts count, and are removed first. */
static void test_killed(void **state)
{
	char first[PATH_MAX], second[PATH_MAX], path[PATH_MAX + 64];
	struct proclife_source *replayed;

	(void)state;
	parted_begin(60000, 41);
	for (unsigned int i = 0; i < 30; i++)
		assert_true(parted_go_on(1500));
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	proclife_recorder_free(recorder); /* as if it had been killed: it does not come to its end */
	proclife_source_free(parted_source);
	parted_run_path(first);
	replayed = replay(folder.path);
	assert_false(proclife_recording_info(replayed)->complete);
	assert_string_equal(proclife_recording_info(replayed)->reason, "");
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	parted_carried(&again, &live, proclife_recording_info(replayed)->began);
	proclife_source_free(replayed);
	log_free(&again);
	log_free(&live);

	/* In the middle of making a part, and of removing one. */
	make_dir(first, ".being-made", path);
	touch(path, "metadata");
	make_dir(first, ".being-removed-00000007", path);
	touch(path, "cpu_1");
	/* A foreign file stays. */
	touch(folder.path, "notes");
	touch(folder.path, "000000-20261125T075502Z");
	make_dir(folder.path, "000009-20261125T075502", path);
	touch(path, "metadata");

	parted_begin_recording();
	assert_false(file_is(first, ".being-made"));
	assert_false(file_is(first, ".being-removed-00000007"));
	parted_run_path(second);
	assert_true(strcmp(first, second) < 0);
	assert_true(parted_bytes() <= keep.bytes);
	assert_true(parted_go_on(1500));
	assert_true(file_is(folder.path, strrchr(first, '/') + 1));
	while (parted_go_on(1500))
		assert_true(parted_bytes() <= keep.bytes);
	parted_end_recording();
	assert_false(file_is(folder.path, strrchr(first, '/') + 1));
	assert_true(file_is(folder.path, "notes"));
	assert_true(file_is(path, "metadata"));
	replayed = replay(folder.path); /* the latest run */
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	parted_carried(&again, &live, proclife_recording_info(replayed)->began);
	proclife_source_free(replayed);
	fake_device_free(parted_device);
	trace_free(generated);
}

/* Called once: when a part has ended and the next one is not there yet; when a folder has been listed. */
static int (*between_parts)(void);
static void (*after_listing)(void);

int __real_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __real_closedir(DIR *dir);
int __wrap_closedir(DIR *dir);

int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new)
{
	int (*act)(void) = between_parts;
	uint32_t number;

	if (act && proclife_is_part_name(new, &number) && number > 1) {
		between_parts = NULL;
		errno = act();
		if (errno)
			return -1;
	}
	return __real_renameat(old_dir, old, new_dir, new);
}

int __wrap_closedir(DIR *dir)
{
	void (*act)(void) = after_listing;
	int ret = __real_closedir(dir);

	after_listing = NULL;
	if (act)
		act();
	return ret;
}

/* The last part ended because another one follows, which is not there: so nothing is known of the end. */
static void expect_no_end(bool running)
{
	struct proclife_source *replayed = replay(folder.path);
	const struct proclife_run_info *info = proclife_recording_info(replayed);
	struct proclife_source *last;
	char path[PATH_MAX + 64];

	assert_true(!info->complete && info->running == running);
	assert_int_equal(info->ended, 0);
	assert_string_equal(info->reason, "");
	log_free(&again);
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	assert_null(proclife_recording_damage(replayed, 0));
	assert_int_equal(proclife_source_horizon(replayed), info->synced);
	assert_true(again.records[again.count - 1].ts < info->synced + !running);
	check_slice(folder.path, &again);

	/* As it is read alone, this part is complete. */
	parted_run_path(path);
	snprintf(path + strlen(path), 16, "/%08u", info->part + info->parts - 1);
	last = replay(path);
	assert_true(proclife_recording_info(last)->complete);
	assert_string_equal(proclife_recording_info(last)->reason, "part");
	assert_int_equal(proclife_recording_info(last)->ended, info->synced);
	proclife_source_free(last);
	proclife_source_free(replayed);
}

static int read_it(void)
{
	expect_no_end(true);
	return 0;
}

static int break_off(void)
{
	return EIO;
}

/* A recorder is read, and another time killed, when a part has ended and the next one is not there yet. */
static void test_between_parts(void **state)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(100, "late");

	(void)state;
	parted_begin(60000, 121);
	for (unsigned int i = 0; i < 3; i++) {
		between_parts = read_it; /* after one part, and after more */
		while (between_parts)
			assert_true(parted_go_on(1500));
	}
	between_parts = break_off;
	recorder->part_bytes = 0;
	*fake_device_begin(parted_device, 0) = fork_record(parted_device->now++, &who, &init);
	proclife_ring_commit(&parted_device->rings[0], PROCLIFE_FORK);
	assert_int_equal(log_source(&live, parted_source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_error(recorder), -EIO);
	expect_no_end(false); /* it makes no more */
	proclife_recorder_free(recorder);
	expect_no_end(false);
	proclife_source_free(parted_source);
	fake_device_free(parted_device);
	trace_free(generated);
}

static void make_more_parts(void)
{
	uint32_t number = proclife_parts_number(recorder->parts);

	while (proclife_parts_number(recorder->parts) < number + 2)
		assert_true(parted_go_on(1500));
	assert_int_equal(proclife_recorder_sync(recorder), 0);
}

/* A reader has listed the parts, and then the last one of them ends, and another one. */
static void test_listed_too_early(void **state)
{
	const struct proclife_run_info *info;
	struct proclife_source *replayed;
	char path[PATH_MAX];

	(void)state;
	parted_begin(60000, 131);
	for (unsigned int i = 0; i < 10; i++)
		assert_true(parted_go_on(1500));
	parted_run_path(path);
	after_listing = make_more_parts;
	replayed = replay(path);
	assert_null(after_listing);
	info = proclife_recording_info(replayed);
	assert_true(info->running && !info->complete);
	assert_int_equal(info->part + info->parts - 1, proclife_parts_number(recorder->parts));
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	assert_null(proclife_recording_damage(replayed, 0));
	parted_carried(&again, &live, info->began);
	proclife_source_free(replayed);
	parted_end();
}

static int try_keep(const char *path)
{
	struct proclife_recorder *other_recorder;
	struct proclife_source *other_source = fake_device_open(parted_device);
	int ret = proclife_recorder_keep(&other_recorder, other_source, path, &parted_run, &keep);

	if (!ret)
		proclife_recorder_free(other_recorder);
	proclife_source_free(other_source);
	return ret;
}

static void test_refused(void **state)
{
	char path[PATH_MAX];

	(void)state;
	parted_begin(100, 51);
	assert_int_equal(try_keep(folder.path), -EBUSY);
	assert_true(file_is(folder.path, "000001") == false);
	keep.bytes--;
	snprintf(path, sizeof(path), "%s/other", folder.base);
	assert_int_equal(try_keep(path), -ERANGE);
	assert_false(file_is(folder.base, "other"));
	keep.bytes++;
	keep.size--;
	assert_int_equal(try_keep(path), -EINVAL);
	keep.size++;
	assert_int_equal(try_keep(path), 0);
	/* A recording is no folder for parts, nor is a part. */
	parted_run_path(path);
	strcat(path, "/00000001");
	assert_int_equal(try_keep(path), -ENOTEMPTY);
	assert_int_equal(try_keep("/dev/null/x"), -ENOTDIR);
	while (parted_go_on(1000))
		;
	parted_end();
}

/* Parts older than allowed are removed, even if there is room. */
static void test_age(void **state)
{
	struct proclife_source *replayed;
	uint64_t began;

	(void)state;
	parted_begin(20000, 61);
	assert_true(parted_go_on(1000));
	parted_end_recording();
	keep.age = 60000000; /* 60 ms */
	usleep(70000);
	parted_begin_recording();
	assert_true(parted_go_on(100));
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	log_free(&live);
	for (unsigned int i = 0; i < 200 && parted_go_on(300); i++) {
		usleep(1000);
		assert_int_equal(proclife_recorder_sync(recorder), 0);
	}
	usleep(70000);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	parted_end_recording();
	replayed = replay(folder.path);
	began = proclife_recording_info(replayed)->began;
	assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
	/* The whole recording took longer than the time that is kept. */
	assert_true(again.count < live.count);
	parted_carried(&again, &live, began);
	proclife_source_free(replayed);
	fake_device_free(parted_device);
	trace_free(generated);
}

static void set_time(const char *dir, unsigned int number, time_t when)
{
	const struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%08u/metadata", dir, number);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The clock was ahead when the first part ended: other parts still become too old. */
static void test_age_of_a_wrong_clock(void **state)
{
	char first[PATH_MAX];
	time_t now = time(NULL);

	(void)state;
	parted_begin(20000, 91);
	for (unsigned int i = 0; i < 12; i++)
		assert_true(parted_go_on(1500));
	parted_end_recording();
	log_free(&live);
	parted_run_path(first);
	set_time(first, 1, now + 10000);
	set_time(first, 2, now - 1000);
	keep.age = 500 * UINT64_C(1000000000);
	keep.bytes <<= 4;
	parted_begin_recording();
	assert_true(file_is(first, "00000002"));
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	assert_false(file_is(first, "00000001") || file_is(first, "00000002"));
	assert_true(file_is(first, "00000003"));
	while (parted_go_on(5000))
		;
	parted_end();
}

static uint64_t lost_in(const struct log *log)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < log->count; i++)
		lost += log->records[i].type ? 0 : log->records[i].words[0];
	return lost;
}

/* Stands between the device and the recorder: after @takes, a part ends and a CPU overruns its ring. */
struct hurry {
	struct proclife_listener listener; /* first */
	struct proclife_listener *recorder;
	unsigned int takes; /* left until then */
};

static void hurry(struct proclife_listener *listener, struct proclife_stream *stream)
{
	struct hurry *h = (struct hurry *)listener;
	uint64_t bytes = recorder->part_bytes;
	uint32_t part = recorder->metadata.run.part;

	recorder->part_bytes = h->takes-- ? bytes : 0;
	h->recorder->take(h->recorder, stream);
	if (!recorder->part_bytes) {
		assert_int_equal(recorder->metadata.run.part, part + 1);
		for (unsigned int i = 0; i < 70000; i++)
			fake_device_write(parted_device, stream->order, parted_device->now + i);
	}
	recorder->part_bytes = bytes;
}

/* Records that a CPU loses while a part ends are missing in the next one, and count there. */
static void test_lost_while_one_ends(void **state)
{
	(void)state;
	for (unsigned int takes = 0; takes < 8; takes++) {
		struct hurry h = { .listener.take = hurry, .takes = takes };
		struct proclife_source *replayed;

		parted_begin(60000, 71 + takes);
		keep.bytes <<= 5;
		parted_end_recording();
		log_free(&live);
		parted_begin_recording();
		assert_true(parted_go_on(5000));
		h.recorder = parted_source->listener;
		parted_source->listener = &h.listener;
		assert_true(parted_go_on(20000));
		parted_device->now += 70000;
		assert_int_equal(log_source(&live, parted_source, UINT64_MAX), 0);
		assert_true(recorder->bygone->lives.used > 0);
		assert_true(recorder->bygone->gap_to > 0); /* whichever part it is in */
		parted_end();
		assert_true(lost_in(&live) > 0);
		replayed = replay(folder.path);
		assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
		assert_int_equal(lost_in(&again), lost_in(&live));
		assert_int_equal(proclife_recording_info(replayed)->lost, lost_in(&live));
		proclife_source_free(replayed);
		log_free(&live);
		log_free(&again);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

#define LONG_PATH 3900

/* Open processes, each in a cgroup of its own, and their paths. */
static void put_in_cgroups(uint32_t first, uint32_t many)
{
	struct who parent = process_of_pid(1, "init");
	char path[LONG_PATH + 1];

	for (uint32_t i = first; i < first + many; i++) {
		struct who child = process_of_pid(100000 + i, "sleep");
		struct proclife_record fork = fork_record(parted_device->now++, &child, &parent);

		snprintf(path, sizeof(path), "/%0*u", LONG_PATH - 1, i);
		assert_int_equal(proclife_cgroups_add(recorder->cgroups, i, path), 0);
		fork.fork.cgroup = i;
		*fake_device_begin(parted_device, 0) = fork;
		proclife_ring_commit(&parted_device->rings[0], PROCLIFE_FORK);
	}
	assert_int_equal(log_source(&live, parted_source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
}

/* Does the kept recording have the cgroup's path, or only its number? */
static bool has_path(uint64_t id)
{
	struct proclife_cgroups *cgroups;
	bool has;

	assert_int_equal(proclife_cgroups_new(&cgroups, folder.path, NULL), 0);
	has = proclife_cgroups_path(cgroups, id);
	proclife_cgroups_free(cgroups);
	return has;
}

/*
 * Open lives have longer paths than fit in a part: each part takes as many records as without them. The
 * first cgroups keep their paths, and so do new ones.
 */
static void test_long_names(void **state)
{
	uint32_t parts;

	(void)state;
	parted_begin(20000, 101);
	put_in_cgroups(1000, 1000);
	assert_true(1000 * LONG_PATH > recorder->part_bytes);
	while (parted_go_on(1500))
		;
	parts = proclife_parts_number(recorder->parts);
	assert_true(parts > 16);
	assert_true(live.count * sizeof(*live.records) > (parts - 1) * recorder->part_bytes * 6 / 10);
	assert_true(has_path(1000));
	assert_false(has_path(1999) || proclife_cgroups_known(recorder->cgroups, 1999));
	assert_true(recorder->cgroups_end < recorder->names_bytes / 2 + 2 * LONG_PATH);
	put_in_cgroups(2000, 10);
	assert_true(has_path(2009));
	put_in_cgroups(3000, 1000);
	assert_true(recorder->cgroups_end < recorder->names_bytes + 2 * LONG_PATH);
	parted_end();
}

/* New cgroups have long names, too, and all of them fit within the bounds. */
static void test_long_names_within_bounds(void **state)
{
	uint64_t most = 0;

	(void)state;
	parted_begin(12000, 111);
	recorder->names_bytes = keep.bytes / 8;
	for (uint32_t round = 0; parted_go_on(1500); round++) {
		put_in_cgroups(1000 + 100 * round, 100);
		most = recorder->cgroups_end > most ? recorder->cgroups_end : most;
		assert_true(parted_bytes() <= keep.bytes);
	}
	assert_true(most > recorder->names_bytes && most < recorder->names_bytes + 2 * LONG_PATH);
	parted_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_removed_meanwhile),
		RECORDED(test_not_ours),
		RECORDED(test_killed),
		RECORDED(test_between_parts),
		RECORDED(test_listed_too_early),
		RECORDED(test_refused),
		RECORDED(test_age),
		RECORDED(test_age_of_a_wrong_clock),
		RECORDED(test_lost_while_one_ends),
		RECORDED(test_long_names),
		RECORDED(test_long_names_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
