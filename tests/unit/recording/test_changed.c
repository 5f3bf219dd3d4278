// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream's file that is changed or cut while it is read: what was checked is yielded, and what is gone
 * counts as damage.
 */
#include "recorded.h"

#include <recording/ctf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int make(bool complete)
{
	struct run_options options = {
		.cpus = 1, .ring = 16384, .rounds = 5, .seed = 5, .abandon = !complete,
	};

	folder_make(&folder);
	record_run(&options, folder.path, &live);
	assert_true(live.count > 3 * PROCLIFE_CTF_RECORDS);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	return make(true);
}

static int begin_unfinished(void **state)
{
	(void)state;
	return make(false);
}

/* Gives the record at this position of the stream an unknown type. */
static void spoil(uint64_t position)
{
	uint64_t slot = position + position / PROCLIFE_CTF_RECORDS + 1; /* packets are full but the last */
	off_t at = (off_t)(slot * sizeof(struct proclife_record) +
			   offsetof(struct proclife_record, type));
	uint16_t none = PROCLIFE_NONE;

	file_patch(folder.path, "cpu_0", at, &none, sizeof(none));
}

static void test_what_was_checked(void **state)
{
	struct proclife_source *source = replay(folder.path);
	struct proclife_event event;
	size_t index = 0, gaps = 0, yielded = 0;

	(void)state;
	while (proclife_source_next(source, &event) == 1) {
		if (!event.record) { /* the log has one for a loss of the recorder's */
			gaps += !live.records[index].type;
			index += live.records[index].type ? event.gap.lost : 1;
			continue;
		}
		assert_memory_equal(event.record, &live.records[index], sizeof(*event.record));
		/* The record in use, and the next: if that was checked already, it is yielded. */
		spoil(index - gaps);
		if (index + 1 < live.count)
			spoil(index - gaps + 1);
		assert_memory_equal(event.record, &live.records[index], sizeof(*event.record));
		index++;
		yielded++;
	}
	assert_int_equal(index, live.count);
	assert_in_range(yielded, live.count / 2, live.count - gaps - 1); /* some were changed before */
	proclife_source_free(source);
}

/* Yields @most events at most; returns how many of them were records. */
static uint64_t read_some(struct proclife_source *source, uint64_t most, int *ret)
{
	struct proclife_event event;
	uint64_t yielded = 0;

	while (most-- && (*ret = proclife_source_next(source, &event)) == 1)
		yielded += event.record != NULL;
	return yielded;
}

/* Reads @before events, then cuts the file. Complete or not, the rest is damage. */
static void cut_behind(uint64_t before, off_t size, bool complete)
{
	struct proclife_source *source = replay(folder.path);
	const struct proclife_damage *damage;
	uint64_t yielded;
	int ret = 1;

	yielded = read_some(source, before, &ret);
	assert_int_equal(ret, 1);
	file_cut(folder.path, "cpu_0", size);
	yielded += read_some(source, UINT64_MAX, &ret);
	assert_int_equal(ret, -ENODATA);
	damage = proclife_recording_damage(source, 0);
	assert_non_null(damage);
	assert_int_equal(damage->estimated, !complete);
	assert_true(yielded >= before && yielded < live.count);
	if (complete)
		assert_int_equal(yielded + damage->lost, live.count);
	else
		assert_in_range(yielded + damage->lost, live.count, live.count + 31); /* a page */
	proclife_source_free(source);
}

static void cut_everywhere(bool complete)
{
	off_t size = file_size(folder.path, "cpu_0");
	struct folder kept = folder;

	strcat(kept.path, ".kept");
	assert_int_equal(rename(folder.path, kept.path), 0);
	assert_int_equal(mkdir(folder.path, 0700), 0);
	copy_file(kept.path, folder.path, "metadata");
	for (uint64_t before = 1; before < live.count - PROCLIFE_CTF_RECORDS; before += 301)
		for (off_t at = 0; at < size - 4096; at += 12345) {
			copy_file(kept.path, folder.path, "cpu_0");
			cut_behind(before, at, complete);
		}
}

static void test_cut(void **state)
{
	(void)state;
	cut_everywhere(true);
}

static void test_cut_unfinished(void **state)
{
	(void)state;
	cut_everywhere(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_was_checked, begin, recorded_teardown),
		cmocka_unit_test_setup_teardown(test_cut, begin, recorded_teardown),
		cmocka_unit_test_setup_teardown(test_cut_unfinished, begin_unfinished, recorded_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
