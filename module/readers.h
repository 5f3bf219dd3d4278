/* SPDX-License-Identifier: GPL-2.0-only */
/* What each open file has acknowledged, and which reader sleeps until it has more to read. */
#ifndef PROCLIFE_READERS_H
#define PROCLIFE_READERS_H

#include <linux/types.h>
#include <linux/wait.h>

struct reader; /* of an open file */

/* A reader that has acknowledged all records so far, with a watermark of 1. NULL: no memory. */
struct reader *proclife_reader_new(void);
void proclife_reader_free(struct reader *reader);

/* The queue to sleep in. Join it before asking if the file is ready: then no wake-up is missed. */
struct wait_queue_head *proclife_reader_queue(struct reader *reader);

/* Are there at least as many unacknowledged records as the watermark says? */
bool proclife_reader_ready(struct reader *reader);

/* Acknowledges all records up to this sum; a reader of some types, all of these that there are by now. */
void proclife_reader_acknowledge(struct reader *reader, u64 committed);
/* @types: PROCLIFE_HAS() of those that count; 0: all. */
void proclife_reader_set_watermark(struct reader *reader, u64 records, u64 types);

/* A ring has reached what proclife_rings_arm() asked for. Call it where work may be queued. */
void proclife_readers_wake(void);

int proclife_readers_init(void);
/* Call this when no ring can call proclife_readers_wake() any more. */
void proclife_readers_exit(void);

#endif
