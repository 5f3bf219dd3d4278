// SPDX-License-Identifier: GPL-2.0-only
/* The agenda of --on: whatever comes and goes, the entry that is due first comes first. */
#include "check.h"

#include <triggers/agenda.h>
#include <string.h>

#define MOST 500
#define MOST_MMS 50

static struct proclife_process processes[MOST];
static struct watched *watched[MOST];

static const struct watched *first(void)
{
	const struct watched *found = NULL;

	for (size_t i = 0; i < MOST; i++)
		if (watched[i] && watched[i]->due != UINT64_MAX &&
		    (!found || watched[i]->due < found->due ||
		     (watched[i]->due == found->due && watched[i]->id < found->id)))
			found = watched[i];
	return found;
}

/* An address space belongs to the process that was last reported to have left it. */
static void check_held(const struct agenda *agenda)
{
	size_t n = 0;

	for (uint64_t mm = 1; mm <= MOST_MMS; mm++) {
		const struct watched *of = agenda_find_held(agenda, mm);

		assert_true(!of || of->mm == mm);
		n += of != NULL;
	}
	for (size_t i = 0; i < MOST; i++)
		n -= watched[i] && watched[i]->mm;
	assert_int_equal(n, 0);
}

static void test_order(void **state)
{
	struct agenda agenda;
	uint64_t seed = 1;

	(void)state;
	agenda_init(&agenda);
	assert_true(agenda_due(&agenda) == UINT64_MAX);
	assert_null(agenda_find(&agenda, 1));
	for (int round = 0; round < 20000; round++) {
		size_t i = random_below(&seed, MOST), due = 0;
		const struct watched *next;

		processes[i].id = i + 1;
		switch (random_below(&seed, 4)) {
		case 0:
			agenda_forget(&agenda, &processes[i]);
			watched[i] = NULL;
			break;
		case 1:
			watched[i] = agenda_add(&agenda, &processes[i]);
			agenda_set_held(&agenda, watched[i], random_below(&seed, MOST_MMS + 1));
			break;
		default:
			watched[i] = agenda_add(&agenda, &processes[i]);
			agenda_set_due(&agenda, watched[i],
				       random_below(&seed, 3) ? random_below(&seed, 300) : UINT64_MAX);
		}
		assert_ptr_equal(agenda_find(&agenda, i + 1), watched[i]);
		next = first();
		assert_true(agenda_due(&agenda) == (next ? next->due : UINT64_MAX));
		assert_true(!next || agenda.due[0] == next);
		for (i = 0; i < MOST; i++)
			due += watched[i] && watched[i]->due != UINT64_MAX;
		assert_int_equal(agenda.due_count, due);
		check_held(&agenda);
	}
	agenda_free(&agenda);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_order) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
