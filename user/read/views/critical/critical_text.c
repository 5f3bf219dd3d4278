// SPDX-License-Identifier: GPL-2.0-only
/* The chain as a table. */
#include "output/columns.h"
#include "output/cut.h"
#include "output/message.h"
#include "output/quote.h"
#include "output/wrap.h"
#include "views/critical/critical.h"
#include "views/share/path.h"
#include "views/share/words.h"
#include <stdlib.h>
#include <string.h>

/* The words that distinguish the command lines of one program. */
struct family {
	uint32_t comm;
	uint32_t members;
	struct family_words words;
};

struct table {
	struct critical *critical;
	struct text text;
	struct text scratch;
	struct critical_lines lines;
	struct line_words words;
	struct family families[CRITICAL_LINES];
	uint32_t family_count;
};

/*
 * What stands in them
 */

enum column { AT, TIME, SHARE, BESIDE, SAVES, BY, COLUMNS };

static const struct ranked_column columns[COLUMNS] = {
	[AT] = { "AT", 8, 1 },	       [TIME] = { "TIME", 8, 0 },   [SHARE] = { "SHARE", 6, 0 },
	[BESIDE] = { "BESIDE", 6, 3 }, [SAVES] = { "SAVES", 8, 2 }, [BY] = { "BY", 5, 4 },
};

#define COMMAND_COLUMNS 24 /* at least */

/* The columns that are left on a line; 0 for any. */
static unsigned int room_in(const struct text *text)
{
	unsigned int width = text->screen->width;

	return !width ? 0 : width > text->columns + 1 ? width - text->columns : 1;
}

/* All steps of a line as one. */
static struct critical_step sum_of(const struct critical *critical, const struct critical_line *line)
{
	struct critical_step sum = critical->steps[line->first];
	uint64_t slots = 0;
	uint32_t i;

	for (i = line->first; i < line->first + line->count; i++) {
		const struct critical_step *step = &critical->steps[i];

		slots += step->slots ? critical_time(step) : 0;
		if (i == line->first)
			continue;
		sum.beside += step->beside;
		sum.busy += step->busy;
		sum.saves += step->saves;
		sum.to = step->to;
	}
	sum.slots = 2 * slots > critical_time(&sum);
	return sum;
}

static double percent(const struct critical *critical, uint64_t time)
{
	return 100.0 * (double)time / (double)(critical->to - critical->from);
}

static void put_share(struct text *text, const struct critical *critical, uint64_t time)
{
	text_printf(text, "%5.1f%%", percent(critical, time));
}

static void put_figure(struct text *text, const struct critical *critical,
		       const struct critical_step *sum, enum column column)
{
	static const char *const by[] = {
		[CRITICAL_BY_ORDER] = "",
		[CRITICAL_BY_SLOTS] = "slots",
		[CRITICAL_BY_CPUS] = "CPUs",
	};
	unsigned int width = columns[column].width;

	switch (column) {
	case AT:
		text_time_in(text, width, sum->from - critical->from);
		return;
	case TIME:
		text_time_in(text, width, critical_time(sum));
		return;
	case SHARE:
		put_share(text, critical, critical_time(sum));
		return;
	case BESIDE:
		text_printf(text, "%*.1f", (int)width, (double)sum->beside / (double)critical_time(sum));
		return;
	case SAVES:
		text_time_in(text, width, sum->saves);
		return;
	case BY:
		text_printf(text, "%-*s", (int)width, by[critical_by(sum)]);
		return;
	case COLUMNS:
		return;
	}
}

static const char *name_of(const struct critical *critical, uint32_t number)
{
	const struct kin_life *life = &critical->kin.all[number];
	const char *path = kin_text(&critical->kin, life->path, NULL);

	return path ? path_base(path) : kin_text(&critical->kin, life->comm, NULL);
}

/* Returns how many of the arguments are the name's. */
static unsigned int put_name(const struct critical *critical, uint32_t number, struct text *text)
{
	const struct kin_life *life = &critical->kin.all[number];
	struct command command = {
		.path = kin_text(&critical->kin, life->path, NULL), .cut = life->args_cut, .script = life->script,
	};

	command.args = kin_text(&critical->kin, life->args, &command.bytes);
	if (!command.path || !command.args) {
		text_label(text, name_of(critical, number), SIZE_MAX);
		return 1;
	}
	text_command(text, &command);
	return command_skip(&command);
}

static struct family *family_of(struct table *table, uint32_t comm)
{
	const struct kin *kin = &table->critical->kin;
	uint32_t i, members = 0, every;
	struct family *family;

	for (i = 0; i < table->family_count; i++)
		if (table->families[i].comm == comm)
			return &table->families[i];
	if (i == CRITICAL_LINES)
		return NULL;
	family = &table->families[table->family_count++];
	family->comm = comm;
	for (i = 0; i < kin->count; i++)
		members += kin->all[i].comm == comm && kin->all[i].args;
	family->members = members;
	every = members / WORDS_SAMPLE + 1;
	for (i = 0; i < kin->count; i++) {
		const struct kin_life *life = &kin->all[i];
		const char *args;
		uint32_t bytes;

		if (life->comm != comm || !life->args || --members % every)
			continue;
		args = kin_text(kin, life->args, &bytes);
		family_words_add(&family->words, &table->words, args, bytes);
	}
	return family;
}

