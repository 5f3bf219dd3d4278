// SPDX-License-Identifier: GPL-2.0-only
/* What --lives prints, to the last character: one line per death, ranked or as they happen. */
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init, sh;

static void exec_with(const struct who *who, const char *path, const char *args, size_t bytes)
{
	story_put(exec_record(0, who, who->pid, path));
	if (args)
		story_args(who, args, bytes);
}

/* A shell from before, and its children until 100 ms. */
static void tell(void)
{
	struct who cc, as, kthread, odd;
	struct proclife_record record;

	init = process_of_pid(1, "init");
	sh = process_of_pid(50, "sh");
	sh.start = 600 * MS;
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	story_at(10);
	cc = story_fork(&sh, 100, "sh");
	cc.comm = "cc";
	exec_with(&cc, "/usr/bin/cc", "/usr/bin/cc\0-c\0a b.c", 20);
	story_at(15);
	as = story_fork(&cc, 101, "cc");
	story_at(30);
	story_die(&as, &cc, 0, 2 * MS, 800);
	story_at(31);
	story_bury(&as, &cc);
	story_at(40);
	story_die(&cc, &sh, 1 << 8, 20 * MS, 9000);
	kthread = process_of_pid(102, "kworker/0:1");
	kthread.flags |= PROCLIFE_F_KTHREAD;
	record = fork_record(0, &kthread, &init);
	record.fork.uid = 0;
	story_put(record);
	story_at(50);
	story_die(&kthread, &init, 0, 0, 0);
	story_at(60);
	story_bury(&cc, &sh);
	odd = story_fork(&sh, 103, "odd");
	odd.comm = "two\nlines";
	exec_with(&odd, "/opt/odd", NULL, 0);
	story_put(signal_record(0, &odd, SIGKILL, &sh));
	story_at(70);
	story_die(&odd, &sh, SIGKILL, MS, 100);
	odd = story_fork(&sh, 104, "crash");
	story_put(record_of(0, PROCLIFE_WAIT, &sh));
	story_at(80);
	story_die(&odd, &sh, SIGSEGV | 0x80, 3 * MS, 200);
	story_put(reap_record(0, &odd, &sh));
	story_at(90);
	story_die(&sh, &init, 0, 7 * MS, 300);
	story_bury(&sh, &init);
	story_at(100);
	story_end();
	story_users(folder.path, "0 root\n1000 alice\n");
}

#define HEAD "           TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n"

#define AS "    1.030000000     101     100 alice      15.0 ms  2.00 ms 0        cc\n"
#define CC "    1.040000000     100      50 alice      30.0 ms  20.0 ms 1        cc -c 'a b.c'\n"
#define KWORKER "    1.050000000     102       1 root       10.0 ms     0 ns 0        [kworker/0:1]\n"
#define ODD "    1.070000000     103      50 alice      10.0 ms  1.00 ms SIGKILL  /opt/odd (two\\nlines)" \
	"  SIGKILL from sh (50)\n"
#define CRASH "    1.080000000     104      50 alice      10.0 ms  3.00 ms SIGSEGV core crash\n"
#define SH "    1.090000000      50       1 alice       490 ms  7.00 ms 0        sh\n"
#define END "; at the end 1 alive, 2 zombies, 1 not freed\n"

static void expect(const char *options, const char *text)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --monotonic %s", program, folder.path, options);
	expect_output(false, 0, line, text);
}

static void test_default(void **state)
{
	(void)state;
	tell();
	expect("", HEAD AS CC KWORKER ODD CRASH SH "\n6 deaths" END);
	expect("--lives", HEAD AS CC KWORKER ODD CRASH SH "\n6 deaths" END);
}


static void test_count(void **state)
{
	(void)state;
	tell();
	expect("--count 2", HEAD AS CC "\n2 deaths; at the end 2 alive, 1 dying\n");
	expect("--lives --count 1 --sort life", HEAD AS "\n1 death; at the end 3 alive, 1 dying\n");
}

static void test_filter(void **state)
{
	(void)state;
	tell();
	expect("--comm cc", HEAD AS CC "\n2 of 6 deaths matched\n");
	expect("--uid 0 --sort cpu", HEAD KWORKER "\n1 of 6 deaths matched; at the end 1 zombie\n");
	expect("--pid 100", HEAD AS CC "\n2 deaths\n");
	expect("--pid 100 --uid 0", HEAD "\n0 of 2 deaths matched\n");
}

#define FIGURE(title) \
	"           TIME     PID    PPID USER          LIFE      CPU STATUS   " title " COMMAND\n"

