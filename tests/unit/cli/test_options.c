// SPDX-License-Identifier: GPL-2.0-only
/* proclife-read's command line: what is accepted. test_usage.c has the rest. */
#include "check.h"

#include <limits.h>
#include <cli/options_parse.h>
#include <stdlib.h>
#include <string.h>
#include <requests.h>

#define MOST_ARGS 32

static char own_name[] = "proclife-read";
static char *words[MOST_ARGS];

static void split(const char *line, char *copy, int *argc)
{
	*argc = 0;
	strcpy(copy, line);
	words[(*argc)++] = own_name;
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		assert_true(*argc < MOST_ARGS - 1);
		words[(*argc)++] = word;
	}
	words[*argc] = NULL;
}

/* The words have to outlive the options, which point into them. */
static char copied[1000];

static struct options parse(const char *line)
{
	struct options options;
	int argc;

	split(line, copied, &argc);
	options_parse(&options, all_requests, argc, words);
	return options;
}

/* These requests, in their order, and no others; those that are views are shown. */
static void shows(const struct options *options, const struct request *one, const struct request *two,
		  const struct request *three)
{
	const struct request *const all[] = { one, two, three };
	size_t i, shown = 0;

	for (i = 0; i < 3 && all[i]; i++) {
		assert_ptr_equal(options->requests[i], all[i]);
		if (request_view(all[i]))
			assert_ptr_equal(options->views[shown++], all[i]);
	}
	assert_null(options->requests[i]);
	assert_null(options->views[shown]);
}

static void test_defaults(void **state)
{
	struct options options = parse("");

	(void)state;
	shows(&options, &view_lives.request, NULL, NULL);
	assert_false(options.json || options.threads || options.history || options.load ||
		     options.quiet);
	assert_int_equal(options.fold, FOLD_IF_LONG);
	assert_false(cut_is_set(&options.cut));
	assert_int_equal(options.cut.depth, DEPTH_ALL);
	assert_null(options.device);
	assert_int_equal(options.inputs.count, 0);
	assert_null(options.record.dir);
	assert_int_equal(options.pids.count, 0);
	assert_int_equal(options.duration, 0);
	assert_int_equal(options.count, 0);
	assert_null(options.command);
	options_free(&options);
}

static void test_all(void **state)
{
	struct options options;

	(void)state;
	options = parse("--tree --latency --json --pid 12 -p 2147483647 --threads --history "
			"--duration 250ms --count 18446744073709551615 --load --device /x");
	shows(&options, &view_tree.request, &view_latency.request, NULL);
	assert_true(options.json && options.threads && options.history && options.load);
	assert_int_equal(options.pids.count, 2);
	assert_int_equal(options.pids.all[0].pid, 12);
	assert_int_equal(options.pids.all[1].pid, INT_MAX);
	assert_false(options.pids.all[0].within);
	assert_int_equal(options.duration, 250000000);
	assert_int_equal(options.count, UINT64_MAX);
	assert_string_equal(options.device, "/x");
	options_free(&options);
	options = parse("-t -j -d 2 -n 5 --latency");
	shows(&options, &view_latency.request, NULL, NULL);
	assert_true(options.json && options.threads);
	assert_int_equal(options.duration, 2000000000);
	assert_int_equal(options.count, 5);
	options_free(&options);
	options = parse("--tree --fold -q");
	assert_int_equal(options.fold, FOLD_ALWAYS);
	assert_true(options.quiet);
	options_free(&options);
	options = parse("--tree --no-fold");
	assert_int_equal(options.fold, FOLD_NEVER);
	options_free(&options);
	options = parse("--record /r -n 5");
	shows(&options, NULL, NULL, NULL);
	assert_string_equal(options.record.dir, "/r");
	options_free(&options);
	options = parse("--record /r --tree --json -- x");
	shows(&options, &view_tree.request, NULL, NULL);
	options_free(&options);
	options = parse("-i /r --latency --pid 5 -d 1");
	shows(&options, &view_latency.request, NULL, NULL);
	assert_string_equal(options.inputs.all[0], "/r");
	options_free(&options);
	options = parse("--status --json");
	shows(&options, &tool_status, NULL, NULL);
	options_free(&options);
}

