/* SPDX-License-Identifier: GPL-2.0-only */
/* A device to write, the source that reads it, and what the source is expected to yield. */
#ifndef UNIT_FIXTURE_DEVICE_H
#define UNIT_FIXTURE_DEVICE_H

#include "check.h"
#include "fake_device.h"

extern struct fake_device *device;
extern struct proclife_source *source;

void begin_device(uint32_t cpus, uint64_t records_per_ring);
int end_device(void **state);

#define TEST(name) cmocka_unit_test_teardown(name, end_device)

#define expect_record(source, on_cpu, time)                                   \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 1);      \
		assert_non_null(e.record);                                    \
		assert_int_equal(e.record->ts, (time));                       \
		assert_int_equal(e.record->cpu, (on_cpu));                    \
		assert_int_equal(e.record->start, ~(uint64_t)(time));         \
	} while (0)

#define expect_gap(source, on_cpu, count, begin, end)                         \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 1);      \
		assert_null(e.record);                                        \
		assert_int_equal(e.gap.cpu, (on_cpu));                        \
		assert_int_equal(e.gap.lost, (count));                        \
		assert_int_equal(e.gap.from, (begin));                        \
		assert_int_equal(e.gap.to, (end));                            \
	} while (0)

#define expect_nothing(source)                                                \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 0);      \
	} while (0)

#endif
