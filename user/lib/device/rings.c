// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader's side of the rings: copying and validating records, counting what was lost, and the
 * horizon up to which the merge may go. See ring.h for the algorithm and its proof.
 */
#include "device/device.h"

#include <errno.h>
#include <proclife/ring.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define PROCLIFE_TSAN 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define PROCLIFE_TSAN 1
#endif

/*
 * The writer may be overwriting what is copied here. This data race is intended, as with a seqlock:
 * proclife_ring_oldest(), called next, finds out which part of the copy is valid, and only that is
 * used. ThreadSanitizer cannot know that, so under it the words are loaded atomically.
 */
static void copy_records(struct proclife_record *to, const struct proclife_record *from, size_t n)
{
#ifdef PROCLIFE_TSAN
	const uint64_t *source = (const uint64_t *)from;
	uint64_t *target = (uint64_t *)to;

	for (size_t i = 0; i < n * sizeof(*to) / sizeof(*target); i++)
		target[i] = __atomic_load_n(&source[i], __ATOMIC_RELAXED);
#else
	memcpy(to, from, n * sizeof(*to));
#endif
}

/* Where the record at a position is. It is not to be looked at by a reader that needs it whole. */
static const struct proclife_record *record_at(const struct proclife_ring_stream *ring, uint64_t pos)
{
	return (const void *)(ring->records + (pos & (ring->size - 1)) * ring->stride);
}

static uint64_t copy_span(struct proclife_ring_stream *ring, uint64_t pos, uint64_t n)
{
	uint64_t head = ring->size - (pos & (ring->size - 1));

	if (head > n)
		head = n;
	if (proclife_likely(ring->stride == sizeof(struct proclife_record))) {
		copy_records(ring->buffer, record_at(ring, pos), head);
		copy_records(ring->buffer + head, record_at(ring, pos + head), n - head);
	} else {
		for (uint64_t i = 0; i < n; i++) /* what is beyond is new to this version */
			copy_records(ring->buffer + i, record_at(ring, pos + i), 1);
	}
	return proclife_ring_oldest(ring->ctl, ring->size);
}

/*
 * Copies the next records from @pos on, up to the limit, into the buffer. If the writer overran
 * part of the copy, the rest is kept. If it overran all of it, the copy starts again at the oldest
 * record. The first time, it starts at that very record, because a copy is faster than a writer and
 * each record counts. If that fails, it starts further and further ahead.
 *
 * Return: how many records were copied; @pos is set to the position of the first one, and @index to
 * its place in the buffer. 0 if the writer was faster each time: then all records below @pos are
 * lost.
 */
static uint64_t copy_batch(struct proclife_ring_stream *ring, uint64_t *pos, uint64_t *index)
{
	uint64_t start = *pos, end = ring->limit;

	/* Whatever the positions say, the ring holds no more than this. */
	if (end - start > ring->size)
		start = end - ring->size;
	for (unsigned int attempt = 0; attempt < 8; attempt++) {
		uint64_t n = end - start, oldest, lead;

		if (n > PROCLIFE_BATCH)
			n = PROCLIFE_BATCH;
		if (n > ring->size)
			n = ring->size;
		oldest = copy_span(ring, start, n);
		if ((int64_t)(oldest - start) < (int64_t)n) {
			uint64_t gone = (int64_t)(oldest - start) > 0 ? oldest - start : 0;

			*pos = start + gone;
			*index = gone;
			return n - gone;
		}
		end = proclife_ring_committed(ring->ctl);
		if (proclife_unlikely((int64_t)(end - ring->limit) < 0))
			end = ring->limit; /* commit never decreases */
		lead = attempt ? ring->size >> (8 - attempt) : 0;
		start = oldest + lead;
		if ((int64_t)(end - start) <= 0)
			start = end - 1; /* that is a record: oldest is above 0 */
	}
	*pos = end;
	return 0;
}

/* What is later is no time: whatever a ring says, nothing from above the horizon is yielded. */
static uint64_t bounded(uint64_t ts)
{
	return ts < PROCLIFE_TIME_MAX ? ts : PROCLIFE_TIME_MAX;
}

struct proclife_clock proclife_device_clock(const struct proclife_device *device)
{
	struct proclife_clock clock = {
		.to_boottime = device->header.to_boottime,
		.to_realtime = device->header.to_realtime,
	};

	device->clock(&clock, device->clock_arg);
	return clock;
}

