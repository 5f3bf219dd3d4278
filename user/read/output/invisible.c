// SPDX-License-Identifier: GPL-2.0-only
#include "output/invisible.h"
#include <stddef.h>
#include <stdint.h>

/*
 * Unicode 16: the property Default_Ignorable_Code_Point (DerivedCoreProperties.txt), the general
 * categories Cc, Cf, Co, Cs, Zl and Zp (UnicodeData.txt) and Noncharacter_Code_Point
 * (PropList.txt). The last two code points of each plane are noncharacters; they are tested for
 * without the table. Added here: the object replacement character, and two that are blank although
 * they are symbols.
 */
static const struct range {
	uint32_t first;
	uint32_t last;
} ranges[] = {
	{ 0x0000, 0x001f },	/* Cc */
	{ 0x007f, 0x009f },	/* Cc */
	{ 0x00ad, 0x00ad },	/* soft hyphen */
	{ 0x034f, 0x034f },	/* combining grapheme joiner */
	{ 0x0600, 0x0605 },	/* Cf: Arabic signs that enclose what follows */
	{ 0x061c, 0x061c },	/* Arabic letter mark: direction */
	{ 0x06dd, 0x06dd },	/* Cf: end of ayah */
	{ 0x070f, 0x070f },	/* Cf: Syriac abbreviation */
	{ 0x0890, 0x0891 },	/* Cf: Arabic signs */
	{ 0x08e2, 0x08e2 },	/* Cf: disputed end of ayah */
	{ 0x115f, 0x1160 },	/* Hangul fillers */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian variation selectors, vowel separator */
	{ 0x200b, 0x200f },	/* zero width, direction */
	{ 0x2028, 0x202e },	/* Zl, Zp, direction */
	{ 0x2060, 0x206f },	/* word joiner, invisible operators, isolates, and not assigned */
	{ 0x2800, 0x2800 },	/* a pattern of Braille without dots */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xd800, 0xf8ff },	/* Cs, Co */
	{ 0xfdd0, 0xfdef },	/* noncharacters */
	{ 0xfe00, 0xfe0f },	/* variation selectors */
	{ 0xfeff, 0xfeff },	/* byte order mark */
	{ 0xffa0, 0xffa0 },	/* half-width Hangul filler */
	{ 0xfff0, 0xfffc },	/* not assigned, interlinear annotation, replacement of an object */
	{ 0x110bd, 0x110bd },	/* Cf: Kaithi number sign */
	{ 0x110cd, 0x110cd },	/* Cf: Kaithi number sign above */
	{ 0x13430, 0x1343f },	/* Cf: how Egyptian hieroglyphs are joined */
	{ 0x1bca0, 0x1bca3 },	/* Cf: how shorthand is joined */
	{ 0x1d159, 0x1d159 },	/* the notehead that is none */
	{ 0x1d173, 0x1d17a },	/* Cf: beams and slurs */
	{ 0xe0000, 0xe0fff },	/* tags, variation selectors, and not assigned */
	{ 0xf0000, 0x10ffff },	/* Co, and noncharacters */
};

bool is_invisible(wchar_t c)
{
	uint32_t code = (uint32_t)c;
	size_t low = 0, high = sizeof(ranges) / sizeof(ranges[0]);

	if ((code & 0xfffe) == 0xfffe)
		return true;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code > ranges[middle].last)
			low = middle + 1;
		else if (code < ranges[middle].first)
			high = middle;
		else
			return true;
	}
	return false;
}
