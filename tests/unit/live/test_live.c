// SPDX-License-Identifier: GPL-2.0-only
/*
 * --live, in a terminal that tmux(1) emulates: what the screen shows, what each key does, and that the
 * terminal is as it was however the program ends.
 */
#include "live_device.h"
#include "live_screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_tables(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("at its end");
	SEE("last");
	see_in(0, "0:10 of 0:10 (100 %)");
	see_in(1, "forks/s");
	see_in(1, "█");
	see_in(2, "deaths/s");
	see_in(3, "busy");
	see_in(4, "[1 Deaths]");
	see_in(5, "STATUS   COMMAND");
	see_in(6, "last");
	see_in(7, "odd");
	see_in(8, "even");
	see_in(23, "F1 Help  q Quit");
	press("2");
	SEE("FORKS/s");
	SEE("1 zombie");
	press("Tab");
	SEE("/proc knows nothing of a recording");
	press("4");
	SEE("TO BE REAPED BY");
	SEE("undead");
	press("5");
	SEE("PROGRAM, and its longest run");
	press("BTab");
	SEE("[4 Zombies]");
	press("F10");
	SEE("end 0");
	expect_clean();
}

static void test_keys(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("f");
	SEE_NOT("last");
	SEE("failing");
	see_in(6, "SIGKILL");
	see_in(4, "failed");
	press("I");
	SEE("least time");
	see_in(6, "failing");
	press("I");
	press("f T");
	SEE("by life");
	see_in(6, "killed");
	press("M");
	SEE("by rss");
	see_in(6, "undead");
	press("P");
	SEE("by cpu");
	press("F6 Home Enter");
	SEE_NOT("by cpu");
	/* As it is typed. */
	press("F4 FAIL");
	SEE("filter FAIL");
	SEE_NOT("last");
	see_in(6, "failing");
	press("Escape");
	SEE("last");
	press("F4 71 Enter");
	SEE_NOT("last");
	SEE("failing");
	press("F4 BSpace BSpace Enter");
	SEE("last");
	press("/ killed Enter Enter");
	SEE("A life");
	SEE("killed (72)");
	SEE("killed by SIGKILL");
	SEE("sh (50), of init (1)");
	press("PageDown");
	SEE("exit_free");
	press("q");
	SEE_NOT("A life");
	press("/ no-such");
	SEE("Search: no-such");
	press("Enter");
	SEE("no-such: not found");
	press("Home u 99999 Enter");
	SEE("user 99999");
	SEE_NOT("last");
	press("u Enter");
	SEE("last");
	press("h");
	SEE("This help");
	press("PageDown PageDown");
	SEE("p99 free: exit to free");
	press("Escape x");
	SEE("does nothing");
	press("C-l q");
	SEE("end 0");
	expect_clean();
}

static void test_play(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("at its end");
	/* Back, which reads the recording again; and paused there. */
	press("Space t +5s Enter");
	SEE("paused");
	SEE("0:05 of 0:10 (49 %)");
	SEE_NOT("last");
	SEE("odd");
	press("Right");
	SEE("(54 %)");
	press("Left Left");
	SEE("(44 %)");
	press("']]]'");
	SEE("×8");
	press("'[[[['");
	SEE("×1/2");
	press("t nonsense Enter");
	SEE("nonsense: not a time");
	press("']]]]]' Space");
	SEE("at its end");
	SEE("last");
	press("Q");
	SEE("end 0");
	expect_clean();
}

/* No escape sequence in it works: the name would be red, and the terminal would have another title. */
static void test_hostile(void **state)
{
	static const char *const locales[] = { "C.UTF-8", "C" };
	unsigned int i;
	char *colored;

	(void)state;
	live_tell();
	for (i = 0; i < 2; i++) {
		live_at_end(80, 24, locales[i]);
		SEE("last");
		press("F4 red");
		SEE("\\x1b[31mred");
		press("Enter Enter");
		SEE("A life");
		SEE("\\x1b[31mred");
		colored = ask("capture-pane -p -e");
		assert_null(strstr(colored, "\x1b[31mred"));
		free(colored);
		colored = ask("display -p '#{pane_title}'");
		assert_null(strstr(colored, "0;t"));
		assert_string_not_equal(colored, "t\n");
		free(colored);
		press("q q");
		SEE("end 0");
	}
}

static void test_ascii(void **state)
{
	const char *s;

	(void)state;
	live_tell();
	live_at_end(80, 24, "C");
	SEE("last");
	SEE("x1 ");
	for (s = seen; *s; s++)
		if (*s & 0x80)
			fail_msg("not ASCII: %s", seen);
	press("q");
	SEE("end 0");
	expect_clean();
}

