// SPDX-License-Identifier: GPL-2.0-only
#include "output/level.h"

void text_level(struct text *text, double part)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	unsigned int eighths = (unsigned int)(part * 8 + 0.5);
	char digit[2] = { " 123456789"[part > 0 ? 1 + (unsigned int)(part * 8) : 0], 0 };

	if (part > 0 && !eighths)
		eighths = 1;
	text_draw(text, bars[eighths < 9 ? eighths : 8], digit);
}
