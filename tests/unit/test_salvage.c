// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that are damaged: what can be read is read, in order; the rest is counted, exactly, between
 * the right times, and nothing of other streams is missing.
 */
#include "recorded.h"

#include <ctf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PACKETS 256

static struct folder other; /* a copy that is damaged */
static struct log whole, rest; /* what is read of the one and of the other */
static const char *const names[] = { "metadata", "cpu_0", "cpu_1", "snapshot" };
static struct proclife_damage damages[4];
static size_t damaged_files;

/* Of a stream, as it was recorded. */
static struct {
	struct proclife_packet packets[MOST_PACKETS];
	uint64_t at[MOST_PACKETS];
	uint64_t records[MOST_PACKETS];
	size_t count;
	off_t size;
	uint32_t cpu;
	const char *name;
} stream;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	folder_make(&other);
	assert_int_equal(mkdir(other.path, 0700), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	log_free(&whole);
	log_free(&rest);
	folder_remove(&folder);
	folder_remove(&other);
	snapshot_tasks = 0;
	return 0;
}

static char *load(const char *name, off_t *size)
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

static void look_at(const char *name)
{
	char *file = load(name, &stream.size);

	stream.name = name;
	stream.cpu = PROCLIFE_CTF_SNAPSHOT;
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

static void restore(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		copy_file(folder.path, other.path, names[i]);
}

/* CPU 0 has full packets, CPU 1 is overrun now and then: it has gaps of its own. */
static void make(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 512, .rounds = 10, .seed = 5, .snapshot = 600,
		.abandon = !complete,
	};
	struct proclife_fault fault;
	struct log live = { 0 };
	uint64_t gaps = 0;

	record_run(&options, folder.path, &live);
	restore();
	whole.count = 0;
	assert_int_equal(try_replay(other.path, &fault, &whole), 0);
	assert_same_log(&live, &whole);
	for (size_t i = 0; i < live.count; i++)
		gaps += !live.records[i].type;
	assert_true(gaps > 4);
	log_free(&live);
}

static void read_rest(void)
{
	struct proclife_source *source = replay(other.path);
	const struct proclife_damage *damage;

	rest.count = 0;
	assert_int_equal(log_source(&rest, source, 1000000), -ENODATA);
	for (damaged_files = 0; (damage = proclife_recording_damage(source, damaged_files));)
		damages[damaged_files++] = *damage;
	proclife_source_free(source);
}

static uint64_t time_of(const struct proclife_record *r)
{
	return r->type ? r->ts : r->words[1];
}

/* Lies this record, which is missing, in a gap of its stream that is told of? */
static bool is_told(const struct proclife_record *missing, uint32_t cpu)
{
	for (size_t i = 0; i < rest.count; i++) {
		const struct proclife_record *r = &rest.records[i];

		if (!r->type && r->words[3] == cpu && r->words[1] <= missing->ts &&
		    missing->ts <= r->words[2])
			return true;
	}
	return false;
}

/*
 * What is read are records of the whole, in order; those that are missing are of damaged streams, and
 * lie in gaps; the gaps' sum is what is missing. Returns how much more is lost than in the whole.
 */
static uint64_t check_rest(void)
{
	uint64_t lost = 0, missing = 0, more = 0, last = 0;
	size_t at = 0;

	for (size_t i = 0; i < rest.count; i++) {
		const struct proclife_record *r = &rest.records[i];

		assert_true(time_of(r) >= last);
		last = time_of(r);
		if (!r->type) {
			lost += r->words[0];
			continue;
		}
		for (; at < whole.count && memcmp(r, &whole.records[at], sizeof(*r)); at++) {
			const struct proclife_record *w = &whole.records[at];
			uint32_t cpu = w->type == PROCLIFE_TASK ? PROCLIFE_CTF_SNAPSHOT : w->cpu;

			missing += w->type ? 1 : w->words[0];
			if (w->type && !is_told(w, cpu))
				fail_msg("the loss of %llu is not told",
					 (unsigned long long)w->ts);
		}
		if (at == whole.count)
			fail_msg("record %zu at %llu is not of the whole, or not in order", i,
				 (unsigned long long)r->ts);
		at++;
	}
	for (; at < whole.count; at++)
		missing += whole.records[at].type ? 1 : whole.records[at].words[0];
	assert_int_equal(lost, missing);
	for (size_t i = 0; i < damaged_files; i++)
		more += damages[i].lost;
	return more;
}

