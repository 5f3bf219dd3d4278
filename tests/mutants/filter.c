// SPDX-License-Identifier: GPL-2.0-only
/* In each unit test, so that PROCLIFE_TEST can name the one of its tests that is to run. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

__attribute__((constructor)) static void filter_begin(void)
{
	if (getenv("PROCLIFE_TEST"))
		cmocka_set_test_filter(getenv("PROCLIFE_TEST"));
}
