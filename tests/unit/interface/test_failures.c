// SPDX-License-Identifier: GPL-2.0-only
// WRAP: failing
/* Memory allocations and system calls of the library fail, one after the other. */
#include "failing.h"
#include "recorded.h"
#include "records.h"

#include <device/device.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(uint64_t digest, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	while (size--)
		digest = (digest ^ *bytes++) * 0x100000001b3;
	return digest;
}

static uint64_t hash_number(uint64_t digest, uint64_t number)
{
	return hash(digest, &number, sizeof(number));
}

static uint64_t hash_tree(uint64_t digest, const struct proclife_node *node)
{
	for (; node; node = node->next) {
		digest = hash_number(digest, node->tgid);
		digest = hash(digest, node->comm, strlen(node->comm));
		if (node->path)
			digest = hash(digest, node->path, strlen(node->path));
		if (node->args)
			digest = hash(digest, node->args, node->args_bytes);
		if (node->common->killer)
			digest = hash_number(digest, node->common->killer->signo);
		digest = hash_tree(digest, node->child);
	}
	return digest;
}

static uint64_t hash_groups(uint64_t digest, const struct proclife_latency *latency)
{
	const struct proclife_group *group;

	for (size_t i = 0; (group = proclife_latency_group(latency, i)); i++) {
		digest = hash(digest, group->name, strlen(group->name));
		digest = hash(digest, proclife_group_counts(group),
			      sizeof(struct proclife_latency_counts));
	}
	return digest;
}

static uint64_t hash_reapers(uint64_t digest, const struct proclife_reapers *reapers)
{
	const struct proclife_reaper *reaper;

	for (size_t i = 0; (reaper = proclife_reapers_get(reapers, i)); i++) {
		digest = hash_number(digest, reaper->tgid);
		digest = hash_number(digest, reaper->reaped);
	}
	return digest;
}

static uint64_t hash_cgroup_end(uint64_t digest, const struct proclife_cgroup_end *end)
{
	if (!end)
		return digest;
	digest = hash_number(digest, end->processes);
	return hash_number(digest, end->reaped);
}

/* The results of lives, as programs use them. */
struct results {
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	struct proclife_latency *latency;
	struct proclife_latency *sum; /* of latency, twice */
	struct proclife_reapers *reapers;
	struct proclife_cgroup_ends *ends;
	int err;
};

static void keep_first(int *err, int ret)
{
	if (!*err && ret < 0)
		*err = ret;
}

static void results_begin(struct results *results)
{
	*results = (struct results){ 0 };
	results->err = proclife_tasks_new(&results->tasks, NULL);
	if (results->err)
		return;
	keep_first(&results->err, proclife_tasks_select_pid(results->tasks, 100));
	keep_first(&results->err, proclife_tree_new(&results->tree, results->tasks));
	keep_first(&results->err, proclife_latency_new(&results->latency, results->tasks, false));
	if (results->latency)
		keep_first(&results->err,
			   proclife_latency_group_by(results->latency, PROCLIFE_BY_CPU));
	keep_first(&results->err, proclife_reapers_new(&results->reapers, results->tasks));
	keep_first(&results->err, proclife_cgroup_ends_new(&results->ends, results->tasks));
}

/* Goes on after an error, as a program might. */
static void results_feed(struct results *results, const struct proclife_event *event)
{
	if (results->tasks)
		keep_first(&results->err, proclife_tasks_feed(results->tasks, event));
}

static void results_add_up(struct results *results)
{
	struct proclife_latency *sum;

	keep_first(&results->err, proclife_latency_new(&results->sum, results->tasks, false));
	sum = results->sum;
	if (!sum)
		return;
	keep_first(&results->err, proclife_latency_group_by(sum, PROCLIFE_BY_CPU));
	for (int i = 0; i < 2 && !results->err; i++)
		keep_first(&results->err, proclife_latency_merge(sum, NULL, results->latency, NULL));
}

static uint64_t hash_phases(uint64_t digest, const struct proclife_latency *latency)
{
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++)
		digest = hash_number(digest, proclife_histogram_count(proclife_latency_phase(latency, phase)));
	return digest;
}

