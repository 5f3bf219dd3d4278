// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading one stream of a recording. Nothing in the file is trusted: a packet is checked when it is
 * reached, and its records a few ahead of the merge, which then finds them in the cache. Whoever may
 * write the file can change it at any moment, so what is checked and yielded is a copy.
 *
 * What is damaged becomes a gap between the last time before it and the first one behind it, and
 * reading goes on with the next record, or the next packet, that is good.
 */
#include "ctf_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Notes a damaged place, and has the gap yielded that it leaves, if it leaves one. */
static void damaged(struct proclife_ctf_reader *reader, uint64_t at, const char *what, uint64_t lost,
		    uint64_t to)
{
	const struct proclife_header *header = &reader->recording->metadata.header;
	struct proclife_damage *damage = &reader->damage;
	uint64_t from = reader->floor;

	if (to < from)
		to = from;
	if (to == UINT64_MAX) /* which is no time */
		to--;
	if (!from) /* nothing is known of what was before */
		from = reader->total ? reader->total->first : header->loaded;
	if (from > to)
		from = to;
	if (!damage->places) {
		damage->at = at;
		damage->from = from;
		if (!reader->damage.unread)
			snprintf(damage->what, sizeof(damage->what), "%s", what);
	}
	damage->places++;
	damage->lost += lost;
	damage->to = to;
	reader->stream.gap = (struct proclife_gap){ 0 };
	if (!lost)
		return;
	reader->stream.gap = (struct proclife_gap){
		.lost = lost,
		.from = from,
		.to = to,
		.cpu = reader->stream.order,
	};
}

void proclife_ctf_reader_absent(struct proclife_ctf_reader *reader, const char *why)
{
	reader->damage.unread = true;
	/* Without the remedy: that is another one. */
	snprintf(reader->damage.what, sizeof(reader->damage.what), "%.*s", (int)strcspn(why, ";"), why);
}

/*
 * If a recorder was interrupted, or still works, the last thing in a file can be a part of a packet,
 * or what was to go into a packet that its header does not count yet.
 */
static bool is_cut_off(const struct proclife_ctf_reader *reader)
{
	uint64_t left = reader->bytes - reader->offset;
	uint32_t magic;

	if (reader->recording->metadata.run.complete || left > PROCLIFE_CTF_PACKET)
		return false;
	if (left < sizeof(struct proclife_packet))
		return true;
	memcpy(&magic, reader->map + reader->offset, sizeof(magic));
	return magic != PROCLIFE_CTF_MAGIC;
}

/* Where nothing tells how many records there were: as many as there is room for. */
static uint64_t estimate(uint64_t bytes)
{
	uint64_t headers = (bytes + PROCLIFE_CTF_PACKET - 1) / PROCLIFE_CTF_PACKET;
	uint64_t slots = bytes / sizeof(struct proclife_record);

	return slots > headers ? slots - headers : 0;
}

/* No packet follows: is that as it should be? @wrong: what is there instead of one, or NULL. */
static void end_of_file(struct proclife_ctf_reader *reader, const char *wrong)
{
	const struct proclife_run_info *run = &reader->recording->metadata.run;
	const struct proclife_total *total = reader->total;
	uint64_t lost;

	reader->ended = true;
	if (total) {
		lost = total->records - reader->position + total->lost - reader->discarded;
		if (!wrong && (lost || (!reader->damage.places && reader->bytes != total->bytes)))
			wrong = reader->bytes < total->bytes ? "the file ends too early" :
							     "it has another length than it had";
		if (wrong)
			damaged(reader, reader->offset, wrong, lost, total->last);
	} else if (reader->damage.unread) {
		damaged(reader, 0, NULL, 0, 0);
		reader->damage.estimated = !run->complete;
	} else if (wrong && !is_cut_off(reader)) {
		damaged(reader, reader->offset, wrong, estimate(reader->bytes - reader->offset),
			run->synced);
		reader->damage.estimated = true;
	}
	reader->offset = reader->bytes;
}

static void begin_packet(struct proclife_ctf_reader *reader, uint64_t at,
			 const struct proclife_packet *packet, uint64_t records)
{
	reader->next = (const void *)(reader->map + at + sizeof(*packet));
	reader->end = reader->next + records;
	reader->sieved = NULL;
	reader->floor = packet->timestamp_begin;
	reader->packet_end = packet->timestamp_end;
	reader->discarded = packet->events_discarded;
	reader->position = packet->first_record + records;
	reader->packets = packet->packet_seq_num + 1;
	reader->stream.gap = (struct proclife_gap){
		.lost = packet->gap_lost,
		.from = packet->gap_from,
		.to = packet->gap_to,
		.cpu = reader->stream.order,
	};
	reader->offset = at + packet->packet_size / 8;
	if (reader->offset > reader->bytes)
		reader->offset = reader->bytes;
}

