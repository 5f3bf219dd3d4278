// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "views/summary/summary.h"

static void json_name_of(struct json *json, const struct run *run, const struct program *program)
{
	enum summary_by by = run->options->summary_by;

	json_string(json, "by", choice_summary_by(by));
	if (!program->known) {
		json_null(json, "group");
	} else if (by == SUMMARY_BY_CGROUP) {
		json_cgroup(json, run, program->number);
	} else if (by == SUMMARY_BY_UID) {
		json_uint(json, "group", program->number);
	} else {
		json_string(json, "group", program->name);
	}
}

void summary_json_program(const struct run *run, const struct program *program)
{
	struct json *json = run->json;

	json_line(json, "program");
	json_name_of(json, run, program);
	json_uint(json, "runs", program->runs);
	json_uint(json, "failed", program->failed);
	json_uint(json, "open", program->open);
	json_uint(json, "runtime", program->runtime);
	if (program->waits)
		json_uint(json, "waiting", program->waiting);
	else
		json_null(json, "waiting");
	json_uint(json, "waits", program->waits);
	json_uint_or_null(json, "max_rss", program->max_rss);
	json_object(json, "life");
	json_percentiles(json, program->life);
	json_object_end(json);
	if (program->longest.tgid) {
		json_object(json, "longest");
		json_uint(json, "pid", program->longest.tgid);
		json_uint(json, "life", program->longest.ns);
		json_wait_status(json, program->longest.exit_code >= 0,
				 program->longest.exit_code);
		json_args(json, program->longest.args.text, program->longest.args.bytes,
			  program->longest.args.cut);
		json_object_end(json);
	} else {
		json_null(json, "longest");
	}
	json_line_end(json);
}

void summary_json_overhead(const struct run *run, const struct programs *programs)
{
	struct json *json = run->json;
	size_t i;

	if (proclife_phase_lacks(PROCLIFE_PHASE_FORK, proclife_source_header(run->source)))
		return;
	json_line(json, "overhead");
	json_uint(json, "runtime", programs->runtime);
	for (i = 0; i < COST_PHASES; i++) {
		const struct phase_cost *cost = &programs->costs[i];

		json_object(json, proclife_phase_info(cost_phases[i])->name);
		json_uint(json, "count", cost->count);
		json_uint(json, "sum", cost->ns);
		json_spent(json, cost->spent.count ? &cost->spent : NULL);
		json_object_end(json);
	}
	json_line_end(json);
}

static void json_slices(struct json *json, const char *name, const double *of, size_t slices)
{
	size_t i;

	json_array(json, name);
	for (i = 0; i < slices; i++)
		json_uint(json, NULL, (uint64_t)(of[i] + 0.5));
	json_array_end(json);
}

void summary_json_overtime(struct json *json, const struct overtime *overtime)
{
	size_t slices = overtime_slices(overtime, overtime->end);

	json_line(json, "overtime");
	json_uint(json, "from", overtime->begin);
	json_uint(json, "to", overtime->end);
	json_uint(json, "slice", overtime->width);
	json_slices(json, "lived", overtime->lived, slices);
	json_slices(json, "busy", overtime->busy, slices);
	json_line_end(json);
}