static void results_end(struct results *results, uint64_t *digest)
{
	struct proclife_latency_counts counts;

	if (results->tasks)
		keep_first(&results->err, proclife_tasks_close(results->tasks));
	if (!results->err)
		results_add_up(results);
	if (!results->err) {
		*digest = hash_tree(*digest, proclife_tree_roots(results->tree));
		counts = *proclife_latency_counts(results->latency);
		*digest = hash(*digest, &counts, sizeof(counts));
		*digest = hash_groups(*digest, results->latency);
		*digest = hash_groups(*digest, results->sum);
		*digest = hash_phases(*digest, results->sum);
		*digest = hash_cgroup_end(*digest, proclife_cgroup_ends_get(results->ends, 77));
	}
	if (results->reapers)
		*digest = hash_reapers(*digest, results->reapers);
	proclife_cgroup_ends_free(results->ends);
	proclife_reapers_free(results->reapers);
	proclife_latency_free(results->latency);
	proclife_latency_free(results->sum);
	proclife_tree_free(results->tree);
	proclife_tasks_free(results->tasks);
}

/* More lives at once than any table's initial size. */
#define LIVES 3000

static struct proclife_record *story;
static size_t story_count;

static void tell(struct proclife_record record)
{
	story = realloc(story, (story_count + 1) * sizeof(*story));
	assert_non_null(story);
	story[story_count++] = record;
}

static void tell_args(uint64_t ts, const struct who *who)
{
	for (unsigned int piece = 0; piece < 2; piece++) {
		struct proclife_record record = record_of(ts, PROCLIFE_ARGS, who);

		record.args.total = 2 * PROCLIFE_ARGS_LEN;
		record.args.offset = piece * PROCLIFE_ARGS_LEN;
		record.args.len = PROCLIFE_ARGS_LEN;
		memset(record.args.text, 'a' + (int)piece, PROCLIFE_ARGS_LEN);
		tell(record);
	}
}

static void tell_program(uint64_t ts, const struct who *who)
{
	for (unsigned int piece = 0; piece < 2; piece++) {
		struct proclife_record record = record_of(ts, PROCLIFE_PATH, who);

		record.path.what = PROCLIFE_PATH_EXE;
		record.path.total = 2 * PROCLIFE_PATH_TEXT;
		record.path.offset = (uint16_t)(piece * PROCLIFE_PATH_TEXT);
		record.path.len = PROCLIFE_PATH_TEXT;
		memset(record.path.text, '/', PROCLIFE_PATH_TEXT);
		tell(record);
	}
}

static int tell_story(void **state)
{
	static struct who who[LIVES];
	struct who first = process_of_pid(100, "first"), other = process_of_pid(99, "other");
	uint64_t ts = 1;

	(void)state;
	tell(task_record(ts, &other, &other));
	tell(task_record(ts, &first, &other));
	for (uint32_t i = 0; i < LIVES; i++) {
		static char names[LIVES][PROCLIFE_COMM_LEN];

		snprintf(names[i], sizeof(names[i]), "life %u", i);
		who[i] = process_of_pid(1000 + i, names[i]);
		tell(fork_record(++ts, &who[i], i % 10 ? &first : &who[i - i % 7]));
		if (i % 3 == 0)
			tell(exec_record(++ts, &who[i], 1000 + i, names[i]));
		if (i % 200 == 0) {
			tell_args(ts, &who[i]);
			tell_program(ts, &who[i]);
			tell(signal_record(++ts, &who[i], 9, &other));
			tell(exit_record(++ts, &who[i], 9, 0));
			tell(notify_record(ts, &who[i], &first));
			tell(reap_record(++ts, &who[i], &first));
		}
	}
	for (uint32_t i = 0; i < LIVES; i += 2)
		tell(free_record(++ts, &who[i]));
	/* The targets of a signal, and a reaper that has not been seen yet. */
	for (uint32_t pid = 50; pid < 55; pid++) {
		struct who unseen = process_of_pid(pid, "unseen");

		tell(signal_record(++ts, &unseen, 15, &other));
		tell(exec_record(++ts, &unseen, pid, "/bin/unseen"));
	}
	return 0;
}

