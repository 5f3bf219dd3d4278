/* SPDX-License-Identifier: GPL-2.0-only */
/* Colour: only what matters has one, such as what failed. */
#ifndef READ_COLOR_H
#define READ_COLOR_H

#include <stdbool.h>
#include <stddef.h>

struct text;

/* The values of --color. */
enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
	COLORS,
};

/* For what is written to this descriptor. */
bool color_is_on(enum color color, int fd);

enum style {
	STYLE_PLAIN,
	STYLE_DIM,  /* what can be passed over */
	STYLE_BOLD, /* a sum */
	STYLE_HEAD, /* titles of columns */
	STYLE_GOOD,
	STYLE_WARN, /* not over yet, such as a zombie */
	STYLE_BAD,  /* failed, lost, incomplete */
};

/* Appends what begins a style, up to the next one; a line has to end in STYLE_PLAIN. */
void text_style(struct text *text, enum style style);

/* The bytes that STYLE_PLAIN took, if the text ends in it; or 0. */
size_t text_plain_end(const struct text *text);

#endif
