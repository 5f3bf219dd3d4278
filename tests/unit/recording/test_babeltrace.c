// SPDX-License-Identifier: GPL-2.0-only
/* babeltrace2, which knows only the metadata, reads what --record has written. */
#include "live_device.h"
#include "program.h"
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

static bool have_babeltrace(void)
{
	return !system("babeltrace2 --version >/dev/null 2>&1");
}

/* Another program reads all records, under the names that it expects. */
static void test_babeltrace(void **state)
{
	static const char *const fields[] = {
		"sched_process_fork: ", "child_comm = \"cc\"", "child_tid = ", "parent_tid = 1",
		"sched_process_exec: ", "filename = \"/bin/sh\"", "sched_process_exit: ",
		"wait_status = 256", "max_rss = 4096", "proclife_reap: ", "reaper_comm = \"init\"",
		"sched_process_free: ", "runtime = 120", "task_rename: ", "newcomm = \"new name\"",
		"old_tid = ", "flags = 0x8", "cpu_id = 2",
	};
	struct output out, own;

	(void)state;
	if (!have_babeltrace())
		skip();
	live_open(128);
	live_bursts();
	own = run_program(false, 0, "%s --device %s --duration 300ms --record %s --events --monotonic", program,
			  live_path, folder.path);
	assert_int_equal(own.status, 3);
	out = run_program(false, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_text(out.text, "\n"),
			 count_text(own.text, "\n") - count_text(own.text, "records lost on"));
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strstr(out.text, fields[i]))
			fail_msg("%s is not in:\n%.3000s", fields[i], out.text);
	free(out.text);
	out = run_program(false, 0, "babeltrace2 -o dummy %s", folder.path);
	assert_int_equal(out.status, 0);
	free(out.text);
	out = run_program(true, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(count_text(out.text, "Tracer discarded"),
			 count_text(own.text, "records lost on"));
	free(out.text);
	/* The time of day comes from the clock's offset. */
	out = run_program(false, 0, "babeltrace2 --clock-seconds %s", folder.path);
	assert_int_equal(strncmp(out.text, "[17000", 6), 0);
	free(out.text);
	out = run_program(false, 0, "cat %s/metadata", folder.path);
	assert_non_null(strstr(out.text, "\toffset_s = 1700000000;\n\toffset = 123456789;\n"));
	/* Numbers that can be negative are signed. */
	assert_non_null(strstr(out.text, " s32 sig; s32 code; s32 result; "));
	free(out.text);
	free(own.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_babeltrace),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
