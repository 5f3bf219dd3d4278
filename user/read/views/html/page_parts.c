// SPDX-License-Identifier: GPL-2.0-only
#include "views/html/page_parts.h"

/* The assembler takes a file's bytes as they are; it runs where the compiler does, at the top. */
#define PART(part, file) \
	extern const char page_begin_##part[], page_end_##part[]; \
	__asm__(".pushsection .rodata\n" \
		".globl page_begin_" #part ", page_end_" #part "\n" \
		"page_begin_" #part ": .incbin \"user/read/views/html/page/" file "\"\n" \
		"page_end_" #part ":\n" \
		".popsection\n")

PART(HEAD, "head.html");
PART(STYLE, "style.css");
PART(BODY, "body.html");
PART(DATA, "data.js");
PART(FORMAT, "format.js");
PART(WORDS, "words.js");
PART(LIVES, "lives.js");
PART(DOM, "dom.js");
PART(DETAIL, "detail.js");
PART(LIST, "list.js");
PART(HEADER, "header.js");
PART(PROGRAMS, "programs.js");
PART(TABLE, "table.js");
PART(LANES, "lanes.js");
PART(PAINT, "paint.js");
PART(TIMELINE, "timeline.js");
PART(OVERVIEW, "overview.js");
PART(TREE, "tree.js");
PART(PHASES, "phases.js");
PART(CRITICAL, "critical.js");
PART(MAIN, "main.js");

#define WHERE(part) [PAGE_##part] = { page_begin_##part, page_end_##part }

const char *page_part(enum page_part part, size_t *size)
{
	static const struct {
		const char *begin;
		const char *end;
	} parts[PAGE_PARTS] = {
		WHERE(HEAD), WHERE(STYLE), WHERE(BODY), WHERE(DATA), WHERE(FORMAT), WHERE(WORDS), WHERE(LIVES),
		WHERE(DOM), WHERE(DETAIL), WHERE(LIST), WHERE(HEADER), WHERE(PROGRAMS), WHERE(TABLE),
		WHERE(LANES), WHERE(PAINT), WHERE(TIMELINE), WHERE(OVERVIEW), WHERE(TREE),
		WHERE(PHASES), WHERE(CRITICAL), WHERE(MAIN),
	};

	*size = (size_t)(parts[part].end - parts[part].begin);
	return parts[part].begin;
}
