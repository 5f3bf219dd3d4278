// SPDX-License-Identifier: GPL-2.0-only
/*
 * --slice: the recording is read twice. The first time as for a view, which decides whose lives are
 * kept; the second time their records are copied.
 */
#include "output/file_owner.h"
#include "output/message.h"
#include "output/quoted.h"
#include "session/compress.h"
#include "session/matched.h"
#include "session/pids.h"
#include "session/progress.h"
#include "session/range.h"
#include "session/replay.h"
#include "tools/slice/kept.h"
#include "views/views.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

struct slice {
	struct run run; /* of the first time */
	const struct proclife_run_info *recorded;
	const char *dir;
	bool cut;  /* the recording breaks off, or its recorder has not come farther */
	bool all;  /* nothing is left out */
	struct kept kept;
	struct proclife_recorder *recorder;
	struct proclife_source *again; /* of the second time */
	struct proclife_run_info part;
	struct proclife_recorder_counts counts;
	struct progress progress;
};

static void poll_progress(struct slice *slice)
{
	struct tick tick = { 0 };

	if (++slice->progress.records % 1024)
		return;
	tick.now = proclife_source_now(slice->run.source);
	progress_advance(&slice->progress, &tick);
}

/*
 * The first time
 */

static int note(void *data, const struct proclife_event *event)
{
	struct slice *slice = data;

	count_missing(&slice->run, event);
	kept_note(&slice->kept, slice->run.tasks, event);
	poll_progress(slice);
	return 0;
}

static int prepare(struct slice *slice)
{
	struct run *run = &slice->run;
	int ret = range_resolve(run, slice->recorded);

	if (!ret)
		ret = proclife_tasks_new(&run->tasks, run->source);
	if (!ret)
		ret = kept_begin(&slice->kept, run->tasks);
	if (!ret)
		ret = matched_begin(run, slice->dir);
	return ret ? ret : pids_select(run, true);
}

static int decide(struct slice *slice)
{
	const struct options *options = slice->run.options;
	int ret = replay_open(&slice->run.source, slice->dir);

	if (ret)
		return ret;
	slice->recorded = proclife_recording_info(slice->run.source);
	slice->run.began = slice->recorded->began;
	ret = prepare(slice);
	if (!ret)
		ret = proclife_tasks_replay(slice->run.tasks, note, slice);
	if (ret < 0) {
		if (ret != -ESRCH)
			message("%s: %s", quoted(slice->dir), strerror(-ret));
		return ret;
	}
	slice->cut = ret != 0;
	slice->run.ended = proclife_source_horizon(slice->run.source);
	slice->all = !options->pids.count && !slice->recorded->command && !options->from.kind &&
		     !options->to.kind && !filter_is_set(&options->filter);
	kept_complete(&slice->kept);
	return 0;
}

/*
 * The second time
 */

static enum proclife_match is_kept(void *data, const struct proclife_process *process)
{
	const struct slice *slice = data;

	return kept_has(&slice->kept, process->id) ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

static int begin_copy(struct slice *slice, struct proclife_tasks **tasks)
{
	int ret = replay_open(&slice->again, slice->dir);

	if (ret)
		return ret;
	if (!is_same_recording(proclife_recording_info(slice->again), slice->recorded)) {
		message("%s: another recording has taken its place; slice it again", quoted(slice->dir));
		return -ESTALE;
	}
	ret = proclife_tasks_new(tasks, NULL);
	if (ret)
		die_no_memory();
	if (!slice->all)
		proclife_tasks_filter(*tasks, is_kept, slice);
	return 0;
}

/* What its views are to know: the same as the recording's views. */
static void fill_part(struct slice *slice)
{
	slice->part = *slice->recorded;
	slice->part.ended = slice->run.ended;
	if (slice->recorded->running)
		strcpy(slice->part.reason, "running");
	if (!slice->run.options->pids.count)
		return;
	/* If it is a part of what the command ran, the command need not be in it. */
	slice->part.command = 0;
	slice->part.command_creator = 0;
	slice->part.command_status = -1;
}

static int copy_events(struct slice *slice, struct proclife_tasks *tasks)
{
	struct proclife_event event;
	int ret, fits;

	while ((ret = proclife_source_next(slice->again, &event)) >= 0) {
		if (!ret) /* it looks for what can be read of a damaged stream */
			continue;
		poll_progress(slice);
		/* It still grows. */
		if (slice->recorded->running && event.record && event.record->ts >= slice->run.ended)
			return 0;
		if (is_hidden(&slice->run, &event))
			continue;
		fits = slice->all ? 1 : proclife_tasks_feed(tasks, &event);
		ret = fits > 0 ? proclife_recorder_add(slice->recorder, &event) : fits;
		if (ret)
			return ret;
	}
	return ret == -ENODATA ? 0 : ret;
}

static const char *remedy(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return "make room";
	case -EMFILE:
	case -ENFILE:
		return "raise the limit of open files ('ulimit -n')";
	default:
		return NULL;
	}
}

