// SPDX-License-Identifier: GPL-2.0-only
/*
 * recordings DIR: writes to this folder the stories of the unit tests, and "hostile", whose names, paths,
 * arguments, cgroups, users, kernel and host would break out of a page; "death"; "crowd";
 * "days"; "deep"; "zombie"; "unnoticed"; and "command".
 */
#include "marks.h"
#include "stories.h"
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define BREAKOUT "</script></style></title><script>window.ran=1</script>"

static const struct {
	const char *comm; /* 15 bytes */
	const char *path;
	const char *args; /* with their NULs */
	size_t size;
} hostile[] = {
#define LINE(comm, path, args) { comm, path, args, sizeof(args) }
	LINE("</script>", "/x/" BREAKOUT, "a\0" BREAKOUT "\0--\"></a><img src=x onerror=window.ran=2>"),
	LINE("<b>&amp;", "/<img src=x onerror='window.ran=3'>", "<svg/onload=window.ran=4>\0]]>\0--><!--"),
	LINE("\"'`${window}", "/${window.ran=5}", "${window.ran=6}\0`${window.ran=7}`\0\\u003cscript\\u003e"),
	LINE("\xe2\x80\xaegnp.exe", "/\xe2\x80\xae/cod.\xe2\x80\xac", "\xe2\x80\xae\xd7\x90\0\xe2\x81\xa6x\xe2\x81\xa9\0\xf0\x9f\x98\x80\0\xc3\xa9t\xc3\xa9"),
	LINE("\xff\xfe\xc3(", "/\xed\xa0\x80/\xf5\x80\x80\x80", "\xff\0\xc0\xaf\0\xe2\x82\0\x80\x81"),
	LINE("\x1b[31m\r\n\t", "/\x01\x02\x7f\xc2\x9b", "\x1b]0;x\x07\0\0\0\n\n\0\xe2\x80\xa8\xe2\x80\xa9"),
	LINE("__proto__", "/constructor", "__proto__\0toString\0hasOwnProperty"),
	LINE("", "", "\0"),
	LINE("javascript:a", "/javascript:window.ran=8", "javascript:window.ran=9\0data:text/html,<script>window.ran=10</script>"),
#undef LINE
};

#define HOSTILE (sizeof(hostile) / sizeof(*hostile))

static void tell_hostile(const char *path)
{
	struct who init = process_of_pid(1, BREAKOUT), all[HOSTILE];

	story_begin_on(path, "6.1 " BREAKOUT, PROCLIFE_EXIT_BEFORE_MM);
	story_put(task_record(0, &init, &init));
	for (size_t i = 0; i < HOSTILE; i++) {
		struct proclife_record record;

		all[i] = process_of_pid(100 + (uint32_t)i, hostile[i].comm);
		record = fork_record(0, &all[i], &init);
		record.fork.cgroup = 77;
		record.fork.uid = 1000;
		story_put(record);
		story_put(exec_record(0, &all[i], all[i].pid, hostile[i].path));
		story_args(&all[i], hostile[i].args, hostile[i].size);
		machine->now += (i + 1) * MS;
		if (i % 2)
			story_put(signal_record(0, &all[i], SIGKILL, &all[0]));
		story_exit(&all[i], &init, i % 2 ? SIGKILL : (int32_t)i << 8);
		story_reap(&all[i], &init);
		story_put(free_record(0, &all[i]));
	}
	story_end();
	story_cgroups(path, "77 /" BREAKOUT "\xe2\x80\xae\n");
	story_users(path, "1000 <img src=x onerror=window.ran=11>\n");
	metadata_set(path, "hostname", "\"<script>window.ran=12</script>\"");
}

/* Killed, and each phase of its death takes some milliseconds: 3, 1, 2, 4, 5, 6. */
static void tell_death(const char *path)
{
	struct who init = process_of_pid(1, "init"), victim;
	struct proclife_record record;

	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(path);
	story_features = WITHOUT_EXITING;
	story_put(task_record(0, &init, &init));
	victim = story_fork(&init, 100, "victim");
	machine->now += 20 * MS;
	story_put(signal_record(0, &victim, SIGKILL, &init));
	machine->now += 3 * MS;
	story_put(exiting_record(0, &victim, &init, NULL, SIGKILL));
	machine->now += 1 * MS;
	record = mm_record(0, &victim, PROCLIFE_MM_LEFT, &victim);
	record.mm.users = 2;
	story_put(record);
	machine->now += 2 * MS;
	story_put(mm_record(0, &init, PROCLIFE_MM_TEARDOWN, &victim));
	machine->now += 4 * MS;
	story_put(mm_record(0, &init, PROCLIFE_MM_GONE, &victim));
	story_exit(&victim, &init, SIGKILL);
	machine->now += 5 * MS;
	story_reap(&victim, &init);
	machine->now += 6 * MS;
	story_put(free_record(0, &victim));
	story_end();
}

