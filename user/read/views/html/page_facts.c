// SPDX-License-Identifier: GPL-2.0-only
/* All that is not about a single life: what the trace is, sums, phases, what was lost. */
#include "output/daytime.h"
#include "output/message.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "views/html/page.h"
#include "views/latency/phases.h"
#include "views/share/rcu.h"
#include "views/share/when.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

struct facts {
	const struct page *page;
	const struct run *run;
	struct page_texts *texts;
	struct json json;
};

/* A text that others have chosen, as it is shown; NULL: none. */
static void fact(struct facts *facts, const char *name, const char *s, size_t n)
{
	struct text text;

	if (!s || !n || !*s)
		return;
	text_init(&text, &facts->texts->screen);
	text_string(&text, "");
	text_name(&text, s, n);
	json_string(&facts->json, name, text.s);
	text_free(&text);
}

/*
 * What it is about
 */

static const struct kin_life *command_of(const struct page *page)
{
	const struct kin *kin = &page->critical.kin;
	uint32_t root = page->critical.root, command = (uint32_t)page->run->command, i;

	if (!command)
		return NULL;
	if (root != NOBODY && kin->all[root].tgid == command)
		return &kin->all[root];
	for (i = 0; i < kin->count; i++)
		if (kin->all[i].tgid == command)
			return &kin->all[i];
	return NULL;
}

/* The command that was followed; its arguments are its last exec's, or what was typed. */
static void put_command(struct facts *facts)
{
	const struct options *options = facts->run->options;
	const struct kin *kin = &facts->page->critical.kin;
	const struct kin_life *life = command_of(facts->page);
	struct text text;
	uint32_t bytes, i;
	const char *s;

	text_init(&text, &facts->texts->screen);
	text_string(&text, "");
	if (options->command) {
		for (i = 0; options->command[i] && (!i || !options->hide_args); i++) {
			text_string(&text, i ? " " : "");
			text_word(&text, options->command[i], strlen(options->command[i]));
		}
	} else if (life && life->args) {
		s = kin_text(kin, life->args, &bytes);
		text_args(&text, s, bytes, life->args_cut, 0);
	} else if (life) {
		s = kin_text(kin, life->path ? life->path : life->comm, NULL);
		text_label(&text, s, SIZE_MAX);
	}
	if (text.len)
		json_string(&facts->json, "command", text.s);
	if (life && facts->page->row_of[life - kin->all] != NOBODY)
		json_uint(&facts->json, "command_row", facts->page->row_of[life - kin->all]);
	text_free(&text);
}

/* How the program was called; the command's own words are shown elsewhere. */
static void put_call(struct facts *facts)
{
	const struct options *options = facts->run->options;
	struct text text;
	int i;

	text_init(&text, &facts->texts->screen);
	text_string(&text, "proclife-read");
	for (i = 1; i < options->argc && options->argv + i + !!options->command != options->command; i++) {
		text_string(&text, " ");
		text_word(&text, options->argv[i], strlen(options->argv[i]));
	}
	json_string(&facts->json, "call", text.s);
	text_free(&text);
}

static void put_machine(struct facts *facts)
{
	const struct proclife_run_info *recorded = proclife_recording_info(facts->run->source);
	const struct proclife_header *header = proclife_source_header(facts->run->source);
	char host[PROCLIFE_HOST_LEN] = "", rcu[PROCLIFE_RCU_LEN] = "";

	if (recorded) {
		fact(facts, "host", recorded->hostname, PROCLIFE_HOST_LEN);
		fact(facts, "rcu", recorded->rcu, PROCLIFE_RCU_LEN);
		json_bool(&facts->json, "slice", info_is_slice(recorded));
		json_bool(&facts->json, "complete", recorded->complete);
	} else {
		if (!gethostname(host, sizeof(host) - 1))
			fact(facts, "host", host, sizeof(host));
		rcu_describe(rcu, sizeof(rcu));
		fact(facts, "rcu", rcu, sizeof(rcu));
	}
	if (!header)
		return;
	fact(facts, "kernel", header->release, PROCLIFE_RELEASE_LEN);
	fact(facts, is_by_bpf(header) ? "bpf" : "module", header->version, PROCLIFE_VERSION_LEN);
	json_string(&facts->json, "exit_mark", exit_mark_place(header));
	json_bool(&facts->json, "has_reap", run_has_reap(facts->run));
}

/* Nanoseconds since 1970 have more digits than a browser's numbers. */
static void put_seconds(struct json *json, const char *name, uint64_t ns)
{
	json_array(json, name);
	json_uint(json, NULL, ns / SECOND);
	json_uint(json, NULL, ns % SECOND);
	json_array_end(json);
}

