// SPDX-License-Identifier: GPL-2.0-only
/* --comm, --uid and --cgroup: which events, lives and branches of a tree they select. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER 3000000 /* a user without a name */

static struct who fork_in(const struct who *parent, uint32_t pid, const char *comm, uint32_t uid,
			  uint64_t cgroup)
{
	struct who who = process_of_pid(pid, comm);
	struct proclife_record record = fork_record(0, &who, parent);

	record.fork.uid = uid;
	record.fork.cgroup = cgroup;
	story_put(record);
	return who;
}

static void rename_in(struct who *who, const char *name, uint64_t cgroup)
{
	struct proclife_record record = rename_record(0, who, name);

	record.rename.cgroup = cgroup;
	story_put(record);
	who->comm = name;
}

static void exec_as(struct who *who, const char *name, uint32_t uid)
{
	char path[40];
	struct proclife_record record;

	who->comm = name;
	snprintf(path, sizeof(path), "/bin/%s", name);
	record = exec_record(0, who, who->pid, path);
	record.exec.uid = uid;
	story_put(record);
}

static void end_in(const struct who *who, const struct who *parent, uint64_t cgroup)
{
	struct proclife_record record = reap_record(0, who, parent);

	machine->now += MS;
	story_exit(who, parent, 0);
	record.reap.cgroup = cgroup;
	story_put(record);
	story_put(free_record(0, who));
}

/*
 * A shell forks a compiler, which gets its name by a rename, after a move to its cgroup; a linker of
 * another user, which gets its name and user by exec, and is moved before it is reaped; and a shell
 * again, which runs a compiler.
 */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh, cc, ld, inner;

	sh = fork_in(&init, 100, "sh", OWNER, 10);
	cc = fork_in(&sh, 101, "sh", OWNER, 10);
	rename_in(&cc, "cc1", 11);
	end_in(&cc, &sh, 11);
	ld = fork_in(&sh, 102, "sh", OWNER, 10);
	exec_as(&ld, "ld", 4000000);
	end_in(&ld, &sh, 12);
	inner = fork_in(&sh, 103, "sub", OWNER, 99);
	cc = fork_in(&inner, 104, "cc2", OWNER, 99);
	end_in(&cc, &inner, 99);
	end_in(&inner, &sh, 99);
	end_in(&sh, &init, 10);
	story_end();
	/* A line without an end was being written when the recorder was killed. */
	story_cgroups(folder.path, "10 /build\n11 /build/cc\n12 /buildings\nno line\n99 /cut");
}

static struct output run(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (out.status)
		fail_msg("%s: status %d", options, out.status);
	return out;
}

/* Expects these events to be shown, as "fork 101, ". */
static void expect_events(const char *options, const char *events)
{
	char line[300], got[1000] = "", type[20];
	struct output out;
	unsigned int pid;
	size_t n = 0;

	snprintf(line, sizeof(line), "--events --json %s", options);
	out = run(line);
	for (char *at = strtok(out.text, "\n"); at; at = strtok(NULL, "\n")) {
		const char *found = strstr(at, "\"pid\":");

		if (sscanf(at, "{\"v\":1,\"type\":\"%19[a-z]", type) != 1 || !found)
			continue;
		assert_int_equal(sscanf(found, "\"pid\":%u", &pid), 1);
		n += snprintf(got + n, sizeof(got) - n, "%s %u, ", type, pid);
		assert_true(n < sizeof(got));
	}
	if (strcmp(got, events))
		fail_msg("%s: %s instead of %s", options, got, events);
	free(out.text);
}

#define CC1 "rename 101, exit 101, notify 101, reap 101, free 101, "

