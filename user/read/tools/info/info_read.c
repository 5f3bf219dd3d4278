// SPDX-License-Identifier: GPL-2.0-only
/* --info: reads recordings from beginning to end, and counts. */
#include "output/message.h"
#include "output/quoted.h"
#include "session/replay.h"
#include "tools/info/info.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void note_exited(void *data, struct proclife_process *process)
{
	struct info *info = data;

	(void)process;
	info->processes.ended++;
}

/* Notes the command, as it was at its end. */
static void note_command(struct info *info, const struct proclife_process *process)
{
	if (info->command.path || !process->path)
		return;
	info->command.path = strdup(process->path);
	if (!info->command.path)
		die_no_memory();
	if (!process->args)
		return;
	info->command.args = malloc(process->args_bytes + 1);
	if (!info->command.args)
		die_no_memory();
	memcpy(info->command.args, process->args, process->args_bytes + 1);
	info->command.args_bytes = process->args_bytes;
	info->command.args_cut = process->args_cut;
}

static void note_gone(void *data, struct proclife_process *process)
{
	struct info *info = data;
	const struct proclife_run_info *recorded = info->recorded;

	info->processes.all++;
	info->processes.born += process->marks.born != 0;
	if (process->outlives)
		info->processes.states[proclife_process_state(process)]++;
	if (recorded->command && process->tgid == recorded->command && process->marks.born &&
	    process->creator_tgid == recorded->command_creator)
		note_command(info, process);
}

static struct info_stream *stream_of(struct info *info, uint32_t cpu)
{
	if (cpu >= info->header->cpus)
		cpu = info->header->cpus + (cpu == PROCLIFE_CPU_ALL);
	return &info->streams[cpu];
}

static void note_event(struct info *info, const struct proclife_event *event)
{
	const struct proclife_record *record = event->record;
	uint64_t ts = record ? record->ts : event->gap.lost ? event->gap.from : event->gap.to;

	count_missing(&info->run, event);
	if (!record && event->gap.lost)
		stream_of(info, event->gap.cpu)->lost += event->gap.lost;
	if (record) {
		info->records++;
		info->types[proclife_type_name(record->type) ? record->type : PROCLIFE_NONE]++;
	}
	if (ts && ts >= whole_since(info->run.source) && (!record || !is_of_before(record)) && (!info->first || ts < info->first))
		info->first = ts;
}

static int read_lives(struct info *info)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_exited = note_exited,
		.process_gone = note_gone,
	};
	struct proclife_event event;
	int ret = proclife_tasks_new(&info->run.tasks, info->run.source);

	if (!ret)
		ret = proclife_tasks_report(info->run.tasks, &reports, info);
	while (!ret && (ret = proclife_source_next(info->run.source, &event)) >= 0) {
		if (!ret) /* it is still looking for readable data in a damaged stream */
			continue;
		note_event(info, &event);
		ret = is_hidden(&info->run, &event) ? 0 : proclife_tasks_feed(info->run.tasks, &event);
		ret = ret < 0 ? ret : 0;
	}
	return ret == -ENODATA ? proclife_tasks_close(info->run.tasks) : ret;
}

/* The file's size; 0 if it is not there. */
static uint64_t size_of(int dir, const char *name, bool *is_there)
{
	struct stat st;

	*is_there = !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
	return *is_there ? (uint64_t)st.st_size : 0;
}

static uint64_t tree_bytes;