/* The program and its arguments; if these are too long, those that distinguish it from others. */
static void put_command(struct table *table, uint32_t number)
{
	const struct critical *critical = table->critical;
	const struct kin_life *life = &critical->kin.all[number];
	struct text *text = &table->text, *scratch = &table->scratch;
	unsigned int room = room_in(text), skip;
	struct family *family;
	const char *args;
	uint32_t bytes;

	args = kin_text(&critical->kin, life->args, &bytes);
	text_clear(scratch);
	skip = put_name(critical, number, scratch);
	if (args)
		text_args(scratch, args, bytes, life->args_cut, skip);
	if (!room || scratch->columns <= room || !args) {
		text_in(text, scratch, room);
		return;
	}
	text_clear(scratch);
	put_name(critical, number, scratch);
	text_in(text, scratch, room > 1 ? room - 1 : room);
	room = room_in(text);
	family = family_of(table, life->comm);
	if (family && family->members > 1) {
		words_split(&table->words, &family->words, args, bytes);
		if (words_put(text, &table->words, room))
			return;
	}
	text_clear(scratch);
	text_args(scratch, args, bytes, life->args_cut, skip);
	text_in(text, scratch, room);
}

/* The steps of a line, by their program. */
struct part {
	uint64_t id; /* the number of its name */
	uint64_t time;
	uint32_t count;
	uint32_t life; /* the first of them */
};

static struct part *next_part(const struct id_table *parts)
{
	struct part *all = (struct part *)(void *)parts->entries, *best = NULL;
	size_t i;

	for (i = 0; i < parts->slots; i++)
		if (all[i].id && all[i].count &&
		    (!best || all[i].time > best->time ||
		     (all[i].time == best->time && all[i].id < best->id)))
			best = &all[i];
	return best;
}

#define MOST_PARTS 5

static void sum_parts(struct id_table *parts, const struct critical *critical,
		      const struct critical_line *line)
{
	uint32_t i;

	id_table_init(parts, sizeof(struct part));
	for (i = line->first; i < line->first + line->count; i++) {
		uint32_t life = critical->steps[i].life;
		struct part *part = id_table_add(parts, critical->kin.all[life].comm);

		part->life = part->count ? part->life : life;
		part->time += critical_time(&critical->steps[i]);
		part->count++;
	}
}

/* "312 steps: cc1 ×81, as ×80, sh ×151"; with @shares "cc1 81.2%, as 10.3%" */
static void put_parts(struct table *table, const struct critical_line *line, bool shares)
{
	const struct critical *critical = table->critical;
	struct text *text = &table->text, *scratch = &table->scratch;
	struct id_table parts;
	struct part *part;
	size_t shown;

	sum_parts(&parts, critical, line);
	text_clear(scratch);
	text_string(scratch, "");
	if (!shares)
		text_plural(scratch, line->count, "step: ", "steps: ");
	for (shown = 0; shown < MOST_PARTS && (part = next_part(&parts)); shown++) {
		text_string(scratch, shown ? ", " : "");
		text_label(scratch, name_of(critical, part->life), SIZE_MAX);
		if (shares) {
			text_printf(scratch, " %.1f%%", percent(critical, part->time));
		} else if (part->count > 1) {
			text_draw(scratch, " ×", " x");
			text_count(scratch, part->count);
		}
		part->count = 0;
	}
	if (parts.used > shown)
		text_printf(scratch, ", %zu more", parts.used - shown);
	text_in(text, scratch, room_in(text));
	id_table_free(&parts);
}

static void put_line(struct table *table, const struct critical_line *line, unsigned int rank)
{
	const struct critical *critical = table->critical;
	struct critical_step sum = sum_of(critical, line);
	struct text *text = &table->text;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		if (columns[i].rank > rank)
			continue;
		put_figure(text, critical, &sum, i);
		text_string(text, " ");
	}
	if (line->count > 1)
		put_parts(table, line, false);
	else
		put_command(table, critical->steps[line->first].life);
	text_line(text);
}

static void put_head(struct text *text, unsigned int rank)
{
	unsigned int i;

	text_style(text, STYLE_HEAD);
	for (i = 0; i < COLUMNS; i++)
		if (columns[i].rank <= rank)
			text_printf(text, i == BY ? "%-*s " : "%*s ", (int)columns[i].width,
				    columns[i].title);
	text_string(text, "COMMAND");
	text_style(text, STYLE_PLAIN);
	text_line(text);
}

/*
 * What is said of it
 */

