// SPDX-License-Identifier: GPL-2.0-only
/* Whose names a recording keeps: of those who occur in it, as this machine knows them by then. */
#include "story.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY 3999999999u

static size_t shortest; /* room for an entry */

int __real_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found);
int __wrap_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found);

int __wrap_getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **found)
{
	return size < shortest ? ERANGE : __real_getpwuid_r(uid, user, text, size, found);
}

/* The whole of the file. */
static void expect_users(const char *text)
{
	char path[PATH_MAX + 16], found[4096] = "";
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
	/* Each of them once, and nobody else. */
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

/* Their names are those of the recording, and not this machine's. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_recorded),
		STORY(test_replayed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
