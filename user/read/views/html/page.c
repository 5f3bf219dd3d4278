// SPDX-License-Identifier: GPL-2.0-only
/* --html: all lives are collected, and written as one page for browsers at the end. */
#include "output/array.h"
#include "output/message.h"
#include "output/quote.h"
#include "output/replace.h"
#include "views/share/life.h"
#include "views/share/ended.h"
#include "views/share/lived.h"
#include "views/share/memory.h"
#include "views/html/page.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whose memory is not gone yet. */
struct open_memory {
	uint64_t id;
	uint32_t life;
};

static struct page_life *add(struct page *page)
{
	if (page->count >= NOBODY / 3 * 2)
		die_no_memory();
	ARRAY_GROW(page->all, page->count, page->room);
	memset(&page->all[page->count], 0, sizeof(*page->all));
	return &page->all[page->count++];
}

/* Status 0 needs no words. */
static uint32_t end_of(struct page *page, const struct proclife_process *process)
{
	static const struct screen screen = { .utf8 = true };
	struct text text;
	uint32_t number;
	locale_t before;

	if (!process_has_ended(process) || !process->exit_code)
		return 0;
	text_init(&text, &screen);
	before = uselocale(page->locale);
	text_exit(&text, process->exit_code, process, page->run->cgroups);
	uselocale(before);
	number = page_number(&page->ends, text.s, text.len);
	text_free(&text);
	return number;
}

static void set_memory(struct page_life *life, const struct proclife_process *process)
{
	struct proclife_memory memory = memory_of(process);

	life->left = memory.left;
	life->teardown = memory.teardown;
	life->gone = memory.gone;
	life->mapped = memory_kib(&memory);
}

static void add_phases(struct page *page, const struct proclife_process *process)
{
	enum proclife_phase phase;
	uint64_t since;
	bool at_least;

	if (!life_has_open_phases(process))
		return;
	for (phase = PROCLIFE_LIFE + 1; phase < PROCLIFE_PHASES; phase++) {
		since = proclife_process_phase_since(process, phase, &at_least);
		if (!since)
			continue;
		ARRAY_GROW(page->phases, page->phase_count, page->phase_room);
		page->phases[page->phase_count++] = (struct page_phase){ process->id, since, phase };
		page->goes_on[phase] = true;
	}
}

static void set_counts(struct page_life *life, const struct run *run,
		       const struct proclife_process *process)
{
	uint64_t ended = process_ended_by(process);

	life->ended = ended && ended <= run->to;
	life->failed = life->ended && process->exit_code > 0;
	life->unsure = !life->ended && !process->marks.exited && !process->outlives;
}

static void set_births(struct page_life *life, const struct proclife_process *process)
{
	const struct proclife_births *births = proclife_process_births(process);

	life->births = births ? *births : (struct proclife_births){ 0 };
}

static void keep(struct page *page, const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	struct page_life *life = add(page);

	life->id = process->id;
	life->parent_id = process->parent_id;
	life->marks = process->marks;
	life->lived_to = process_last_lived(process);
	life->before = lived_before(page->run, process->marks.born, process->seen, process->start);
	life->killed = proclife_process_killed(process);
	set_memory(life, process);
	set_births(life, process);
	life->waited_known = proclife_process_phase(process, PROCLIFE_PHASE_WAIT, &life->waited);
	set_counts(life, page->run, process);
	life->cgroup = process->cgroup;
	life->end = end_of(page, process);
	life->parent_tgid = process->parent_tgid;
	life->creator_tgid = process->creator_tgid;
	life->reaper_tgid = process->reaper_tgid;
	life->uid = process->uid;
	life->has_uid = proclife_process_has_uid(process);
	life->threads = process->threads;
	life->execs = process->execs;
	life->max_rss = process->max_rss < UINT32_MAX ? (uint32_t)process->max_rss : UINT32_MAX;
	life->exit_code = process_has_ended(process) ? process->exit_code : -1;
	life->cpu = process->exit_cpu;
	life->state = (uint8_t)proclife_process_state(process);
	life->traced = tracer ? tracer->ts : 0;
	life->notified_lost = process->notified_lost;
	life->tracer_lost = process->tracer_lost;
	life->cpu_known = proclife_process_has_cpu(process);
	life->shown = process->matches;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct page *page = data;
	struct open_memory *open;

	summary_count(&page->summary, process);
	if (!process->selected)
		return;
	keep(page, process);
	if (!life_memory_follows(process)) {
		add_phases(page, process);
		return;
	}
	open = id_table_add(&page->open, process->id);
	open->life = page->count - 1;
}

