// SPDX-License-Identifier: GPL-2.0-only
// WRAP: proclife_compressor_new
/*
 * A recording that keeps the latest: at each moment its folder is within its bounds, and reading it yields
 * exactly the latest of what the device has yielded, preceded by what was carried there.
 */
#include "check.h"
#include "parted.h"

#include <dirent.h>
#include <errno.h>
#include <recording/parts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void test_latest(void **state)
{
	uint64_t most = 0, sizes = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		const struct proclife_run_info *info;
		struct proclife_source *replayed;

		parted_begin(12000, seed);
		for (unsigned int round = 0; parted_go_on(1 + seed * 700); round++) {
			if (round % 3 == seed % 3)
				assert_int_equal(proclife_recorder_sync(recorder), 0);
			sizes = parted_bytes();
			most = sizes > most ? sizes : most;
			assert_true(sizes <= keep.bytes);
		}
		parted_end();
		assert_true(parted_bytes() <= keep.bytes);
		replayed = replay(folder.path);
		info = proclife_recording_info(replayed);
		assert_true(info->complete && info->part > 1 && info->parts > 4);
		assert_string_equal(info->reason, "signal");
		assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
		assert_null(proclife_recording_damage(replayed, 0));
		parted_carried(&again, &live, info->began);
		assert_int_equal(info->lost, 0);
		/* Most of what may be kept is kept. */
		assert_true(again.count * sizeof(*again.records) > keep.bytes / 2);
		proclife_source_free(replayed);
		log_free(&live);
		log_free(&again);
		folder_remove(&folder);
		folder_make(&folder);
	}
	assert_true(most > keep.bytes * 3 / 4);
}

struct told {
	uint64_t start;
	uint64_t born;
	uint64_t exited;
	uint64_t reaped;
	uint64_t freed;
	uint64_t runtime;
	uint32_t tgid;
	uint32_t threads;
	uint32_t execs;
	int32_t exit_code;
	char comm[PROCLIFE_COMM_LEN];
};

static struct told *told[2];
static size_t told_count[2];

static void process_gone(void *data, struct proclife_process *p)
{
	size_t which = (size_t)(uintptr_t)data;
	struct told *t;

	if (!(told_count[which] & (told_count[which] + 1))) {
		told[which] = realloc(told[which], 2 * (told_count[which] + 1) * sizeof(*t));
		assert_non_null(told[which]);
	}
	t = &told[which][told_count[which]++];
	memset(t, 0, sizeof(*t));
	*t = (struct told){
		.start = p->start, .born = p->marks.born, .exited = p->marks.exited, .reaped = p->marks.reaped,
		.freed = p->marks.freed, .runtime = p->runtime, .tgid = p->tgid, .threads = p->threads,
		.execs = p->execs, .exit_code = p->exit_code,
	};
	memcpy(t->comm, p->comm, sizeof(t->comm));
	assert_false(p->incomplete);
}

static void tell(struct log *log, size_t which)
{
	const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = process_gone };
	struct proclife_tasks *tasks;

	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tasks_report(tasks, &reports, (void *)(uintptr_t)which), 0);
	for (size_t i = 0; i < log->count; i++) {
		struct proclife_event event = { .record = &log->records[i] };

		assert_true(proclife_tasks_feed(tasks, &event) >= 0);
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tasks_free(tasks);
}

/* All lives that ended since the first part began, or are open, are reported as by the whole trace. */
static void check_lives(void)
{
	size_t after;

	tell(&live, 0);
	tell(&again, 1);
	assert_true(told_count[1] && told_count[1] <= told_count[0]);
	after = told_count[0] - told_count[1];
	for (size_t i = 0; i < told_count[1]; i++) {
		size_t same = after;

		/* Lives that outlive it come in the order of their beginning. */
		while (same < told_count[0] && told[0][same].start != told[1][i].start)
			same++;
		assert_true(same < told_count[0]);
		assert_memory_equal(&told[0][same], &told[1][i], sizeof(told[1][i]));
	}
	for (size_t i = 0; i < 2; i++) {
		free(told[i]);
		told[i] = NULL;
		told_count[i] = 0;
	}
}

