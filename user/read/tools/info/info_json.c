// SPDX-License-Identifier: GPL-2.0-only
/* What a recording is, as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "tools/info/info.h"

static void json_recorded(const struct info *info, struct json *json)
{
	const struct proclife_run_info *recorded = info->recorded;
	char uuid[INFO_UUID];

	info_uuid(recorded->uuid, uuid);
	json_string(json, "uuid", uuid);
	info_uuid(recorded->slice_of, uuid);
	json_string_or_null(json, "slice_of", info_is_slice(recorded) ? uuid : NULL);
	json_string(json, "state", info_state(info));
	json_string_or_null(json, "reason", recorded->reason[0] ? recorded->reason : NULL);
	json_string_or_null(json, "host", recorded->hostname[0] ? recorded->hostname : NULL);
	json_uint_or_null(json, "began", recorded->began);
	json_uint_or_null(json, "part", recorded->part);
	json_uint_or_null(json, "parts", recorded->parts);
	json_uint_or_null(json, "first", info->first);
	json_uint(json, "ended", info->run.ended);
	json_uint_or_null(json, "synced", recorded->synced);
	json_string_or_null(json, "rcu", recorded->rcu[0] ? recorded->rcu : NULL);
}

static void json_header(const struct info *info, struct json *json)
{
	const struct proclife_header *header = info->header;
	unsigned int type;

	json_bytes(json, "kernel", header->release, PROCLIFE_RELEASE_LEN);
	json_source(json, header);
	json_uint(json, "abi", header->abi_version);
	json_string_or_null(json, "exit_mark", exit_mark_json(header));
	json_string_or_null(json, "reap_source", reap_source_text(header->reap_source));
	json_uint(json, "reap_missed", header->reap_missed);
	json_marks(json, header);
	json_uint_or_null(json, "cpus", info_has_cpus(info) ? header->cpus : 0);
	json_uint(json, "args_bytes", header->args_bytes);
	json_uint_or_null(json, "hz", header->hz);
	json_uint_or_null(json, "to_realtime", header->to_realtime);
	json_array(json, "not_recorded");
	for (type = 1; type < PROCLIFE_TYPES; type++)
		if (info_is_absent(info, type))
			json_string(json, NULL, proclife_type_name(type));
	json_array_end(json);
}

static void json_clock(const struct info *info, struct json *json)
{
	uint64_t since;
	int64_t by;
	size_t i;

	json_array(json, "clock_steps");
	for (i = 0; proclife_source_clock_step(info->run.source, i, &since, &by); i++) {
		json_object(json, NULL);
		json_uint(json, "since", since);
		json_int(json, "by", by);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_command(const struct info *info, struct json *json)
{
	const struct proclife_run_info *recorded = info->recorded;

	if (!recorded->command) {
		json_null(json, "command");
		return;
	}
	json_object(json, "command");
	json_uint(json, "pid", recorded->command);
	if (recorded->command_status >= 0)
		json_uint(json, "status", (uint64_t)recorded->command_status);
	else
		json_null(json, "status");
	json_string_or_null(json, "path", info->command.path);
	json_args(json, info->command.args, info->command.args_bytes, info->command.args_cut);
	json_object_end(json);
}

static void json_processes(const struct info *info, struct json *json)
{
	const uint64_t *states = info->processes.states;

	json_object(json, "processes");
	json_uint(json, "all", info->processes.all);
	json_uint(json, "born", info->processes.born);
	json_uint(json, "ended", info->processes.ended);
	json_uint(json, "alive", states[PROCLIFE_IS_ALIVE]);
	json_uint(json, "dying", states[PROCLIFE_IS_DYING]);
	json_uint(json, "zombies", states[PROCLIFE_IS_ZOMBIE]);
	json_uint(json, "unfreed", states[PROCLIFE_IS_UNFREED]);
	json_uint(json, "unknown", states[PROCLIFE_IS_UNKNOWN]);
	json_object_end(json);
}

static void json_records(const struct info *info, struct json *json)
{
	unsigned int type;

	json_uint(json, "records", info->records);
	json_object(json, "types");
	for (type = 1; type < PROCLIFE_TYPES; type++)
		if (proclife_type_name(type))
			json_uint(json, proclife_type_name(type), info->types[type]);
	json_uint(json, "unknown", info->types[PROCLIFE_NONE]);
	json_object_end(json);
	json_uint(json, "lost", info->run.lost);
	json_suppressed(json, &info->run);
}

static void json_streams(const struct info *info, struct json *json)
{
	size_t i;

	for (i = 0; i < info->stream_count; i++) {
		const struct info_stream *stream = &info->streams[i];

		if (!stream->is_there)
			continue;
		json_line(json, "stream");
		json_string(json, "recording", info->dir);
		json_string(json, "stream", stream->name);
		json_uint(json, "bytes", stream->bytes);
		json_uint(json, "lost", stream->lost);
		json_line_end(json);
	}
}

void info_json(const struct info *info)
{
	struct json *json = info->run.json;

	json_line(json, "recording");
	json_string(json, "recording", info->dir);
	json_recorded(info, json);
	json_header(info, json);
	json_clock(info, json);
	json_command(info, json);
	json_processes(info, json);
	json_records(info, json);
	json_uint(json, "bytes", info->disk);
	json_line_end(json);
	json_streams(info, json);
	json_damage(json, info->run.source, info->dir);
}
