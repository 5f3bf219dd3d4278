// SPDX-License-Identifier: GPL-2.0-only
/* How long processes lived that are older than the trace: known by their start; otherwise a minimum. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUSPENDED (UINT64_C(5000) * MS) /* before the trace */

static struct who init;

static struct who older(uint32_t pid, const char *comm, uint64_t start)
{
	struct who who = process_of_pid(pid, comm);

	who.start = start;
	story_put(task_record(0, &who, &init));
	return who;
}

static void die(const struct who *who, uint64_t ms)
{
	story_at(ms);
	story_die(who, &init, 0, MS, 100);
	story_bury(who, &init);
}

/* The trace begins at 1000 ms. */
static void tell(void)
{
	struct who known, unknown, later, thread, young;

	init = process_of_pid(1, "init");
	init.start = SUSPENDED + 100 * MS;
	story_put(task_record(0, &init, &init));
	known = older(50, "known", SUSPENDED + 400 * MS);
	thread = thread_of(&known, 51);
	thread.start = SUSPENDED + 500 * MS;
	story_put(task_record(0, &thread, &init));
	unknown = older(60, "unknown", 0);
	later = older(70, "later", SUSPENDED + 2000 * MS); /* which is impossible */
	young = story_fork(&init, 80, "young");
	die(&young, 20);
	die(&later, 30);
	die(&unknown, 40);
	story_at(50);
	story_put(exit_record(0, &thread, 0, 1));
	story_put(reap_record(0, &thread, &thread));
	story_put(free_record(0, &thread));
	die(&known, 90);
	story_at(100);
	story_end();
	story_users(folder.path, "1000 alice\n");
	metadata_set(folder.path, "to_boottime", "\"0x12a05f200\"");
}

/* Expects each of these in the output with these options. */
static void expect(const char *options, const char *const *parts)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);
	const char *at = out.text;

	for (; *parts; parts++) {
		at = strstr(at, *parts);
		if (!at)
			fail_msg("%s:\n%s\nwithout, in that order:\n%s", options, out.text, *parts);
	}
	free(out.text);
}

#define EXPECT(options, ...) expect(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_deaths(void **state)
{
	(void)state;
	tell();
	EXPECT("--monotonic", "      80       1 alice      20.0 ms ", "      70       1 alice     >30.0 ms ",
	       "      60       1 alice     >40.0 ms ", "      50       1 alice       690 ms ");
	EXPECT("--sort life", " known\n", " unknown\n", " later\n", " young\n");
	/* With what is known of its birth. */
	EXPECT("--lives --json", "\"pid\":60,", "\"start\":null,", "\"born\":null,", "\"life\":null,",
	       "\"partial\":true}", "\"pid\":50,", "\"start\":5400000000,", "\"born\":null,",
	       "\"life\":690000000,", "\"partial\":true}");
}

static void test_tree(void **state)
{
	(void)state;
	tell();
	EXPECT("--tree --threads", "      1   >1.00 s ", "     50    690 ms ", "     51    550 ms ", "     60  >40.0 ms ",
	       "     70  >30.0 ms ", "     80   20.0 ms ");
	EXPECT("--tree --json", "\"pid\":50,", "\"start\":5400000000,", "\"born\":null,");
	/* A process that may have lived longer is kept. */
	EXPECT("--tree --min-life 691ms", "      1 ", "     60 ", "     70 ", "2 processes are counted");
	EXPECT("--tree --top 1:life", "      1 ");
	EXPECT("--tree --top 2:life", "     50 ", "#2");
}

/* Statistics and conditions use only processes whose birth was seen. */
static void test_phases(void **state)
{
	(void)state;
	tell();
	EXPECT("--latency --json", "\"phase\":\"life\",", "\"count\":1,");
	EXPECT("--on life>30ms --json", "\"type\":\"trace\"", "\"type\":\"end\"");
}

static void test_left(void **state)
{
	(void)state;
	tell();
	EXPECT("--expect left==0", "LEFT      AGE  PROCESS\n", "      1   1.00 s  init\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_deaths), STORY(test_tree), STORY(test_phases), STORY(test_left),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