static void put_root(struct table *table)
{
	const struct critical *critical = table->critical;
	const struct kin_life *root = &critical->kin.all[critical->root];
	struct text *text = &table->text, *said = &table->scratch, name;
	unsigned int room, skip;

	text_clear(said);
	text_string(said, " (");
	text_uint(said, root->tgid);
	text_string(said, "): ");
	text_time(said, critical->to - critical->from);
	text_string(said, root->born == critical->from && !root->older ? " from fork to " : " to ");
	text_string(said, root->open ? "the end of what is seen, where it lives on" : "exit");
	text_init(&name, text->screen);
	skip = put_name(critical, critical->root, &name);
	if (root->args) {
		uint32_t bytes;
		const char *args = kin_text(&critical->kin, root->args, &bytes);

		text_args(&name, args, bytes, root->args_cut, skip);
	}
	room = room_in(text);
	text_in(text, &name, !room ? 0 : room > said->columns + 4 ? room - said->columns : 4);
	text_bytes(text, said->s, said->len, said->columns);
	text_free(&name);
	text_line(text);
	if (critical->candidates > 1) {
		text_string(text, "That is the longest of ");
		text_count(text, critical->candidates);
		text_string(text, root->open ? " that began" : " that ended");
		text_string(text, "; --pid chooses another one.");
		text_paragraph(text);
	}
	text_line(text);
}

static void put_rest(struct table *table)
{
	const struct critical *critical = table->critical;
	struct text *text = &table->text;

	if (table->lines.count == critical->count)
		return;
	if (table->lines.rest_steps) {
		text_count(text, table->lines.rest_steps);
		text_string(text, " steps between them are too short to be shown, ");
		text_time(text, table->lines.rest);
		text_string(text, " together.");
		text_paragraph(text);
	}
	text_string(text, "--no-fold shows all ");
	text_plural(text, critical->count, "step", "steps");
	text_paragraph(text);
	text_line(text);
	text_string(text, "By program: ");
	put_parts(table, &(struct critical_line){ 0, critical->count }, true);
	text_line(text);
}

static void put_slots(struct text *text, const struct critical *critical, uint64_t time)
{
	if (!time)
		return;
	put_share(text, critical, time);
	text_string(text, " slots: while as many children lived as ever, up to ");
	text_count(text, critical->slots);
	text_string(text, ", as with -j");
	text_count(text, critical->slots);
	text_string(text, ".");
	text_paragraph(text);
}

static void put_cpus(struct text *text, const struct critical *critical, uint64_t time)
{
	if (!time)
		return;
	put_share(text, critical, time);
	text_string(text, " CPUs: all ");
	text_count(text, critical->cpus);
	text_string(text, " were busy, by an estimate: then the order hardly matters.");
	text_paragraph(text);
}

/* What held the chain up, in all. */
static void put_reasons(struct table *table)
{
	const struct critical *critical = table->critical;
	uint64_t time[3] = { 0 };
	uint32_t i;

	for (i = 0; i < critical->count; i++)
		time[critical_by(&critical->steps[i])] += critical_time(&critical->steps[i]);
	put_slots(&table->text, critical, time[CRITICAL_BY_SLOTS]);
	put_cpus(&table->text, critical, time[CRITICAL_BY_CPUS]);
}

static void put_method(struct table *table)
{
	struct text *text = &table->text;

	text_style(text, STYLE_DIM);
	text_string(text, "Inferred: a fork or an exit waited for the child that ended last before it. "
			  "Pipes, locks and job servers are not seen. SAVES: if the step took no time, at "
			  "most, up to the next to wait for. BESIDE: others without children, on average.");
	text_style(text, STYLE_PLAIN);
	text_paragraph(text);
}

static void put_incomplete(struct table *table)
{
	const struct critical *critical = table->critical;
	struct text *text = &table->text;

	if (!critical->incomplete)
		return;
	text_style(text, STYLE_BAD);
	text_count(text, critical->incomplete);
	text_string(text, " of ");
	text_plural(text, critical->lives, "life is", "lives are");
	text_string(text, " incomplete: the chain can be another one.");
	text_style(text, STYLE_PLAIN);
	text_paragraph(text);
}

static void put_table(struct table *table)
{
	unsigned int rank = columns_rank(columns, COLUMNS, 1 + COMMAND_COLUMNS, table->text.screen->width);
	uint32_t i;

	critical_choose_lines(&table->lines, table->critical);
	put_root(table);
	put_head(&table->text, rank);
	for (i = 0; i < table->lines.count; i++)
		put_line(table, &table->lines.all[i], rank);
	put_rest(table);
	if (table->lines.count == table->critical->count)
		text_line(&table->text);
	put_reasons(table);
	put_incomplete(table);
	put_method(table);
}

void critical_print_text(struct critical *critical)
{
	struct table table = { .critical = critical };
	uint32_t i;

	text_init(&table.text, critical->run->screen);
	text_init(&table.scratch, critical->run->screen);
	if (critical->root == NOBODY) {
		text_string(&table.text, "No process began or ended: there is nothing to explain.");
		text_line(&table.text);
	} else {
		put_table(&table);
	}
	for (i = 0; i < table.family_count; i++)
		family_words_free(&table.families[i].words);
	words_free(&table.words);
	free(table.lines.all);
	text_free(&table.text);
	text_free(&table.scratch);
}
