// SPDX-License-Identifier: GPL-2.0-only
/* --export perfetto: what protoc reads from it, and how its slices nest. */
#include "exporting.h"
#include "story.h"

#include <output/protobuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void test_slots(void **state)
{
	(void)state;
	exporting_compare("perfetto", "", "slots");
	exporting_count("build", "perfetto", "", "--from +20ms --to +250ms");
	exporting_count("build", "perfetto", "", "--failed");
}

static void test_processes(void **state)
{
	(void)state;
	exporting_compare("processes", "", "processes");
}

/* Perfetto finds the way from each track to the root, past tracks that are left out, and from a deep one. */
static void test_above(void **state)
{
	struct who init = process_of_pid(1, "init"), who = init, next;
	char line[6 * PATH_MAX];

	(void)state;
	exporting_count("build", "perfetto", "--tracks processes", "--comm cc1");
	/* Neither has a life with that name below it. */
	snprintf(line, sizeof(line), "! grep -aqE '(as|ld) ' %s", exporting_path("part.perfetto"));
	assert_int_equal(system(line), 0);
	story_begin(exporting_path("deep"));
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 150; i++) {
		next = process_of_pid(100 + i, i < 149 ? "chain" : "last");
		story_put(fork_record(0, &next, &who));
		who = next;
	}
	story_exit(&who, &init, 0);
	story_end();
	exporting_count("deep", "perfetto", "--tracks processes", "");
	exporting_count("deep", "perfetto", "--tracks processes", "--comm last");
}

/* The export as protoc shows it. */
static struct output decoded(const char *options)
{
	char line[6 * PATH_MAX];
	struct output out;

	exporting_run("build", options, "some.perfetto", 0);
	snprintf(line, sizeof(line), "protoc --decode=Trace --proto_path=" SOURCE "/tests/unit/support perfetto.proto < %s > %s",
		 exporting_path("some.perfetto"), exporting_path("some.txt"));
	assert_int_equal(system(line), 0);
	out = run_program(false, 0, "cat %s", exporting_path("some.txt"));
	return out;
}

/* A process with children has no track for them if none of its descendants is shown. */
static void test_above_nobody(void **state)
{
	struct output out;

	(void)state;
	out = decoded("--export perfetto --tracks processes --comm ld");
	assert_int_equal(count_text(out.text, "name: \"ld 221\""), 1);
	assert_int_equal(count_text(out.text, "name: \"make 200\""), 1);
	assert_int_equal(count_text(out.text, "name: \"cc "), 0); /* each had two children */
	free(out.text);
}

static void test_tracks(void **state)
{
	struct output out;

	(void)state;
	/* make, up to two cc and two cc1 at a time, and those whose memory RCU has not freed yet. */
	out = decoded("--export perfetto --pid 200");
	assert_int_equal(count_text(out.text, "name: \"slot "), 5);
	assert_int_equal(count_text(out.text, "name: \"birth and memory\""), 0);
	assert_int_equal(count_text(out.text, "name: \"reap\""), 12 - 1);
	free(out.text);
	/* A process that is left out has no slice, no track and no arrows. */
	out = decoded("--export perfetto --pid 200 --comm ld");
	assert_int_equal(count_text(out.text, "name: \"slot "), 1);
	assert_int_equal(count_text(out.text, "categories: \"process\""), 1);
	assert_int_equal(count_text(out.text, "flow_ids"), 0);
	free(out.text);
	out = decoded("--export perfetto --from +20ms");
	assert_int_equal(count_text(out.text, "flow_ids"), 0);
	free(out.text);
	out = decoded("--export perfetto --to +900ms");
	assert_int_equal(count_text(out.text, "flow_ids"), 0);
	free(out.text);
	out = decoded("--export perfetto --pid 200 --tracks processes");
	assert_int_equal(count_text(out.text, "name: \"cc1 "), 4);
	assert_int_equal(count_text(out.text, "name: \"make 200\""), 1);
	assert_int_equal(count_text(out.text, "child_ordering: CHRONOLOGICAL"), 12 + 1);
	free(out.text);
}

/* Many lives are reaped, and the first of them have arrows. */
static void test_flows(void **state)
{
	struct who init = process_of_pid(1, "init"), who;
	struct output out;
	char line[6 * PATH_MAX];

	(void)state;
	story_begin(exporting_path("many"));
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 1100; i++) {
		who = process_of_pid(100 + i, "a");
		story_live(&who, &init, 10, 10, 10);
	}
	story_end();
	exporting_run("many", "--export perfetto", "many.perfetto", 0);
	snprintf(line, sizeof(line), "protoc --decode=Trace --proto_path=" SOURCE "/tests/unit/support perfetto.proto < %s > %s",
		 exporting_path("many.perfetto"), exporting_path("many.txt"));
	assert_int_equal(system(line), 0);
	out = run_program(false, 0, "cat %s", exporting_path("many.txt"));
	assert_int_equal(count_text(out.text, "name: \"reap\""), 1000);
	/* One after the other, all share the slot beside init's. */
	assert_int_equal(count_text(out.text, "name: \"slot "), 2);
	free(out.text);
}