/* Goes on to the next packet, or to a gap before it. False at the end of the file. */
static bool next_packet(struct proclife_ctf_reader *reader)
{
	struct proclife_packet packet;
	const char *wrong = NULL;
	uint64_t at = reader->offset, records, missing;

	for (; at < reader->bytes; at += PROCLIFE_CTF_ALIGN) {
		const char *what = proclife_packet_check(reader, at, &packet, &records);

		if (!what)
			break;
		if (!wrong)
			wrong = what;
	}
	if (at >= reader->bytes) {
		if (reader->ended)
			return false;
		end_of_file(reader, wrong);
		return proclife_gap_is(&reader->stream.gap);
	}
	missing = packet.first_record - reader->position +
		  packet.events_discarded - packet.gap_lost - reader->discarded;
	if (missing || wrong || packet.packet_seq_num != reader->packets) {
		damaged(reader, reader->offset, wrong ? wrong : "a packet is missing before this one",
			missing, proclife_packet_gap(&packet) ? packet.gap_from :
								packet.timestamp_begin);
		reader->position = packet.first_record;
		reader->discarded = packet.events_discarded - packet.gap_lost;
		reader->packets = packet.packet_seq_num;
		reader->offset = at;
		if (missing) /* this one will be found again */
			return true;
	}
	begin_packet(reader, at, &packet, records);
	return true;
}

static bool is_kept(const struct proclife_ctf_reader *reader, const struct proclife_record *record)
{
	uint64_t index = (uint64_t)(record - reader->sieved);

	return reader->kept[index / 64] >> index % 64 & 1;
}

/* Copies what is kept from here on, and good still. Returns the records; 0 if it has been changed. */
static uint64_t copy_kept(struct proclife_ctf_reader *reader)
{
	uint64_t n = 0;

	while (n < PROCLIFE_CTF_READER_BATCH && reader->next != reader->end &&
	       is_kept(reader, reader->next)) {
		struct proclife_record *copy = &reader->batch[n];
		uint64_t index = (uint64_t)(reader->next - reader->sieved);

		*copy = *reader->next;
		if (copy->ts < reader->floor || copy->ts > reader->packet_end ||
		    !proclife_ctf_reader_fits(reader, copy)) {
			reader->kept[index / 64] &= ~(UINT64_C(1) << index % 64);
			break;
		}
		reader->floor = copy->ts;
		reader->next++;
		n++;
	}
	return n;
}

/* The next good records of a packet that has bad ones, or the gap before them. */
static void take_sieved(struct proclife_ctf_reader *reader)
{
	struct proclife_stream *stream = &reader->stream;

	for (;;) {
		const struct proclife_record *bad = reader->next;
		uint64_t n;

		while (reader->next != reader->end && !is_kept(reader, reader->next))
			reader->next++;
		stream->cur = reader->batch;
		stream->end = reader->batch;
		if (reader->next != bad) {
			damaged(reader, (uint64_t)((const char *)bad - reader->map),
				"a record that cannot have been written",
				(uint64_t)(reader->next - bad),
				reader->next != reader->end ? reader->next->ts : reader->packet_end);
			return;
		}
		n = copy_kept(reader);
		if (n) {
			stream->end = reader->batch + n;
			return;
		}
	}
}

/* Some of the next records; false if something is wrong with them, or with those right behind. */
static inline bool take_records(struct proclife_ctf_reader *reader)
{
	const struct proclife_record *next = reader->next, *batch = reader->batch;
	uint64_t floor = reader->floor, n = (uint64_t)(reader->end - next);
	bool good = true;

	if (n > PROCLIFE_CTF_READER_BATCH)
		n = PROCLIFE_CTF_READER_BATCH;
	memcpy(reader->batch, next, n * sizeof(*next));
	for (uint64_t i = 0; i < n; i++) {
		good &= batch[i].ts >= floor && proclife_ctf_reader_fits(reader, &batch[i]);
		floor = batch[i].ts;
	}
	if (next + n != reader->end)
		good &= next[n].ts >= floor;
	if (proclife_unlikely(!good || floor > reader->packet_end))
		return false;
	reader->floor = floor;
	reader->next = next + n;
	reader->stream.cur = batch;
	reader->stream.end = batch + n;
	return true;
}

int proclife_ctf_reader_refill(struct proclife_stream *stream)
{
	struct proclife_ctf_reader *reader = (struct proclife_ctf_reader *)stream;

	stream->cur = reader->next;
	stream->end = reader->next;
	while (reader->next == reader->end) {
		if (!next_packet(reader))
			return 0;
		stream->cur = reader->next;
		stream->end = reader->next;
		if (proclife_gap_is(&stream->gap) && reader->next == reader->end)
			return 0;
	}
	if (proclife_likely(!reader->sieved) && proclife_likely(take_records(reader)))
		return 0;
	if (!reader->sieved)
		proclife_ctf_reader_sieve(reader);
	if (!proclife_gap_is(&stream->gap)) /* otherwise that of the packet comes first */
		take_sieved(reader);
	return 0;
}
