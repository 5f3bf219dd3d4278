// SPDX-License-Identifier: GPL-2.0-only
/* --export otlp: spans and log records as a collector reads them, and the trace of each process. */
#include "exporting.h"
#include "story.h"

#include <cli/traceparent.h>
#include <views/export/descent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Computed by another program: see test_identity. */
#define BOOT_HALF "0123456789abcdef"
#define PARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

static void test_spans(void **state)
{
	(void)state;
	exporting_compare("otlp", "", "otlp");
	exporting_count("build", "otlp", "", "--from +20ms --to +250ms");
}

static void test_losses(void **state)
{
	char line[3 * PATH_MAX];
	struct stat st;

	(void)state;
	snprintf(line, sizeof(line), "--export otlp --loss-log %s", exporting_path("losses"));
	exporting_run("lossy", line, "lossy.otlp", 3);
	exporting_run("lossy", "--lives --json", "lossy.json", 3);
	exporting_check("losses %s %s", exporting_path("losses"), exporting_path("lossy.json"));
	assert_int_equal(stat(exporting_path("losses"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	exporting_run("build", line, "build.otlp", 0);
	assert_int_equal(stat(exporting_path("losses"), &st), 0);
	assert_int_equal(st.st_size, 0);
}

static char *text_of(const char *name)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(exporting_path(name), "r");

	assert_non_null(file);
	if (getdelim(&text, &size, '\0', file) < 0)
		text = calloc(1, 1);
	fclose(file);
	return text;
}

/* The value of a member in the line of the span of this name; "" if it has none. */
static void member(const char *text, const char *name, const char *key, char value[40])
{
	char wanted[100];
	const char *line, *at;

	snprintf(wanted, sizeof(wanted), "\"name\":\"%s\",\"kind\"", name);
	at = strstr(text, wanted);
	if (!at)
		fail_msg("there is no span %s in %s", name, text);
	for (line = at; line > text && line[-1] != '\n'; line--)
		;
	snprintf(wanted, sizeof(wanted), "\"%s\":\"", key);
	at = strstr(line, wanted);
	*value = '\0';
	if (at && at < strchr(line, '\n'))
		snprintf(value, 40, "%.*s", (int)strcspn(at + strlen(wanted), "\""), at + strlen(wanted));
}

static void expect_member(const char *text, const char *name, const char *key, const char *value)
{
	char is[40];

	member(text, name, key, is);
	assert_string_equal(is, value);
}

/* All descendants of make are in its trace. */
static void test_selected(void **state)
{
	char make[40], link[40], trace[60], *text;

	(void)state;
	exporting_run("build", "--export otlp --pid 200", "make.otlp", 0);
	text = text_of("make.otlp");
	assert_int_equal(count_text(text, "\n"), 12);
	member(text, "make", "spanId", make);
	member(text, "link", "spanId", link);
	snprintf(trace, sizeof(trace), BOOT_HALF "%s", make);
	assert_int_equal(count_text(text, trace), 12);
	expect_member(text, "make", "parentSpanId", "");
	expect_member(text, "link", "parentSpanId", make);
	expect_member(text, "ld", "parentSpanId", link);
	free(text);
	/* Its parent is not exported, but is still its parent. */
	exporting_run("build", "--export otlp --pid 200 --comm ld", "ld.otlp", 0);
	text = text_of("ld.otlp");
	assert_int_equal(count_text(text, "\n"), 1);
	assert_int_equal(count_text(text, trace), 1);
	expect_member(text, "ld", "parentSpanId", link);
	free(text);
}

/* A recording of a command has one trace. */
static void test_command(void **state)
{
	struct output out = run_program(false, 0, "%s -i " SOURCE "/tests/unit/fixtures/format-3 --export otlp", program);

	(void)state;
	assert_int_equal(count_text(out.text, "\n"), 11);
	assert_int_equal(count_text(out.text, "\"traceId\":\"0000000000000000ff256a8018382923\""), 11);
	assert_int_equal(count_text(out.text, "\"parentSpanId\""), 10);
	free(out.text);
	setenv("TRACEPARENT", PARENT, 1);
	out = run_program(false, 0, "%s -i " SOURCE "/tests/unit/fixtures/format-3 --export otlp", program);
	unsetenv("TRACEPARENT");
	assert_int_equal(count_text(out.text, "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\""), 11);
	assert_int_equal(count_text(out.text, "\"parentSpanId\""), 11);
	free(out.text);
}

/* A process keeps its place until it is forgotten. */
static void test_place(void **state)
{
	struct proclife_process process = { .id = 7, .tgid = 70, .selected = true }, child = process;
	struct options options = { .pids = { .count = 1 } };
	struct run run = { .options = &options };
	struct descent descent;
	uint64_t span;

	(void)state;
	assert_int_equal(proclife_recording_open(&run.source, SOURCE "/tests/unit/fixtures/format-3", NULL), 0);
	descent_init(&descent, &run);
	descent_add(&descent, &process, NULL, NULL);
	span = descent_place(&descent, &process).span;
	assert_true(span);
	process.start = 5;
	descent_add(&descent, &process, NULL, NULL);
	assert_true(descent_place(&descent, &process).span == span);
	child.id = 8;
	descent_add(&descent, &child, &process, NULL);
	assert_true(descent_place(&descent, &child).parent == span);
	assert_true(descent_place(&descent, &child).root == span);
	assert_int_equal(descent.places.used, 2);
	descent_forget(&descent, &process);
	descent_forget(&descent, &process);
	assert_int_equal(descent.places.used, 1);
	assert_true(descent_place(&descent, &child).root == span);
	assert_false(descent_place(&descent, &process).span);
	descent_free(&descent);
	proclife_source_free(run.source);
}

static void test_traceparent(void **state)
{
	struct traceparent parent;
	char *text;

	(void)state;
	setenv("TRACEPARENT", PARENT, 1);
	exporting_run("build", "--export otlp --pid 200", "make.otlp", 0);
	/* TRACEPARENT is the environment of a command, and not used for the whole machine. */
	exporting_run("build", "--export otlp", "all.otlp", 0);
	setenv("TRACEPARENT", "00-0-0-0", 1);
	exporting_run("build", "--export otlp --pid 200", "bad.otlp", 0);
	unsetenv("TRACEPARENT");
	text = text_of("make.otlp");
	assert_int_equal(count_text(text, "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\""), 12);
	assert_int_equal(count_text(text, "\"parentSpanId\":\"b7ad6b7169203331\""), 1);
	expect_member(text, "make", "parentSpanId", "b7ad6b7169203331");
	free(text);
	text = text_of("all.otlp");
	assert_int_equal(count_text(text, "0af7651916cd43dd8448eb211c80319c"), 0);
	free(text);
	text = text_of("bad.otlp");
	expect_member(text, "make", "parentSpanId", "");
	free(text);
	assert_true(traceparent_parse(PARENT, &parent));
	assert_true(parent.trace_high == 0x0af7651916cd43dd && parent.trace_low == 0x8448eb211c80319c);
	assert_true(parent.span == 0xb7ad6b7169203331);
}

static void test_bad_traceparent(void **state)
{
	static const char *const good[] = {
		"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
		"00-00000000000000008448eb211c80319c-b7ad6b7169203331-00",
		"00-0af7651916cd43dd0000000000000000-0000000000000001-ff",
	};
	static const char *const bad[] = {
		"", "00", "00-", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-010",
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
		"00 0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 01",
		"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
	};
	struct traceparent parent;
	struct output out;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(traceparent_parse(good[i], &parent));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(traceparent_parse(bad[i], &parent));
	setenv("TRACEPARENT", "a\nb", 1);
	out = run_program(true, 0, "%s -i %s --export otlp", program, exporting_path("build"));
	unsetenv("TRACEPARENT");
	assert_string_equal(out.text, "proclife-read: TRACEPARENT: $'a\\nb' is no parent of a span, and is ignored\n");
	free(out.text);
}

static void sorted_ids(const char *from, const char *to)
{
	char line[4 * PATH_MAX];

	snprintf(line, sizeof(line), "grep -o '\"spanId\":\"[0-9a-f]*\"' %s | sort > %s", exporting_path(from),
		 exporting_path(to));
	assert_int_equal(system(line), 0);
}

/* A slice has the same ids, and so has another replay. */
static void test_slice(void **state)
{
	struct output out;
	char *whole, *part;

	(void)state;
	out = run_program(true, 0, "%s -i %s --pid 200 --slice %s", program, exporting_path("build"),
			  exporting_path("slice"));
	assert_int_equal(out.status, 0);
	free(out.text);
	exporting_run("build", "--export otlp --pid 200", "whole.otlp", 0);
	exporting_run("slice", "--export otlp --pid 200", "slice.otlp", 0);
	sorted_ids("whole.otlp", "whole.ids");
	sorted_ids("slice.otlp", "slice.ids");
	whole = text_of("whole.ids");
	part = text_of("slice.ids");
	assert_int_equal(count_text(whole, "\n"), 12);
	assert_string_equal(whole, part);
	free(whole);
	free(part);
}

static void bury(const struct who *who, const struct who *parent)
{
	story_exit(who, parent, 0);
	story_reap(who, parent);
	story_put(free_record(0, who));
}

/* A snapshot has the children first; they are older than the trace, and so is the selected process. */
static void test_snapshot(void **state)
{
	struct who init = process_of_pid(1, "init"), a = process_of_pid(10, "a"), b = process_of_pid(11, "b");
	struct who c = process_of_pid(12, "c"), other, d, e;
	char span[40], trace[60], parent[40], *text;

	(void)state;
	story_begin(exporting_path("snapshot"));
	other = process_of_pid(13, "other");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &c, &b));
	story_put(task_record(0, &b, &a));
	story_put(task_record(0, &a, &init));
	story_put(task_record(0, &other, &init));
	d = story_fork(&c, 20, "d");
	/* Made by d, as a child of init. */
	e = process_of_pid(21, "e");
	story_put(clone_record(0, &e, &init, &d));
	bury(&e, &init);
	bury(&d, &c);
	bury(&c, &b);
	bury(&b, &a);
	bury(&a, &init);
	bury(&other, &init);
	story_end();
	metadata_set(exporting_path("snapshot"), "to_realtime", "\"0x17979cfe3d85cd15\"");
	exporting_run("snapshot", "--export otlp --pid 10", "snapshot.otlp", 0);
	text = text_of("snapshot.otlp");
	assert_int_equal(count_text(text, "\n"), 5);
	member(text, "a", "spanId", span);
	snprintf(trace, sizeof(trace), "0000000000000000%s", span);
	assert_int_equal(count_text(text, trace), 5);
	expect_member(text, "a", "parentSpanId", "");
	expect_member(text, "b", "parentSpanId", span);
	member(text, "b", "spanId", span);
	expect_member(text, "c", "parentSpanId", span);
	member(text, "d", "spanId", span);
	expect_member(text, "e", "parentSpanId", span);
	free(text);
	/* For the whole machine, each older process is the root of its own trace. */
	exporting_run("snapshot", "--export otlp", "snapshot.otlp", 0);
	text = text_of("snapshot.otlp");
	assert_int_equal(count_text(text, "\n"), 6);
	assert_int_equal(count_text(text, "parentSpanId"), 1);
	member(text, "d", "spanId", span);
	member(text, "e", "parentSpanId", parent);
	assert_string_equal(parent, span);
	free(text);
}

