// SPDX-License-Identifier: GPL-2.0-only
/* Programs of other versions, and recordings that are replayed in one call. */
#include "story.h"

#include <errno.h>
#include <string.h>

static struct proclife_tasks *lives;
static unsigned int gone;

static void process_gone(void *data, struct proclife_process *process)
{
	(void)data;
	(void)process;
	gone++;
}

/* A structure of a later version, with room for a member that this library does not know. */
struct later_reports {
	struct proclife_reports reports;
	uint64_t more;
};

static void test_reports_of_other_versions(void **state)
{
	struct later_reports later = { .reports = { .size = sizeof(later) } };
	struct proclife_reports none = { .size = 1 };

	(void)state;
	assert_int_equal(proclife_tasks_new(&lives, NULL), 0);
	assert_int_equal(proclife_tasks_report(lives, &none, NULL), -EINVAL);
	none.size = sizeof(none) - 1;
	assert_int_equal(proclife_tasks_report(lives, &none, NULL), -EINVAL);
	assert_int_equal(proclife_tasks_report(lives, &later.reports, NULL), 0);
	later.more = 1ULL << 56;
	assert_int_equal(proclife_tasks_report(lives, &later.reports, NULL), -E2BIG);
	proclife_tasks_free(lives);
}

static void test_run_of_other_versions(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct {
		struct proclife_run_info run;
		uint64_t more;
	} later = { .run = { .size = sizeof(later), .began = 1 } };
	struct proclife_recorder *recorder;
	struct proclife_source *source;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	later.run.size = 0;
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &later.run), -EINVAL);
	later.run.size = sizeof(later);
	later.more = 1;
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &later.run), -E2BIG);
	later.more = 0;
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &later.run), 0);
	later.run.ended = 2;
	later.more = 1;
	assert_int_equal(proclife_recorder_finish(recorder, &later.run), -E2BIG);
	later.more = 0;
	assert_int_equal(proclife_recorder_finish(recorder, &later.run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_int_equal(proclife_recording_info(source)->size, sizeof(struct proclife_run_info));
	proclife_source_free(source);
	fake_device_free(device);
}

static void tell(unsigned int processes)
{
	struct who init = process_of_pid(1, "init"), who;

	for (unsigned int i = 0; i < processes; i++) {
		who = process_of_pid(100 + i, "x");
		story_live(&who, &init, MS, MS, MS);
	}
	who = story_fork(&init, 99, "open");
}

static int count_three(void *data, const struct proclife_event *event)
{
	unsigned int *count = data;

	assert_non_null(event->record);
	return ++*count == 3 ? -ECANCELED : 0;
}

static int replay_it(int (*each)(void *data, const struct proclife_event *event), void *data)
{
	static const struct proclife_reports reports = { .size = sizeof(reports),
							 .process_gone = process_gone };
	struct proclife_source *source = replay(folder.path);
	int ret;

	gone = 0;
	assert_int_equal(proclife_tasks_new(&lives, source), 0);
	assert_int_equal(proclife_tasks_report(lives, &reports, NULL), 0);
	ret = proclife_tasks_replay(lives, each, data);
	proclife_tasks_free(lives);
	proclife_source_free(source);
	return ret;
}

static void test_replay_whole(void **state)
{
	unsigned int count = 0;

	(void)state;
	tell(4);
	story_end();
	assert_int_equal(replay_it(NULL, NULL), 0);
	assert_int_equal(gone, 4 + 2); /* one is open at the end, and so is init */
	assert_int_equal(replay_it(count_three, &count), -ECANCELED);
	assert_int_equal(count, 3);
	assert_int_equal(gone, 0);
}

/* Its recorder did not finish: what is there is fed all the same. */
static void test_replay_cut(void **state)
{
	(void)state;
	tell(2);
	story_sync();
	story_abandon();
	assert_int_equal(replay_it(NULL, NULL), 1);
	assert_int_equal(gone, 2 + 2);
}

static void note_state(void *data, struct proclife_process *process)
{
	if (process->tgid == 100)
		*(int *)data = (int)proclife_process_state(process);
}

/* If REAPs are not recorded, an exited process is not counted as a zombie. */
static void test_replay_without_reap(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports),
							 .process_gone = note_state };
	struct who init = process_of_pid(1, "init"), who;

	(void)state;
	who = story_fork(&init, 100, "x");
	story_exit(&who, &init, 0);
	story_end();
	for (int without = 0; without < 2; without++) {
		struct proclife_source *source;
		int is = -1;

		if (without)
			metadata_set(folder.path, "features", "\"0x7ffbf\"");
		source = replay(folder.path);
		assert_int_equal(proclife_tasks_new(&lives, source), 0);
		assert_int_equal(proclife_tasks_report(lives, &reports, &is), 0);
		assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), 0);
		assert_int_equal(is, without ? PROCLIFE_IS_UNFREED : PROCLIFE_IS_ZOMBIE);
		proclife_tasks_free(lives);
		proclife_source_free(source);
	}
}

