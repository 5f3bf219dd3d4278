// SPDX-License-Identifier: GPL-2.0-only
#include "output/percentiles.h"

static const struct {
	const char *title;
	double percent;
} percentiles[] = {
	{ "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 },
};

#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

void text_percentiles_head(struct text *line)
{
	size_t i;

	text_printf(line, "%*s %*s", COUNT_COLUMNS, "COUNT", TIME_COLUMNS, "MIN");
	for (i = 0; i < PERCENTILES; i++)
		text_printf(line, " %*s", TIME_COLUMNS, percentiles[i].title);
	text_printf(line, " %*s", TIME_COLUMNS, "MAX");
}

void text_percentiles(struct text *line, const struct proclife_histogram *h)
{
	uint64_t count = h ? proclife_histogram_count(h) : 0;
	size_t i;

	text_count_in(line, COUNT_COLUMNS, count);
	if (!count)
		return;
	text_string(line, " ");
	text_time_in(line, TIME_COLUMNS, proclife_histogram_min(h));
	for (i = 0; i < PERCENTILES; i++) {
		text_string(line, " ");
		text_time_in(line, TIME_COLUMNS,
			     proclife_histogram_percentile(h, percentiles[i].percent));
	}
	text_string(line, " ");
	text_time_in(line, TIME_COLUMNS, proclife_histogram_max(h));
}

unsigned int percentiles_bucket(uint64_t ns)
{
	return ns ? 63 - __builtin_clzll(ns) : 0;
}

uint64_t percentiles_in_bucket(const struct proclife_histogram *h, unsigned int bucket)
{
	uint64_t from = bucket ? 1ULL << bucket : 0;

	return proclife_histogram_between(h, from, bucket < 63 ? 2ULL << bucket : UINT64_MAX);
}

void json_percentiles(struct json *json, const struct proclife_histogram *h)
{
	uint64_t count = h ? proclife_histogram_count(h) : 0;
	unsigned int bucket, last;
	size_t i;

	json_uint(json, "count", count);
	if (count) {
		json_uint(json, "min", proclife_histogram_min(h));
		json_uint(json, "mean", proclife_histogram_mean(h) + 0.5);
		for (i = 0; i < PERCENTILES; i++)
			json_uint(json, percentiles[i].title,
				  proclife_histogram_percentile(h, percentiles[i].percent));
		json_uint(json, "max", proclife_histogram_max(h));
	}
	json_array(json, "histogram");
	last = count ? percentiles_bucket(proclife_histogram_max(h)) : 0;
	for (bucket = count ? percentiles_bucket(proclife_histogram_min(h)) : 1; bucket <= last;
	     bucket++) {
		json_array(json, NULL);
		json_uint(json, NULL, bucket ? 1ULL << bucket : 0);
		json_uint(json, NULL, percentiles_in_bucket(h, bucket));
		json_array_end(json);
	}
	json_array_end(json);
}