static uint64_t length_of(const char *name)
{
	char begin[40], end[40], *text = text_of("clock.otlp");

	member(text, name, "startTimeUnixNano", begin);
	member(text, name, "endTimeUnixNano", end);
	free(text);
	return strtoull(end, NULL, 10) - strtoull(begin, NULL, 10);
}

/* The clock is set back, or forward, while a process lives: its span does not end before it begins. */
static void test_clock(void **state)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(10, "a");

	(void)state;
	story_begin(exporting_path("clock"));
	story_live(&who, &init, 50 * MS, MS, MS);
	story_end();
	metadata_set(exporting_path("clock"), "to_realtime", "\"0x17979cfe3d85cd15\"");
	exporting_run("clock", "--export otlp", "clock.otlp", 0);
	assert_int_equal(length_of("a"), 50 * MS + 1);
	metadata_set(exporting_path("clock"), "clock_step_1", "\"1010000000 1699999900000000000\"");
	exporting_run("clock", "--export otlp", "clock.otlp", 0);
	assert_int_equal(length_of("a"), 50 * MS + 1);
	metadata_set(exporting_path("clock"), "clock_step_1", "\"1010000000 1700000001123456789\"");
	exporting_run("clock", "--export otlp", "clock.otlp", 0);
	assert_int_equal(length_of("a"), 1050 * MS + 1);
}