static void test_events(void **state)
{
	(void)state;
	tell();
	/* By the name at each event. */
	expect_events("--comm cc1", CC1);
	expect_events("--comm ld", "exec 102, exit 102, notify 102, reap 102, free 102, ");
	expect_events("--comm cc[0-9]", CC1 "fork 104, exit 104, notify 104, reap 104, free 104, ");
	expect_events("--comm cc1 --comm ld", CC1 "exec 102, exit 102, notify 102, reap 102, free 102, ");
	expect_events("--comm c", "");
	expect_events("--uid 4000000", "exec 102, exit 102, notify 102, reap 102, free 102, ");
	expect_events("--cgroup /build/cc", CC1);
	expect_events("--cgroup /build/cc/", CC1);
	/* Its reap has the cgroup to which it was moved. */
	expect_events("--cgroup /buildings", "reap 102, free 102, ");
	expect_events("--cgroup /cut", "");
	expect_events("--cgroup /buil", "");
	/* Options of several kinds. */
	expect_events("--comm cc* --comm ld --cgroup /build", CC1 "exec 102, exit 102, notify 102, ");
	expect_events("--comm cc* --uid 4000000", "");
	/* Descendants match, too. */
	expect_events("--pid 103 --comm cc*", "fork 104, exit 104, notify 104, reap 104, free 104, ");
	expect_events("--comm cc* --count 2", "rename 101, exit 101, ");
}

static void expect_tree(const char *options, const char *text)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --tree %s %s", program, folder.path, options,
		 strstr(options, "--pid") ? "" : "--pid 100");
	expect_output(false, 0, line, text);
}

#define HEAD "    PID      LIFE      CPU      RSS  PROCESS\n"
#define TOTALS "\n5 processes; 5.00 ms wall, 600 ns CPU (0.00 CPUs); no loss\n"
#define FIGURES "   1.00 ms   120 ns 4.00 MiB  "
#define SH "    100   5.00 ms   120 ns 4.00 MiB  sh"
#define CUT "+ 3 processes are counted, not shown: "

/* By the state at its end; its ancestors are shown as context. */
static void test_tree(void **state)
{
	(void)state;
	tell();
	expect_tree("--comm cc1",
		    HEAD SH "  context, parent 1  + 3 more below, 360 ns CPU\n"
		    "    101" FIGURES "`- cc1\n" TOTALS CUT "--comm\n");
	expect_tree("--comm cc2",
		    HEAD SH "  context, parent 1  + 2 more below, 240 ns CPU\n"
		    "    103   2.00 ms   120 ns 4.00 MiB  `- sub  context\n"
		    "    104" FIGURES "   `- cc2\n" TOTALS
		    "+ 2 processes are counted, not shown: --comm\n");
	expect_tree("--uid 4000000",
		    HEAD SH "  context, parent 1  + 3 more below, 360 ns CPU\n"
		    "    102" FIGURES "`- ld\n" TOTALS CUT "--uid\n");
	expect_tree("--cgroup /build --show cgroup",
		    HEAD SH "  /build, parent 1  + 3 more below, 360 ns CPU\n"
		    "    101" FIGURES "`- cc1  /build/cc\n" TOTALS CUT "--cgroup\n");
	expect_tree("--cgroup /buildings --comm ld --depth 1 --show uid,cgroup",
		    HEAD SH "  context, /build, user 3000000, parent 1  + 3 more below, 360 ns CPU\n"
		    "    102" FIGURES "`- ld  /buildings, user 4000000\n" TOTALS
		    CUT "--depth 1, --comm, --cgroup\n");
	expect_tree("--comm cc2 --show cgroup --pid 103",
		    HEAD "    103   2.00 ms   120 ns 4.00 MiB  sub  context, cgroup 99, parent 100\n"
		    "    104" FIGURES "`- cc2  cgroup 99\n"
		    "\n2 processes; 2.00 ms wall, 240 ns CPU (0.00 CPUs); no loss\n");
	expect_tree("--comm nobody",
		    HEAD "                                     + 5 processes, 600 ns CPU\n" TOTALS
		    "+ 5 processes are counted, not shown: --comm\n");
}

static void expect_lives(const char *options, unsigned int lives)
{
	char line[300], wanted[100];
	struct output out;

	snprintf(line, sizeof(line), "--latency --json %s", options);
	snprintf(wanted, sizeof(wanted), "\"type\":\"lives\",\"of\":\"processes\",\"lives\":%u,", lives);
	out = run(line);
	if (!strstr(out.text, wanted))
		fail_msg("%s:\n%s\nwithout %s", options, out.text, wanted);
	free(out.text);
}

