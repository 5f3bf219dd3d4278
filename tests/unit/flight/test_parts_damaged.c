// SPDX-License-Identifier: GPL-2.0-only
// WRAP: proclife_compressor_new
/* A recording that keeps the latest, with parts that are damaged, missing, or foreign: the others are read. */
#include "check.h"
#include "parted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <recording/parts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char paths[64][PATH_MAX + 16]; /* of all parts */
static char run_path[PATH_MAX];
static size_t parts;

static int recorded_in_parts(void **state)
{
	struct dirent **names;
	int count;

	recorded_setup(state);
	parted_begin(9000, 21);
	while (parted_go_on(2000))
		;
	parted_end();
	parted_run_path(run_path);
	count = scandir(run_path, &names, NULL, alphasort);
	parts = 0;
	for (int i = 0; i < count; i++) {
		uint32_t number;

		if (proclife_is_part_name(names[i]->d_name, &number)) {
			assert_true(parts < 64);
			snprintf(paths[parts++], sizeof(paths[0]), "%s/%.8s", run_path, names[i]->d_name);
		}
		free(names[i]);
	}
	free(names);
	assert_true(parts > 6);
	return 0;
}

#define IN_PARTS(name) cmocka_unit_test_setup_teardown(name, recorded_in_parts, recorded_teardown)

static struct proclife_run_info info_of(const char *path)
{
	struct proclife_source *source = replay(path);
	struct proclife_run_info info = *proclife_recording_info(source);

	proclife_source_free(source);
	return info;
}

/*
 * All records are read, except those lost between these times: this many, or,
 * if that is not known, any number.
 */
static void check_rest(uint64_t from, uint64_t to, uint64_t most, size_t damages)
{
	struct proclife_source *source = replay(folder.path);
	const struct proclife_run_info *info = proclife_recording_info(source);
	uint64_t began = info->began, ended = info->complete ? info->ended : info->synced;
	uint64_t lost = 0, missing = 0;
	size_t at = 0, found = 0;

	log_free(&again);
	assert_int_equal(log_source(&again, source, UINT64_MAX), -ENODATA);
	for (size_t i = 0; i < live.count; i++) {
		const struct proclife_record *record = &live.records[i];

		if (record->ts <= began || record->ts >= ended)
			continue;
		while (at < again.count && (again.records[at].ts < record->ts || !again.records[at].type))
			at++;
		if (at < again.count && !memcmp(&again.records[at], record, sizeof(*record))) {
			at++;
			continue;
		}
		missing++;
		assert_true(record->ts >= from && record->ts <= to);
	}
	for (size_t i = 0; i < again.count; i++) {
		if (again.records[i].type)
			continue;
		lost += again.records[i].words[0];
		assert_true(again.records[i].words[1] <= to && again.records[i].words[2] >= from);
		assert_int_equal(again.records[i].words[3], PROCLIFE_CPU_ALL);
	}
	assert_true(!missing == !lost && missing <= most);
	while (proclife_recording_damage(source, found))
		found++;
	assert_int_equal(found, damages);
	proclife_source_free(source);
	check_slice(folder.path, &again);
}

static const char *damage_of(char what[96])
{
	struct proclife_source *source = replay(folder.path);
	struct log log = { 0 };

	assert_int_equal(log_source(&log, source, UINT64_MAX), -ENODATA);
	strcpy(what, proclife_recording_damage(source, 0)->what);
	log_free(&log);
	proclife_source_free(source);
	return what;
}

static void test_metadata(void **state)
{
	uint64_t began[3];
	char what[96];

	(void)state;
	check_rest(0, 0, 0, 0);
	for (size_t i = 0; i < 3; i++)
		began[i] = info_of(paths[2 + i]).began;

	/* Simulates a power failure: the last part's metadata is empty. */
	file_cut(paths[parts - 1], "metadata", 0);
	check_rest(0, 0, 0, 1);
	assert_string_equal(info_of(folder.path).reason, "");
	assert_int_equal(info_of(folder.path).parts, parts - 1);
	assert_false(info_of(folder.path).complete || info_of(folder.path).running);
	assert_non_null(strstr(damage_of(what), "not a recording: "));

	/* Before the first part, nothing can be missing. */
	file_patch(paths[0], "metadata", 0, "~", 1);
	check_rest(0, 0, 0, 2);
	assert_int_equal(info_of(folder.path).began, info_of(paths[1]).began);

	/* Two missing parts in the middle are a hole. */
	file_cut(paths[2], "metadata", 100);
	file_cut(paths[3], "metadata", 100);
	check_rest(began[0], began[2], UINT64_MAX, 4);

	for (size_t i = 0; i < parts; i++)
		file_cut(paths[i], "metadata", i);
	assert_int_equal(try_replay(folder.path, &(struct proclife_fault){ 0 }, &again), -ENOEXEC);
}

static void rename_part(const char *path, const char *to)
{
	char target[PATH_MAX + 16];

	snprintf(target, sizeof(target), "%s/%s", run_path, to);
	assert_int_equal(rename(path, target), 0);
}

static void test_missing(void **state)
{
	uint64_t from = info_of(paths[2]).began, to = info_of(paths[4]).began;
	char what[96];

	(void)state;
	rename_part(paths[2], "second");
	rename_part(paths[3], "third");
	check_rest(from, to, UINT64_MAX, 1);
	assert_string_equal(damage_of(what), "it is missing");
	rename_part(paths[parts - 1], "last");
	check_rest(from, to, UINT64_MAX, 1);
	assert_false(info_of(folder.path).complete || info_of(folder.path).running);
}

/* Another part under its name, a symbolic link to it, a file, and a part of another machine. */
static void test_foreign(void **state)
{
	char first_path[PATH_MAX + 16];
	uint64_t from = info_of(paths[2]).began, to = info_of(paths[3]).began;
	const char *name = strrchr(paths[2], '/') + 1;
	char what[96];

	(void)state;
	rename_part(paths[2], "mine");
	rename_part(paths[0], name);
	check_rest(from, to, UINT64_MAX, 1);
	assert_non_null(strstr(damage_of(what), "of another recording"));

	rename_part(paths[2], "other");
	assert_int_equal(symlink("mine", paths[2]), 0);
	check_rest(0, 0, 0, 0);
	assert_int_equal(unlink(paths[2]), 0);
	assert_int_equal(close(open(paths[2], O_WRONLY | O_CREAT, 0600)), 0);
	check_rest(from, to, UINT64_MAX, 1);

	assert_int_equal(unlink(paths[2]), 0);
	snprintf(first_path, sizeof(first_path), "%s/mine", run_path);
	rename_part(first_path, name);
	metadata_set(paths[2], "hostname", "\"elsewhere\"");
	check_rest(from, to, UINT64_MAX, 1);
	metadata_set(paths[2], "hostname", NULL);
	check_rest(from, to, UINT64_MAX, 1);
}

/* A run that has only begun, and other things with the name of a run. */
static void test_latest_run(void **state)
{
	static const char *const names[] = { "000007-20261125T075502Z", "000008-20261125T075502Z",
					     "000009-20261125T075502Z" };
	char path[PATH_MAX + 64];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder.path, names[i]);
		if (!i)
			assert_int_equal(mkdir(path, 0700), 0);
		else if (i == 1)
			assert_int_equal(symlink(run_path, path), 0);
		else
			assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
		check_rest(0, 0, 0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PARTS(test_metadata),
		IN_PARTS(test_missing),
		IN_PARTS(test_foreign),
		IN_PARTS(test_latest_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
