/* SPDX-License-Identifier: GPL-2.0-only */
/* The last forks: whether there were too many of them in some time, and which process made most. */
#ifndef READ_BURST_H
#define READ_BURST_H

#include <proclife.h>

struct burst_fork {
	uint64_t ts;
	uint64_t id; /* of the process that forked; 0: not known */
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
};

struct burst {
	uint64_t most; /* this many are too many */
	uint64_t per;  /* ns: unless they took longer */
	struct burst_fork *forks; /* the last ones, in a ring */
	uint64_t size; /* of the ring; it grows up to `most` */
	uint64_t count;
	uint64_t next; /* the oldest of them, once it is full */
};

/* Notes one. Are there too many with it? Then burst_clear() has to follow. */
bool burst_add(struct burst *burst, const struct burst_fork *fork);
/* How long they took, and the process that made most, and how many. */
uint64_t burst_span(const struct burst *burst);
struct burst_fork burst_most(const struct burst *burst, uint64_t *count);
void burst_clear(struct burst *burst);
void burst_free(struct burst *burst);

#endif
