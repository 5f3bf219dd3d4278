// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a recording: one folder, or a sequence of parts, one of them open at a time. The recorder can
 * remove the oldest while they are read.
 */
#include "recording/folder.h"
#include "recording/parts.h"
#include "base/plain.h"
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was known of a part when the recording was opened, or of several in a row that are not there. */
struct part {
	uint32_t number;
	uint64_t began;	  /* 0: it could not be read */
	uint64_t records; /* and lost ones; 0 if that is not known */
};

struct proclife_recording {
	struct proclife_source source;
	struct proclife_folder folder;
	struct proclife_header header; /* of the first part */
	struct proclife_run_info run;  /* of all parts */
	struct proclife_fault fault; /* why it cannot be opened */
	bool began;
	char path[PATH_MAX]; /* of the folder with the parts */
	struct part *parts;
	size_t count;
	size_t at; /* the one that is open */
	struct proclife_folder last; /* as it was at first, without its streams; used up once it is reached */
	struct proclife_stream hole; /* where parts are missing */
	struct proclife_damage *damage; /* of the parts before */
	size_t damage_count;
};

static struct proclife_recording *recording_of(const struct proclife_source *source)
{
	return (struct proclife_recording *)source;
}

static bool is_last(const struct proclife_recording *recording)
{
	return recording->at + 1 >= recording->count;
}

static int next_part(struct proclife_recording *recording);

static int recording_more(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);
	struct proclife_folder *folder = &recording->folder;

	if (recording->began) {
		int ret;

		source->merge.horizon = proclife_folder_end(folder);
		ret = next_part(recording);
		if (ret <= 0)
			return ret ? ret : -ENODATA;
	}
	for (uint32_t i = 0; i < folder->count; i++) {
		struct proclife_stream *stream = &folder->readers[i]->stream;

		if (stream->cur == stream->end && !proclife_gap_is(&stream->gap) &&
		    proclife_ctf_reader_refill(stream))
			return 0; /* the others come next time */
	}
	recording->began = true;
	proclife_merge_build(&source->merge);
	/* A running recording is complete up to this time; later events may be missing. */
	source->merge.horizon = recording->run.running && is_last(recording) ? recording->run.synced : UINT64_MAX;
	return 1;
}

static const struct proclife_header *recording_header(struct proclife_source *source)
{
	return &recording_of(source)->header;
}

static const struct proclife_run_info *recording_info(const struct proclife_source *source)
{
	return &recording_of(source)->run;
}

static const struct proclife_damage *recording_damage(const struct proclife_source *source,
						      size_t index)
{
	const struct proclife_recording *recording = recording_of(source);
	const struct proclife_merge *merge = &source->merge;

	if (index < recording->damage_count)
		return &recording->damage[index];
	index -= recording->damage_count;
	for (uint32_t i = 0; i < merge->count; i++) {
		const struct proclife_ctf_reader *reader = (const void *)merge->streams[i];

		if (merge->streams[i] != &recording->hole && reader->damage.places && !index--)
			return &reader->damage;
	}
	return NULL;
}

static void recording_free(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);

	proclife_folder_close(&recording->folder);
	proclife_folder_close(&recording->last);
	free(recording->parts);
	free(recording->damage);
	free(recording);
}

static const struct proclife_source_ops recording_ops = {
	.more = recording_more,
	.header = recording_header,
	.info = recording_info,
	.damage = recording_damage,
	.free = recording_free,
};

