// SPDX-License-Identifier: GPL-2.0-only
/* proclife-read's command line: what is understood, and what the program says of the rest. */
#include "check.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define USAGE 129
#define MOST_ARGS 32

static char program[PATH_MAX];
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
	options_parse(&options, argc, words);
	return options;
}

static void test_defaults(void **state)
{
	struct options options = parse("");

	(void)state;
	assert_int_equal(options.views, VIEW_EVENTS);
	assert_false(options.json || options.threads || options.history || options.load ||
		     options.quiet);
	assert_int_equal(options.fold, FOLD_IF_LONG);
	assert_false(cut_is_set(&options.cut));
	assert_int_equal(options.cut.depth, DEPTH_ALL);
	assert_null(options.device);
	assert_int_equal(options.inputs.count, 0);
	assert_null(options.record);
	assert_int_equal(options.pid_count, 0);
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
	assert_int_equal(options.views, VIEW_TREE | VIEW_LATENCY);
	assert_true(options.json && options.threads && options.history && options.load);
	assert_int_equal(options.pid_count, 2);
	assert_int_equal(options.pids[0], 12);
	assert_int_equal(options.pids[1], INT_MAX);
	assert_int_equal(options.duration, 250000000);
	assert_int_equal(options.count, UINT64_MAX);
	assert_string_equal(options.device, "/x");
	options_free(&options);
	options = parse("-t -j -d 2 -n 5 --latency");
	assert_int_equal(options.views, VIEW_LATENCY);
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
	assert_int_equal(options.views, VIEW_NONE);
	assert_string_equal(options.record, "/r");
	options_free(&options);
	options = parse("--record /r --tree --json -- x");
	assert_int_equal(options.views, VIEW_TREE);
	options_free(&options);
	options = parse("-i /r --latency --pid 5 -d 1");
	assert_int_equal(options.views, VIEW_LATENCY);
	assert_string_equal(options.inputs.all[0], "/r");
	options_free(&options);
	options = parse("--status --json");
	assert_int_equal(options.views, VIEW_STATUS);
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
	assert_int_equal(options.views, VIEW_NONE);
	assert_int_equal(options.verdicts, VERDICTS_KTAP);
	assert_int_equal(options.expectation_count, 2);
	assert_string_equal(options.expectations[0].text, "exit_free.p99<50ms");
	assert_int_equal(options.expectations[1].what, EXPECT_LOST);
	options_free(&options);
	options = parse("--tree --expect lost==0 --threads --json -- true");
	assert_int_equal(options.views, VIEW_TREE);
	assert_int_equal(options.verdicts, VERDICTS_PLAIN);
	options_free(&options);
	/* Nothing else is shown, but with --json the verdict can be. */
	options = parse("--json --expect lost==0");
	assert_int_equal(options.views, VIEW_NONE);
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
	assert_int_equal(options.views, VIEW_TREE);
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

/* The program's exit status, and what it says on standard error and output. */
static int run(const char *line, char *said, size_t size)
{
	char copy[1000];
	int argc, status, fds[2];
	size_t length = 0;
	ssize_t n;
	pid_t pid;

	split(line, copy, &argc);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		alarm(20);
		execv(program, words);
		_exit(99);
	}
	close(fds[1]);
	while (length < size - 1 && (n = read(fds[0], said + length, size - 1 - length)) > 0)
		length += n;
	said[length] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_bad_usage(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} bad[] = {
		{ "--pid x", "--pid x" },
		{ "--pid 0", "--pid 0" },
		{ "--pid -1", "--pid -1" },
		{ "--pid 12x", "--pid 12x" },
		{ "--pid 2147483648", "--pid 2147483648" },
		{ "--pid 99999999999999999999999", "--pid 9999" },
		{ "--pid", "--pid" },
		{ "--nonsense", "--nonsense" },
		{ "-Z", "Z" },
		{ "tree", "tree" },
		{ "make -j", "make" },
		{ "--", "'--'" },
		{ "--duration 0", "--duration 0" },
		{ "--duration -5", "--duration -5" },
		{ "--duration 5d", "--duration 5d" },
		{ "--duration 5 s", "s: a command" },
		{ "--duration 5sx", "--duration 5sx" },
		{ "--duration 0x10", "--duration 0x10" },
		{ "--duration inf", "--duration inf" },
		{ "--duration 1.2.3", "--duration 1.2.3" },
		{ "--duration .", "--duration ." },
		{ "--duration 99999999999999999999", "--duration 9999" },
		{ "--count 0", "--count 0" },
		{ "--count -3", "--count -3" },
		{ "--count 18446744073709551616", "--count 1844" },
		{ "--events --tree", "--tree" },
		{ "--status --latency", "--latency" },
		{ "--fold", "--fold" },
		{ "--tree --fold --json", "--fold" },
		{ "--no-fold", "--no-fold" },
		{ "--tree --no-fold --json", "--no-fold" },
		{ "--latency --depth 2", "--depth is for --tree" },
		{ "--depth 2", "--depth is for --tree" },
		{ "--tree --depth x", "--depth x" },
		{ "--tree --depth -1", "--depth -1" },
		{ "--tree --depth 4294967295", "--depth 4294967295" },
		{ "--tree --depth", "--depth" },
		{ "--events --min-life 5ms", "--min-life is for --tree" },
		{ "--tree --min-life 0", "--min-life 0" },
		{ "--tree --min-life 5x", "--min-life 5x" },
		{ "--tree --min-life -5ms", "--min-life -5ms" },
		{ "--latency --top 5", "--top is for --tree" },
		{ "--tree --top 0", "--top 0" },
		{ "--tree --top cpu", "--top cpu" },
		{ "--tree --top 5:", "--top 5:" },
		{ "--tree --top 5:pid", "cpu, life, rss and count" },
		{ "--tree --top :cpu", "--top :cpu" },
		{ "--tree --top 4294967296", "--top 4294967296" },
		{ "--tree --top 99999999999999999999999999:cpu", "--top 9999" },
		{ "--tree --top 5 --fold", "--fold and --top" },
		{ "--record x --depth 2", "--depth" },
		{ "--threads", "--threads" },
		{ "--tree --fold --threads", "--threads" },
		{ "--pid 5 -- true", "--pid" },
		{ "--history -- true", "--history" },
		{ "--status --count 5", "--status" },
		{ "--status --pid 5", "--status" },
		{ "--status -- true", "--status" },
		{ "--status --record x", "--record" },
		{ "--record", "--record" },
		{ "--record x --json", "--json" },
		{ "--record x --fold", "--fold" },
		{ "--input", "--input" },
		{ "-i x --load", "--load" },
		{ "-i x --device /x", "--device" },
		{ "-i x --history", "--history" },
		{ "-i x --record y", "--record" },
		{ "-i x --status", "--status" },
		{ "-i x -- true", "COMMAND" },
		{ "--expect", "--expect" },
		{ "--expect lost", "--expect 'lost': there has to be a relation" },
		{ "--expect lost==0 --expect exit.p9<1s", "--expect 'exit.p9<1s': the figure" },
		{ "--status --expect lost==0", "--status and --expect" },
		{ "--ktap", "--ktap prints verdicts" },
		{ "--lava --tree", "--lava prints verdicts" },
		{ "--lava --tree --expect lost==0", "--lava prints nothing but verdicts" },
		{ "--ktap --json --expect lost==0", "--ktap prints nothing but verdicts" },
		{ "--ktap --lava --expect lost==0", "--ktap and --lava" },
		{ "--completion fish", "--completion fish" },
	};
	char said[8000];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int status = run(bad[i].line, said, sizeof(said));

		if (status != USAGE || !strstr(said, bad[i].says) ||
		    strncmp(said, "proclife-read: ", 15))
			fail_msg("'%s': status %d: %s", bad[i].line, status, said);
	}
}