static void say_failed(const struct slice *slice, int error)
{
	const char *to = quoted(slice->run.options->slice), *first = remedy(error);

	if (error == -EPERM && !slice->recorder && owner_say_folder("--slice", slice->run.options->slice))
		return;
	if (error == -ENOTEMPTY)
		message("--slice %s: the folder is not empty; name a new one", to);
	else if (error == -ENOTDIR)
		message("--slice %s: there is something that is not a folder; name a new one", to);
	else if (!slice->recorder)
		message("--slice %s: cannot write there: %s%s%s", to, strerror(-error), first ? "; " : "",
			first ? first : "");
	else
		message("--slice %s: %s; what is there counts as cut off; remove it, %s%sand slice again", to,
			strerror(-error), first ? first : "", first ? " " : "");
}

static int copy(struct slice *slice)
{
	struct proclife_tasks *tasks = NULL;
	int ret = begin_copy(slice, &tasks);

	if (ret)
		return ret;
	fill_part(slice);
	ret = proclife_recorder_slice(&slice->recorder, slice->again, slice->dir,
				      slice->run.options->slice, &slice->part);
	if (!ret)
		ret = copy_events(slice, tasks);
	if (!ret)
		ret = proclife_recorder_finish(slice->recorder, &slice->part);
	progress_end(&slice->progress);
	if (ret)
		say_failed(slice, ret);
	else
		slice->counts = *proclife_recorder_counts(slice->recorder);
	proclife_recorder_free(slice->recorder);
	proclife_tasks_free(tasks);
	return ret;
}

static void sum_up(const struct slice *slice)
{
	const struct kept *kept = &slice->kept;
	struct text text;

	if (message_is_quiet())
		return;
	text_init(&text, slice->run.screen);
	if (slice->all) {
		text_string(&text, "all processes");
	} else {
		text_plural(&text, kept->asked_for, "process", "processes");
		if (kept->needed)
			text_printf(&text, ", and %" PRIu64 " more that %s", kept->needed,
				    plural(kept->asked_for, "it needs", "they need"));
	}
	message("%s: %s: %" PRIu64 " %s, %" PRIu64 " bytes, %" PRIu64 " lost",
		quoted(slice->run.options->slice), text.s, slice->counts.records,
		plural(slice->counts.records, "record", "records"), slice->counts.bytes, slice->counts.lost);
	text_free(&text);
}

static void say_lost(const struct run *run)
{
	if (run->lost > run->damaged) /* of those it has been said */
		message("%" PRIu64 " %s lost when this was recorded: the slice is incomplete, too",
			run->lost - run->damaged, plural(run->lost - run->damaged, "record was", "records were"));
}

static void end(struct slice *slice)
{
	progress_end(&slice->progress);
	kept_free(&slice->kept);
	proclife_tasks_free(slice->run.tasks);
	pids_free(&slice->run);
	proclife_cgroups_free(slice->run.cgroups);
	proclife_users_free(slice->run.users);
	proclife_source_free(slice->again);
	proclife_source_free(slice->run.source);
}

static int run(const struct options *options, const struct screen *screen)
{
	struct slice slice = {
		.run = { .options = options, .screen = screen }, .dir = options->inputs.all[0],
	};
	int status = STATUS_ERROR;
	bool compressed;

	signal(SIGXFSZ, SIG_IGN); /* it is an error of write(2), as a full disk is */
	if (message_on_terminal())
		progress_begin(&slice.progress, NULL, 0, 0);
	if (!decide(&slice) && !copy(&slice)) {
		slice.run.matched.processes = slice.kept.matching;
		slice.run.matched.keeps_unjudged = true;
		matched_report(&slice.run, NULL);
		sum_up(&slice);
		compressed = !options->record.compress || !compress_recording("--slice", options->slice);
		status = replay_verdict(&slice.run, slice.recorded, slice.dir, slice.cut);
		say_lost(&slice.run);
		if (!compressed)
			status = STATUS_ERROR;
	}
	end(&slice);
	return status;
}

const struct request tool_slice = {
	.name = "slice",
	.argument = { "DIR", FILLS(TEXT, slice) },
	.help = "Write the selected processes of a recording to this new folder",
	.scope = "writes whole lives of a recording, those that are selected",
	.takes = OF_SELECTION | GIVEN(INPUT) | GIVEN(COMPRESS),
	.range = RANGE_OF_LIVES,
	.no_json = "writes a recording, and all that it says is messages: leave out --json",
	.needs_input = true,
	.run = run,
	.is_minor = true,
};
