/* SPDX-License-Identifier: GPL-2.0-only */
/* How the guest tests read the running kernel. */
#ifndef TESTS_GUEST_READING_H
#define TESTS_GUEST_READING_H

#include <proclife.h>
#include <stdbool.h>
#include <stdint.h>

struct proclife_source *open_source(void);
/* For those that cannot assert. Returns 0 or a negative errno. */
int try_open_source(struct proclife_source **source);

/* CLOCK_MONOTONIC, ns */
uint64_t now(void);

/*
 * The next event, waiting for it; false when no event from before @end can come any more. One from
 * after it stays for the next call of this or of the two below.
 */
bool next_until(struct proclife_source *source, uint64_t end, struct proclife_event *event);

/*
 * Reads what is certain by now, but at most so many events: all in order, from @last on, and none
 * lost. Returns how many tasks were freed.
 */
uint64_t read_in_order(struct proclife_source *source, unsigned int most, uint64_t *last);

/* The same until @wanted tasks in all are freed, of which @freed are read; RCU may be lazy. */
void read_until_freed(struct proclife_source *source, uint64_t freed, uint64_t wanted, uint64_t *last);

/* Which kinds of records this process's next child leaves, as PROCLIFE_HAS() of each. */
uint64_t records_of_a_child(void);

#endif
