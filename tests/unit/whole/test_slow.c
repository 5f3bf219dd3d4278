// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input that others choose must not cost much: no record costs more than ten times an ordinary one. Each
 * attack below made a list of something, and walked it once for each record. Judged by CPU time,
 * with a factor that noise does not reach and every such list exceeds.
 */
#include "check.h"
#include "story.h"

#include <base/intern.h>
#include <limits.h>
#include <malloc.h>
#include <base/map.h>
#include <base/siphash.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* With ASan, most of the time is spent in the kernel for its allocator, so the attacks only run. */
#ifdef __SANITIZE_ADDRESS__
#define FACTOR 10000
#else
#define FACTOR 10
#endif
#define TRIES 20
#define TEXTS 20000

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The test vectors of the reference implementation are for SipHash-2-4; these are for 1-3. */
static void test_siphash(void **state)
{
	static const uint64_t expected[] = {
		0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb,
		0xcf75576088d38328, 0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140,
		0x369095118d299a8e, 0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
		0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34, 0xd320d86d2a519956,
	};
	const struct proclife_secret secret = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	unsigned char in[16];

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		in[i] = (unsigned char)i;
		assert_int_equal(proclife_siphash(&secret, in, i), expected[i]);
	}
}

/*
 * The former hash of texts was a chain of multiplications without a key: the last word can be
 * chosen so that the result is any number. Makes the @n-th text with the same hash.
 */
static void same_hash_once(uint64_t n, uint64_t text[2])
{
	const uint64_t factor = 0xd6e8feb86659fd93ULL;
	uint64_t inverse = factor, hash = 16 * 0x9e3779b97f4a7c15ULL;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	text[0] = n * 0x0101010101010101ULL ^ 0x6161616161616161ULL;
	hash = (hash ^ text[0]) * factor;
	hash ^= hash >> 32;
	text[1] = 0x123456789abcdef0ULL * inverse ^ hash;
}

static void any_text(uint64_t n, uint64_t text[2])
{
	text[0] = n;
	text[1] = n * 0x9e3779b97f4a7c15ULL;
}

static uint64_t time_texts(void (*make)(uint64_t n, uint64_t text[2]))
{
	struct proclife_intern intern = { 0 };
	uint64_t text[2], began = cpu_ns();

	for (uint64_t n = 0; n < TEXTS; n++) {
		make(n, text);
		assert_non_null(proclife_intern(&intern, (const char *)text, sizeof(text)));
	}
	assert_int_equal(intern.used, TEXTS);
	proclife_intern_free(&intern);
	return cpu_ns() - began;
}

static void test_texts(void **state)
{
	uint64_t any, chosen;

	(void)state;
	for (int try = 0; try < TRIES; try++) {
		any = time_texts(any_text);
		chosen = time_texts(same_hash_once);
		if (chosen <= FACTOR * any)
			return;
	}
	fail_msg("chosen texts take %llu ns, any others %llu", (unsigned long long)chosen,
		 (unsigned long long)any);
}

/* Two tables of the same texts do not have the same hashes. */
static void test_secret(void **state)
{
	struct proclife_secret a = proclife_secret_new(), b = proclife_secret_new();

	(void)state;
	assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1] && a.key[0] != a.key[1]);
	assert_true(proclife_siphash(&a, "text", 4) != proclife_siphash(&b, "text", 4));
}

/*
 * Attacks on the lives, each of about this many records
 */

#define RECORDS 40000

static struct proclife_tasks *tasks;
static uint64_t ts;
static struct who parent;

static struct who fresh(uint32_t pid)
{
	return process_of_pid(pid, "name");
}

/* The comparison: lives of four records, a thousand of them open at a time. */
static void ordinary(void)
{
	static struct who open[1000];

	for (unsigned int i = 0; i < RECORDS / 4; i++) {
		struct who *who = &open[i % 1000];

		if (i >= 1000) {
			feed(tasks, exit_record(++ts, who, 0, 0));
			feed(tasks, reap_record(++ts, who, &parent));
			feed(tasks, free_record(++ts, who));
		}
		*who = fresh(300 + i);
		feed(tasks, fork_record(++ts, who, &parent));
	}
}

/* Many open processes have one pid, and unknown threads of it appear. */
static void same_pid(void)
{
	for (unsigned int i = 0; i < RECORDS; i++) {
		struct who who = fresh(200);

		if (i % 2) {
			feed(tasks, fork_record(++ts, &who, &parent));
		} else {
			who = thread_of(&who, 1000 + i);
			feed(tasks, exit_record(++ts, &who, 0, 1));
		}
	}
}

/* They end, the oldest first. */
static void same_pid_freed(void)
{
	static struct who all[RECORDS / 2];

	for (unsigned int i = 0; i < RECORDS / 2; i++) {
		all[i] = fresh(200);
		feed(tasks, fork_record(++ts, &all[i], &parent));
	}
	for (unsigned int i = 0; i < RECORDS / 2; i++)
		feed(tasks, free_record(++ts, &all[i]));
}

