// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading one stream of a recording. Nothing in the file is trusted: a packet is read and checked
 * when it is reached. Another program may change or truncate the file at any moment. So it is read and not
 * mapped: what is checked and yielded is our copy.
 *
 * A damaged place becomes a gap between the last time before it and the first one after it. Reading
 * goes on with the next good record or packet.
 */
#include "recording/ctf_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* How many places are searched for a packet before -EAGAIN lets the caller decide to go on. */
#define PATIENCE 4096

/* Notes a damaged place, and sets the gap to yield if something is missing. */
static void damaged(struct proclife_ctf_reader *reader, uint64_t at, const char *what, uint64_t lost,
		    uint64_t to)
{
	const struct proclife_header *header = &reader->known.metadata->header;
	struct proclife_damage *damage = &reader->damage;
	uint64_t from = reader->place.floor;

	if (to < from)
		to = from;
	if (to > PROCLIFE_TIME_MAX)
		to = PROCLIFE_TIME_MAX;
	if (!from) /* nothing is known about what came before */
		from = reader->known.total ? reader->known.total->first : header->loaded;
	if (from < reader->known.since)
		from = reader->known.since;
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
		.cpu = reader->known.cpu,
	};
}

void proclife_ctf_reader_absent(struct proclife_ctf_reader *reader, const char *why)
{
	reader->damage.unread = true;
	/* Without the remedy, which is different here. */
	snprintf(reader->damage.what, sizeof(reader->damage.what), "%.*s", (int)strcspn(why, ";"), why);
}

/*
 * If a recorder was interrupted, or is still running, a file can end with part of a packet, or with
 * records that their packet's header does not count yet. If the disk is full, the recorder itself
 * cuts these off.
 */
static bool is_cut_off(struct proclife_ctf_reader *reader)
{
	const struct proclife_run_info *run = &reader->known.metadata->run;
	struct proclife_ctf_file *file = &reader->file;
	uint64_t left = reader->offset < file->bytes ? file->bytes - reader->offset : 0;
	uint32_t magic;

	if (run->complete || left > PROCLIFE_CTF_PACKET ||
	    file->cut > (run->running ? PROCLIFE_CTF_PACKET : 0))
		return false;
	if (left < sizeof(struct proclife_packet))
		return true;
	return proclife_ctf_file_read(file, &magic, sizeof(magic), reader->offset) ==
		       sizeof(magic) && magic != PROCLIFE_CTF_MAGIC;
}

/* If it is not known how many records there were: as many as there is room for. */
static uint64_t estimate(uint64_t bytes)
{
	uint64_t headers = (bytes + PROCLIFE_CTF_PACKET - 1) / PROCLIFE_CTF_PACKET;
	uint64_t slots = bytes / sizeof(struct proclife_record);

	return slots > headers ? slots - headers : 0;
}

/* No packet follows: is that correct? */
static void end_of_file(struct proclife_ctf_reader *reader)
{
	const struct proclife_run_info *run = &reader->known.metadata->run;
	const struct proclife_total *total = reader->known.total;
	const struct proclife_ctf_file *file = &reader->file;
	const char *wrong = reader->wrong;
	uint64_t lost;

	reader->ended = true;
	if (total) {
		lost = total->records - reader->place.position +
		       total->lost - reader->place.discarded;
		if (!wrong && (lost || (!reader->damage.places && file->bytes != total->bytes)))
			wrong = file->bytes < total->bytes ? "the file ends too early" :
							   "it has another length than it had";
		if (wrong)
			damaged(reader, reader->offset, wrong, lost, total->last);
	} else if (reader->damage.unread) {
		damaged(reader, 0, NULL, 0, 0);
		reader->damage.estimated = !run->complete;
	} else if ((wrong || file->cut) && !is_cut_off(reader)) {
		damaged(reader, reader->offset, wrong ? wrong : "the file was cut while it was read",
			estimate(file->bytes + file->cut - reader->offset), run->synced);
		reader->damage.estimated = true;
	}
	reader->at = file->bytes;
}

