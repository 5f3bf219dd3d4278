// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading one stream of a recording. Nothing in the file is trusted: a packet is checked when it is
 * reached, and its records a few ahead of the merge, which then finds them in the cache. Whoever may
 * write the file can change it at any moment, so what is checked and yielded is a copy.
 *
 * What is damaged becomes a gap between the last time before it and the first one behind it, and
 * reading goes on with the next record, or the next packet, that is good.
 */
#include "playback.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Notes a damaged place, and has the gap yielded that it leaves, if it leaves one. */
static void damaged(struct proclife_playback *tape, uint64_t at, const char *what, uint64_t lost,
		    uint64_t to)
{
	const struct proclife_header *header = &tape->recording->metadata.header;
	struct proclife_damage *damage = &tape->damage;
	uint64_t from = tape->floor;

	if (to < from)
		to = from;
	if (to == UINT64_MAX) /* which is no time */
		to--;
	if (!from) /* nothing is known of what was before */
		from = tape->total ? tape->total->first : header->loaded;
	if (from > to)
		from = to;
	if (!damage->places) {
		damage->at = at;
		damage->from = from;
		if (!tape->damage.unread)
			snprintf(damage->what, sizeof(damage->what), "%s", what);
	}
	damage->places++;
	damage->lost += lost;
	damage->to = to;
	tape->stream.gap = (struct proclife_gap){ 0 };
	if (!lost)
		return;
	tape->stream.gap = (struct proclife_gap){
		.lost = lost,
		.from = from,
		.to = to,
		.cpu = tape->stream.order,
	};
}

void proclife_playback_absent(struct proclife_playback *tape, const char *why)
{
	tape->damage.unread = true;
	/* Without the remedy: that is another one. */
	snprintf(tape->damage.what, sizeof(tape->damage.what), "%.*s", (int)strcspn(why, ";"), why);
}

/*
 * If a recorder was interrupted, or still works, the last thing in a file can be a part of a packet,
 * or what was to go into a packet that its header does not count yet.
 */
