// SPDX-License-Identifier: GPL-2.0-only
/*
 * What distinguishes a command line from the others of its family: if a line stands for several, from these;
 * for a single process, from all of its program that were started by the same program.
 */
#include "output/message.h"
#include "views/tree/tree.h"
#include <stdlib.h>
#include <string.h>

struct family {
	uint32_t first; /* in the members */
	uint32_t count;
	struct family_words *words; /* NULL until they are needed */
};

struct families {
	uint32_t *of;	   /* of each row that is shown: its family */
	uint32_t *members; /* rows, family by family */
	struct family *all; /* [number - 1] */
	uint32_t count;
};

/* Some of the members, evenly, each of them if they are few. */
static void learn(struct tree_view *view, struct family_words *words, const uint32_t *members,
		  uint32_t count)
{
	uint32_t some = count < WORDS_SAMPLE ? count : WORDS_SAMPLE, i;

	for (i = 0; i < some; i++) {
		uint32_t member = members[(uint64_t)i * count / some];
		const struct proclife_node *node = view->rows.all[member].node;

		family_words_add(words, &view->words, node->args, node->args_bytes);
	}
}

static uint32_t program_of(struct numbers *bases, struct numbers *programs,
			   const struct proclife_node *node)
{
	const char *base = node_base(node);
	struct { uint64_t comm, base; } key = { (uintptr_t)node->comm, 0 };
	uint32_t number;

	if (base)
		key.base = number_of(bases, base, strlen(base) + 1);
	number = number_of(programs, &key, sizeof(key));
	if (!number || (base && !key.base))
		die_no_memory();
	return number;
}

/* Rows by the program that started them, and their own. */
static uint32_t number_families(struct tree_view *view, uint32_t *of)
{
	struct numbers bases = { 0 }, programs = { 0 }, families = { 0 };
	const struct rows *rows = &view->rows;
	uint32_t i, count;

	for (i = 1; i < rows->count; i++) {
		const struct proclife_node *node = rows->all[i].node, *parent = node->parent;
		uint32_t key[2];

		if (!rows->all[i].shown)
			continue;
		key[0] = parent ? program_of(&bases, &programs, parent) : 0;
		key[1] = program_of(&bases, &programs, node);
		of[i] = number_of(&families, key, sizeof(key));
		if (!of[i])
			die_no_memory();
	}
	count = families.count;
	numbers_free(&bases);
	numbers_free(&programs);
	numbers_free(&families);
	return count;
}

static struct families *families_new(struct tree_view *view)
{
	struct families *families = calloc(1, sizeof(*families));
	const struct rows *rows = &view->rows;
	uint32_t i, next = 0;

	if (!families)
		die_no_memory();
	families->of = calloc(rows->count, sizeof(*families->of));
	families->members = malloc(rows->count * sizeof(*families->members));
	if (!families->of || !families->members)
		die_no_memory();
	families->count = number_families(view, families->of);
	families->all = calloc(families->count + 1, sizeof(*families->all));
	if (!families->all)
		die_no_memory();
	for (i = 1; i < rows->count; i++)
		if (families->of[i])
			families->all[families->of[i] - 1].count++;
	for (i = 0; i < families->count; i++) {
		families->all[i].first = next;
		next += families->all[i].count;
		families->all[i].count = 0;
	}
	for (i = 1; i < rows->count; i++) {
		struct family *family = families->of[i] ? &families->all[families->of[i] - 1] : NULL;

		if (family)
			families->members[family->first + family->count++] = i;
	}
	return families;
}

void tree_families_free(struct families *families)
{
	uint32_t i;

	for (i = 0; families && i < families->count; i++) {
		if (families->all[i].words)
			family_words_free(families->all[i].words);
		free(families->all[i].words);
	}
	if (families) {
		free(families->of);
		free(families->members);
		free(families->all);
	}
	free(families);
}

bool tree_put_words(struct tree_view *view, struct text *line, const struct row *b,
		    unsigned int columns)
{
	struct family *family;

	if (!view->families)
		view->families = families_new(view);
	family = &view->families->all[view->families->of[b - view->rows.all] - 1];
	/* One that is alone shares nothing. */
	if (family->count < 2)
		return false;
	if (!family->words) {
		family->words = calloc(1, sizeof(*family->words));
		if (!family->words)
			die_no_memory();
		learn(view, family->words, view->families->members + family->first, family->count);
	}
	words_split(&view->words, family->words, b->node->args, b->node->args_bytes);
	return words_put(line, &view->words, columns);
}

void tree_put_slowest(struct tree_view *view, struct text *to, const struct row *b)
{
	const struct sums *sums = row_fold(&view->rows, b);
	const struct proclife_node *slowest = view->rows.all[sums->slowest].node;
	struct family_words words = { 0 };

	learn(view, &words, view->rows.members + sums->members, b->count);
	words_split(&view->words, &words, slowest->args, slowest->args_bytes);
	if (!words_put_first(to, &view->words))
		text_printf(to, "pid %u", slowest->tgid);
	family_words_free(&words);
}
