// SPDX-License-Identifier: GPL-2.0-only
/* The chain as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/critical/critical.h"

static void json_life(struct json *json, const struct kin *kin, uint32_t number)
{
	const struct kin_life *life = &kin->all[number];
	uint32_t bytes;
	const char *args = kin_text(kin, life->args, &bytes);

	json_uint(json, "id", life->id);
	json_uint(json, "pid", life->tgid);
	json_string(json, "comm", kin_text(kin, life->comm, NULL));
	json_string_or_null(json, "path", kin_text(kin, life->path, NULL));
	json_args(json, args, bytes, life->args_cut);
}

static void json_step(const struct critical *critical, const struct critical_step *step)
{
	static const char *const names[] = {
		[CRITICAL_BY_ORDER] = "order",
		[CRITICAL_BY_SLOTS] = "slots",
		[CRITICAL_BY_CPUS] = "cpus",
	};
	const struct kin_life *life = &critical->kin.all[step->life];
	struct json *json = critical->run->json;

	json_line(json, "step");
	json_life(json, &critical->kin, step->life);
	json_uint(json, "from", step->from);
	json_uint(json, "to", step->to);
	json_uint(json, "beside", step->beside);
	json_uint(json, "saves", step->saves);
	json_string(json, "by", names[critical_by(step)]);
	json_bool(json, "slots", step->slots);
	json_uint(json, "cpus_busy", step->busy);
	json_bool(json, "incomplete", life->incomplete);
	json_line_end(json);
}

void critical_print_json(const struct critical *critical)
{
	struct json *json = critical->run->json;
	uint32_t i;

	if (critical->root == NOBODY)
		return;
	json_line(json, "critical_path");
	json_life(json, &critical->kin, critical->root);
	json_uint(json, "from", critical->from);
	json_uint(json, "to", critical->to);
	json_bool(json, "open", critical->kin.all[critical->root].open);
	json_uint(json, "candidates", critical->candidates);
	json_uint(json, "steps", critical->count);
	json_uint(json, "lives", critical->lives);
	json_uint(json, "incomplete", critical->incomplete);
	json_uint(json, "slots", critical->slots);
	json_uint(json, "cpus", critical->cpus);
	json_line_end(json);
	for (i = 0; i < critical->count; i++)
		json_step(critical, &critical->steps[i]);
}