static void test_durations(void **state)
{
	static const struct {
		const char *line;
		uint64_t ns;
	} durations[] = {
		{ "-d 10", 10000000000 },  { "-d 0.5", 500000000 },  { "-d 10s", 10000000000 },
		{ "-d 250ms", 250000000 }, { "-d 0.25ms", 250000 }, { "-d 1.5s", 1500000000 },
		{ "-d .5", 500000000 },	   { "-d 5m", 300000000000 },
		{ "-d 2min", 120000000000 }, { "-d 1.5h", 5400000000000 },
		{ "-d 30us", 30000 },	   { "-d 77ns", 77 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++) {
		struct options options = parse(durations[i].line);

		assert_int_equal(options.duration, durations[i].ns);
		options_free(&options);
	}
}

static void test_expectations(void **state)
{
	struct options options;

	(void)state;
	options = parse("--expect exit_free.p99<50ms --expect lost==0 --ktap");
	shows(&options, NULL, NULL, NULL);
	assert_int_equal(options.expect.form, VERDICTS_KTAP);
	assert_int_equal(options.expect.count, 2);
	assert_string_equal(options.expect.all[0].text, "exit_free.p99<50ms");
	assert_int_equal(options.expect.all[1].what, EXPECT_LOST);
	options_free(&options);
	options = parse("--tree --expect lost==0 --threads --json -- true");
	shows(&options, &view_tree.request, NULL, NULL);
	assert_int_equal(options.expect.form, VERDICTS_PLAIN);
	options_free(&options);
	/* No view is given, but with --json the verdict can be shown. */
	options = parse("--json --expect lost==0");
	shows(&options, NULL, NULL, NULL);
	options_free(&options);
}

static void test_cut(void **state)
{
	static const struct {
		const char *line;
		struct cut cut;
	} cuts[] = {
		{ "--tree --depth 0", { 0, 0, 0, TOP_CPU, false } },
		{ "--tree --json --depth 3", { 3, 0, 0, TOP_CPU, false } },
		{ "--tree --min-life 20ms", { DEPTH_ALL, 20000000, 0, TOP_CPU, false } },
		{ "--tree --min-life 1", { DEPTH_ALL, 1000000000, 0, TOP_CPU, false } },
		{ "--tree --top 20", { DEPTH_ALL, 0, 20, TOP_CPU, false } },
		{ "--tree --top 20:cpu", { DEPTH_ALL, 0, 20, TOP_CPU, false } },
		{ "--tree --top 1:life", { DEPTH_ALL, 0, 1, TOP_LIFE, false } },
		{ "--tree --top 2:rss --no-fold", { DEPTH_ALL, 0, 2, TOP_RSS, false } },
		{ "--tree --top 4294967295:count", { DEPTH_ALL, 0, UINT32_MAX, TOP_COUNT, false } },
		{ "--tree --depth 2 --min-life 5us --top 9:rss --threads", { 2, 5000, 9, TOP_RSS, false } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		struct options options = parse(cuts[i].line);

		assert_true(cut_is_set(&options.cut));
		assert_int_equal(options.cut.depth, cuts[i].cut.depth);
		assert_int_equal(options.cut.min_life, cuts[i].cut.min_life);
		assert_int_equal(options.cut.top, cuts[i].cut.top);
		assert_int_equal(options.cut.key, cuts[i].cut.key);
		options_free(&options);
	}
}

static void test_command(void **state)
{
	struct options options = parse("--tree -- make -j --tree -- x");

	(void)state;
	shows(&options, &view_tree.request, NULL, NULL);
	assert_false(options.json); /* make's */
	assert_non_null(options.command);
	assert_string_equal(options.command[0], "make");
	assert_string_equal(options.command[1], "-j");
	assert_string_equal(options.command[2], "--tree");
	assert_string_equal(options.command[3], "--");
	assert_string_equal(options.command[4], "x");
	assert_null(options.command[5]);
	options_free(&options);
}

/* Options that select processes. */
static void test_selection(void **state)
{
	struct options options;

	(void)state;
	options = parse("--comm cc* --comm ld --uid 0 --uid root --uid 4294967294 "
			"--cgroup /a/b --cgroup /sys/fs/cgroup/c/ --cgroup /sys/fs/cgroup "
			"--cgroup /sys/fs/cgroup/unified/d --cgroup /sys/fs/cgroups");
	assert_true(filter_is_set(&options.filter));
	assert_true(options.cut.matching);
	assert_int_equal(options.filter.comms.count, 2);
	assert_string_equal(options.filter.comms.all[0], "cc*");
	assert_string_equal(options.filter.comms.all[1], "ld");
	assert_int_equal(options.filter.uids.count, 3);
	assert_int_equal(options.filter.uids.all[0], 0);
	assert_int_equal(options.filter.uids.all[1], UINT32_MAX - 1);
	assert_int_equal(options.filter.uids.all[2], 0); /* names come last */
	assert_int_equal(options.filter.cgroups.count, 5);
	assert_string_equal(options.filter.cgroups.all[0], "/a/b");
	assert_string_equal(options.filter.cgroups.all[1], "/c/");
	assert_string_equal(options.filter.cgroups.all[2], "/");
	assert_string_equal(options.filter.cgroups.all[3], "/d");
	assert_string_equal(options.filter.cgroups.all[4], "/sys/fs/cgroups");
	options_free(&options);
	options = parse("--tree --pid 5");
	assert_false(filter_is_set(&options.filter) || options.cut.matching);
	options_free(&options);
}

static void test_show(void **state)
{
	static const struct {
		const char *line;
		unsigned int show;
	} shows[] = {
		{ "--tree", 0 },
		{ "--tree --show pidns", SHOW_PIDNS },
		{ "--tree --show cgroup", SHOW_CGROUP },
		{ "--tree --show uid,pidns", SHOW_UID | SHOW_PIDNS },
		{ "--tree --show uid --show cgroup,pidns", SHOW_UID | SHOW_CGROUP | SHOW_PIDNS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shows) / sizeof(*shows); i++) {
		struct options options = parse(shows[i].line);

		assert_int_equal(options.show, shows[i].show);
		options_free(&options);
	}
}

static void test_by(void **state)
{
	static const struct {
		const char *line;
		enum proclife_by by;
	} keys[] = {
		{ "--latency", PROCLIFE_BY_NOTHING },
		{ "--latency --by comm", PROCLIFE_BY_COMM },
		{ "--latency --by parent", PROCLIFE_BY_PARENT },
		{ "--latency --by reaper", PROCLIFE_BY_REAPER },
		{ "--latency --by cgroup", PROCLIFE_BY_CGROUP },
		{ "--latency --by cpu --top 3", PROCLIFE_BY_CPU },
		{ "--latency --tree --by uid", PROCLIFE_BY_UID },
		{ "--diff a b --by cgroup", PROCLIFE_BY_CGROUP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct options options = parse(keys[i].line);

		assert_int_equal(options.by, keys[i].by);
		options_free(&options);
	}
}

static void test_views(void **state)
{
	struct options options;

	(void)state;
	options = parse("--parents --tree --latency --top 5");
	shows(&options, &view_tree.request, &view_latency.request, &view_parents.request);
	assert_int_equal(options.cut.top, 5);
	options_free(&options);
	options = parse("--parents --record r -n 7 -- true");
	shows(&options, &view_parents.request, NULL, NULL);
	options_free(&options);
	options = parse("--zombies --json --pid 5 --comm x --top 3");
	shows(&options, &view_zombies.request, NULL, NULL);
	options_free(&options);
	options = parse("-i r --zombies");
	shows(&options, &view_zombies.request, NULL, NULL);
	options_free(&options);
	options = parse("-i a -i b --latency --by comm --input c");
	assert_int_equal(options.inputs.count, 3);
	assert_string_equal(options.inputs.all[2], "c");
	options_free(&options);
	options = parse("-i a -i b --expect lost==0");
	shows(&options, NULL, NULL, NULL);
	options_free(&options);
}

static void words_are(const struct words *words, const char *text)
{
	char all[64] = "";

	for (size_t i = 0; i < words->count; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
			 words->all[i]);
	assert_string_equal(all, text);
}

static void sides_are(const struct options *options, const char *a, const char *b)
{
	words_are(&options->diff.a, a);
	words_are(&options->diff.b, b);
}

static void test_diff(void **state)
{
	struct options options;

	(void)state;
	options = parse("--diff a b");
	shows(&options, &tool_diff, NULL, NULL);
	sides_are(&options, "a", "b");
	assert_true(options.diff.factor == 1.1);
	assert_false(options.diff.force);
	options_free(&options);
	options = parse("--diff a --factor 1.25 --force b --threads --json --uid 0 --pid 1");
	sides_are(&options, "a", "b");
	assert_true(options.diff.factor == 1.25);
	assert_true(options.diff.force && options.threads && options.json);
	options_free(&options);
	options = parse("--diff=a --diff=b");
	sides_are(&options, "a", "b");
	options_free(&options);
	/* Each word belongs to the side that is named last. */
	options = parse("--diff a b --against c d --junit f --expect lost==0 e");
	sides_are(&options, "a b", "c d e");
	assert_string_equal(options.expect.junit, "f");
	options_free(&options);
	options = parse("--against c --against=d --diff a");
	sides_are(&options, "a", "c d");
	options_free(&options);
	options = parse("--diff a b --against c");
	sides_are(&options, "a b", "c");
	options_free(&options);
}

/* What is given twice and means one thing, or all that is given. */
static void test_source(void **state)
{
	struct options options = parse("");

	(void)state;
	assert_false(options.source.paths);
	assert_int_equal(options.source.env_count, 0);
	options = parse("--source=bpf,paths,env=CC:A_1,births,args_bytes=100,env=_x,env=paths,waits=N");
	assert_int_equal(options.source.kind, SOURCE_BPF);
	assert_true(options.source.paths);
	assert_true(options.source.births);
	assert_false(options.source.waits);
	assert_int_equal(options.source.args_bytes, 100);
	assert_int_equal(options.source.env_count, 4);
	assert_string_equal(options.source.env[0], "CC");
	assert_string_equal(options.source.env[1], "A_1");
	assert_string_equal(options.source.env[2], "_x");
	assert_string_equal(options.source.env[3], "paths");
	options = parse("--source=bpf,env=a:b:c:d:e:f:g:h:i:j:k:l:m:n:o:p,paths");
	assert_int_equal(options.source.env_count, 16);
	assert_true(options.source.paths);
	options_free(&options);
}

static void test_repeated(void **state)
{
	struct options options;

	(void)state;
	options = parse("--events=exec --events --events=exit,exec -j -j -d 5 -d 5");
	assert_true(options.events == (PROCLIFE_HAS(PROCLIFE_EXEC) | PROCLIFE_HAS(PROCLIFE_EXIT)));
	options_free(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_expectations),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_by),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