static void test_help(void **state)
{
	char said[20000];

	(void)state;
	assert_int_equal(run("--help", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "--latency"));
	assert_non_null(strstr(said, "COMMAND"));
	assert_int_equal(run("--version", said, sizeof(said)), 0);
	assert_int_equal(strncmp(said, "proclife-read " PROCLIFE_VERSION, 14), 0);
	assert_int_equal(run("--usage", said, sizeof(said)), 0);
}

static void test_no_module(void **state)
{
	static const char *const lines[] = {
		"", "--status", "--tree --count 1", "--latency -- true",
	};
	char said[4000];

	(void)state;
	if (!access("/dev/proclife", F_OK) || !access("/sys/module/proclife", F_OK))
		skip();
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(run(lines[i], said, sizeof(said)), 1);
		assert_int_equal(strncmp(said, "proclife-read: /dev/proclife: module ", 37), 0);
		/* The remedy, and nothing after that one line. */
		assert_non_null(strstr(said, "run '"));
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	}
}

/* The command does not run if it cannot be traced. */
static void test_no_module_no_command(void **state)
{
	char path[] = "/tmp/proclife-test-XXXXXX", line[100], said[4000];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	snprintf(line, sizeof(line), "--device /nonexistent/proclife -- touch %s", path);
	assert_int_equal(run(line, said, sizeof(said)), 1);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void test_bad_device(void **state)
{
	char said[4000];

	(void)state;
	assert_int_equal(run("--device /dev/null", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "/dev/null: "));
	assert_int_equal(run("--device /nonexistent/device", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "/nonexistent/device: No such file"));
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
		cmocka_unit_test(test_bad_usage),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_no_module),
		cmocka_unit_test(test_no_module_no_command),
		cmocka_unit_test(test_bad_device),
	};

	if (find_program(program))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
