// SPDX-License-Identifier: GPL-2.0-only
#include "output/cut.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

unsigned int text_character(const char *s, size_t *bytes)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t n;
	int columns;

	*bytes = 1;
	if (*s == '\033') {
		*bytes = strcspn(s, "m") + 1;
		return 0;
	}
	if (!(*s & 0x80))
		return 1;
	n = mbrtowc(&wide, s, MB_CUR_MAX, &state);
	if (n == 0 || n > MB_CUR_MAX)
		return 1;
	*bytes = n;
	columns = wcwidth(wide);
	return columns > 0 ? columns : 0;
}

void text_in(struct text *text, const struct text *what, unsigned int columns)
{
	const char *s = what->s, *end = s + what->len;
	unsigned int used = 0, n;
	bool cut = false;
	size_t bytes;

	if (!columns || what->columns <= columns) {
		text_bytes(text, s, what->len, what->columns);
		return;
	}
	for (; s < end; s += bytes) {
		n = text_character(s, &bytes);
		/* Text after the cut is not shown, but escape sequences are kept: colours end. */
		if (cut && *s != '\033')
			continue;
		if (used + n > columns - 1) {
			text_draw(text, "…", "~");
			cut = true;
			continue;
		}
		text_bytes(text, s, bytes, n);
		used += n;
	}
}

void text_end_in(struct text *text, const struct text *what, unsigned int columns)
{
	unsigned int too_many, cut = 0;
	const char *s = what->s;
	size_t bytes;

	if (!columns || what->columns <= columns) {
		text_bytes(text, s, what->len, what->columns);
		return;
	}
	for (too_many = what->columns - columns + 1; *s && cut < too_many; s += bytes)
		cut += text_character(s, &bytes);
	text_draw(text, "…", "~");
	text_bytes(text, s, strlen(s), what->columns - cut);
}

void text_word_in(struct text *text, const struct text *what, unsigned int columns)
{
	if (columns && what->columns > columns && strchr(what->s, '/'))
		text_end_in(text, what, columns);
	else
		text_in(text, what, columns);
}

void text_gap(struct text *text)
{
	if (text->screen->utf8)
		text_bytes(text, "…", strlen("…"), gap_columns(text->screen));
	else
		text_string(text, "...");
}
