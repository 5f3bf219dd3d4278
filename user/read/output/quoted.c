// SPDX-License-Identifier: GPL-2.0-only
#include "output/format.h"
#include "output/message.h"
#include "output/quote.h"
#include "output/quoted.h"
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#define LONG 240 /* bytes: more would not be read in a message */

static const struct screen *messages(void)
{
	static struct screen screen;

	screen.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	return &screen;
}

/* Skips to the beginning of a UTF-8 character. */
static const char *next_character(const char *s)
{
	while ((*s & 0xc0) == 0x80)
		s++;
	return s;
}

const char *quoted(const char *s)
{
	static struct text texts[4], whole;
	static unsigned int turn;
	struct text *text = &texts[turn++ % 4];
	size_t length = strlen(s);

	text->screen = whole.screen = messages();
	text_clear(text);
	text_clear(&whole);
	if (length > LONG) {
		const char *middle = next_character(s + LONG / 2);

		text_bytes(&whole, s, (size_t)(middle - s), 0);
		text_draw(&whole, "…", "...");
		s = next_character(s + length - LONG / 2);
		length = strlen(s);
	}
	text_bytes(&whole, s, length, 0);
	text_word(text, whole.s, whole.len);
	return text->s;
}

void say_fault(const struct proclife_fault *fault)
{
	message("%s: %s", quoted(fault->path), fault->text);
}

/*
 * Each write is one message, so a line break in its middle comes from untrusted text. Backslashes
 * stay as they are, since quoted text has some.
 */
static ssize_t write_safe(void *cookie, const char *s, size_t n)
{
	const char *end = s + n - (n && s[n - 1] == '\n'), *piece;
	struct text text;

	(void)cookie;
	text_init(&text, messages());
	for (piece = s; piece < end; piece++) {
		const char *backslash = memchr(piece, '\\', (size_t)(end - piece));
		size_t length = (size_t)((backslash ? backslash : end) - piece);

		text_name(&text, piece, length);
		piece += length;
		if (piece < end)
			text_string(&text, "\\");
	}
	if (end < s + n)
		text_string(&text, "\n");
	if (write(STDERR_FILENO, text.s, text.len) < 0)
		n = 0;
	text_free(&text);
	return (ssize_t)n;
}

void quote_errors(bool safe)
{
	static FILE *real;

	if (safe) {
		FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_safe });

		if (!file)
			die_no_memory();
		setvbuf(file, NULL, _IONBF, 0);
		real = stderr;
		stderr = file;
	} else {
		fclose(stderr);
		stderr = real;
	}
}