static void test_sort(void **state)
{
	(void)state;
	tell();
	expect("--sort time", HEAD SH CRASH ODD KWORKER CC AS "\n6 deaths" END);
	expect("--sort life", HEAD SH CC AS KWORKER ODD CRASH "\n6 deaths" END);
	expect("--lives --sort cpu --top 2", HEAD CC SH "\n6 deaths, 2 shown" END);
	/* By CPU time, unless --sort is given. */
	expect("--top 3", HEAD CC SH CRASH "\n6 deaths, 3 shown" END);
	expect("--sort time --top 100", HEAD SH CRASH ODD KWORKER CC AS "\n6 deaths" END);
	/* A phase that goes on has a minimum; unknown ones come last. */
	expect("--sort zombie --top 4",
	       FIGURE("   ZOMBIE")
	       "    1.050000000     102       1 root       10.0 ms     0 ns 0         >50.0 ms [kworker/0:1]\n"
	       "    1.070000000     103      50 alice      10.0 ms  1.00 ms SIGKILL   >30.0 ms "
	       "/opt/odd (two\\nlines)  SIGKILL from sh (50)\n"
	       "    1.040000000     100      50 alice      30.0 ms  20.0 ms 1          20.0 ms cc -c 'a b.c'\n"
	       "    1.030000000     101     100 alice      15.0 ms  2.00 ms 0          1.00 ms cc\n"
	       "\n6 deaths, 4 shown" END);
	expect("--sort rcu_free --top 2",
	       FIGURE(" RCU_FREE")
	       "    1.080000000     104      50 alice      10.0 ms  3.00 ms SIGSEGV core  >20.0 ms crash\n"
	       "    1.030000000     101     100 alice      15.0 ms  2.00 ms 0             1 ns cc\n"
	       "\n6 deaths, 2 shown" END);
	expect("--sort exit_free --top 1",
	       FIGURE("EXIT_FREE")
	       "    1.050000000     102       1 root       10.0 ms     0 ns 0         >50.0 ms [kworker/0:1]\n"
	       "\n6 deaths, 1 shown" END);
	expect("--sort rss --top 1",
	       FIGURE("      RSS")
	       "    1.040000000     100      50 alice      30.0 ms  20.0 ms 1         8.79 MiB cc -c 'a b.c'\n"
	       "\n6 deaths, 1 shown" END);
	expect("--sort teardown --top 1",
	       FIGURE(" TEARDOWN")
	       "    1.030000000     101     100 alice      15.0 ms  2.00 ms 0             1 ns cc\n"
	       "\n6 deaths, 1 shown" END);
}

/* With --top, the shown ones are the largest of all. */
static void test_top(void **state)
{
	struct output all, top;
	uint64_t random = 7;
	char *line;

	(void)state;
	init = process_of_pid(1, "init");
	for (uint32_t i = 0; i < 500; i++) {
		struct who who = story_fork(&init, 100 + i, "x");

		story_die(&who, &init, 0, random_below(&random, 100) * MS, 1);
		if (random_below(&random, 4))
			story_bury(&who, &init);
	}
	story_end();
	all = run_program(false, 0, "%s -i %s --monotonic --sort cpu", program, folder.path);
	for (unsigned int n = 1; n < 500; n += 61) {
		top = run_program(false, 0, "%s -i %s --monotonic --sort cpu --top %u", program, folder.path, n);
		assert_int_equal(top.status, 0);
		line = strstr(top.text, "\n\n");
		assert_non_null(line);
		assert_int_equal(count_text(top.text, "\n"), n + 3);
		assert_memory_equal(all.text, top.text, line - top.text);
		free(top.text);
	}
	free(all.text);
}

/* It dies with its last thread, and its usage is the sum of all. */
static void test_threads(void **state)
{
	struct proclife_record record;
	struct who app, thread, first;
	struct output out;

	(void)state;
	init = process_of_pid(1, "init");
	app = story_fork(&init, 100, "app");
	thread = thread_of(&app, 101);
	first = thread_of(&app, 102);
	story_put(clone_record(0, &thread, &init, &app));
	story_put(clone_record(0, &first, &init, &app));
	record = exit_record(0, &first, 0, 2);
	record.exit.runtime = 0;
	story_put(record);
	record = free_record(0, &first);
	record.free.runtime = 2 * MS;
	story_put(record);
	story_at(10);
	record = exit_record(0, &app, 3 << 8, 1);
	record.exit.runtime = 4 * MS;
	story_put(record);
	story_at(30);
	record = exit_record(0, &thread, 0, 0);
	record.exit.runtime = 5 * MS;
	story_put(record);
	story_end();
	story_users(folder.path, "");
	expect("", HEAD "    1.030000000     100       1 1000       30.0 ms  11.0 ms 3        app\n"
	       "\n1 death; at the end 1 dying\n");
	/* A thread's FREE is not the process's. */
	out = run_program(false, 0, "%s -i %s --json", program, folder.path);
	assert_non_null(strstr(out.text, "\"freed\":null,"));
	free(out.text);
}