static uint64_t time_now(const struct proclife_device *device)
{
	return bounded(proclife_device_clock(device).now);
}

/* @gone records below @pos were overwritten: how many of them are not history, but lost? */
static uint64_t lost_of(const struct proclife_ring_stream *ring, uint64_t pos, uint64_t gone)
{
	int64_t fresh = (int64_t)(pos - ring->old);

	if (fresh <= 0)
		return 0;
	return (uint64_t)fresh < gone ? (uint64_t)fresh : gone;
}

/*
 * Which types were suppressed just before @pos. The first PROCLIFE_SUPPRESSED of a type from there
 * on shows it; if there is none, the type's state has not changed since.
 */
static uint64_t suppressed_at(const struct proclife_ring_stream *ring, uint64_t pos)
{
	uint64_t end, suppressed = 0, known = 0, now;
	unsigned int attempt = 0;

	do { /* the module commits the record before it changes `suppressing` */
		end = proclife_ring_committed(ring->ctl);
		now = proclife_read_once(ring->ctl->suppressing);
	} while (end != proclife_ring_committed(ring->ctl) && ++attempt < 8);
	if (end - pos > ring->size) /* no module does that */
		pos = end - ring->size;
	for (; pos != end; pos++) {
		const struct proclife_record *r = record_at(ring, pos);
		uint32_t what;

		if (proclife_read_once(r->type) != PROCLIFE_SUPPRESSED)
			continue;
		what = proclife_read_once(r->suppressed.what);
		if (what >= PROCLIFE_TYPES || known & PROCLIFE_HAS(what))
			continue;
		known |= PROCLIFE_HAS(what);
		if (proclife_read_once(r->suppressed.ended))
			suppressed |= PROCLIFE_HAS(what);
	}
	return (suppressed | (now & ~known)) & (PROCLIFE_HAS(PROCLIFE_TYPES) - 1);
}

/* Puts a record of it before the span, with `since` 0: it is not known when suppression began, unless it is a stop. */
static void tell_suppressed(struct proclife_ring_stream *ring, uint64_t suppressed, uint64_t ts)
{
	const struct proclife_header *header = ring->device->map;
	uint64_t stopped = proclife_read_once(header->stopped);
	struct proclife_record *to = ring->buffer + (ring->stream.cur - ring->buffer);

	for (uint32_t type = PROCLIFE_TYPES; type--;) {
		if (!(suppressed & PROCLIFE_HAS(type)))
			continue;
		*--to = (struct proclife_record){
			.ts = ts,
			.type = PROCLIFE_SUPPRESSED,
			.cpu = (uint16_t)ring->stream.order,
			.suppressed.what = type,
			.suppressed.since = type == PROCLIFE_NONE && stopped <= ts ? stopped : 0,
		};
	}
	ring->stream.cur = to;
}

static int refill(struct proclife_stream *stream)
{
	struct proclife_ring_stream *ring = (struct proclife_ring_stream *)stream;
	const struct proclife_record *buffer = ring->buffer;
	uint64_t floor = ring->floor;

	proclife_stream_tell(&ring->device->source, stream);
	if ((int64_t)(ring->limit - ring->pos) > 0) {
		uint64_t pos = ring->pos, index = 0;
		uint64_t n = copy_batch(ring, &pos, &index);
		uint64_t gone = pos - ring->pos;

		ring->pos = pos + n;
		if (n)
			ring->floor = buffer[index + n - 1].ts;
		stream->cur = &buffer[index];
		stream->end = stream->cur + n;
		if (proclife_unlikely(gone)) {
			stream->gap = (struct proclife_gap){
				.lost = lost_of(ring, pos, gone),
				.from = floor,
				.to = n ? bounded(stream->cur->ts) : time_now(ring->device),
				.cpu = stream->order,
			};
		}
	}
	if (proclife_unlikely(ring->suppressed)) {
		tell_suppressed(ring, ring->suppressed, floor);
		ring->suppressed = 0;
	}
	proclife_stream_begin(stream);
	return 0;
}