/* This file alone is damaged, so much of it is missing, and the first damage is told to be there. */
static void expect_damage(uint64_t lost, uint64_t at, const char *what)
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

static void patch(uint64_t at, const void *bytes, size_t size)
{
	file_patch(other.path, stream.name, at, bytes, size);
}

static void write_back(const char *file, uint64_t at, size_t size)
{
	patch(at, file + at, size);
}

/* Each byte of a packet's header, in the first, in one in the middle, and in the last packet. */
static void test_headers(void **state)
{
	(void)state;
	make(true);
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++) {
		size_t which[3];
		char *file;
		off_t size;

		look_at(names[i]);
		file = load(names[i], &size);
		which[0] = 0;
		which[1] = stream.count / 2;
		which[2] = stream.count - 1;
		for (size_t w = 0; w < 3; w++) {
			size_t p = which[w];

			for (size_t byte = 0; byte < sizeof(struct proclife_packet); byte++) {
				char flipped = file[stream.at[p] + byte] ^ (char)(1u << byte % 8);
				char what[64];

				patch(stream.at[p] + byte, &flipped, 1);
				snprintf(what, sizeof(what), "packet %zu, byte %zu", p, byte);
				expect_damage(stream.records[p] + stream.packets[p].gap_lost,
					      stream.at[p], what);
				write_back(file, stream.at[p] + byte, 1);
			}
		}
		free(file);
	}
	read_rest();
	assert_int_equal(damaged_files, 0);
	assert_same_log(&whole, &rest);
}

/* A record that cannot be one is lost alone, wherever it is. */
static void test_records(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
		const char *what;
	} bad[] = {
		{ offsetof(struct proclife_record, ts), 0, 8, "ts 0" },
		{ offsetof(struct proclife_record, ts), UINT64_MAX, 8, "ts at its maximum" },
		{ offsetof(struct proclife_record, ts), 1ULL << 40, 8, "ts too late" },
		{ offsetof(struct proclife_record, type), 0, 2, "type 0" },
		{ offsetof(struct proclife_record, type), 13, 2, "type 13" },
		{ offsetof(struct proclife_record, type), 0xff01, 2, "type 0xff01" },
		{ offsetof(struct proclife_record, cpu), 2, 2, "cpu 2" },
		{ offsetof(struct proclife_record, cpu), 0x8000, 2, "cpu 0x8000" },
	};

	(void)state;
	make(true);
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++) {
		char *file;
		off_t size;

		look_at(names[i]);
		file = load(names[i], &size);
		for (size_t p = 0; p < stream.count; p += (stream.count + 2) / 3) {
			for (uint64_t r = 0; r < stream.records[p];
			     r += r < 9 || r + 9 > stream.records[p] ? 1 : 97) {
				uint64_t at = stream.at[p] + (1 + r) * 128;

				for (size_t b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
					patch(at + bad[b].at, &bad[b].value, bad[b].size);
					expect_damage(1, at, bad[b].what);
					write_back(file, at, 128);
				}
			}
		}
		free(file);
	}
}

/* A time that could be, but for what follows: this record is in the wrong, not all behind it. */
static void test_too_late(void **state)
{
	uint64_t checked = 0;
	char *file;
	off_t size;

	(void)state;
	make(true);
	look_at("cpu_0");
	file = load("cpu_0", &size);
	for (size_t p = 0; p < stream.count; p++) {
		for (uint64_t r = 0; r + 3 < stream.records[p]; r += 13) {
			uint64_t at = stream.at[p] + (1 + r) * 128, next;

			memcpy(&next, file + at + 128, sizeof(next));
			if (next >= stream.packets[p].timestamp_end)
				continue;
			patch(at, &stream.packets[p].timestamp_end, 8);
			expect_damage(1, at, "the time of the last one");
			write_back(file, at, 128);
			checked++;
		}
	}
	assert_true(checked > 100);
	free(file);
}

