// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A recorder that keeps the latest: when a part is full, another one begins where it ends. A source can be
 * asked at any time what it has yielded, so no record is in two parts, and none is between them.
 */
#include "flight/carry.h"
#include "device/device.h"
#include "recording/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART_BYTES (UINT64_C(16) << 20) /* more makes it no better: the oldest part is removed whole */
#define PARTS 16	   /* at least this many of them... */
#define CARRIED_SHARE 8 /* ... and this share of all for what one begins with */
/*
 * Names have room of their own: any user can make many long paths of cgroups, and must not fill parts with
 * them. The two files of a part have this share of all each, and a reader reads all of them.
 */
#define NAMES_SHARE 32
#define NAMES_BYTES (UINT64_C(8) << 20)

/*
 * What a stream can still add between two looks at the part: the packet that is being filled, the span that
 * is being yielded, and what these are rounded up to.
 */
#define SLACK (PROCLIFE_CTF_PACKET + (PROCLIFE_BATCH + PROCLIFE_TYPES) * sizeof(struct proclife_record) + \
	       2 * PROCLIFE_CTF_ALIGN)
#define TEXT_SLACK 65536 /* the metadata, a name beyond the room for names, and the folders */
#define TOTAL_BYTES 160 /* of a stream, in the metadata */

static uint64_t slack_of(uint32_t cpus)
{
	return TEXT_SLACK + (cpus + 2) * (SLACK + TOTAL_BYTES);
}

static uint64_t part_bytes(const struct proclife_keep *keep, uint32_t cpus)
{
	uint64_t bytes = keep->bytes / PARTS, least = 2 * slack_of(cpus);

	bytes = bytes < PART_BYTES ? bytes : PART_BYTES;
	return bytes > least ? bytes : least;
}

static uint64_t names_bytes(const struct proclife_keep *keep)
{
	return keep->bytes / NAMES_SHARE < NAMES_BYTES ? keep->bytes / NAMES_SHARE : NAMES_BYTES;
}

/* The bytes of the snapshot with which the first part begins. */
static uint64_t snapshot_bytes(const struct proclife_source *source)
{
	const struct proclife_merge *merge = &source->merge;
	uint64_t records = 0;

	for (uint32_t i = 0; i < merge->count; i++)
		if (merge->streams[i]->order == PROCLIFE_CPU_SNAPSHOT)
			records = (uint64_t)(merge->streams[i]->end - merge->streams[i]->cur);
	return (records + records / PROCLIFE_CTF_RECORDS) * sizeof(struct proclife_record) +
	       PROCLIFE_CTF_PACKET;
}

uint64_t proclife_keep_least(struct proclife_source *source)
{
	uint64_t parts = PARTS * slack_of(proclife_source_header(source)->cpus);
	uint64_t carried = CARRIED_SHARE * snapshot_bytes(source);

	return parts > carried ? parts : carried;
}

static bool make_room(void *data)
{
	struct proclife_recorder *recorder = data;

	return proclife_parts_drop(recorder->parts);
}

static uint64_t bytes_of_part(const struct proclife_recorder *recorder)
{
	return recorder->counts.bytes + recorder->cgroups_end + recorder->users_end + recorder->text_size;
}

/* What it begins with is apart, and so are names. */
static bool is_full(const struct proclife_recorder *recorder)
{
	const struct proclife_ctf_writer *carried = recorder->writers[recorder->writer_count - 1];
	uint64_t begins = carried ? carried->offset + carried->on_disk : 0;
	uint64_t bytes = recorder->counts.bytes + recorder->text_size;

	return bytes - begins + slack_of(recorder->cpus) > recorder->part_bytes;
}

/* Its recorder is the same, and it goes on when the one before ends. */
static void next_metadata(struct proclife_recorder *recorder, uint64_t ended)
{
	struct proclife_metadata *metadata = &recorder->metadata;

	metadata->header = *proclife_source_header(recorder->source);
	metadata->run.complete = false;
	metadata->run.began = ended;
	metadata->run.ended = 0;
	metadata->run.synced = ended;
	memset(metadata->run.reason, 0, sizeof(metadata->run.reason));
	metadata->run.records = 0;
	metadata->run.lost = 0;
	metadata->run.part = proclife_parts_number(recorder->parts) + 1;
	/* The first one's is random; these have to differ, and need no more of the system. */
	for (size_t i = 0; i < sizeof(uint64_t); i++)
		metadata->run.uuid[i] ^= (uint8_t)(ended >> 8 * i);
	metadata->run.uuid[PROCLIFE_UUID_BYTES - 1]++;
}

