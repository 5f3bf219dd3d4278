// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/* Recordings that are cut off, damaged, foreign or hostile: the result is an error with a reason, never worse. */
#include "recorded.h"
#include "given_ioctl.h"

#include <recording/ctf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sanitizers make each try five times as slow: one of this many is enough. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 5
#else
#define EVERY 1
#endif

static void make(bool complete)
{
	struct run_options options = {
		.cpus = 2, .ring = 128, .rounds = 12, .seed = 77, .snapshot = 40, .sync = true,
		.abandon = !complete,
	};

	record_run(&options, folder.path, &live);
}

static int try(struct proclife_fault *fault)
{
	again.count = 0;
	return try_replay(other.path, fault, &again);
}

static void path_of(char path[PATH_MAX + 64], const char *name)
{
	snprintf(path, PATH_MAX + 64, "%s/%s", other.path, name);
}

static off_t size_of(const char *name)
{
	return file_size(other.path, name);
}

static void cut(const char *name, off_t size)
{
	file_cut(other.path, name, size);
}

static void patch(const char *name, off_t at, const void *bytes, size_t size)
{
	file_patch(other.path, name, at, bytes, size);
}

/* Replaces a text of the metadata by another one of the same length, or rewrites the rest. */
static void edit(const char *from, const char *to)
{
	static char text[PROCLIFE_CTF_METADATA_MAX], edited[PROCLIFE_CTF_METADATA_MAX];
	char path[PATH_MAX + 64], *at;
	ssize_t n;
	int fd;

	copy_recording();
	path_of(path, "metadata");
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	at = strstr(text, from);
	if (!at)
		fail_msg("'%s' is not in the metadata", from);
	snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(ftruncate(fd, 0), 0);
	n = strlen(edited);
	assert_int_equal(pwrite(fd, edited, n, 0), n);
	close(fd);
}

/* A complete recording that lacks something is damaged. */
static void test_complete_truncated(void **state)
{
	struct proclife_fault fault;

	(void)state;
	make(true);
	copy_recording();
	assert_int_equal(try(&fault), 0);
	assert_same_log(&live, &again);
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		off_t size = size_of(recorded_files[i]);

		for (off_t at = 0; at < size; at += at % 4096 > 300 ? 511 : 37) {
			cut(recorded_files[i], at);
			assert_int_equal(try(&fault), -EBADMSG);
			copy_file(folder.path, other.path, recorded_files[i]);
		}
	}
	assert_int_equal(try(&fault), 0);
}

/* Whatever is missing at the end of a stream, the rest is read. */
static void test_unfinished_truncated(void **state)
{
	struct proclife_fault fault;
	off_t size;
	size_t last = 0;

	(void)state;
	make(false);
	copy_recording();
	assert_int_equal(try(&fault), 0);
	assert_same_log(&live, &again);
	size = size_of("cpu_1");
	for (off_t at = 0; at <= size; at += at % 4096 > 300 && at % 4096 < 4000 ? 64 : 1) {
		copy_file(folder.path, other.path, "cpu_1");
		cut("cpu_1", at);
		assert_int_equal(try(&fault), 0);
		assert_true(again.count >= last);
		/* The last packet's records are readable before it is whole. */
		assert_true(log_common(&live, &again) < live.count || size - at < 4096);
		last = again.count;
	}
	assert_int_equal(last, live.count);
}

static void test_metadata_truncated(void **state)
{
	struct proclife_fault fault;
	off_t size;

	(void)state;
	make(true);
	copy_recording();
	size = size_of("metadata");
	for (off_t at = size - 1; at >= 0; at -= EVERY) {
		int ret;

		cut("metadata", at);
		ret = try(&fault);
		/* After the env block, the reader needs nothing. */
		if (ret)
			assert_true(ret == -EBADMSG || ret == -ENOEXEC || ret == -EPROTO);
		else
			assert_true(at > 1500);
	}
}

