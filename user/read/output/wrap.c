// SPDX-License-Identifier: GPL-2.0-only
#include "output/cut.h"
#include "output/wrap.h"
#include <stdbool.h>

#define LEAST 32 /* columns beside what lines are indented by... */
#define INDENT 4 /* ... which is otherwise this */
#define PARAGRAPH 80

static const char plain[] = "\033[0m";

/* A place where the line can be broken. */
struct place {
	const char *s;
	const char *style; /* the style there, as an escape sequence; NULL: none */
	size_t len; /* how much has been written before it */
};

static void begin_line(struct text *to, const struct place *place, unsigned int indent)
{
	for (to->len = place->len; to->len && to->s[to->len - 1] == ' ';)
		to->len--;
	if (place->style)
		text_bytes(to, plain, strlen(plain), 0);
	text_bytes(to, "\n", 1, 0);
	to->columns = 0;
	text_more(to);
	text_spaces(to, indent);
	if (place->style)
		text_bytes(to, place->style, strcspn(place->style, "m") + 1, 0);
}

/* The last word so far in this line, without colours. */
struct word {
	bool begun;
	bool is_number; /* so far */
};

static void pass(struct word *word, char c)
{
	bool digit = c && strchr("0123456789.,", c);

	if (c == ' ')
		*word = (struct word){ 0 };
	else if (c != '(')
		*word = (struct word){ true, digit && (!word->begun || word->is_number) };
}

/* A number stays on one line with what it counts. */
static bool can_break(const struct word *word, const char *s)
{
	return *s == ' ' && word->begun && (s[1] == ' ' || !word->is_number);
}

void text_wrap(struct text *text, unsigned int width)
{
	unsigned int n;
	unsigned int indent = !text->hang || text->hang + LEAST <= width ? text->hang : INDENT;
	const char *s = text->s, *end = s + text->len, *style = NULL;
	struct place place = { 0 };
	struct word word = { 0 };
	bool broken = false; /* it is behind the first line */
	struct text to;
	size_t bytes;

	text_init(&to, text->screen);
	while (s < end) {
		n = text_character(s, &bytes);
		if (*s == '\033')
			style = strncmp(s, plain, strlen(plain)) ? s : NULL;
		if (can_break(&word, s))
			place = (struct place){ s + strspn(s, " "), style, to.len };
		if (to.columns + n <= width || *s == ' ') {
			if (*s != '\033')
				pass(&word, *s);
			if (*s != ' ' || !broken || to.columns > indent)
				text_bytes(&to, s, bytes, n);
			s += bytes;
			continue;
		}
		if (!place.s) /* a word that is longer than a line */
			place = (struct place){ s, style, to.len };
		begin_line(&to, &place, indent);
		broken = true;
		s = place.s;
		style = place.style;
		place.s = NULL;
		word = (struct word){ 0 };
	}
	text_clear(text);
	text_bytes(text, to.s, to.len, to.columns);
	text_free(&to);
}

void text_paragraph(struct text *text)
{
	unsigned int width = text->screen->width;

	if (!width || width > PARAGRAPH)
		width = PARAGRAPH;
	if (text->columns > width)
		text_wrap(text, width);
	text_line(text);
}