static void note_written(struct proclife_recorder *recorder, const struct proclife_gap *gap,
			 const struct proclife_record *from, const struct proclife_record *end)
{
	if (gap && recorder->bygone)
		proclife_bygone_note(recorder->bygone, &(struct proclife_event){ .gap = *gap });
	for (; from != end && recorder->bygone; from++)
		proclife_bygone_note(recorder->bygone, &(struct proclife_event){ .record = from });
}

static int write_carried(struct proclife_recorder *recorder, const struct proclife_carried *carried)
{
	struct proclife_ctf_writer *writer;
	int err = proclife_recorder_writer(recorder, PROCLIFE_CPU_SNAPSHOT, &writer);

	if (!err)
		err = proclife_ctf_writer_records(writer, carried->records, carried->count);
	if (!err)
		err = proclife_recorder_note(recorder, carried->records, carried->records + carried->count);
	note_written(recorder, NULL, carried->records, carried->records + carried->count);
	for (size_t i = 0; i < carried->gap_count && !err; i++) {
		uint32_t cpu = carried->gaps[i].cpu;

		/* A gap of the snapshot is of all that it had, and its own is full of what is carried. */
		err = proclife_recorder_writer(recorder, cpu < recorder->cpus ? cpu : PROCLIFE_CPU_ALL, &writer);
		if (!err)
			err = proclife_ctf_writer_gap(writer, &carried->gaps[i]);
		note_written(recorder, &carried->gaps[i], NULL, NULL);
	}
	return err;
}

static void release_bygone(struct proclife_recorder *recorder)
{
	if (recorder->bygone)
		proclife_bygone_free(recorder->bygone);
	free(recorder->bygone);
	recorder->bygone = NULL;
}

/* Without memory for it, all lives are followed. */
static void begin_bygone(struct proclife_recorder *recorder)
{
	release_bygone(recorder);
	recorder->bygone = calloc(1, sizeof(*recorder->bygone));
	if (recorder->bygone && proclife_bygone_init(recorder->bygone))
		release_bygone(recorder);
}

/* @carried: what it begins with; NULL: it is the first. */
static int begin_part(struct proclife_recorder *recorder, const struct proclife_carried *carried)
{
	uint64_t bytes = recorder->part_bytes + recorder->carried_bytes + 2 * recorder->names_bytes;
	const char *path;
	int err = proclife_parts_begin(recorder->parts, bytes, &path);

	begin_bygone(recorder);
	/* However many are open, those that come have names, too. */
	recorder->names_room = carried ? recorder->names_bytes / 2 : recorder->names_bytes;
	if (!err)
		err = proclife_recorder_begin(recorder, path);
	if (!err)
		err = carried ? proclife_recorder_next_names(recorder) :
				proclife_recorder_open_names(recorder, NULL);
	if (!err)
		err = proclife_recorder_write_metadata(recorder);
	if (!err && carried)
		err = write_carried(recorder, carried);
	if (!err && carried)
		err = proclife_recorder_take_all(recorder);
	if (!err && carried)
		err = proclife_recorder_keep_names(recorder, carried->records, carried->count);
	recorder->names_room = recorder->names_bytes;
	return err ? err : proclife_parts_publish(recorder->parts, &path);
}

static int end_part(struct proclife_recorder *recorder, uint64_t *ended)
{
	struct proclife_run_info *run = &recorder->metadata.run;
	uint64_t horizon = proclife_source_horizon(recorder->source), written;
	int err = proclife_recorder_take_all(recorder);

	written = proclife_ctf_writers_end(recorder->writers, recorder->writer_count);
	*ended = horizon > written ? horizon : written;
	run->ended = *ended;
	strcpy(run->reason, PROCLIFE_PART_REASON);
	if (!err)
		err = proclife_recorder_complete(recorder);
	if (err)
		return err;
	recorder->before.records += recorder->counts.records;
	recorder->before.lost += recorder->counts.lost;
	recorder->before.bytes += recorder->counts.bytes;
	return 0;
}

/* Reads the part that has just ended, most of which is still in memory. */
static int read_part(struct proclife_recorder *recorder, struct proclife_carry *carry,
		     struct proclife_carried *carried)
{
	uint64_t most = recorder->carried_bytes / sizeof(struct proclife_record) * 7 / 8;
	struct proclife_source *part;
	int err = proclife_recording_open(&part, proclife_parts_path(recorder->parts), NULL);