/* A flip is noticed, or does not affect the records: nothing worse happens. */
static void test_flips(void **state)
{
	struct proclife_fault fault;
	unsigned int noticed = 0;

	(void)state;
	for (int complete = 0; complete < 2; complete++) {
		make(complete);
		for (size_t i = 0; i < RECORDED_FILES; i++) {
			off_t size;

			copy_recording();
			size = size_of(recorded_files[i]);
			for (off_t at = 0; at < size && at < 9000; at += EVERY * (i && at > 200 ? 31 : 1)) {
				unsigned char bit = (unsigned char)(1u << at % 8);
				int ret;

				file_flip(other.path, recorded_files[i], at, bit);
				ret = try(&fault);
				assert_true(!ret || ret == -EBADMSG || ret == -ENOEXEC ||
					    ret == -EPROTO);
				noticed += ret != 0;
				file_flip(other.path, recorded_files[i], at, bit);
			}
		}
		log_free(&live);
		folder_remove(&folder);
		folder_make(&folder);
	}
	assert_true(noticed > 500 / EVERY);
}

static struct proclife_packet packet_at(const char *name, off_t at)
{
	struct proclife_packet packet;
	char path[PATH_MAX + 64];
	FILE *file;

	path_of(path, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fseeko(file, at, SEEK_SET), 0);
	assert_int_equal(fread(&packet, sizeof(packet), 1, file), 1);
	fclose(file);
	return packet;
}

/* Writes a packet with a valid checksum. */
static void forge(const char *name, off_t at, struct proclife_packet packet)
{
	packet.checksum = proclife_packet_checksum(&packet);
	patch(name, at, &packet, sizeof(packet));
}

static void test_packet_fields(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
		const char *says;
	} bad[] = {
		{ offsetof(struct proclife_packet, magic), 0, 4, "no packet begins here" },
		{ offsetof(struct proclife_packet, uuid), 0, 8, "another recording" },
		{ offsetof(struct proclife_packet, stream_id), 1, 4, "another stream" },
		{ offsetof(struct proclife_packet, timestamp_begin), UINT64_MAX, 8, "times" },
		{ offsetof(struct proclife_packet, timestamp_end), 0, 8, "times" },
		{ offsetof(struct proclife_packet, timestamp_end), UINT64_MAX, 8, "times" },
		{ offsetof(struct proclife_packet, content_size), 0, 8, "sizes" },
		{ offsetof(struct proclife_packet, content_size), UINT64_MAX, 8, "sizes" },
		{ offsetof(struct proclife_packet, content_size), 1001, 8, "sizes" },
		{ offsetof(struct proclife_packet, packet_size), 0, 8, "sizes" },
		{ offsetof(struct proclife_packet, packet_size), 1024, 8, "sizes" },
		{ offsetof(struct proclife_packet, packet_size), UINT64_MAX - 7, 8, "sizes" },
		{ offsetof(struct proclife_packet, packet_size), 1ULL << 40, 8, "sizes" },
		{ offsetof(struct proclife_packet, events_discarded), 1ULL << 40, 8, "place" },
		{ offsetof(struct proclife_packet, packet_seq_num), 5, 8, "a packet is missing" },
		{ offsetof(struct proclife_packet, gap_lost), UINT64_MAX, 8, "place" },
		{ offsetof(struct proclife_packet, gap_lost), 3, 8, "place" },
		{ offsetof(struct proclife_packet, gap_from), 1, 8, "times" },
		{ offsetof(struct proclife_packet, gap_to), UINT64_MAX, 8, "times" },
		{ offsetof(struct proclife_packet, cpu_id), 1, 4, "another stream" },
	};
	struct proclife_fault fault;

	(void)state;
	make(true);
	copy_recording();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct proclife_packet packet = packet_at("snapshot", 0);

		memcpy((char *)&packet + bad[i].at, &bad[i].value, bad[i].size);
		forge("snapshot", 0, packet);
		if (try(&fault) != -EBADMSG)
			fail_msg("field at %zu: taken", bad[i].at);
		if (!strstr(fault.text, "snapshot: damaged at byte 0: ") ||
		    !strstr(fault.text, bad[i].says))
			fail_msg("field at %zu: '%s', not '%s'", bad[i].at, fault.text, bad[i].says);
		copy_file(folder.path, other.path, "snapshot");
	}
	assert_int_equal(try(&fault), 0);
}

