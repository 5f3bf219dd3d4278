// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading one stream of a recording, in place. Nothing in the file is trusted: a packet is checked
 * when it is reached, and its records' times a few records ahead of the merge, which then finds
 * them in the cache.
 */
#include "playback.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * Records whose times are checked at once; measured: fewer cost calls, with more of them the merge
 * no longer finds in the L1 cache what has been looked at here. Populating the mapping ahead gains
 * nothing over the faults.
 */
#define AHEAD 8

static int damaged(struct proclife_playback *tape, uint64_t at, const char *what)
{
	struct proclife_recording *recording = tape->recording;

	recording->faulty = true; /* and stays so: nothing is read any more */
	tape->stream.gap = (struct proclife_gap){ 0 };
	proclife_fault_at(&recording->fault, recording->path, tape->name, "damaged at byte %" PRIu64
			  ": %s; copy the recording again from where it was made", at, what);
	return -EBADMSG;
}

/* NULL, or what is wrong with the packet at the tape's offset, @left bytes before its end. */
static const char *check_packet(const struct proclife_playback *tape,
				const struct proclife_packet *p, uint64_t left, uint64_t *records)
{
	uint64_t bytes = p->packet_size / 8, content = p->content_size / 8, discarded;

	if (p->packet_size % 8 || p->content_size % 8 || !bytes || bytes % PROCLIFE_CTF_ALIGN ||
	    bytes > left || content > bytes || content < PROCLIFE_CTF_HEADER_BYTES)
		return "the packet's sizes make no sense";
	*records = 0;
	if (content > sizeof(*p))
		*records = (content - 1) / sizeof(struct proclife_record);
	if (p->stream_id || p->cpu_id != tape->stream.order)
		return "the packet belongs to another stream";
	if (p->packet_seq_num != tape->packets)
		return "the packet before this one is missing";
	if (__builtin_add_overflow(tape->discarded, p->gap_lost, &discarded) ||
	    p->events_discarded != discarded)
		return "the packet's count of lost records is wrong";
	if (p->timestamp_begin < tape->floor || p->timestamp_end < p->timestamp_begin ||
	    p->timestamp_end == UINT64_MAX)
		return "the packet's times go back";
	if (proclife_packet_gap(p) ? p->gap_from < tape->floor ||
					     p->gap_from > p->timestamp_begin ||
					     p->gap_to < p->gap_from :
				     p->gap_from)
		return "the packet's gap makes no sense";
	return NULL;
}

/*
 * If a recorder was interrupted, the last thing in a file can be a part of a packet, or what was to
 * go into a packet that its header does not count yet.
 */
static bool is_cut_off(const struct proclife_playback *tape, const struct proclife_packet *p,
		       uint64_t left)
{
	if (tape->recording->metadata.run.complete || left > PROCLIFE_CTF_PACKET)
		return false;
	return left < sizeof(*p) || p->magic != PROCLIFE_CTF_MAGIC || p->packet_size / 8 > left;
}

/* 1, or 0 at the end of the file. */
static int next_packet(struct proclife_playback *tape)
{
	uint64_t left = tape->bytes - tape->offset, records;
	struct proclife_packet packet;
	const char *wrong;

	if (!left)
		return 0;
	if (left < sizeof(packet)) {
		if (is_cut_off(tape, NULL, left))
			return 0;
		return damaged(tape, tape->offset, "the file ends in a packet");
	}
	/* A recorder that still runs lets the last packet grow. */
	memcpy(&packet, tape->map + tape->offset, sizeof(packet));
	if (is_cut_off(tape, &packet, left))
		return 0;
	if (packet.magic != PROCLIFE_CTF_MAGIC)
		return damaged(tape, tape->offset, "no packet begins here");
	if (memcmp(packet.uuid, tape->recording->metadata.run.uuid, sizeof(packet.uuid)))
		return damaged(tape, tape->offset, "the packet belongs to another recording");
	wrong = check_packet(tape, &packet, left, &records);
	if (wrong)
		return damaged(tape, tape->offset, wrong);
	tape->next = (const void *)(tape->map + tape->offset + sizeof(packet));
	tape->end = tape->next + records;
	tape->floor = packet.timestamp_begin;
	tape->packet_end = packet.timestamp_end;
	tape->discarded = packet.events_discarded;
	tape->stream.gap = (struct proclife_gap){
		.lost = packet.gap_lost,
		.from = packet.gap_from,
		.to = packet.gap_to,
		.cpu = tape->stream.order,
	};
	tape->offset += packet.packet_size / 8;
	tape->packets++;
	return 1;
}

int proclife_playback_refill(struct proclife_stream *stream)
{
	struct proclife_playback *tape = (struct proclife_playback *)stream;
	const struct proclife_record *next;
	uint64_t floor, n;
	bool back = false;

	if (proclife_unlikely(tape->recording->faulty))
		return -EBADMSG;
	stream->cur = tape->next;
	stream->end = tape->next;
	while (tape->next == tape->end) {
		int ret = next_packet(tape);

		if (ret <= 0)
			return ret;
		stream->cur = tape->next;
		stream->end = tape->next;
		if (proclife_gap_is(&stream->gap) && tape->next == tape->end)
			return 0;
	}
	next = tape->next;
	n = (uint64_t)(tape->end - next);
	if (n > AHEAD)
		n = AHEAD;
	floor = tape->floor;
	for (uint64_t i = 0; i < n; i++) {
		back |= next[i].ts < floor;
		floor = next[i].ts;
	}
	if (proclife_unlikely(back || floor > tape->packet_end)) {
		return damaged(tape, (uint64_t)((const char *)next - tape->map),
			       "the times of the records from here on go back");
	}
	tape->floor = floor;
	tape->next = next + n;
	stream->end = tape->next;
	return 0;
}
