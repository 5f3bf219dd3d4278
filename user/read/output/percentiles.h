/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of a histogram: the same ones wherever one is shown. */
#ifndef READ_PERCENTILES_H
#define READ_PERCENTILES_H

#include "output/format.h"
#include "output/json.h"

#define TIME_COLUMNS 8
#define COUNT_COLUMNS 9

enum statistic_kind {
	STATISTIC_COUNT,
	STATISTIC_MIN,
	STATISTIC_MEAN,
	STATISTIC_MAX,
	STATISTIC_PERCENTILE,
};

/* Those that are shown, and offered for --expect. */
#define STATISTICS 8

extern const struct statistic {
	const char *name;
	const char *title; /* of its column of times; NULL: it has no such column */
	enum statistic_kind kind;
	double percent; /* of STATISTIC_PERCENTILE */
	unsigned int rank; /* of its column: if there is no room, the highest is left out first */
} statistics[STATISTICS];

/* A statistic of a histogram that is not empty. In ns, except the count. */
uint64_t statistic_of(const struct proclife_histogram *h, enum statistic_kind kind, double percent);

/* Are there enough lives for one of them to lie above it? With fewer, it would be the maximum. */
bool percentile_is_known(const struct proclife_histogram *h, double percent);
/* In TIME_COLUMNS; blank if it is not known. */
void text_percentile_in(struct text *line, const struct proclife_histogram *h, double percent);

/* The titles for text_percentiles() from the same column on, as many as there is room for. */
void text_percentiles_head(struct text *line);
/* Count, minimum, known percentiles, maximum; for an empty histogram, or NULL, just the count. */
void text_percentiles(struct text *line, const struct proclife_histogram *h);

/* The same as members of an object, null if not known, and the number from each power of two on. */
void json_percentiles(struct json *json, const struct proclife_histogram *h);

/* The member `spent`; null for NULL. */
void json_spent(struct json *json, const struct proclife_spent *spent);

/* The power of two at or below it; for 0, the same as for 1. */
unsigned int percentiles_bucket(uint64_t ns);
uint64_t percentiles_in_bucket(const struct proclife_histogram *h, unsigned int bucket);

#endif
