// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields.c describes the fields of the records: abi.h, the schema of the JSON and
 * proclife(4) agree with it, and so do recordings and the JSON itself.
 */

#include "check.h"
#include "program.h"

#include <recording/ctf.h>
#include <recording/fields.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_fields(FILE *file, const char *name, uint16_t type)
{
	const struct proclife_field *field;

	fprintf(file, "%s - 0 0 - -\n", name);
	for (unsigned int i = 0; (field = proclife_field(type, i)); i++)
		fprintf(file, "%s %s %u %u %s %s\n", name, field->member, field->offset,
			field->size, field->name ? field->name : "-", field->ctf_name);
}

static void test_one_description(void **state)
{
	static const struct {
		uint16_t type;
		const char *name;
	} types[] = {
		{ PROCLIFE_NONE, "none" }, { PROCLIFE_FORK, "fork" }, { PROCLIFE_EXEC, "exec" },
		{ PROCLIFE_ARGS, "args" }, { PROCLIFE_RENAME, "rename" }, { PROCLIFE_EXIT, "exit" },
		{ PROCLIFE_REAP, "reap" }, { PROCLIFE_FREE, "free" }, { PROCLIFE_WAIT, "wait" },
		{ PROCLIFE_HANG, "hang" }, { PROCLIFE_SIGNAL, "signal" }, { PROCLIFE_TASK, "task" },
		{ PROCLIFE_SUPPRESSED, "suppressed" }, { PROCLIFE_EXITING, "exiting" },
		{ PROCLIFE_MM, "mm" }, { PROCLIFE_COREDUMP, "coredump" },
		{ PROCLIFE_OOM, "oom" }, { PROCLIFE_CGROUP, "cgroup" },
		{ PROCLIFE_PAST, "past" }, { PROCLIFE_NOTIFY, "notify" }, { PROCLIFE_BIRTH, "birth" },
		{ PROCLIFE_FAIL, "fail" },
		{ PROCLIFE_TIMES, "times" }, { PROCLIFE_PATH, "path" },
	};
	char path[] = "/dev/shm/proclife-fields-XXXXXX";
	int fd = mkstemp(path);
	struct output out;
	FILE *file;

	(void)state;
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_non_null(file);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		write_fields(file, types[i].name, types[i].type);
	assert_int_equal(fclose(file), 0);
	out = run_program(true, 0, "python3 %s/tests/unit/support/fields.py %s %s/include/proclife/abi.h "
			  "%s/user/schema/proclife-read-1.json %s/user/man/proclife.4", SOURCE, path,
			  SOURCE, SOURCE, SOURCE);
	unlink(path);
	if (out.status)
		fail_msg("status %d\n%s", out.status, out.text);
	free(out.text);
}

/* A recording declares each type as described, to the last byte. */
static void test_recording(void **state)
{
	struct proclife_metadata metadata = { .header.features = 0 };
	const struct proclife_layout *layout;
	size_t size, synced_at;
	char *text = proclife_metadata_text(&metadata, &size, &synced_at);

	(void)state;
	assert_non_null(text);
	for (unsigned int i = 0; (layout = proclife_layout(i)); i++) {
		const struct proclife_field *field;
		char name[64], *event;

		snprintf(name, sizeof(name), "name = \"%s\";", layout->event);
		event = strstr(text, name);
		assert_non_null(event);
		event = strstr(event, "struct {\n");
		for (unsigned int n = 0; (field = proclife_field(layout->type, n)); n++) {
			bool text_field = field->kind == PROCLIFE_FIELD_TEXT;

			snprintf(name, sizeof(name), text_field ? " %s[%d];" : " %s;",
				 field->ctf_name, field->size);
			event = strstr(event, name);
			if (!event)
				fail_msg("%s: no '%s'", layout->event, name);
			if (!text_field) /* as in "u32 uid;" */
				assert_int_equal(atoi(event - 2), 8 * field->size);
			event += strlen(name) - 1;
			if (proclife_field(layout->type, n + 1))
				continue;
			assert_int_equal(proclife_metadata_declared(layout->type),
					 field->offset + field->size);
			assert_int_equal(strncmp(event, ";\n\t};", 5), 0);
		}
	}
	free(text);
}

/* The public description is complete, and has an end. */
static void test_ends(void **state)
{
	const struct proclife_layout *layout;

	(void)state;
	for (unsigned int type = 0; type < 70; type++) {
		layout = proclife_layout_of((uint16_t)type);
		assert_int_equal(proclife_field((uint16_t)type, 0) != NULL,
				 type == PROCLIFE_NONE || (layout && layout->count));
		assert_null(proclife_field((uint16_t)type, 1000));
	}
	assert_null(proclife_layout_of(PROCLIFE_NONE));
	assert_null(proclife_field(UINT16_MAX, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_description),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
