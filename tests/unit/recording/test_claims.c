// SPDX-License-Identifier: GPL-2.0-only
/* Metadata with impossible claims about the run is rejected. */
#include "recorded.h"

#include <recording/ctf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[PROCLIFE_CTF_METADATA_MAX];

static void make(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 128, .rounds = 4, .seed = 7, .sync = true, .abandon = !complete,
	};
	FILE *file;

	record_run(&options, folder.path, &live);
	file = open_metadata("r");
	memset(text, 0, sizeof(text));
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
}

/* Where the value of this entry begins. */
static char *value_of(const char *name)
{
	char entry[40];
	char *at;

	snprintf(entry, sizeof(entry), "\t%s = ", name);
	at = strstr(text, entry);
	assert_non_null(at);
	return at + strlen(entry);
}

/* Expects this result if only this entry has another value. */
static void expect(const char *name, const char *value, int ret, const char *said)
{
	char *at = value_of(name), *rest = strchr(at, ';');
	struct proclife_fault fault;
	FILE *file = open_metadata("w");
	int got;

	fprintf(file, "%.*s%s%s", (int)(at - text), text, value, rest);
	fclose(file);
	again.count = 0;
	got = try_replay(folder.path, &fault, &again);
	if (got != ret || (said && !strstr(fault.text, said)))
		fail_msg("%s = %s: %d '%s'", name, value, got, fault.text);
}

static void test_complete(void **state)
{
	char value[32];

	(void)state;
	make(true);
	expect("ended", "5", -EBADMSG, "'ended' and 'synced'");
	expect("ended", "0", -EBADMSG, "'ended' and 'synced'");
	expect("synced", "\"99999999999999999999\"", -EBADMSG, NULL);
	expect("synced", "\"00000000000000000005\"", -EBADMSG, "'ended' and 'synced'");
	expect("synced", "\"09223372036854775806\"", -EBADMSG, "'ended' and 'synced'");
	/* Not complete, but with everything that only a complete recording has. */
	expect("complete", "0", -EBADMSG, "totals of a recording that is not complete");
	expect("records", "1", -EBADMSG, "totals that contradict each other");
	expect("lost", "999999", -EBADMSG, "totals that contradict each other");
	expect("streams", "1", -EBADMSG, "the totals of 2 streams instead of 1");
	expect("bytes", "4096", -EBADMSG, "totals that contradict each other");
	/* Both ends agree, and records are later. */
	memcpy(strstr(text, "\tsynced = \"") + 11, "00000000000000000005", 20);
	expect("ended", "5", -EBADMSG, "totals that contradict each other");
	snprintf(value, sizeof(value), "%020" PRIu64, (uint64_t)(UINT64_MAX / 4));
	memcpy(strstr(text, "\tsynced = \"") + 11, value, 20);
	expect("ended", value, 0, NULL);
	assert_same_log(&live, &again);
}

/* No record of a stream may be later than its last one; all others are yielded. */
static void test_last(void **state)
{
	unsigned long long first, last, records, lost, bytes;
	uint64_t step = 1, earliest = UINT64_MAX, latest = 0;

	(void)state;
	make(true);
	assert_int_equal(sscanf(value_of("total_cpu_0"), "\"%llu %llu %llu %llu %llu\"", &first,
				&last, &records, &lost, &bytes), 5);
	for (size_t i = 0; i < live.count; i++) {
		if (live.records[i].type && !live.records[i].cpu) {
			earliest = live.records[i].ts < earliest ? live.records[i].ts : earliest;
			latest = live.records[i].ts > latest ? live.records[i].ts : latest;
		}
	}
	assert_int_equal(first, earliest);
	assert_int_equal(last, latest);
	for (uint64_t then = last - 1; then > first; then -= step, step *= 2) {
		uint64_t later = 0, gone = 0;
		char value[128];

		snprintf(value, sizeof(value), "\"%llu %llu %llu %llu %llu\"", first,
			 (unsigned long long)then, records, lost, bytes);
		expect("total_cpu_0", value, -EBADMSG, "cpu_0: damaged at byte");
		for (size_t i = 0; i < live.count; i++)
			later += live.records[i].type && !live.records[i].cpu &&
				 live.records[i].ts > then;
		for (size_t i = 0; i < again.count; i++) {
			gone += !again.records[i].type ? again.records[i].words[0] : 0;
			if (again.records[i].type && !again.records[i].cpu)
				assert_true(again.records[i].ts <= then);
		}
		for (size_t i = 0; i < live.count; i++)
			gone -= !live.records[i].type ? live.records[i].words[0] : 0;
		assert_int_equal(gone, later);
		if (then - first <= step)
			break;
	}
}

/* Replaces the C library's: as if the file were replaced all the time. */
static unsigned int looks;
static bool moving;

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	int ret = (int)syscall(SYS_newfstatat, dir, path, st, flags);

	if (moving)
		st->st_ino += ++looks;
	return ret;
}

static void test_replaced(void **state)
{
	(void)state;
	make(false);
	moving = true;
	alarm(60);
	expect("ended", "0", -EBUSY, "metadata: replaced again and again");
	alarm(0);
	moving = false;
	assert_in_range(looks, 1, 100);
	expect("ended", "0", 0, NULL);
}

static void test_not_complete(void **state)
{
	static const char *const names[] = { "ended", "records", "lost", "streams", "bytes" };

	(void)state;
	make(false);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], "5", -EBADMSG, strcmp(names[i], "streams") ?
		       "totals of a recording that is not complete" :
		       "the totals of 0 streams instead of 5");
	expect("complete", "1", -EBADMSG, NULL);
	expect("ended", "0", 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_complete),
		RECORDED(test_last),
		RECORDED(test_replaced),
		RECORDED(test_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
