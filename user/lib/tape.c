// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proclife_write_all(int fd, const void *from, size_t size, uint64_t offset)
{
	const char *s = from;

	while (size) {
		ssize_t n = pwrite(fd, s, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		s += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static struct proclife_record *records_of(const struct proclife_tape *tape)
{
	return (struct proclife_record *)(tape->packet + 1);
}

/* What is written for so many records: whole pages of the file. */
static uint32_t packet_bytes(uint32_t count)
{
	uint32_t bytes = sizeof(struct proclife_packet) + count * sizeof(struct proclife_record);

	return (bytes + PROCLIFE_CTF_ALIGN - 1) / PROCLIFE_CTF_ALIGN * PROCLIFE_CTF_ALIGN;
}

static void fill_header(const struct proclife_tape *tape, uint32_t bytes)
{
	const struct proclife_record *records = records_of(tape);
	struct proclife_packet *packet = tape->packet;
	uint64_t content = PROCLIFE_CTF_HEADER_BYTES;

	packet->timestamp_begin = proclife_packet_gap(packet) ? packet->gap_from : tape->end;
	packet->timestamp_end = packet->timestamp_begin;
	if (tape->count) {
		const struct proclife_record *last = &records[tape->count - 1];

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
 * Brings the packet on disk up to date: records first, then the header that counts them in. What a
 * failure leaves behind the last header is cut off.
 */
int proclife_tape_write(struct proclife_tape *tape)
{
	uint32_t bytes = packet_bytes(tape->count);
	uint32_t used = sizeof(*tape->packet) + tape->count * sizeof(struct proclife_record);
	uint32_t from = sizeof(*tape->packet) + tape->written * sizeof(struct proclife_record);
	char *packet = (char *)tape->packet;
	int err;

	if (tape->on_disk && tape->written == tape->count)
		return 0;
	memset(packet + used, 0, bytes - used);
	fill_header(tape, bytes);
	if (!tape->on_disk)
		from = 0;
	err = proclife_write_all(tape->fd, packet + from, bytes - from, tape->offset + from);
	if (!err && from)
		err = proclife_write_all(tape->fd, packet, sizeof(*tape->packet), tape->offset);
	if (err) {
		if (ftruncate(tape->fd, (off_t)(tape->offset + tape->on_disk)))
			return err; /* the reader finds where the last header ends as well */
		return err;
	}
	if (!tape->on_disk)
		tape->counts->lost += tape->packet->gap_lost;
	tape->counts->records += tape->count - tape->written;
	tape->counts->bytes += bytes - tape->on_disk;
	tape->written = tape->count;
	tape->on_disk = bytes;
	return 0;
}

/* The packet is as it stays; another one begins behind it. */
static int next_packet(struct proclife_tape *tape)
{
	struct proclife_packet *packet = tape->packet;
	int err = proclife_tape_write(tape);

	if (err)
		return err;
	tape->offset += tape->on_disk;
	packet->first_record += tape->count;
	tape->count = 0;
	tape->written = 0;
	tape->on_disk = 0;
	packet->packet_seq_num++;
	packet->gap_lost = 0;
	packet->gap_from = 0;
	packet->gap_to = 0;
	return 0;
}

void proclife_tape_free(struct proclife_tape *tape)
{
	if (!tape)
		return;
	if (tape->fd >= 0)
		close(tape->fd);
	free(tape->packet);
	free(tape);
}

int proclife_tape_new(struct proclife_tape **to, int dir, uint32_t cpu, const uint8_t *uuid,
		      struct proclife_recorder_counts *counts)
{
	struct proclife_tape *tape = calloc(1, sizeof(*tape));
	char name[PROCLIFE_CTF_NAME];

	if (!tape)
		return -ENOMEM;
	tape->fd = -1;
	tape->begin = UINT64_MAX;
	tape->counts = counts;
	tape->packet = malloc(PROCLIFE_CTF_PACKET);
	if (!tape->packet) {
		proclife_tape_free(tape);
		return -ENOMEM;
	}
	memset(tape->packet, 0, sizeof(*tape->packet));
	tape->packet->magic = PROCLIFE_CTF_MAGIC;
	memcpy(tape->packet->uuid, uuid, sizeof(tape->packet->uuid));
	tape->packet->cpu_id = cpu;
	proclife_ctf_name(name, cpu);
	tape->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (tape->fd < 0) {
		int err = -errno;

		proclife_tape_free(tape);
		return err;
	}
	*to = tape;
	return 0;
}

int proclife_tape_gap(struct proclife_tape *tape, const struct proclife_gap *gap)
{
	struct proclife_packet *packet = tape->packet;
	int err;

	/* A CTF reader counts from one packet to the next: at the beginning, from an empty one. */
	if (!packet->packet_seq_num && !tape->count)
		tape->end = gap->from;
	if (tape->begin == UINT64_MAX)
		tape->begin = gap->from ? gap->from : gap->to;
	if (tape->count || proclife_packet_gap(packet) || (gap->lost && !packet->packet_seq_num)) {
		err = next_packet(tape);
		if (err)
			return err;
	}
	packet->gap_lost = gap->lost;
	packet->gap_from = gap->from;
	packet->gap_to = gap->to;
	packet->events_discarded += gap->lost;
	tape->end = gap->from;
	return 0;
}

int proclife_tape_records(struct proclife_tape *tape, const struct proclife_record *records,
			  uint64_t n)
{
	if (tape->begin == UINT64_MAX && n)
		tape->begin = records->ts;
	while (n) {
		uint64_t room = PROCLIFE_CTF_RECORDS - tape->count;
		uint64_t some = n < room ? n : room;

		memcpy(records_of(tape) + tape->count, records, some * sizeof(*records));
		tape->count += (uint32_t)some;
		records += some;
		n -= some;
		tape->end = records[-1].ts;
		if (some == room) {
			int err = next_packet(tape);

			if (err)
				return err;
		}
	}
	return 0;
}

void proclife_tape_total(const struct proclife_tape *tape, struct proclife_total *total)
{
	const struct proclife_packet *packet = tape->packet;

	*total = (struct proclife_total){
		.first = tape->begin < tape->end ? tape->begin : tape->end,
		.last = tape->end,
		.records = packet->first_record + tape->written,
		.lost = packet->events_discarded,
		.bytes = tape->offset + tape->on_disk,
		.cpu = packet->cpu_id,
	};
}
