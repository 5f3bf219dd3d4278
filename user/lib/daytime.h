/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time of day of records. CLOCK_REALTIME and CLOCK_MONOTONIC go at the same rate, NTP's included;
 * only where the first is set, or the machine was suspended, does their difference change. Each of
 * these changes is kept, so that a record has the time of day of when it was made.
 */
#ifndef PROCLIFE_DAYTIME_H
#define PROCLIFE_DAYTIME_H

#include <stdbool.h>
#include <stdint.h>

#define PROCLIFE_DAYTIME_CHANGES 1024 /* the latest is replaced by what comes after so many */

struct proclife_daytime_change {
	uint64_t since; /* ts of the first that it holds for */
	uint64_t to_realtime; /* to be added to a ts; modulo 2^64, as in the device's header */
};

struct proclife_daytime {
	uint64_t to_realtime; /* at first */
	uint64_t version;     /* grows with each change */
	uint32_t count;
	struct proclife_daytime_change *changes; /* later ones follow */
};

/* From `since` on, or from the latest change on if that is later. 0 or -ENOMEM. */
int proclife_daytime_change(struct proclife_daytime *daytime, uint64_t since, uint64_t to_realtime);

/* What is to be added to the latest times. */
uint64_t proclife_daytime_latest(const struct proclife_daytime *daytime);

/* Nanoseconds since 1970, of a ts; and the first ts that has this time of day or a later one. */
uint64_t proclife_daytime_of(const struct proclife_daytime *daytime, uint64_t ts);
uint64_t proclife_daytime_first(const struct proclife_daytime *daytime, uint64_t realtime);

void proclife_daytime_free(struct proclife_daytime *daytime);

#endif
