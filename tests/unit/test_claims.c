// SPDX-License-Identifier: GPL-2.0-only
/* Metadata that says of the run what cannot be: it is not believed. */
#include "recorded.h"

#include <ctf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char text[PROCLIFE_CTF_METADATA_MAX];

static FILE *metadata(const char *mode)
{
	char path[PATH_MAX + 16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", folder.path);
	file = fopen(path, mode);
	assert_non_null(file);
	return file;
}

static void make(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 128, .rounds = 4, .seed = 7, .sync = true, .abandon = !complete,
	};
	FILE *file;

	record_run(&options, folder.path, &live);
	file = metadata("r");
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

/* What comes of it if the entry, alone, has another value. */
static void expect(const char *name, const char *value, int ret, const char *said)
{
	char *at = value_of(name), *rest = strchr(at, ';');
	struct proclife_fault fault;
	FILE *file = metadata("w");
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
	/* Not complete, but with all that only a complete one has. */
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
		RECORDED(test_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
