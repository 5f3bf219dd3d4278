/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prometheus' text format 0.0.4, which node_exporter's textfile collector reads. (It reads no
 * OpenMetrics, and refuses a file with time stamps.) Names and the values of labels are constants of
 * ours, which need no escapes: nothing that others have chosen comes here.
 */
#ifndef READ_PROMETHEUS_H
#define READ_PROMETHEUS_H

#include <stdint.h>
#include <stdio.h>

/* The lines before the samples of a metric. @type: "counter", "gauge" or "histogram" */
void prometheus_family(FILE *out, const char *name, const char *type, const char *help);
/* @label: NULL if it has none. */
void prometheus_sample(FILE *out, const char *name, const char *label, const char *value, uint64_t n);
/* A time in seconds, from nanoseconds, exactly. */
void prometheus_time(FILE *out, const char *name, unsigned __int128 ns);

/*
 * A histogram's bounds: 1, 2.5 and 5 of each power of ten from 10 us to 10000 s. The times of a death
 * lie anywhere between a fast reap and a zombie of hours, and three a decade let histogram_quantile()
 * see a tail that doubles. They are fixed: only then can histograms of several machines, and of a machine
 * before and after an update, be added.
 */
#define PROMETHEUS_BOUNDS 28

struct prometheus_times {
	uint64_t counts[PROMETHEUS_BOUNDS + 1]; /* up to each bound, above the one before; the rest */
	unsigned __int128 sum; /* ns: lives that are added for years do not fit in 64 bits */
};

void prometheus_times_add(struct prometheus_times *times, uint64_t ns);
/* The samples of a metric that is such a histogram. */
void prometheus_times(FILE *out, const char *name, const struct prometheus_times *times);

#endif
