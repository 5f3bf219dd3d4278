// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "triggers/burst.h"
#include <stdlib.h>

static const struct burst_fork *oldest(const struct burst *burst)
{
	return &burst->forks[burst->count == burst->most ? burst->next : 0];
}

static const struct burst_fork *latest(const struct burst *burst)
{
	return &burst->forks[(burst->next ? burst->next : burst->count) - 1];
}

bool burst_add(struct burst *burst, const struct burst_fork *fork)
{
	if (burst->next == burst->size && burst->size < burst->most) {
		burst->size = burst->size ? 2 * burst->size : 64;
		if (burst->size > burst->most)
			burst->size = burst->most;
		burst->forks = reallocarray(burst->forks, burst->size, sizeof(*burst->forks));
		if (!burst->forks)
			die_no_memory();
	}
	burst->forks[burst->next++] = *fork;
	burst->count += burst->count < burst->most;
	if (burst->next == burst->most)
		burst->next = 0;
	return burst->count == burst->most && burst_span(burst) <= burst->per;
}

uint64_t burst_span(const struct burst *burst)
{
	return latest(burst)->ts - oldest(burst)->ts;
}

static int compare(const void *a, const void *b)
{
	const struct burst_fork *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* Their pid can have been in use again. */
static bool is_same(const struct burst_fork *a, const struct burst_fork *b)
{
	return a->tgid == b->tgid && (a->id == b->id || !a->id || !b->id);
}

/* If several made as many, the one with the lowest pid; its latest name. */
struct burst_fork burst_most(const struct burst *burst, uint64_t *count)
{
	struct burst_fork most = { 0 };
	uint64_t n = 0, i;

	*count = 0;
	qsort(burst->forks, burst->count, sizeof(*burst->forks), compare);
	for (i = 0; i < burst->count; i++) {
		n = i && is_same(&burst->forks[i], &burst->forks[i - 1]) ? n + 1 : 1;
		if (n <= *count)
			continue;
		*count = n;
		most = burst->forks[i];
	}
	return most;
}

void burst_clear(struct burst *burst)
{
	burst->count = 0;
	burst->next = 0;
}

void burst_free(struct burst *burst)
{
	free(burst->forks);
	burst->forks = NULL;
}
