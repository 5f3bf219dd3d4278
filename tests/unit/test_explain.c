// SPDX-License-Identifier: GPL-2.0-only
/* The sentence on each of the slowest: the longest part of its end, and whose doing that was. */
#include "check.h"
#include "fixture_text.h"

#include <views/share/rcu.h>
#include <views/latency/slowest.h>
#include <stdio.h>
#include <string.h>

#define MS 1000000
#define EXIT (1000 * MS)

/* Of a process, in ms behind its exit; 0: not seen. */
static struct death death_of(unsigned int notified, unsigned int reaped, unsigned int freed)
{
	struct death death = {
		.marks.exited = EXIT,
		.marks.notified = notified ? EXIT + (uint64_t)notified * MS : 0,
		.marks.reaped = reaped ? EXIT + (uint64_t)reaped * MS : 0,
		.marks.freed = freed ? EXIT + (uint64_t)freed * MS : 0,
		.ended = EXIT + 5000ULL * MS,
		.state = freed	? PROCLIFE_IS_FREED :
			 reaped ? PROCLIFE_IS_UNFREED :
				  PROCLIFE_IS_ZOMBIE,
		.pid = 20,
		.tgid = 20,
		.threads = 1,
		.parent_tgid = 10,
		.real_parent_tgid = 10,
		.reaper_pid = reaped ? 10 : 0,
		.reaper_tgid = reaped ? 10 : 0,
		.free_cpu = 3,
		.comm = "cc",
		.reaper_named = true,
		.parent_known = true,
		.parent_comm = "make",
	};

	if (reaped)
		strcpy(death.reaper_comm, "make");
	return death;
}

static void expect(const struct death *death, const char *rcu, const char *sentence)
{
	text_clear(&text);
	text_why(&text, death, rcu);
	if (strcmp(text.s, sentence))
		fail_msg("'%s' instead of '%s'", text.s, sentence);
}

static void test_teardown(void **state)
{
	struct death death = death_of(50, 60, 70);

	(void)state;
	expect(&death, "", "teardown: its parent was notified 50.0 ms after its exit");
	death.max_rss = 3 * 1024;
	expect(&death, "", "teardown: its parent was notified 50.0 ms after its exit (RSS up to 3.00 MiB)");
	death.tracer_lost = true;
	expect(&death, "", "its parent was notified 50.0 ms after its exit; whether a tracer held it before that is "
			   "not known");
	/* It is the longest part of those that are known. */
	death = death_of(50, 0, 70);
	expect(&death, "", "teardown: its parent was notified 50.0 ms after its exit");
}

/* Nobody was notified of it, so nobody can have reaped it. */
static void test_dying(void **state)
{
	struct death death = death_of(0, 0, 0);

	(void)state;
	death.state = PROCLIFE_IS_DYING;
	expect(&death, "", "teardown: its parent has not been notified for 5.00 s");
	death.memory.own = true;
	death.memory.teardown = EXIT + 1 * MS;
	death.memory.gone = EXIT + 1000 * MS;
	expect(&death, "", "teardown: its parent has not been notified for 5.00 s, "
	       "4.00 s of that after it had let its memory go; 0 KiB unmapped in 999 ms");
	death.ended = EXIT;
	death.memory = (struct proclife_memory){ 0 };
	expect(&death, "", "teardown: its parent has not been notified for 0 ns");
}

static void test_zombie(void **state)
{
	struct death death = death_of(10, 90, 100);

	(void)state;
	expect(&death, "",
	       "make (10) reaped it 80.0 ms after it was notified; whether it was in wait() is not known");
	death.reaper_waited = EXIT + 10 * MS;
	expect(&death, "", "make (10) was in wait(), but took 80.0 ms to wake up and reap");
	death.reaper_waited = EXIT - 10 * MS;
	expect(&death, "", "make (10) was in wait(), but took 80.0 ms to wake up and reap");
	death.reaper_waited = EXIT + 85 * MS;
	expect(&death, "", "make (10) was not in wait(): it came 75.0 ms later");
	death.reaper_waited = EXIT + 40 * MS;
	expect(&death, "",
	       "make (10) was not in wait(): it came 30.0 ms later, and took another 50.0 ms");
	/* Nobody knows when its parent was notified. */
	death.marks.notified = 0;
	expect(&death, "",
	       "make (10) reaped it 90.0 ms after the exit; whether it was in wait() is not known");
	death.reaper_waited = 0;
	expect(&death, "",
	       "make (10) reaped it 90.0 ms after the exit; whether it was in wait() is not known");
}