static int add_bytes(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	tree_bytes += type == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

static bool is_one_folder(const struct info *info)
{
	int dir = open(info->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool has_metadata;

	size_of(dir, "metadata", &has_metadata);
	if (dir >= 0)
		close(dir);
	return has_metadata;
}

/* With parts: all that is in the folder, parts of other runs included. */
static void measure_tree(struct info *info)
{
	tree_bytes = 0;
	nftw(info->dir, add_bytes, 8, FTW_PHYS);
	info->disk = tree_bytes;
}

static void measure_files(struct info *info)
{
	static const char *const others[] = { "metadata", ".cgroups", ".users" };
	int dir = open(info->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char compressed[INFO_NAME + sizeof(".zst")];
	bool is_there;
	size_t i;

	for (i = 0; dir >= 0 && i < info->stream_count; i++) {
		struct info_stream *stream = &info->streams[i];

		if (i < info->header->cpus)
			snprintf(stream->name, sizeof(stream->name), "cpu_%u",
				 (unsigned int)i);
		else
			strcpy(stream->name, i == info->header->cpus ? "snapshot" : "all_cpus");
		stream->bytes = size_of(dir, stream->name, &stream->is_there);
		if (!stream->is_there) {
			snprintf(compressed, sizeof(compressed), "%s.zst", stream->name);
			stream->bytes = size_of(dir, compressed, &stream->is_there);
			stream->compressed = stream->is_there;
		}
		info->disk += stream->bytes;
	}
	for (i = 0; dir >= 0 && i < sizeof(others) / sizeof(others[0]); i++)
		info->disk += size_of(dir, others[i], &is_there);
	if (dir >= 0)
		close(dir);
}

static int read_recording(struct info *info)
{
	int ret = replay_open(&info->run.source, info->dir);

	if (ret)
		return ret;
	info->recorded = proclife_recording_info(info->run.source);
	info->header = proclife_source_header(info->run.source);
	info->stream_count = info->header->cpus + 2;
	info->streams = calloc(info->stream_count, sizeof(*info->streams));
	if (!info->streams)
		die_no_memory();
	info->run.to = UINT64_MAX;
	info->run.began = info->recorded->began;
	if (!info->header->to_realtime) /* the time of day is not known */
		info->options.times = TIMES_MONOTONIC;
	ret = read_lives(info);
	if (ret) {
		message("%s: %s", quoted(info->dir), strerror(-ret));
		return ret;
	}
	info->run.ended = proclife_source_horizon(info->run.source);
	if (!is_one_folder(info))
		measure_tree(info);
	else
		measure_files(info);
	return 0;
}

static bool is_incomplete(const struct info *info)
{
	return info->run.lost || proclife_recording_damage(info->run.source, 0) ||
	       (!info->recorded->complete && !info->recorded->running);
}

static void free_info(struct info *info)
{
	free(info->command.path);
	free(info->command.args);
	free(info->streams);
	proclife_tasks_free(info->run.tasks);
	proclife_source_free(info->run.source);
}

static int show_one(const struct options *options, const struct screen *screen, struct json *json,
		    const char *dir)
{
	struct info info = {
		.run = { .screen = screen, .json = json }, .options = *options, .dir = dir,
	};
	int status = STATUS_ERROR;

	info.run.options = &info.options;
	if (!read_recording(&info)) {
		if (options->json)
			info_json(&info);
		else
			info_print(&info);
		status = is_incomplete(&info) ? STATUS_LOST : 0;
	}
	free_info(&info);
	return status;
}

/* An error in one is worse than missing parts of another. */
static int worse(int a, int b)
{
	return a == STATUS_ERROR || b == STATUS_ERROR ? STATUS_ERROR : a ? a : b;
}

static int run(const struct options *options, const struct screen *screen)
{
	struct json json;
	int status = 0;
	size_t i;

	json_init(&json, screen->out);
	for (i = 0; i < options->inputs.count; i++) {
		if (i && !options->json)
			fputc('\n', screen->out);
		status = worse(status, show_one(options, screen, &json, options->inputs.all[i]));
	}
	json_free(&json);
	errno = 0;
	if (fflush(screen->out) || ferror(screen->out)) {
		message("standard output: %s", strerror(errno ? errno : EIO));
		return STATUS_ERROR;
	}
	return status;
}

const struct request tool_info = {
	.name = "info",
	.help = "What a recording is: machine, times, what it holds, what is lost",
	.scope = "shows recordings, each as a whole",
	.takes = GIVEN(INPUT),
	.is_minor = true,
	.adds_up = true,
	.needs_input = true,
	.run = run,
};
