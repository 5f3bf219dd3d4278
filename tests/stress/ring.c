// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.h under stress: a writer thread for each ring, and readers, mergers and pollers that check
 * everything that ring.h promises. The rings are tiny, so they are overwritten all the time.
 *
 * The clock is a shared counter, which each record advances by one. So a merged stream that is
 * out of order shows it, and each number must either be in the stream or belong to a record that
 * the reader knows that it lost.
 *
 * BREAK_* weakens one step; the test must then fail. tests/stress/run builds and runs them all.
 */
#include "setup.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#define MISSED_SECONDS 2

/* A reader's state of one ring. */
struct stream {
	uint64_t position; /* the next to copy */
	uint64_t last;	   /* the newest number seen; valid if any */
	bool any;
	uint64_t head, tail; /* of queue: copied, not yet merged */
	uint64_t *queue;
	uint8_t *lost; /* by position */
};

struct reader {
	pthread_t thread;
	unsigned int index;
	struct stream *streams;
	uint8_t *emitted; /* by the clock's number */
	uint64_t merged;
	uint64_t live; /* merged while writers were still at work */
	uint64_t lost;
	uint64_t next; /* the merged stream goes on here or above */
	uint64_t unsettled;
};

struct poller {
	pthread_t thread;
	struct ring *ring;
	unsigned int index;
	bool patient; /* waits for the last record and nothing else */
	uint64_t sleeps;
};

