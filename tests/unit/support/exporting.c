// SPDX-License-Identifier: GPL-2.0-only
#include "exporting.h"

#include "marks.h"
#include "stories.h"
#include "story.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The recordings, and the program's exit status for each. */
static const struct {
	const char *name;
	int status;
} recordings[] = {
	{ "build", 0 }, { "lossy", 3 }, { "before", 0 }, { "marks", 0 }, { "hostile", 0 }, { "late", 0 },
	{ "unseen", 3 },
};

const char *exporting_path(const char *name)
{
	static char paths[4][2 * PATH_MAX];
	static unsigned int n;

	n = (n + 1) % 4;
	snprintf(paths[n], sizeof(paths[n]), "%s/%s", folder.base, name);
	return paths[n];
}

/* A SIGKILL by tgkill(2). */
static void put_kill(const struct who *who, const struct who *killer)
{
	struct proclife_record record = signal_record(0, who, SIGKILL, killer);

	record.signal.code = SI_TKILL;
	story_put(record);
}

/* A SIGKILL by the OOM killer of a cgroup. */
static void put_oom(const struct who *who, const struct who *allocator)
{
	struct proclife_record record = signal_record(0, who, SIGKILL, allocator);

	record.signal.code = SI_KERNEL;
	story_put(record);
	record = oom_record(0, who, allocator);
	record.oom.scope = PROCLIFE_OOM_CGROUP;
	record.oom.cgroup = 77;
	story_put(record);
}

/* Processes with the worst possible names, paths and arguments. */
static void tell_hostile(void)
{
	static const char *const names[] = {
		"=cmd|'/c calc'!", "+1;=2", "-x", "@SUM(A1)", "a;b c 100", "two\nli\r\nnes\t", "q\"u,o\"te,\"",
		"\xff\xfe\x61\xc3", "\xe2\x80\xaelive", "</script>", "\\x41\\n", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		"", " lead", "trail ", "{\"a\":[1]}", "\x1b[31m\x7f\x01", "\xed\xa0\x80\xc0\x80", "# \xef\xbb\xbf", "say \"it\"", "%n%s$(id)`",
	};
	struct who init = process_of_pid(1, "init"), killer = process_of_pid(2, names[0]), thread, who;
	size_t count = sizeof(names) / sizeof(*names), i, n;
	struct proclife_record record;
	char path[100], args[200];

	story_begin(exporting_path("hostile"));
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &killer, &init));
	thread = thread_of(&killer, 3);
	story_put(clone_record(0, &thread, &init, &killer));
	for (i = 0; i < count; i++) {
		who = process_of_pid(1000 + (uint32_t)i, "parent;,\"\n");
		record = fork_record(0, &who, i % 2 ? &init : &killer);
		record.fork.ns_pid = 1000 - (uint32_t)(i % 2);
		story_put(record);
		who.comm = names[i];
		snprintf(path, sizeof(path), "%s%s", i % 2 ? "/" : "", names[i]);
		record = exec_record(0, &who, who.pid, path);
		record.flags |= i % 7 == 3 ? PROCLIFE_F_SCRIPT : i % 7 == 5 ? PROCLIFE_F_BY_FD : 0;
		story_put(record);
		n = (size_t)snprintf(args, sizeof(args), "%s%c%c%s%c-c%c%s;=%s", names[i], 0, 0, names[count - 1 - i],
				     0, 0, names[i], names[i]);
		if (i % 5) {
			story_args(&who, args, n + 1);
		} else { /* only the beginning of it */
			record = record_of(0, PROCLIFE_ARGS, &who);
			record.args.len = (uint16_t)(n < PROCLIFE_ARGS_LEN ? n : PROCLIFE_ARGS_LEN);
			record.args.total = 500;
			memcpy(record.args.text, args, record.args.len);
			story_put(record);
		}
		machine->now += 7 * MS + i;
		if (i % 6 == 0)
			put_kill(&who, &thread);
		else if (i % 3 == 0)
			put_oom(&who, &killer);
		if (i % 4 == 1)
			story_put(failed_exec_record(0, &who, ENOENT, path));
		story_exit(&who, i % 2 ? &init : &killer, i % 3 ? (int32_t)(i % 5) << 8 : SIGKILL);
		story_reap(&who, i % 2 ? &init : &killer);
		story_put(free_record(0, &who));
	}
	story_end();
	metadata_set(exporting_path("hostile"), "to_realtime", "\"0x17979cfe3d85cd15\"");
	metadata_set(exporting_path("hostile"), "hostname", "\"evil \\377\\042\"");
	story_cgroups(exporting_path("hostile"), "77 /=evil,\"\xff;-1;\"=2\n");
	story_users(exporting_path("hostile"), "1000 @alice;=1\n");
}

