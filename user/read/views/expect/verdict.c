// SPDX-License-Identifier: GPL-2.0-only
/* What was expected, what was measured, and whether that is as expected: for people and for labs. */
#include "output/junit.h"
#include "output/message.h"
#include "output/quoted.h"
#include "views/views.h"
#include <inttypes.h>
#include <string.h>

/* Without REAPs, the number of zombies is not known, nor how many phases there were of which a mark is not recorded. */
static enum proclife_type lacks(const struct run *run, const struct expectation *e)
{
	if (e->what == EXPECT_ZOMBIES)
		return run_has_reap(run) ? PROCLIFE_NONE : PROCLIFE_REAP;
	return e->what == EXPECT_PHASE ? proclife_phase_lacks(e->phase, proclife_source_header(run->source)) : PROCLIFE_NONE;
}

static struct judgement judge(const struct run *run, const struct expectation *e)
{
	struct measured measured = {
		.latency = run->whole ? run->whole : run->latency,
		.programs = run->programs,
		.lost = run->lost,
		.failed = run->matched.failed,
	};
	struct judgement judgement = expect_judge(e, &measured);

	if (!judgement.count && lacks(run, e))
		judgement = (struct judgement){ .measured = false };
	return judgement;
}

static void put_figure(struct text *line, const struct expectation *e, const struct judgement *j)
{
	if (!j->measured)
		text_string(line, "not measured");
	else if (expect_is_time(e))
		text_time(line, j->value);
	else
		text_count(line, j->value);
}

/* How many lives the figure is from, and whether it is another one because they are too few. */
static void put_basis(struct text *line, const struct run *run,
		      const struct expectation *e, const struct judgement *j)
{
	bool threads = run->options->threads;

	if (!expect_is_time(e) || !j->measured)
		return;
	text_string(line, j->is_max ? ", max of " : " of ");
	text_plural(line, j->count, threads ? "thread" : "process",
		    threads ? "threads" : "processes");
}

#define FIGURE_COLUMNS 26
#define MEASURED_COLUMNS 28

static void show(const struct run *run, const struct expectation *e,
		 const struct judgement *j, struct text *line)
{
	text_name(line, e->text, SIZE_MAX);
	text_pad(line, FIGURE_COLUMNS - 1);
	text_string(line, " ");
	text_hang(line);
	put_figure(line, e, j);
	put_basis(line, run, e, j);
	text_pad(line, FIGURE_COLUMNS + MEASURED_COLUMNS - 1);
	text_string(line, " ");
	text_style(line, j->ok ? STYLE_GOOD : STYLE_BAD);
	text_string(line, j->ok ? "ok" : "FAILED");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_title(struct text *line)
{
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-*s%-*s%s", FIGURE_COLUMNS, "EXPECTED", MEASURED_COLUMNS, "MEASURED",
		    "VERDICT");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_json(struct json *json, const struct expectation *e, const struct judgement *j)
{
	json_line(json, "expect");
	json_string(json, "expected", e->text);
	json_bool(json, "ok", j->ok);
	if (j->measured)
		json_uint(json, "measured", j->value);
	else
		json_null(json, "measured");
	json_uint(json, "bound", e->bound);
	json_string(json, "unit", expect_is_time(e) ? "ns" : "1");
	if (e->what == EXPECT_PHASE)
		json_uint(json, "count", j->count);
	json_line_end(json);
}

/* https://docs.kernel.org/dev-tools/ktap.html; the figures are diagnostic lines. */
static void show_ktap(const struct run *run, size_t number, const struct expectation *e,
		      const struct judgement *j, struct text *line)
{
	text_string(line, "# ");
	put_figure(line, e, j);
	put_basis(line, run, e, j);
	if (expect_is_time(e) && j->measured)
		text_printf(line, " (%" PRIu64 " ns)", j->value);
	text_line(line);
	text_printf(line, "%s %zu ", j->ok ? "ok" : "not ok", number);
	text_name(line, e->text, SIZE_MAX);
	text_line(line);
}

static void show_ktap_title(const struct run *run, struct text *line)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	text_string(line, "KTAP version 1");
	text_line(line);
	text_printf(line, "1..%zu", run->options->expect.count);
	text_line(line);
	if (!header)
		return;
	text_string(line, "# Linux ");
	text_name(line, header->release, PROCLIFE_RELEASE_LEN);
	if (exit_mark_text(header))
		text_printf(line, ", exits begin %s", exit_mark_text(header));
	text_line(line);
}

