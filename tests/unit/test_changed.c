// SPDX-License-Identifier: GPL-2.0-only
/* A stream's file that is changed while it is read: what is yielded is what was checked. */
#include "recorded.h"

#include <ctf.h>
#include <string.h>

static struct folder folder;
static struct log live;

static int begin(void **state)
{
	struct run_options options = { .cpus = 1, .ring = 4096, .rounds = 1, .seed = 5 };

	(void)state;
	folder_make(&folder);
	record_run(&options, folder.path, &live);
	assert_true(live.count > 60);
	return 0;
}

static int end(void **state)
{
	(void)state;
	log_free(&live);
	folder_remove(&folder);
	return 0;
}

/* The record at this position of the stream gets a type that there is not. */
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
		/* The one that is in use, and the next: if that was checked already, it is yielded. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_was_checked, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