/* A record of a thread shows the process before its start time is known. */
static void tell_threads(const struct who *init)
{
	struct who app = process_of_pid(95, "app"), thread = thread_of(&app, 96);

	story_put(task_record(0, &thread, init));
	story_put(task_record(0, &app, init));
	machine->now += MS;
	story_put(exiting_record(0, &thread, init, NULL, 0));
	story_put(exit_record(0, &thread, 0, 1));
	story_reap(&thread, &thread);
	story_put(free_record(0, &thread));
	story_put(exiting_record(0, &app, init, NULL, 0));
	story_exit(&app, init, 0);
	story_reap(&app, init);
	story_put(free_record(0, &app));
}

/* A debugger waits late for its tracees: the parent reaps one after that, the other is still held. */
static void tell_traced(const struct who *init)
{
	struct who gdb = process_of_pid(86, "=gdb"), traced;

	story_put(task_record(0, &gdb, init));
	for (uint32_t pid = 87; pid < 89; pid++) {
		traced = story_fork(init, pid, "traced");
		machine->now += MS;
		story_put(exiting_record(0, &traced, init, &gdb, 0));
		story_put(exit_record(0, &traced, 0, 0));
		story_put(traced_record(0, &traced, &gdb, init));
		machine->now += 3 * MS;
		if (pid != 87)
			continue;
		story_put(notify_record(0, &traced, init));
		machine->now += MS;
		story_reap(&traced, init);
		story_put(free_record(0, &traced));
	}
}

/* The snapshot finds a zombie, which is reaped: it had ended before the trace, so --summary does not count it. */
static void tell_ended(const struct who *init)
{
	struct who ended = process_of_pid(94, "ended");
	struct proclife_record record;

	ended.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record = task_record(0, &ended, init);
	record.state.runtime = 5 * MS;
	story_put(record);
	story_reap(&ended, init);
	story_put(free_record(0, &ended));
}

/*
 * Another process tears its memory down once it is gone: one before the end of the trace, one after. And one
 * was exiting when it was found: since when is not known.
 */
static void tell_late(void)
{
	struct who init = process_of_pid(1, "init"), cat = process_of_pid(98, "cat"), found = process_of_pid(97, "found");
	struct who held;
	struct proclife_record record;

	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(exporting_path("late"));
	story_features = WITHOUT_EXITING;
	story_put(task_record(0, &cat, &init));
	found.flags |= PROCLIFE_F_EXITING;
	story_put(task_record(0, &found, &init));
	machine->now += 3 * MS;
	story_exit(&found, &init, 3 << 8);
	machine->now += 2 * MS;
	story_reap(&found, &init);
	machine->now += MS;
	story_put(free_record(0, &found));
	tell_ended(&init);
	tell_threads(&init);
	tell_traced(&init);
	cat = thread_of(&cat, 99);
	for (uint32_t pid = 100; pid < 102; pid++) {
		held = story_fork(&init, pid, "held");
		machine->now += 5 * MS;
		record = exiting_record(0, &held, &init, NULL, 0);
		record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
		story_put(record);
		record = mm_record(0, &held, PROCLIFE_MM_LEFT, &held);
		record.mm.users = 2;
		story_put(record);
		story_die(&held, &init, (int32_t)(pid - 100) << 8, MS, 100);
		story_bury(&held, &init);
		machine->now += MS;
		story_put(mm_record(0, &cat, PROCLIFE_MM_EARLY, &held));
		story_put(mm_record(0, &cat, PROCLIFE_MM_TEARDOWN, &held));
		machine->now += MS;
		if (pid == 100)
			story_put(mm_record(0, &cat, PROCLIFE_MM_GONE, &held));
	}
	/* No process waits for it: it is released at once. */
	held = story_fork(&init, 110, "ignored");
	machine->now += MS;
	record = exiting_record(0, &held, &init, NULL, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(record);
	story_put(exit_record(0, &held, 0, 0));
	story_put(ignored_record(0, &held, &init));
	story_reap(&held, &held);
	story_put(free_record(0, &held));
	story_end();
	metadata_set(exporting_path("late"), "to_boottime", "\"0x5000\"");
	metadata_set(exporting_path("late"), "to_realtime", "\"0x17979cfe3d85cd15\"");
}

/*
 * One is found as a zombie; the gap can hide the EXIT of another thread, but it is reaped. The exit of the
 * other one begins, and the rest of it is lost.
 */
static void tell_unseen(void)
{
	struct who init = process_of_pid(1, "init"), found = process_of_pid(97, "found"), lost;
	struct proclife_record record;

	story_ring = 16;
	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(exporting_path("unseen"));
	story_features = WITHOUT_EXITING;
	story_put(task_record(0, &init, &init));
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record = task_record(0, &found, &init);
	record.state.exit_code = 2 << 8;
	story_put(record);
	lost = story_fork(&init, 98, "lost");
	machine->now += MS;
	record = exiting_record(0, &lost, &init, NULL, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(record);
	story_sync();
	for (uint32_t i = 0; i < 17; i++)
		story_wait(&init);
	story_sync();
	machine->now += 2 * MS;
	story_reap(&found, &init);
	machine->now += MS;
	story_put(free_record(0, &found));
	story_bury(&lost, &init);
	story_end();
	story_ring = STORY_RING;
	metadata_set(exporting_path("unseen"), "to_boottime", "\"0x5000\"");
	metadata_set(exporting_path("unseen"), "to_realtime", "\"0x17979cfe3d85cd15\"");
}

int exporting_setup(void **state)
{
	recorded_setup(state);
	setenv("TZ", "UTC0", 1);
	stories_tell();
	metadata_set(exporting_path("build"), "boot_id", "\"" EXPORTING_BOOT "\"");
	tell_hostile();
	tell_late();
	tell_unseen();
	return 0;
}

int exporting_teardown(void **state)
{
	stories_forget();
	return recorded_teardown(state);
}

void exporting_run(const char *recording, const char *options, const char *file, int status)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, exporting_path(recording), options);
	FILE *to = fopen(exporting_path(file), "w");

	assert_non_null(to);
	assert_int_equal(fwrite(out.text, 1, out.size, to), out.size);
	assert_int_equal(fclose(to), 0);
	if (out.status != status)
		fail_msg("%s %s: status %d:\n%s", recording, options, out.status, out.text);
	free(out.text);
}

