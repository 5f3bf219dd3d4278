// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "marks.h"
#include "module.h"
#include "reading.h"

struct proclife_source *marks_source;
struct proclife_record marks[MOST_MARKS]; /* what has been recorded since load(), as far as it matters here */
unsigned int marks_count;

const struct proclife_header *marks_header(void)
{
	return proclife_source_header(marks_source);
}

bool marks_has(uint16_t type)
{
	return marks_header()->features & PROCLIFE_HAS(type);
}

int marks_begin(void **state)
{
	(void)state;
	if (!module_loaded() && module_load(ALL_MARKS))
		return -1;
	marks_source = open_source();
	marks_count = 0;
	return 0;
}

int marks_end(void **state)
{
	(void)state;
	proclife_source_free(marks_source);
	marks_source = NULL;
	return 0;
}

int marks_unload(void **state)
{
	(void)state;
	return module_loaded() ? module_unload() : 0;
}

/* Reads all records until now, and keeps those that matter here. */
void marks_read(void)
{
	struct proclife_event event;
	uint64_t until = now();

	while (next_until(marks_source, until, &event)) {
		assert_non_null(event.record);
		if (event.record->type == PROCLIFE_WAIT || event.record->type == PROCLIFE_ARGS ||
		    event.record->type == PROCLIFE_PATH)
			continue;
		assert_true(marks_count < MOST_MARKS);
		marks[marks_count++] = *event.record;
	}
}

/* The first record of this type and process from this one on, or NULL. */
const struct proclife_record *mark_from(const struct proclife_record *from, uint16_t type, pid_t tgid)
{
	const struct proclife_record *r;

	for (r = from ? from : marks; r < marks + marks_count; r++)
		if (r->type == type && r->tgid == (uint32_t)tgid)
			return r;
	return NULL;
}

const struct proclife_record *must_mark(uint16_t type, pid_t tgid)
{
	const struct proclife_record *r = mark_from(NULL, type, tgid);

	if (!r)
		fail_msg("no %s of %d in %u records", proclife_type_name(type), tgid, marks_count);
	return r;
}

/* The MM of this kind about this address space, after @from. */
const struct proclife_record *mark_of_mm(const struct proclife_record *from, uint64_t mm, uint32_t what)
{
	const struct proclife_record *r;

	for (r = from; r < marks + marks_count; r++)
		if (r->type == PROCLIFE_MM && r->mm.mm == mm && r->mm.what == what)
			return r;
	return NULL;
}

void marks_reap(pid_t pid)
{
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	marks_read();
}

struct note {
	uint32_t pid;
	struct told told;
};

static void note_told(void *data, struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);
	struct note *note = data;
	enum proclife_phase phase;

	if (process->tgid != note->pid)
		return;
	note->told.known = memory;
	if (memory)
		note->told.memory = *memory;
	note->told.exiting = process->exiting;
	note->told.exited = process->marks.exited;
	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_split *split = proclife_process_split(process, phase);

		if (!proclife_process_phase(process, phase, &note->told.phases[phase]))
			note->told.phases[phase] = 0;
		if (split)
			note->told.splits[phase] = *split;
	}
	if (proclife_process_used(process)) {
		note->told.used = *proclife_process_used(process);
		note->told.used_known = true;
	}
}

struct told marks_told(pid_t pid)
{
	const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = note_told,
		.process_over = note_told,
	};
	struct note note = { .pid = (uint32_t)pid };
	struct proclife_tasks *tasks;
	unsigned int i;

	assert_int_equal(proclife_tasks_new(&tasks, marks_source), 0);
	assert_int_equal(proclife_tasks_report(tasks, &reports, &note), 0);
	for (i = 0; i < marks_count; i++) {
		const struct proclife_event event = { .record = &marks[i] };

		assert_true(proclife_tasks_feed(tasks, &event) >= 0);
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tasks_free(tasks);
	return note.told;
}

static FILE *compared_file(void)
{
	const char *path = getenv("PROCLIFE_COMPARED");
	FILE *file = path ? fopen(path, "ae") : NULL;

	assert_true(!path || file);
	return file;
}

void marks_compare(const char *mark, const char *witness, bool holds, const char *text, const char *file,
		   int line)
{
	FILE *table = compared_file();

	if (table) {
		fprintf(table, "%s\t%s\t1\t%d\n", mark, witness, !holds);
		fclose(table);
	}
	_assert_true(holds, text, file, line);
}

/* A pipe by which a child says that it is ready. */
static int ready[2];

void ready_prepare(void)
{
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
}

void ready_say(void)
{
	if (write(ready[1], "", 1) != 1)
		_exit(99);
}

void ready_await(unsigned int children)
{
	char c;

	while (children--)
		assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
}
