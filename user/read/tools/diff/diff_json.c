// SPDX-License-Identifier: GPL-2.0-only
/* --diff --json */
#include "tools/diff/diff_parts.h"

static const char *const reasons[NOTES] = {
	[NOTE_ONLY_A] = "only_a",
	[NOTE_ONLY_B] = "only_b",
	[NOTE_FEW_FAILURES] = "few_failures",
	[NOTE_FOLLOWS] = "follows",
};

static void json_phase(struct diff *diff, enum figure figure)
{
	if (figure < FIGURE_TIMES)
		json_string(&diff->json, "phase", figure_name(diff, figure));
	else
		json_null(&diff->json, "phase");
}

static void json_change(struct diff *diff, const struct change *change)
{
	struct json *json = &diff->json;
	char statistic[16];

	change_statistic(statistic, change);
	json_line(json, change->row ? "change" : "shared");
	if (change->row)
		json_group(json, change->row->run, diff->by, change->row->group);
	else
		json_string(json, "by", proclife_by_name(diff->by));
	json_phase(diff, change->figure);
	json_string(json, "statistic", *statistic ? statistic :
			  change->figure == FIGURE_FAILED ? "failed" : "count");
	if (change->row) {
		json_uint(json, "a", change->a);
		json_uint(json, "b", change->b);
	}
	if (change->ratio > 0)
		json_ratio(json, "ratio", change->ratio);
	else
		json_null(json, "ratio");
	if (!change->row) {
		json_uint(json, "groups", change->groups);
	} else {
		if (change->shared != 1)
			json_ratio(json, "others", change->shared);
		else
			json_null(json, "others");
		json_uint(json, "count_a", change->count_a);
		json_uint(json, "count_b", change->count_b);
	}
	json_line_end(json);
}

static void json_notes(struct diff *diff, enum note note)
{
	struct json *json = &diff->json;
	size_t i;

	for (i = 0; i < diff->row_count; i++) {
		const struct row *row = &diff->rows[i];

		if (!diff_is_noted(diff, row, note))
			continue;
		json_line(json, "unjudged");
		json_group(json, row->run, diff->by, row->group);
		json_string(json, "reason", reasons[note]);
		json_uint(json, "lives_a", row_lives(diff, row, 0));
		json_uint(json, "lives_b", row_lives(diff, row, 1));
		json_uint(json, "failed_a", row_failed(diff, row, 0));
		json_uint(json, "failed_b", row_failed(diff, row, 1));
		json_line_end(json);
	}
}

static void json_noise(struct diff *diff, enum figure figure)
{
	const struct noise *noise = &diff->noise[figure];
	struct json *json = &diff->json;

	if (!noise->groups)
		return;
	json_line(json, "noise");
	json_phase(diff, figure);
	json_string(json, "statistic", figure < FIGURE_TIMES ? "p50" : "count");
	json_uint(json, "groups", noise->groups);
	if (noise->group)
		json_ratio(json, "group", noise->group);
	else
		json_null(json, "group");
	json_ratio(json, "all", noise->shared);
	json_line_end(json);
}

static void json_run(struct diff *diff, size_t number)
{
	const struct recording_latency *run = diff_run_of(diff, number);
	struct json *json = &diff->json;

	json_damage(json, run->run.source, run->dir);
	json_line(json, "compared");
	json_string(json, "side", number < diff->sides[0].count ? "a" : "b");
	json_string(json, "name", run->dir);
	json_bytes(json, "kernel", proclife_source_header(run->run.source)->release,
		   PROCLIFE_RELEASE_LEN);
	json_string_or_null(json, "exit_mark", exit_mark_json(proclife_source_header(run->run.source)));
	json_bool(json, "complete", !run->cut);
	json_uint(json, "lives", diff->counts[number].lives);
	json_uint(json, "failed", diff->counts[number].failed);
	json_line_end(json);
}

static void json_forced(struct diff *diff)
{
	static const char *const names[FORCED] = {
		[FORCED_EXIT_MARK] = "exit_mark",
		[FORCED_SAME] = "same",
	};
	enum forced what;
	size_t one, other;

	json_array(&diff->json, "forced");
	for (what = 0; what < FORCED; what++)
		if (diff_is_forced(diff, what, &one, &other))
			json_string(&diff->json, NULL, names[what]);
	json_array_end(&diff->json);
}

void diff_print_json(struct diff *diff)
{
	struct json *json = &diff->json;
	enum figure figure;
	enum note note;
	size_t i;

	for (i = 0; i < diff->runs; i++)
		json_run(diff, i);
	for (i = 0; i < diff->change_count; i++)
		json_change(diff, &diff->changes[i]);
	for (note = 0; note < NOTES; note++)
		json_notes(diff, note);
	for (figure = 0; figure < FIGURES; figure++)
		json_noise(diff, figure);
	json_line(json, "diff");
	json_uint(json, "changes", diff->change_count);
	json_uint(json, "compared", diff->compared);
	json_uint(json, "too_few", diff_too_few(diff));
	json_forced(diff);
	json_line_end(json);
}