/* A process of many threads without a leader, and what may be its leader, again and again. */
static void leaderless(void)
{
	struct who leader = fresh(200);

	feed_gap(tasks, 1, ts, ts);
	for (unsigned int i = 0; i < RECORDS; i++) {
		struct who who = thread_of(&leader, 1000 + i);

		who.start = 5000000000000 + i;
		if (i < RECORDS / 2) {
			feed(tasks, wait_record(++ts, &who));
			continue;
		}
		who = fresh(200);
		who.start = 4000000000000 + i;
		who.tgid = 200;
		feed(tasks, wait_record(++ts, &who));
	}
}

/* A snapshot in which the parent comes after all its children. */
static void orphans(void)
{
	struct who late = fresh(200);

	for (unsigned int i = 0; i < RECORDS; i++) {
		struct who who = fresh(300 + i);

		feed(tasks, task_record(++ts, &who, &late));
	}
	feed(tasks, task_record(++ts, &late, &parent));
}

/* The parent never comes, and they are freed, the oldest first. */
static void orphans_freed(void)
{
	static struct who all[RECORDS / 2];
	struct who late = fresh(200);

	for (unsigned int i = 0; i < RECORDS / 2; i++) {
		all[i] = fresh(300 + i);
		feed(tasks, task_record(++ts, &all[i], &late));
	}
	for (unsigned int i = 0; i < RECORDS / 2; i++)
		feed(tasks, free_record(++ts, &all[i]));
}

/* A chain of parents, and as many children of the last one, which comes after them. */
static void chain(void)
{
	struct who last = parent, late = fresh(200);

	for (unsigned int i = 0; i < RECORDS / 2; i++) {
		struct who who = fresh(300 + i);

		feed(tasks, task_record(++ts, &who, &late));
	}
	for (unsigned int i = 0; i < RECORDS / 2; i++) {
		struct who who = i == RECORDS / 2 - 1 ? late : fresh(300000 + i);

		feed(tasks, task_record(++ts, &who, &last));
		last = who;
	}
}

/* With only one process and its descendants selected: a chain whose last link comes first. */
static void selected_chain(void)
{
	struct who who = fresh(200 + RECORDS), above;

	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	for (unsigned int i = RECORDS; i--; who = above) {
		above = fresh(200 + i);
		above.start = who.start - 1;
		feed(tasks, task_record(++ts, &who, &above));
	}
	feed(tasks, task_record(++ts, &who, &parent));
	assert_int_equal(proclife_tasks_selected(tasks), RECORDS + 1);
}

/* All of them are its children, and come before it. */
static void selected_orphans(void)
{
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	orphans();
	assert_int_equal(proclife_tasks_selected(tasks), RECORDS + 1);
}

/* One process gets all signals, over and over. */
static void signals(void)
{
	struct who who = fresh(200);

	feed(tasks, fork_record(++ts, &who, &parent));
	for (unsigned int i = 0; i < RECORDS; i++) {
		int signo = 1 + (int)(i % 127);

		feed(tasks, signal_record(++ts, &who, signo == SIGCHLD ? 1 : signo, &parent));
	}
}

/* Its many threads are found, and its end is notified and found, again and again. */
static void notices(bool older)
{
	struct who who = fresh(200);
	struct proclife_record zombie = task_record(0, &who, &parent);

	zombie.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	zombie.ts = ++ts;
	feed(tasks, older ? zombie : fork_record(++ts, &who, &parent));
	for (unsigned int i = 0; i < RECORDS / 2; i++) {
		struct who thread = thread_of(&who, 1000 + i);

		feed(tasks, older ? reap_record(++ts, &thread, &thread) :
				    clone_record(++ts, &thread, &parent, &who));
	}
	for (unsigned int i = 0; i < RECORDS / 4; i++) {
		zombie.ts = ++ts;
		feed(tasks, older ? zombie : wait_record(ts, &who));
		feed(tasks, notify_record(++ts, &who, &parent));
	}
}

static void notified(void)
{
	notices(false);
}

static void found(void)
{
	notices(true);
}

static const struct {
	const char *name;
	void (*run)(void);
} attacks[] = {
	{ "same_pid", same_pid },
	{ "same_pid_freed", same_pid_freed },
	{ "leaderless", leaderless },
	{ "orphans", orphans },
	{ "orphans_freed", orphans_freed },
	{ "chain", chain },
	{ "selected_chain", selected_chain },
	{ "selected_orphans", selected_orphans },
	{ "signals", signals },
	{ "notified", notified },
	{ "found", found },
};

/* With all possible results of lives. */
static uint64_t time_lives(void (*run)(void))
{
	struct proclife_latency *latency;
	struct proclife_reapers *reapers;
	struct proclife_tree *tree;
	uint64_t began = cpu_ns();

	ts = 1000;
	parent = process_of_pid(100, "parent");
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_COMM), 0);
	assert_int_equal(proclife_reapers_new(&reapers, tasks), 0);
	feed(tasks, task_record(++ts, &parent, &parent));
	run();
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tree_roots(tree);
	proclife_reapers_free(reapers);
	proclife_latency_free(latency);
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	return cpu_ns() - began;
}