/* A gap comes after what was read before it, whatever its packet says. */
static void test_gap_without_time(void **state)
{
	struct proclife_packet packet;
	struct proclife_fault fault;
	off_t at = 0;

	(void)state;
	make(true);
	copy_recording();
	for (packet = packet_at("cpu_0", 0); !packet.gap_from; packet = packet_at("cpu_0", at))
		at += (off_t)(packet.packet_size / 8);
	packet.gap_from = packet.gap_to = 0;
	forge("cpu_0", at, packet);
	assert_int_equal(try(&fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "cpu_0: damaged at byte "));
	assert_non_null(strstr(fault.text, ": the packet's times make no sense"));
}

static void test_metadata_values(void **state)
{
	static const struct {
		const char *from;
		const char *to;
		int error;
		const char *says;
	} edits[] = {
		{ "abi_compatible = 3;", "abi_compatible = 4;", -EPROTO, "newer" },
		{ "abi_version = 3;", "abi_version = 2;", -EPROTO,
		  "recorded with ABI 2, this release reads 3 and later: use the release that made it" },
		{ "format 3 ", "format 4 ", -EPROTO,
		  "a recording of format 4, made by proclife 0.0; this release reads format 3: use a "
		  "newer release" },
		{ "format 3 ", "format 2 ", -EPROTO,
		  "a recording of format 2, made by proclife 0.0; this release reads format 3: use "
		  "the release that made it" },
		{ "format 3 ", "format 0 ", -EPROTO, "format 0, made by proclife 0.0; " },
		{ "format 3 ", "format 99999999999 ", -EPROTO, "format 9999999" },
		{ "format 3 ", "format x ", -EPROTO, "format 0" },
		{ "/* proclife", "/* lttng", -ENOEXEC, "not a recording" },
		{ "cpus = 2;", "cpus = 0;", -EBADMSG, "sizes" },
		{ "cpus = 2;", "cpus = 99999;", -EBADMSG, "sizes" },
		{ "cpus = 2;", "cpus = 99999999999;", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus = 2", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus = -2;", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus = ;", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus = 2; x", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus = 2;\n\tcpus = 2;", -EBADMSG, "cpus" },
		{ "cpus = 2;", "cpus=2;", -EBADMSG, "assignment" },
		{ "cpus = 2;", "cpus = 1;", -EBADMSG, "totals" },
		{ "began = 1;", "began = 99999999999999999999999;", -EBADMSG, "began" },
		{ "began = 1;", "began = 9223372036854775808;", -EBADMSG, "began" },
		{ "began = 1;", "began = 1;\n\tclock_step_1 = \"9223372036854775808 1\";", -EBADMSG, "step" },
		{ "record_bytes = 128;", "record_bytes = 64;", -EBADMSG, "sizes" },
		{ "complete = 1;", "complete = 2;", -EBADMSG, "complete" },
		{ "release = \"6", "release = \"\\", -EBADMSG, "release" },
		{ "release = \"6", "release = \"\\000", -EBADMSG, "release" },
		{ "release = \"6", "release = \"\\777", -EBADMSG, "release" },
		{ "release = \"6", "release = \"\n", -EBADMSG, "release" },
		{ "release = \"6", "release = \"0123456789012345678901234567890123456789"
				   "0123456789012345678901234567890123456789",
		  -EBADMSG, "release" },
		{ "features = \"0x", "features = \"x", -EBADMSG, "features" },
		{ "features = \"0x", "features = \"0xfffffffffffffffff", -EBADMSG, "features" },
		{ "synced = \"0", "synced = \"x", -EBADMSG, "synced" },
		{ "synced = \"0", "synced = \"00", -EBADMSG, "synced" },
		{ "synced = \"0", "synced = \"1", -EBADMSG, "synced" },
		{ "env {\n", "env {", -EBADMSG, "env" },
		{ "uuid = \"", "uuid = \"x", -EBADMSG, "uuid" },
		{ "streams = 3;", "streams = 4;", -EBADMSG, "3 streams instead of 4" },
		{ "streams = 3;", "streams = 2;", -EBADMSG, "3 streams instead of 2" },
		{ "total_cpu_0 = \"", "total_cpu_1 = \"", -EBADMSG, "total of a stream" },
		{ "total_cpu_0 = \"", "total_cpu_0 = \"x", -EBADMSG, "total of a stream" },
		{ "total_cpu_0 = \"", "total_cpu_0 = \"1 ", -EBADMSG, "total of a stream" },
		{ "total_cpu_0 = \"", "total_cpu_0 = \"999999999999999", -EBADMSG, "totals" },
		{ "total_cpu_0 = \"", "total_cpu_9 = \"", -EBADMSG, "total of a stream" },
		{ "total_cpu_1 = \"", "total_cpu_9 = \"", -EBADMSG, "totals" },
		{ "total_cpu_0 = \"", "total_cpu_0 = \"1 1 1 1 1\"; x\n\tnext = \"", -EBADMSG,
		  "total of a stream" },
		{ "total_cpu_1 = \"", "total_cpu_100000 = \"", -EBADMSG, "totals" },
		{ "total_snapshot = \"", "total_ = \"", -EBADMSG, "total of a stream" },
	};
	struct proclife_fault fault;

	(void)state;
	make(true);
	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		edit(edits[i].from, edits[i].to);
		if (try(&fault) != edits[i].error || !strstr(fault.text, edits[i].says) ||
		    strchr(fault.text, '\n'))
			fail_msg("'%s': '%s'", edits[i].to, fault.text);
	}
	/* The release that made it may be missing. */
	edit("format 3 ", "format 4 ");
	cut("metadata", 200);
	assert_int_equal(try(&fault), -EPROTO);
	assert_non_null(strstr(fault.text, "a recording of format 4; this release reads format 3: "));
	/* A later release can add something. */
	edit("cpus = 2;", "cpus = 2;\n\tsomething_new = \"x\";");
	assert_int_equal(try(&fault), 0);
}

