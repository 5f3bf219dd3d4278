// SPDX-License-Identifier: GPL-2.0-only
/* What a trace says of itself. */
#include "views/views.h"

const char *exit_mark_text(uint32_t exit_mark)
{
	if (exit_mark == PROCLIFE_EXIT_AFTER_MM)
		return "after the address space is torn down";
	if (exit_mark == PROCLIFE_EXIT_BEFORE_MM)
		return "before the address space is torn down";
	return NULL;
}

const char *exit_mark_json(uint32_t exit_mark)
{
	if (exit_mark == PROCLIFE_EXIT_AFTER_MM)
		return "after_mm";
	if (exit_mark == PROCLIFE_EXIT_BEFORE_MM)
		return "before_mm";
	return NULL;
}

const char *reap_source_text(uint32_t reap_source)
{
	if (reap_source == PROCLIFE_REAP_CGROUP_RELEASE)
		return "cgroup_release()";
	if (reap_source == PROCLIFE_REAP_CGROUP_TASK_RELEASE)
		return "cgroup_task_release()";
	return NULL;
}

bool run_has_reap(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return !header || header->features & PROCLIFE_HAS(PROCLIFE_REAP);
}

void json_damage(struct json *json, const struct proclife_source *source, const char *dir)
{
	const struct proclife_damage *damage;

	for (size_t i = 0; (damage = proclife_recording_damage(source, i)); i++) {
		json_line(json, "damage");
		json_string(json, "recording", dir);
		json_string(json, "stream", damage->stream);
		json_string(json, "what", damage->what);
		json_uint(json, "at", damage->at);
		json_uint(json, "places", damage->places);
		json_uint(json, "lost", damage->lost);
		json_bool(json, "estimated", damage->estimated);
		json_uint(json, "from", damage->from);
		json_uint(json, "to", damage->to);
		json_line_end(json);
	}
}

void json_recording(const struct run *run)
{
	if (run->number)
		json_string(run->json, "recording", run->options->inputs.all[run->number - 1]);
}

void json_trace(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	struct json *json = run->json;

	json_line(json, "trace");
	json_recording(run);
	json_uint(json, "ts", run->began);
	if (header) {
		json_bytes(json, "kernel", header->release, PROCLIFE_RELEASE_LEN);
		json_bytes(json, "module", header->version, PROCLIFE_VERSION_LEN);
		json_uint(json, "abi", header->abi_version);
		if (exit_mark_json(header->exit_mark))
			json_string(json, "exit_mark", exit_mark_json(header->exit_mark));
		else
			json_null(json, "exit_mark");
		if (reap_source_text(header->reap_source))
			json_string(json, "reap_source", reap_source_text(header->reap_source));
		else
			json_null(json, "reap_source");
		json_uint(json, "to_boottime", header->to_boottime);
		json_uint(json, "to_realtime",
			  proclife_source_realtime(run->source, run->began) - run->began);
	}
	json_line_end(json);
}