static int forget_story(void **state)
{
	(void)state;
	free(story);
	return 0;
}

static int feed_the_story(uint64_t *digest)
{
	struct results results;

	failing_library(true);
	results_begin(&results);
	for (size_t i = 0; i < story_count; i++) {
		struct proclife_event event = { .record = &story[i] };

		results_feed(&results, &event);
	}
	results_end(&results, digest);
	failing_library(false);
	return results.err;
}

static void test_lives(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, feed_the_story, 50, 0);
	failing_run(FAIL_CALLS, feed_the_story, 17, 17); /* its secrets are random, if it can be */
}

/* Enough different times that the list of the first becomes octaves, and then the list of the other. */
static int histograms(uint64_t *digest)
{
	struct proclife_histogram *histogram = NULL, *other = NULL;
	int err;

	failing_library(true);
	err = proclife_histogram_new(&histogram);
	if (!err)
		err = proclife_histogram_new(&other);
	for (uint64_t i = 0; !err && i < 100; i++)
		err = proclife_histogram_add(histogram, i << i % 32);
	if (!err)
		err = proclife_histogram_merge(other, histogram);
	if (!err)
		*digest = proclife_histogram_count(other);
	proclife_histogram_free(histogram);
	proclife_histogram_free(other);
	failing_library(false);
	return err;
}

static void test_histogram(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, histograms, 20, 0);
}

static int follow(struct proclife_source *source, struct results *results, uint64_t *digest)
{
	struct proclife_event event;
	int ret, err = 0;

	do {
		ret = proclife_source_next(source, &event);
		keep_first(&err, ret);
		if (ret == 1) {
			if (event.record)
				*digest = hash(*digest, event.record, sizeof(*event.record));
			results_feed(results, &event);
		}
	} while (ret == 1);
	return err == -ENODATA ? 0 : err; /* the end of a recording */
}

static void read_clock(struct proclife_clock *clock, void *data)
{
	(void)data;
	clock->now = 1 << 20;
}

/* Recorded live, with a snapshot, from the rings of CPUs of which one comes later. */
static int read_device(uint64_t *digest)
{
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 1, .command_status = -1, .ended = 1 << 20,
	};
	struct fake_device *device = fake_device_new(12, 16);
	struct proclife_recorder *recorder = NULL;
	struct proclife_source *source = NULL;
	struct proclife_fault fault;
	struct results results;
	struct log log = { 0 };
	struct folder folder;
	int err, replayed;

	folder_make(&folder);
	for (uint32_t cpu = 0; cpu < 11; cpu++)
		fake_device_add_ring(device, cpu);
	snapshot_tasks = 20;
	failing_library(true);
	err = proclife_device_open(&source, device->path);
	results_begin(&results);
	if (!err) {
		proclife_device_set_clock(source, read_clock, NULL);
		keep_first(&err, proclife_source_snapshot(source));
		keep_first(&err, proclife_recorder_new(&recorder, source, folder.path, &run));
	}
	for (uint64_t round = 0; source && round < 4; round++) {
		if (round == 2)
			fake_device_add_ring(device, 11);
		for (uint32_t cpu = 0; cpu < (round < 2 ? 11 : 12); cpu++)
			for (uint64_t n = 0; n < 10; n++)
				fake_device_write(device, cpu, 100 * round + n);
		keep_first(&err, follow(source, &results, digest));
	}
	if (recorder) {
		keep_first(&err, proclife_recorder_sync(recorder));
		keep_first(&err, proclife_recorder_finish(recorder, &run));
		keep_first(&err, proclife_recorder_error(recorder));
	}
	proclife_recorder_free(recorder);
	results_end(&results, digest);
	proclife_source_free(source);
	failing_library(false);
	keep_first(&err, results.err);
	/* Whatever has failed, the recording can be opened, or is refused with a reason. */
	assert_false(file_is(folder.path, ".metadata"));
	replayed = try_replay(folder.path, &fault, &log);
	if (!err) {
		assert_int_equal(replayed, 0);
		*digest = hash(*digest, log.records, log.count * sizeof(*log.records));
	}
	log_free(&log);
	fake_device_free(device);
	folder_remove(&folder);
	return err;
}

