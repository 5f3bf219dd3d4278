/* SPDX-License-Identifier: GPL-2.0-only */
/* A /proc that is written for the test, and the dying processes by it and by the records. */
#ifndef UNIT_PROC_FILES_H
#define UNIT_PROC_FILES_H

#include "check.h"
#include "fixture_tasks.h"
#include "recorded.h"
#include "views/now/dying.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK))

static struct run run;

static inline int begin(void **state)
{
	recorded_setup(state);
	begin_tasks(state);
	run = (struct run){ .tasks = tasks };
	return 0;
}

static inline int end(void **state)
{
	end_tasks(state);
	return recorded_teardown(state);
}

#define DYING(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* A process that began a little more than 50 s after the boot. */
static inline struct who victim(uint32_t pid)
{
	struct who who = process_of_pid(pid, "victim");

	who.start = 50000000000 + pid * TICK + TICK / 2;
	return who;
}

static inline struct who thread(const struct who *leader, uint32_t tid)
{
	struct who who = thread_of(leader, tid);

	who.start = leader->start;
	return who;
}

/* Writes a file, and makes the folders of its path. */
static inline void put_file(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void put_file(const char *text, const char *format, ...)
{
	char path[PATH_MAX], *slash;
	int n = snprintf(path, sizeof(path), "%s/", folder.base);
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(path + n, sizeof(path) - n, format, args);
	va_end(args);
	for (slash = path + n; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	if (!text) {
		assert_int_equal(mkdir(path, 0700), 0); /* read() fails on a folder */
		return;
	}
	unlink(path);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

#define EXITING 0x4
#define KILLED (1 << (SIGKILL - 1))

static inline void stat_text(char text[512], const struct who *who, char state, unsigned int flags,
		      unsigned int pending)
{
	snprintf(text, 512,
		 "%u (%s) %c 1 1 1 0 -1 %u 10 0 0 0 1 2 3 4 20 0 1 0 %llu 4096 100 "
		 "18446744073709551615 1 1 0 0 0 %u 0 4096 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 who->pid, who->comm, state, flags, (unsigned long long)(who->start / TICK), pending);
}

static inline void put_thread(const struct who *who, char state, const char *wchan, unsigned int flags,
		       unsigned int pending)
{
	char text[512];

	stat_text(text, who, state, flags, pending);
	put_file(text, "%u/task/%u/stat", who->tgid, who->pid);
	put_file(wchan, "%u/task/%u/wchan", who->tgid, who->pid);
	if (who->pid == who->tgid)
		put_file(text, "%u/stat", who->tgid);
}

/* A SIGKILL of the whole process is pending; its user has many groups. */
static inline void put_status(const struct who *who, uint32_t parent, uint32_t tracer)
{
	char text[8192], groups[7000];

	snprintf(groups, sizeof(groups), "%06999d", 7);
	snprintf(text, sizeof(text), "Name:\t%s\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\nTracerPid:\t%u\n"
		 "Groups:\t%s\nSigPnd:\t%016x\nShdPnd:\t%016x\n", who->comm, who->tgid, who->pid, parent,
		 tracer, groups, 0, who->flags);
	put_file(text, "%u/status", who->pid);
}

static inline struct dying_list collect(void)
{
	return dying_collect(&run, folder.base);
}

static inline void expect_nobody(void)
{
	struct dying_list list = collect();

	assert_int_equal(list.count, 0);
	dying_free(&list);
}

static inline void expect_thread(const struct dying *dying, size_t index, uint32_t tid, char state,
			  const char *wchan)
{
	assert_true(index < dying->proc.count);
	assert_int_equal(dying->proc.threads[index].tid, tid);
	assert_int_equal(dying->proc.threads[index].state, state);
	assert_string_equal(dying->proc.threads[index].wchan, wchan);
}

static inline void kill_at(uint64_t ts, const struct who *who)
{
	feed(tasks, signal_record(ts, who, SIGKILL, &shell));
}

#endif
