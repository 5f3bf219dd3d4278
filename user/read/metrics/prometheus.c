// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/prometheus.h"
#include <inttypes.h>

#define SECOND 1000000000

void prometheus_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prometheus_sample(FILE *out, const char *name, const char *label, const char *value, uint64_t n)
{
	if (label)
		fprintf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, n);
	else
		fprintf(out, "%s %" PRIu64 "\n", name, n);
}

void prometheus_time(FILE *out, const char *name, unsigned __int128 ns)
{
	fprintf(out, "%s %" PRIu64 ".%09" PRIu64 "\n", name, (uint64_t)(ns / SECOND),
		(uint64_t)(ns % SECOND));
}

/* In ns. */
static uint64_t bound(unsigned int number)
{
	static const uint64_t steps[] = { 10000, 25000, 50000 };
	uint64_t power = 1;
	unsigned int i;

	for (i = 0; i < number / 3; i++)
		power *= 10;
	return steps[number % 3] * power;
}

void prometheus_times_add(struct prometheus_times *times, uint64_t ns)
{
	unsigned int i = 0;

	while (i < PROMETHEUS_BOUNDS && ns > bound(i))
		i++;
	times->counts[i]++;
	times->sum += ns;
}

void prometheus_times(FILE *out, const char *name, const struct prometheus_times *times)
{
	char whole[64], le[32];
	uint64_t count = 0;
	unsigned int i;

	snprintf(whole, sizeof(whole), "%s_bucket", name);
	for (i = 0; i <= PROMETHEUS_BOUNDS; i++) {
		snprintf(le, sizeof(le), "%g", (double)bound(i) / SECOND);
		count += times->counts[i];
		prometheus_sample(out, whole, "le", i < PROMETHEUS_BOUNDS ? le : "+Inf", count);
	}
	snprintf(whole, sizeof(whole), "%s_sum", name);
	prometheus_time(out, whole, times->sum);
	snprintf(whole, sizeof(whole), "%s_count", name);
	prometheus_sample(out, whole, NULL, NULL, count);
}