static void test_adopted(void **state)
{
	struct death death = death_of(10, 90, 100);

	(void)state;
	death.real_parent_tgid = 1;
	death.reaper_pid = 1;
	death.reaper_tgid = 1;
	strcpy(death.reaper_comm, "init");
	death.reaper_waited = EXIT + 89 * MS;
	expect(&death, "", "its parent make (10) had exited: init (1) was not in wait(): it came 79.0 ms later");
	death = death_of(10, 0, 0);
	death.real_parent_tgid = 1;
	expect(&death, "", "its parent make (10) had exited: (1) has not reaped it for 4.99 s");
	/* Who reaps has not exited, whatever else was recorded. */
	death = death_of(10, 90, 100);
	death.real_parent_tgid = 1;
	death.reaper_waited = EXIT + 85 * MS;
	expect(&death, "", "make (10) was not in wait(): it came 75.0 ms later");
}

/* It could not be reaped by another one before its parent had exited: that is no delay of that other one's. */
static void test_left(void **state)
{
	struct death death = death_of(10, 90, 100);

	(void)state;
	death.reaper_tgid = death.reaper_pid = 1;
	strcpy(death.reaper_comm, "init");
	death.reaper_waited = EXIT - 10 * MS;
	expect(&death, "", "its parent make (10) did not reap it: init (1) did, 80.0 ms after the parent was notified");
	death.marks.notified = 0;
	expect(&death, "", "its parent make (10) did not reap it: init (1) did, 90.0 ms after the exit");
	death.parent_known = false;
	expect(&death, "", "its parent (10) did not reap it: init (1) did, 90.0 ms after the exit");
	death.real_parent_tgid = 7;
	death.parent_tgid = 0;
	expect(&death, "", "its parent (7) did not reap it: init (1) did, 90.0 ms after the exit");
}

/* Marks in an order that no kernel makes: nothing is longer than it all. */
static void test_tampered(void **state)
{
	struct death death = death_of(10, 90, 100);

	(void)state;
	death.marks.notified = EXIT + 95 * MS;
	expect(&death, "", "teardown: its parent was notified 95.0 ms after its exit");
	death.marks.notified = EXIT - 10 * MS;
	death.marks.reaped = EXIT - 20 * MS;
	text_clear(&text);
	text_why(&text, &death, "");
	assert_null(strstr(text.s, " h"));
	death = death_of(10, 90, 100);
	death.memory = (struct proclife_memory){ .left = EXIT - 50 * MS, .teardown = EXIT - 20 * MS,
						 .rss_anon = UINT64_MAX, .rss_file = 5, .gone = EXIT + 70 * MS };
	text_clear(&text);
	text_why(&text, &death, "");
	assert_non_null(strstr(text.s, "; its memory was let go last 0 ns after its exit; 17179869184 TiB "));
}

static void test_open_zombie(void **state)
{
	struct death death = death_of(10, 0, 0);

	(void)state;
	expect(&death, "", "make (10) has not reaped it for 4.99 s");
	death.marks.notified = 0;
	expect(&death, "", "make (10) has not reaped it for 5.00 s");
	death.parent_known = false;
	expect(&death, "", "its parent (10) has not reaped it for 5.00 s");
	death.parent_known = true;
	memcpy(death.parent_comm, "m\033\n", 4);
	expect(&death, "", "m\\x1b\\n (10) has not reaped it for 5.00 s");
	/* Where REAPs are not recorded, or where one may have been lost, nobody is to blame. */
	death.state = PROCLIFE_IS_UNFREED;
	expect(&death, "", "not freed 5.00 s after the exit; whether it was reaped was not seen");
	death.state = PROCLIFE_IS_UNKNOWN;
	expect(&death, "", "not freed 5.00 s after the exit; whether it was reaped was not seen");
}