static int answer(void *data, const struct proclife_event *event)
{
	(void)event;
	return *(int *)data;
}

/* 1 means that the recording is cut off, and nothing else. */
static void test_replay_ended_by_the_caller(void **state)
{
	int answers[] = { -ECANCELED, 1, 2 };

	(void)state;
	tell(1);
	story_end();
	assert_int_equal(replay_it(answer, &answers[0]), -ECANCELED);
	assert_int_equal(replay_it(answer, &answers[1]), -EINVAL);
	assert_int_equal(replay_it(answer, &answers[2]), -EINVAL);
}

/* Otherwise lives would be missing, or all of them incomplete, without a sign of it. */
static void test_replay_of_what_has_begun(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;

	(void)state;
	tell(2);
	story_end();
	source = replay(folder.path);
	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_int_equal(proclife_tasks_new(&lives, source), 0);
	assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), -EBUSY);
	proclife_tasks_free(lives);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_int_equal(proclife_tasks_new(&lives, source), 0);
	assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), 0);
	assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), -EBUSY);
	proclife_tasks_free(lives);
	proclife_source_free(source);
	/* There is no source to feed them. */
	assert_int_equal(proclife_tasks_new(&lives, NULL), 0);
	assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), -EINVAL);
	proclife_tasks_free(lives);
}

/* A recording was cut off, so its slices are never complete. */
static void test_a_slice_is_finished_once(void **state)
{
	char part[sizeof(folder.base) + 8];
	struct proclife_run_info run = { .size = sizeof(run) };
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;

	(void)state;
	tell(2);
	story_sync();
	story_abandon();
	source = replay(folder.path);
	snprintf(part, sizeof(part), "%s/part", folder.base);
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, part, &run), 0);
	while (proclife_source_next(source, &event) == 1)
		assert_int_equal(proclife_recorder_add(recorder, &event), 0);
	run.ended = proclife_source_horizon(source);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), -EINVAL);
	assert_int_equal(proclife_recorder_sync(recorder), -EINVAL);
	assert_int_equal(proclife_recorder_error(recorder), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(part);
	assert_false(proclife_recording_info(source)->complete);
	proclife_source_free(source);
}

static void test_replay_of_a_device(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_source *source;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_tasks_new(&lives, source), 0);
	assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), -EINVAL);
	proclife_tasks_free(lives);
	proclife_source_free(source);
	fake_device_free(device);
}

static void put(struct fake_device *device, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(device, 0);

	memcpy(slot, &record, sizeof(record));
	fake_device_commit(device, 0);
}

/* The followed command is selected, and not the one that ran beside it, unless another is selected. */
static void test_replay_command(void **state)
{
	struct who shell = process_of_pid(50, "shell"), mine = process_of_pid(60, "mine");
	struct who other = process_of_pid(61, "other");
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .command = 60,
					 .command_creator = 50, .ended = 100 };
	struct proclife_source *source = NULL;
	struct proclife_recorder *recorder;
	struct proclife_event event;

	(void)state;
	fake_device_add_rings(device);
	device->header->features = UINT64_MAX;
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	put(device, fork_record(10, &mine, &shell));
	put(device, fork_record(11, &other, &shell));
	device->now = 100;
	while (proclife_source_next(source, &event) == 1)
		;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
	for (uint32_t pid = 0; pid <= 61; pid += 61) {
		source = replay(folder.path);
		assert_int_equal(proclife_tasks_new(&lives, source), 0);
		if (pid)
			assert_int_equal(proclife_tasks_select_pid(lives, pid), 0);
		assert_int_equal(proclife_tasks_replay(lives, NULL, NULL), 0);
		assert_int_equal(proclife_tasks_selected(lives), 1);
		assert_int_equal(proclife_tasks_missing(lives, 0), 0);
		proclife_tasks_free(lives);
		proclife_source_free(source);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports_of_other_versions),
		RECORDED(test_run_of_other_versions),
		STORY(test_replay_whole),
		STORY(test_replay_cut),
		STORY(test_replay_without_reap),
		STORY(test_replay_ended_by_the_caller),
		STORY(test_replay_of_what_has_begun),
		STORY(test_a_slice_is_finished_once),
		cmocka_unit_test(test_replay_of_a_device),
		RECORDED(test_replay_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
