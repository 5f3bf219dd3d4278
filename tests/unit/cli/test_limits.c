// SPDX-License-Identifier: GPL-2.0-only
/* --failed, --status, --signal, --args, --from and --to, and the types of --events. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND (1000 * MS)
#define MIDNIGHT UINT64_C(1700006400) /* seconds: 2023-11-15 00:00 UTC */
#define SUMMER UINT64_C(1719792000) /* 2024-07-01 00:00 UTC */

/* Lives from @born to @exited, in seconds, and is reaped at once. */
static void life(const struct who *parent, uint32_t pid, const char *comm, double born, double exited,
		 int32_t code)
{
	struct who who;

	machine->now = (uint64_t)(born * SECOND);
	who = story_fork(parent, pid, comm);
	if (pid == 105) { /* longer than a record */
		static const char text[] = "cc\0-c\0" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
					   "aaaaaaaaaaaaaaaaaaaaaaaaa.c\0last word";

		story_put(exec_record(0, &who, pid, "/bin/cc"));
		story_args(&who, text, sizeof(text));
	}
	if (pid == 106) {
		story_put(exec_record(0, &who, pid, "/bin/echo"));
		story_args(&who, "echo\0two words\0three", 21);
	}
	machine->now = (uint64_t)(exited * SECOND);
	story_exit(&who, parent, code);
	story_reap(&who, parent);
	story_put(free_record(0, &who));
}

static void tell(void)
{
	struct who init = process_of_pid(1, "init");

	init.start = 0; /* not known */
	story_put(task_record(0, &init, &init));
	life(&init, 101, "good", 2, 10, 0);
	life(&init, 102, "one", 11, 20, 1 << 8);
	life(&init, 103, "max", 21, 30, 255 << 8);
	life(&init, 104, "killed", 31, 40, 9);
	life(&init, 105, "dumped", 41, 50, 0x80 | 11);
	life(&init, 106, "echo", 51, 60, 0);
	machine->now = 70 * SECOND;
	story_end();
}