static void test_sizes(void **state)
{
	(void)state;
	live_tell();
	live_at_end(200, 50, "C.UTF-8");
	SEE("last");
	see_in(49, "F1 Help");
	see_in(5, "PPID");
	DO("resize-window -x 60 -y 10");
	SEE_NOT("forks/s");
	SEE("[1 Deaths]");
	see_in(9, "F1 Help");
	see_in(0, "(100 %)");
	assert_null(strstr(row(2), "PPID"));
	DO("resize-window -x 30 -y 4");
	SEE("Too small: needs 40x6");
	DO("resize-window -x 100 -y 30");
	SEE("forks/s");
	SEE("last");
	see_in(29, "F1 Help");
	press("q");
	SEE("end 0");
	expect_clean();
	live_at_end(30, 4, "C.UTF-8");
	SEE("Too small");
	press("q");
	SEE("end 0");
}

static void test_suspend(void **state)
{
	(void)state;
	live_tell();
	live_in_place = true;
	live_at_end(80, 24, "C.UTF-8");
	live_in_place = false;
	SEE("last");
	press("C-z");
	SEE("Stopped");
	expect_screen_left();
	press("'clear; fg' Enter");
	SEE("[1 Deaths]");
	SEE("last");
	press("2");
	SEE("FORKS/s");
	press("q");
	SEE_NOT("FORKS/s");
	expect_screen_left();
}

/* Run by a script: the shell between them is stopped at once, and has the terminal taken from both. */
static void test_suspend_in_script(void **state)
{
	(void)state;
	live_tell();
	live_at_end(80, 24, "C.UTF-8");
	SEE("last");
	press("C-z");
	SEE_NOT("[1 Deaths]"); /* the shell's message can be lost in the change of screens */
	press("'clear; fg' Enter");
	SEE("[1 Deaths]");
	press("2");
	SEE("FORKS/s");
	press("q");
	SEE("end 0");
	expect_clean();
}

static void test_kill(void **state)
{
	static const struct {
		const char *name;
		const char *end;
	} signals[] = {
		{ "TERM", "end 0" }, { "INT", "end 0" }, { "HUP", "end 0" }, { "SEGV", "end 139" },
		{ "ABRT", "end 134" }, { "QUIT", "end 131" }, { "USR1", "end 138" }, { "ALRM", "end 142" },
		{ "RTMIN", "end 162" },
	};
	size_t i;
	char *own;

	(void)state;
	live_tell();
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		live_at_end(80, 24, "C.UTF-8");
		SEE("last");
		own = ask("display -p '#{pane_pid}'");
		assert_int_equal(strcspn(own, "\n") > 0, 1);
		own[strcspn(own, "\n")] = '\0';
		DO("run-shell 'pkill -%s -P $(pgrep -P %s) -x proclife-read'", signals[i].name, own);
		SEE(signals[i].end);
		expect_clean();
		free(own);
	}
}

static void test_refused(void **state)
{
	static const char *const refused[][2] = {
		{ "TERM=dumb", "TERM=dumb: this terminal has no screen to draw on" },
		{ "TERM=nonsense", "TERM=nonsense: this terminal is not known" },
		{ "TERM=", "TERM is not set" },
	};
	size_t i;

	(void)state;
	live_tell();
	live_begin(120, 24, "C.UTF-8", "--json");
	SEE("JSON is for programs");
	SEE("end 129");
	for (i = 0; i < 3; i++) {
		DO("send-keys 'clear; %s %s --live -i %s; echo end $?' Enter", refused[i][0], program, folder.path);
		SEE(refused[i][1]);
		SEE("end 1");
	}
	DO("send-keys 'clear; %s --live -i %s </dev/null' Enter", program, folder.path);
	SEE("standard input is no terminal");
	DO("send-keys 'clear; %s --live -i %s | cat' Enter", program, folder.path);
	SEE("standard output is no terminal");
	DO("send-keys 'clear; %s --live -- true' Enter", program);
	SEE("it takes no COMMAND");
}

/* Events appear while the screen is shown; when frozen, it stays. */
static void test_device(void **state)
{
	char options[128];

	(void)state;
	live_open(4096);
	snprintf(options, sizeof(options), "--device %s", live_path);
	live_begin(80, 24, "C.UTF-8", options);
	SEE("live");
	SEE("[1 Deaths]");
	live_story(1);
	SEE("1005");
	press("Space");
	SEE("FROZEN");
	live_story(2);
	usleep(1200000);
	SEE("1005");
	assert_null(strstr(seen, "1009"));
	press("Space");
	SEE("1009");
	press("4");
	SEE("zombies");
	press("q");
	SEE("end ");
	expect_clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tables, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_keys, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_play, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_hostile, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_ascii, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_sizes, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_suspend, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_suspend_in_script, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_kill, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_refused, story_setup, live_screen_teardown),
		cmocka_unit_test_setup_teardown(test_device, live_setup, live_device_teardown),
	};

	return find_program() ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
