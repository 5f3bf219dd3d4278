// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.h for any number of records: a writer on each CPU, and readers that merge live.
 * What is checked needs no memory that grows: each record that is read is whole, the merged stream
 * of each reader never goes back, and what it read and what it knows to be lost make up what was
 * written, of each ring. BREAK_* as in protocol.h.
 */
#include "setup.h"

#define QUEUE 65536 /* records of a ring that wait for the horizon; a power of two */

struct stream {
	uint64_t position;
	uint64_t read, lost;
	uint64_t last; /* number + 1 */
	uint64_t head, tail;
	uint64_t *queue;
};

struct reader {
	pthread_t thread;
	unsigned int index;
	struct stream *streams;
	uint64_t merged, next;
	uint64_t live; /* merged while all writers were at work */
} __attribute__((aligned(128)));

struct writer {
	pthread_t thread;
	struct ring *ring;
} __attribute__((aligned(128)));

static void *write_ring(void *data)
{
	struct writer *writer = data;
	struct ring *ring = writer->ring;
	cpu_set_t set;

	random_state = mix(seed + 1000 * ring->cpu);
	CPU_ZERO(&set);
	CPU_SET(ring->cpu % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set); /* if it fails, the test is as good */
	for (uint64_t position = 0; position < records; position++) {
		uint64_t number;

		write_record(ring, position, &number);
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void check_record(const struct reader *reader, struct stream *stream,
			 const struct ring *ring, uint64_t position, const uint64_t *words)
{
	for (unsigned int i = 0; i < WORDS; i++)
		if (words[i] != word(i, ring->cpu, position, words[0]))
			violation("reader %u, ring %u, position %llu: word %u is %#llx", reader->index,
				  ring->cpu, (unsigned long long)position, i,
				  (unsigned long long)words[i]);
	if (words[0] < stream->last)
		violation("reader %u, ring %u, position %llu: time %llu after %llu", reader->index,
			  ring->cpu, (unsigned long long)position, (unsigned long long)words[0],
			  (unsigned long long)stream->last - 1);
	stream->last = words[0] + 1;
}

static void read_ring(struct reader *reader, struct ring *ring, uint64_t commit,
		      uint64_t (*copies)[WORDS])
{
	struct stream *stream = &reader->streams[ring->cpu];
	uint64_t first = stream->position, oldest;

	if (commit - first > size)
		first = commit - size;
	if (stream->tail - stream->head + (commit - first) > QUEUE)
		return; /* the next time there are more, or they are lost */
	oldest = copy_records(ring, first, commit, size, copies);
	if (first < oldest)
		first = oldest < commit ? oldest : commit;
	stream->lost += first - stream->position;
	for (uint64_t p = first; p < commit; p++) {
		check_record(reader, stream, ring, p, copies[p % size]);
		stream->queue[stream->tail++ % QUEUE] = copies[p % size][0];
		stream->read++;
	}
	stream->position = commit;
}

static void merge_below(struct reader *reader, uint64_t horizon)
{
	bool live = __atomic_load_n(&writing, __ATOMIC_ACQUIRE) == rings;

	for (;;) {
		struct stream *best = NULL;
		uint64_t number = horizon;

		for (unsigned int i = 0; i < rings; i++) {
			struct stream *stream = &reader->streams[i];

			if (stream->head == stream->tail ||
			    stream->queue[stream->head % QUEUE] >= number)
				continue;
			best = stream;
			number = stream->queue[stream->head % QUEUE];
		}
		if (!best)
			return;
		best->head++;
		if (number < reader->next)
			violation("reader %u: merged %llu of ring %u after %llu", reader->index,
				  (unsigned long long)number,
				  (unsigned int)(best - reader->streams),
				  (unsigned long long)reader->next - 1);
		reader->next = number + 1;
		reader->merged++;
		reader->live += live;
	}
}

static void *read_rings(void *data)
{
	struct reader *reader = data;
	uint64_t(*copies)[WORDS] = allocate(size, sizeof(*copies));
	__u64 *commits = allocate(rings, sizeof(*commits));
	bool *settled = allocate(rings, sizeof(*settled));
	bool done = false;

	random_state = mix(seed + 1000 * (rings + reader->index));
	while (!done) {
		uint64_t time = take_horizon(ring_of, rings, commits, settled);
		uint64_t horizon = UINT64_MAX;

		done = true;
		for (unsigned int i = 0; i < rings; i++) {
			struct stream *stream = &reader->streams[i];
			uint64_t own = time;

			read_ring(reader, &ring_of[i], commits[i], copies);
			if (!settled[i] || stream->position != commits[i])
				own = stream->last;
			if (own < horizon)
				horizon = own;
			done &= stream->position == records;
		}
		merge_below(reader, done ? UINT64_MAX : horizon);
	}
	free(settled);
	free(commits);
	free(copies);
	return NULL;
}

static void check_reader(const struct reader *reader)
{
	uint64_t read = 0;

	for (unsigned int i = 0; i < rings; i++) {
		const struct stream *stream = &reader->streams[i];

		if (stream->read + stream->lost != records)
			violation("reader %u, ring %u: read %llu, lost %llu, of %llu", reader->index,
				  i, (unsigned long long)stream->read,
				  (unsigned long long)stream->lost, (unsigned long long)records);
		read += stream->read;
	}
	if (reader->merged != read)
		violation("reader %u: merged %llu, of %llu read", reader->index,
			  (unsigned long long)reader->merged, (unsigned long long)read);
	printf("reader %u: merged %llu (%llu of them live), lost %llu\n", reader->index,
	       (unsigned long long)reader->merged, (unsigned long long)reader->live,
	       (unsigned long long)(records * rings - read));
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct writer *writers;
	struct reader *all;
	double seconds;

	records = 500000;
	rings = 2;
	size = 1024;
	steps_per_delay = 10000;
	limit = 900;
	parse(argc, argv);
	if (size > QUEUE) {
		fprintf(stderr, "%s: -s: a ring has at most %d records\n", argv[0], QUEUE);
		return 2;
	}
	make_rings();
	writers = allocate(rings, sizeof(*writers));
	all = allocate(readers, sizeof(*all));
	for (unsigned int i = 0; i < rings; i++)
		writers[i].ring = &ring_of[i];
	for (unsigned int i = 0; i < readers; i++) {
		all[i].index = i;
		all[i].streams = allocate(rings, sizeof(*all[i].streams));
		for (unsigned int r = 0; r < rings; r++)
			all[i].streams[r].queue = allocate(QUEUE, sizeof(uint64_t));
	}

	start_watch();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (unsigned int i = 0; i < readers; i++)
		start(&all[i].thread, read_rings, &all[i]);
	for (unsigned int i = 0; i < rings; i++)
		start(&writers[i].thread, write_ring, &writers[i]);
	for (unsigned int i = 0; i < rings; i++)
		pthread_join(writers[i].thread, NULL);
	for (unsigned int i = 0; i < readers; i++)
		pthread_join(all[i].thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);

	for (unsigned int i = 0; i < rings; i++)
		check_ring(&ring_of[i]);
	for (unsigned int i = 0; i < readers; i++) {
		check_reader(&all[i]);
		for (unsigned int r = 0; r < rings; r++)
			free(all[i].streams[r].queue);
		free(all[i].streams);
	}
	seconds = (double)(end.tv_sec - begin.tv_sec) +
		  (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	printf("%u rings of %llu, %llu records in %.0f s (%.2f million/s): in order and complete\n",
	       rings, (unsigned long long)size, (unsigned long long)(records * rings), seconds,
	       (double)(records * rings) / seconds / 1e6);
	free_rings();
	free(writers);
	free(all);
	return 0;
}