static void process_over(void *data, struct proclife_process *process)
{
	struct page *page = data;
	struct open_memory *open = id_table_get(&page->open, process->id);

	if (!open)
		return;
	set_memory(&page->all[open->life], process);
	add_phases(page, process);
	id_table_delete(&page->open, open);
}

static void gap(void *state, const struct proclife_gap *gap)
{
	struct page *page = state;

	if (page->gap_count == PAGE_GAPS) {
		page->more_gaps++;
		return;
	}
	if (!page->gaps) {
		page->gaps = malloc(PAGE_GAPS * sizeof(*page->gaps));
		if (!page->gaps)
			die_no_memory();
	}
	page->gaps[page->gap_count++] = *gap;
}

static void end(void *state)
{
	struct page *page = state;

	if (!page)
		return;
	critical_free(&page->critical);
	programs_free(&page->summary.programs);
	numbers_free(&page->ends);
	id_table_free(&page->open);
	free(page->phases);
	free(page->gaps);
	free(page->all);
	free(page->rows);
	free(page->row_of);
	free(page->folds);
	if (page->locale)
		freelocale(page->locale);
	free(page);
}

/* Now, not after a build of an hour. */
static int check_place(const char *path)
{
	int ret;

	if (replace_check("--html", path))
		return -ESRCH;
	ret = replace_try(path);
	if (!ret)
		return 0;
	replace_say("--html", path, ret);
	return -ESRCH;
}

static int begin(struct run *run, void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = process_gone,
		.process_over = process_over,
	};
	int ret = check_place(run->options->html);
	struct page *page;

	if (ret)
		return ret;
	page = calloc(1, sizeof(*page));
	if (!page)
		return -ENOMEM;
	*state = page;
	page->run = run;
	page->summary.run = run;
	/* Without it, characters that the program's own locale does not have are escaped. */
	page->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	id_table_init(&page->open, sizeof(struct open_memory));
	ret = critical_init(&page->critical, run);
	return ret ? ret : proclife_tasks_report(run->tasks, &reports, page);
}

static void print(const struct run *run, void *state)
{
	struct page *page = state;
	locale_t before = uselocale(page->locale);
	struct replacement file;
	int ret;

	critical_explain(&page->critical);
	programs_sort(&page->summary.programs);
	page_choose_rows(page, PAGE_ROWS);
	ret = replace_begin(&file, run->options->html, 0600);
	if (!ret) {
		page_print(page, file.file);
		ret = replace_end(&file);
	}
	uselocale(before);
	if (!ret)
		return;
	replace_say("--html", run->options->html, ret);
	page->run->failed = true;
}

const struct view view_html = {
	.request = {
		.name = "html",
		.argument = { "FILE", FILLS(TEXT, html) },
		.help = "A page for browsers: timeline, tree, tables, phases",
		.takes = OF_TRACE,
		.no_json = "prints nothing: leave out --json, or add what to print, such as --tree",
		.range = RANGE_OF_LIVES,
		.is_minor = true,
		.combines = true,
		.measures = true,
	},
	.has_cgroups = true,
	.writes_file = true,
	.begin = begin,
	.gap = gap,
	.print = print,
	.free = end,
};