static void test_latency(void **state)
{
	struct output out;

	(void)state;
	tell();
	expect_lives("", 5);
	expect_lives("--comm sh", 1);
	expect_lives("--comm cc*", 2);
	expect_lives("--comm cc* --comm sh", 3);
	expect_lives("--uid 3000000", 5); /* one of them became another one */
	expect_lives("--uid 4000000 --comm ld", 1);
	expect_lives("--uid 4000000 --comm cc*", 0);
	expect_lives("--cgroup /", 5); /* whatever their paths are */
	expect_lives("--cgroup /build", 2);
	expect_lives("--cgroup /sys/fs/cgroup/buildings", 1);
	expect_lives("--pid 103 --comm sub --comm sh", 1);
	/* The slowest and the verdicts cover only them. */
	out = run("--latency --comm ld --expect life.count==1");
	assert_non_null(strstr(out.text, "  ld (102) "));
	assert_null(strstr(out.text, "  sh (100) "));
	free(out.text);
}

/* Expects this message about selected processes that do not exist, and the status; others have none. */
static void expect_said(int status, const char *options, const char *said)
{
	char line[3 * PATH_MAX], wanted[200] = "";

	snprintf(line, sizeof(line), "%s -i %s %s", program, folder.path, options);
	if (*said)
		snprintf(wanted, sizeof(wanted), "proclife-read: no process matched %s\n", said);
	expect_output(true, status, line, wanted);
}

static void test_nobody(void **state)
{
	static const char *const views[] = { "--latency", "--tree", "--events", "--parents",
					     "--zombies" };
	char options[100];

	(void)state;
	tell();
	story_cgroups(folder.path, "10 /build\n11 /build/cc\n");
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		snprintf(options, sizeof(options), "%s --pid 4711", views[i]);
		expect_said(0, options, "--pid 4711");
		snprintf(options, sizeof(options), "%s --comm no*", views[i]);
		expect_said(0, options, "--comm 'no*'");
		snprintf(options, sizeof(options), "%s --pid 100", views[i]);
		expect_said(0, options, "");
	}
	expect_said(0, "--tree --pid 100 --pid 4711 --pid 4712 --json", "--pid 4711, --pid 4712");
	expect_said(0, "--tree --comm no --comm sh", "");
	expect_said(0, "--tree --comm no --comm \033 --uid 3000000", "--comm no, --comm $'\\x1b'");
	expect_said(0, "--latency --uid 5 --cgroup /no", "--uid 5, --cgroup /no");
	/* Each matches alone, but not both at once. */
	expect_said(0, "--latency --comm cc1 --uid 4000000", "--comm cc1, --uid 4000000");
	expect_said(0, "--latency --pid 102 --comm cc1", "--pid 102, --comm cc1");
	/* It has another name at its end, but its events are shown. */
	expect_said(0, "--latency --pid 101 --comm sh", "--pid 101, --comm sh");
	expect_said(0, "--events --pid 101 --comm sh", "");
}

/* A verdict on no process fails, unless it is about a count. */
static void test_verdict_on_nobody(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	tell();
	story_cgroups(folder.path, "");
	expect_said(0, "--expect life.count==0 --comm no", "--comm no");
	expect_said(0, "--expect lost==0 --pid 4711", "--pid 4711");
	expect_said(0, "--expect zombies==0 --comm sh", "");
	snprintf(line, sizeof(line), "%s -i %s --expect zombies==0 --comm no", program, folder.path);
	expect_output(true, 2, line, "proclife-read: no process matched --comm no\n"
		      "proclife-read: expected zombies==0, but there was nothing to measure\n");
	snprintf(line, sizeof(line), "%s -i %s --expect life.max<1h --pid 4711", program, folder.path);
	expect_output(true, 2, line, "proclife-read: no process matched --pid 4711\n"
		      "proclife-read: expected 'life.max<1h', but there was nothing to measure\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_events),
		STORY(test_tree),
		STORY(test_latency),
		STORY(test_nobody),
		STORY(test_verdict_on_nobody),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