/* The time of day that page->begin is, how far the clock shown is from UTC, and when it was set. */
static void put_clock(struct facts *facts)
{
	const struct proclife_source *source = facts->run->source;
	uint64_t begin = facts->page->begin, real, since;
	enum times times = facts->run->options->times;
	struct json *json = &facts->json;
	struct tm date = { 0 };
	time_t seconds;
	int64_t by;
	size_t i;

	real = proclife_source_realtime(source, begin);
	seconds = (time_t)(real / SECOND);
	json_bool(json, "monotonic", times == TIMES_MONOTONIC && !facts->run->options->json);
	json_bool(json, "utc", times == TIMES_UTC);
	if (times != TIMES_UTC)
		localtime_r(&seconds, &date);
	json_int(json, "utc_offset", date.tm_gmtoff);
	put_seconds(json, "begin", begin);
	put_seconds(json, "begin_real", real);
	json_array(json, "clock_steps");
	for (i = 0; proclife_source_clock_step(source, i, &since, &by); i++) {
		if (since <= begin)
			continue;
		json_array(json, NULL);
		json_uint(json, NULL, page_time(facts->page, since));
		json_int(json, NULL, by);
		json_array_end(json);
	}
	json_array_end(json);
}

static void put_range(struct facts *facts)
{
	const struct run *run = facts->run;

	json_uint(&facts->json, "from", page_time(facts->page, page_from(run)));
	json_uint(&facts->json, "to", page_time(facts->page, run_to(run)));
	/* With --to, those that live on do so beyond it. */
	json_uint(&facts->json, "trace_end", page_time(facts->page, run->ended));
}

/*
 * Sums
 */

static void put_sums(struct facts *facts)
{
	const struct programs *programs = &facts->page->summary.programs;
	struct json *json = &facts->json;

	json_uint(json, "ended", programs->runs);
	json_uint(json, "failed", programs->failed);
	json_uint(json, "open", programs->open);
	json_uint(json, "unsure", programs->unsure);
	json_uint(json, "runtime", programs->runtime);
	json_uint(json, "folded", facts->page->folded);
}

static void put_percentile(struct json *json, const char *name, const struct proclife_histogram *h,
			   double percent)
{
	if (percentile_is_known(h, percent))
		json_uint(json, name, proclife_histogram_percentile(h, percent));
}

static void put_program(struct facts *facts, const struct program *program)
{
	const char *argument = facts->run->options->hide_args ? NULL : program_longest_argument(program);
	struct json *json = &facts->json;
	struct text text;

	json_object(json, NULL);
	if (program->known)
		json_uint(json, "name", page_string(facts->texts, program->name));
	json_uint(json, "runs", program->runs);
	json_uint(json, "failed", program->failed);
	json_uint(json, "open", program->open);
	json_uint(json, "runtime", program->runtime);
	json_uint(json, "rss", program->max_rss);
	if (program->life) {
		put_percentile(json, "p50", program->life, 50);
		put_percentile(json, "p99", program->life, 99);
		json_uint(json, "max", proclife_histogram_max(program->life));
		json_uint(json, "pid", program->longest.tgid);
	}
	if (argument) {
		text_init(&text, &facts->texts->screen);
		text_word(&text, argument, strlen(argument));
		json_string(json, "argument", text.s);
		text_free(&text);
	}
	json_object_end(json);
}

static void put_slices(struct json *json, const char *name, const struct overtime *overtime, const double *of)
{
	size_t slices = overtime_slices(overtime, overtime->end), i;

	json_array(json, name);
	for (i = 0; i < slices; i++)
		json_uint(json, NULL, (uint64_t)(1000 * overtime_level(overtime, of, i, overtime->end) + 0.5));
	json_array_end(json);
}

/* Thousandths of a process, and of a CPU. */
static void put_overtime(struct facts *facts)
{
	const struct overtime *overtime = &facts->page->summary.overtime;

	if (!facts->page->summary.began || overtime->end <= overtime->begin)
		return;
	json_object(&facts->json, "overtime");
	json_uint(&facts->json, "from", page_time(facts->page, overtime->begin));
	json_uint(&facts->json, "to", page_time(facts->page, overtime->end));
	json_uint(&facts->json, "slice", overtime->width);
	put_slices(&facts->json, "lived", overtime, overtime->lived);
	put_slices(&facts->json, "busy", overtime, overtime->busy);
	json_object_end(&facts->json);
}

/* Four to each power of two: the lower border of the one where it lies. */
static uint64_t bar_of(uint64_t ns)
{
	unsigned int power = percentiles_bucket(ns);

	return power < 2 ? ns : ns >> (power - 2) << (power - 2);
}

static void put_bars(struct json *json, const struct proclife_histogram *h)
{
	struct proclife_bucket bucket = { 0 };
	uint64_t bar = 0, count = 0;
	bool more;

	json_array(json, "bars");
	do {
		more = proclife_histogram_next(h, &bucket);
		if (count && (!more || bar_of(bucket.first) != bar)) {
			json_array(json, NULL);
			json_uint(json, NULL, bar);
			json_uint(json, NULL, count);
			json_array_end(json);
			count = 0;
		}
		bar = bar_of(bucket.first);
		count += bucket.count;
	} while (more);
	json_array_end(json);
}