static void test_device(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, read_device, 60, 0);
	/* Random numbers are optional, and files that are closed after use have nothing left to write. */
	failing_run(FAIL_CALLS, read_device, 40, 30);
	failing_run(INTERRUPT_CALLS, read_device, 20, UINT64_MAX);
	failing_run(CUT_CALLS, read_device, 10, UINT64_MAX);
}

static struct folder recorded;

static int record(void **state)
{
	const struct run_options options = {
		.cpus = 12, .ring = 64, .rounds = 20, .seed = 1, .snapshot = 600, .late = true,
	};
	struct log log = { 0 };

	(void)state;
	folder_make(&recorded);
	record_run(&options, recorded.path, &log);
	log_free(&log);
	return 0;
}

static int remove_recording(void **state)
{
	(void)state;
	folder_remove(&recorded);
	return 0;
}

static int read_recording(uint64_t *digest)
{
	struct proclife_source *source = NULL;
	struct proclife_fault fault = { .text = "" };
	struct results results;
	int err;

	failing_library(true);
	err = proclife_recording_open(&source, recorded.path, &fault);
	if (err) {
		failing_library(false);
		assert_int_not_equal(fault.text[0], 0);
		assert_true(err != -ENOMEM || strstr(fault.text, "cannot read: "));
		assert_null(source);
		return err;
	}
	results_begin(&results);
	err = follow(source, &results, digest);
	/* What cannot be read from the disk is damage, and the rest is read. */
	if (proclife_recording_damage(source, 0))
		keep_first(&err, -EIO);
	results_end(&results, digest);
	keep_first(&err, results.err);
	proclife_source_free(source);
	failing_library(false);
	return err;
}

static void test_recording(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, read_recording, 20, 0);
	failing_run(FAIL_CALLS, read_recording, 40, 30);
	failing_run(INTERRUPT_CALLS, read_recording, 1, UINT64_MAX);
	failing_run(CUT_CALLS, read_recording, 1, UINT64_MAX);
}

/* Slices all of it: the slice is complete if nothing has failed, and otherwise does not look complete. */
static int slice_recording(uint64_t *digest)
{
	struct proclife_recorder *recorder = NULL;
	struct proclife_source *source = NULL;
	struct proclife_run_info run;
	struct proclife_event event;
	struct proclife_fault fault;
	struct log log = { 0 };
	struct folder folder;
	int err, ret = 0, replayed;

	folder_make(&folder);
	failing_library(true);
	err = proclife_recording_open(&source, recorded.path, &fault);
	if (!err) {
		run = *proclife_recording_info(source);
		err = proclife_recorder_slice(&recorder, source, recorded.path, folder.path, &run);
	}
	while (recorder && !err && ret >= 0) {
		ret = proclife_source_next(source, &event);
		if (ret == 1)
			err = proclife_recorder_add(recorder, &event);
	}
	if (ret < 0 && ret != -ENODATA)
		keep_first(&err, ret);
	if (recorder && !err)
		err = proclife_recorder_finish(recorder, &run);
	proclife_recorder_free(recorder);
	if (source && proclife_recording_damage(source, 0))
		keep_first(&err, -EIO);
	proclife_source_free(source);
	failing_library(false);
	replayed = try_replay(folder.path, &fault, &log);
	if (!err) {
		assert_int_equal(replayed, 0);
		*digest = hash(*digest, log.records, log.count * sizeof(*log.records));
	}
	log_free(&log);
	folder_remove(&folder);
	return err;
}

static void test_slice(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, slice_recording, 30, 0);
	failing_run(FAIL_CALLS, slice_recording, 60, 60);
	failing_run(INTERRUPT_CALLS, slice_recording, 10, UINT64_MAX);
	failing_run(CUT_CALLS, slice_recording, 10, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lives, tell_story, forget_story),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_device),
		cmocka_unit_test_setup_teardown(test_recording, record, remove_recording),
		cmocka_unit_test_setup_teardown(test_slice, record, remove_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