/*
 * Reads records of the packet. A page that cannot be read from the disk is left zero, which is no
 * record, so the rest can be used. Returns how many.
 */
static uint64_t load_records(struct proclife_ctf_reader *reader, uint64_t at, uint64_t records)
{
	uint64_t size = records * sizeof(struct proclife_record), done = 0;
	char *to = (char *)reader->records;

	while (done < size) {
		ssize_t n = proclife_ctf_file_read(&reader->file, to + done, size - done,
						   at + done);

		if (!n)
			break;
		if (n < 0) {
			uint64_t page = PROCLIFE_CTF_ALIGN - (at + done) % PROCLIFE_CTF_ALIGN;

			n = (ssize_t)(page < size - done ? page : size - done);
			memset(to + done, 0, (size_t)n);
		}
		done += (uint64_t)n;
	}
	return done / sizeof(struct proclife_record);
}

static void begin_packet(struct proclife_ctf_reader *reader, const struct proclife_packet *packet,
			 uint64_t records)
{
	records = load_records(reader, reader->at + sizeof(*packet), records);
	reader->packet = reader->at;
	reader->next = reader->records;
	reader->end = reader->next + records;
	reader->sieved = false;
	reader->place.floor = packet->timestamp_begin;
	reader->packet_end = packet->timestamp_end;
	if (reader->packet_end > proclife_ctf_last(&reader->known))
		reader->packet_end = proclife_ctf_last(&reader->known);
	reader->place.discarded = packet->events_discarded;
	reader->place.position = packet->first_record + records;
	reader->place.packets = packet->packet_seq_num + 1;
	reader->stream.gap = (struct proclife_gap){
		.lost = packet->gap_lost,
		.from = packet->gap_from,
		.to = packet->gap_to,
		.cpu = reader->known.cpu,
	};
	if (packet->gap_from < reader->known.since)
		reader->stream.gap = (struct proclife_gap){ 0 };
	reader->offset = reader->at + packet->packet_size / 8;
	if (reader->offset > reader->file.bytes)
		reader->offset = reader->file.bytes;
	reader->at = reader->offset;
}

/* No packet lies beyond what the recorder wrote. */
static uint64_t end_of_packets(const struct proclife_ctf_reader *reader)
{
	const struct proclife_total *total = reader->known.total;

	return total && total->bytes < reader->file.bytes ? total->bytes : reader->file.bytes;
}