static void put_phases(struct facts *facts)
{
	struct json *json = &facts->json;
	unsigned int i;

	json_array(json, "phases");
	for (i = 0; i < PROCLIFE_PHASES; i++) {
		const struct proclife_phase_info *info = proclife_phase_info(phase_of_row(i));
		const struct proclife_histogram *h =
			proclife_latency_phase(facts->run->latency, phase_of_row(i));

		if (info->optional && !proclife_histogram_count(h) && !facts->page->goes_on[phase_of_row(i)])
			continue;
		json_object(json, NULL);
		json_uint(json, "number", phase_of_row(i));
		json_string(json, "name", info->name);
		json_string(json, "from", info->from);
		json_string(json, "to", info->to);
		json_percentiles(json, h);
		put_bars(json, h);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_critical(struct facts *facts)
{
	const struct critical *critical = &facts->page->critical;
	struct json *json = &facts->json;

	if (critical->root == NOBODY)
		return;
	json_object(json, "critical");
	json_uint(json, "from", page_time(facts->page, critical->from));
	json_uint(json, "to", page_time(facts->page, critical->to));
	json_bool(json, "open", critical->kin.all[critical->root].open);
	json_uint(json, "steps", critical->count);
	json_uint(json, "candidates", critical->candidates);
	json_uint(json, "lives", critical->lives);
	json_uint(json, "incomplete", critical->incomplete);
	json_uint(json, "slots", critical->slots);
	json_uint(json, "cpus", critical->cpus);
	json_object_end(json);
}

/*
 * What was lost
 */

static void put_gaps(struct facts *facts)
{
	struct json *json = &facts->json;
	uint32_t i;

	json_array(json, "gaps");
	for (i = 0; i < facts->page->gap_count; i++) {
		const struct proclife_gap *gap = &facts->page->gaps[i];

		json_array(json, NULL);
		json_uint(json, NULL, gap->lost);
		json_uint(json, NULL, page_time(facts->page, gap->from));
		json_uint(json, NULL, page_time(facts->page, gap->to));
		/* -1: the snapshot; -2: a part is missing */
		json_int(json, NULL, gap->cpu >= PROCLIFE_CPU_ALL ? (int32_t)gap->cpu : (int64_t)gap->cpu);
		json_array_end(json);
	}
	json_array_end(json);
	json_uint(json, "more_gaps", facts->page->more_gaps);
}

static void put_damage(struct facts *facts)
{
	const struct proclife_damage *damage;
	struct json *json = &facts->json;

	json_array(json, "damage");
	for (size_t i = 0; (damage = proclife_recording_damage(facts->run->source, i)); i++) {
		json_object(json, NULL);
		fact(facts, "stream", damage->stream, sizeof(damage->stream));
		fact(facts, "what", damage->what, sizeof(damage->what));
		json_uint(json, "lost", damage->lost);
		json_bool(json, "estimated", damage->estimated);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_loss(struct facts *facts)
{
	uint64_t whole = whole_since(facts->run->source);
	uint64_t since = facts->run->stopped.since, until = facts->run->stopped.until;
	struct run run = *facts->run; /* its times are not the page's */

	if (whole)
		json_uint(&facts->json, "whole", page_time(facts->page, whole));
	json_uint(&facts->json, "lost", facts->run->lost);
	run.stopped.times = 0;
	json_suppressed(&facts->json, &run);
	if (facts->run->stopped.times)
		json_stopped(&facts->json, facts->run, since ? page_time(facts->page, since) : 0,
			     until ? page_time(facts->page, until) : 0);
	put_gaps(facts);
	put_damage(facts);
}

void page_facts_print(const struct page *page, struct page_texts *texts, FILE *out)
{
	struct facts facts = { .page = page, .run = page->run, .texts = texts };
	const struct programs *programs = &page->summary.programs;
	struct json *json = &facts.json;
	size_t i;

	json_init(json, out);
	json_line(json, "page");
	json_string(json, "version", PROCLIFE_VERSION);
	json_bool(json, "args_hidden", page->run->options->hide_args);
	put_command(&facts);
	put_call(&facts);
	put_machine(&facts);
	put_clock(&facts);
	put_range(&facts);
	put_sums(&facts);
	put_loss(&facts);
	put_phases(&facts);
	put_critical(&facts);
	put_overtime(&facts);
	json_array(json, "programs");
	for (i = 0; i < programs->count; i++)
		put_program(&facts, programs->all[i]);
	json_array_end(json);
	json_line_end(json);
	json_free(json);
}