static void test_rcu(void **state)
{
	struct death death = death_of(10, 20, 100);

	(void)state;
	expect(&death, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	expect(&death, "nocb=0-2", "RCU: freed 80.0 ms after the reap on CPU 3");
	expect(&death, "nocb=0-3", "RCU: freed 80.0 ms after the reap on CPU 3 (nocb)");
	expect(&death, "nocb=all lazy", "RCU: freed 80.0 ms after the reap on CPU 3 (nocb, lazy)");
	expect(&death, "nocb=1 lazy", "RCU: freed 80.0 ms after the reap on CPU 3");
	death.marks.freed = 0;
	expect(&death, "nocb=all lazy", "RCU: reaped 4.98 s ago, and not freed yet");
}

/* Where the module records no REAP, nobody is to blame. */
static void test_no_reap(void **state)
{
	struct death death = death_of(10, 0, 100);

	(void)state;
	expect(&death, "", "freed 90.0 ms after its parent was notified; when it was reaped was not seen");
	death.marks.notified = 0;
	expect(&death, "", "freed 100 ms after the exit; when it was reaped was not seen");
	death.ended = 0; /* it was gone before the trace ended */
	expect(&death, "", "freed 100 ms after the exit; when it was reaped was not seen");
}

/* Which thread did it is no name of its process. */
static void test_by_a_thread(void **state)
{
	struct death death = death_of(5, 90, 95);

	(void)state;
	death.reaper_named = false;
	expect(&death, "", "thread make of (10) reaped it 85.0 ms after it was notified; whether it was in wait() is not "
			   "known");
}

static void test_itself(void **state)
{
	struct death death = death_of(0, 60, 70);

	(void)state;
	death.reaper_pid = 20;
	death.reaper_tgid = 20;
	strcpy(death.reaper_comm, "cc");
	death.autoreaped = PROCLIFE_AUTOREAP_IGNORED;
	expect(&death, "",
	       "it was released 60.0 ms after its exit, by itself: make (10) ignores SIGCHLD");
	death.autoreaped = PROCLIFE_AUTOREAP_NOCLDWAIT;
	expect(&death, "",
	       "it was released 60.0 ms after its exit, by itself: make (10) has SA_NOCLDWAIT");
	death.autoreaped = PROCLIFE_AUTOREAP_CLONE;
	expect(&death, "",
	       "it was released 60.0 ms after its exit, by itself: it was made with CLONE_AUTOREAP");
	death.autoreaped = PROCLIFE_AUTOREAP_UNKNOWN;
	expect(&death, "",
	       "it was released 60.0 ms after its exit, by itself: nobody had to reap it, why is not known");
	/* Who has inherited it. */
	death.autoreaped = PROCLIFE_AUTOREAP_IGNORED;
	death.reaper_pid = death.reaper_tgid = 10;
	strcpy(death.reaper_comm, "make");
	death.notified_tgid = 30;
	expect(&death, "", "it was released 60.0 ms after its exit, by make (10): (30) ignores SIGCHLD");
	strcpy(death.notified_comm, "sub");
	death.notified_known = true;
	expect(&death, "", "it was released 60.0 ms after its exit, by make (10): sub (30) ignores SIGCHLD");
	death.reaper_pid = death.reaper_tgid = 20;
	death.notified_tgid = 0;
	death.ended_with_parent = true;
	expect(&death, "", "it was released 60.0 ms after its exit, by itself: make (10), the init of its pid namespace, "
			   "was ending");
	death.pid = 21;
	death.is_thread = true;
	expect(&death, "", "it was released 60.0 ms after its exit");
}

static void test_leader(void **state)
{
	struct death death = death_of(0, 90, 100);

	(void)state;
	/* As a thread of its own: it waited for the others. */
	death.is_thread = true;
	death.reaper_waited = EXIT + 1;
	death.group_exited = EXIT + 50 * MS;
	expect(&death, "", "the leader exited 50.0 ms before its last thread");
	death.group_exited = EXIT + 49 * MS;
	expect(&death, "",
	       "make (10) was not in wait(): it came 1 ns later, and took another 90.0 ms");
	/* As a process, whose end begins with its last thread's. */
	death = death_of(10, 20, 100);
	death.threads = 2;
	death.leader_exited = EXIT - 200 * MS;
	expect(&death, "", "RCU: freed 80.0 ms after the reap on CPU 3; its leader had exited 200 ms "
			   "before its last thread");
	death.leader_exited = EXIT - 100 * MS;
	expect(&death, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	/* It ended as a whole before its leader did. */
	death.leader_exited = EXIT + MS;
	expect(&death, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	death.leader_exited = EXIT - 200 * MS;
	death.threads = 1;
	expect(&death, "", "RCU: freed 80.0 ms after the reap on CPU 3");
}

static void test_lists(void **state)
{
	static const struct {
		const char *words;
		unsigned int cpu;
		bool nocb;
		bool lazy;
	} cases[] = {
		{ "", 0, false, false },
		{ "lazy", 0, false, false },
		{ "nocb=0", 0, true, false },
		{ "nocb=0", 1, false, false },
		{ "nocb=1", 11, false, false },
		{ "nocb=0-3,8", 3, true, false },
		{ "nocb=0-3,8", 4, false, false },
		{ "nocb=0-3,8 lazy", 8, true, true },
		{ "nocb=0-3,8 lazy", 9, false, false },
		{ "nocb=2-N lazy", 1, false, false },
		{ "nocb=2-N lazy", 500, true, true },
		{ "nocb=2-N,0 lazy", 0, true, true },
		{ "nocb=2-N,0 lazy", 1, false, false },
		{ "nocb=0-7:1/2", 2, false, false },
		{ "nocb=5,0-7:1/2", 5, true, false },
		{ "nocb=all", 7, true, false },
		{ "nocb=all lazy", 7, true, true },
		{ "nocb=", 0, false, false },
		{ "nocb=x", 0, false, false },
		{ "nocb=1,x,3", 3, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool nocb = !cases[i].nocb, lazy = !cases[i].lazy;

		rcu_of_cpu(cases[i].words, cases[i].cpu, &nocb, &lazy);
		if (nocb != cases[i].nocb || lazy != cases[i].lazy)
			fail_msg("'%s', CPU %u: %d %d", cases[i].words, cases[i].cpu, nocb, lazy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_teardown, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_dying, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_zombie, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_adopted, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_left, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_tampered, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_open_zombie, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_rcu, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_no_reap, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_itself, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_by_a_thread, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_leader, begin_text, end_text),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