static int add_ring(struct proclife_device *device, uint32_t cpu)
{
	const struct proclife_header *header = &device->header;
	struct proclife_ring_stream *ring = calloc(1, sizeof(*ring));
	char *base = (char *)device->map + header->rings_offset + cpu * header->ring_stride;
	struct proclife_record *room = NULL;
	int err = -ENOMEM;

	if (!ring)
		return -ENOMEM;
	room = malloc((PROCLIFE_TYPES + PROCLIFE_BATCH) * sizeof(*room));
	if (!room)
		goto fail;
	ring->buffer = room + PROCLIFE_TYPES;
	ring->device = device;
	ring->ctl = (const struct proclife_ring_ctl *)base;
	ring->records = base + header->records_offset;
	ring->size = header->records_per_ring;
	ring->stride = header->record_bytes;
	ring->stream.order = cpu;
	ring->stream.refill = refill;
	ring->stream.cur = ring->buffer;
	ring->stream.end = ring->buffer;
	ring->stream.told = ring->buffer;
	err = proclife_merge_add(&device->source.merge, &ring->stream);
	if (err)
		goto fail;
	device->rings[cpu] = ring;
	return 0;
fail:
	free(room);
	free(ring);
	return err;
}

static const uint64_t *cpu_map(const struct proclife_device *device)
{
	return (const uint64_t *)((const char *)device->map + device->header.cpu_map_offset);
}

/*
 * Follows the CPU map. Called after the clock was read: a ring appears in the map before it is
 * first written. So a ring that is not in the map yet holds no record from before that time.
 */
static int update_rings(struct proclife_device *device)
{
	const struct proclife_header *header = device->map;
	uint64_t generation = proclife_load_acquire(&header->generation);

	if (generation == device->generation)
		return 0;
	for (uint32_t base = 0; base < device->header.cpus; base += 64) {
		uint64_t word = proclife_read_once(cpu_map(device)[base / 64]);

		for (; word; word &= word - 1) {
			uint32_t cpu = base + (uint32_t)__builtin_ctzll(word);
			int err;

			if (cpu >= device->header.cpus || device->rings[cpu])
				continue;
			err = add_ring(device, cpu);
			if (err)
				return err;
		}
	}
	device->generation = generation;
	return 0;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" ::: "memory");
#endif
}

/*
 * H3 and H4 for one ring: sets its limit. Return: true if all its records from before the caller's
 * clock reading lie below the limit. Otherwise, its next record is not earlier than @hold.
 */
static bool settle(struct proclife_ring_stream *ring, uint64_t *hold)
{
	for (unsigned int attempt = 0; attempt < 4; attempt++) {
		__u64 commit;
		uint64_t ts;
		bool settled = proclife_ring_settled(ring->ctl, &commit);

		ring->limit = commit;
		if (settled)
			return true;
		/*
		 * Only the record at this commit can still be from before the clock reading
		 * (see ring.h). As soon as commit moves, all records from before are complete.
		 * That takes a moment, unless the writer's virtual CPU was just descheduled.
		 */
		for (unsigned int spin = 0; spin < 16; spin++) {
			relax();
			commit = proclife_ring_committed(ring->ctl);
			if (commit != ring->limit) {
				ring->limit = commit;
				return true;
			}
		}
		*hold = ring->floor;
		if (ring->limit == ring->pos)
			return false;
		ts = proclife_read_once(record_at(ring, ring->limit - 1)->ts);
		if ((int64_t)(proclife_ring_oldest(ring->ctl, ring->size) - ring->limit) < 0) {
			if (ts > *hold)
				*hold = ts;
			return false;
		}
	}
	return false;
}

/* Takes the horizon as in the diagram of ring.h, and sets each ring's limit. */
static int take_horizon(struct proclife_device *device)
{
	struct proclife_merge *merge = &device->source.merge;
	uint64_t horizon;
	int err;

	device->read = proclife_device_clock(device); /* H1 */
	horizon = bounded(device->read.now);
	proclife_clock_mb(); /* H2, pairs with W2 */
	err = update_rings(device);
	if (err)
		return err;
	device->held = false;
	for (uint32_t i = 0; i < merge->count; i++) {
		struct proclife_ring_stream *ring;
		uint64_t hold;

		if (merge->streams[i] == &device->snapshot)
			continue;
		ring = (struct proclife_ring_stream *)merge->streams[i];
		/* The ring's records from before the last horizon were copied, or are lost. */
		if (ring->floor < merge->horizon)
			ring->floor = merge->horizon;
		if (settle(ring, &hold))
			continue;
		device->held = true;
		if (horizon > hold)
			horizon = hold;
	}
	if (merge->horizon < horizon)
		merge->horizon = horizon;
	return 0;
}