	if (err)
		return err;
	err = proclife_carry_read(carry, part);
	proclife_source_free(part);
	return err ? err : proclife_carry_choose(carry, most, carried);
}

static int next_part(struct proclife_recorder *recorder)
{
	struct proclife_carried carried;
	struct proclife_carry *carry;
	uint64_t ended;
	int err = end_part(recorder, &ended), locked;

	if (err)
		return err;
	if (recorder->bygone)
		proclife_bygone_settle(recorder->bygone);
	err = proclife_carry_new(&carry, recorder->bygone);
	if (err)
		return err;
	err = read_part(recorder, carry, &carried);
	if (err)
		goto free_carry;
	if (carried.left_out) { /* then any life can be one of which records are missing */
		carried.gaps[0] = (struct proclife_gap){ .lost = carried.left_out, .from = 1, .to = ended };
		carried.gap_count = 1;
	}
	proclife_parts_end(recorder->parts, recorder->metadata.run.began);
	proclife_parts_compress(recorder->parts);
	next_metadata(recorder, ended);
	locked = recorder->text; /* until a reader finds the next one */
	recorder->text = -1;
	do {
		proclife_recorder_close(recorder);
		recorder->counts = (struct proclife_recorder_counts){ 0 };
		recorder->error = 0;
		err = begin_part(recorder, &carried);
	} while (proclife_room_made(&recorder->room, err));
	close(locked);
free_carry:
	proclife_carry_free(carry);
	return err;
}

static void take_in_parts(struct proclife_listener *listener, struct proclife_stream *stream)
{
	struct proclife_recorder *recorder = (struct proclife_recorder *)listener;

	if (!recorder->error && is_full(recorder))
		recorder->error = next_part(recorder);
	proclife_recorder_take(listener, stream);
}

static int sync_parts(struct proclife_recorder *recorder)
{
	const struct proclife_run_info *run = &recorder->metadata.run;
	uint64_t age = proclife_parts_most_age(recorder->parts), now = proclife_source_horizon(recorder->source);

	proclife_parts_age(recorder->parts);
	proclife_parts_compress(recorder->parts);
	/* One that grows slowly would become too old before it is full. */
	return age && now > run->began && now - run->began > age / PARTS ? next_part(recorder) : 0;
}

static int begin_first(struct proclife_recorder *recorder)
{
	int err;

	do {
		proclife_recorder_close(recorder);
		proclife_recorder_free_names(recorder);
		err = begin_part(recorder, NULL);
	} while (proclife_room_made(&recorder->room, err));
	return err;
}

const struct proclife_held *proclife_recorder_held(struct proclife_recorder *recorder)
{
	struct proclife_held *held = &recorder->held;

	if (!recorder->parts)
		return NULL;
	proclife_parts_held(recorder->parts, held);
	held->bytes += bytes_of_part(recorder);
	if (!held->parts++)
		held->since = recorder->metadata.run.began;
	return held;
}

int proclife_recorder_keep(struct proclife_recorder **recorder, struct proclife_source *source,
			   const char *dir, const struct proclife_run_info *run,
			   const struct proclife_keep *keep)
{
	struct proclife_recorder *r;
	struct proclife_keep known;
	int err;

	if (!source->can_record)
		return -ENOTSUP;
	err = proclife_take_struct(&known, sizeof(known), keep, keep->size, sizeof(known));
	if (err)
		return err;
	if (known.bytes < proclife_keep_least(source))
		return -ERANGE;
	err = proclife_recorder_new_here(&r, source, run);
	if (err)
		return err;
	r->part_bytes = part_bytes(&known, r->cpus);
	r->carried_bytes = known.bytes / CARRIED_SHARE;
	r->names_bytes = names_bytes(&known);
	r->metadata.run.part = 1;
	r->listener.take = take_in_parts;
	r->written = note_written;
	r->release = release_bygone;
	r->sync = sync_parts;
	err = proclife_parts_open(&r->parts, dir, &known);
	r->room = (struct proclife_room){ .make = make_room, .data = r };
	if (!err)
		err = begin_first(r);
	if (err) {
		proclife_recorder_free(r);
		return err;
	}
	source->listener = &r->listener;
	*recorder = r;
	return 0;
}
