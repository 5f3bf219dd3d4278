/* SPDX-License-Identifier: GPL-2.0-only */
/* How the guest tests read the running kernel. */
#ifndef TESTS_GUEST_READING_H
#define TESTS_GUEST_READING_H

#include <proclife.h>
#include <stdbool.h>
#include <stdint.h>

struct proclife_source *open_source(void);
/* For callers that cannot assert. Returns 0 or a negative errno. */
int try_open_source(struct proclife_source **source);

/* CLOCK_MONOTONIC, ns */
uint64_t now(void);

/*
 * Waits for the next event; false when no event from before @end can come any more. An event from
 * after it stays for the next call of this or of the two below.
 */
bool next_until(struct proclife_source *source, uint64_t end, struct proclife_event *event);

/*
 * Reads the records that are certain, but at most @most events: all in order, from @last on, and none
 * lost. Returns how many tasks were freed.
 */
uint64_t read_in_order(struct proclife_source *source, unsigned int most, uint64_t *last);

/* The same until @wanted tasks in all are freed, @freed of them already read; RCU may be lazy. */
void read_until_freed(struct proclife_source *source, uint64_t freed, uint64_t wanted, uint64_t *last);

/* The types of records that a new child of this process leaves, as PROCLIFE_HAS() of each. */
uint64_t records_of_a_child(void);

#endif
