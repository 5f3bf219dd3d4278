// SPDX-License-Identifier: GPL-2.0-only
// WRAP: getpwuid_r clock_gettime
/* The user names that a recording keeps: of users that occur in it, as this machine knows them then. */
#include "story.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOBODY 3999999999u

#define MANY 200000u	/* the first of many users: "u200000" */
#define MANY_END 300000u
#define NAMELESS 10	/* one of this many has no name */

static size_t shortest; /* room for an entry */
static uint64_t clock_at;    /* ns */
static uint64_t clock_takes; /* what each reading adds to it */
static uint64_t takes;	     /* how long a lookup of one of the many takes */
static uint32_t asked;	     /* how many of these were looked up */

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	clock_at += clock_takes;
	ts->tv_sec = (time_t)(clock_at / (1000 * MS));
	ts->tv_nsec = (long)(clock_at % (1000 * MS));
	return 0;
}

int __real_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found);
int __wrap_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found);

int __wrap_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found)
{
	if (uid < MANY || uid >= MANY_END)
		return size < shortest ? ERANGE : __real_getpwuid_r(uid, user, text, size, found);
	clock_at += takes;
	assert_int_equal(uid, MANY + asked);
	asked++;
	snprintf(text, size, "u%u", (unsigned int)uid);
	*user = (struct passwd){ .pw_name = text };
	*found = uid % NAMELESS ? user : NULL;
	return 0;
}

/* Expects this as the whole file. */
static void expect_users(const char *text)
{
	static char found[1 << 16];
	char path[PATH_MAX + 16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/.users", folder.path);
	file = fopen(path, "r");
	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(found, text);
}

static void put_fork(uint32_t pid, uint32_t uid, uint32_t exec_as)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(pid, "x");
	struct proclife_record record = fork_record(0, &who, &init);

	record.fork.uid = uid;
	story_put(record);
	record = exec_record(0, &who, pid, "/bin/x");
	record.exec.uid = exec_as;
	story_put(record);
}

static void test_recorded(void **state)
{
	char wanted[1000], line[200];
	struct passwd *user;

	(void)state;
	if (getpwuid(NOBODY) || !getpwuid(0) || strcmp(getpwuid(0)->pw_name, "root"))
		skip();
	put_fork(100, NOBODY, NOBODY);
	story_sync();
	expect_users("");
	shortest = 5000;
	put_fork(101, 0, 0);
	put_fork(102, NOBODY, 0);
	story_sync();
	expect_users("0 root\n");
	/* Each user once, and no others. */
	setpwent();
	strcpy(wanted, "0 root\n");
	for (uint32_t i = 0; i < 5 && (user = getpwent());) {
		if (!user->pw_uid || strcmp(getpwuid(user->pw_uid)->pw_name, user->pw_name))
			continue;
		put_fork(200 + i++, 0, user->pw_uid);
		snprintf(line, sizeof(line), "%u %s\n", (unsigned int)user->pw_uid, user->pw_name);
		strcat(wanted, line);
	}
	endpwent();
	story_end();
	expect_users(wanted);
}

/* Names come from the recording, and not from this machine. */
static void test_replayed(void **state)
{
	struct proclife_users *users;
	struct proclife_fault fault;

	(void)state;
	story_end();
	story_users(folder.path, "0 toor\n4294967295 last\n");
	errno = EINTR; /* something else was interrupted */
	assert_int_equal(proclife_users_new(&users, folder.path, &fault), 0);
	assert_string_equal(fault.text, "");
	assert_string_equal(proclife_users_name(users, 0), "toor");
	assert_string_equal(proclife_users_name(users, UINT32_MAX), "last");
	assert_null(proclife_users_name(users, 1));
	proclife_users_free(users);
	proclife_users_free(NULL);
	assert_int_equal(proclife_users_new(&users, "/nonexistent", &fault), 0);
	assert_null(proclife_users_name(users, 0));
	proclife_users_free(users);
	assert_int_equal(proclife_users_new(&users, NULL, NULL), 0);
	assert_null(proclife_users_name(users, NOBODY));
	assert_null(proclife_users_name(users, NOBODY));
	proclife_users_free(users);
}

static void put_many(uint32_t count)
{
	asked = 0;
	for (uint32_t i = 0; i < count; i++)
		put_fork(1000 + i, MANY + i, MANY + i);
}

static void expect_asked(uint32_t all)
{
	static char wanted[1 << 16];
	size_t size = 0;

	assert_int_equal(asked, all);
	wanted[0] = '\0';
	for (uint32_t uid = MANY; uid < MANY + all; uid++)
		if (uid % NAMELESS)
			size += (size_t)sprintf(wanted + size, "%u u%u\n", uid, uid);
	expect_users(wanted);
}

/* A few lookups at a time, so that the rings are read in between. */
static void test_slow(void **state)
{
	(void)state;
	takes = 1 * MS;
	put_many(120);
	story_sync();
	expect_asked(50);
	story_sync();
	expect_asked(100);
	story_sync();
	expect_asked(120);
	put_fork(1, MANY, MANY + 119);
	story_sync();
	takes = 100 * MS; /* even then, it goes on */
	put_fork(1, MANY + 120, MANY + 121);
	story_sync();
	expect_asked(121);
	story_end();
	expect_asked(122);
}

/* The end allows more time, so that all of a few users get names, but not unlimited time. */
static void test_slow_end(void **state)
{
	(void)state;
	takes = 20 * MS;
	put_many(60);
	story_end();
	expect_asked(25);
}

/* A slice has all the names that its recording has, however long that takes. */
static void test_sliced(void **state)
{
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_run_info run;
	struct proclife_event event;
	char part[PATH_MAX];

	(void)state;
	takes = 0;
	put_many(30);
	story_end();
	expect_asked(30);
	clock_takes = 1000 * MS;
	assert_int_equal(proclife_recording_open(&source, folder.path, NULL), 0);
	run = *proclife_recording_info(source);
	snprintf(part, sizeof(part), "%s/part", folder.base);
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, part, &run), 0);
	while (proclife_source_next(source, &event) == 1)
		assert_int_equal(proclife_recorder_add(recorder, &event), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	clock_takes = 0;
	strcpy(folder.path, part);
	expect_asked(30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_recorded),
		STORY(test_replayed),
		STORY(test_slow),
		STORY(test_slow_end),
		STORY(test_sliced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
