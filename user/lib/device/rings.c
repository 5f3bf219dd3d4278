// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader's side of the rings: copying and validating records, counting what was lost, and the
 * horizon up to which the merge may go. See ring.h for the algorithm and its proof.
 */
#include "device/device.h"
#include "device/handles.h"

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

		if (n > ring->batch)
			n = ring->batch;
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
			.cpu = (uint16_t)ring->cpu,
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

	if (!ring->device->merged) /* otherwise it is a part of the stream that a recorder sees */
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
				.cpu = ring->cpu,
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

static void begin_empty(struct proclife_stream *stream, const struct proclife_record *buffer)
{
	stream->cur = buffer;
	stream->end = buffer;
	stream->told = buffer;
}

static void free_ring(struct proclife_ring_stream *ring)
{
	free(ring->room);
	free(ring);
}

/* The batch where a CPU has many rings: hundreds of CPUs have thousands of them. */
#define SMALL_BATCH 32

/* NULL: no memory. */
static struct proclife_ring_stream *new_ring(struct proclife_device *device, uint32_t cpu, const char *base,
					     const struct proclife_ring_place *place)
{
	struct proclife_ring_stream *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->batch = device->merged ? SMALL_BATCH : PROCLIFE_BATCH;
	ring->room = malloc((PROCLIFE_TYPES + ring->batch) * sizeof(*ring->room));
	if (!ring->room) {
		free(ring);
		return NULL;
	}
	ring->buffer = ring->room + PROCLIFE_TYPES;
	ring->device = device;
	ring->cpu = cpu;
	ring->ctl = (const struct proclife_ring_ctl *)(base + place->offset);
	ring->records = base + place->records_offset;
	ring->size = place->records;
	ring->stride = device->header.record_bytes;
	ring->stream.refill = refill;
	begin_empty(&ring->stream, ring->buffer);
	return ring;
}

/* Adds it to this merge. The device has room for it. */
static int add_ring(struct proclife_device *device, uint32_t cpu, const char *base, uint32_t place,
		    struct proclife_merge *merge, uint32_t order)
{
	struct proclife_ring_stream *ring = new_ring(device, cpu, base, &device->places[place]);
	int err;

	if (!ring)
		return -ENOMEM;
	ring->stream.order = order;
	err = proclife_merge_add(merge, &ring->stream);
	if (err) {
		free_ring(ring);
		return err;
	}
	device->rings[device->rings_count++] = ring;
	return 0;
}

/* The next records of all rings of a CPU, up to the next gap. */
static int refill_cpu(struct proclife_stream *stream)
{
	struct proclife_cpu_stream *cpu = (struct proclife_cpu_stream *)stream;
	struct proclife_record *to = cpu->buffer;
	struct proclife_event event;
	int ret = 0;

	proclife_stream_tell(&cpu->device->source, stream);
	stream->gap = cpu->next_gap;
	cpu->next_gap = (struct proclife_gap){ 0 };
	while (to != cpu->buffer + PROCLIFE_BATCH) {
		ret = proclife_merge_next(&cpu->merge, &event);
		if (ret <= 0)
			break;
		if (event.record) {
			*to = *event.record;
			if (cpu->device->handles)
				proclife_handles_make(cpu->device->handles, to);
			to++;
		} else if (to == cpu->buffer && !proclife_gap_is(&stream->gap)) {
			stream->gap = event.gap;
		} else {
			cpu->next_gap = event.gap;
			break;
		}
	}
	stream->cur = cpu->buffer;
	stream->end = to;
	proclife_stream_begin(stream);
	return ret < 0 ? ret : 0;
}

static void free_cpu(struct proclife_cpu_stream *cpu)
{
	proclife_merge_free(&cpu->merge);
	free(cpu->buffer);
	free(cpu);
}

static int add_merged(struct proclife_device *device, uint32_t number, const char *base)
{
	struct proclife_cpu_stream *cpu = calloc(1, sizeof(*cpu));
	int err = -ENOMEM;

	if (!cpu)
		return -ENOMEM;
	cpu->device = device;
	cpu->stream.order = number;
	cpu->stream.refill = refill_cpu;
	cpu->buffer = malloc(PROCLIFE_BATCH * sizeof(*cpu->buffer));
	if (!cpu->buffer)
		goto fail;
	begin_empty(&cpu->stream, cpu->buffer);
	for (uint32_t i = 0; i < device->places_count; i++) {
		err = device->places[i].records ? add_ring(device, number, base, i, &cpu->merge, i) : 0;
		if (err)
			goto fail;
	}
	err = proclife_merge_add(&device->source.merge, &cpu->stream);
	if (err)
		goto fail;
	device->merged[number] = cpu;
	device->cpus[number] = &cpu->stream;
	return 0;
fail:
	while (device->rings_count && device->rings[device->rings_count - 1]->cpu == number)
		free_ring(device->rings[--device->rings_count]);
	free_cpu(cpu);
	return err;
}

