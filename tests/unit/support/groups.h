/* SPDX-License-Identifier: GPL-2.0-only */
/* Latency by groups: finding them, adding them up, and lives for many of them. */
#ifndef UNIT_GROUPS_H
#define UNIT_GROUPS_H

#include <proclife.h>

size_t groups_of(const struct proclife_latency *latency);
/* The group, or NULL; fails if there are two. */
const struct proclife_group *group_of(const struct proclife_latency *latency, bool known,
				      const char *name, uint64_t number);

/* Fails if they differ visibly. NULL is like an empty one. */
void same_histogram(const struct proclife_histogram *a, const struct proclife_histogram *b);
void add_counts(struct proclife_latency_counts *to, const struct proclife_latency_counts *counts);
/* Fails unless the groups add up to the whole. */
void check_sum(const struct proclife_latency *latency);

/*
 * A whole run: lives of @kinds names, cgroups, CPUs and uids, each of two threads, some without an
 * EXIT, REAP or FREE. It begins at @ts; returns when it ends.
 */
uint64_t feed_random(struct proclife_tasks *tasks, uint64_t ts, uint64_t seed, uint32_t lives,
		     uint32_t kinds);

#endif
