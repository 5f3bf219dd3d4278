// SPDX-License-Identifier: GPL-2.0-only
/* The lines of --info: a label and what is known, within the columns that there are. */
#include "output/cut.h"
#include "tools/info/info.h"
#include "tools/info/info_lines.h"
#include <string.h>

#define LABEL 13

/* The last such space that is not behind the columns; 0: there is none. */
static size_t last_space(const char *s, size_t columns, bool behind_comma)
{
	while (columns && (s[columns] != ' ' || (behind_comma && !strchr(",;:", s[columns - 1]))))
		columns--;
	return columns;
}

/* How many bytes go into these columns; none of them takes more than one. */
static size_t part_of(const char *s, size_t n, unsigned int columns)
{
	size_t end;

	if (!columns || n <= columns)
		return n;
	end = last_space(s, columns, true);
	if (!end)
		end = last_space(s, columns, false);
	if (!end)
		end = strcspn(s, " ");
	return end < n ? end : n;
}

void info_line(const struct info *info, const char *label, const struct text *what)
{
	unsigned int width = info->run.screen->width;
	const char *s = what->s;
	size_t left = what->len;
	struct text line, word;

	width = !width ? 0 : width > 2 * LABEL ? width - LABEL : LABEL;
	text_init(&line, info->run.screen);
	text_init(&word, info->run.screen);
	do {
		size_t n = part_of(s, left, width);

		text_style(&line, STYLE_BOLD);
		text_printf(&line, "%-*s", LABEL, label);
		text_style(&line, STYLE_PLAIN);
		text_clear(&word);
		text_bytes(&word, s, n, what->len == what->columns ? n : what->columns);
		text_in(&line, &word, width);
		text_line(&line);
		n += n < left; /* the space */
		s += n;
		left -= n;
		label = "";
	} while (left);
	text_free(&word);
	text_free(&line);
}

void info_more(const struct info *info, const char *label, uint64_t count, const char *one,
	       const char *many, struct text *what)
{
	if (count <= INFO_MOST_SHOWN)
		return;
	text_clear(what);
	text_plural(what, count - INFO_MOST_SHOWN, one, many);
	info_line(info, label, what);
}

void info_short(const struct info *info, const char *label, const struct text *what)
{
	unsigned int width = info->run.screen->width;
	struct text line;

	text_init(&line, info->run.screen);
	text_style(&line, STYLE_BOLD);
	text_printf(&line, "%-*s", LABEL, label);
	text_style(&line, STYLE_PLAIN);
	text_in(&line, what, !width ? 0 : width > 2 * LABEL ? width - LABEL : LABEL);
	text_line(&line);
	text_free(&line);
}
