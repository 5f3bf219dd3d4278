// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/* The entries of a recording's env block: an older recorder may lack some, a newer one has more. */
#include "recorded.h"
#include "given_ioctl.h"

#include <recording/ctf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char text[PROCLIFE_CTF_METADATA_MAX];
static struct proclife_run_info whole;
static struct proclife_header header;

static int read_info(struct proclife_run_info *info, struct proclife_header *about)
{
	struct proclife_source *source;
	struct proclife_fault fault;
	int err = proclife_recording_open(&source, folder.path, &fault);

	if (err)
		return err;
	*info = *proclife_recording_info(source);
	*about = *proclife_source_header(source);
	proclife_source_free(source);
	return 0;
}

static void make(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 128, .rounds = 12, .seed = 77, .snapshot = 40, .sync = true,
		.abandon = !complete,
	};
	FILE *file;

	record_run(&options, folder.path, &live);
	file = open_metadata("r");
	memset(text, 0, sizeof(text));
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	assert_int_equal(read_info(&whole, &header), 0);
	/* A recording that was cut off has what is there. */
	if (!complete) {
		struct proclife_fault fault;

		log_free(&live);
		assert_int_equal(try_replay(folder.path, &fault, &live), 0);
	}
}

static const char *env_of(const char **end)
{
	const char *env = strstr(text, "\nenv {\n");

	assert_non_null(env);
	env += strlen("\nenv {\n");
	*end = strstr(env, "\n};");
	assert_non_null(*end);
	return env;
}

static bool is_named(const char *line, const char *name)
{
	return *line == '\t' && !strncmp(line + 1, name, strlen(name));
}

/* Writes the metadata without the lines whose names begin like one of these, and with @more. */
static void write_without(const char *const *names, const char *more)
{
	FILE *file = open_metadata("w");
	const char *end, *line = env_of(&end);

	fwrite(text, 1, (size_t)(line - text), file);
	fputs(more, file);
	while (line < end) {
		const char *next = strchr(line, '\n') + 1;
		size_t i;

		for (i = 0; names[i] && !is_named(line, names[i]); i++)
			;
		if (!names[i])
			fwrite(line, 1, (size_t)(next - line), file);
		line = next;
	}
	fputs(line, file);
	fclose(file);
}

#define WITHOUT(...) write_without((const char *const[]){ __VA_ARGS__, NULL }, "")

static void expect_whole(const char *what)
{
	struct proclife_fault fault;
	int err;

	again.count = 0;
	err = try_replay(folder.path, &fault, &again);
	if (err)
		fail_msg("%s: %d '%s'", what, err, fault.text);
	assert_same_log(&live, &again);
}

static void try_each(void)
{
	const char *end, *line = env_of(&end);
	unsigned int count = 0;

	for (; line < end; line = strchr(line, '\n') + 1) {
		char name[64];

		assert_int_equal(sscanf(line, "\t%63[a-z0-9_] = ", name), 1);
		strcat(name, " =");
		if (is_named(line, "total_"))
			continue;
		WITHOUT(name);
		expect_whole(name);
		count++;
	}
	assert_true(count > 30);
}

/* Whichever entry is missing, the records are read as they were, and nothing counts as damaged. */
static void test_one_missing(void **state)
{
	(void)state;
	make(true);
	try_each();
}

static void test_one_missing_of_cut_off(void **state)
{
	(void)state;
	make(false);
	try_each();
}

static void test_all_missing(void **state)
{
	struct proclife_header about;
	struct proclife_run_info info;

	(void)state;
	make(true);
	WITHOUT("");
	/* Nothing shows that its recorder finished, nor what should be there. */
	expect_whole("all");
	assert_int_equal(read_info(&info, &about), 0);
	assert_false(info.complete);
	assert_int_equal(info.command_status, -1);
	assert_string_equal(info.reason, "end");
	assert_int_equal(about.abi_compatible, PROCLIFE_ABI_COMPATIBLE);
	assert_int_equal(about.record_bytes, sizeof(struct proclife_record));
	assert_true(about.features & PROCLIFE_HAS(PROCLIFE_REAP));
	assert_int_equal(about.exit_mark, 0);
	WITHOUT("total_", "streams =", "records =", "lost =", "bytes =");
	expect_whole("totals");
	assert_int_equal(read_info(&info, &about), 0);
	assert_true(info.complete);
}

/* Values that follow from other entries. */
static void test_derived(void **state)
{
	struct proclife_header about;
	struct proclife_run_info info;

	(void)state;
	make(true);
	WITHOUT("ended =");
	assert_int_equal(read_info(&info, &about), 0);
	assert_int_equal(info.ended, whole.ended);
	WITHOUT("synced =");
	assert_int_equal(read_info(&info, &about), 0);
	assert_int_equal(info.synced, whole.ended);
	WITHOUT("complete =");
	assert_int_equal(read_info(&info, &about), 0);
	assert_true(info.complete);
	WITHOUT("streams =", "records =", "lost =", "bytes =");
	assert_int_equal(read_info(&info, &about), 0);
	assert_int_equal(info.records, whole.records);
	assert_int_equal(info.lost, whole.lost);
	assert_true(info.records);
}

/* Entries that this release does not know are ignored; its own are still checked. */
static void test_newer(void **state)
{
	const char *const none[] = { NULL };
	struct proclife_fault fault;

	(void)state;
	make(true);
	write_without(none, "\tcolour = \"blue\";\n\tnumber = -7;\n\tcpus_more = \"\\001\";\n");
	expect_whole("newer");
	write_without(none, "\tcpus = 2;\n"); /* twice */
	assert_int_equal(try_replay(folder.path, &fault, &again), -EBADMSG);
	WITHOUT("total_cpu_0");
	assert_int_equal(try_replay(folder.path, &fault, &again), -EBADMSG);
}

/* Also if its default is longer. */
static void test_short_text(void **state)
{
	static const char *const reasons[] = { "", "x", "gone" };

	(void)state;
	make(true);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		struct proclife_header about;
		struct proclife_run_info info;
		char value[32];

		snprintf(value, sizeof(value), "\"%s\"", reasons[i]);
		metadata_set(folder.path, "reason", value);
		assert_int_equal(read_info(&info, &about), 0);
		assert_string_equal(info.reason, reasons[i]);
	}
}

static void expect_refused(const char *value)
{
	struct proclife_fault fault;
	char line[64];

	snprintf(line, sizeof(line), "\tto_realtime = \"0x%s\";\n", value);
	write_without((const char *const[]){ "to_realtime", NULL }, line);
	assert_int_equal(try_replay(folder.path, &fault, &again), -EBADMSG);
	assert_non_null(strstr(fault.text, "the value of 'to_realtime' is not valid"));
}

/* A time beyond the year 2262 is not shown, and no time wraps around. */
static void test_clock(void **state)
{
	(void)state;
	make(true);
	expect_refused("8000000000000000");
	expect_refused("bfffffffffffffff");
	write_without((const char *const[]){ "to_realtime", NULL },
		      "\tto_realtime = \"0x7fffffffffffffff\";\n");
	expect_whole("the year 2262");
	write_without((const char *const[]){ "to_realtime", NULL },
		      "\tto_realtime = \"0xfffffffffffffff0\";\n");
	expect_whole("a clock that was not set");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_one_missing),
		RECORDED(test_one_missing_of_cut_off),
		RECORDED(test_all_missing),
		RECORDED(test_derived),
		RECORDED(test_newer),
		RECORDED(test_short_text),
		RECORDED(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
