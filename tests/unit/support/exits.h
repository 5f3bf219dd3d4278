/* SPDX-License-Identifier: GPL-2.0-only */
/* A library that is fed a trace with EXITING, and knows one shell, by name alone. */
#ifndef TESTS_UNIT_EXITS_H
#define TESTS_UNIT_EXITS_H

#include "fixture_tasks.h"

int begin_exits(void **state);

#define EXITS(name) cmocka_unit_test_setup_teardown(name, begin_exits, end_tasks)

#define WHOLE PROCLIFE_F_GROUP_EXIT
#define SOLE (PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE)

/* An EXITING with these flags, and with this code as far as it is known then. */
struct proclife_record exiting(uint64_t ts, const struct who *who, uint32_t flags, int32_t code);
/* An EXIT; if no other thread is @live, the code is the group's. */
struct proclife_record ended(uint64_t ts, const struct who *who, int32_t code, uint32_t live);
/* A TASK of the snapshot, with these flags. */
struct proclife_record found(uint64_t ts, const struct who *who, uint32_t flags);

const struct proclife_process *process_of(const struct who *who);

#endif
