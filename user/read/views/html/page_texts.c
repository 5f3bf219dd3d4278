// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names once each, and command lines as words: each word once, and for a line, what differs from the
 * line of the same program before it. A build's command lines are hundreds of bytes long,
 * nearly all of which were in the one before.
 *
 * A line is packed as how many lines to go back (0: there is none like it), how many words it has, and
 * then, until it has them: how many words the other line has, too, at the same place there; and if
 * more are missing, SKIP: how many words of the other line are left out << 4 | how many others are put
 * in, which follow. Each is one of the RECENT last ones that were put in, 0 being the very last, or the
 * number of a word, from RECENT on.
 */
#include "output/array.h"
#include "output/message.h"
#include "output/quote.h"
#include "views/html/page.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 8 /* words: how far a line is searched for where it is like the other one again */
#define MOST_WORDS 15 /* that are put in at once */

struct page_line {
	uint64_t program; /* its name or path */
	uint32_t *words;
	uint32_t count;
	uint32_t number; /* of the line */
};

void page_texts_init(struct page_texts *texts, struct page *page)
{
	const struct numbers *raw = &page->critical.kin.texts;

	memset(texts, 0, sizeof(*texts));
	texts->page = page;
	texts->screen.utf8 = true;
	text_init(&texts->text, &texts->screen);
	id_table_init(&texts->latest, sizeof(struct page_line));
	texts->shown_of = calloc((size_t)raw->count + 1, sizeof(*texts->shown_of));
	texts->line_of = calloc((size_t)raw->count + 1, sizeof(*texts->line_of));
	if (!texts->shown_of || !texts->line_of)
		die_no_memory();
}

void page_texts_free(struct page_texts *texts)
{
	struct page_line *lines = (void *)texts->latest.entries;
	size_t i;

	for (i = 0; i < texts->latest.slots; i++)
		free(lines[i].words);
	id_table_free(&texts->latest);
	numbers_free(&texts->shown);
	numbers_free(&texts->words);
	packed_free(&texts->lines);
	text_free(&texts->text);
	free(texts->shown_of);
	free(texts->line_of);
	free(texts->line);
}

static struct text *begin(struct page_texts *texts)
{
	text_clear(&texts->text);
	text_string(&texts->text, "");
	return &texts->text;
}

uint32_t page_number(struct numbers *numbers, const void *bytes, size_t n)
{
	uint32_t number = number_of(numbers, bytes, n);

	if (!number)
		die_no_memory();
	return number;
}

/* What the text at hand says. */
static uint32_t shown(struct page_texts *texts)
{
	return page_number(&texts->shown, texts->text.s, texts->text.len);
}

uint32_t page_string(struct page_texts *texts, const char *s)
{
	text_label(begin(texts), s, SIZE_MAX);
	return shown(texts);
}

uint32_t page_name(struct page_texts *texts, uint32_t raw)
{
	const char *s = kin_text(&texts->page->critical.kin, raw, NULL);

	if (s && !texts->shown_of[raw])
		texts->shown_of[raw] = page_string(texts, s);
	return s ? texts->shown_of[raw] : 0;
}

uint32_t page_end(struct page_texts *texts, const struct page_life *life)
{
	const struct numbers *ends = &texts->page->ends;
	const struct numbered *end = life->end ? &ends->all[life->end - 1] : NULL;

	return end ? page_number(&texts->shown, ends->bytes + end->at, end->length) : 0;
}

uint32_t page_user(struct page_texts *texts, const struct page_life *life)
{
	if (!life->has_uid)
		return 0;
	text_user(begin(texts), texts->page->run, life->uid);
	return shown(texts);
}

uint32_t page_cgroup(struct page_texts *texts, uint64_t cgroup)
{
	if (!cgroup)
		return 0;
	text_cgroup(begin(texts), texts->page->run, cgroup);
	return shown(texts);
}

/*
 * Command lines
 */

static void add_word(struct page_texts *texts, const char *s, size_t n)
{
	ARRAY_GROW(texts->line, texts->word_count, texts->word_room);
	texts->line[texts->word_count++] = page_number(&texts->words, s, n);
}

