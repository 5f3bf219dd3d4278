// SPDX-License-Identifier: GPL-2.0-only
// WRAP: geteuid mkdirat closedir
/* Folders of other users, or where others can write: no recording there can be exchanged by them. */
#include "check.h"
#include "live_device.h"
#include "program.h"
#include "recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <base/secure_dir.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static uid_t pretended; /* 0: the real one */
static const char *made; /* after a folder of this name is made, or listed, another user does this: */
static void (*meanwhile)(void);

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
int __real_mkdirat(int dir, const char *name, mode_t mode);
int __wrap_mkdirat(int dir, const char *name, mode_t mode);
int __real_closedir(DIR *dir);
int __wrap_closedir(DIR *dir);

uid_t __wrap_geteuid(void)
{
	return pretended ? pretended : __real_geteuid();
}

int __wrap_mkdirat(int dir, const char *name, mode_t mode)
{
	int ret = __real_mkdirat(dir, name, mode);

	if (!ret && made && !strcmp(name, made))
		meanwhile();
	return ret;
}

int __wrap_closedir(DIR *dir)
{
	if (meanwhile && !made)
		meanwhile();
	return __real_closedir(dir);
}

static int setup(void **state)
{
	pretended = 0;
	made = NULL;
	meanwhile = NULL;
	return live_setup(state);
}

static void make(const char *path, mode_t mode, uid_t owner)
{
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	__real_closedir(dir);
	return count == 2;
}

/* Tries a recorder, or one that keeps the latest. */
static int try_record(const char *path, bool keeps)
{
	struct proclife_run_info info = { .size = sizeof(info), .began = 1, .command_status = -1 };
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_source *source = fake_device_open(device);
	struct proclife_keep least = { .size = sizeof(least), .bytes = proclife_keep_least(source) };
	struct proclife_recorder *one;
	int ret;

	ret = keeps ? proclife_recorder_keep(&one, source, path, &info, &least) :
		      proclife_recorder_new(&one, source, path, &info);
	if (!ret)
		proclife_recorder_free(one);
	proclife_source_free(source);
	fake_device_free(device);
	return ret;
}

static void expect_refused(const char *path)
{
	for (int keeps = 0; keeps < 2; keeps++)
		assert_int_equal(try_record(path, keeps), -EPERM);
	assert_true(is_empty(path));
}

static void test_modes(void **state)
{
	static const struct {
		mode_t mode;
		bool group; /* it is another one than our own */
		int ret;
	} folders[] = {
		{ 0700, false, 0 },	    { 0755, false, 0 },	    { 0775, false, 0 },
		{ 0757, false, -EPERM },    { 01777, false, -EPERM }, { 02775, true, -EPERM },
		{ 0750, true, 0 },
	};
	char path[2 * PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/there", folder.base);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (folders[i].group && __real_geteuid())
			continue;
		make(path, 0700, (uid_t)-1);
		if (folders[i].group)
			assert_int_equal(chown(path, (uid_t)-1, NOBODY), 0);
		assert_int_equal(chmod(path, folders[i].mode), 0);
		if (folders[i].ret)
			expect_refused(path);
		else
			assert_int_equal(try_record(path, i % 2), 0);
		folder_remove(&folder);
		folder_make(&folder);
		snprintf(path, sizeof(path), "%s/there", folder.base);
	}
}

/* A new folder in another user's folder is accepted. */
static void test_of_others(void **state)
{
	char path[2 * PATH_MAX], new[3 * PATH_MAX];

	(void)state;
	if (__real_geteuid())
		skip();
	snprintf(path, sizeof(path), "%s/theirs", folder.base);
	make(path, 0755, NOBODY);
	expect_refused(path);
	for (int keeps = 0; keeps < 2; keeps++) {
		snprintf(new, sizeof(new), "%s/new-%d//", path, keeps);
		assert_int_equal(try_record(new, keeps), 0);
	}
	assert_int_equal(try_record(new, true), 0); /* it exists now, and is ours */
}

/* If all files have the same owner, that owner cannot be distinguished from us. */
static void test_one_owner(void **state)
{
	uid_t own = __real_geteuid();
	char path[2 * PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/one", folder.base);
	if (!own) {
		assert_int_equal(chown(folder.base, NOBODY, (gid_t)-1), 0);
		assert_int_equal(seteuid(NOBODY), 0);
	}
	pretended = 4711;
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 0; i < 2; i++) {
		int dir = proclife_secure_folder(path);

		assert_true(dir >= 0);
		close(dir);
		assert_true(is_empty(path));
		snprintf(path, sizeof(path), "%s/new", folder.base);
	}
	assert_int_equal(seteuid(own), 0);
}

/* A link is followed where no other user can put one. */
static void test_link(void **state)
{
	char target[2 * PATH_MAX], open_to_all[2 * PATH_MAX], link[3 * PATH_MAX];

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder.base);
	snprintf(open_to_all, sizeof(open_to_all), "%s/all", folder.base);
	make(target, 0700, (uid_t)-1);
	make(open_to_all, 01777, (uid_t)-1);
	snprintf(link, sizeof(link), "%s/link", open_to_all);
	assert_int_equal(symlink(target, link), 0);
	expect_refused(link);
	strcat(link, "/");
	expect_refused(link);
	snprintf(link, sizeof(link), "%s/link", folder.base);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(try_record(link, false), 0);
	assert_true(file_is(target, "metadata"));
	assert_int_equal(try_record("", false), -ENOENT);
	assert_int_equal(try_record(".", false), -ENOTEMPTY);
	assert_int_equal(try_record("/", false), -ENOTEMPTY);
}

