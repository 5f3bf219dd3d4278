// SPDX-License-Identifier: GPL-2.0-only
/* The identity of a process beyond one trace, and the boot in a recording. */
#include "story.h"

#include <source/source.h>
#include <stdio.h>
#include <string.h>

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"

static const uint8_t boot[] = { 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

/* Computed by another program: this number must never change. */
static void test_number(void **state)
{
	struct proclife_source *source;

	(void)state;
	story_end();
	source = replay(folder.path);
	assert_null(proclife_source_boot_id(source));
	assert_true(proclife_source_identity(source, 154, 11274093076) == 0x9a1adbe583d72ffe);
	assert_true(proclife_source_identity(source, 1, 0) == 0x1cde2ab9eeba7829);
	proclife_source_free(source);
	metadata_set(folder.path, "boot_id", "\"" BOOT "\"");
	source = replay(folder.path);
	assert_memory_equal(proclife_source_boot_id(source), boot, sizeof(boot));
	assert_memory_equal(proclife_recording_info(source)->boot_id, boot, sizeof(boot));
	assert_true(proclife_source_identity(source, 154, 11274093076) == 0x899a6149e39df2d8);
	assert_true(proclife_source_identity(source, 1, 0) == 0x332ddee07ae3130d);
	proclife_source_free(source);
}

/* Whatever the caller passes. */
static void record(const char *path, bool known)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .boot_id = { 99 } };
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_recorder *recorder;
	struct proclife_source *source;

	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_null(proclife_source_boot_id(source));
	if (known)
		memcpy(source->boot_id, boot, sizeof(boot));
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), 0);
	run.ended = 2;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
}

/* A recording has the boot of its device, and a slice the boot of its recording. */
static void test_kept(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .ended = 2, .boot_id = { 98 } };
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;
	char path[2 * PATH_MAX];

	(void)state;
	story_end();
	snprintf(path, sizeof(path), "%s/none", folder.base);
	record(path, false);
	source = replay(path);
	assert_null(proclife_source_boot_id(source));
	proclife_source_free(source);
	snprintf(path, sizeof(path), "%s/new", folder.base);
	record(path, true);
	source = replay(path);
	assert_memory_equal(proclife_source_boot_id(source), boot, sizeof(boot));
	snprintf(path + strlen(path), 8, "-slice");
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, path, &run), 0);
	while (proclife_source_next(source, &event) >= 0)
		;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(path);
	assert_memory_equal(proclife_source_boot_id(source), boot, sizeof(boot));
	proclife_source_free(source);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"\"\"", "\"0123\"", "\"01234567-89ab-cdef-0123-456789abcdeg\"", "\"" BOOT "x\"", BOOT, "1",
		"\"" BOOT "\";\n\tboot_id = \"" BOOT "\"",
	};
	struct proclife_source *source;
	struct proclife_fault fault;

	(void)state;
	story_end();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		metadata_set(folder.path, "boot_id", bad[i]);
		assert_int_not_equal(proclife_recording_open(&source, folder.path, &fault), 0);
		assert_non_null(strstr(fault.text, "the value of 'boot_id' is not valid"));
	}
}

/* This machine's own boot. */
static void test_machine(void **state)
{
	uint8_t id[PROCLIFE_UUID_BYTES] = { 0 };
	char text[40] = "", said[40] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	(void)state;
	if (!file)
		skip();
	assert_int_equal(fread(text, 1, 36, file), 36);
	fclose(file);
	proclife_boot_id_read(id);
	for (size_t i = 0; i < sizeof(id); i++)
		sprintf(said + strlen(said), "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	assert_string_equal(said, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_number), STORY(test_kept), STORY(test_bad), STORY(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