static void test_foreign(void **state)
{
	struct proclife_fault fault;
	char path[PATH_MAX + 64];

	(void)state;
	assert_int_equal(try_replay("/nonexistent", &fault, &again), -ENOENT);
	assert_int_equal(try_replay("/dev/null", &fault, &again), -ENOTDIR);
	assert_int_equal(try_replay("/proc/self", &fault, &again), -ENOEXEC);
	assert_int_equal(try(&fault), -ENOEXEC);
	assert_non_null(strstr(fault.text, "no metadata"));
	path_of(path, "metadata");
	assert_int_equal(mkfifo(path, 0600), 0); /* opening it does not wait */
	assert_int_equal(try(&fault), -ENOEXEC);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(try(&fault), -ENOEXEC);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(try(&fault), -ENOEXEC);
	rmdir(path);
	make(true);
	copy_recording();
	cut("metadata", 1 << 30);
	assert_int_equal(try(&fault), -ENOEXEC);
	cut("metadata", 0);
	assert_int_equal(try(&fault), -ENOEXEC);
	copy_recording();
	path_of(path, "cpu_1");
	unlink(path);
	assert_int_equal(try(&fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "cpu_1: damaged at byte 0: it is missing"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(try(&fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "cpu_1: damaged at byte 0: a FIFO, not a plain file"));
	unlink(path);
	copy_recording();
	/* Files with other names are ignored. */
	copy_file(folder.path, other.path, "cpu_0");
	path_of(path, "cpu_01");
	assert_int_equal(symlink("cpu_0", path), 0);
	path_of(path, "cpu_7");
	assert_int_equal(symlink("cpu_0", path), 0);
	assert_int_equal(try(&fault), 0);
	assert_same_log(&live, &again);
}

/* A record's time that goes back; one that is later than its packet. */
static void test_times(void **state)
{
	struct proclife_fault fault;
	uint64_t early = 0, late = UINT64_MAX;

	(void)state;
	make(true);
	copy_recording();
	patch("snapshot", 4 * 128, &early, sizeof(early));
	assert_int_equal(try(&fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "snapshot: damaged at byte "));
	patch("snapshot", 4 * 128, &late, sizeof(late));
	assert_int_equal(try(&fault), -EBADMSG);
	copy_file(folder.path, other.path, "snapshot");
	patch("snapshot", 40 * 128, &late, sizeof(late)); /* the last one */
	assert_int_equal(try(&fault), -EBADMSG);
	copy_file(folder.path, other.path, "snapshot");
	assert_int_equal(try(&fault), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COPIED(test_complete_truncated),
		COPIED(test_unfinished_truncated),
		COPIED(test_metadata_truncated),
		COPIED(test_flips),
		COPIED(test_packet_fields),
		COPIED(test_gap_without_time),
		COPIED(test_metadata_values),
		COPIED(test_foreign),
		COPIED(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