/* More than a thousand processes at a time. */
static void tell_crowd(const char *path)
{
	static struct who all[1200];
	struct who init = process_of_pid(1, "init");
	uint32_t i;

	story_begin(path);
	story_put(task_record(0, &init, &init));
	for (i = 0; i < 1200; i++)
		all[i] = story_fork(&init, 1000 + i, "worker");
	machine->now += 1000 * MS;
	for (i = 0; i < 1200; i++) {
		story_exit(&all[i], &init, 0);
		story_reap(&all[i], &init);
		story_put(free_record(0, &all[i]));
	}
	story_end();
}

/* An hour of activity in each half of a day, for three days. */
static void tell_days(const char *path)
{
	struct who init = process_of_pid(1, "init");

	story_begin(path);
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 6; i++) {
		struct who job = process_of_pid(100 + i, "job");

		story_live(&job, &init, 3600 * 1000 * MS, MS, MS);
		machine->now += 11 * 3600 * 1000 * MS;
	}
	story_end();
}

/* Each process has forked the next. */
static void tell_deep(const char *path)
{
	struct who all[120] = { process_of_pid(1, "init") };
	uint32_t i;

	story_begin(path);
	story_put(task_record(0, &all[0], &all[0]));
	for (i = 1; i < 120; i++) {
		all[i] = story_fork(&all[i - 1], 100 + i, "deeper");
		machine->now += MS;
	}
	for (i = 119; i; i--) {
		story_exit(&all[i], &all[i - 1], 0);
		story_reap(&all[i], &all[i - 1]);
		story_put(free_record(0, &all[i]));
	}
	story_end();
}

/* A zombie that is not reaped, while others come and go. */
static void tell_zombie(const char *path)
{
	struct who init = process_of_pid(1, "init"), zombie;

	story_begin(path);
	story_put(task_record(0, &init, &init));
	zombie = story_fork(&init, 100, "left");
	machine->now += 10 * MS;
	story_exit(&zombie, &init, 0);
	for (uint32_t i = 0; i < 5; i++) {
		struct who other = process_of_pid(200 + i, "other");

		machine->now += 5 * MS;
		story_live(&other, &init, 20 * MS, MS, MS);
	}
	machine->now += 10 * MS;
	story_end();
}

/* Its NOTIFY is overwritten before it is read, so that it is not known since when it was a zombie. */
static void tell_unnoticed(const char *path)
{
	struct who init = process_of_pid(1, "init"), child;
	struct proclife_record record;

	story_ring = 16;
	story_begin(path);
	story_ring = STORY_RING;
	story_put(task_record(0, &init, &init));
	child = story_fork(&init, 100, "unnoticed");
	machine->now += 10 * MS;
	record = exit_record(0, &child, 0, 0);
	record.exit.parent_tgid = init.tgid;
	story_put(record);
	story_sync();
	story_put(notify_record(0, &child, &init));
	for (int i = 0; i < 40; i++)
		story_put(rename_record(0, &init, "init"));
	story_sync();
	machine->now += 50 * MS;
	story_reap(&child, &init);
	story_put(free_record(0, &child));
	story_end();
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];

	if (argc != 2)
		return 1;
	snprintf(folder.base, sizeof(folder.base), "%s", argv[1]);
	stories_tell();
	stories_forget();
	snprintf(path, sizeof(path), "%s/hostile", argv[1]);
	tell_hostile(path);
	snprintf(path, sizeof(path), "%s/crowd", argv[1]);
	tell_crowd(path);
	snprintf(path, sizeof(path), "%s/days", argv[1]);
	tell_days(path);
	snprintf(path, sizeof(path), "%s/deep", argv[1]);
	tell_deep(path);
	snprintf(path, sizeof(path), "%s/zombie", argv[1]);
	tell_zombie(path);
	snprintf(path, sizeof(path), "%s/unnoticed", argv[1]);
	tell_unnoticed(path);
	snprintf(path, sizeof(path), "%s/death", argv[1]);
	tell_death(path);
	/* The same for a command that was followed. */
	snprintf(path, sizeof(path), "%s/command", argv[1]);
	tell_death(path);
	metadata_set(path, "command", "100");
	metadata_set(path, "command_creator", "1");
	return 0;
}