/* The next place where a packet can begin. There is none in a hole of the file. */
static uint64_t next_place(const struct proclife_ctf_reader *reader, bool zero)
{
	uint64_t at = reader->at + PROCLIFE_CTF_ALIGN;
	off_t data;

	if (!zero || at >= reader->file.bytes)
		return at;
	if (reader->file.frames) {
		uint64_t from = proclife_frames_from(reader->file.frames, at);

		return from < reader->file.bytes ? from / PROCLIFE_CTF_ALIGN * PROCLIFE_CTF_ALIGN :
						   reader->file.bytes;
	}
	data = lseek(reader->file.fd, (off_t)at, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? reader->file.bytes : at;
	return (uint64_t)data / PROCLIFE_CTF_ALIGN * PROCLIFE_CTF_ALIGN;
}

/* Searches from reader->at on. Returns 1: a packet begins there; 0: there is none; or -EAGAIN. */
static int find_packet(struct proclife_ctf_reader *reader, struct proclife_packet *packet,
		       uint64_t *records, unsigned int *patience)
{
	while (reader->at < end_of_packets(reader)) {
		const char *what;

		if (!*patience)
			return -EAGAIN;
		--*patience;
		what = proclife_packet_check(&reader->file, &reader->known, &reader->place,
					     reader->at, packet, records);
		if (!what)
			return 1;
		if (!reader->wrong)
			reader->wrong = what;
		reader->at = next_place(reader, !packet->magic);
	}
	return 0;
}

/* Goes on to the next packet, or a gap before it. Returns 1; 0: the end of the file; or -EAGAIN. */
static int next_packet(struct proclife_ctf_reader *reader, unsigned int *patience)
{
	struct proclife_packet packet;
	uint64_t records, missing;
	int ret = find_packet(reader, &packet, &records, patience);
	const char *wrong = reader->wrong;

	if (ret < 0)
		return ret;
	if (!ret) {
		if (reader->ended)
			return 0;
		end_of_file(reader);
		return proclife_gap_is(&reader->stream.gap);
	}
	missing = packet.first_record - reader->place.position +
		  packet.events_discarded - packet.gap_lost - reader->place.discarded;
	if (missing || wrong || packet.packet_seq_num != reader->place.packets) {
		damaged(reader, reader->offset, wrong ? wrong : "a packet is missing before this one",
			missing, proclife_packet_gap(&packet) ? packet.gap_from :
								packet.timestamp_begin);
		reader->place.position = packet.first_record;
		reader->place.discarded = packet.events_discarded - packet.gap_lost;
		reader->place.packets = packet.packet_seq_num;
		reader->offset = reader->at;
		reader->wrong = NULL;
		if (missing) /* the next call will find this packet again */
			return 1;
	}
	begin_packet(reader, &packet, records);
	return 1;
}

static bool is_kept(const struct proclife_ctf_reader *reader, const struct proclife_record *record)
{
	uint64_t index = (uint64_t)(record - reader->records);

	return reader->kept[index / 64] >> index % 64 & 1;
}

static void sieve(struct proclife_ctf_reader *reader)
{
	proclife_ctf_sieve(&reader->known, reader->next, (uint64_t)(reader->end - reader->next),
			   reader->place.floor, reader->packet_end, reader->kept);
	reader->sieved = true;
}

/* Takes the next good records of a packet that has bad ones, or the gap before them. */
static void take_sieved(struct proclife_ctf_reader *reader)
{
	const struct proclife_record *bad = reader->next;
	struct proclife_stream *stream = &reader->stream;

	while (reader->next != reader->end && !is_kept(reader, reader->next))
		reader->next++;
	stream->cur = reader->next;
	stream->end = reader->next;
	if (reader->next != bad) {
		damaged(reader, reader->packet + sizeof(struct proclife_packet) +
			(uint64_t)((const char *)bad - (const char *)reader->records),
			"a record that cannot have been written", (uint64_t)(reader->next - bad),
			reader->next != reader->end ? reader->next->ts : reader->packet_end);
		return;
	}
	while (reader->next != reader->end && is_kept(reader, reader->next))
		reader->place.floor = reader->next++->ts;
	stream->end = reader->next;
}

/* Takes all records of the packet; false if something is wrong with one. */
static bool take_records(struct proclife_ctf_reader *reader)
{
	uint64_t floor = reader->place.floor;
	bool good = true;

	for (const struct proclife_record *r = reader->next; r != reader->end; r++) {
		good &= r->ts >= floor && proclife_ctf_fits(&reader->known, r);
		floor = r->ts;
	}
	if (proclife_unlikely(!good || floor > reader->packet_end))
		return false;
	reader->place.floor = floor;
	reader->stream.cur = reader->next;
	reader->stream.end = reader->end;
	reader->next = reader->end;
	return true;
}

int proclife_ctf_reader_refill(struct proclife_stream *stream)
{
	struct proclife_ctf_reader *reader = (struct proclife_ctf_reader *)stream;
	unsigned int patience = PATIENCE;

	stream->cur = reader->next;
	stream->end = reader->next;
	while (reader->next == reader->end) {
		int ret = next_packet(reader, &patience);

		if (ret <= 0)
			return ret;
		stream->cur = reader->next;
		stream->end = reader->next;
		if (proclife_gap_is(&stream->gap) && reader->next == reader->end)
			return 0;
	}
	if (!reader->sieved && proclife_likely(take_records(reader)))
		return 0;
	if (!reader->sieved)
		sieve(reader);
	if (!proclife_gap_is(&stream->gap)) /* otherwise the packet's gap comes first */
		take_sieved(reader);
	return 0;
}
