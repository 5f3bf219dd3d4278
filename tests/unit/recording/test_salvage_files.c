// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/* Files that are too short, too long, missing or exchanged, and packets at wrong places. */
#include "salvage.h"
#include "given_ioctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void test_lengths(void **state)
{
	uint64_t total;

	(void)state;
	record_streams(true);
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		look_at(recorded_files[i]);
		total = there_of(stream.size);
		for (off_t size = stream.size - 1; size >= 0;
		     size -= size % 4096 < 130 || size % 4096 > 4090 ? 1 : 361) {
			file_cut(other.path, recorded_files[i], size);
			read_rest();
			assert_int_equal(damaged_files, 1);
			assert_string_equal(damages[0].stream, recorded_files[i]);
			assert_int_equal(check_rest(), total - there_of(size));
			assert_true(damages[0].at <= (uint64_t)size);
			if (size % 4096 == 4090) /* the borders of some pages */
				size -= 4096 * 5;
			copy_file(folder.path, other.path, recorded_files[i]);
		}
		/* Data after its end is ignored. */
		file_patch(other.path, recorded_files[i], stream.size, "x", 1);
		expect_damage(0, stream.size, "a byte more");
		copy_file(folder.path, other.path, recorded_files[i]);
		zero_file(recorded_files[i], stream.size, 100000);
		expect_damage(0, stream.size, "zeros behind it");
		copy_file(folder.path, other.path, recorded_files[i]);
	}
}

static void put_packet(size_t to, const char *file, size_t from)
{
	patch_stream(stream.at[to], file + stream.at[from], stream.packets[from].packet_size / 8);
}

/* Packets at wrong places: each is read once, or not at all. */
static void test_places(void **state)
{
	uint64_t in_2;
	size_t two = 0;
	char *file;
	off_t size;

	(void)state;
	record_streams(true);
	look_at("cpu_0");
	file = load_stream("cpu_0", &size);
	/* Two of the same size, one after the other. */
	for (two = 1; two + 2 < stream.count; two++)
		if (stream.packets[two].packet_size == stream.packets[two + 1].packet_size)
			break;
	assert_true(two + 2 < stream.count);
	in_2 = stream.records[two + 1] + stream.packets[two + 1].gap_lost;
	put_packet(two + 1, file, two);
	expect_damage(in_2, stream.at[two + 1], "a packet is there twice");
	copy_recording();
	put_packet(two, file, two + 1);
	put_packet(two + 1, file, two);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_int_equal(check_rest(),
			 stream.records[two] + stream.packets[two].gap_lost);
	/* A packet is cut out. */
	patch_stream(stream.at[two], file + stream.at[two + 1], size - stream.at[two + 1]);
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
	record_streams(true);
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		look_at(recorded_files[i]);
		all[i] = there_of(stream.size);
		remove_file(recorded_files[i]);
		expect_damage(all[i], 0, "missing");
		assert_string_equal(damages[0].what, "it is missing");
		copy_file(folder.path, other.path, recorded_files[i]);
		/* Another stream's file. */
		copy_file(folder.path, other.path, i == 1 ? "cpu_1" : "cpu_0");
		remove_file(recorded_files[i]);
		{
			char from[PATH_MAX + 64], to[PATH_MAX + 64];

			snprintf(from, sizeof(from), "%s/%s", other.path, i == 1 ? "cpu_1" : "cpu_0");
			snprintf(to, sizeof(to), "%s/%s", other.path, recorded_files[i]);
			assert_int_equal(link(from, to), 0);
		}
		expect_damage(all[i], 0, "another one's");
		assert_string_equal(damages[0].what, "the packet belongs to another stream");
		remove_file(recorded_files[i]);
		copy_recording();
	}
	/* Several at once. */
	remove_file("cpu_0");
	file_cut(other.path, "snapshot", 128 * 101);
	look_at("cpu_1");
	zero_file("cpu_1", stream.at[1], 128);
	read_rest();
	assert_int_equal(damaged_files, 3);
	sum = check_rest();
	assert_int_equal(sum, all[1] + 500 + stream.records[1] + stream.packets[1].gap_lost);
	assert_string_equal(damages[0].stream, "cpu_0");
	assert_string_equal(damages[1].stream, "cpu_1");
	assert_string_equal(damages[2].stream, "snapshot");
}

/* It is not known how a recording that was cut off would have gone on. */
static void test_unfinished(void **state)
{
	size_t last;

	(void)state;
	record_streams(false);
	look_at("cpu_0");
	last = stream.count - 1;
	/* Before its last packet, all is as in a complete one. */
	for (size_t p = 0; p < last; p++) {
		zero_file("cpu_0", stream.at[p] + 40, 3);
		expect_damage(stream.records[p] + stream.packets[p].gap_lost, stream.at[p],
			      "a header");
		copy_recording();
	}
	zero_file("cpu_0", stream.at[last] + 40, 3);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(damages[0].estimated);
	assert_true(damages[0].lost >= stream.records[last]);
	assert_true(damages[0].lost < stream.records[last] + 32);
	/* A packet that never got its header was never there, and is not lost. */
	copy_recording();
	file_patch(other.path, "cpu_0", stream.size, "not a header", 12);
	zero_file("cpu_0", stream.size + 4096, 3000);
	read_rest();
	assert_int_equal(damaged_files, 0);
	assert_same_log(&live, &again);
	/* Unless it is this large. */
	zero_file("cpu_0", stream.size, 100000);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(damages[0].estimated);
	assert_int_equal(damages[0].at, stream.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COPIED(test_lengths),
		COPIED(test_places),
		COPIED(test_files),
		COPIED(test_unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
