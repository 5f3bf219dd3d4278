// SPDX-License-Identifier: GPL-2.0-only
/* --live: the screen is correct at each moment and in each size, and keys do what they promise. */
#include "live_device.h"
#include "live_screen.h"
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_zombie(uint32_t pid, const char *comm)
{
	struct who sh = process_of_pid(50, "sh"), who = process_of_pid(pid, comm);

	live_put(0, fork_record(0, &who, &sh));
	live_put(0, exit_record(0, &who, 0, 0));
	live_put(0, notify_record(0, &who, &sh));
}

/* Nothing moves on when frozen; later events would have a time before 0 in it. */
static void test_frozen(void **state)
{
	char options[128], graphs[1024];

	(void)state;
	live_open(4096);
	snprintf(options, sizeof(options), "--device %s", live_path);
	live_begin(80, 24, "C.UTF-8", options);
	SEE("live");
	put_zombie(60, "early");
	press("4");
	SEE("1 zombie");
	usleep(1200000); /* a second is over, and in the graphs */
	press("Space");
	SEE("FROZEN");
	snprintf(graphs, sizeof(graphs), "%s", row(1));
	put_zombie(61, "late");
	usleep(2200000);
	press("2");
	SEE("DEAD CPU");
	assert_string_equal(row(1), graphs);
	SEE("1 zombie");
	press("4");
	SEE("early");
	SEE("1 zombie");
	assert_null(strstr(seen, "late"));
	press("F4 no-such");
	SEE_NOT("early");
	press("Escape");
	SEE("early");
	press("Space");
	SEE("late");
	SEE("2 zombies");
	assert_null(strstr(seen, " h "));
	press("q");
	SEE("end ");
	expect_clean();
}

/* A row of two lines is found as one, and is not cut in half. */
static void test_filter_rows(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("4");
	SEE("undead");
	see_in(8, "wait() since");
	press("F4 'called wait()' Enter");
	SEE("filter called wait()");
	see_in(7, "undead");
	see_in(8, "wait() since");
	press("Home / undead Enter n");
	see_in(7, "undead");
	press("2");
	SEE_NOT("undead");
	press("F4 Escape");
	SEE_NOT("filter");
	press("F4 'zombie for' Enter");
	SEE("filter zombie for");
	see_in(6, "sh  ");
	see_in(7, "1 zombie for");
	DO("resize-window -x 40 -y 6");
	press("F4 Escape");
	SEE_NOT("Filter:");
	press("4");
	see_in(2, "1 zombie");
	see_in(3, "FOR");
	see_in(4, "undead");
	press("q");
	SEE("end 0");
	expect_clean();
}

/* Graphs do not run into each other, and a narrow screen does not leave out what changes. */
static void test_narrow(void **state)
{
	static const unsigned int widths[] = { 73, 50, 40 };
	size_t i;

	(void)state;
	live_tell();
	live_at_end(74, 14, "C.UTF-8");
	SEE("last");
	see_in(1, "most");
	for (i = 0; i < 3; i++) {
		DO("resize-window -x %u -y 14", widths[i]);
		SEE_NOT("most");
		see_in(0, "at its end ×1  0:10 of 0:10 (100 %)");
		see_in(1, "  zombies ");
		assert_string_equal(row(1) + strlen(row(1)) - 2, " 1");
		see_in(2, "  p99 free ");
		SEE("COMMAND");
		SEE("last");
	}
	press("q");
	SEE("end 0");
	expect_clean();
}