void exporting_check(const char *format, ...)
{
	char line[8 * PATH_MAX];
	struct output out;
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	out = run_program(true, 0, "python3 " SOURCE "/tests/unit/support/exports.py %s", line);
	if (out.status)
		fail_msg("status %d: %s\nexports.py %s", out.status, out.text, line);
	free(out.text);
}

void exporting_count(const char *recording, const char *format, const char *options, const char *filter)
{
	char line[PATH_MAX], export[100];

	snprintf(export, sizeof(export), "part.%s", format);
	snprintf(line, sizeof(line), "--export %s %s %s", format, options, filter);
	exporting_run(recording, line, export, 0);
	snprintf(line, sizeof(line), "--summary --json %s", filter);
	exporting_run(recording, line, "part.json", 0);
	exporting_check("counts %s %s %s", format, exporting_path(export), exporting_path("part.json"));
}

void exporting_compare(const char *format, const char *options, const char *suffix)
{
	char files[6 * PATH_MAX] = "", line[2 * PATH_MAX], export[100], lives[100], tree[100], summary[100];

	for (size_t i = 0; i < sizeof(recordings) / sizeof(*recordings); i++) {
		const char *name = recordings[i].name;
		int status = recordings[i].status;

		snprintf(export, sizeof(export), "%s.%s", name, suffix);
		snprintf(lives, sizeof(lives), "%s.lives.json", name);
		snprintf(tree, sizeof(tree), "%s.tree.json", name);
		snprintf(summary, sizeof(summary), "%s.summary.json", name);
		snprintf(line, sizeof(line), "--export %s %s", strcmp(format, "processes") ? format :
			 "perfetto --tracks processes", options);
		exporting_run(name, line, export, status);
		snprintf(line, sizeof(line), "--lives --sort time --json %s", options);
		exporting_run(name, line, lives, status);
		snprintf(line, sizeof(line), "--tree --json %s", options);
		exporting_run(name, line, tree, status);
		snprintf(line, sizeof(line), "--summary --json %s", options);
		exporting_run(name, line, summary, status);
		snprintf(line, sizeof(line), " %s %s %s %s", exporting_path(export), exporting_path(lives),
			 exporting_path(tree), exporting_path(summary));
		strcat(files, line);
	}
	exporting_check("%s " SOURCE "/user/man/proclife-read-export.5%s", format, files);
}