/* A file that a collector follows is appended to, on a new line if the last one was torn. */
static void test_append(void **state)
{
	char path[2 * PATH_MAX], losses[2 * PATH_MAX], *text;
	struct output out;
	struct stat st;
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s", exporting_path("grows.jsonl"));
	snprintf(losses, sizeof(losses), "%s", exporting_path("losses.jsonl"));
	for (unsigned int i = 1; i <= 2; i++) {
		out = run_program(true, 0, "%s --device %s --history --duration 10ms --export otlp -o %s --loss-log %s",
				  program, getenv("DEVICE"), path, losses);
		if (out.status && out.status != 3)
			fail_msg("status %d: %s", out.status, out.text);
		free(out.text);
		text = text_of("grows.jsonl");
		assert_int_equal(count_text(text, "{\"resourceSpans\""), i);
		assert_int_equal(count_text(text, "\n"), 2 * i - 1);
		free(text);
		/* Records that were overwritten before we began are not lost. */
		assert_int_equal(stat(losses, &st), 0);
		assert_int_equal(st.st_size, 0);
		file = fopen(path, "a");
		assert_non_null(file);
		fputs("{\"torn", file);
		fclose(file);
		assert_int_equal(stat(path, &st), 0);
		/* An existing file keeps its mode. */
		assert_int_equal(st.st_mode & 07777, i == 1 ? 0600 : 0640);
		assert_int_equal(chmod(path, 0640), 0);
	}
	/* Not through a link. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(losses, path), 0);
	out = run_program(true, 0, "%s --device %s --history --duration 10ms --export otlp -o %s", program,
			  getenv("DEVICE"), path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "a symbolic link has this name"));
	free(out.text);
}

static void expect_refused(const char *options, const char *path, const char *text)
{
	struct output out = run_program(true, 0, "%s --device %s --history --duration 10ms --export otlp %s %s", program,
					getenv("DEVICE"), options, path);
	char wanted[3 * PATH_MAX];
	struct stat st;

	snprintf(wanted, sizeof(wanted), "proclife-read: %s %s: %s\n", options, path, text);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 1);
	free(out.text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

/* Another user's file is not appended to, since that user could read it. */
static void test_append_to_theirs(void **state)
{
	static const char *const options[] = { "--output", "--loss-log" };
	char path[2 * PATH_MAX], name[2 * PATH_MAX];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s", exporting_path("theirs"));
	snprintf(name, sizeof(name), "%s", exporting_path("name"));
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(link(path, name), 0);
	for (int i = 0; i < 2; i++)
		expect_refused(options[i], path,
			       "the file is a hard link and has another name, too; name a new one");
	assert_int_equal(unlink(name), 0);
	if (geteuid())
		return;
	assert_int_equal(chown(path, 65534, 65534), 0);
	for (int i = 0; i < 2; i++)
		expect_refused(options[i], path,
			       "the file belongs to uid 65534, who could read what is written there; name a new one");
}

static void test_errors(void **state)
{
	struct output out;

	(void)state;
	out = run_program(true, 0, "%s -i %s --export otlp --loss-log /nowhere/x", program, exporting_path("build"));
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, "proclife-read: --loss-log /nowhere/x: cannot write there: No such file or directory; "
			    "name a file in a folder that exists and can be written\n");
	free(out.text);
	/* If the losses cannot be written, the export fails. */
	out = run_program(true, 300, "%s -i %s --export otlp --loss-log %s", program, exporting_path("lossy"),
			  exporting_path("too-long"));
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "too-long: File too large"));
	free(out.text);
	assert_int_equal(access(exporting_path("too-long"), F_OK), -1);
	metadata_set(exporting_path("before"), "to_realtime", "\"0x0\"");
	out = run_program(true, 0, "%s -i %s --export otlp", program, exporting_path("before"));
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "does not have the time of day, which spans need; export csv"));
	free(out.text);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_spans), TEST(test_losses), TEST(test_selected), TEST(test_traceparent),
		TEST(test_bad_traceparent), TEST(test_slice), TEST(test_snapshot), TEST(test_clock), TEST(test_append),
		TEST(test_append_to_theirs),
		TEST(test_command), TEST(test_place),
		TEST(test_errors),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, exporting_setup, exporting_teardown);
}