/* The leader exited before the trace: its status, which is the process's, was not seen. */
static void test_unknown_status(void **state)
{
	struct proclife_record record;
	struct who app, thread;
	struct output out;

	(void)state;
	init = process_of_pid(1, "init");
	app = process_of_pid(100, "app");
	thread = thread_of(&app, 101);
	story_at(10);
	record = exit_record(0, &thread, 7 << 8, 0);
	record.flags |= PROCLIFE_F_GROUP_DEAD;
	story_put(record);
	story_at(20);
	story_put(reap_record(0, &app, &init));
	story_put(free_record(0, &thread));
	story_put(free_record(0, &app));
	story_end();
	story_users(folder.path, "");
	expect("", HEAD "    1.010000000     100       0 ?            >0 ns   100 ns ?        app\n"
	       "\n1 death\n");
	expect("--failed", HEAD "\n0 of 1 death matched\n");
	expect("--status 0", HEAD "\n0 of 1 death matched\n");
	out = run_program(false, 0, "%s -i %s --lives --tree --json", program, folder.path);
	assert_null(strstr(out.text, "\"status\":0"));
	assert_null(strstr(out.text, "\"wait_status\":-1"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --tree", program, folder.path);
	assert_non_null(strstr(out.text, "status ?"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --summary", program, folder.path);
	assert_null(strstr(out.text, "failed\n"));
	free(out.text);
}

/* The width of a line with such a name, and its effect on the terminal, would be unknown. */
static void test_hostile(void **state)
{
	struct who who;

	(void)state;
	init = process_of_pid(1, "init");
	who = story_fork(&init, 4294967295u, "\x1b[31m\x07");
	exec_with(&who, "/bin/\x1b[2J", "x\0\x1b]0;y\x07", 9);
	story_die(&who, &init, 77, MS, 1);
	story_end();
	story_users(folder.path, "1000 \x1b[7m\n");
	expect("", HEAD "    1.000000003 4294967295       1 \\x1b[7m       3 ns  1.00 ms signal 77 "
	       "x [\\x1b[2J] (\\x1b[31m\\a) $'\\x1b]0;y\\a'\n"
	       "\n1 death; at the end 1 zombie\n");
}

/* No line is wider than this, and the least informative parts are left out first. */
static void test_width(void **state)
{
	static const struct {
		const char *columns;
		const char *options;
		const char *head;
		const char *line; /* one of the lines */
	} widths[] = {
		{ "120", "", "           TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n",
		  "/opt/odd (two\\nlines)  SIGKILL from sh (50)\n" },
		{ "88", "", "           TIME     PID USER          LIFE      CPU STATUS   COMMAND\n",
		  " SIGKILL  /opt/odd (two\\nlines)\n" },
		{ "80", "", "           TIME     PID      LIFE      CPU STATUS   COMMAND\n",
		  " SIGKILL  /opt/odd (two\\nlines)\n" },
		{ "70", "", "           TIME     PID      LIFE STATUS   COMMAND\n",
		  " SIGKILL  /opt/odd (two\\nlines)\n" },
		{ "50", "", "    PID      LIFE STATUS   COMMAND\n", "     50    490 ms 0        sh\n" },
		{ "50", "--sort time", "           TIME     PID      LIFE STATUS   COMMAND\n",
		  " SIGKILL  /opt/o~\n" },
		{ "60", "--sort cpu", "    PID      LIFE      CPU STATUS   COMMAND\n", " SIGKILL  /opt/odd" },
		{ "44", "--sort zombie", "    PID      LIFE STATUS      ZOMBIE COMMAND\n", " cc\n" },
	};

	(void)state;
	tell();
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct output out;

		setenv("COLUMNS", widths[i].columns, 1);
		out = run_program(false, 0, "%s -i %s --monotonic %s", program, folder.path, widths[i].options);
		unsetenv("COLUMNS");
		if (strncmp(out.text, widths[i].head, strlen(widths[i].head)) ||
		    !strstr(out.text, widths[i].line))
			fail_msg("%s columns %s:\n%s", widths[i].columns, widths[i].options, out.text);
		for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n"))
			if (strlen(line) > strtoul(widths[i].columns, NULL, 10) && !strstr(line, "death"))
				fail_msg("%s columns: %s", widths[i].columns, line);
		free(out.text);
	}
}

/* The first of its program is cut like all others: the file that it works on is shown. */
static void test_telling_words(void **state)
{
	static const char args[] = "cc\0-quiet\0-nostdinc\0-O2\0-o\0build/table.o\0drivers/core/table.c";
	struct output out;
	struct who cc;

	(void)state;
	init = process_of_pid(1, "init");
	cc = story_fork(&init, 100, "cc");
	story_put(exec_record(0, &cc, 100, "/usr/bin/cc"));
	story_args(&cc, args, sizeof(args));
	story_die(&cc, &init, 1 << 8, MS, 1);
	story_end();
	setenv("COLUMNS", "80", 1);
	out = run_program(false, 0, "%s -i %s --monotonic", program, folder.path);
	if (!strstr(out.text, " 1        cc ... drivers/core/table.c\n"))
		fail_msg("%s", out.text);
	free(out.text);
	unsetenv("COLUMNS");
}

/* What a gap hides is shown as unknown; no life disappears. */
static void test_gap(void **state)
{
	struct who a, b, c, d;
	struct output out;

	(void)state;
	init = process_of_pid(1, "init");
	a = story_fork(&init, 100, "whole");
	story_die(&a, &init, 0, MS, 1);
	b = story_fork(&init, 101, "spoilt");
	c = story_fork(&init, 102, "exitlost");
	d = story_fork(&init, 103, "endlost");
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++) /* CPU 1 */
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_at(50);
	story_die(&b, &init, 0, MS, 1);
	story_bury(&c, &init);
	d.pid = d.tgid = 104;
	d.start++;
	story_put(fork_record(0, &d, &init));
	story_end();
	story_users(folder.path, "");
	out = run_program(false, 0, "%s -i %s --monotonic", program, folder.path);
	assert_int_equal(out.status, 3);
	if (strcmp(out.text, HEAD
		   "    1.000000001     100       1 1000          1 ns  1.00 ms 0        whole\n"
		   "    1.050000000     101       1 1000       50.0 ms  1.00 ms 0        spoilt  incomplete\n"
		   "              ?     102       1 1000             ?   900 ms ?        exitlost  EXIT lost\n"
		   "\n3 deaths; at the end 1 alive, 1 zombie, 2 not known; 1 end lost\n"))
		fail_msg("%s", out.text);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --monotonic --sort life", program, folder.path);
	assert_non_null(strstr(out.text, "whole  incomplete\n              ?     102 "));
	free(out.text);
}

/* A tracer held it, and records lost since can have ended that. */
static void test_held_before_a_gap(void **state)
{
	static const char *const views[] = { "--sort traced", "--latency", "--latency --json" };
	struct who gdb, a;

	(void)state;
	init = process_of_pid(1, "init");
	gdb = story_fork(&init, 100, "gdb");
	a = story_fork(&init, 101, "held");
	story_put(exit_record(0, &a, 0, 0));
	story_put(traced_record(0, &a, &gdb, &init));
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++) /* CPU 1 */
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_at(500);
	story_end();
	for (unsigned int i = 0; i < 3; i++) {
		struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, views[i]);

		if (!strstr(out.text, "held") || strstr(out.text, "has not waited") ||
		    (!i && strstr(out.text, "500 ms")))
			fail_msg("%s", out.text);
		free(out.text);
	}
}