/* A name for a test case: LAVA takes no spaces and no angle brackets in it. */
static void put_case(struct text *line, const struct expectation *e)
{
	static const char *const relations[] = {
		[RELATION_BELOW] = "_below_",	  [RELATION_AT_MOST] = "_at_most_",
		[RELATION_EQUAL] = "_equal_",	  [RELATION_AT_LEAST] = "_at_least_",
		[RELATION_ABOVE] = "_above_",
	};
	size_t figure = relation_find(e->text);

	text_name(line, e->text, figure);
	text_string(line, relations[e->relation]);
	text_name(line, e->text + figure + strspn(e->text + figure, "<>="), SIZE_MAX);
}

static void show_lava(const struct expectation *e, const struct judgement *j, struct text *line)
{
	text_string(line, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=");
	put_case(line, e);
	text_printf(line, " RESULT=%s", j->ok ? "pass" : "fail");
	if (j->measured)
		text_printf(line, " UNITS=%s MEASUREMENT=%" PRIu64,
			    expect_is_time(e) ? "ns" : "items", j->value);
	text_string(line, ">");
	text_line(line);
}

/* For --junit. */
static void add_case(const struct run *run, const struct expectation *e, const struct judgement *j)
{
	struct text text;

	text_init(&text, run->screen);
	text_string(&text, j->measured ? "it is " : "");
	put_figure(&text, e, j);
	put_basis(&text, run, e, j);
	junit_case("expect", e->text,
		   j->ok ? JUNIT_PASSED : j->measured ? JUNIT_FAILED : JUNIT_ERROR, text.s);
	text_free(&text);
}

/* Is anything before it on standard output? */
static bool any_printed(const struct options *options)
{
	const struct request *const *request = options->requests;

	while (*request && request_view(*request) && request_view(*request)->writes_file)
		request++;
	return *request;
}

static void print_title(const struct run *run, struct text *line)
{
	const struct options *options = run->options;

	if (options->expect.form == VERDICTS_KTAP) {
		show_ktap_title(run, line);
	} else if (options->expect.form == VERDICTS_PLAIN && !options->json) {
		if (any_printed(options))
			text_line(line);
		show_title(line);
	}
}

void verdict_print(const struct run *run)
{
	const struct options *options = run->options;
	struct screen screen = *run->screen;
	struct text line;
	size_t i;

	/* What harnesses read has to be on one line. */
	if (options->expect.form)
		screen.width = 0;
	text_init(&line, &screen);
	print_title(run, &line);
	for (i = 0; i < options->expect.count; i++) {
		const struct expectation *e = &options->expect.all[i];
		struct judgement j = judge(run, e);

		add_case(run, e, &j);
		if (options->expect.form == VERDICTS_KTAP)
			show_ktap(run, i + 1, e, &j, &line);
		else if (options->expect.form == VERDICTS_LAVA)
			show_lava(e, &j, &line);
		else if (options->json)
			show_json(run->json, e, &j);
		else
			show(run, e, &j, &line);
	}
	text_free(&line);
}

static void report_failed(const struct run *run, const struct expectation *e,
			  const struct judgement *j)
{
	enum proclife_type type;
	struct text figure;
	char buffer[16];

	if (!j->measured) {
		type = lacks(run, e);
		message("expected %s, but there was nothing to measure%s%s%s", quoted(e->text), type ? ": no " : "",
			type ? type_text(type, buffer) : "", type ? " is recorded" : "");
		return;
	}
	text_init(&figure, run->screen);
	put_figure(&figure, e, j);
	put_basis(&figure, run, e, j);
	message("expected %s, but it is %s", quoted(e->text), figure.s);
	text_free(&figure);
}

bool verdict_failed(const struct run *run)
{
	const struct options *options = run->options;
	bool failed = false;
	size_t i;

	for (i = 0; i < options->expect.count; i++) {
		const struct expectation *e = &options->expect.all[i];
		struct judgement j = judge(run, e);

		if (j.ok)
			continue;
		report_failed(run, e, &j);
		failed = true;
	}
	return failed;
}