static void test_lives(void **state)
{
	struct proclife_fault fault;

	(void)state;
	for (uint64_t seed = 11; seed < 15; seed++) {
		parted_begin(10000, seed);
		while (parted_go_on(3000))
			;
		parted_end();
		assert_int_equal(try_replay(folder.path, &fault, &again), 0);
		check_lives();
		log_free(&live);
		log_free(&again);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

/* The records between two times, both excluded: records at the time when a part ends can be in the next one. */
static size_t between(const struct log *log, uint64_t from, uint64_t to, size_t *first)
{
	size_t end;

	for (*first = 0; *first < log->count && log->records[*first].ts <= from; ++*first)
		;
	for (end = *first; end < log->count && log->records[end].ts < to; end++)
		;
	return end - *first;
}

/* Each part is a recording by itself, and the next one goes on where it ends. */
static void test_part_alone(void **state)
{
	char path[PATH_MAX], part[PATH_MAX + 16];
	uint64_t ended = 0, last = 0;
	struct dirent **names;
	unsigned int parts = 0;
	int count;

	(void)state;
	parted_begin(9000, 21);
	while (parted_go_on(2000))
		;
	parted_end();
	parted_run_path(path);
	count = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		struct proclife_source *replayed;
		const struct proclife_run_info *info;
		size_t in_part, in_all, n;
		uint32_t number;

		if (proclife_is_part_name(names[i]->d_name, &number)) {
			snprintf(part, sizeof(part), "%s/%.8s", path, names[i]->d_name);
			replayed = replay(part);
			info = proclife_recording_info(replayed);
			assert_int_equal(info->part, number);
			assert_int_equal(info->parts, 1);
			assert_true(!parts++ || (info->began == ended && number == last + 1));
			ended = info->ended;
			last = number;
			assert_int_equal(log_source(&again, replayed, UINT64_MAX), -ENODATA);
			n = between(&again, info->began, ended, &in_part);
			assert_int_equal(n, between(&live, info->began, ended, &in_all));
			assert_true(n > 100);
			assert_memory_equal(&again.records[in_part], &live.records[in_all],
					    n * sizeof(*live.records));
			proclife_source_free(replayed);
			log_free(&again);
		}
		free(names[i]);
	}
	free(names);
	assert_true(parts > 4);
}

/* After 999999 runs their names have another digit, and the next one is still the latest. */
static void test_a_million_runs(void **state)
{
	static const char *const runs[] = { "1000000-20261125T075502Z", "999999-20261125T075502Z" };
	char path[PATH_MAX + 64];
	uint32_t number;

	(void)state;
	assert_int_equal(mkdir(folder.path, 0700), 0);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder.path, runs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		strcat(path, "/00000007");
		assert_int_equal(mkdir(path, 0700), 0);
		parted_run_path(path);
		assert_string_equal(strrchr(path, '/') + 1, runs[0]);
	}
	parted_begin(100, 1);
	parted_go_on(100);
	parted_end();
	parted_run_path(path);
	assert_int_equal(strncmp(strrchr(path, '/') + 1, "1000001-", 8), 0);
	assert_true(proclife_parts_compare("999999-x/00000007", "1000000-x/00000001") < 0);
	assert_true(proclife_parts_compare("000001-x/99999999", "000001-x/100000000") < 0);
	assert_true(proclife_is_part_name("100000000", &number) && number == 100000000);
	assert_false(proclife_is_part_name("0100000000", &number));
	assert_false(proclife_is_run_name("4294967295-20261125T075502Z", &number));
}

/* Parts repeat the paths of earlier parts; when these reach the limit of lines, no new one is taken. */
static void test_cgroups_of_many_parts(void **state)
{
	struct proclife_cgroups *cgroups;
	struct proclife_fault fault;
	char path[PATH_MAX + 32];

	(void)state;
	assert_int_equal(mkdir(folder.path, 0700), 0);
	for (unsigned int part = 1; part <= 130; part++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%08u", folder.path, part);
		assert_int_equal(mkdir(path, 0700), 0);
		strcat(path, "/.cgroups");
		file = fopen(path, "w");
		assert_non_null(file);
		for (unsigned int id = 1; id <= 4100; id++)
			fprintf(file, "%u /s%u\n", id, id);
		if (part == 130)
			fputs("999999 /latest\n", file);
		assert_int_equal(fclose(file), 0);
	}
	assert_int_equal(proclife_cgroups_new(&cgroups, folder.path, &fault), 0);
	assert_string_equal(fault.text, "");
	assert_string_equal(proclife_cgroups_path(cgroups, 999999), "/latest");
	assert_string_equal(proclife_cgroups_path(cgroups, 4100), "/s4100");
	proclife_cgroups_free(cgroups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_latest),
		RECORDED(test_lives),
		RECORDED(test_part_alone),
		RECORDED(test_a_million_runs),
		RECORDED(test_cgroups_of_many_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
