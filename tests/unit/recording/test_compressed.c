// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/* Recordings whose files are compressed: they are read as before, also where they are damaged. */
#include "salvage.h"
#include "given_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <recording/frames.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKED "cpu_0.zst"

static void compress(const char *path)
{
	struct proclife_fault fault;
	uint64_t bytes;

	assert_int_equal(proclife_recording_compress(path, NULL, NULL, &bytes, &fault), 0);
	assert_true(bytes > 0);
}

/* As a recorder does with parts, also of one that was killed. */
static void compress_part(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY);

	assert_true(dir >= 0);
	assert_int_equal(proclife_frames_write(dir, NULL, NULL, path, NULL), 0);
	close(dir);
}

static void make(void)
{
	record_streams(true);
	compress(other.path);
	assert_true(file_is(other.path, PACKED) && !file_is(other.path, "cpu_0"));
	assert_false(file_is(other.path, PROCLIFE_FRAMES_DRAFT));
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", other.path, name);
	write_file_text(path, "");
	file_patch(other.path, name, 0, bytes, size);
}

static char *load(const char *name, size_t *size)
{
	char path[PATH_MAX + 64], *bytes;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", other.path, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	*size = (size_t)file_size(other.path, name);
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static void expect_same(void)
{
	read_rest();
	assert_int_equal(damaged_files, 0);
	assert_int_equal(check_rest(), 0);
	assert_same_log(&live, &again);
}

static void test_same(void **state)
{
	(void)state;
	make();
	expect_same();
	check_slice(other.path, &again);
	compress(other.path); /* nothing is left to do */
	expect_same();
}

/* Its recorder was killed: the files end in the middle of something. */
static void test_cut_off(void **state)
{
	struct log plain = { 0 };

	(void)state;
	record_streams(false);
	file_cut(other.path, "cpu_0", file_size(other.path, "cpu_0") - 4096 - 77);
	read_rest();
	for (size_t i = 0; i < again.count; i++)
		log_event(&plain, &(struct proclife_event){ .record = &again.records[i] });
	compress_part(other.path);
	assert_true(file_is(other.path, PACKED));
	read_rest();
	assert_same_log(&plain, &again);
	log_free(&plain);
}

/* A compressor was killed: after it had renamed its file, or before. The plain one is whole. */
static void test_both(void **state)
{
	(void)state;
	make();
	copy_file(folder.path, other.path, "cpu_0");
	file_patch(other.path, PACKED, 30, "damaged", 7);
	expect_same();
	compress(other.path);
	assert_false(file_is(other.path, "cpu_0"));
	expect_same();
	/* zstd(1) was interrupted: the plain one is too short. */
	copy_file(folder.path, other.path, "cpu_0");
	file_cut(other.path, "cpu_0", file_size(other.path, "cpu_0") - 1);
	expect_same();
	copy_file(folder.path, other.path, "cpu_1"); /* it alone is there, and is too short */
	file_cut(other.path, "cpu_1", 4096);
	file_cut(other.path, "cpu_1.zst", 0);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(again.count > 0 && check_rest() > 0);
}

/* Any place of a file, read in any pieces, is as in the plain one. */
static void test_places(void **state)
{
	struct proclife_unpacker *unpacker = proclife_unpacker_new();
	struct proclife_frames *frames;
	static char got[3 * PROCLIFE_FRAME];
	uint64_t plain, seed = 1;
	char *file, path[PATH_MAX + 64];
	off_t size;
	int fd;

	(void)state;
	make();
	file = load_stream("cpu_0", &size);
	snprintf(path, sizeof(path), "%s/" PACKED, other.path);
	fd = open(path, O_RDONLY);
	assert_non_null(unpacker);
	assert_int_equal(proclife_frames_open(&frames, unpacker, fd, (uint64_t)file_size(other.path, PACKED), &plain), 0);
	assert_int_equal(plain, size);
	assert_true(size > 3 * (off_t)PROCLIFE_FRAME);
	for (unsigned int i = 0; i < 3000; i++) {
		uint64_t at, some, n;
		ssize_t ret;

		seed = seed * 6364136223846793005 + 1442695040888963407;
		at = (seed >> 33) % (uint64_t)(size + 5000);
		some = 1 + (seed >> 20) % sizeof(got);
		ret = proclife_frames_read(frames, got, some, at);
		assert_int_equal(ret > 0, at < (uint64_t)size);
		assert_true(ret >= 0 && ret <= (ssize_t)some);
		n = (uint64_t)ret;
		assert_memory_equal(got, file + at, n);
		assert_true(!n || n == some || at + n == (uint64_t)size || !((at + n) % PROCLIFE_FRAME));
		assert_int_equal(proclife_frames_from(frames, at), n ? at : UINT64_MAX);
	}
	proclife_frames_free(frames);
	proclife_unpacker_free(unpacker);
	close(fd);
	free(file);
}

/* Heads are not aligned. */
static struct proclife_frame_head head_at(const char *bytes, size_t at)
{
	struct proclife_frame_head head;

	memcpy(&head, bytes + at, sizeof(head));
	return head;
}

/* Where the next frame begins. */
static size_t after(const char *bytes, size_t at)
{
	return at + sizeof(struct proclife_frame_head) + head_at(bytes, at).packed;
}

/* The records and gaps of packets that are in the frame, or in part, to which this place of the file belongs. */
static uint64_t in_frame(const char *bytes, size_t place)
{
	struct proclife_frame_head head = head_at(bytes, 0);
	uint64_t there = 0;

	while (place >= after(bytes, 0)) {
		place -= after(bytes, 0);
		bytes += after(bytes, 0);
		head = head_at(bytes, 0);
	}
	for (size_t i = 0; i < stream.count; i++)
		if (stream.at[i] < head.at + head.plain &&
		    head.at < stream.at[i] + stream.packets[i].packet_size / 8)
			there += stream.records[i] + stream.packets[i].gap_lost;
	return there;
}

/* Each kind of place: in a head, and in what is compressed. What can be read is right, the rest is counted. */
static void test_damage(void **state)
{
	size_t size, at, places = 0, harmless = 0, step = 97;
	char *bytes;

	(void)state;
	make();
	look_at("cpu_0");
	bytes = load(PACKED, &size);
#ifdef __SANITIZE_ADDRESS__
	step *= 5;
#endif
	for (at = 0; at < size; at += at < sizeof(struct proclife_frame_head) + 16 ? 1 : step) {
		uint64_t lost;

		file_flip(other.path, PACKED, (off_t)at, 0x10);
		read_rest();
		lost = check_rest();
		if (lost > in_frame(bytes, at))
			fail_msg("at %zu: %llu are lost", at, (unsigned long long)lost);
		places++;
		harmless += !damaged_files;
		file_patch(other.path, PACKED, (off_t)at, bytes + at, 1);
	}
	/* zstd's own checksum finds each but those of bits that mean nothing. */
	assert_true(places > 50 && harmless * 20 < places);
	expect_same();
	free(bytes);
}

static void test_lengths(void **state)
{
	size_t size;
	uint64_t lost = 0;
	char *bytes;

	(void)state;
	make();
	bytes = load(PACKED, &size);
	for (size_t cut = size - 1; cut; cut -= cut < 300 ? 1 : 211) {
		uint64_t now;

		file_cut(other.path, PACKED, (off_t)cut);
		read_rest();
		assert_int_equal(damaged_files, 1);
		now = check_rest();
		assert_true(now >= lost);
		lost = now;
	}
	file_patch(other.path, PACKED, 0, bytes, size);
	file_patch(other.path, PACKED, (off_t)size, "xyz", 3); /* ignored */
	read_rest();
	assert_int_equal(check_rest(), 0);
	assert_same_log(&live, &again);
	free(bytes);
}

/* A frame is removed, or says that it is far away: the others are read, and nothing takes long. */
static void test_holes(void **state)
{
	struct proclife_frame_head far;
	size_t size, second;
	char *bytes;

	(void)state;
	make();
	bytes = load(PACKED, &size);
	second = after(bytes, 0);
	file_patch(other.path, PACKED, 0, bytes + second, size - second);
	file_cut(other.path, PACKED, (off_t)(size - second));
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_in_range(check_rest(), 1, 3 * PROCLIFE_CTF_RECORDS);

	far = head_at(bytes, second);
	assert_int_equal(far.at, PROCLIFE_FRAME);
	far.at = PROCLIFE_FRAMES_END - PROCLIFE_FRAME;
	far.check = proclife_frame_check(&far);
	file_patch(other.path, PACKED, 0, bytes, size);
	file_patch(other.path, PACKED, (off_t)second, &far, sizeof(far));
	read_rest(); /* all behind it are out of order */
	assert_int_equal(damaged_files, 1);
	assert_true(check_rest() > 0);
	free(bytes);
}

/* The same where nothing says how long the file should be: what is between two frames is not searched. */
static void test_far(void **state)
{
	struct proclife_frame_head far;
	size_t size, second;
	char *bytes;

	(void)state;
	record_streams(false);
	compress_part(other.path);
	bytes = load(PACKED, &size);
	second = after(bytes, 0);
	far = head_at(bytes, second);
	far.at = PROCLIFE_FRAMES_END - PROCLIFE_FRAME;
	far.check = proclife_frame_check(&far);
	file_patch(other.path, PACKED, (off_t)second, &far, sizeof(far));
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_true(again.count > 0);
	free(bytes);
}

/* Bytes are missing within a frame: the next one is found although it begins earlier than it should. */
static void test_shorter(void **state)
{
	size_t size, second, at;
	char *bytes;

	(void)state;
	make();
	look_at("cpu_0");
	bytes = load(PACKED, &size);
	second = after(bytes, 0);
	at = second + sizeof(struct proclife_frame_head) + 100;
	file_patch(other.path, PACKED, (off_t)at, bytes + at + 10, size - at - 10);
	file_cut(other.path, PACKED, (off_t)size - 10);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_in_range(check_rest(), 1, in_frame(bytes, at));
	free(bytes);
}

/* Something is between two frames, wherever the search for the second one reads in pieces. */
static void test_between(void **state)
{
	static const char junk[20000];
	size_t size, second, border;
	char *bytes;

	(void)state;
	make();
	bytes = load(PACKED, &size);
	second = after(bytes, 0);
	border = 16384 - head_at(bytes, 0).packed;
	for (size_t some = border - 44; some < border + 4; some++) {
		file_patch(other.path, PACKED, (off_t)second, junk, some);
		file_patch(other.path, PACKED, (off_t)(second + some), bytes + second, size - second);
		expect_same();
	}
	free(bytes);
}

/* A head that says more than its frame has, and is not damaged: nothing is made up. */
static void test_too_long(void **state)
{
	struct proclife_frame_head longer;
	size_t size, at = 0;
	char *bytes;

	(void)state;
	make();
	look_at("cpu_0");
	bytes = load(PACKED, &size);
	while (head_at(bytes, at).plain == PROCLIFE_FRAME)
		at = after(bytes, at);
	longer = head_at(bytes, at);
	longer.plain += 4096;
	longer.check = proclife_frame_check(&longer);
	file_patch(other.path, PACKED, (off_t)at, &longer, sizeof(longer));
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_in_range(check_rest(), 1, in_frame(bytes, at));
	free(bytes);
}

/* Frames in another order: what goes back is left out, and nothing is read twice. */
static void test_order(void **state)
{
	size_t size, second, third, fourth;
	char *bytes;

	(void)state;
	make();
	look_at("cpu_0");
	bytes = load(PACKED, &size);
	second = after(bytes, 0);
	third = after(bytes, second);
	fourth = after(bytes, third);
	file_patch(other.path, PACKED, (off_t)second, bytes + third, fourth - third);
	file_patch(other.path, PACKED, (off_t)(second + fourth - third), bytes + second, third - second);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_in_range(check_rest(), 1, in_frame(bytes, second));
	free(bytes);
}

static unsigned int asked;

static bool stop_at_third(void *data)
{
	(void)data;
	return ++asked == 3;
}

static void test_stop(void **state)
{
	struct proclife_fault fault;
	uint64_t bytes;

	(void)state;
	record_streams(true);
	assert_int_equal(proclife_recording_compress(other.path, stop_at_third, NULL, &bytes, &fault), -ECANCELED);
	assert_false(file_is(other.path, PROCLIFE_FRAMES_DRAFT));
	expect_same();
}

/* What is small, or does not become half as large, stays. */
static void test_not_worth_it(void **state)
{
	uint64_t seed = 7;
	char noise[8 * 4096];

	(void)state;
	record_streams(true);
	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		noise[i] = (char)(seed >> 40);
	}
	write_bytes("cpu_77", noise, sizeof(noise));
	write_bytes("cpu_78", noise, 1);
	compress(other.path);
	assert_true(file_is(other.path, "cpu_77") && !file_is(other.path, "cpu_77.zst"));
	assert_true(file_is(other.path, "cpu_78") && !file_is(other.path, "cpu_78.zst"));
	assert_true(file_is(other.path, PACKED));
}

