/* SPDX-License-Identifier: GPL-2.0-only */
/* The records that the module makes while a guest test causes deaths. */
#ifndef TESTS_GUEST_MARKS_H
#define TESTS_GUEST_MARKS_H

#include <proclife.h>
#include <sys/types.h>

#define ALL_MARKS "exiting=1 memory=1 cgroups=1" /* parameters of the module */
#define MOST_MARKS 4096

extern struct proclife_source *marks_source;
extern struct proclife_record marks[MOST_MARKS]; /* since marks_begin(), but for WAIT and ARGS */
extern unsigned int marks_count;

/* For cmocka: load the module with all marks, if it is not loaded, and follow it; end that. */
int marks_begin(void **state);
int marks_end(void **state);
/* The teardown of the whole group. */
int marks_unload(void **state);

const struct proclife_header *marks_header(void);
bool marks_has(uint16_t type);

/* Reads all records until now. */
void marks_read(void);
/* Waits for this child, and reads. */
void marks_reap(pid_t pid);

/* The first mark of this type and process, from @from on unless that is NULL; or NULL. */
const struct proclife_record *mark_from(const struct proclife_record *from, uint16_t type, pid_t tgid);
const struct proclife_record *must_mark(uint16_t type, pid_t tgid);
/* The MM of this kind about this address space, from @from on; or NULL. */
const struct proclife_record *mark_of_mm(const struct proclife_record *from, uint64_t mm, uint32_t what);

/* What the library reports of a process, from all marks so far. */
struct told {
	bool known; /* is `memory` known? */
	struct proclife_memory memory;
	uint64_t exiting, exited;
	uint64_t phases[PROCLIFE_PHASES]; /* 0: not known */
	struct proclife_split splits[PROCLIFE_PHASES];
	struct proclife_used used;
	bool used_known;
};
struct told marks_told(pid_t pid);

/*
 * Fails unless @holds: the mark agrees with this witness. Also writes a line for the table of
 * marks.sh, in the file that the environment's PROCLIFE_COMPARED names.
 */
#define compare(mark, witness, holds) marks_compare(mark, witness, holds, #holds, __FILE__, __LINE__)
void marks_compare(const char *mark, const char *witness, bool holds, const char *text, const char *file,
		   int line);

/* A pipe by which a child, or each of its threads, says that it is ready. */
void ready_prepare(void);
void ready_say(void);
/* Waits until this many have, and closes it. */
void ready_await(unsigned int children);

#endif