static void wake(struct ring *ring)
{
	__atomic_add_fetch(&ring->wakes, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &ring->wakes, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Pauses until the eager poller has noticed all records: no later one wakes it. */
static void await_poller(struct ring *ring, uint64_t commit)
{
	while (__atomic_load_n(&ring->wanted, __ATOMIC_ACQUIRE) <= commit)
		sched_yield();
}

static void *write_ring(void *data)
{
	struct ring *ring = data;
	struct proclife_ring *r = &ring->ring;

	random_state = mix(seed + 1000 * ring->cpu);
	for (uint64_t position = 0; position < records; position++) {
		int due;

		due = write_record(ring, position, &ring->stamps[position]);
		if (due) {
#ifdef BREAK_DISARM /* undoes what a poller asked for since */
			wake(ring);
			step();
			proclife_ring_disarm(r);
#else
			proclife_ring_disarm(r);
			step();
			wake(ring);
#endif
		}
		step();
		if (next_random() % 64 == 0 && position + 1 < records)
			await_poller(ring, position + 1);
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void check_record(const struct reader *reader, const struct stream *stream,
			 const struct ring *ring, uint64_t position, const uint64_t *words)
{
	for (unsigned int i = 0; i < WORDS; i++) {
		uint64_t expected = word(i, ring->cpu, position, words[0]);

		if (words[i] != expected)
			violation("reader %u, ring %u, position %llu: word %u is %#llx, not %#llx: "
				  "the record says time %llu, ring %llu, position %llu",
				  reader->index, ring->cpu, (unsigned long long)position, i,
				  (unsigned long long)words[i], (unsigned long long)expected,
				  (unsigned long long)words[0], (unsigned long long)words[1],
				  (unsigned long long)words[2]);
	}
	if (stream->any && words[0] <= stream->last)
		violation("reader %u, ring %u, position %llu: time %llu after %llu", reader->index,
			  ring->cpu, (unsigned long long)position, (unsigned long long)words[0],
			  (unsigned long long)stream->last);
}

/* Copies [position, commit), and notes what it lost. */
static void read_ring(struct reader *reader, struct ring *ring, uint64_t commit,
		      uint64_t (*copies)[WORDS])
{
	struct stream *stream = &reader->streams[ring->cpu];
	uint64_t oldest, first = stream->position;

	if (commit - first > size)
		first = commit - size;
	oldest = copy_records(ring, first, commit, size, copies);
	if (oldest > records)
		violation("reader %u, ring %u: oldest is %llu of %llu", reader->index, ring->cpu,
			  (unsigned long long)oldest, (unsigned long long)records);
	if (first < oldest)
		first = oldest < commit ? oldest : commit;
	for (uint64_t p = stream->position; p < first; p++)
		stream->lost[p] = 1;
	reader->lost += first - stream->position;
	for (uint64_t p = first; p < commit; p++) {
		const uint64_t *words = copies[p % size];

		check_record(reader, stream, ring, p, words);
		stream->last = words[0];
		stream->any = true;
		stream->queue[stream->tail++] = words[0];
	}
	stream->position = commit;
}

static void merge_below(struct reader *reader, uint64_t horizon)
{
	bool live = __atomic_load_n(&writing, __ATOMIC_ACQUIRE) == rings;

	for (;;) {
		struct stream *best = NULL;
		uint64_t number;

		for (unsigned int i = 0; i < rings; i++) {
			struct stream *stream = &reader->streams[i];

			if (stream->head == stream->tail)
				continue;
			if (!best || stream->queue[stream->head] < best->queue[best->head])
				best = stream;
		}
		if (!best || best->queue[best->head] >= horizon)
			return;
		number = best->queue[best->head++];
		if (number < reader->next)
			violation("reader %u: merged %llu of ring %u after %llu", reader->index,
				  (unsigned long long)number,
				  (unsigned int)(best - reader->streams),
				  (unsigned long long)reader->next - 1);
		reader->next = number + 1;
		reader->emitted[number] = 1;
		reader->merged++;
		reader->live += live;
	}
}

static void *read_rings(void *data)
{
	struct reader *reader = data;
	uint64_t(*copies)[WORDS] = calloc(size, sizeof(*copies));
	__u64 *commits = calloc(rings, sizeof(*commits));
	uint64_t *horizons = calloc(rings, sizeof(*horizons));
	bool *settled = calloc(rings, sizeof(*settled));
	bool done = false;

	if (!copies || !commits || !horizons || !settled)
		violation("no memory");
	random_state = mix(seed + 1000 * (rings + reader->index));
	while (!done) {
		uint64_t time, horizon = UINT64_MAX;

		time = take_horizon(ring_of, rings, commits, settled);
		/* A reader that merges nothing may do without the reservations. */
		for (unsigned int i = 0; i < rings; i++)
			if (!settled[i] && next_random() % 4 == 0)
				commits[i] = proclife_ring_committed(&ring_of[i].ring.page->ctl);
		done = true;
		for (unsigned int i = 0; i < rings; i++) {
			struct stream *stream = &reader->streams[i];

			if (commits[i] < stream->position)
				violation("reader %u, ring %u: commit went back from %llu to %llu",
					  reader->index, i, (unsigned long long)stream->position,
					  (unsigned long long)commits[i]);
			read_ring(reader, &ring_of[i], commits[i], copies);
			if (settled[i]) {
				horizons[i] = time;
			} else {
				horizons[i] = stream->any ? stream->last + 1 : 0;
				reader->unsettled++;
			}
			if (horizons[i] < horizon)
				horizon = horizons[i];
			done &= stream->position == records;
		}
		/* All is written, so the rest can be merged. */
		merge_below(reader, done ? UINT64_MAX : horizon);
		if (next_random() % 64 == 0)
			sched_yield();
	}
	free(settled);
	free(horizons);
	free(commits);
	free(copies);
	return NULL;
}

static bool sleep_on(struct ring *ring, uint32_t wakes, unsigned int seconds)
{
	struct timespec time = { .tv_sec = seconds };

	return syscall(SYS_futex, &ring->wakes, FUTEX_WAIT_PRIVATE, wakes, &time, NULL, 0) == 0 ||
	       errno != ETIMEDOUT;
}

static uint64_t arm(struct ring *ring, uint64_t position)
{
#if defined(BREAK_P1) /* puts off what another poller asked for */
	proclife_write_once(ring->ring.wake_at, position);
	proclife_mb();
	return proclife_read_once(ring->ring.page->ctl.reserve);
#elif defined(BREAK_P2) /* looks before it asks */
	uint64_t reserve = proclife_read_once(ring->ring.page->ctl.reserve);

	step();
	proclife_ring_arm(&ring->ring, position);
	return reserve;
#else
	return proclife_ring_arm(&ring->ring, position);
#endif
}

static void *poll_ring(void *data)
{
	struct poller *poller = data;
	struct ring *ring = poller->ring;
	__u64 *commit = &ring->ring.page->ctl.commit;
	uint64_t wanted = 0;

	random_state = mix(seed + 1000 * (rings + readers + poller->index));
	while (wanted < records) {
		wanted = __atomic_load_n(commit, __ATOMIC_ACQUIRE) + 1;
		if (next_random() % 2)
			wanted += next_random() % 64;
		if (wanted > records || poller->patient)
			wanted = records;
		if (!poller->patient)
			__atomic_store_n(&ring->wanted, wanted, __ATOMIC_RELEASE);
		for (;;) {
			/* From here on it is on the wait queue. */
			uint32_t wakes = __atomic_load_n(&ring->wakes, __ATOMIC_SEQ_CST);

			if ((int64_t)(arm(ring, wanted) - wanted) >= 0)
				break;
			step();
			poller->sleeps++;
			if (sleep_on(ring, wakes, MISSED_SECONDS))
				continue;
			if (__atomic_load_n(commit, __ATOMIC_ACQUIRE) < wanted)
				continue;
			/* The writer may be on its way to the wake-up. */
			if (!sleep_on(ring, wakes, 1))
				violation("ring %u: commit is at %llu, and no wake-up reached the "
					  "%s poller that waits for %llu",
					  ring->cpu, (unsigned long long)proclife_read_once(*commit),
					  poller->patient ? "patient" : "eager",
					  (unsigned long long)wanted);
		}
	}
	return NULL;
}

/* Each record was either merged or known to be lost. */
static void check_account(const struct reader *reader)
{
	for (unsigned int i = 0; i < rings; i++) {
		const struct stream *stream = &reader->streams[i];

		for (uint64_t p = 0; p < records; p++) {
			uint64_t stamp = ring_of[i].stamps[p];

			if (reader->emitted[stamp] == stream->lost[p])
				violation("reader %u, ring %u, position %llu, time %llu: %s",
					  reader->index, i, (unsigned long long)p,
					  (unsigned long long)stamp,
					  stream->lost[p] ? "lost and merged" :
							    "neither lost nor merged");
			if (stream->lost[p] && p + size >= records)
				violation("reader %u, ring %u, position %llu: lost, but never "
					  "overwritten",
					  reader->index, i, (unsigned long long)p);
		}
	}
	if (reader->merged + reader->lost != records * rings)
		violation("reader %u: merged %llu, lost %llu, of %llu", reader->index,
			  (unsigned long long)reader->merged, (unsigned long long)reader->lost,
			  (unsigned long long)(records * rings));
}

static struct reader *setup_readers(void)
{
	struct reader *all = allocate(readers, sizeof(*all));

	for (unsigned int i = 0; i < rings; i++)
		ring_of[i].stamps = allocate(records, sizeof(*ring_of[i].stamps));
	for (unsigned int i = 0; i < readers; i++) {
		struct reader *reader = &all[i];

		reader->index = i;
		reader->streams = allocate(rings, sizeof(*reader->streams));
		reader->emitted = allocate(records * rings, 1);
		for (unsigned int r = 0; r < rings; r++) {
			reader->streams[r].queue = allocate(records, sizeof(uint64_t));
			reader->streams[r].lost = allocate(records, 1);
		}
	}
	return all;
}

static void free_all(struct reader *reader, struct poller *pollers, pthread_t *writers)
{
	for (unsigned int i = 0; i < readers; i++) {
		for (unsigned int r = 0; r < rings; r++) {
			free(reader[i].streams[r].queue);
			free(reader[i].streams[r].lost);
		}
		free(reader[i].streams);
		free(reader[i].emitted);
	}
	for (unsigned int i = 0; i < rings; i++)
		free(ring_of[i].stamps);
	free_rings();
	free(reader);
	free(pollers);
	free(writers);
}

int main(int argc, char **argv)
{
	pthread_t *writers;
	struct poller *pollers;
	struct reader *all;
	uint64_t sleeps = 0;

	records = 200000;
	rings = 3;
	size = 16;
	steps_per_delay = 50;
	limit = 120;
	parse(argc, argv);
	make_rings();
	all = setup_readers();
	pollers = allocate(2 * rings, sizeof(*pollers));
	writers = allocate(rings, sizeof(*writers));

	start_watch();
	for (unsigned int i = 0; i < 2 * rings; i++) {
		pollers[i].index = i;
		pollers[i].ring = &ring_of[i / 2];
		pollers[i].patient = i % 2;
		start(&pollers[i].thread, poll_ring, &pollers[i]);
	}
	for (unsigned int i = 0; i < readers; i++)
		start(&all[i].thread, read_rings, &all[i]);
	for (unsigned int i = 0; i < rings; i++)
		start(&writers[i], write_ring, &ring_of[i]);

	for (unsigned int i = 0; i < rings; i++)
		pthread_join(writers[i], NULL);
	for (unsigned int i = 0; i < readers; i++)
		pthread_join(all[i].thread, NULL);
	for (unsigned int i = 0; i < 2 * rings; i++) {
		pthread_join(pollers[i].thread, NULL);
		sleeps += pollers[i].sleeps;
	}

	for (unsigned int i = 0; i < rings; i++)
		check_ring(&ring_of[i]);
	for (unsigned int i = 0; i < readers; i++) {
		check_account(&all[i]);
		printf("reader %u: merged %llu (%llu of them live), lost %llu, unsettled %llu\n", i,
		       (unsigned long long)all[i].merged, (unsigned long long)all[i].live,
		       (unsigned long long)all[i].lost, (unsigned long long)all[i].unsettled);
	}
	printf("%u rings of %llu, %llu records each, %llu sleeps of pollers: "
	       "in order and complete\n",
	       rings, (unsigned long long)size, (unsigned long long)records,
	       (unsigned long long)sleeps);
	free_all(all, pollers, writers);
	return 0;
}