/* The processes of the objects of this type, as "101 102 ". */
static void expect(const char *options, const char *pids)
{
	struct output out = run_program(false, 0, "%s -i %s %s --json", program, folder.path, options);
	bool tree = strstr(options, "--tree"), events = strstr(options, "--events");
	const char *type = tree ? "{\"v\":1,\"type\":\"process\"" :
			   events ? "{\"v\":1,\"type\":\"exit\"" : "{\"v\":1,\"type\":\"slowest\"";
	char got[200] = "";
	size_t n = 0;

	if (out.status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	for (char *at = strtok(out.text, "\n"); at; at = strtok(NULL, "\n")) {
		const char *pid = strstr(at, "\"pid\":");
		const char *context = strstr(at, "\"matches\":false");

		if (!strncmp(at, type, strlen(type)) && pid && !context && atoi(pid + 6) != 1)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%d ", atoi(pid + 6));
	}
	if (strcmp(got, pids))
		fail_msg("%s: '%s' instead of '%s'", options, got, pids);
	free(out.text);
}

static void test_ends(void **state)
{
	(void)state;
	tell();
	expect("--tree --failed", "102 103 104 105 ");
	expect("--tree --status 0", "101 106 ");
	expect("--tree --status=1", "102 ");
	expect("--tree --status 255 --status 1", "102 103 ");
	expect("--tree --status 127", "");
	expect("--tree --status 128", "");
	expect("--tree --signal KILL", "104 ");
	expect("--tree --signal sigkill --status 0", "101 104 106 ");
	expect("--tree --signal any", "104 105 ");
	expect("--tree --signal Any --status 1", "102 104 105 ");
	expect("--tree --signal 11", "105 ");
	expect("--tree --signal SEGV --signal 9", "104 105 ");
	expect("--tree --signal TERM", "");
	expect("--tree --signal SIGRTMIN+1 --signal RTMAX-30 --signal rtmin --signal SIGRTMAX", "");
	expect("--tree --failed --comm k*", "104 ");
	/* The EXIT is the first record that has the status. */
	expect("--events=exit --failed", "102 103 104 105 ");
	expect("--events=exit --status 0", "101 106 ");
}

static void test_args(void **state)
{
	(void)state;
	tell();
	expect("--tree --args *.c", "105 ");
	expect("--tree --args *a.c?last?word", "105 ");
	expect("--tree --args last?word", "105 ");
	expect("--tree --args echo?two?words?three", "106 ");
	expect("--tree --args two?words --args last*", "105 106 ");
	expect("--tree --args two", "");
	expect("--tree --args *", "105 106 ");
}

static void test_ranges(void **state)
{
	(void)state;
	tell();
	/* Selects processes that lived then. */
	expect("--tree --from +20.5s --to +35s", "103 104 ");
	expect("--tree --from +15s --to +25s", "102 103 ");
	expect("--tree --to +15s", "101 102 ");
	expect("--tree --from -15s", "106 ");
	expect("--tree --from 1.5 --to 5", "101 ");
	expect("--tree --from 10.000000000 --to 10.000000000", "101 ");
	expect("--tree --from 10.000000001 --to 10.5", "");
	/* Selects records of that time. */
	expect("--events=exit --from +19s --to +30s", "102 103 ");
	expect("--events=exit --from 20.000000001 --to +39s", "103 ");
	expect("--events=fork,free --from +20s", "");
}

/* Expects --latency to count this many exits. */
static void expect_lives(const char *options, unsigned int count)
{
	char line[3 * PATH_MAX];
	struct output out;

	snprintf(line, sizeof(line), "%s -i %s --expect life.count==%u %s", program, folder.path, count,
		 options);
	out = run_program(false, 0, "%s", line);
	assert_int_equal(out.status, 0);
	free(out.text);
}

static void test_exits_in_range(void **state)
{
	(void)state;
	tell();
	expect_lives("--from +15s --to +45s", 3);
	expect_lives("--from 20 --to 20", 1);
	expect_lives("--from 20 --to +40s --failed", 3);
	expect_lives("--to +9s", 0);
	/* Leap days. */
	expect_lives("--to 1972-02-29", 6);
	expect_lives("--from 1972-02-29", 0);
}

/* The time of day at 0 on the monotonic clock. */
static void set_clock(uint64_t seconds)
{
	char from[60], line[100];
	static char text[1 << 20];
	FILE *file = open_metadata("r");
	char *at;
	size_t n;

	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	fclose(file);
	at = strstr(text, "\tto_realtime = ");
	assert_non_null(at);
	n = strcspn(at, "\n");
	assert_true(n < sizeof(from));
	snprintf(line, sizeof(line), "\tto_realtime = \"0x%llx\";",
		 (unsigned long long)(seconds * SECOND));
	file = open_metadata("w");
	fprintf(file, "%.*s%s%s", (int)(at - text), text, line, at + n);
	fclose(file);
}

static void test_counts(void **state)
{
	char line[3 * PATH_MAX];
	struct output out;

	(void)state;
	tell();
	out = run_program(false, 0, "%s -i %s --expect failed==4 --expect left==1 --expect "
			  "killed.life.max==9s --expect killed.life.count==1", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "LEFT      AGE  PROCESS\n"));
	assert_non_null(strstr(out.text, "      1           init\n"));
	free(out.text);
	snprintf(line, sizeof(line), "%s -i %s --expect left==0 --expect failed==0 --comm k*", program,
		 folder.path);
	expect_output(true, 2, line, "proclife-read: expected failed==0, but it is 1\n");
	/* A process that exits later has not ended then, and one that does not live then is not shown. */
	out = run_program(false, 0, "%s -i %s --summary --to 15", program, folder.path);
	assert_non_null(strstr(out.text, "\n1 process ended, 2 did not (CPU not known); "));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --summary --from 15 --to 35", program, folder.path);
	assert_non_null(strstr(out.text, "\n2 processes ended, 2 failed, 2 did not (CPU not known); "));
	free(out.text);
	out = run_program(true, 0, "%s -i %s --expect lost==0 --left-after 1s", program, folder.path);
	assert_int_equal(out.status, 129);
	free(out.text);
}

