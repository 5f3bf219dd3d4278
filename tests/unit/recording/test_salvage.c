// SPDX-License-Identifier: GPL-2.0-only
// WRAP: pread ioctl
/*
 * Damaged streams: what can be read is read, in order; the rest is counted exactly, between
 * the right times, and nothing of other streams is missing.
 */
#include "salvage.h"
#include "given_ioctl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A page of the copy's stream that was looked at, which the disk does not give back. */
static uint64_t bad_page = UINT64_MAX;

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);

static bool is_open_as(int fd, const char *name)
{
	char link[40], path[PATH_MAX], copy[2 * PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	snprintf(copy, sizeof(copy), "%s/%s", other.path, name);
	return !strcmp(path, copy);
}

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
	uint64_t begin = (uint64_t)at;

	if (begin < bad_page + 4096 && begin + size > bad_page && is_open_as(fd, stream.name)) {
		if (begin >= bad_page) {
			errno = EIO;
			return -1;
		}
		size = bad_page - begin;
	}
	return __real_pread(fd, to, size, at);
}

static void write_back(const char *file, uint64_t at, size_t size)
{
	patch_stream(at, file + at, size);
}

/* Each byte of a packet's header, in the first, in one in the middle, and in the last packet. */
static void test_headers(void **state)
{
	(void)state;
	record_streams(true);
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		size_t which[3];
		char *file;
		off_t size;

		look_at(recorded_files[i]);
		file = load_stream(recorded_files[i], &size);
		which[0] = 0;
		which[1] = stream.count / 2;
		which[2] = stream.count - 1;
		for (size_t w = 0; w < 3; w++) {
			size_t p = which[w];

			for (size_t byte = 0; byte < sizeof(struct proclife_packet); byte++) {
				char flipped = file[stream.at[p] + byte] ^ (char)(1u << byte % 8);
				char what[64];

				patch_stream(stream.at[p] + byte, &flipped, 1);
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
	assert_same_log(&live, &again);
}

/* An invalid record is lost alone, wherever it is. */
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
		{ offsetof(struct proclife_record, type), 24, 2, "type 24" },
		{ offsetof(struct proclife_record, type), 0xff01, 2, "type 0xff01" },
		{ offsetof(struct proclife_record, cpu), 2, 2, "cpu 2" },
		{ offsetof(struct proclife_record, cpu), 0x8000, 2, "cpu 0x8000" },
	};

	(void)state;
	record_streams(true);
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		char *file;
		off_t size;

		look_at(recorded_files[i]);
		file = load_stream(recorded_files[i], &size);
		for (size_t p = 0; p < stream.count; p += (stream.count + 2) / 3) {
			for (uint64_t r = 0; r < stream.records[p];
			     r += r < 9 || r + 9 > stream.records[p] ? 1 : 97) {
				uint64_t at = stream.at[p] + (1 + r) * 128;

				for (size_t b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
					patch_stream(at + bad[b].at, &bad[b].value, bad[b].size);
					expect_damage(1, at, bad[b].what);
					assert_string_equal(damages[0].what,
							    "a record that cannot have been written");
					write_back(file, at, 128);
				}
			}
		}
		free(file);
	}
}

/* A time that is too late only for what follows: this record is wrong, and not all later ones. */
static void test_too_late(void **state)
{
	uint64_t checked = 0;
	char *file;
	off_t size;

	(void)state;
	record_streams(true);
	look_at("cpu_0");
	file = load_stream("cpu_0", &size);
	for (size_t p = 0; p < stream.count; p++) {
		for (uint64_t r = 0; r + 3 < stream.records[p]; r += 13) {
			uint64_t at = stream.at[p] + (1 + r) * 128, next;

			memcpy(&next, file + at + 128, sizeof(next));
			if (next >= stream.packets[p].timestamp_end)
				continue;
			patch_stream(at, &stream.packets[p].timestamp_end, 8);
			expect_damage(1, at, "the time of the last one");
			write_back(file, at, 128);
			checked++;
		}
	}
	assert_true(checked > 100);
	free(file);
}

/* Records that are older than those of the packet before. */
static void test_too_early(void **state)
{
	uint64_t checked = 0;
	char *file;
	off_t size;

	(void)state;
	record_streams(true);
	look_at("cpu_0");
	file = load_stream("cpu_0", &size);
	for (size_t p = 1; p < stream.count; p++) {
		uint64_t at = stream.at[p] + 128, before = stream.at[p - 1] + stream.records[p - 1] * 128, ts;

		if (!stream.records[p] || !stream.records[p - 1])
			continue;
		memcpy(&ts, file + before, sizeof(ts));
		ts--;
		patch_stream(at, &ts, 8);
		expect_damage(1, at, "a time of the packet before");
		write_back(file, at, 128);
		checked++;
	}
	assert_true(checked > 2);
	free(file);
}

/* A sector, a page, packets: only the records in them are lost. */
static void test_blocks(void **state)
{
	(void)state;
	record_streams(true);
	look_at("cpu_0");
	for (size_t p = 0; p < stream.count; p++) {
		uint64_t bytes = stream.packets[p].packet_size / 8, behind;

		if (stream.records[p] < 64)
			continue;
		zero_file("cpu_0", stream.at[p] + 1024, 512);
		expect_damage(4, stream.at[p] + 1024, "a sector");
		copy_recording();
		zero_file("cpu_0", stream.at[p] + 4096, 4096);
		expect_damage(32, stream.at[p] + 4096, "a page");
		copy_recording();
		zero_file("cpu_0", stream.at[p], 4096);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost, stream.at[p],
			      "the first page");
		copy_recording();
		if (p + 2 >= stream.count)
			continue;
		behind = stream.packets[p + 1].packet_size / 8;
		zero_file("cpu_0", stream.at[p], bytes + behind);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost +
				      stream.records[p + 1] + stream.packets[p + 1].gap_lost,
			      stream.at[p], "two packets");
		copy_recording();
	}
	zero_file("cpu_0", 0, stream.size);
	expect_damage(stream.packets[stream.count - 1].first_record +
			      stream.records[stream.count - 1] +
			      stream.packets[stream.count - 1].events_discarded,
		      0, "all of it");
}

/* The last page of each packet, which need not be full of records. */
static void test_unreadable_page(void **state)
{
	uint64_t checked = 0;

	(void)state;
	record_streams(true);
	look_at("cpu_0");
	for (size_t p = 0; p < stream.count; p++) {
		uint64_t page = stream.packets[p].packet_size / 8 - 4096;
		uint64_t records = stream.records[p] + 1 - page / 128;

		if (!page || records == 32)
			continue;
		bad_page = stream.at[p] + page;
		expect_damage(records, bad_page, "a page that cannot be read");
		bad_page = UINT64_MAX;
		checked++;
	}
	assert_true(checked > 0);
	/* Without its header, a whole packet cannot be read. */
	bad_page = stream.at[0];
	expect_damage(stream.records[0] + stream.packets[0].gap_lost, bad_page, "a page with a header");
	assert_string_equal(damages[0].what, "the packet's header cannot be read");
	bad_page = UINT64_MAX;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COPIED(test_headers),
		COPIED(test_records),
		COPIED(test_too_late),
		COPIED(test_too_early),
		COPIED(test_blocks),
		COPIED(test_unreadable_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
