// SPDX-License-Identifier: GPL-2.0-only
#include "output/color.h"
#include "output/format.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_is_on(enum color color, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(fd) && term && strcmp(term, "dumb") && !(no_color && *no_color);
}

#define PLAIN "\033[0m"

size_t text_plain_end(const struct text *text)
{
	size_t length = strlen(PLAIN);

	return text->len >= length && !memcmp(text->s + text->len - length, PLAIN, length) ? length : 0;
}

void text_style(struct text *text, enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = PLAIN,	    [STYLE_DIM] = "\033[2m",	[STYLE_BOLD] = "\033[1m",
		[STYLE_HEAD] = "\033[1m",  [STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m",
		[STYLE_BAD] = "\033[31m",
	};

	if (text->screen->color)
		text_bytes(text, codes[style], strlen(codes[style]), 0);
}