static void zero(const char *name, uint64_t at, size_t size)
{
	static const char zeros[1 << 20];

	file_patch(other.path, name, at, zeros, size);
}

/* A sector, a page, packets: of the records in them, and of nothing else. */
static void test_blocks(void **state)
{
	(void)state;
	make(true);
	look_at("cpu_0");
	for (size_t p = 0; p < stream.count; p++) {
		uint64_t bytes = stream.packets[p].packet_size / 8, behind;

		if (stream.records[p] < 64)
			continue;
		zero("cpu_0", stream.at[p] + 1024, 512);
		expect_damage(4, stream.at[p] + 1024, "a sector");
		restore();
		zero("cpu_0", stream.at[p] + 4096, 4096);
		expect_damage(32, stream.at[p] + 4096, "a page");
		restore();
		zero("cpu_0", stream.at[p], 4096);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost, stream.at[p],
			      "the first page");
		restore();
		if (p + 2 >= stream.count)
			continue;
		behind = stream.packets[p + 1].packet_size / 8;
		zero("cpu_0", stream.at[p], bytes + behind);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost +
				      stream.records[p + 1] + stream.packets[p + 1].gap_lost,
			      stream.at[p], "two packets");
		restore();
	}
	zero("cpu_0", 0, stream.size);
	expect_damage(stream.packets[stream.count - 1].first_record +
			      stream.records[stream.count - 1] +
			      stream.packets[stream.count - 1].events_discarded,
		      0, "all of it");
}

/* What is there of a file that is `size` long: records, and those of gaps. */
static uint64_t there_of(uint64_t size)
{
	uint64_t there = 0;

	for (size_t p = 0; p < stream.count && size >= stream.at[p] + 128; p++) {
		uint64_t in = (size - stream.at[p]) / 128 - 1;

		there += stream.packets[p].gap_lost;
		there += in < stream.records[p] ? in : stream.records[p];
	}
	return there;
}

static void test_lengths(void **state)
{
	uint64_t total;

	(void)state;
	make(true);
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++) {
		look_at(names[i]);
		total = there_of(stream.size);
		for (off_t size = stream.size - 1; size >= 0;
		     size -= size % 4096 < 130 || size % 4096 > 4090 ? 1 : 361) {
			file_cut(other.path, names[i], size);
			read_rest();
			assert_int_equal(damaged_files, 1);
			assert_string_equal(damages[0].stream, names[i]);
			assert_int_equal(check_rest(), total - there_of(size));
			assert_true(damages[0].at <= (uint64_t)size);
			if (size % 4096 == 4090) /* the borders of some pages */
				size -= 4096 * 5;
			copy_file(folder.path, other.path, names[i]);
		}
		/* Behind its end is nothing of it. */
		file_patch(other.path, names[i], stream.size, "x", 1);
		expect_damage(0, stream.size, "a byte more");
		copy_file(folder.path, other.path, names[i]);
		zero(names[i], stream.size, 100000);
		expect_damage(0, stream.size, "zeros behind it");
		copy_file(folder.path, other.path, names[i]);
	}
}

static void put_packet(size_t to, const char *file, size_t from)
{
	patch(stream.at[to], file + stream.at[from], stream.packets[from].packet_size / 8);
}

