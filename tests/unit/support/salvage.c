// SPDX-License-Identifier: GPL-2.0-only
#include "salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct proclife_damage damages[4];
size_t damaged_files;
struct recorded_stream stream;

char *load_stream(const char *name, off_t *size)
{
	char path[PATH_MAX + 64], *text;
	FILE *file;

	*size = file_size(folder.path, name);
	text = malloc(*size + 1);
	assert_non_null(text);
	snprintf(path, sizeof(path), "%s/%s", folder.path, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, *size, file), *size);
	fclose(file);
	return text;
}

void look_at(const char *name)
{
	char *file = load_stream(name, &stream.size);

	stream.name = name;
	stream.cpu = PROCLIFE_CPU_SNAPSHOT;
	sscanf(name, "cpu_%u", &stream.cpu);
	stream.count = 0;
	for (off_t at = 0; at < stream.size; stream.count++) {
		struct proclife_packet *packet = &stream.packets[stream.count];

		assert_true(stream.count < MOST_PACKETS);
		memcpy(packet, file + at, sizeof(*packet));
		stream.at[stream.count] = at;
		stream.records[stream.count] = 0;
		if (packet->content_size / 8 > sizeof(*packet))
			stream.records[stream.count] = (packet->content_size / 8 - 1) / 128;
		at += packet->packet_size / 8;
	}
	free(file);
}

void record_streams(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 512, .rounds = 10, .seed = 5, .snapshot = 600,
		.abandon = !complete,
	};
	struct proclife_fault fault;
	uint64_t gaps = 0;

	record_run(&options, folder.path, &live);
	copy_recording();
	assert_int_equal(try_replay(other.path, &fault, &again), 0);
	assert_same_log(&live, &again);
	for (size_t i = 0; i < live.count; i++)
		gaps += !live.records[i].type;
	assert_true(gaps > 4);
}

void read_rest(void)
{
	struct proclife_source *source = replay(other.path);
	const struct proclife_damage *damage;

	again.count = 0;
	assert_int_equal(log_source(&again, source, 1000000), -ENODATA);
	for (damaged_files = 0; (damage = proclife_recording_damage(source, damaged_files));)
		damages[damaged_files++] = *damage;
	proclife_source_free(source);
	check_slice(other.path, &again);
}

static uint64_t time_of(const struct proclife_record *r)
{
	return r->type ? r->ts : r->words[1];
}

/* Is this missing record in a gap of its stream? */
static bool is_in_gap(const struct proclife_record *missing, uint32_t cpu)
{
	for (size_t i = 0; i < again.count; i++) {
		const struct proclife_record *r = &again.records[i];

		if (!r->type && r->words[3] == cpu && r->words[1] <= missing->ts &&
		    missing->ts <= r->words[2])
			return true;
	}
	return false;
}

uint64_t check_rest(void)
{
	uint64_t lost = 0, missing = 0, more = 0, last = 0;
	size_t at = 0;

	for (size_t i = 0; i < again.count; i++) {
		const struct proclife_record *r = &again.records[i];

		assert_true(time_of(r) >= last);
		last = time_of(r);
		if (!r->type) {
			lost += r->words[0];
			continue;
		}
		for (; at < live.count && memcmp(r, &live.records[at], sizeof(*r)); at++) {
			const struct proclife_record *w = &live.records[at];
			uint32_t cpu = w->type == PROCLIFE_TASK ? PROCLIFE_CPU_SNAPSHOT : w->cpu;

			missing += w->type ? 1 : w->words[0];
			if (w->type && !is_in_gap(w, cpu))
				fail_msg("%llu is missing, and in no gap",
					 (unsigned long long)w->ts);
		}
		if (at == live.count)
			fail_msg("record %zu at %llu is not of the live, or not in order", i,
				 (unsigned long long)r->ts);
		at++;
	}
	for (; at < live.count; at++)
		missing += live.records[at].type ? 1 : live.records[at].words[0];
	assert_int_equal(lost, missing);
	for (size_t i = 0; i < damaged_files; i++)
		more += damages[i].lost;
	return more;
}

void expect_damage(uint64_t lost, uint64_t at, const char *what)
{
	uint64_t found;

	read_rest();
	if (damaged_files != 1 || strcmp(damages[0].stream, stream.name))
		fail_msg("%s, %s: %zu files are damaged", stream.name, what, damaged_files);
	found = check_rest();
	if (found != lost || damages[0].at != at || damages[0].estimated)
		fail_msg("%s, %s: %llu lost at %llu instead of %llu at %llu: %s", stream.name, what,
			 (unsigned long long)found, (unsigned long long)damages[0].at,
			 (unsigned long long)lost, (unsigned long long)at, damages[0].what);
	assert_int_equal(damages[0].places, 1);
}

void patch_stream(uint64_t at, const void *bytes, size_t size)
{
	file_patch(other.path, stream.name, at, bytes, size);
}

void zero_file(const char *name, uint64_t at, size_t size)
{
	static const char zeros[1 << 20];

	file_patch(other.path, name, at, zeros, size);
}

uint64_t there_of(uint64_t size)
{
	uint64_t there = 0;

	for (size_t p = 0; p < stream.count && size >= stream.at[p] + 128; p++) {
		uint64_t in = (size - stream.at[p]) / 128 - 1;

		there += stream.packets[p].gap_lost;
		there += in < stream.records[p] ? in : stream.records[p];
	}
	return there;
}