/* Behind each character that no name has, so that names are words. */
static void split(struct page_texts *texts, const char *s, size_t n)
{
	size_t i, begin = 0;

	texts->word_count = 0;
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (isalnum(c) || c == '_' || c == '-' || c >= 0x80)
			continue;
		add_word(texts, s + begin, i + 1 - begin);
		begin = i + 1;
	}
	if (begin < n)
		add_word(texts, s + begin, n - begin);
}

static void put_word(struct page_texts *texts, uint32_t word)
{
	uint32_t back;

	for (back = 0; back < PAGE_RECENT; back++)
		if (texts->recent[(texts->recent_at - 1 - back) % PAGE_RECENT] == word)
			break;
	if (back < PAGE_RECENT) {
		packed_uint(&texts->lines, back);
		return;
	}
	packed_uint(&texts->lines, PAGE_RECENT + word - 1);
	texts->recent[texts->recent_at++ % PAGE_RECENT] = word;
}

struct place {
	uint32_t other; /* in the other line */
	uint32_t own;
};

static bool is_like(const struct page_texts *texts, const struct page_line *other, uint32_t i, uint32_t k)
{
	return i < other->count && k < texts->word_count && other->words[i] == texts->line[k];
}

/* From where on the lines are alike again: two words, or to the end; otherwise, as far as was searched. */
static struct place meet(const struct page_texts *texts, const struct page_line *other, struct place at)
{
	uint32_t sum, skip, own;

	for (sum = 1; sum <= WINDOW; sum++) {
		for (skip = 0; skip <= sum; skip++) {
			struct place next = { at.other + skip, at.own + sum - skip };

			if (!is_like(texts, other, next.other, next.own))
				continue;
			if (is_like(texts, other, next.other + 1, next.own + 1) ||
			    next.own + 1 == texts->word_count)
				return next;
		}
	}
	own = (uint32_t)texts->word_count - at.own;
	own = own < WINDOW ? own : WINDOW;
	return (struct place){ at.other + own < other->count ? at.other + own : other->count, at.own + own };
}

static void put_line(struct page_texts *texts, const struct page_line *other)
{
	struct place at = { 0, 0 }, next, same;

	packed_uint(&texts->lines, other->number ? texts->line_count + 1 - other->number : 0);
	packed_uint(&texts->lines, texts->word_count);
	while (at.own < texts->word_count) {
		for (same = at; is_like(texts, other, same.other, same.own); same.other++, same.own++)
			;
		packed_uint(&texts->lines, same.own - at.own);
		if (same.own == texts->word_count)
			return;
		next = meet(texts, other, same);
		packed_uint(&texts->lines, (next.other - same.other) << 4 | (next.own - same.own));
		for (at = same; at.own < next.own; at.own++)
			put_word(texts, texts->line[at.own]);
		at = next;
	}
}

static void keep_line(struct page_texts *texts, struct page_line *line)
{
	line->count = (uint32_t)texts->word_count;
	line->number = ++texts->line_count;
	line->words = reallocarray(line->words, texts->word_count + 1, sizeof(*line->words));
	if (!line->words)
		die_no_memory();
	if (texts->word_count) /* there may be no line as yet */
		memcpy(line->words, texts->line, texts->word_count * sizeof(*line->words));
}

uint32_t page_args(struct page_texts *texts, const struct kin_life *life)
{
	uint32_t raw = life->args, bytes;
	struct page_line *line;
	const char *s = kin_text(&texts->page->critical.kin, raw, &bytes);
	struct text *text = begin(texts);

	if (!s || texts->line_of[raw])
		return s ? texts->line_of[raw] : 0;
	text_args(text, s, bytes, false, 0);
	split(texts, text->s, text->len);
	line = id_table_add(&texts->latest, life->path ? life->path : life->comm);
	put_line(texts, line);
	keep_line(texts, line);
	texts->line_of[raw] = texts->line_count;
	return texts->line_count;
}

static void pack_all(struct packed *to, const struct numbers *numbers)
{
	uint32_t i;

	packed_uint(to, numbers->count);
	for (i = 0; i < numbers->count; i++)
		packed_uint(to, numbers->all[i].length);
	packed_bytes(to, numbers->bytes, numbers->used);
}

void page_texts_pack(const struct page_texts *texts, struct packed *to)
{
	pack_all(to, &texts->shown);
	pack_all(to, &texts->words);
	packed_uint(to, texts->line_count);
	packed_packed(to, &texts->lines);
}
