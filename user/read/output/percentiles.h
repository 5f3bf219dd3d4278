/* SPDX-License-Identifier: GPL-2.0-only */
/* How times are spread: the same figures wherever a histogram is shown. */
#ifndef READ_PERCENTILES_H
#define READ_PERCENTILES_H

#include "output/format.h"
#include "output/json.h"

#define TIME_COLUMNS 8
#define COUNT_COLUMNS 9

/* The titles of what text_percentiles() appends. */
void text_percentiles_head(struct text *line);
/* Count, minimum, percentiles, maximum; of an empty histogram, or NULL, just the count. */
void text_percentiles(struct text *line, const struct proclife_histogram *h);

/* The same as members of an object, and how many lie from each power of two on. */
void json_percentiles(struct json *json, const struct proclife_histogram *h);

/* The power of two at or below; 0 is put to 1. */
unsigned int percentiles_bucket(uint64_t ns);
uint64_t percentiles_in_bucket(const struct proclife_histogram *h, unsigned int bucket);

#endif
