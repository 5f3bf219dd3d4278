// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/ctf_writer.h"
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool proclife_room_made(const struct proclife_room *room, int err)
{
	return (err == -ENOSPC || err == -EDQUOT) && room->make && room->make(room->data);
}

static struct proclife_record *records_of(const struct proclife_ctf_writer *writer)
{
	return (struct proclife_record *)(writer->packet + 1);
}

/* How many bytes are written for this many records: whole pages of the file. */
static uint32_t packet_bytes(uint32_t count)
{
	uint32_t bytes = sizeof(struct proclife_packet) + count * sizeof(struct proclife_record);

	return (bytes + PROCLIFE_CTF_ALIGN - 1) / PROCLIFE_CTF_ALIGN * PROCLIFE_CTF_ALIGN;
}

static void fill_header(const struct proclife_ctf_writer *writer, uint32_t bytes)
{
	const struct proclife_record *records = records_of(writer);
	struct proclife_packet *packet = writer->packet;
	uint64_t content = PROCLIFE_CTF_HEADER_BYTES;

	packet->timestamp_begin = proclife_packet_gap(packet) ? packet->gap_from : writer->end;
	packet->timestamp_end = packet->timestamp_begin;
	if (writer->count) {
		const struct proclife_record *last = &records[writer->count - 1];

		packet->timestamp_begin = records[0].ts;
		packet->timestamp_end = last->ts;
		content = (uint64_t)((const char *)last - (const char *)packet) +
			  proclife_metadata_declared(last->type);
	}
	packet->content_size = content * 8;
	packet->packet_size = (uint64_t)bytes * 8;
	packet->checksum = proclife_packet_checksum(packet);
}

/*
 * Brings the packet on disk up to date: records first, then the header that counts them. If that
 * fails, whatever lies behind the last valid header is cut off.
 */
int proclife_ctf_writer_write(struct proclife_ctf_writer *writer)
{
	uint32_t bytes = packet_bytes(writer->count);
	uint32_t used = sizeof(*writer->packet) + writer->count * sizeof(struct proclife_record);
	uint32_t from = sizeof(*writer->packet) + writer->written * sizeof(struct proclife_record);
	char *packet = (char *)writer->packet;
	int err;

	if (writer->on_disk && writer->written == writer->count)
		return 0;
	memset(packet + used, 0, bytes - used);
	fill_header(writer, bytes);
	if (!writer->on_disk)
		from = 0;
	do {
		err = proclife_write_all(writer->fd, packet + from, bytes - from, writer->offset + from);
		if (!err && from)
			err = proclife_write_all(writer->fd, packet, sizeof(*writer->packet),
						 writer->offset);
	} while (proclife_room_made(writer->room, err));
	if (err) {
		if (ftruncate(writer->fd, (off_t)(writer->offset + writer->on_disk)))
			return err; /* a reader copes with this: it finds the last header, too */
		return err;
	}
	if (!writer->on_disk)
		writer->counts->lost += writer->packet->gap_lost;
	writer->counts->records += writer->count - writer->written;
	writer->counts->bytes += bytes - writer->on_disk;
	writer->written = writer->count;
	writer->on_disk = bytes;
	return 0;
}

/* The packet is complete: begins another one behind it. */
static int next_packet(struct proclife_ctf_writer *writer)
{
	struct proclife_packet *packet = writer->packet;
	int err = proclife_ctf_writer_write(writer);

	if (err)
		return err;
	writer->offset += writer->on_disk;
	packet->first_record += writer->count;
	writer->count = 0;
	writer->written = 0;
	writer->on_disk = 0;
	packet->packet_seq_num++;
	packet->gap_lost = 0;
	packet->gap_from = 0;
	packet->gap_to = 0;
	return 0;
}

void proclife_ctf_writer_free(struct proclife_ctf_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->packet);
	free(writer);
}

