/* SPDX-License-Identifier: GPL-2.0-only */
/* What each open file has acknowledged, and who sleeps until it has more to read. */
#ifndef PROCLIFE_READERS_H
#define PROCLIFE_READERS_H

#include <linux/types.h>
#include <linux/wait.h>

struct reader; /* of an open file */

/* One that has acknowledged all that there is, with a watermark of 1; NULL without memory. */
struct reader *proclife_reader_new(void);
void proclife_reader_free(struct reader *reader);

/* Where to sleep. Who is on it, and then finds the file not ready, is woken when it is. */
struct wait_queue_head *proclife_reader_queue(struct reader *reader);

/* Are there as many records that are not acknowledged as the watermark says? */
bool proclife_reader_ready(struct reader *reader);

/* All records up to this sum. */
void proclife_reader_acknowledge(struct reader *reader, u64 committed);
void proclife_reader_set_watermark(struct reader *reader, u64 records);

/* A ring has got to where proclife_rings_arm() asked for this. In any context that may queue work. */
void proclife_readers_wake(void);

int proclife_readers_init(void);
/* When no ring can call any more. */
void proclife_readers_exit(void);

#endif
