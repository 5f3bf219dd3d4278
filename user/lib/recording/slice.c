// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A recording that is made of another one: it gets the records of the other that the caller selects, in
 * the streams from which it comes. All else is as in the other, so that its views are the same.
 */
#include "recording/recorder.h"

#include <errno.h>

int proclife_recorder_slice(struct proclife_recorder **recorder, struct proclife_source *source,
			    const char *path, const char *dir, const struct proclife_run_info *run)
{
	const struct proclife_run_info *of = proclife_recording_info(source);
	int err;

	if (!of)
		return -ENOTSUP;
	err = proclife_recorder_make(recorder, source, path, dir, run);
	if (!err)
		(*recorder)->cut = !of->complete && !of->running;
	return err;
}

static int add(struct proclife_recorder *recorder, const struct proclife_event *event)
{
	struct proclife_ctf_writer *writer;
	int err = proclife_recorder_writer(recorder, recorder->source->merge.run->order, &writer);

	if (err)
		return err;
	if (!event->record)
		return proclife_ctf_writer_gap(writer, &event->gap);
	err = proclife_ctf_writer_records(writer, event->record, 1);
	return err ? err : proclife_recorder_note(recorder, event->record, event->record + 1);
}

int proclife_recorder_add(struct proclife_recorder *recorder, const struct proclife_event *event)
{
	if (!recorder->slice || !recorder->source->merge.run)
		return -ENOTSUP;
	if (!recorder->error)
		recorder->error = add(recorder, event);
	return recorder->error;
}
