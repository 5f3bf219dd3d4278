// SPDX-License-Identifier: GPL-2.0-only
/* --diff: two recordings, measured alike, and what has changed in which phase of which group. */
#include "output/message.h"
#include "output/percentiles.h"
#include "output/quoted.h"
#include "output/wrap.h"
#include "views/diff.h"
#include <inttypes.h>
#include <string.h>

#define LEAST 20 /* lives, for the median to be one */

struct diff {
	const struct options *options;
	const struct screen *screen;
	const struct recording_latency *sides;
	enum proclife_by by;
	struct json json;
	struct text line;
	uint64_t compared; /* groups */
	uint64_t too_few;
	uint64_t changed; /* phases */
};

/* The parts before the sum: if a part has changed, the sum is no news. */
static const enum proclife_phase phases[] = {
	PROCLIFE_LIFE, PROCLIFE_TEARDOWN, PROCLIFE_ZOMBIE, PROCLIFE_RCU_FREE, PROCLIFE_EXIT_FREE,
};

#define PHASES (sizeof(phases) / sizeof(phases[0]))

static const struct proclife_header *header_of(const struct recording_latency *side)
{
	return proclife_source_header(side->run.source);
}

static const char *cgroup_path(const struct diff *diff, unsigned int side,
			       const struct proclife_group *group)
{
	if (diff->by != PROCLIFE_BY_CGROUP || !group->known)
		return NULL;
	return proclife_cgroups_path(diff->sides[side].run.cgroups, group->number);
}

/* The one on the other side. A cgroup has another number after each boot, but the same path. */
static const struct proclife_group *find_group(const struct diff *diff, unsigned int side,
					       const struct proclife_group *like)
{
	const char *path = cgroup_path(diff, !side, like), *other;
	const struct proclife_group *group;
	size_t i;

	for (i = 0; (group = proclife_latency_group(diff->sides[side].run.latency, i)); i++) {
		other = cgroup_path(diff, side, group);
		if (path || other ? path && other && !strcmp(path, other) :
				    group->known == like->known && group->number == like->number &&
					    !strcmp(group->name, like->name))
			return group;
	}
	return NULL;
}

static void show_change(struct diff *diff, const struct proclife_group *a,
			const struct proclife_group *b, enum proclife_phase phase,
			const struct change *change)
{
	const struct run *run = &diff->sides[0].run;
	struct text *line = &diff->line;
	bool longer = change->b > change->a;

	if (!diff->changed)
		text_line(line);
	text_group(line, run, diff->by, a);
	text_pad(line, 24);
	text_printf(line, " %-9s p%-4g ", proclife_phase_name(phase), change->percent);
	text_time_in(line, TIME_COLUMNS, change->a);
	text_draw(line, " → ", " > ");
	text_style(line, longer ? STYLE_BAD : STYLE_GOOD);
	text_time_in(line, TIME_COLUMNS, change->b);
	text_style(line, STYLE_PLAIN);
	text_printf(line, "  %.3g times as %s, of ",
		    longer ? (double)change->b / (double)(change->a ? change->a : 1) :
			     (double)change->a / (double)(change->b ? change->b : 1),
		    longer ? "long" : "short");
	text_count(line, proclife_histogram_count(proclife_group_phase(a, phase)));
	text_string(line, " and ");
	text_count(line, proclife_histogram_count(proclife_group_phase(b, phase)));
	text_string(line, " lives");
	text_line(line);
}

static void json_change(struct diff *diff, const struct proclife_group *a,
			const struct proclife_group *b, enum proclife_phase phase,
			const struct change *change)
{
	struct json *json = &diff->json;
	char percentile[16];

	snprintf(percentile, sizeof(percentile), "p%g", change->percent);
	json_line(json, "change");
	json_group(json, &diff->sides[0].run, diff->by, a);
	json_string(json, "phase", proclife_phase_name(phase));
	json_string(json, "statistic", percentile);
	json_uint(json, "a", change->a);
	json_uint(json, "b", change->b);
	json_uint(json, "count_a", proclife_histogram_count(proclife_group_phase(a, phase)));
	json_uint(json, "count_b", proclife_histogram_count(proclife_group_phase(b, phase)));
	json_line_end(json);
}

static void compare(struct diff *diff, const struct proclife_group *a,
		    const struct proclife_group *b)
{
	bool changed = false, enough = false;
	struct change change;
	size_t i;

	for (i = 0; i < PHASES; i++) {
		const struct proclife_histogram *p = proclife_group_phase(a, phases[i]);
		const struct proclife_histogram *q = proclife_group_phase(b, phases[i]);

		if (!p || !q || proclife_histogram_count(p) < LEAST ||
		    proclife_histogram_count(q) < LEAST)
			continue;
		enough = true;
		if ((phases[i] == PROCLIFE_EXIT_FREE && changed) ||
		    !histograms_differ(p, q, diff->options->factor, &change))
			continue;
		changed |= phases[i] != PROCLIFE_LIFE;
		if (diff->options->json)
			json_change(diff, a, b, phases[i], &change);
		else
			show_change(diff, a, b, phases[i], &change);
		diff->changed++;
	}
	diff->compared += enough;
	diff->too_few += !enough;
}