static const char *const names[] = { ".metadata", ".cgroups", ".users" };

static void put_links(void)
{
	char path[3 * PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder.path, names[i]);
		assert_true(!symlink("../target", path) || errno == EEXIST || errno == ENOENT);
	}
}

/* Links that are put there after the folder was checked, and while it is recorded. */
static void test_links_in_it(void **state)
{
	struct proclife_run_info info = { .size = sizeof(info), .began = 1, .ended = 100, .command_status = -1 };
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_source *source = fake_device_open(device);
	struct proclife_recorder *one;
	char target[2 * PATH_MAX];

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder.base);
	write_file_text(target, "as it was");
	meanwhile = put_links;
	assert_int_equal(proclife_recorder_new(&one, source, folder.path, &info), 0);
	expect_file_text(target, "as it was");
	put_links();
	meanwhile = NULL;
	assert_int_equal(proclife_recorder_finish(one, &info), 0);
	expect_file_text(target, "as it was");
	proclife_recorder_free(one);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_true(proclife_recording_info(source)->complete);
	proclife_source_free(source);
	fake_device_free(device);
}

static void exchange(const char *name, const char *with)
{
	char path[3 * PATH_MAX], away[4 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder.base, name);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(symlink(with, path), 0);
}

static void exchange_above(void)
{
	exchange("above", "other");
}

/* Exchanges the folder of the run, in the folder of the parts. */
static void exchange_run(void)
{
	char run[PATH_MAX] = "", name[2 * PATH_MAX], other[3 * PATH_MAX];
	DIR *dir = opendir(folder.path);

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			snprintf(run, sizeof(run), "%s", entry->d_name);
	__real_closedir(dir);
	snprintf(name, sizeof(name), "recording/%s", run);
	snprintf(other, sizeof(other), "%s/other", folder.base);
	exchange(name, other);
	made = NULL;
	meanwhile = NULL;
}

/* The owner of a folder above exchanges ours after it was made: the recording goes to ours all the same. */
static void test_exchanged(void **state)
{
	char other_path[2 * PATH_MAX], path[3 * PATH_MAX];

	(void)state;
	snprintf(other_path, sizeof(other_path), "%s/other", folder.base);
	make(other_path, 0700, (uid_t)-1);
	snprintf(path, sizeof(path), "%s/new", other_path);
	make(path, 0700, (uid_t)-1);
	snprintf(path, sizeof(path), "%s/above", folder.base);
	make(path, 0700, (uid_t)-1);
	strcat(path, "/new");
	made = "new";
	meanwhile = exchange_above;
	assert_int_equal(try_record(path, false), 0);
	snprintf(path, sizeof(path), "%s/new", other_path);
	assert_true(is_empty(path));
	snprintf(path, sizeof(path), "%s/above.away/new", folder.base);
	assert_true(file_is(path, "metadata"));

	snprintf(path, sizeof(path), "%s/.being-made", other_path);
	make(path, 0700, (uid_t)-1);
	made = ".being-made";
	meanwhile = exchange_run;
	assert_int_equal(try_record(folder.path, true), 0);
	assert_null(meanwhile);
	assert_true(is_empty(path));
}

static void expect_said(const char *options, const char *path, const char *text)
{
	char wanted[4 * PATH_MAX];
	struct output out = run_program(true, 0, "%s %s %s", program, options, path);

	snprintf(wanted, sizeof(wanted), "proclife-read: %s %s: %s\n", strrchr(options, '-') - 1, path, text);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 1);
	free(out.text);
	assert_true(is_empty(path));
}

/* The message has the remedy, for each option that names a folder. */
static void test_program(void **state)
{
	char record[2 * PATH_MAX], save[2 * PATH_MAX], slice[2 * PATH_MAX], path[2 * PATH_MAX];
	struct output out;

	(void)state;
	live_open(1 << 10);
	live_story(1);
	snprintf(record, sizeof(record), "--device %s --history --duration 10ms --record", live_path);
	snprintf(save, sizeof(save), "--device %s --duration 10ms --on failed --save", live_path);
	snprintf(slice, sizeof(slice), "-i %s --slice", folder.path);
	out = run_program(true, 0, "%s %s %s", program, record, folder.path);
	assert_int_equal(out.status, 0);
	free(out.text);
	snprintf(path, sizeof(path), "%s/there", folder.base);
	make(path, 0777, (uid_t)-1);
	for (int i = 0; i < 3; i++)
		expect_said(i ? i == 1 ? save : slice : record, path,
			    "others can write in this folder, and could exchange what is in it; name one that does not "
			    "exist yet, or take that from them: 'chmod go-w'");
	assert_int_equal(chmod(path, 01777), 0);
	out = run_program(true, 0, "%s %s %s", program, save, path);
	assert_int_equal(out.status, 0);
	free(out.text);
	if (__real_geteuid())
		return;
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	for (int i = 0; i < 3; i++)
		expect_said(i ? i == 1 ? save : slice : record, path,
			    "the folder belongs to uid 65534, who could exchange what is in it; name one that does not "
			    "exist yet");
}

#define OWN(name) cmocka_unit_test_setup_teardown(name, setup, live_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN(test_modes),
		OWN(test_of_others),
		OWN(test_one_owner),
		OWN(test_link),
		OWN(test_links_in_it),
		OWN(test_exchanged),
		OWN(test_program),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
