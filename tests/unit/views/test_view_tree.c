// SPDX-License-Identifier: GPL-2.0-only
/* Trees that no transcript can have: deep ones, and random ones, of which whatever is cut is counted. */
#include "tree_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(const struct who *who, const struct who *parent, uint32_t after, uint32_t cpu, uint32_t rss,
		int32_t code)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	machine->now += after * MS;
	record.exit.runtime = cpu * MS;
	record.exit.max_rss = rss;
	story_put(record);
	story_put(reap_record(0, who, parent));
	record = free_record(0, who);
	record.free.runtime = cpu * MS;
	story_put(record);
}

/* A chain of forks: nothing recurses. */
static void test_deep(void **state)
{
	enum { DEEP = 20000 };
	struct who *chain = calloc(DEEP + 1, sizeof(*chain));
	struct output out;

	(void)state;
	assert_non_null(chain);
	chain[0] = process_of_pid(1, "init");
	for (uint32_t i = 0; i < DEEP; i++)
		chain[i + 1] = start(&chain[i], "c", NULL, NULL);
	for (uint32_t i = DEEP; i; i--)
		quit(&chain[i], &chain[i - 1], 0, 1, 0);
	story_end();
	free(chain);
	out = tree("--depth 2");
	assert_int_equal(count_text(out.text, "\n"), 1 + 3 + 3);
	assert_non_null(strstr(out.text, "   `- c  + 19,997 processes below, 20.0 s CPU\n"));
	free(out.text);
	out = tree("--top 1:count --depth 10000");
	assert_non_null(strstr(out.text, " c  #1, 19,999 descendants, parent 1  + 19,999 processes "
					 "below, 20.0 s CPU\n"));
	free(out.text);
}

/* The number behind this name. */
static uint64_t member(const char *line, const char *name)
{
	char quoted[40];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", name);
	at = strstr(line, quoted);
	if (!at)
		fail_msg("no %s in %s", name, line);
	return strtoull(at + strlen(quoted), NULL, 10);
}

struct totals {
	uint64_t shown;
	uint64_t hidden;
	uint64_t failed;
	uint64_t runtime;
	uint64_t ranks; /* their sum */
	uint64_t context;
};

static struct totals add_up(const char *options)
{
	struct output out = tree(options);
	struct totals sum = { 0 };

	for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, "\"type\":\"hidden\"")) {
			sum.hidden += member(line, "processes");
			sum.failed += member(line, "failed");
			sum.runtime += member(line, "runtime");
		} else if (strstr(line, "\"type\":\"process\"")) {
			sum.shown++;
			sum.runtime += member(line, "runtime");
			sum.failed += !strstr(line, "\"wait_status\":null") &&
				      member(line, "wait_status");
			if (!strstr(line, "\"context\":"))
				continue;
			sum.context += strstr(line, "\"context\":true") != NULL;
			sum.hidden += member(line, "hidden");
			sum.failed += member(line, "hidden_failed");
			sum.runtime += member(line, "hidden_runtime");
			sum.ranks += strstr(line, "\"rank\"") ? member(line, "rank") : 0;
		}
	}
	free(out.text);
	return sum;
}

/* Whatever is cut, it all adds up. */
static void test_json(void **state)
{
	static const char *const cuts[] = {
		"--depth 0", "--depth 3", "--depth 7", "--min-life 3ms", "--min-life 12ms",
		"--top 1:life", "--top 20", "--top 20:count", "--top 50:rss --depth 4",
		"--min-life 5ms --depth 6 --top 30:life", "--min-life 1h", "--top 4000000",
	};
	struct who init = process_of_pid(1, "init"), alive[30] = { init };
	size_t count = 1;
	uint64_t random = 1;
	struct totals all, sum;

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		size_t n = random_below(&random, count);

		if (count < 30 && random_below(&random, 5) < 3) {
			alive[count] = start(&alive[n], "x", NULL, NULL);
			count++;
		} else if (n) {
			end(&alive[n], &init, random_below(&random, 2), random_below(&random, 50),
			     random_below(&random, 9000), random_below(&random, 3) ? 0 : 256);
			alive[n] = alive[--count];
		}
	}
	story_end();
	all = add_up("--json");
	assert_in_range(all.shown, 1000, 2000);
	assert_true(all.failed > 200 && all.runtime > 0);
	assert_int_equal(all.hidden, 0);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		char options[100];
		const char *top = strstr(cuts[i], "--top ");
		uint64_t most = top ? strtoull(top + 6, NULL, 10) : 0;

		snprintf(options, sizeof(options), "--json %s", cuts[i]);
		sum = add_up(options);
		assert_int_equal(sum.shown + sum.hidden, all.shown);
		assert_int_equal(sum.failed, all.failed);
		assert_int_equal(sum.runtime, all.runtime);
		if (most) {
			if (most > all.shown)
				most = all.shown;
			assert_int_equal(sum.shown - sum.context, most);
			assert_int_equal(sum.ranks, most * (most + 1) / 2);
		} else if (strstr(cuts[i], "--depth")) {
			assert_int_equal(sum.context, 0);
			assert_true(sum.shown < all.shown);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { TREE(test_deep), TREE(test_json) };

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
