// SPDX-License-Identifier: GPL-2.0-only
#include "output/percentiles.h"

const struct statistic statistics[STATISTICS] = {
	{ "count", NULL, STATISTIC_COUNT, 0, 0 },
	{ "min", "MIN", STATISTIC_MIN, 0, 5 },
	{ "mean", NULL, STATISTIC_MEAN, 0, 0 },
	{ "p50", "p50", STATISTIC_PERCENTILE, 50, 2 },
	{ "p90", "p90", STATISTIC_PERCENTILE, 90, 4 },
	{ "p99", "p99", STATISTIC_PERCENTILE, 99, 3 },
	{ "p99.9", "p99.9", STATISTIC_PERCENTILE, 99.9, 6 },
	{ "max", "MAX", STATISTIC_MAX, 0, 1 },
};

uint64_t statistic_of(const struct proclife_histogram *h, enum statistic_kind kind, double percent)
{
	switch (kind) {
	case STATISTIC_COUNT:
		return proclife_histogram_count(h);
	case STATISTIC_MIN:
		return proclife_histogram_min(h);
	case STATISTIC_MEAN:
		return (uint64_t)(proclife_histogram_mean(h) + 0.5);
	case STATISTIC_PERCENTILE:
		return proclife_histogram_percentile(h, percent);
	case STATISTIC_MAX:
		return proclife_histogram_max(h);
	}
	return 0;
}

bool percentile_is_known(const struct proclife_histogram *h, double percent)
{
	/* With some tolerance: 100 - 99.9 is not exactly a tenth. */
	return h && (double)proclife_histogram_count(h) * (100 - percent) > 100 - 1e-6;
}

void text_percentile_in(struct text *line, const struct proclife_histogram *h, double percent)
{
	if (percentile_is_known(h, percent))
		text_time_in(line, TIME_COLUMNS, proclife_histogram_percentile(h, percent));
	else
		text_spaces(line, TIME_COLUMNS);
}

/* How many columns of times there is room for. */
static unsigned int columns_for(const struct text *line)
{
	unsigned int width = line->screen->width, taken = line->columns + COUNT_COLUMNS;

	if (!width)
		return STATISTICS;
	return width > taken ? (width - taken) / (TIME_COLUMNS + 1) : 0;
}

static bool has_column(const struct statistic *statistic, unsigned int columns)
{
	return statistic->title && statistic->rank <= columns;
}

void text_percentiles_head(struct text *line)
{
	unsigned int columns = columns_for(line);
	size_t i;

	text_printf(line, "%*s", COUNT_COLUMNS, "COUNT");
	for (i = 0; i < STATISTICS; i++)
		if (has_column(&statistics[i], columns))
			text_printf(line, " %*s", TIME_COLUMNS, statistics[i].title);
}

void text_percentiles(struct text *line, const struct proclife_histogram *h)
{
	uint64_t count = h ? proclife_histogram_count(h) : 0;
	unsigned int columns = columns_for(line);
	size_t i;

	text_count_in(line, COUNT_COLUMNS, count);
	for (i = 0; count && i < STATISTICS; i++) {
		if (!has_column(&statistics[i], columns))
			continue;
		text_string(line, " ");
		if (statistics[i].kind == STATISTIC_PERCENTILE)
			text_percentile_in(line, h, statistics[i].percent);
		else
			text_time_in(line, TIME_COLUMNS, statistic_of(h, statistics[i].kind, 0));
	}
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
	const struct statistic *each;

	json_uint(json, "count", count);
	for (each = statistics; count && each < statistics + STATISTICS; each++) {
		if (each->kind == STATISTIC_PERCENTILE && !percentile_is_known(h, each->percent))
			json_null(json, each->name);
		else if (each->kind != STATISTIC_COUNT)
			json_uint(json, each->name, statistic_of(h, each->kind, each->percent));
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

void json_spent(struct json *json, const struct proclife_spent *spent)
{
	if (!spent) {
		json_null(json, "spent");
		return;
	}
	json_object(json, "spent");
	json_uint(json, "count", spent->count);
	json_uint(json, "exact", spent->exact);
	json_uint(json, "on_cpu", spent->on_cpu);
	json_uint(json, "waiting", spent->waiting);
	json_uint(json, "blocked", spent->blocked);
	json_object_end(json);
}
