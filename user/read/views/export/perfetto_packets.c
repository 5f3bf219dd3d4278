// SPDX-License-Identifier: GPL-2.0-only
#include "output/escape.h"
#include "views/export/perfetto_packets.h"
#include <string.h>

/* Numbers of fields, as Perfetto's own messages have them. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_TRACK_DESCRIPTOR = 60,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_RANK = 12,
	TRACK_MERGE = 15,
	COUNTER_UNIT = 3,

	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_TERMINATING_FLOW = 48,

	NOTE_BOOL = 2,
	NOTE_UINT = 3,
	NOTE_INT = 4,
	NOTE_STRING = 6,
	NOTE_NAME = 10,
	NOTE_ARRAY = 12,
};

enum { CLOCK_OF_REALTIME = 1, CLOCK_OF_MONOTONIC = 3, CLOCK_OF_BOOTTIME = 6 };
enum { BEGINS = 1, ENDS = 2, HAPPENS = 3, COUNTS = 4 };

#define STATE_CLEARED 1	/* nothing that came before is referred to */
#define OWN_SEQUENCE 0x6c696665 /* in a file to which others have added theirs */
#define UNIT_COUNT 2
#define MERGE_NONE 2

void packets_init(struct packets *packets, FILE *out)
{
	memset(packets, 0, sizeof(*packets));
	packets->out = out;
	text_init(&packets->text, NULL);
}

void packets_free(struct packets *packets)
{
	packed_free(&packets->bytes);
	text_free(&packets->text);
}

void packets_write(struct packets *packets)
{
	if (packets->bytes.count)
		fwrite_unlocked(packets->bytes.bytes, 1, packets->bytes.count, packets->out);
	packets->bytes.count = 0;
}

static void begin_packet(struct packets *packets, uint64_t ts)
{
	packets->packet = protobuf_begin(&packets->bytes, TRACE_PACKET);
	protobuf_uint(&packets->bytes, PACKET_TIMESTAMP, ts);
	protobuf_uint(&packets->bytes, PACKET_CLOCK, CLOCK_OF_MONOTONIC);
	protobuf_uint(&packets->bytes, PACKET_SEQUENCE, OWN_SEQUENCE);
}

static void end_packet(struct packets *packets)
{
	protobuf_end(&packets->bytes, packets->packet);
}

static void put_text(struct packets *packets, unsigned int field, const char *s, size_t n)
{
	text_clear(&packets->text);
	text_escaped(&packets->text, s, n == SIZE_MAX ? strlen(s) : strnlen(s, n), "");
	protobuf_bytes(&packets->bytes, field, packets->text.s ? packets->text.s : "", packets->text.len);
}

static void put_clock(struct packets *packets, unsigned int clock, uint64_t time)
{
	size_t begin = protobuf_begin(&packets->bytes, SNAPSHOT_CLOCKS);

	protobuf_uint(&packets->bytes, CLOCK_ID, clock);
	protobuf_uint(&packets->bytes, CLOCK_TIMESTAMP, time);
	protobuf_end(&packets->bytes, begin);
}

