// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ten times as much of anything that a user can have many of costs every view, every trigger and the code that carries
 * lives over to the next part at most twelve times as much CPU time: searching a list for each of its
 * members takes a hundred times.
 */
#include "check.h"
#include "recorded.h"
#include "story.h"

#include <flight/carry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* With ASan, most of the time is spent in the kernel for its allocator, so the shapes only run. */
#ifdef __SANITIZE_ADDRESS__
#define FACTOR 10000
#else
#define FACTOR 12
#endif
#define TRIES 20
#define FEW 2000
#define MANY (10 * FEW)
#define AT_2023 "\"0x1797a6ae3e3a0000\"" /* without a time of day, nothing is exported */
#define LEAST 3000 /* us: more than an idle run of the program takes */

static struct who parent;
static struct proclife_carry *carry; /* NULL: it is recorded */
static uint64_t ts;

static void put(struct proclife_record record)
{
	const struct proclife_event event = { .record = &record };

	record.ts = ++ts;
	if (carry)
		assert_int_equal(proclife_carry_take(carry, &event), 0);
	else
		story_put(record);
}

static void put_end(const struct who *who, const struct who *reaper)
{
	put(exit_record(0, who, 0, 0));
	put(reap_record(0, who, reaper));
	put(free_record(0, who));
}

/* All of one process; each begins to exit, and is reaped, while the others are still there. */
static void threads(uint32_t n)
{
	struct who leader = process_of_pid(200, "threads"), *all = calloc(n, sizeof(*all));

	assert_non_null(all);
	put(fork_record(0, &leader, &parent));
	for (uint32_t i = 0; i < n; i++) {
		all[i] = thread_of(&leader, 1000 + i);
		put(clone_record(0, &all[i], &parent, &leader));
	}
	for (uint32_t i = 0; i < n; i++)
		put(record_of(0, PROCLIFE_EXITING, &all[i]));
	for (uint32_t i = 0; i < n; i++)
		put(reap_record(0, &all[i], &all[i]));
	free(all);
}

/* The threads of one process fork them, and some are gone before the next part begins. */
static void children(uint32_t n)
{
	struct who leader = process_of_pid(200, "parent"), *all = calloc(n, sizeof(*all));

	assert_non_null(all);
	put(fork_record(0, &leader, &parent));
	for (uint32_t i = 0; i < n / 2; i++) {
		all[i] = thread_of(&leader, 1000 + i);
		put(clone_record(0, &all[i], &parent, &leader));
	}
	for (uint32_t i = 0; i < n / 2; i++) {
		struct who child = process_of_pid(1000000 + i, "child");

		put(clone_record(0, &child, &leader, &all[i]));
	}
	for (uint32_t i = 0; i < n / 4; i++) {
		put(exit_record(0, &all[i], 0, 1));
		put(free_record(0, &all[i]));
	}
	free(all);
}

/* One process has a new name for each of its children; and each process has its own. */
static void names(uint32_t n)
{
	struct who leader = process_of_pid(200, "first"), who;
	char name[PROCLIFE_COMM_LEN];

	put(fork_record(0, &leader, &parent));
	for (uint32_t i = 0; i < n / 2; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		put(rename_record(0, &leader, name));
		leader.comm = name;
		who = process_of_pid(1000 + i, name);
		put(fork_record(0, &who, &leader));
	}
	for (uint32_t i = 0; i < n / 2; i++) {
		snprintf(name, sizeof(name), "other%u", i);
		who = process_of_pid(1000000 + i, name);
		put(fork_record(0, &who, &parent));
		put_end(&who, &parent);
	}
}

static void cgroups(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct who who = process_of_pid(1000 + i, "name");
		struct proclife_record fork = fork_record(0, &who, &parent);

		fork.fork.cgroup = 1000 + i;
		put(fork);
		put_end(&who, &parent);
	}
}

/* Arguments in more pieces than the module makes, in a recording by another program. */
static void pieces(uint32_t n)
{
	struct who who = process_of_pid(200, "name");
	struct proclife_record piece = record_of(0, PROCLIFE_ARGS, &who);

	put(fork_record(0, &who, &parent));
	put(exec_record(0, &who, who.pid, "/bin/name"));
	piece.args.len = 3;
	piece.args.total = 3 * MANY;
	for (uint32_t i = 0; i < n; i++) {
		piece.args.offset = (uint16_t)(i * piece.args.len);
		put(piece);
	}
}

static const struct shape {
	const char *name;
	void (*put)(uint32_t n);
} shapes[] = {
	{ "threads", threads }, { "children", children }, { "names", names }, { "cgroups", cgroups },
	{ "pieces", pieces },
};

#define SHAPES (sizeof(shapes) / sizeof(*shapes))

static const char *const views[] = {
	"--lives", "--lives --sort alone", "--events", "--tree", "--tree --threads", "--summary", "--critical-path",
	"--latency --threads", "--latency --by comm", "--latency --by cgroup", "--parents", "--zombies",
	"--parents --interval 1ms", "--export folded", "--export otlp", "--export perfetto",
	"--on life>100s --on zombie>0s --on teardown>1s --on failed --on thread_exit", "--html %s/page.html",
	"--metrics %s/metrics.prom",
	"--slice %s/slice --comm name*",
};

static void begin(struct folder *made, const struct shape *shape, uint32_t n)
{
	folder_make(made);
	story_begin(made->path);
	parent = process_of_pid(100, "parent");
	put(task_record(0, &parent, &parent));
	shape->put(n);
	story_end();
	metadata_set(made->path, "to_realtime", AT_2023);
}