int proclife_rings_begin(struct proclife_device *device)
{
	struct proclife_merge *merge = &device->source.merge;
	int err = take_horizon(device);

	if (err)
		return err;
	for (uint32_t i = 0; i < merge->count; i++) {
		struct proclife_ring_stream *ring;

		ring = (struct proclife_ring_stream *)merge->streams[i];
		ring->pos = ring->limit;
		ring->suppressed = suppressed_at(ring, ring->pos);
	}
	return 0;
}

static void refill_empty(struct proclife_merge *merge)
{
	for (uint32_t i = 0; i < merge->count; i++) {
		struct proclife_stream *stream = merge->streams[i];

		if (stream->cur == stream->end && !proclife_gap_is(&stream->gap))
			stream->refill(stream);
	}
}

/*
 * Starts each ring at its oldest record. Records that are overwritten meanwhile do not count as
 * lost: the beginning moves.
 */
static void start_at_oldest(struct proclife_device *device)
{
	struct proclife_merge *merge = &device->source.merge;

	for (uint32_t i = 0; i < merge->count; i++) {
		struct proclife_stream *stream = merge->streams[i];
		struct proclife_ring_stream *ring;
		uint64_t begin;

		if (stream == &device->snapshot)
			continue;
		ring = (struct proclife_ring_stream *)stream;
		ring->suppressed = 0; /* that was for the old beginning */
		ring->pos = proclife_ring_oldest(ring->ctl, ring->size);
		ring->limit = proclife_ring_committed(ring->ctl); /* it can have wrapped since */
		ring->old = ring->limit;
		ring->floor = 0;
		refill(stream);
		stream->gap = (struct proclife_gap){ 0 };
		begin = stream->cur != stream->end ? bounded(stream->cur->ts) : time_now(device);
		if (ring->pos != (uint64_t)(stream->end - stream->cur)) {
			stream->gap = (struct proclife_gap){ .to = begin, .cpu = stream->order };
			tell_suppressed(ring, suppressed_at(ring, ring->pos - (uint64_t)
							    (stream->end - stream->cur)), begin);
		}
		proclife_stream_begin(stream);
	}
}

int proclife_rings_round(struct proclife_device *device)
{
	struct proclife_merge *merge = &device->source.merge;
	int err = take_horizon(device);

	if (err)
		return err;
	if (device->rewind) {
		device->rewind = false;
		start_at_oldest(device);
		err = proclife_snapshot_prepend(device);
		if (err)
			return err;
	}
	refill_empty(merge);
	proclife_merge_build(merge);
	return 0;
}

uint64_t proclife_rings_pending(const struct proclife_device *device)
{
	const struct proclife_merge *merge = &device->source.merge;
	uint64_t pending = device->rewind;

	for (uint32_t i = 0; i < merge->count; i++) {
		const struct proclife_stream *stream = merge->streams[i];
		const struct proclife_ring_stream *ring = (const void *)stream;

		pending += stream->gap.lost + (uint64_t)(stream->end - stream->cur);
		if (stream != &device->snapshot)
			pending += proclife_ring_committed(ring->ctl) - ring->pos;
	}
	return pending;
}

const struct proclife_ring_ctl *proclife_rings_ctl(const struct proclife_device *device,
						   uint32_t cpu)
{
	const struct proclife_header *header = &device->header;

	if (cpu >= header->cpus)
		return NULL;
	if (!(proclife_load_acquire(&cpu_map(device)[cpu / 64]) >> cpu % 64 & 1))
		return NULL;
	return (const struct proclife_ring_ctl *)((const char *)device->map + header->rings_offset +
						  cpu * header->ring_stride);
}

uint64_t proclife_rings_count(const struct proclife_device *device, uint32_t cpu, uint32_t offset, uint32_t type)
{
	const struct proclife_ring_ctl *ctl = proclife_rings_ctl(device, cpu);

	if (!ctl || type >= device->header.types)
		return 0;
	return proclife_read_once(((const uint64_t *)((const char *)ctl + offset))[type]);
}

void proclife_rings_free(struct proclife_device *device)
{
	for (uint32_t cpu = 0; device->rings && cpu < device->header.cpus; cpu++) {
		if (device->rings[cpu])
			free(device->rings[cpu]->buffer - PROCLIFE_TYPES);
		free(device->rings[cpu]);
	}
	free(device->rings);
}
