// SPDX-License-Identifier: GPL-2.0-only
/* Views of how the memory of processes came back: held and unmap, and which process caused it. */
#include "marks.h"
#include "story.h"

#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init, app, cat, kernel;

static int setup(void **state)
{
	int ret = story_setup_exiting(state);

	init = process_of_pid(1, "init");
	cat = process_of_pid(99, "cat");
	kernel = process_of_pid(40, "kworker/0:1");
	kernel.flags |= PROCLIFE_F_KTHREAD;
	story_at(5);
	story_put(task_record(0, &cat, &init));
	return ret;
}

#define VIEW(name) cmocka_unit_test_setup_teardown(name, setup, story_teardown)

#define SOLE (PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE)

static void exiting(uint64_t ms, const struct who *who, int32_t code)
{
	struct proclife_record r = exiting_record(0, who, &init, NULL, code);

	r.flags |= SOLE;
	story_at(ms);
	story_put(r);
}

/* It begins to exit, drops its memory, exits and is reaped, all at once; freed a ms later. */
static void die_held(uint64_t ms, const struct who *who)
{
	exiting(ms, who, 0);
	story_mm(ms + 1, who, PROCLIFE_MM_LEFT, who);
	story_at(ms + 2);
	story_die(who, &init, 0, MS, 100);
	story_put(reap_record(0, who, &init));
	story_at(ms + 3);
	story_put(free_record(0, who));
}

/* Its EXIT, and the rest of its end. */
static void die_at(uint64_t ms, int status)
{
	story_at(ms);
	story_die(&app, &init, status, MS, 100);
	story_bury(&app, &init);
}

static struct who born(uint64_t ms, uint32_t pid, const char *comm)
{
	story_at(ms);
	return story_fork(&init, pid, comm);
}

/* The output of these options for the story, which has ended. */
static struct output show(const char *options)
{
	story_end();
	return run_program(false, 0, "%s -i %s %s", program, folder.path, options);
}

static void expect_part(const char *options, const char *part)
{
	struct output out = show(options);

	if (!strstr(out.text, part))
		fail_msg("%s:\n%s\nwithout\n%s", options, out.text, part);
	free(out.text);
}

static void expect_none(const char *options, const char *part)
{
	struct output out = show(options);

	if (strstr(out.text, part))
		fail_msg("%s:\n%s\nwith\n%s", options, out.text, part);
	free(out.text);
}

static void expect_status(const char *options, int status)
{
	struct output out = show(options);

	if (out.status != status)
		fail_msg("%s: %d", options, out.status);
	free(out.text);
}

/* cat reads the memory for half a second, long after its owner was freed; then cat unmaps it for 20 ms. */
static void put_held(void)
{
	app = born(10, 200, "app");
	die_held(20, &app);
	story_mm(521, &cat, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &cat, PROCLIFE_MM_GONE, &app);
}

static void test_rows(void **state)
{
	(void)state;
	put_held();
	expect_part("--latency", "\nheld      let go>unmap         1   500 ms ");
	expect_part("--latency", "\nunmap     unmap>gone           1  20.0 ms ");
	expect_part("--latency --json", "\"phase\":\"held\",\"count\":1,\"min\":500000000,");
	expect_part("--latency --json", "\"phase\":\"unmap\",\"count\":1,\"min\":20000000,");
	expect_none("--latency --threads", "\nheld ");
}

static void test_no_rows(void **state)
{
	struct who who = born(10, 200, "app");

	(void)state;
	exiting(20, &who, 0);
	story_die(&who, &init, 0, MS, 100);
	story_bury(&who, &init);
	expect_part("--latency", "\nzombie ");
	expect_none("--latency", "\nheld ");
	expect_none("--latency", "\nunmap ");
	expect_part("--latency --json", "\"phase\":\"held\",\"count\":0,");
}

/* Memory that comes back after its process's end counts for the process's group. */
static void test_groups(void **state)
{
	struct who other = born(6, 201, "other");

	(void)state;
	exiting(7, &other, 0);
	story_mm(7, &other, PROCLIFE_MM_TEARDOWN, &other);
	story_mm(8, &other, PROCLIFE_MM_GONE, &other);
	story_die(&other, &init, 0, MS, 100);
	story_bury(&other, &init);
	put_held();
	expect_part("--latency --by comm --json",
		    "\"group\":\"app\",\"phase\":\"held\",\"count\":1,\"min\":500000000,");
	expect_part("--latency --by comm --json",
		    "\"group\":\"app\",\"phase\":\"unmap\",\"count\":1,\"min\":20000000,");
	expect_part("--latency --by comm --json", "\"group\":\"other\",\"phase\":\"held\",\"count\":0,");
	expect_part("--latency --by comm --json",
		    "\"group\":\"other\",\"phase\":\"unmap\",\"count\":1,\"min\":1000000,");
}

