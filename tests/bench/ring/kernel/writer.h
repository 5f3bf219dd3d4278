/* SPDX-License-Identifier: GPL-2.0-only */
/* What the writer shows to the program: no type of the kernel's. */
#ifndef BENCH_RING_WRITER_H
#define BENCH_RING_WRITER_H

struct writer_setup {
	void *ring; /* a page, then the records */
	unsigned long records; /* a power of two */
	int is_read; /* by a reader */
	unsigned long long ns_per_cycle; /* in units of 2^-62 ns */
	void *(*zeroed)(unsigned long bytes); /* memory for objects, aligned as the kernel's */
};

void writer_begin(const struct writer_setup *setup);
/* A task; without a parent it is its own. */
void *writer_task(void *parent);

typedef void (*writer_function)(void *task, void *parent);

struct writer_piece {
	const char *name; /* NULL: the last one */
	writer_function run;
};

extern const struct writer_piece writer_pieces[];

#endif