/* Another one is at it: their drafts would have the same name. And a folder of others. */
static void test_not_alone(void **state)
{
	struct proclife_fault fault;
	uint64_t bytes;
	int dir;

	(void)state;
	record_streams(true);
	dir = open(other.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(dir, LOCK_EX), 0);
	assert_int_equal(proclife_recording_compress(other.path, NULL, NULL, &bytes, &fault), -EBUSY);
	assert_string_equal(fault.text, "it is being compressed already; wait until that has ended");
	close(dir);
	assert_int_equal(chmod(other.path, 0777), 0);
	assert_int_equal(proclife_recording_compress(other.path, NULL, NULL, &bytes, &fault), -EPERM);
	assert_true(file_is(other.path, "cpu_0"));
	assert_int_equal(chmod(other.path, 0700), 0);
	compress(other.path);
}

/* Owner and mode stay the same; what is no file of a recorder stays, too. */
static void test_files(void **state)
{
	char path[PATH_MAX + 64];
	struct stat st;

	(void)state;
	record_streams(true);
	snprintf(path, sizeof(path), "%s/cpu_0", other.path);
	assert_int_equal(chmod(path, 0640), 0);
	assert_true(geteuid() || !chown(path, 1234, 5678));
	snprintf(path, sizeof(path), "%s/cpu_99", other.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	compress(other.path);
	assert_true(file_is(other.path, "cpu_99"));
	snprintf(path, sizeof(path), "%s/" PACKED, other.path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_true(geteuid() || (st.st_uid == 1234 && st.st_gid == 5678));
}

/* Made by zstd(1): the message says what to do. */
static void test_foreign(void **state)
{
	char path[PATH_MAX + 64];

	(void)state;
	record_streams(true);
	snprintf(path, sizeof(path), "%s/cpu_0", other.path);
	assert_int_equal(unlink(path), 0);
	write_bytes(PACKED, "\x28\xb5\x2f\xfd and so on", 13);
	read_rest();
	assert_int_equal(damaged_files, 1);
	assert_non_null(strstr(damages[0].what, "compressed by another program, which has to uncompress it"));
}

static void test_refused(void **state)
{
	struct run_options options = { .cpus = 2, .ring = 128, .rounds = 2, .seed = 7, .abandon = true };
	struct proclife_fault fault;
	uint64_t bytes;
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[PATH_MAX + 64];
	int fd;

	(void)state;
	assert_int_equal(proclife_recording_compress("/nowhere", NULL, NULL, &bytes, &fault), -ENOENT);
	assert_int_equal(proclife_recording_compress(folder.base, NULL, NULL, &bytes, &fault), -ENOEXEC);
	record_run(&options, folder.path, &live);
	snprintf(path, sizeof(path), "%s/metadata", folder.path);
	fd = open(path, O_RDWR);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(proclife_recording_compress(folder.path, NULL, NULL, &bytes, &fault), -EBUSY);
	assert_string_equal(fault.text, "its recorder is at work; compress it once that has ended");
	close(fd); /* a recorder may still be at work, where there are no locks */
	assert_int_equal(proclife_recording_compress(folder.path, NULL, NULL, &bytes, &fault), -EBUSY);
	assert_string_equal(fault.text, "it is not complete; compress a slice of it");
	assert_true(file_is(folder.path, "cpu_0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COPIED(test_same),
		COPIED(test_cut_off),
		COPIED(test_both),
		COPIED(test_places),
		COPIED(test_damage),
		COPIED(test_lengths),
		COPIED(test_holes),
		COPIED(test_far),
		COPIED(test_shorter),
		COPIED(test_between),
		COPIED(test_too_long),
		COPIED(test_order),
		COPIED(test_stop),
		COPIED(test_not_worth_it),
		COPIED(test_not_alone),
		COPIED(test_files),
		COPIED(test_foreign),
		COPIED(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