static void test_times_of_day(void **state)
{
	struct output out;

	(void)state;
	setenv("TZ", "UTC0", 1);
	tell();
	set_clock(MIDNIGHT - 15);
	expect("--events=exit --from 23:59:56", "102 103 104 105 106 ");
	/* The next day's, as this day has none. */
	expect("--events=exit --from 00:00:06", "103 104 105 106 ");
	expect("--events=exit --from 0:00:20 --to 00:00:30.5", "104 ");
	expect("--events=exit --from 23:59:56 --to 00:00:10", "102 ");
	expect("--events=exit --from 2023-11-15 --to 2023-11-15T00:00:20", "102 103 ");
	expect("--events=exit --from 2023-11-14T23:59:54 --to 2023-11-15", "101 ");
	expect("--events=exit --to 2023-11-15", "101 ");
	/* From before the recording begins, and until after its end. */
	expect("--events=exit --from 22:00 --to 23:59:56", "101 ");
	expect("--events=exit --from 12:00", "101 102 103 104 105 106 ");
	setenv("TZ", "CET-1", 1);
	expect("--events=exit --from 01:00:06", "103 104 105 106 ");
	expect("--events=exit --from 01:00 --json --to 01:00:06", "102 ");
	out = run_program(false, 0, "%s -i %s --lives --utc --from 00:00:06 --to 00:00:20", program,
			  folder.path);
	if (!strstr(out.text, "\n1 of 6 deaths matched\n"))
		fail_msg("%s", out.text);
	free(out.text);
	/* In summer, where there is one. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	set_clock(SUMMER - 15);
	expect("--events=exit --from 2024-07-01T02:00:06", "103 104 105 106 ");
	unsetenv("TZ");
}

static void expect_said(int status, const char *options, const char *said)
{
	struct output out = run_program(true, 0, "%s -i %s %s", program, folder.path, options);

	if (out.status != status || !strstr(out.text, said))
		fail_msg("%s: %d, not '%s' in: %s", options, out.status, said, out.text);
	if (!*said && *out.text)
		fail_msg("%s: %s", options, out.text);
	free(out.text);
}

/* A user's name is looked up for the recording's machine. */
static void test_users(void **state)
{
	char path[PATH_MAX + 16];
	FILE *file;

	(void)state;
	tell();
	snprintf(path, sizeof(path), "%s/.users", folder.path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("1000 alice of there\n", file);
	fclose(file);
	expect("--tree --failed --uid alice?of?there", "");
	expect("--tree --failed --uid 1000", "102 103 104 105 ");
	expect("--tree --failed --uid nobody-at-all", "");
	file = fopen(path, "w");
	fputs("1000 alice\n", file);
	fclose(file);
	expect("--tree --failed --uid alice", "102 103 104 105 ");
	expect("--tree --failed --uid bob --uid alice", "102 103 104 105 ");
}

static void test_said(void **state)
{
	(void)state;
	tell();
	expect_said(0, "--tree --signal TERM", "no process matched --signal SIGTERM\n");
	expect_said(0, "--tree --signal any --comm good", "no process matched --comm good, --signal any\n");
	expect_said(0, "--tree --status 7 --failed --comm good",
		    "no process matched --comm good, --failed, --status 7\n");
	expect_said(0, "--tree --args nothing --from +1s", "no process matched --args nothing\n");
	expect_said(0, "--latency --from +61s", "no process matched --from +61s\n");
	expect_said(0, "--tree --failed", "");
	expect_said(0, "--tree --uid bob", "no process matched --uid bob\n");
	expect_said(0, "--events --from +300s", "no process matched --from +300s\n");
	expect_said(1, "--tree --from +5s --to +4s", "--from +5s, --to +4s: the first is ");
	expect_said(1, "--tree --utc --from +5s -d 4",
		    "--from +5s, --duration: the trace ends at 1970-01-01Z 00:00:04.000000, before the range "
		    "begins at 1970-01-01Z 00:00:05.000000; ");
	expect_said(0, "--tree --from +4s -d 4", "");
	expect_said(129, "--tree --status 256", "--status 256: too large: the largest is 255");
	expect_said(129, "--tree --status=", "--status ''");
	expect_said(129, "--tree --status -1", "--status -1: not an exit status from 0 to 255");
	expect_said(129, "--tree --status=-1", "--status -1: not an exit status from 0 to 255");
	expect_said(129, "--tree --signal 65", "--signal 65: not a signal");
	expect_said(129, "--tree --signal 0", "--signal 0: not a signal");
	expect_said(129, "--tree --signal RTMIN-1", "--signal RTMIN-1: not a signal");
	expect_said(129, "--tree --signal RTMAX-31", "--signal RTMAX-31: not a signal");
	expect_said(129, "--tree --signal NO", "--signal NO: not a signal");
	expect_said(129, "--events=exit,no", "--events=exit,no: not one or more of fork, exec, args, rename");
	expect_said(129, "--events=", "--events='': not one or more of fork, exec");
	expect_said(129, "--tree --latency --from +1s", "--from: --tree shows processes that lived then, --latency those that exited then");
	for (int month = 1; month <= 12; month++) {
		static const int last[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
		char options[40];

		snprintf(options, sizeof(options), "--to 1971-%02d-%d", month, last[month - 1]);
		expect_lives(options, 6);
		snprintf(options, sizeof(options), "--tree --to 1971-%02d-%d", month, last[month - 1] + 1);
		expect_said(129, options, "not a time");
	}
	for (const char *const *bad = (const char *const[]){
		     "25:00", "12:60", "12:00:60", "1:2", "12:00.5", "2026-13-01", "2026-02-29",
		     "2100-02-29",
		     "2026-11-22x", "-", "+5x", "", "x", "1.2.3", "12:00:00.1234567890",
		     "1969-12-31", "2026-11-22TT14:00", NULL }; *bad; bad++) {
		char line[100];

		snprintf(line, sizeof(line), "--tree --from=%s", *bad);
		expect_said(129, line, ": not a time such as 14:03");
	}
}

/* Records that were lost at another time do not make this incomplete. */
static void test_loss(void **state)
{
	struct proclife_event event = { .gap = { .lost = 5 } };

	(void)state;
	(void)event;
	tell();
	file_flip(folder.path, "cpu_0", 128 * (1 + 8) + 8, 0xff); /* the second life's */
	expect_said(3, "--events", "damaged");
	expect_said(3, "--events --from +5s --to +30s", "damaged");
	expect_said(0, "--events --from +25s", "");
	expect_said(0, "--events --to +5s", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_ends),
		STORY(test_args),
		STORY(test_ranges),
		STORY(test_exits_in_range),
		STORY(test_counts),
		STORY(test_times_of_day),
		STORY(test_users),
		STORY(test_said),
		STORY(test_loss),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