int proclife_ctf_writer_new(struct proclife_ctf_writer **to, int dir, uint32_t cpu,
			    const uint8_t *uuid, struct proclife_recorder_counts *counts,
			    const struct proclife_room *room)
{
	struct proclife_ctf_writer *writer = calloc(1, sizeof(*writer));
	char name[PROCLIFE_CTF_NAME];
	int err;

	if (!writer)
		return -ENOMEM;
	writer->fd = -1;
	writer->begin = UINT64_MAX;
	writer->counts = counts;
	writer->room = room;
	writer->packet = malloc(PROCLIFE_CTF_PACKET);
	if (!writer->packet) {
		proclife_ctf_writer_free(writer);
		return -ENOMEM;
	}
	memset(writer->packet, 0, sizeof(*writer->packet));
	writer->packet->magic = PROCLIFE_CTF_MAGIC;
	memcpy(writer->packet->uuid, uuid, sizeof(writer->packet->uuid));
	writer->packet->cpu_id = cpu;
	proclife_ctf_name(name, cpu);
	do {
		writer->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = writer->fd < 0 ? -errno : 0;
	} while (proclife_room_made(room, err));
	if (err) {
		proclife_ctf_writer_free(writer);
		return err;
	}
	*to = writer;
	return 0;
}

int proclife_ctf_writer_gap(struct proclife_ctf_writer *writer, const struct proclife_gap *gap)
{
	struct proclife_packet *packet = writer->packet;
	int err;

	/* CTF readers count losses between two packets: one at the start needs an empty packet. */
	if (!packet->packet_seq_num && !writer->count)
		writer->end = gap->from;
	if (writer->begin == UINT64_MAX)
		writer->begin = gap->from ? gap->from : gap->to;
	if (writer->count || proclife_packet_gap(packet) || (gap->lost && !packet->packet_seq_num)) {
		err = next_packet(writer);
		if (err)
			return err;
	}
	packet->gap_lost = gap->lost;
	packet->gap_from = gap->from;
	packet->gap_to = gap->to;
	packet->events_discarded += gap->lost;
	writer->end = gap->from;
	return 0;
}

int proclife_ctf_writer_records(struct proclife_ctf_writer *writer,
				const struct proclife_record *records, uint64_t n)
{
	if (writer->begin == UINT64_MAX && n)
		writer->begin = records->ts;
	while (n) {
		uint64_t room = PROCLIFE_CTF_RECORDS - writer->count;
		uint64_t some = n < room ? n : room;

		memcpy(records_of(writer) + writer->count, records, some * sizeof(*records));
		writer->count += (uint32_t)some;
		records += some;
		n -= some;
		writer->end = records[-1].ts;
		if (some == room) {
			int err = next_packet(writer);

			if (err)
				return err;
		}
	}
	return 0;
}

int proclife_ctf_writer_end(struct proclife_ctf_writer *writer, uint64_t ended)
{
	int err = 0;

	if (ended <= writer->end)
		return 0;
	if (writer->count || proclife_packet_gap(writer->packet))
		err = next_packet(writer);
	if (err)
		return err;
	writer->end = ended;
	return proclife_ctf_writer_write(writer);
}

uint64_t proclife_ctf_writers_end(struct proclife_ctf_writer *const *writers, uint32_t count)
{
	uint64_t end = 0;

	for (; count--; writers++) {
		if (*writers && (*writers)->end > end)
			end = (*writers)->end;
	}
	return end;
}

void proclife_ctf_writer_total(const struct proclife_ctf_writer *writer,
			       struct proclife_total *total)
{
	const struct proclife_packet *packet = writer->packet;

	*total = (struct proclife_total){
		.first = writer->begin < writer->end ? writer->begin : writer->end,
		.last = writer->end,
		.records = packet->first_record + writer->written,
		.lost = packet->events_discarded,
		.bytes = writer->offset + writer->on_disk,
		.cpu = packet->cpu_id,
	};
}