static void test_attacks(void **state)
{
	bool failed = false;

	(void)state;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		uint64_t any = 0, chosen = UINT64_MAX;

		/* Other work on this machine makes either look slow, and neither quick. */
		for (int try = 0; try < TRIES && chosen > FACTOR * any; try++) {
			uint64_t ordinary_ns = time_lives(ordinary), ns = time_lives(attacks[i].run);

			any = ordinary_ns > any ? ordinary_ns : any;
			chosen = ns < chosen ? ns : chosen;
		}
		if (chosen <= FACTOR * any)
			continue;
		print_error("%s takes %llu us, as many ordinary records %llu\n", attacks[i].name,
			    (unsigned long long)chosen / 1000, (unsigned long long)any / 1000);
		failed = true;
	}
	assert_false(failed);
}

/*
 * Siblings that are folded if they are alike
 */

#define SIBLINGS 12000

static uint64_t time_program(const char *options, const char *path)
{
	struct rusage before, after;
	struct output output;

	getrusage(RUSAGE_CHILDREN, &before);
	output = run_program(false, 0, "%s %s -i %s", program, options, path);
	getrusage(RUSAGE_CHILDREN, &after);
	assert_int_equal(output.status, 0);
	free(output.text);
	return (uint64_t)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
	       (uint64_t)after.ru_utime.tv_usec - (uint64_t)before.ru_utime.tv_usec;
}

/* They are all alike except for the process that forked or reaped them. */
static void test_fold(void **state)
{
	struct folder folder;
	uint64_t folded = 0, listed = 0;

	(void)state;
	folder_make(&folder);
	story_begin(folder.path);
	parent = process_of_pid(100, "parent");
	story_put(task_record(0, &parent, &parent));
	for (uint32_t i = 0; i < SIBLINGS; i++) {
		struct who who = process_of_pid(200 + i, "name");
		struct who other = process_of_pid(100000 + i, "other");
		bool forked = i % 2;

		story_put(clone_record(0, &who, &parent, forked ? &other : &parent));
		story_put(exit_record(0, &who, 0, 0));
		story_reap(&who, forked ? &parent : &other);
		story_put(free_record(0, &who));
	}
	story_end();
	for (int try = 0; try < TRIES; try++) {
		listed = time_program("--tree --no-fold", folder.path);
		folded = time_program("--tree --fold", folder.path);
		if (folded <= FACTOR * listed)
			break;
	}
	folder_remove(&folder);
	if (folded > FACTOR * listed)
		fail_msg("folding takes %llu us, listing %llu us", (unsigned long long)folded,
			 (unsigned long long)listed);
}

#define CROWD 32000

/* Lives one after the other, or all at once. */
static void tell_lives(const char *path, bool at_once)
{
	story_begin(path);
	parent = process_of_pid(100, "parent");
	story_put(task_record(0, &parent, &parent));
	for (uint32_t i = 0, step = at_once ? CROWD : 1; i < CROWD; i += step) {
		for (uint32_t pid = 200 + i; pid < 200 + i + step; pid++) {
			struct who who = process_of_pid(pid, "name");

			story_put(fork_record(0, &who, &parent));
		}
		for (uint32_t pid = 200 + i; pid < 200 + i + step; pid++) {
			struct who who = process_of_pid(pid, "name");

			story_put(exit_record(0, &who, 0, 0));
			story_reap(&who, &parent);
			story_put(free_record(0, &who));
		}
	}
	story_end();
}

/* A view's cost per living process does not grow with their number. */
static void test_crowd(void **state)
{
	uint64_t apart = 0, crowd = UINT64_MAX;
	struct folder first, second;

	(void)state;
	folder_make(&first);
	folder_make(&second);
	tell_lives(first.path, false);
	tell_lives(second.path, true);
	for (int try = 0; try < 3 && crowd > FACTOR * apart; try++) {
		uint64_t one = time_program("--lives --json", first.path);
		uint64_t other = time_program("--lives --json", second.path);

		apart = one > apart ? one : apart;
		crowd = other < crowd ? other : crowd;
	}
	folder_remove(&first);
	folder_remove(&second);
	if (crowd > FACTOR * apart)
		fail_msg("a crowd takes %llu us, the same lives apart %llu us", (unsigned long long)crowd,
			 (unsigned long long)apart);
}

/*
 * For lives that stay open, most of the time is spent in the kernel, which finds and clears the pages for
 * them; in some virtual machines that alone is ten times an ordinary record. So a try keeps them
 * for the next one.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash),
		cmocka_unit_test(test_secret),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_attacks),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_crowd),
	};

	if (find_program())
		return 1;
	keep_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