/* Each on its own; one death stops them all. */
static void test_other_views(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(false, 0, "%s -i %s --monotonic --lives --tree --latency --count 1", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(strncmp(out.text, HEAD AS "\n1 death; at", strlen(HEAD AS "\n1 death; at")), 0);
	assert_non_null(strstr(out.text, "RSS  PROCESS\n"));
	assert_non_null(strstr(out.text, "exit_free"));
	free(out.text);
	out = run_program(true, 0, "%s -i %s --monotonic --lives --expect lost>0", program, folder.path);
	assert_int_equal(out.status, 2);
	free(out.text);
}

/* A process that died before the trace is none of its deaths, nor is one that lives at its end. */
static void test_edges(void **state)
{
	struct proclife_record record;
	struct who zombie;

	(void)state;
	init = process_of_pid(1, "init");
	zombie = process_of_pid(70, "zombie");
	record = task_record(0, &zombie, &init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	story_put(reap_record(0, &zombie, &init));
	story_put(free_record(0, &zombie));
	zombie = process_of_pid(71, "unknown");
	story_put(free_record(0, &zombie));
	story_end();
	expect("", HEAD "\n0 deaths\n");
	expect("--sort life", HEAD "\n0 deaths\n");
	expect("--comm x", HEAD "\n0 of 0 deaths matched\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_default), STORY(test_count),	 STORY(test_filter),	  STORY(test_sort),
		STORY(test_top),	  STORY(test_unknown_status),
		STORY(test_threads),	  STORY(test_hostile),
		STORY(test_width),   STORY(test_telling_words), STORY(test_gap), STORY(test_held_before_a_gap),	 STORY(test_other_views), STORY(test_edges),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