static bool is_cut_off(const struct proclife_playback *tape)
{
	uint64_t left = tape->bytes - tape->offset;
	uint32_t magic;

	if (tape->recording->metadata.run.complete || left > PROCLIFE_CTF_PACKET)
		return false;
	if (left < sizeof(struct proclife_packet))
		return true;
	memcpy(&magic, tape->map + tape->offset, sizeof(magic));
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
static void end_of_file(struct proclife_playback *tape, const char *wrong)
{
	const struct proclife_recorded *run = &tape->recording->metadata.run;
	const struct proclife_total *total = tape->total;
	uint64_t lost;

	tape->ended = true;
	if (total) {
		lost = total->records - tape->position + total->lost - tape->discarded;
		if (!wrong && (lost || (!tape->damage.places && tape->bytes != total->bytes)))
			wrong = tape->bytes < total->bytes ? "the file ends too early" :
							     "it has another length than it had";
		if (wrong)
			damaged(tape, tape->offset, wrong, lost, total->last);
	} else if (tape->damage.unread) {
		damaged(tape, 0, NULL, 0, 0);
		tape->damage.estimated = !run->complete;
	} else if (wrong && !is_cut_off(tape)) {
		damaged(tape, tape->offset, wrong, estimate(tape->bytes - tape->offset),
			run->synced);
		tape->damage.estimated = true;
	}
	tape->offset = tape->bytes;
}

static void begin_packet(struct proclife_playback *tape, uint64_t at,
			 const struct proclife_packet *packet, uint64_t records)
{
	tape->next = (const void *)(tape->map + at + sizeof(*packet));
	tape->end = tape->next + records;
	tape->sieved = NULL;
	tape->floor = packet->timestamp_begin;
	tape->packet_end = packet->timestamp_end;
	tape->discarded = packet->events_discarded;
	tape->position = packet->first_record + records;
	tape->packets = packet->packet_seq_num + 1;
	tape->stream.gap = (struct proclife_gap){
		.lost = packet->gap_lost,
		.from = packet->gap_from,
		.to = packet->gap_to,
		.cpu = tape->stream.order,
	};
	tape->offset = at + packet->packet_size / 8;
	if (tape->offset > tape->bytes)
		tape->offset = tape->bytes;
}

/* Goes on to the next packet, or to a gap before it. False at the end of the file. */
static bool next_packet(struct proclife_playback *tape)
{
	struct proclife_packet packet;
	const char *wrong = NULL;
	uint64_t at = tape->offset, records, missing;

	for (; at < tape->bytes; at += PROCLIFE_CTF_ALIGN) {
		const char *what = proclife_packet_check(tape, at, &packet, &records);

		if (!what)
			break;
		if (!wrong)
			wrong = what;
	}
	if (at >= tape->bytes) {
		if (tape->ended)
			return false;
		end_of_file(tape, wrong);
		return proclife_gap_is(&tape->stream.gap);
	}
	missing = packet.first_record - tape->position +
		  packet.events_discarded - packet.gap_lost - tape->discarded;
	if (missing || wrong || packet.packet_seq_num != tape->packets) {
		damaged(tape, tape->offset, wrong ? wrong : "a packet is missing before this one",
			missing, proclife_packet_gap(&packet) ? packet.gap_from :
								packet.timestamp_begin);
		tape->position = packet.first_record;
		tape->discarded = packet.events_discarded - packet.gap_lost;
		tape->packets = packet.packet_seq_num;
		tape->offset = at;
		if (missing) /* this one will be found again */
			return true;
	}
	begin_packet(tape, at, &packet, records);
	return true;
}

static bool is_kept(const struct proclife_playback *tape, const struct proclife_record *record)
{
	uint64_t index = (uint64_t)(record - tape->sieved);

	return tape->kept[index / 64] >> index % 64 & 1;
}

/* Copies what is kept from here on, and good still. Returns the records; 0 if it has been changed. */
static uint64_t copy_kept(struct proclife_playback *tape)
{
	uint64_t n = 0;

	while (n < PROCLIFE_PLAYBACK_BATCH && tape->next != tape->end && is_kept(tape, tape->next)) {
		struct proclife_record *copy = &tape->batch[n];
		uint64_t index = (uint64_t)(tape->next - tape->sieved);

		*copy = *tape->next;
		if (copy->ts < tape->floor || copy->ts > tape->packet_end ||
		    !proclife_playback_fits(tape, copy)) {
			tape->kept[index / 64] &= ~(UINT64_C(1) << index % 64);
			break;
		}
		tape->floor = copy->ts;
		tape->next++;
		n++;
	}
	return n;
}

/* The next good records of a packet that has bad ones, or the gap before them. */
static void take_sieved(struct proclife_playback *tape)
{
	struct proclife_stream *stream = &tape->stream;

	for (;;) {
		const struct proclife_record *bad = tape->next;
		uint64_t n;

		while (tape->next != tape->end && !is_kept(tape, tape->next))
			tape->next++;
		stream->cur = tape->batch;
		stream->end = tape->batch;
		if (tape->next != bad) {
			damaged(tape, (uint64_t)((const char *)bad - tape->map),
				"a record that cannot have been written",
				(uint64_t)(tape->next - bad),
				tape->next != tape->end ? tape->next->ts : tape->packet_end);
			return;
		}
		n = copy_kept(tape);
		if (n) {
			stream->end = tape->batch + n;
			return;
		}
	}
}

/* Some of the next records; false if something is wrong with them, or with those right behind. */
static inline bool take_records(struct proclife_playback *tape)
{
	const struct proclife_record *next = tape->next, *batch = tape->batch;
	uint64_t floor = tape->floor, n = (uint64_t)(tape->end - next);
	bool good = true;

	if (n > PROCLIFE_PLAYBACK_BATCH)
		n = PROCLIFE_PLAYBACK_BATCH;
	memcpy(tape->batch, next, n * sizeof(*next));
	for (uint64_t i = 0; i < n; i++) {
		good &= batch[i].ts >= floor && proclife_playback_fits(tape, &batch[i]);
		floor = batch[i].ts;
	}
	if (next + n != tape->end)
		good &= next[n].ts >= floor;
	if (proclife_unlikely(!good || floor > tape->packet_end))
		return false;
	tape->floor = floor;
	tape->next = next + n;
	tape->stream.cur = batch;
	tape->stream.end = batch + n;
	return true;
}

int proclife_playback_refill(struct proclife_stream *stream)
{
	struct proclife_playback *tape = (struct proclife_playback *)stream;

	stream->cur = tape->next;
	stream->end = tape->next;
	while (tape->next == tape->end) {
		if (!next_packet(tape))
			return 0;
		stream->cur = tape->next;
		stream->end = tape->next;
		if (proclife_gap_is(&stream->gap) && tape->next == tape->end)
			return 0;
	}
	if (proclife_likely(!tape->sieved) && proclife_likely(take_records(tape)))
		return 0;
	if (!tape->sieved)
		proclife_playback_sieve(tape);
	if (!proclife_gap_is(&stream->gap)) /* otherwise that of the packet comes first */
		take_sieved(tape);
	return 0;
}