static void test_expect(void **state)
{
	(void)state;
	put_held();
	expect_status("--expect held.max<1s", 0);
	expect_status("--expect held.max<400ms", 2);
	expect_status("--expect unmap.max<20ms", 2);
	expect_part("--expect held.max<1s", "500 ms");
}

/* The last holder, and the process that unmapped it, which is another one. */
static void test_why_held(void **state)
{
	(void)state;
	put_held();
	expect_part("--latency", "; its memory was let go last by cat (99), 501 ms after its exit; "
				 "23.0 MiB unmapped in 20.0 ms by cat (99)\n");
}

/* The cause is shown for this process alone, not for older or younger ones with its pid. */
static void test_why_of_one(void **state)
{
	struct who older = born(6, 201, "older"), younger;
	struct output out;

	(void)state;
	app = born(7, 200, "app");
	younger = born(8, 202, "younger");
	die_held(10, &older);
	die_held(20, &app);
	die_held(30, &younger);
	story_mm(521, &cat, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &cat, PROCLIFE_MM_GONE, &app);
	out = show("--latency");
	assert_int_equal(count_text(out.text, "let go last by cat"), 1);
	assert_int_equal(count_text(out.text, "; its memory is still held, by 2\n"), 2);
	free(out.text);
}

static void test_why_worker(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_mm(500, &cat, PROCLIFE_MM_ASYNC, &app);
	story_mm(521, &kernel, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &kernel, PROCLIFE_MM_GONE, &app);
	expect_part("--latency", "; its memory was let go last by cat (99), 501 ms after its exit; "
				 "23.0 MiB unmapped in 20.0 ms by kworker/0:1 (40)\n");
}

/* An interrupt dropped it last: no task is named, and nothing known is shown as unknown. */
static void test_by_an_interrupt(void **state)
{
	struct proclife_record async;
	char to[PATH_MAX + 8], line[3 * PATH_MAX];
	struct output out;

	(void)state;
	app = born(10, 200, "app");
	async = mm_record(0, &cat, PROCLIFE_MM_ASYNC, &app);
	async.task = async.start = async.flags = async.pid = async.tgid = 0;
	memset(async.comm, 0, sizeof(async.comm));
	die_held(20, &app);
	story_at(500);
	story_put(async);
	story_mm(521, &kernel, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &kernel, PROCLIFE_MM_GONE, &app);
	expect_part("--latency", "; its memory was let go last by an interrupt, 501 ms after its exit; "
				 "23.0 MiB unmapped in 20.0 ms by kworker/0:1 (40)\n");
	expect_part("--lives --sort held", "500 ms app  23.0 MiB let go by an interrupt\n");
	expect_part("--lives --sort held --json", "\"last\":null,\"by\":{\"pid\":40,\"tid\":40,");
	expect_part("--events=mm --comm app", " async, by an interrupt, anonymous ");
	expect_none("--events=mm --comm cat", "interrupt");
	snprintf(to, sizeof(to), "%s.part", folder.path);
	snprintf(line, sizeof(line), "--comm app --slice %s", to);
	expect_status(line, 0);
	out = run_program(false, 0, "%s -i %s --lives --sort held", program, to);
	assert_non_null(strstr(out.text, "let go by an interrupt\n"));
	free(out.text);
}

/* The process for which the worker did it is not in the trace. */
static void test_why_last_unknown(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_mm(521, &kernel, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &kernel, PROCLIFE_MM_GONE, &app);
	expect_part("--latency", "; its memory was let go last 501 ms after its exit; ");
	expect_part("--lives --sort held", "500 ms app  23.0 MiB\n");
	expect_part("--lives --sort held --json", "\"last\":null,\"by\":{\"pid\":40,\"tid\":40,");
}

