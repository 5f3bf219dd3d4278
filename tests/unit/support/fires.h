/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories for --on. */
#ifndef UNIT_FIRES_H
#define UNIT_FIRES_H

#include "story.h"

/* pid1 is there from the beginning; sh is born 10 ms later. */
extern struct who pid1, sh;

int fires_begin(void **state);
/* With one more CPU than other stories. */
int fires_begin_on_three(void **state);

#define TRIGGERS(name) cmocka_unit_test_setup_teardown(name, fires_begin, story_teardown)

/* Ends a process: its exit begins, and is over this much later. */
void die(uint64_t ms, const struct who *who, const struct who *parent, int32_t code, uint64_t later);

/* Expects this output for a recording, or for the story, which ends with that. */
void expect_of(const char *from, const char *options, int status, const char *text);
void expect(const char *options, const char *text);
/* Expects this on standard error. */
void expect_messages(const char *options, const char *text);

#endif
