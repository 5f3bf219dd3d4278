/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --html: page.c collects lives, page_rows.c decides which of them are rows of the page, page_fold.c
 * what becomes of too many, page_columns.c packs them, page_texts.c their texts, page_facts.c says
 * the rest as JSON, and page_file.c puts the page together, from its parts in page/.
 */
#ifndef READ_PAGE_H
#define READ_PAGE_H

#include "output/packed.h"
#include "views/critical/critical.h"
#include "views/share/id_table.h"
#include "views/share/numbers.h"
#include "views/summary/summary.h"
#include "views/views.h"
#include <locale.h>

#define PAGE_ROWS 150000 /* more than that are folded: a browser stays quick */
#define PAGE_GAPS 1000	 /* more than that are only counted */
#define PAGE_RECENT 64	 /* words that were used last have short numbers */

/* What the page says of a life besides what critical.kin has of it, under the same index. */
struct page_life {
	uint64_t id;
	union {
		uint64_t parent_id;
		uint32_t parent; /* the index, or NOBODY, once they are linked */
	};
	uint64_t before; /* how long it had lived when it was first seen; 0: it was born then, or that is not known */
	struct proclife_marks marks;
	uint64_t lived_to; /* see process_last_lived() */
	uint64_t killed;
	uint64_t traced; /* when a tracer was notified */
	uint64_t left; /* of its memory: as in struct proclife_memory */
	uint64_t teardown;
	uint64_t gone;
	struct proclife_births births;
	uint64_t waited; /* ns for a CPU */
	uint64_t mapped; /* KiB */
	uint64_t cgroup;
	uint32_t end; /* number of a text of page->ends; 0: none */
	uint32_t parent_tgid;
	uint32_t creator_tgid;
	uint32_t reaper_tgid;
	uint32_t uid;
	uint32_t threads;
	uint32_t execs;
	uint32_t max_rss; /* KiB */
	int32_t exit_code;
	uint16_t cpu;
	uint8_t state;
	bool ended : 1; /* these three as --summary counts */
	bool failed : 1;
	bool unsure : 1;
	bool notified_lost : 1;
	bool tracer_lost : 1;
	bool cpu_known : 1;
	bool waited_known : 1;
	bool has_uid : 1;
	bool shown : 1;	  /* the filter matches it */
	bool context : 1; /* it is there for what is below it */
};

/* A row that stands for several lives: the one that it has the record of is the longest. */
struct page_fold {
	uint32_t row;
	uint32_t count;
	uint32_t ended;
	uint32_t failed;
	uint32_t unsure;
	uint32_t max_rss;
	uint64_t runtime;
	uint64_t first; /* birth */
	uint64_t last;	/* exit, or the end of the trace */
};

/* A phase of a life that goes on at the end of the trace. */
struct page_phase {
	uint64_t id; /* of the life */
	uint64_t since;
	enum proclife_phase phase;
};

struct page {
	struct run *run;
	locale_t locale; /* in which a page is written: with UTF-8, wherever the program runs */
	struct critical critical; /* it has the texts, too */
	struct summary summary;
	struct page_life *all; /* by id, once they are linked */
	uint32_t count;
	uint32_t room;
	struct numbers ends; /* what is said of how they ended */
	struct id_table open; /* lives whose memory is not gone yet */
	struct page_phase *phases;
	uint32_t phase_count;
	uint32_t phase_room;
	bool goes_on[PROCLIFE_PHASES]; /* does the phase, of some life? */
	struct proclife_gap *gaps;
	uint32_t gap_count;
	uint64_t more_gaps;
	uint64_t begin; /* times are written as since then */
	/* Once they are chosen: */
	uint32_t *rows; /* lives, in the order of their ids */
	uint32_t row_count;
	uint32_t *row_of; /* of each life, the row that it is in; NOBODY: none */
	struct page_fold *folds; /* by row */
	uint32_t fold_count;
	uint32_t folded; /* lives that have no row of their own */
};

static inline const struct kin_life *page_kin(const struct page *page, const struct page_life *life)
{
	return &page->critical.kin.all[life - page->all];
}

/* As number_of(); running out of memory ends the program. */
uint32_t page_number(struct numbers *numbers, const void *bytes, size_t n);

/* How long it lived, or has lived by the end of the trace. */
uint64_t page_life_time(const struct page *page, const struct page_life *life);

/* Where the page begins; it ends at run_to(). */
uint64_t page_from(const struct run *run);

/* Links the lives, and makes rows of them, @most or fewer. */
void page_choose_rows(struct page *page, uint32_t most);
/* Gives `row_of` to the lives in @order, parents before their children. */
void page_fold(struct page *page, const uint32_t *order, uint32_t count, uint32_t most);

/* A time as it is on the page, from page->begin on; 0 is "none" or the beginning. */
uint64_t page_time(const struct page *page, uint64_t ts);

/*
 * Texts as they are shown: printable, and valid UTF-8. Numbers are from 1 on; 0: none.
 */
struct page_texts {
	struct page *page;
	struct screen screen;
	struct text text;
	struct numbers shown; /* all but command lines */
	uint32_t *shown_of;   /* of each text of kin; 0: not yet */
	uint32_t *line_of;    /* the same of command lines */
	struct numbers words; /* of these */
	struct packed lines;
	uint32_t line_count;
	struct id_table latest; /* of each program, its last line */
	uint32_t recent[PAGE_RECENT]; /* words; 0: none */
	uint32_t recent_at;
	uint32_t *line; /* the words of the one at hand */
	size_t word_count;
	size_t word_room;
};

void page_texts_init(struct page_texts *texts, struct page *page);
void page_texts_free(struct page_texts *texts);
uint32_t page_string(struct page_texts *texts, const char *s);
/* A text of kin: a name or a path. */
uint32_t page_name(struct page_texts *texts, uint32_t number);
/* Its command line. */
uint32_t page_args(struct page_texts *texts, const struct kin_life *life);
uint32_t page_end(struct page_texts *texts, const struct page_life *life);
uint32_t page_user(struct page_texts *texts, const struct page_life *life);
uint32_t page_cgroup(struct page_texts *texts, uint64_t cgroup);
void page_texts_pack(const struct page_texts *texts, struct packed *to);

/* The rows, and the critical path; their texts get numbers. */
void page_columns_pack(struct page *page, struct page_texts *texts, struct packed *to);

/* Everything else, as one line of JSON. */
void page_facts_print(const struct page *page, struct page_texts *texts, FILE *out);

/* The whole page. */
void page_print(struct page *page, FILE *out);

#endif
