// SPDX-License-Identifier: GPL-2.0-only
#include "fixture_text.h"

struct screen screen;
struct text text;

int begin_text(void **state)
{
	(void)state;
	screen = (struct screen){ .out = stdout };
	text_init(&text, &screen);
	return 0;
}

int begin_utf8(void **state)
{
	begin_text(state);
	screen.utf8 = true;
	return 0;
}

int end_text(void **state)
{
	(void)state;
	text_free(&text);
	return 0;
}