/* The bytes on the wire, by hand. */
static void test_protobuf(void **state)
{
	static const char wire[] = "\x08\x96\x01" "\xc0\x3e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" "\xf9\x02\x88\x77\x66\x55\x44\x33\x22\x11"
				   "\x12\x07testing" "\x1a\x03\x08\x96\x01" "\x22\x00";
	struct packed bytes = { 0 };
	size_t outer, inner;
	char *text;

	(void)state;
	protobuf_uint(&bytes, 1, 150);
	protobuf_uint(&bytes, 1000, (uint64_t)-1);
	protobuf_fixed64(&bytes, 47, 0x1122334455667788);
	protobuf_string(&bytes, 2, "testing");
	outer = protobuf_begin(&bytes, 3);
	protobuf_uint(&bytes, 1, 150);
	protobuf_end(&bytes, outer);
	protobuf_end(&bytes, protobuf_begin(&bytes, 4));
	assert_int_equal(bytes.count, sizeof(wire) - 1);
	assert_memory_equal(bytes.bytes, wire, bytes.count);
	/* A length of two bytes, and one within another. */
	bytes.count = 0;
	text = calloc(1, 200);
	outer = protobuf_begin(&bytes, 1);
	inner = protobuf_begin(&bytes, 2);
	protobuf_bytes(&bytes, 3, text, 200);
	protobuf_end(&bytes, inner);
	protobuf_end(&bytes, outer);
	assert_int_equal(bytes.count, 1 + 2 + 1 + 2 + 1 + 2 + 200);
	assert_memory_equal(bytes.bytes, "\x0a\xce\x01\x12\xcb\x01\x1a\xc8\x01", 9);
	free(text);
	packed_free(&bytes);
	/* With just enough room. */
	for (size_t i = 0; i < 300; i++) {
		struct packed fresh = { 0 };

		text = calloc(1, i + 1);
		outer = protobuf_begin(&fresh, 1);
		protobuf_bytes(&fresh, 3, text, i);
		protobuf_end(&fresh, outer);
		assert_int_equal(fresh.count, (i < 126 ? 2 : 3) + 1 + (i < 128 ? 1 : 2) + i);
		assert_true(fresh.count <= fresh.room);
		packed_free(&fresh);
		free(text);
	}
}

static void test_terminal(void **state)
{
	char line[4 * PATH_MAX];
	struct output out;

	(void)state;
	snprintf(line, sizeof(line), "script -qec '%s -i %s --export perfetto' /dev/null > %s < /dev/null", program,
		 exporting_path("build"), exporting_path("said"));
	assert_int_equal(WEXITSTATUS(system(line)), 1);
	out = run_program(false, 0, "cat %s", exporting_path("said"));
	assert_non_null(strstr(out.text, "--export perfetto is not for a terminal: add --output FILE"));
	free(out.text);
}

/* Its handle is in use again, so it is gone, but not known since when. */
static void test_lost(void **state)
{
	struct who init = process_of_pid(1, "init"), lost = process_of_pid(10, "lost"), next = process_of_pid(11, "next");
	char line[6 * PATH_MAX];
	struct output out;

	(void)state;
	story_begin(exporting_path("reused"));
	story_put(fork_record(0, &lost, &init));
	machine->now = 1005 * MS;
	next.task = lost.task;
	story_put(fork_record(0, &next, &init));
	machine->now = 1009 * MS;
	story_end();
	exporting_run("reused", "--export perfetto", "reused.perfetto", 0);
	snprintf(line, sizeof(line), "protoc --decode=Trace --proto_path=" SOURCE "/tests/unit/support perfetto.proto < %s > %s",
		 exporting_path("reused.perfetto"), exporting_path("reused.txt"));
	assert_int_equal(system(line), 0);
	out = run_program(false, 0, "cat %s", exporting_path("reused.txt"));
	assert_int_equal(count_text(out.text, "TYPE_SLICE_BEGIN"), 2);
	assert_int_equal(count_text(out.text, "TYPE_SLICE_END"), 1);
	/* Each counter's second value; the next life begins in another slot, or it would be within the first. */
	assert_int_equal(count_text(out.text, "timestamp: 1005000000\n"), 4);
	free(out.text);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slots), TEST(test_processes), TEST(test_tracks), TEST(test_flows), TEST(test_protobuf),
		TEST(test_terminal), TEST(test_lost), TEST(test_above), TEST(test_above_nobody),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, exporting_setup, exporting_teardown);
}
