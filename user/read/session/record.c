// SPDX-License-Identifier: GPL-2.0-only
#include "output/file_owner.h"
#include "output/message.h"
#include "output/quoted.h"
#include "output/replace.h"
#include "session/compress.h"
#include "session/notify.h"
#include "session/record.h"
#include "views/share/when.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SECOND 1000000000ULL
#define MIB (UINT64_C(1) << 20)
#define TELL_EVERY (5 * SECOND)

static int begin_keeping(struct record *record, struct proclife_source *source, const struct options *options,
			 const struct proclife_run_info *run)
{
	const struct proclife_keep keep = {
		.size = sizeof(keep), .bytes = options->record.bytes, .age = options->record.age,
	};
	int ret = proclife_recorder_keep(&record->recorder, source, record->dir, run, &keep);
	uint64_t least;

	if (ret == -ERANGE) {
		least = (proclife_keep_least(source) + MIB - 1) / MIB;
		message("--keep: too small for the CPUs and tasks of this machine: give at least %" PRIu64 "MiB",
			least);
	} else if (ret == -ENOTEMPTY) {
		message("--record %s --keep: it is a recording already; name another folder", quoted(record->dir));
	} else if (ret == -EBUSY) {
		message("--record %s --keep: another proclife-read records there; name another folder, or stop that one",
			quoted(record->dir));
	} else {
		return ret;
	}
	record->error = ret;
	return 1;
}

int record_begin(struct record *record, const struct run *run, const struct proclife_run_info *info)
{
	int ret;

	record->run = run;
	record->dir = run->options->record.dir;
	if (run->options->record.bytes)
		ret = begin_keeping(record, run->source, run->options, info);
	else
		ret = proclife_recorder_new(&record->recorder, run->source, record->dir, info);
	if (ret > 0) /* it has printed a message */
		return record->error;
	record->error = ret;
	if (ret == -EPERM && owner_say_folder("--record", record->dir))
		return ret;
	if (ret == -ENOTEMPTY)
		message("--record %s: the folder is not empty; name a new one", quoted(record->dir));
	else if (ret == -ENOTDIR)
		message("--record %s: there is something that is not a folder; name a new one",
			quoted(record->dir));
	else if (ret)
		message("--record %s: cannot write there: %s", quoted(record->dir), strerror(-ret));
	return ret;
}

/* The recording is readable up to here. A view beside it goes on. */
static void record_failed(struct record *record, int error)
{
	record->error = error;
	message("--record %s: %s; the recording ends here, and can be read up to this point%s",
		quoted(record->dir), strerror(-error),
		replace_is_full(error) ? "; make room and record again" : "");
	proclife_recorder_free(record->recorder);
	record->recorder = NULL;
}

/* What `systemctl status` shows. */
static void tell(struct record *record)
{
	const struct proclife_recorder_counts *counts = proclife_recorder_counts(record->recorder);
	char since[WHEN_SIZE];
	const struct proclife_held *held = proclife_recorder_held(record->recorder);

	if (!held)
		return;
	notify_tell("READY=1\nWATCHDOG=1\nSTATUS=Holds %" PRIu64 " MiB in %u %s, whole since %s; %" PRIu64
		    " %s so far, %" PRIu64 " lost", (held->bytes + MIB / 2) / MIB, held->parts,
		    plural(held->parts, "part", "parts"), when_text(record->run, held->since, since), counts->records,
		    plural(counts->records, "record", "records"), counts->lost);
}

/* So events reach the disk within about a second. */
static void record_advance(void *data, struct tick *tick)
{
	struct record *record = data;
	uint64_t now = tick->now;
	int ret;

	if (!record->recorder)
		return;
	ret = proclife_recorder_error(record->recorder);
	if (!ret && now >= record->next_sync) {
		ret = proclife_recorder_sync(record->recorder);
		record->next_sync = now + SECOND;
	}
	if (ret) {
		record_failed(record, ret);
		return;
	}
	tick_before(tick, record->next_sync);
	if (now < record->next_tell || !notify_is_wanted())
		return;
	record->next_tell = now + TELL_EVERY;
	tell(record);
}

void record_finish(struct record *record, const struct proclife_run_info *run, bool verbose)
{
	struct proclife_recorder_counts counts;
	int ret;

	if (!record->recorder)
		return;
	notify_tell("STOPPING=1");
	ret = proclife_recorder_finish(record->recorder, run);
	if (ret) {
		record_failed(record, ret);
		return;
	}
	counts = *proclife_recorder_counts(record->recorder);
	if (verbose)
		message("%s: %" PRIu64 " %s, %" PRIu64 " bytes, %" PRIu64 " lost", quoted(record->dir),
			counts.records, plural(counts.records, "record", "records"), counts.bytes, counts.lost);
}

void record_compress(struct record *record)
{
	if (!record->recorder || !record->run->options->record.compress)
		return;
	proclife_recorder_free(record->recorder); /* it holds a lock */
	record->recorder = NULL;
	record->error = compress_recording("--record", record->dir);
}

/* The recording stays; if it was not completed, it counts as cut off. */
static void record_free(void *data)
{
	proclife_recorder_free(((struct record *)data)->recorder);
}

/* The source gives it its events. */
const struct stage record_stage = { .advance = record_advance, .free = record_free };
