// SPDX-License-Identifier: GPL-2.0-only
/* Figures as written for Prometheus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <metrics/prometheus.h>

/* Sums of years that do not fit in 64 bits. */
static void test_sum(void **state)
{
	struct prometheus_times times = { 0 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	for (int i = 0; i < 3; i++)
		prometheus_times_add(&times, UINT64_MAX);
	prometheus_times_add(&times, 0);
	prometheus_times(file, "x", &times);
	fclose(file);
	assert_non_null(strstr(text, "x_bucket{le=\"1e-05\"} 1\n"));
	assert_non_null(strstr(text, "x_bucket{le=\"10000\"} 1\n"));
	assert_non_null(strstr(text, "x_bucket{le=\"+Inf\"} 4\nx_sum 55340232221.128654845\nx_count 4\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sum) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