static void compare_groups(struct diff *diff)
{
	const struct proclife_latency *a = diff->sides[0].run.latency;
	const struct proclife_latency *b = diff->sides[1].run.latency;
	const struct proclife_group *group, *other;
	size_t i;

	for (i = 0; (group = proclife_latency_group(a, i)); i++) {
		other = find_group(diff, 1, group);
		if (other)
			compare(diff, group, other);
		else
			diff->too_few++;
	}
	for (i = 0; (group = proclife_latency_group(b, i)); i++)
		diff->too_few += !find_group(diff, 0, group);
}

static void show_side(struct diff *diff, char name, const struct recording_latency *side)
{
	struct proclife_latency_counts counts;
	struct text *line = &diff->line;

	counts = *proclife_latency_counts(side->run.latency);
	text_printf(line, "%c  ", name);
	text_name(line, side->dir, SIZE_MAX);
	text_string(line, ", Linux ");
	text_name(line, header_of(side)->release, PROCLIFE_RELEASE_LEN);
	text_string(line, ", ");
	text_plural(line, counts.lives, diff->options->threads ? "thread" : "process",
		    diff->options->threads ? "threads" : "processes");
	if (side->run.matched.failed)
		text_printf(line, ", %" PRIu64 " failed", side->run.matched.failed);
	text_line(line);
}

static const struct proclife_histogram *phase_of(const struct diff *diff, unsigned int side,
						 enum proclife_phase phase)
{
	return proclife_latency_phase(diff->sides[side].run.latency, phase);
}

/* All lives, side by side. */
static void show_whole(struct diff *diff)
{
	struct text *line = &diff->line;
	unsigned int side;
	size_t i;

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-11s", "PHASE");
	text_percentiles_head(line);
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (i = 0; i < PHASES; i++) {
		for (side = 0; side < 2; side++) {
			const struct proclife_histogram *h = phase_of(diff, side, phases[i]);

			if (!proclife_histogram_count(phase_of(diff, 0, phases[i])) &&
			    !proclife_histogram_count(phase_of(diff, 1, phases[i])))
				continue;
			text_printf(line, "%-9s %c", side ? "" : proclife_phase_name(phases[i]),
				    side ? 'B' : 'A');
			text_percentiles(line, h);
			text_line(line);
		}
	}
}

static void show_verdict(struct diff *diff)
{
	struct text *line = &diff->line;

	text_line(line);
	text_style(line, diff->changed ? STYLE_BAD : STYLE_GOOD);
	if (diff->changed)
		text_plural(line, diff->changed, "change", "changes");
	else
		text_string(line, "Nothing has changed");
	text_style(line, STYLE_PLAIN);
	text_printf(line, " by a factor of %g or more; compared by %s: ", diff->options->factor,
		    proclife_by_name(diff->by));
	text_plural(line, diff->compared, "group", "groups");
	if (diff->too_few) {
		text_string(line, "; too few lives, or in one recording alone: ");
		text_count(line, diff->too_few);
	}
	text_line(line);
	text_style(line, STYLE_DIM);
	text_string(line, "What one run of a machine differs from the next by is not known from one "
			  "recording of each.");
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

static void json_verdict(struct diff *diff)
{
	struct json *json = &diff->json;
	unsigned int side;

	for (side = 0; side < 2; side++)
		json_damage(json, diff->sides[side].run.source, diff->sides[side].dir);
	json_line(json, "diff");
	json_string(json, "a", diff->sides[0].dir);
	json_string(json, "b", diff->sides[1].dir);
	json_uint(json, "changes", diff->changed);
	json_uint(json, "compared", diff->compared);
	json_uint(json, "too_few", diff->too_few);
	json_line_end(json);
}

int diff_print(const struct options *options, const struct screen *screen,
	       const struct recording_latency *sides, enum proclife_by by)
{
	struct diff diff = { .options = options, .screen = screen, .sides = sides, .by = by };

	json_init(&diff.json, screen->out);
	text_init(&diff.line, screen);
	if (!options->json) {
		show_side(&diff, 'A', &sides[0]);
		show_side(&diff, 'B', &sides[1]);
		show_whole(&diff);
	}
	compare_groups(&diff);
	if (options->json)
		json_verdict(&diff);
	else
		show_verdict(&diff);
	json_free(&diff.json);
	text_free(&diff.line);
	if (!diff.compared) {
		message("--diff: no group has %d lives in both recordings: there is nothing to compare",
			LEAST);
		return STATUS_ERROR;
	}
	if (diff.changed)
		return STATUS_FAILED;
	return sides[0].cut || sides[1].cut ? STATUS_LOST : 0;
}

const struct view view_diff = {
	.name = "diff",
	.argument = "A",
	.help = "--diff A B: what has changed between two recordings",
	.scope = "reads two recordings, and nothing else",
	.takes = OF_SELECTION | GIVEN(THREADS) | GIVEN(BY) | GIVEN(FACTOR) | GIVEN(FORCE),
	.measures = true,
};