static int add_cpu(struct proclife_device *device, uint32_t cpu)
{
	struct proclife_ring_stream **more;
	const char *base;
	int err = device->own->find_rings(device, cpu, &base);

	if (err)
		return err;
	more = realloc(device->rings, (device->rings_count + device->places_count) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	device->rings = more;
	if (device->merged)
		return add_merged(device, cpu, base);
	err = add_ring(device, cpu, base, 0, &device->source.merge, cpu);
	if (!err)
		device->cpus[cpu] = &device->rings[device->rings_count - 1]->stream;
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

			if (cpu >= device->header.cpus || device->cpus[cpu])
				continue;
			err = add_cpu(device, cpu);
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
	horizon -= horizon < device->margin ? horizon : device->margin;
	proclife_clock_mb(); /* H2, pairs with W2 */
	err = update_rings(device);
	if (err)
		return err;
	device->held = false;
	for (size_t i = 0; i < device->rings_count; i++) {
		struct proclife_ring_stream *ring = device->rings[i];
		uint64_t hold;

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
	int err = take_horizon(device);

	if (err)
		return err;
	for (size_t i = 0; i < device->rings_count; i++) {
		struct proclife_ring_stream *ring = device->rings[i];

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

/* The history of a CPU begins where the last of its rings' does. Before that, it is known in part. */
static void join_beginnings(struct proclife_device *device)
{
	for (size_t i = 0; i < device->rings_count; i++) {
		struct proclife_ring_stream *ring = device->rings[i];
		struct proclife_gap *gap = &device->cpus[ring->cpu]->gap;

		if (proclife_gap_is(&ring->stream.gap) && gap->to < ring->stream.gap.to)
			*gap = ring->stream.gap;
		ring->stream.gap = (struct proclife_gap){ 0 };
		proclife_stream_begin(device->cpus[ring->cpu]);
	}
}

/*
 * Starts each ring at its oldest record. Records that are overwritten meanwhile do not count as
 * lost: the beginning moves.
 */
static void start_at_oldest(struct proclife_device *device)
{
	for (size_t i = 0; i < device->rings_count; i++) {
		struct proclife_ring_stream *ring = device->rings[i];
		struct proclife_stream *stream = &ring->stream;
		uint64_t begin;

		ring->suppressed = 0; /* that was for the old beginning */
		ring->pos = proclife_ring_oldest(ring->ctl, ring->size);
		ring->limit = proclife_ring_committed(ring->ctl); /* it can have wrapped since */
		ring->old = ring->limit;
		ring->floor = 0;
		refill(stream);
		stream->gap = (struct proclife_gap){ 0 };
		begin = stream->cur != stream->end ? bounded(stream->cur->ts) : time_now(device);
		if (ring->pos != (uint64_t)(stream->end - stream->cur)) {
			stream->gap = (struct proclife_gap){ .to = begin, .cpu = ring->cpu };
			tell_suppressed(ring, suppressed_at(ring, ring->pos - (uint64_t)
							    (stream->end - stream->cur)), begin);
		}
		proclife_stream_begin(stream);
	}
	if (device->merged)
		join_beginnings(device);
}

/* The first position from @pos on, below the limit, whose record is no older than @ts. Nothing waits for the writer. */
static uint64_t find_time(const struct proclife_ring_stream *ring, uint64_t pos, uint64_t ts)
{
	uint64_t end = ring->limit, oldest = proclife_ring_oldest(ring->ctl, ring->size);

	if ((int64_t)(oldest - pos) > 0)
		pos = oldest;
	if ((int64_t)(end - pos) > (int64_t)ring->size) /* whatever the positions say */
		pos = end - ring->size;
	while ((int64_t)(end - pos) > 0) {
		uint64_t middle = pos + (end - pos) / 2;

		if (proclife_read_once(record_at(ring, middle)->ts) < ts)
			pos = middle + 1;
		else
			end = middle;
	}
	return pos;
}

/* The handle of one is an address, that of the other one need not be. No program makes two like these. */
static bool is_same(const struct proclife_record *a, const struct proclife_record *b)
{
	return proclife_read_once(a->ts) == b->ts && proclife_read_once(a->type) == b->type &&
	       proclife_read_once(a->pid) == b->pid;
}

static bool ring_holds(const struct proclife_ring_stream *ring, const struct proclife_record *record)
{
	for (const struct proclife_record *r = ring->stream.cur; r != ring->stream.end && r->ts <= record->ts; r++)
		if (is_same(r, record))
			return true;
	for (uint64_t pos = find_time(ring, ring->pos, record->ts); (int64_t)(ring->limit - pos) > 0; pos++) {
		if (is_same(record_at(ring, pos), record))
			return true;
		if (proclife_read_once(record_at(ring, pos)->ts) > record->ts)
			break;
	}
	return false;
}

/* The rings' histories have just begun. The record has handles, however the rings have them. */
static bool rings_hold(const struct proclife_device *device, const struct proclife_record *record)
{
	for (size_t i = 0; i < device->rings_count; i++)
		if (device->rings[i]->cpu == record->cpu && ring_holds(device->rings[i], record))
			return true;
	return false;
}

/* The rings of each CPU that has several: their stream can go on up to the horizon. */
static void build_merged(struct proclife_device *device)
{
	for (uint32_t cpu = 0; device->merged && cpu < device->header.cpus; cpu++) {
		struct proclife_cpu_stream *merged = device->merged[cpu];

		if (!merged)
			continue;
		refill_empty(&merged->merge);
		merged->merge.horizon = device->source.merge.horizon;
		proclife_merge_build(&merged->merge);
	}
}

/* A gap of them that was yielded goes to the recorder before the next one is put in its place. */
static void take_skips(struct proclife_device *device)
{
	proclife_stream_tell(&device->source, &device->skips);
	device->own->skipped(device);
	proclife_stream_begin(&device->skips);
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
		err = proclife_snapshot_prepend(device, rings_hold);
		if (err)
			return err;
	}
	if (device->own->skipped)
		take_skips(device);
	build_merged(device);
	refill_empty(merge);
	proclife_merge_build(merge);
	return 0;
}

static uint64_t pending_of(const struct proclife_stream *stream)
{
	return stream->gap.lost + (uint64_t)(stream->end - stream->cur);
}

uint64_t proclife_rings_pending(const struct proclife_device *device)
{
	const struct proclife_merge *merge = &device->source.merge;
	uint64_t pending = device->rewind;

	for (uint32_t i = 0; i < merge->count; i++)
		pending += pending_of(merge->streams[i]);
	for (size_t i = 0; i < device->rings_count; i++) {
		const struct proclife_ring_stream *ring = device->rings[i];

		pending += proclife_ring_committed(ring->ctl) - ring->pos;
		pending += device->merged ? pending_of(&ring->stream) : 0;
	}
	return pending;
}

/* Where the rings of a CPU are that this source need not have seen yet; NULL: it has none. */
static const char *rings_of(struct proclife_device *device, uint32_t cpu)
{
	const char *base;

	if (cpu >= device->header.cpus)
		return NULL;
	if (!(proclife_load_acquire(&cpu_map(device)[cpu / 64]) >> cpu % 64 & 1))
		return NULL;
	return device->own->find_rings(device, cpu, &base) ? NULL : base;
}

const struct proclife_ring_ctl *proclife_rings_ctl(struct proclife_device *device, uint32_t cpu)
{
	const char *base = rings_of(device, cpu);
	struct proclife_ring_ctl *sum = &device->sum;

	if (!base || device->places_count == 1)
		return base ? (const struct proclife_ring_ctl *)(base + device->places->offset) : NULL;
	*sum = (struct proclife_ring_ctl){ 0 };
	for (uint32_t i = 0; i < device->places_count; i++) {
		const struct proclife_ring_ctl *ctl = (const void *)(base + device->places[i].offset);

		if (!device->places[i].records)
			continue;
		sum->commit += proclife_load_acquire(&ctl->commit);
		sum->reserve += proclife_load_acquire(&ctl->reserve);
	}
	return sum;
}

uint64_t proclife_rings_count(struct proclife_device *device, uint32_t cpu, uint32_t offset, uint32_t type)
{
	const char *base = rings_of(device, cpu);
	uint64_t count = 0;

	if (!base || type >= device->header.types)
		return 0;
	for (uint32_t i = 0; i < device->places_count; i++)
		if (device->places[i].records)
			count += proclife_read_once(((const uint64_t *)(base + device->places[i].offset + offset))[type]);
	return count;
}

void proclife_rings_free(struct proclife_device *device)
{
	for (uint32_t cpu = 0; device->merged && cpu < device->header.cpus; cpu++)
		if (device->merged[cpu])
			free_cpu(device->merged[cpu]);
	for (size_t i = 0; i < device->rings_count; i++)
		free_ring(device->rings[i]);
	free(device->rings);
	free(device->merged);
	free(device->cpus);
}