/* Packets at other places than theirs: each is read once, or not at all. */
static void test_places(void **state)
{
	uint64_t in_2;
	size_t two = 0;
	char *file;
	off_t size;

	(void)state;
	make(true);
	look_at("cpu_0");
	file = load("cpu_0", &size);
	/* Two of the same size, one behind the other. */
	for (two = 1; two + 2 < stream.count; two++)
		if (stream.packets[two].packet_size == stream.packets[two + 1].packet_size)
			break;
	assert_true(two + 2 < stream.count);
	in_2 = stream.records[two + 1] + stream.packets[two + 1].gap_lost;
	put_packet(two + 1, file, two);
	expect_damage(in_2, stream.at[two + 1], "a packet is there twice");
	restore();
	put_packet(two, file, two + 1);
	put_packet(two + 1, file, two);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_int_equal(check_rest(),
			 stream.records[two] + stream.packets[two].gap_lost);
	/* Cut out. */
	patch(stream.at[two], file + stream.at[two + 1], size - stream.at[two + 1]);
	file_cut(other.path, "cpu_0", size - stream.packets[two].packet_size / 8);
	expect_damage(stream.records[two] + stream.packets[two].gap_lost, stream.at[two],
		      "a packet is cut out");
	free(file);
}

static void remove_file(const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", other.path, name);
	assert_int_equal(unlink(path), 0);
}

static void test_files(void **state)
{
	uint64_t all[4], sum;

	(void)state;
	make(true);
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++) {
		look_at(names[i]);
		all[i] = there_of(stream.size);
		remove_file(names[i]);
		expect_damage(all[i], 0, "missing");
		assert_string_equal(damages[0].what, "it is missing");
		copy_file(folder.path, other.path, names[i]);
		/* That of another stream. */
		copy_file(folder.path, other.path, i == 1 ? "cpu_1" : "cpu_0");
		remove_file(names[i]);
		{
			char from[PATH_MAX + 64], to[PATH_MAX + 64];

			snprintf(from, sizeof(from), "%s/%s", other.path, i == 1 ? "cpu_1" : "cpu_0");
			snprintf(to, sizeof(to), "%s/%s", other.path, names[i]);
			assert_int_equal(link(from, to), 0);
		}
		expect_damage(all[i], 0, "another one's");
		assert_string_equal(damages[0].what, "the packet belongs to another stream");
		remove_file(names[i]);
		restore();
	}
	/* Several at once. */
	remove_file("cpu_0");
	file_cut(other.path, "snapshot", 128 * 101);
	look_at("cpu_1");
	zero("cpu_1", stream.at[1], 128);
	read_rest();
	assert_int_equal(damaged_files, 3);
	sum = check_rest();
	assert_int_equal(sum, all[1] + 500 + stream.records[1] + stream.packets[1].gap_lost);
	assert_string_equal(damages[0].stream, "cpu_0");
	assert_string_equal(damages[1].stream, "cpu_1");
	assert_string_equal(damages[2].stream, "snapshot");
}

/* Nobody knows how a recording that was cut off would have gone on. */
static void test_unfinished(void **state)
{
	size_t last;

	(void)state;
	make(false);
	look_at("cpu_0");
	last = stream.count - 1;
	/* Before its last packet, all is as in one that is complete. */
	for (size_t p = 0; p < last; p++) {
		zero("cpu_0", stream.at[p] + 40, 3);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost, stream.at[p],
			      "a header");
		restore();
	}
	zero("cpu_0", stream.at[last] + 40, 3);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(damages[0].estimated);
	assert_true(damages[0].lost >= stream.records[last]);
	assert_true(damages[0].lost < stream.records[last] + 32);
	/* What never got its header is not lost, but was never there. */
	restore();
	file_patch(other.path, "cpu_0", stream.size, "not a header", 12);
	zero("cpu_0", stream.size + 4096, 3000);
	read_rest();
	assert_int_equal(damaged_files, 0);
	assert_same_log(&whole, &rest);
	/* But not this much of it. */
	zero("cpu_0", stream.size, 100000);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(damages[0].estimated);
	assert_int_equal(damages[0].at, stream.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_headers, begin, end),
		cmocka_unit_test_setup_teardown(test_records, begin, end),
		cmocka_unit_test_setup_teardown(test_too_late, begin, end),
		cmocka_unit_test_setup_teardown(test_blocks, begin, end),
		cmocka_unit_test_setup_teardown(test_lengths, begin, end),
		cmocka_unit_test_setup_teardown(test_places, begin, end),
		cmocka_unit_test_setup_teardown(test_files, begin, end),
		cmocka_unit_test_setup_teardown(test_unfinished, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