static int part_path(const struct proclife_recording *recording, size_t at, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/%08" PRIu32, recording->path, recording->parts[at].number);

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Has it been put here from elsewhere? Its lives are others then, and so may be its times. */
static bool is_of_another(const struct proclife_recording *recording, const struct part *part,
			  const struct proclife_metadata *metadata)
{
	const struct proclife_header *first = &recording->header, *header = &metadata->header;
	const struct proclife_run_info *run = &metadata->run;

	if (run->part != part->number || !run->began || (part->began && part->began != run->began))
		return true;
	if (recording->last.dir >= 0 && !part->began && run->began < recording->last.metadata.run.began)
		return true;
	return recording->run.parts &&
	       (run->began < recording->run.began || header->cpus != first->cpus ||
		header->loaded != first->loaded || header->to_realtime != first->to_realtime ||
		header->to_boottime != first->to_boottime ||
		strcmp(run->hostname, recording->run.hostname));
}

static int open_part(struct proclife_recording *recording, size_t at, struct proclife_folder *folder)
{
	char path[PATH_MAX];
	int err = part_path(recording, at, path);

	if (!err)
		err = proclife_folder_open(folder, path, &recording->fault);
	if (!err)
		err = proclife_folder_metadata(folder, &recording->fault);
	if (err || !is_of_another(recording, &recording->parts[at], &folder->metadata))
		return err;
	proclife_fault_at(&recording->fault, path, "metadata", "this part is of another recording, or another one of this; put it where it was");
	return -EBADMSG;
}

static int add_damage(struct proclife_recording *recording, const struct proclife_damage *damage, uint32_t part)
{
	struct proclife_damage *more;

	more = reallocarray(recording->damage, recording->damage_count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	recording->damage = more;
	more += recording->damage_count++;
	*more = *damage;
	snprintf(more->stream, sizeof(more->stream), "%08" PRIu32 "%s%.12s", part,
		 damage->stream[0] ? "/" : "", damage->stream);
	return 0;
}

/* The streams of a part that has been read leave what was wrong with them. */
static int end_part(struct proclife_recording *recording)
{
	struct proclife_folder *folder = &recording->folder;
	uint64_t yielded = recording->source.merge.yielded;
	int err = 0;

	for (uint32_t i = 0; i < folder->count && !err; i++)
		if (folder->readers[i]->damage.places)
			err = add_damage(recording, &folder->readers[i]->damage,
					 recording->parts[recording->at].number);
	proclife_merge_free(&recording->source.merge);
	recording->source.merge.yielded = yielded;
	proclife_folder_close(folder);
	return err;
}

/* Why it cannot be read, and what that may hide. */
static int add_unread(struct proclife_recording *recording, size_t at, const char *why,
		      const struct proclife_gap *gap)
{
	const struct part *part = &recording->parts[at];
	struct proclife_damage damage = {
		.places = 1, .lost = gap->lost, .from = gap->from, .to = gap->to,
		.estimated = !part->records, .unread = true,
	};

	snprintf(damage.what, sizeof(damage.what), "%.95s", why);
	recording->fault.text[0] = '\0';
	return add_damage(recording, &damage, part->number);
}

static const char *why_unread(const struct proclife_recording *recording, const struct part *part, int err)
{
	if (err != -ENOENT)
		return recording->fault.text;
	return part->began ? "removed by the recorder while this was read" : "it is missing";
}

/* It cannot be read, most likely since its recorder has removed it. */
static int skip_part(struct proclife_recording *recording, size_t at, uint64_t from, int err)
{
	const struct part *part = &recording->parts[at];
	struct proclife_gap gap = { .lost = part->records ? part->records : 1, .from = from, .to = from };

	for (size_t next = at + 1; next < recording->count && gap.to == from; next++)
		gap.to = recording->parts[next].began ? recording->parts[next].began : from;
	recording->hole.gap.lost += gap.lost;
	if (!recording->hole.gap.from)
		recording->hole.gap.from = from;
	recording->hole.gap.to = gap.to;
	recording->hole.gap.cpu = PROCLIFE_CPU_ALL;
	return add_unread(recording, at, why_unread(recording, part, err), &gap);
}

static int hole_refill(struct proclife_stream *stream)
{
	(void)stream;
	return 0;
}

/* The merge, for the part that is open. */
static int begin_part(struct proclife_recording *recording)
{
	struct proclife_merge *merge = &recording->source.merge;
	int err = proclife_folder_streams(&recording->folder, merge, recording->folder.metadata.run.began,
					  &recording->fault);

	recording->hole.order = PROCLIFE_CPU_ALL;
	recording->hole.refill = hole_refill;
	if (!err && proclife_gap_is(&recording->hole.gap))
		err = proclife_merge_add(merge, &recording->hole);
	return err;
}

/* 1: it is open; 0: there is none; or a negative errno. */
static int next_part(struct proclife_recording *recording)
{
	uint64_t from = recording->source.merge.horizon;
	int err = 0;

	if (is_last(recording))
		return 0;
	err = end_part(recording);
	recording->hole = (struct proclife_stream){ 0 };
	while (!err && ++recording->at < recording->count) {
		if (recording->at + 1 == recording->count) {
			recording->folder = recording->last;
			recording->last = (struct proclife_folder){ .dir = -1 };
		} else {
			err = open_part(recording, recording->at, &recording->folder);
		}
		if (!err) {
			recording->began = false;
			err = begin_part(recording);
			return err ? err : 1;
		}
		proclife_folder_close(&recording->folder);
		err = err == -ENOMEM ? err : skip_part(recording, recording->at, from, err);
	}
	return err;
}

/* What all parts have: the last one alone knows how it ends. */
static void add_run(struct proclife_recording *recording, const struct proclife_run_info *part)
{
	struct proclife_run_info *run = &recording->run, first = *run;

	*run = *part;
	run->began = first.began;
	run->part = first.part;
	run->parts = first.parts;
	memcpy(run->uuid, first.uuid, sizeof(run->uuid));
	run->records += first.records;
	run->lost += first.lost;
}

/* The first one that can be read stays open, and the last one. */
static int look_at_part(struct proclife_recording *recording, size_t at)
{
	struct proclife_folder folder;
	const struct proclife_run_info *run = &folder.metadata.run;
	int err = open_part(recording, at, &folder);

	if (err) {
		proclife_folder_close(&folder);
		return err;
	}
	recording->parts[at].began = run->began;
	recording->parts[at].records = run->complete ? run->records + run->lost : 0;
	if (recording->folder.dir < 0) {
		recording->header = folder.metadata.header;
		recording->run = *run;
		recording->folder = folder;
	} else {
		add_run(recording, run);
		recording->header.reap_missed = folder.metadata.header.reap_missed;
		recording->header.marks_missed = folder.metadata.header.marks_missed;
		proclife_folder_close(&recording->last);
		recording->last = folder;
	}
	recording->run.parts++;
	return 0;
}

/* Parts before the first or after the last readable one: reported without times, since no neighbour bounds them. */
static int add_outside(struct proclife_recording *recording, size_t at)
{
	const struct proclife_gap nothing = { 0 };
	struct proclife_folder folder;
	int err = open_part(recording, at, &folder);

	proclife_folder_close(&folder);
	if (err == -ENOENT || err == -ENOMEM) /* -ENOENT: removed */
		return err == -ENOMEM ? err : 0;
	if (!err)
		proclife_fault_set(&recording->fault, "it could be read only when this had begun; try again");
	return add_unread(recording, at, why_unread(recording, &recording->parts[at], err), &nothing);
}

/* By their numbers, those that are later than all before. What is not there has one in its place. */
static int note_parts(struct proclife_recording *recording, const uint32_t *numbers, size_t count)
{
	struct part *parts = reallocarray(recording->parts, recording->count + 2 * count, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	recording->parts = parts;
	for (size_t i = 0; i < count; i++) {
		const struct part *before = recording->count ? &parts[recording->count - 1] : NULL;

		if (before && numbers[i] <= before->number)
			continue;
		if (before && numbers[i] != before->number + 1)
			parts[recording->count++] = (struct part){ .number = before->number + 1 };
		parts[recording->count++] = (struct part){ .number = numbers[i] };
	}
	return 0;
}

/* Those that the recorder has made since. */
static int note_later_parts(struct proclife_recording *recording)
{
	int dir = open(recording->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	uint32_t *numbers;
	size_t count;

	recording->fault.text[0] = '\0'; /* why a part cannot be read, which add_outside() finds again */
	if (dir < 0)
		return -errno;
	err = proclife_parts_find(dir, &numbers, &count);
	close(dir);
	if (!err)
		err = note_parts(recording, numbers, count);
	free(numbers);
	return err;
}

/* Has the last part that can be read ended because another one follows? */
static bool is_followed(const struct proclife_recording *recording)
{
	return recording->run.complete && !strcmp(recording->run.reason, PROCLIFE_PART_REASON);
}

/* The metadata of all parts. *@first and *@last: those that can be read. */
static int look_at_all(struct proclife_recording *recording, size_t *first, size_t *last)
{
	size_t at = 0;
	int err;

	do {
		for (; at < recording->count; at++) {
			err = look_at_part(recording, at);
			if (err == -ENOMEM)
				return err;
			if (!err)
				*last = at;
			if (!recording->run.parts)
				*first = at + 1;
		}
		err = is_followed(recording) ? note_later_parts(recording) : 0;
	} while (!err && at < recording->count);
	return err;
}

/* The part that was to follow is not there: its recorder is making it, or was interrupted before that. */
static void leave_open(struct proclife_recording *recording)
{
	const struct proclife_folder *latest = recording->last.dir >= 0 ? &recording->last : &recording->folder;
	struct proclife_run_info *run = &recording->run;

	run->complete = false;
	run->running = latest->locked;
	run->ended = 0;
	memset(run->reason, 0, sizeof(run->reason));
}

/*
 * What cannot be read at the beginning or the end, this recording does not have: a power failure can leave the
 * last part without metadata. Between others, it is a hole.
 */
static int look_at_parts(struct proclife_recording *recording)
{
	size_t first = 0, last = 0;
	int err = look_at_all(recording, &first, &last);

	if (!err && !recording->run.parts)
		err = look_at_part(recording, 0); /* for its message */
	for (size_t at = 0; at < recording->count && !err; at++)
		if (at < first || at > last)
			err = add_outside(recording, at);
	if (err)
		return err;
	recording->count = last - first + 1;
	memmove(recording->parts, recording->parts + first, recording->count * sizeof(*recording->parts));
	if (is_followed(recording))
		leave_open(recording);
	return 0;
}

static int load(struct proclife_recording *recording, const char *path)
{
	struct proclife_folder *folder = &recording->folder;
	int err = proclife_folder_open(folder, path, &recording->fault);
	uint32_t *numbers;
	size_t count;

	if (err)
		return err;
	err = proclife_parts_locate(folder->dir, path, recording->path, &numbers, &count);
	if (!err) {
		proclife_folder_close(folder);
		err = note_parts(recording, numbers, count);
		err = err ? err : look_at_parts(recording);
	} else if (err == -ENOENT) {
		err = proclife_folder_metadata(folder, &recording->fault);
		recording->run = folder->metadata.run;
		recording->run.parts = recording->run.part != 0;
		recording->header = folder->metadata.header;
	}
	free(numbers);
	return err ? err : proclife_folder_streams(folder, &recording->source.merge, 0, &recording->fault);
}

int proclife_recording_open(struct proclife_source **source, const char *path,
			    struct proclife_fault *fault)
{
	struct proclife_recording *recording = calloc(1, sizeof(*recording));
	struct proclife_metadata *metadata;
	int err;

	if (!recording) {
		if (fault)
			proclife_fault_at(fault, path, NULL, "cannot read: %s", proclife_strerror(ENOMEM));
		return -ENOMEM;
	}
	recording->source.ops = &recording_ops;
	recording->folder.dir = -1;
	recording->last.dir = -1;
	err = load(recording, path);
	if (err) {
		if (!recording->fault.text[0])
			proclife_fault_at(&recording->fault, path, NULL, "cannot read: %s%s",
					  proclife_strerror(-err), proclife_remedy(-err));
		if (fault)
			*fault = recording->fault;
		proclife_source_free(&recording->source);
		return err;
	}
	/* The last one has all changes that there were. */
	metadata = recording->last.dir >= 0 ? &recording->last.metadata : &recording->folder.metadata;
	recording->source.daytime = metadata->daytime;
	recording->source.boottime = metadata->boottime;
	metadata->daytime = (struct proclife_daytime){ 0 };
	metadata->boottime = (struct proclife_daytime){ 0 };
	*source = &recording->source;
	return 0;
}
