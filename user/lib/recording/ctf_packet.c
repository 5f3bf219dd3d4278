// SPDX-License-Identifier: LGPL-2.1-or-later
/* Is this place of a stream's file the beginning of its next packet? */
#include "recording/ctf_packet.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#define TORN_TRIES 1000

static ssize_t read_some(struct proclife_ctf_file *file, void *to, size_t size, uint64_t at)
{
	ssize_t n;

	if (file->frames)
		return proclife_frames_read(file->frames, to, size, at);
	do {
		n = pread(file->fd, to, size, (off_t)at);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t proclife_ctf_file_read(struct proclife_ctf_file *file, void *to, size_t size, uint64_t at)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read_some(file, (char *)to + got, size - got, at + got);

		if (n < 0)
			return got ? (ssize_t)got : n;
		if (!n && at + got < file->bytes) {
			file->cut += file->bytes - (at + got);
			file->bytes = at + got;
		}
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/*
 * While a recorder runs, its last packet grows, and the header can be half written. Returns NULL,
 * or what is wrong with the header.
 */
static const char *read_header(struct proclife_ctf_file *file, bool running, uint64_t at,
			       struct proclife_packet *packet)
{
	bool last = at + PROCLIFE_CTF_PACKET >= file->bytes;
	unsigned int tries = last && running ? TORN_TRIES : 1;

	while (tries--) {
		ssize_t n;

		memset(packet, 0, sizeof(*packet));
		n = proclife_ctf_file_read(file, packet, sizeof(*packet), at);
		if (n < 0)
			return "the packet's header cannot be read";
		if (!n)
			return "the file ends too early";
		if ((size_t)n < sizeof(*packet))
			return "the file ends in a packet's header";
		if (packet->magic != PROCLIFE_CTF_MAGIC)
			return "no packet begins here";
		if (packet->checksum == proclife_packet_checksum(packet))
			return NULL;
		if (tries)
			sched_yield();
	}
	return "the packet's header is damaged";
}

static bool sizes_make_sense(const struct proclife_packet *p)
{
	uint64_t bytes = p->packet_size / 8, content = p->content_size / 8;

	return !(p->packet_size % 8) && !(p->content_size % 8) && bytes &&
	       !(bytes % PROCLIFE_CTF_ALIGN) && bytes <= PROCLIFE_CTF_PACKET && content <= bytes &&
	       content >= PROCLIFE_CTF_HEADER_BYTES;
}

static bool times_make_sense(const struct proclife_packet *p, uint64_t floor, uint64_t last)
{
	if (p->timestamp_begin < floor || p->timestamp_begin > last ||
	    p->timestamp_end < p->timestamp_begin || p->timestamp_end > PROCLIFE_TIME_MAX)
		return false;
	if (!proclife_packet_gap(p))
		return !p->gap_from;
	return p->gap_from >= floor && p->gap_from <= p->timestamp_begin &&
	       p->gap_to >= p->gap_from && p->gap_to <= PROCLIFE_TIME_MAX;
}

/* The counts of what came before: no less than was read so far, and no more than possible. */
static bool counts_make_sense(const struct proclife_total *total,
			      const struct proclife_ctf_place *place,
			      const struct proclife_packet *p, uint64_t records)
{
	uint64_t most = total ? total->records : PROCLIFE_CTF_MOST;
	uint64_t most_lost = total ? total->lost : PROCLIFE_CTF_MOST;

	return p->packet_seq_num >= place->packets && p->packet_seq_num < PROCLIFE_CTF_MOST &&
	       p->first_record >= place->position && p->first_record <= most &&
	       p->first_record - place->position <=
		       (p->packet_seq_num - place->packets) * PROCLIFE_CTF_RECORDS &&
	       records <= most - p->first_record && p->events_discarded <= most_lost &&
	       p->gap_lost <= p->events_discarded &&
	       p->events_discarded - p->gap_lost >= place->discarded;
}

const char *proclife_packet_check(struct proclife_ctf_file *file,
				  const struct proclife_ctf_known *known,
				  const struct proclife_ctf_place *place, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records)
{
	const struct proclife_run_info *run = &known->metadata->run;
	const char *wrong = read_header(file, run->running, at, packet);
	uint64_t content, most;

	*records = 0;
	if (wrong)
		return wrong;
	if (memcmp(packet->uuid, run->uuid, sizeof(packet->uuid)))
		return "the packet belongs to another recording";
	if (packet->stream_id || packet->cpu_id != known->cpu)
		return "the packet belongs to another stream";
	if (!sizes_make_sense(packet))
		return "the packet's sizes make no sense";
	if (!times_make_sense(packet, place->floor, proclife_ctf_last(known)))
		return "the packet's times make no sense";
	content = packet->content_size / 8;
	if (content > sizeof(*packet))
		*records = (content - 1) / sizeof(struct proclife_record);
	if (!counts_make_sense(known->total, place, packet, *records))
		return "the packet's place is another one";
	/* The file ends in this packet, or the packet has grown since we opened the file. */
	most = (file->bytes - at) / sizeof(struct proclife_record) - 1;
	if (*records > most)
		*records = most;
	return NULL;
}
