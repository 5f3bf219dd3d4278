// SPDX-License-Identifier: GPL-2.0-only
#include "output/digits.h"
#include "output/escape.h"
#include "output/invisible.h"
#include "output/unicode.h"
#include <string.h>

/* The code point of well-formed UTF-8. */
static wchar_t code_of(const unsigned char *s, size_t length)
{
	wchar_t code = length == 1 ? s[0] : s[0] & (0x7f >> length);
	size_t i;

	for (i = 1; i < length; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

/* How many bytes at the beginning need no look. */
static size_t unescaped(const char *s, size_t n, const char *special)
{
	size_t length = plain_length(s, n, '\\');
	const char *first;

	for (; length && *special; special++) {
		first = memchr(s, *special, length);
		if (first)
			length = (size_t)(first - s);
	}
	return length;
}

void text_escaped(struct text *text, const char *s, size_t n, const char *special)
{
	while (n) {
		const unsigned char *bytes = (const unsigned char *)s;
		size_t length = unescaped(s, n, special), i;

		if (length) {
			text_bytes(text, s, length, length);
			s += length;
			n -= length;
			continue;
		}
		length = utf8_length(bytes, n);
		if (length && *s != '\\' && !is_invisible(code_of(bytes, length)) &&
		    (!*s || !strchr(special, *s))) {
			text_bytes(text, s, length, 1);
		} else {
			length = length ? length : 1;
			for (i = 0; i < length; i++)
				text_escape(text, bytes[i]);
		}
		s += length;
		n -= length;
	}
}