static uint64_t time_view(const char *view, const struct folder *of)
{
	char options[2 * PATH_MAX], path[2 * PATH_MAX];
	struct rusage before, after;
	struct output output;

	snprintf(options, sizeof(options), view, of->base); /* NOLINT */
	snprintf(path, sizeof(path), "rm -rf %s/slice", of->base);
	assert_int_equal(system(path), 0);
	getrusage(RUSAGE_CHILDREN, &before);
	output = run_program(false, 0, "%s -i %s %s", program, of->path, options);
	getrusage(RUSAGE_CHILDREN, &after);
	if (output.status)
		fail_msg("%s: status %d", options, output.status);
	free(output.text);
	return (uint64_t)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 + LEAST +
	       (uint64_t)after.ru_utime.tv_usec - (uint64_t)before.ru_utime.tv_usec;
}

static void test_views(void **state)
{
	bool failed = false;

	(void)state;
	for (size_t s = 0; s < SHAPES; s++) {
		struct folder few, many;

		begin(&few, &shapes[s], FEW);
		begin(&many, &shapes[s], MANY);
		for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++) {
			uint64_t least = 0, most = UINT64_MAX;

			/* Other work on this machine makes either look slow, and neither quick. */
			for (int try = 0; try < TRIES && most > FACTOR * least; try++) {
				uint64_t one = time_view(views[v], &few), ten = time_view(views[v], &many);

				least = one > least ? one : least;
				most = ten < most ? ten : most;
			}
			if (most <= FACTOR * least)
				continue;
			print_error("%s, %s: %llu us, of ten times as many %llu us\n", shapes[s].name, views[v],
				    (unsigned long long)least, (unsigned long long)most);
			failed = true;
		}
		folder_remove(&few);
		folder_remove(&many);
	}
	assert_false(failed);
}

/* Each word of the longest life is in the other's line, at its end: as many words as possible. */
static void put_line(uint32_t pid, const char *word, bool lives_longer)
{
	char text[4096], comm[PROCLIFE_COMM_LEN] = "", path[32];
	struct who who = process_of_pid(pid, comm);
	size_t n = strlen(word) + 1;

	snprintf(comm, sizeof(comm), "line%u", pid / 2);
	snprintf(path, sizeof(path), "/bin/%s", comm);

	for (size_t i = 0; i + n <= sizeof(text); i += n)
		memcpy(text + i, word, n);
	memcpy(text + sizeof(text) - 2, "b", 2);
	put(fork_record(0, &who, &parent));
	put(exec_record(0, &who, who.pid, path));
	story_args(&who, text, sizeof(text));
	for (int i = 0; i < 2 && lives_longer; i++)
		put(wait_record(0, &who));
	put_end(&who, &parent);
}

static void put_lines(struct folder *made, bool words)
{
	folder_make(made);
	story_begin(made->path);
	parent = process_of_pid(100, "parent");
	put(task_record(0, &parent, &parent));
	for (uint32_t i = 0; i < 100; i++) {
		char word[2048];

		memset(word, 'a', sizeof(word));
		word[words ? 1 : sizeof(word) - 1] = '\0';
		put_line(1000 + 2 * i, word, false);
		word[0] = 'b';
		put_line(1001 + 2 * i, word, true);
	}
	story_end();
	metadata_set(made->path, "to_realtime", AT_2023);
}

/* Lines of two thousand words cost as much as lines of two long ones. */
static void test_arguments(void **state)
{
	static const char *const of_lines[] = {
		"--summary", "--summary --json", "--lives", "--tree", "--tree --no-fold", "--critical-path", "--export otlp",
	};
	struct folder lines, words;
	bool failed = false;

	(void)state;
	put_lines(&lines, false);
	put_lines(&words, true);
	for (size_t v = 0; v < sizeof(of_lines) / sizeof(*of_lines); v++) {
		uint64_t least = 0, most = UINT64_MAX;

		for (int try = 0; try < TRIES && most > FACTOR * least; try++) {
			uint64_t one = time_view(of_lines[v], &lines), other = time_view(of_lines[v], &words);

			least = one > least ? one : least;
			most = other < most ? other : most;
		}
		if (most <= FACTOR * least)
			continue;
		print_error("%s: %llu us, of as many bytes in short words %llu us\n", of_lines[v],
			    (unsigned long long)least, (unsigned long long)most);
		failed = true;
	}
	folder_remove(&lines);
	folder_remove(&words);
	assert_false(failed);
}

static uint64_t cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t time_carry(const struct shape *shape, uint32_t n)
{
	struct proclife_carried carried;
	uint64_t began = cpu_us();

	assert_int_equal(proclife_carry_new(&carry, NULL), 0);
	parent = process_of_pid(100, "parent");
	put(task_record(0, &parent, &parent));
	shape->put(n);
	assert_int_equal(proclife_carry_choose(carry, SIZE_MAX, &carried), 0);
	assert_int_equal(proclife_carry_choose(carry, carried.count / 2, &carried), 0);
	proclife_carry_free(carry);
	carry = NULL;
	return cpu_us() - began + LEAST;
}

static void test_carry(void **state)
{
	bool failed = false;

	(void)state;
	for (size_t s = 0; s < SHAPES; s++) {
		uint64_t least = 0, most = UINT64_MAX;

		for (int try = 0; try < TRIES && most > FACTOR * least; try++) {
			uint64_t one = time_carry(&shapes[s], FEW), ten = time_carry(&shapes[s], MANY);

			least = one > least ? one : least;
			most = ten < most ? ten : most;
		}
		if (most <= FACTOR * least)
			continue;
		print_error("%s: %llu us, of ten times as many %llu us\n", shapes[s].name,
			    (unsigned long long)least, (unsigned long long)most);
		failed = true;
	}
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_views),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
