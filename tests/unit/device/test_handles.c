// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handles that a reader makes of addresses: which fields get one, of which kind of object, and that no two objects
 * share one.
 */
#include "check.h"

#include <device/handles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS 0xffff888012345680ULL

enum kind { TASK, GROUP, MM, KINDS };

/* What lies at the address in each field. One that is not here fails the test: say what it is. */
static const struct {
	const char *member;
	enum kind kind;
} fields[] = {
	{ "fork.parent", TASK },	  { "fork.group", GROUP },	    { "fork.creator", TASK },
	{ "exec.group", GROUP },	  { "reap.reaper", TASK },	    { "reap.reaper_group", GROUP },
	{ "notify.receiver", TASK },	  { "notify.receiver_group", GROUP }, { "free.runner", TASK },
	{ "signal.sender", TASK },	  { "exiting.parent", TASK },	    { "exiting.tracer", TASK },
	{ "exiting.mm", MM },		  { "mm.mm", MM },		    { "oom.allocator", TASK },
	{ "state.parent", TASK },	  { "state.group", GROUP },
};

#define FIELDS (sizeof(fields) / sizeof(*fields))

static const __u64 key[2] = { 0x0123456789abcdef, 0xfedcba9876543210 };
static struct proclife_handles *handles;

static int begin(void **state)
{
	(void)state;
	handles = proclife_handles_new(key);
	assert_non_null(handles);
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_handles_free(handles);
	return 0;
}

/* The handle of what lies there, as a record has it whose fields' kinds are known. */
static uint64_t handle_of(struct proclife_handles *of, uint64_t address, enum kind kind)
{
	struct proclife_record record = { .type = kind == MM ? PROCLIFE_MM : PROCLIFE_EXEC, .task = address };

	record.exec.group = address; /* mm.mm is at the same place */
	proclife_handles_make(of, &record);
	return kind == TASK ? record.task : record.exec.group;
}

static enum kind kind_of(const struct proclife_field *field)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (!strcmp(fields[i].member, field->member))
			return fields[i].kind;
	fail_msg("%s: of which kind?", field->member);
	return KINDS;
}

static uint64_t word_at(const struct proclife_record *record, uint16_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)record + offset, sizeof(word));
	return word;
}

/* Each field that is a handle is replaced by the one of its kind, and nothing else changes. */
static void check_type(uint16_t type, size_t *found)
{
	struct proclife_record before, after;
	const struct proclife_field *field;

	for (size_t i = 0; i < sizeof(before) / 8; i++)
		((uint64_t *)&before)[i] = ADDRESS + 64 * i;
	before.type = type;
	after = before;
	proclife_handles_make(handles, &after);
	assert_int_equal(after.task, handle_of(handles, before.task, TASK));
	before.task = after.task;
	for (unsigned int i = 0; (field = proclife_field(type, i)); i++) {
		uint64_t handle;

		if (field->kind != PROCLIFE_FIELD_HANDLE)
			continue;
		assert_int_equal(field->size, 8);
		++*found;
		handle = handle_of(handles, word_at(&before, field->offset), kind_of(field));
		assert_int_equal(word_at(&after, field->offset), handle);
		memcpy((char *)&before + field->offset, &handle, sizeof(handle));
	}
	assert_memory_equal(&before, &after, sizeof(before));
}

static void test_fields(void **state)
{
	size_t found = 0;

	(void)state;
	for (unsigned int type = 1; type < PROCLIFE_TYPES; type++)
		check_type((uint16_t)type, &found);
	assert_int_equal(found, FIELDS); /* none of the table is gone */
}

/* A type that the library does not know has its head. */
static void test_unknown_types(void **state)
{
	static const uint16_t types[] = { PROCLIFE_NONE, PROCLIFE_TYPES - 1, PROCLIFE_TYPES, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct proclife_record record = { .type = types[i], .task = ADDRESS, .words = { ADDRESS } };

		proclife_handles_make(handles, &record);
		assert_int_equal(record.task, handle_of(handles, ADDRESS, TASK));
		assert_int_equal(record.words[0], ADDRESS);
	}
}

/* No object: a kernel thread has no address space, and an interrupt no task. */
static void test_zero(void **state)
{
	(void)state;
	for (enum kind kind = TASK; kind < KINDS; kind++)
		assert_int_equal(handle_of(handles, 0, kind), 0);
}

#define OBJECTS 40000 /* more than the handles that are remembered */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Objects that lie close together, and far apart; each is asked for twice, and has the same handle again. */
static void test_none_is_shared(void **state)
{
	uint64_t *all = malloc((size_t)OBJECTS * KINDS * sizeof(*all)), seed = 1;
	size_t n = 0;

	(void)state;
	assert_non_null(all);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		uint64_t address = i % 2 ? ADDRESS + 8 * i : next_random(&seed) << 6;

		for (enum kind kind = TASK; kind < KINDS; kind++)
			all[n++] = handle_of(handles, address, kind);
	}
	seed = 1;
	n = 0;
	for (uint64_t i = 0; i < OBJECTS; i++) {
		uint64_t address = i % 2 ? ADDRESS + 8 * i : next_random(&seed) << 6;

		for (enum kind kind = TASK; kind < KINDS; kind++)
			assert_int_equal(handle_of(handles, address, kind), all[n++]);
	}
	qsort(all, n, sizeof(*all), compare);
	assert_true(all[0] > 0);
	for (size_t i = 1; i < n; i++)
		assert_true(all[i] != all[i - 1]);
	free(all);
}

/* All readers of a load agree, and those of another load know nothing of it. */
static void test_keys(void **state)
{
	const __u64 other_key[2] = { key[0], key[1] ^ 1 };
	struct proclife_handles *same = proclife_handles_new(key), *other = proclife_handles_new(other_key);
	unsigned int bits = 0;

	(void)state;
	assert_true(same && other);
	for (uint64_t address = ADDRESS; address < ADDRESS + 64 * 1000; address += 64) {
		uint64_t handle = handle_of(handles, address, TASK);

		assert_int_equal(handle_of(same, address, TASK), handle);
		assert_true(handle_of(other, address, TASK) != handle);
		bits += (unsigned int)__builtin_popcountll(handle_of(other, address, TASK) ^ handle);
	}
	assert_in_range(bits, 31000, 33000); /* of each, half of the bits */
	proclife_handles_free(same);
	proclife_handles_free(other);
}

/* Neighbours share nothing that shows it: each bit of the address changes half of the handle. */
static void test_bits(void **state)
{
	(void)state;
	for (unsigned int bit = 2; bit < 64; bit++) {
		unsigned int bits = 0;

		for (uint64_t i = 0; i < 1000; i++) {
			uint64_t address = ADDRESS + 9792 * i;

			bits += (unsigned int)__builtin_popcountll(handle_of(handles, address, TASK) ^
								   handle_of(handles, address ^ 1ULL << bit, TASK));
		}
		assert_in_range(bits, 31000, 33000);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fields),
		TEST(test_unknown_types),
		TEST(test_zero),
		TEST(test_none_is_shared),
		TEST(test_keys),
		TEST(test_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
