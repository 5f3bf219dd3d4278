/* SPDX-License-Identifier: GPL-2.0-only */
/* A device that is a file, which the program reads while the test writes to it. */
#ifndef UNIT_LIVE_DEVICE_H
#define UNIT_LIVE_DEVICE_H

#include "records.h"

/* For cmocka: with the test's folder; the teardown ends what still writes. */
int live_setup(void **state);
int live_teardown(void **state);

#define LIVE(name) cmocka_unit_test_setup_teardown(name, live_setup, live_teardown)

/* The argument for --device. */
extern char live_path[64];

/* Opens a device of four CPUs, with @ring records in each ring. */
void live_open(uint64_t ring);
/* Records an event that happens now. */
void live_put(uint32_t cpu, struct proclife_record record);
/* A shell and what it starts: a thread, an exec, a rename, a zombie for a while, a daemon. */
void live_story(uint32_t n);
/* Adds to the counts of missed REAPs and other marks. */
void live_missed(uint64_t reaps, uint64_t marks);
/* Bursts of stories that overrun small rings, until the test ends. */
void live_bursts(void);

#endif