void packets_clocks(struct packets *packets, const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	const struct proclife_run_info *recorded = proclife_recording_info(run->source);
	uint64_t now = recorded ? recorded->began : proclife_source_now(run->source);
	uint64_t realtime = export_realtime(run, now);
	size_t begin;

	begin_packet(packets, now);
	protobuf_uint(&packets->bytes, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
	begin = protobuf_begin(&packets->bytes, PACKET_CLOCK_SNAPSHOT);
	put_clock(packets, CLOCK_OF_MONOTONIC, now);
	if (header)
		put_clock(packets, CLOCK_OF_BOOTTIME, proclife_source_boottime(run->source, now));
	if (realtime)
		put_clock(packets, CLOCK_OF_REALTIME, realtime);
	protobuf_uint(&packets->bytes, SNAPSHOT_PRIMARY, CLOCK_OF_MONOTONIC);
	protobuf_end(&packets->bytes, begin);
	end_packet(packets);
}

void packets_track(struct packets *packets, const struct track *track)
{
	struct packed *bytes = &packets->bytes;
	size_t begin, counter;

	packets->packet = protobuf_begin(bytes, TRACE_PACKET);
	protobuf_uint(bytes, PACKET_SEQUENCE, OWN_SEQUENCE);
	begin = protobuf_begin(bytes, PACKET_TRACK_DESCRIPTOR);
	protobuf_uint(bytes, TRACK_UUID, track->uuid);
	text_clear(&packets->text);
	text_escaped(&packets->text, track->name, strlen(track->name), "");
	if (track->number)
		text_printf(&packets->text, " %u", track->number);
	protobuf_bytes(bytes, TRACK_NAME, packets->text.s, packets->text.len);
	if (track->parent)
		protobuf_uint(bytes, TRACK_PARENT, track->parent);
	if (track->counts) {
		counter = protobuf_begin(bytes, TRACK_COUNTER);
		protobuf_uint(bytes, COUNTER_UNIT, UNIT_COUNT);
		protobuf_end(bytes, counter);
	}
	if (track->order)
		protobuf_uint(bytes, TRACK_CHILD_ORDERING, track->order == ORDER_BY_RANK ? 3 : 2);
	protobuf_uint(bytes, TRACK_RANK, (uint64_t)track->rank);
	protobuf_uint(bytes, TRACK_MERGE, MERGE_NONE);
	protobuf_end(bytes, begin);
	end_packet(packets);
}

static void begin_event(struct packets *packets, uint64_t ts, uint64_t track, unsigned int type)
{
	begin_packet(packets, ts);
	packets->event = protobuf_begin(&packets->bytes, PACKET_TRACK_EVENT);
	protobuf_uint(&packets->bytes, EVENT_TYPE, type);
	protobuf_uint(&packets->bytes, EVENT_TRACK, track);
}

void packets_end_event(struct packets *packets)
{
	protobuf_end(&packets->bytes, packets->event);
	end_packet(packets);
}

void packets_counter(struct packets *packets, uint64_t ts, uint64_t track, uint64_t value)
{
	begin_event(packets, ts, track, COUNTS);
	protobuf_uint(&packets->bytes, EVENT_COUNTER_VALUE, value);
	packets_end_event(packets);
}

void packets_category(struct packets *packets, const char *category)
{
	protobuf_string(&packets->bytes, EVENT_CATEGORY, category);
}

static void put_event(struct packets *packets, uint64_t ts, uint64_t track, unsigned int type, const char *name,
		      const char *category)
{
	begin_event(packets, ts, track, type);
	put_text(packets, EVENT_NAME, name, SIZE_MAX);
	packets_category(packets, category);
}

void packets_begin(struct packets *packets, uint64_t ts, uint64_t track, const char *name, const char *category)
{
	put_event(packets, ts, track, BEGINS, name, category);
}

void packets_instant(struct packets *packets, uint64_t ts, uint64_t track, const char *name, const char *category)
{
	put_event(packets, ts, track, HAPPENS, name, category);
}

void packets_end_slice(struct packets *packets, uint64_t ts, uint64_t track)
{
	begin_event(packets, ts, track, ENDS);
	packets_end_event(packets);
}

void packets_flow(struct packets *packets, uint64_t flow, bool ends)
{
	protobuf_fixed64(&packets->bytes, ends ? EVENT_TERMINATING_FLOW : EVENT_FLOW, flow);
}

static size_t begin_note(struct packets *packets, const char *name)
{
	size_t begin = protobuf_begin(&packets->bytes, EVENT_NOTE);

	protobuf_string(&packets->bytes, NOTE_NAME, name);
	return begin;
}

void packets_note_uint(struct packets *packets, const char *name, uint64_t value)
{
	size_t begin = begin_note(packets, name);

	protobuf_uint(&packets->bytes, NOTE_UINT, value);
	protobuf_end(&packets->bytes, begin);
}

void packets_note_int(struct packets *packets, const char *name, int64_t value)
{
	size_t begin = begin_note(packets, name);

	protobuf_uint(&packets->bytes, NOTE_INT, (uint64_t)value);
	protobuf_end(&packets->bytes, begin);
}

void packets_note_true(struct packets *packets, const char *name)
{
	size_t begin = begin_note(packets, name);

	protobuf_uint(&packets->bytes, NOTE_BOOL, true);
	protobuf_end(&packets->bytes, begin);
}

void packets_note_text(struct packets *packets, const char *name, const char *s, size_t n)
{
	size_t begin = begin_note(packets, name);

	put_text(packets, NOTE_STRING, s, n);
	protobuf_end(&packets->bytes, begin);
}

void packets_note_words(struct packets *packets, const char *name, const char *words, size_t n)
{
	size_t begin = begin_note(packets, name), i, length, word;

	for (i = 0; i < n; i += length + 1) {
		length = strnlen(words + i, n - i);
		word = protobuf_begin(&packets->bytes, NOTE_ARRAY);
		put_text(packets, NOTE_STRING, words + i, length);
		protobuf_end(&packets->bytes, word);
	}
	protobuf_end(&packets->bytes, begin);
}
