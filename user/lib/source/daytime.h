/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time of day of records. CLOCK_REALTIME and CLOCK_MONOTONIC go at the same rate, NTP's
 * included. Their difference changes only when the first is set, or when the machine was suspended.
 * Each of these changes is kept, so that a record has the time of day at which it was made. What is called
 * realtime here can also be CLOCK_BOOTTIME, whose difference changes when the machine was suspended.
 */
#ifndef PROCLIFE_DAYTIME_H
#define PROCLIFE_DAYTIME_H

#include <stdbool.h>
#include <stdint.h>

#define PROCLIFE_DAYTIME_CHANGES 1024 /* after this many, a new change replaces the latest */

struct proclife_daytime_change {
	uint64_t since; /* the first ts for which it holds */
	uint64_t to_realtime; /* to be added to a ts; modulo 2^64, as in the device's header */
};

struct proclife_daytime {
	uint64_t to_realtime; /* before the first change */
	uint64_t version;     /* grows with each change */
	uint32_t count;
	struct proclife_daytime_change *changes; /* later ones follow */
};

/* Adds a change at `since`, or at the latest change if that is later. Returns 0 or -ENOMEM. */
int proclife_daytime_change(struct proclife_daytime *daytime, uint64_t since, uint64_t to_realtime);

/* What has to be added to the latest times. */
uint64_t proclife_daytime_latest(const struct proclife_daytime *daytime);

/* The time of day of a ts, in ns since 1970; and the first ts with this time of day or later. */
uint64_t proclife_daytime_of(const struct proclife_daytime *daytime, uint64_t ts);
uint64_t proclife_daytime_first(const struct proclife_daytime *daytime, uint64_t realtime);

void proclife_daytime_free(struct proclife_daytime *daytime);

#endif
