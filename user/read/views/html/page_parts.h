/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of page/, which are part of the program; the scripts in the order in which they run. */
#ifndef READ_PAGE_PARTS_H
#define READ_PAGE_PARTS_H

#include <stddef.h>

enum page_part {
	PAGE_HEAD,
	PAGE_STYLE,
	PAGE_BODY,
	PAGE_FIRST_SCRIPT,
	PAGE_DATA = PAGE_FIRST_SCRIPT,
	PAGE_FORMAT,
	PAGE_WORDS,
	PAGE_LIVES,
	PAGE_DOM,
	PAGE_DETAIL,
	PAGE_LIST,
	PAGE_HEADER,
	PAGE_PROGRAMS,
	PAGE_TABLE,
	PAGE_LANES,
	PAGE_PAINT,
	PAGE_TIMELINE,
	PAGE_OVERVIEW,
	PAGE_TREE,
	PAGE_PHASES,
	PAGE_CRITICAL,
	PAGE_MAIN,
	PAGE_PARTS,
};

const char *page_part(enum page_part part, size_t *size);

#endif