/* In another width a page is wrapped again; a life goes on while it is shown. */
static void test_pages(void **state)
{
	struct who sh = process_of_pid(50, "sh"), who = process_of_pid(60, "early");
	struct proclife_record directory = { .type = PROCLIFE_NONE }, freed = freed_record(0, &who, &sh);
	char options[128];

	(void)state;
	live_open(4096);
	snprintf(options, sizeof(options), "--device %s", live_path);
	live_begin(80, 24, "C.UTF-8", options);
	SEE("live");
	live_put(0, fork_record(0, &who, &sh));
	path_record(&directory, &who, PROCLIFE_PATH_CWD, "/srv/www", 8);
	live_put(0, directory);
	live_put(0, exit_record(0, &who, 0, 0));
	live_put(0, notify_record(0, &who, &sh));
	SEE("early");
	press("Enter");
	SEE("now zombie");
	SEE("directory  /srv/www");
	live_put(0, reap_record(0, &who, &sh));
	freed.flags |= PROCLIFE_F_IO;
	freed.free.read_bytes = 40 << 10;
	freed.free.write_bytes = 12 << 10;
	live_put(0, freed);
	SEE("now freed");
	SEE("notified to reaped");
	DO("resize-window -x 80 -y 40");
	SEE("storage    40 KiB read, 12 KiB written");
	press("q h");
	see_in(8, "this text, as it is typed");
	DO("resize-window -x 120 -y 24");
	see_in(8, "the next line with this text, as it is typed");
	DO("resize-window -x 40 -y 24");
	see_in(9, "    line with this text, as it is typed");
	press("q q");
	SEE("end ");
	expect_clean();
}

/* The result of a key is shown as soon as it is read, and not only when no more keys come. */
static void test_steps(void **state)
{
	unsigned int read = 0, i;

	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("Space t 0% Enter");
	SEE("(0 %)");
	for (i = 0; i < 10; i++) {
		press("Right");
		usleep(250000); /* less than from one drawing to the next */
		free(seen);
		seen = ask("capture-pane -p");
		read += !strstr(seen, "reading");
	}
	assert_true(read >= 5);
	press("q");
	SEE("end 0");
}

static void put_life(const struct who *parent, uint32_t pid, const char *comm)
{
	struct who who = story_fork(parent, pid, comm);

	machine->now += 10 * MS;
	story_die(&who, parent, 0, MS, 100);
	story_bury(&who, parent);
}

/* Times of another day do not look like those of today. */
static void test_days(void **state)
{
	struct who sh = process_of_pid(50, "sh");

	(void)state;
	setenv("TZ", "UTC", 1);
	story_put(task_record(0, &sh, &sh));
	put_life(&sh, 70, "first");
	story_at(2 * 86400 * 1000);
	put_life(&sh, 71, "second");
	story_end();
	live_at_end(110, 24, "C.UTF-8");
	SEE("at its end");
	see_in(0, "1970-01-03 00:00:01");
	see_in(6, "1970-01-03  00:00:01.010      71");
	see_in(7, "1970-01-01  00:00:01.010      70");
	press("End Enter");
	SEE("1970-01-01 00:00:01.000000");
	press("q q");
	SEE("end 0");
}

/* The end of long input is visible, where it goes on. */
static void test_typed(void **state)
{
	(void)state;
	live_tell();
	live_at_end(40, 10, "C.UTF-8");
	SEE("1099");
	press("F4 ........................................END");
	see_in(9, "Filter: …");
	see_in(9, ".....END");
	press("Escape");
	SEE_NOT("Filter:");
	press("q");
	SEE("end 0");
}

/* Keys of the table close what is in front of it, since their effect would be hidden. */
static void test_keys_behind(void **state)
{
	static const char *const keys[] = { "n", "N", "f", "f", "I", "I", "P" };
	size_t i;

	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("/ failing Enter");
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		press("F6");
		SEE("Sort deaths by");
		press(keys[i]);
		SEE_NOT("Sort deaths by");
	}
	SEE("by cpu");
	press("q");
	SEE("end 0");
}

/* A percentage is accepted as the screen prints it, too; but it needs a number. */
static void test_percent(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("Space t % Enter");
	SEE("%: not a time");
	press("t 50 Space % Enter");
	SEE("(50 %)");
	press("q");
	SEE("end 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frozen, live_setup, live_device_teardown),
		cmocka_unit_test_setup_teardown(test_pages, live_setup, live_device_teardown),
		cmocka_unit_test_setup_teardown(test_filter_rows, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_narrow, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_steps, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_days, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_typed, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_keys_behind, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_percent, story_setup, live_screen_teardown),
	};

	return find_program() ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
