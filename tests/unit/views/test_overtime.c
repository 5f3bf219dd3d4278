// SPDX-License-Identifier: GPL-2.0-only
/* What --summary adds up over time. Transcripts have the rest of it. */
#include "check.h"

#include <views/share/overtime.h>

#define SECOND UINT64_C(1000000000)

/* The slices cover the whole time, however long it gets, and all that was added. */
static void test_overtime(void **state)
{
	struct overtime overtime;
	double lived = 0, busy = 0;
	size_t i;

	(void)state;
	overtime_begin(&overtime, 1000);
	overtime_add(&overtime, 1000, 2000, 500);
	assert_int_equal(overtime_slices(&overtime, overtime.end), 1);
	overtime_add(&overtime, 2000, 1000 + 10 * SECOND, 5 * SECOND);
	/* Half of it is before the beginning. */
	overtime_add(&overtime, 500, 1500, 100);
	/* All of it is. */
	overtime_add(&overtime, 100, 900, 100);
	assert_int_equal(overtime.end, 1000 + 10 * SECOND);
	for (i = 0; i < OVERTIME_SLICES; i++) {
		lived += overtime.lived[i];
		busy += overtime.busy[i];
	}
	assert_true(lived > 10.0 * SECOND + 499 && lived < 10.0 * SECOND + 501);
	assert_true(busy > 5.0 * SECOND + 549 && busy < 5.0 * SECOND + 551);
	i = overtime_slices(&overtime, overtime.end);
	assert_true(i > OVERTIME_SLICES / 2 && i <= OVERTIME_SLICES);
	assert_true(overtime.lived[i - 1] > 0);
	assert_true(i == OVERTIME_SLICES || overtime.lived[i] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_overtime) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