static void test_why_itself(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	exiting(20, &app, 0);
	story_mm(21, &app, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(30, &kernel, PROCLIFE_MM_EARLY, &app);
	story_mm(71, &app, PROCLIFE_MM_GONE, &app);
	die_at(71, 0);
	expect_part("--latency", "; 23.0 MiB unmapped in 50.0 ms; kworker/0:1 (40) had begun to take its memory\n");
	expect_none("--latency", "let go last");
	/* The memory at the end is shown, not the peak. */
	expect_none("--latency", "RSS up to");
}

/* The rest took the longest: its files, most likely. Unmapped by itself, or by others. */
static void test_why_not_memory(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	exiting(20, &app, 0);
	story_mm(21, &app, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(23, &app, PROCLIFE_MM_GONE, &app);
	die_at(50, 0);
	expect_part("--latency", "after its exit, 27.0 ms of that after it had let its memory go\n");
}

static void test_why_not_memory_of_others(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	exiting(20, &app, 0);
	story_mm(21, &app, PROCLIFE_MM_LEFT, &app);
	die_at(50, 0);
	expect_part("--latency", "after its exit, 29.0 ms of that after it had let its memory go; ");
}

/* Most of the time passed before it began to exit. */
static void test_why_killed(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	story_put(signal_record(0, &app, SIGKILL, &cat));
	exiting(110, &app, SIGKILL);
	die_at(120, SIGKILL);
	expect_part("--latency", "SIGKILL from cat (99); began to exit 100 ms later; ");
}

static void test_why_killed_at_once(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	story_put(signal_record(0, &app, SIGKILL, &cat));
	exiting(11, &app, SIGKILL);
	die_at(120, SIGKILL);
	expect_none("--latency", "began to exit");
}

/* Still held at the end: the memory of a freed process, and of a zombie. */
static void test_still_held(void **state)
{
	struct who zombie = born(9, 201, "zombie");
	struct output out;

	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	exiting(300, &zombie, 0);
	story_mm(301, &zombie, PROCLIFE_MM_LEFT, &zombie);
	story_die(&zombie, &init, 0, MS, 100);
	story_at(521);
	out = show("--latency");
	assert_int_equal(count_text(out.text, "; its memory is still held, by 2\n"), 2);
	free(out.text);
	/* They rank by their duration so far. */
	expect_part("--lives --sort held", " >500 ms app  held by 2\n");
	expect_part("--lives --sort held", " >220 ms zombie  held by 2\n");
	expect_part("--lives --sort held --json", "\"memory\":{\"left\":1021000000,\"holders\":2,\"early\":null,"
		    "\"early_by\":null,\"early_anon\":null,\"teardown\":null,\"last\":null,\"by\":null,");
	expect_part("--lives --sort unmap", "       ? app  held by 2\n");
	expect_none("--latency", "\nheld ");
}

/* If its fate is not known, no process is shown as still holding it. */
static void test_not_still_held(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_at(100);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_at(200);
	expect_none("--latency", "still held");
	expect_part("--lives --sort held", "       ? app  held by 2");
}

static void test_forgotten(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_mm(100, &cat, PROCLIFE_MM_GONE, &app); /* another one's, by the records */
	expect_none("--latency", "still held");
	expect_part("--lives --sort held --json", "\"memory\":null,");
}

/* No process holds it any more, though none has begun to unmap it. */
static void test_left_to_a_worker(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_mm(100, &cat, PROCLIFE_MM_ASYNC, &app);
	story_at(300);
	expect_none("--latency", "still held");
	expect_part("--lives --sort held", " app  let go by cat (99)\n");
}

static void test_sort(void **state)
{
	struct who quick = born(6, 201, "quick");
	struct output out;

	(void)state;
	exiting(7, &quick, 0);
	story_mm(7, &quick, PROCLIFE_MM_TEARDOWN, &quick);
	story_mm(8, &quick, PROCLIFE_MM_GONE, &quick);
	story_die(&quick, &init, 0, MS, 100);
	story_bury(&quick, &init);
	put_held();
	out = show("--lives --sort unmap --monotonic");
	if (!strstr(out.text, "UNMAP COMMAND\n") ||
	    !strstr(out.text, "20.0 ms app  23.0 MiB let go by cat (99)\n") ||
	    strstr(out.text, " app ") > strstr(out.text, "1.00 ms quick  23.2 MiB\n"))
		fail_msg("%s", out.text);
	free(out.text);
	expect_part("--lives --sort held", "500 ms app  23.0 MiB let go by cat (99)\n");
	expect_part("--lives --sort held", "       ? quick  23.2 MiB\n");
	expect_part("--lives --sort held --top 1 --json",
		    "\"held\":500000000,\"unmap\":20000000,\"traced\":null,\"zombie\":1,\"rcu_free\":999998,"
		    "\"exit_free\":3000000,\"fork\":null,\"first_run\":null,\"exec\":null,\"spawn\":null,\"alone\":10000000,\"memory\":{\"left\":1021000000,"
		    "\"holders\":2,\"early\":null,\"early_by\":null,\"early_anon\":null,\"teardown\":1521000000,"
		    "\"last\":{\"pid\":99,\"tid\":99,\"comm\":\"cat\",\"thread_comm\":\"cat\"},"
		    "\"by\":{\"pid\":99,\"tid\":99,\"comm\":\"cat\",\"thread_comm\":\"cat\"},\"rss_anon\":20200,\"rss_file\":2200,"
		    "\"rss_shmem\":1200,\"swap\":600,\"gone\":1541000000}");
	expect_none("--lives --sort life", "let go by");
}

/* Its EXIT is lost, but the drop of its memory is seen, and when it came back. */
static void test_exit_lost(void **state)
{
	(void)state;
	app = born(10, 200, "app");
	story_at(20);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	exiting(200, &app, 0);
	story_mm(201, &app, PROCLIFE_MM_LEFT, &app);
	story_at(210);
	story_put(reap_record(0, &app, &init));
	story_put(free_record(0, &app));
	story_mm(701, &cat, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(711, &cat, PROCLIFE_MM_GONE, &app);
	story_at(5000);
	expect_part("--lives --sort held", " 500 ms app  23.0 MiB let go by cat (99), EXIT lost\n");
}

/* The processes that dropped or took it go into a slice, so that it shows the same. */
static void test_slice(void **state)
{
	struct who reaper = process_of_pid(41, "oom_reaper");
	char to[PATH_MAX + 8], line[3 * PATH_MAX];
	struct output out;

	(void)state;
	app = born(10, 200, "app");
	die_held(20, &app);
	story_put(task_record(0, &reaper, &init));
	story_mm(400, &reaper, PROCLIFE_MM_EARLY, &app);
	story_mm(500, &cat, PROCLIFE_MM_ASYNC, &app);
	story_mm(521, &kernel, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(541, &kernel, PROCLIFE_MM_GONE, &app);
	snprintf(to, sizeof(to), "%s.part", folder.path);
	snprintf(line, sizeof(line), "--comm app --slice %s", to);
	expect_status(line, 0);
	out = run_program(false, 0, "%s -i %s --lives --sort held --json", program, to);
	assert_non_null(strstr(out.text, "\"held\":500000000,\"unmap\":20000000,"));
	assert_non_null(strstr(out.text, "\"early_by\":{\"pid\":41,"));
	assert_non_null(strstr(out.text, "\"last\":{\"pid\":99,"));
	free(out.text);
}

/* Without GONE, it is not known when an address space ends, and another one begins. */
static void test_without_gone(void **state)
{
	(void)state;
	put_held();
	story_end();
	metadata_set(folder.path, "mm_marks", "18"); /* LEFT and TEARDOWN */
	expect_part("--lives --sort held --json", "\"memory\":null,");
	metadata_set(folder.path, "mm_marks", "34"); /* LEFT and GONE */
	expect_part("--lives --sort held --json", "\"memory\":null,");
	metadata_set(folder.path, "mm_marks", "50");
	expect_part("--lives --sort held --json", "\"memory\":{");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VIEW(test_rows),
		VIEW(test_no_rows),
		VIEW(test_groups),
		VIEW(test_expect),
		VIEW(test_why_held),
		VIEW(test_why_of_one),
		VIEW(test_why_worker),
		VIEW(test_by_an_interrupt),
		VIEW(test_why_last_unknown),
		VIEW(test_why_itself),
		VIEW(test_why_not_memory),
		VIEW(test_why_not_memory_of_others),
		VIEW(test_why_killed),
		VIEW(test_why_killed_at_once),
		VIEW(test_still_held),
		VIEW(test_not_still_held),
		VIEW(test_forgotten),
		VIEW(test_left_to_a_worker),
		VIEW(test_sort),
		VIEW(test_exit_lost),
		VIEW(test_slice),
		VIEW(test_without_gone),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
