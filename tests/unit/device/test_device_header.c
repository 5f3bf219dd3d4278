// SPDX-License-Identifier: GPL-2.0-only
/* The device's header: shown, and believed only if it is plausible. */
#include "check.h"
#include "fixture_device.h"

#include <device/device.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void test_header(void **state)
{
	const struct proclife_header *header;

	(void)state;
	begin_device(2, 16);
	header = proclife_source_header(source);
	assert_string_equal(header->release, "6.1.0-test");
	assert_int_equal(header->records_per_ring, 16);
	device->header->reap_missed = 7; /* it changes */
	device->header->marks_missed = 8;
	device->header->stopped = 9;
	assert_int_equal(proclife_source_header(source)->reap_missed, 7);
	assert_int_equal(proclife_source_header(source)->marks_missed, 8);
	assert_int_equal(proclife_source_header(source)->stopped, 9);
	assert_true(proclife_source_fd(source) >= 0);
	fake_device_write(device, 1, 10);
	assert_int_equal(proclife_source_count(source, 1, PROCLIFE_FORK), 1);
}

/* Sizes that change after they were checked are ignored. */
static void test_header_changes(void **state)
{
	(void)state;
	begin_device(2, 16);
	device->header->records_per_ring = 1ULL << 40;
	device->header->ring_stride = 1ULL << 50;
	device->header->records_offset = 1ULL << 50;
	device->header->rings_offset = 1ULL << 50;
	device->header->cpu_map_offset = 1U << 31;
	device->header->cpus = 1U << 30;
	proclife_store_release(&device->header->generation, 99);
	fake_device_write(device, 1, 10);
	memset(device->header->release, 'x', sizeof(device->header->release));
	device->header->magic = 0;
	assert_int_equal(proclife_source_header(source)->cpus, 2);
	assert_int_equal(proclife_source_header(source)->records_per_ring, 16);
	assert_string_equal(proclife_source_header(source)->release, "6.1.0-test");
	assert_int_equal(proclife_source_header(source)->generation, 99);
	device->now = 20;
	expect_record(source, 1, 10);
	expect_nothing(source);
	assert_null(proclife_source_ring(source, 2));
}

#define HEADER(name, field, value, error)                                          \
	static void name(struct proclife_header *h)                                \
	{                                                                          \
		h->field = (value);                                                \
	}
#define HEADERS                                                                    \
	HEADER(magic, magic, PROCLIFE_MAGIC + 1, -ENODEV)                          \
	HEADER(no_magic, magic, 0, -ENODEV)                                        \
	HEADER(later_abi, abi_compatible, PROCLIFE_ABI_VERSION + 1, -EPROTO)       \
	HEADER(earlier_abi, abi_version, PROCLIFE_ABI_COMPATIBLE - 1, -EPROTO)     \
	HEADER(no_header_bytes, header_bytes, 0, -EPROTO)                          \
	HEADER(short_header, header_bytes, sizeof(*h) - 8, -EPROTO)                \
	HEADER(long_header, header_bytes, h->cpu_map_offset + 8, -EPROTO)          \
	HEADER(huge_header, header_bytes, UINT32_MAX, -EPROTO)                     \
	HEADER(no_record_bytes, record_bytes, 0, -EPROTO)                          \
	HEADER(short_records, record_bytes, 64, -EPROTO)                           \
	HEADER(uneven_records, record_bytes, 132, -EPROTO)                         \
	HEADER(long_records, record_bytes, 2048, -EPROTO)                          \
	HEADER(huge_records, record_bytes, -8U, -EPROTO)                           \
	HEADER(many_types, types, 4096, -EPROTO)                                   \
	HEADER(too_many_types, types, UINT32_MAX, -EPROTO)                         \
	HEADER(counts_first, counts_offset, 56, -EPROTO)                           \
	HEADER(odd_counts, counts_offset, 68, -EPROTO)                             \
	HEADER(late_counts, counts_offset, h->records_offset, -EPROTO)             \
	HEADER(last_count, counts_offset, h->records_offset - 8 * h->types + 8, -EPROTO) \
	HEADER(huge_counts, counts_offset, -8U, -EPROTO)                           \
	HEADER(suppressed_first, suppressed_offset, 0, -EPROTO)                    \
	HEADER(odd_suppressed, suppressed_offset, 324, -EPROTO)                    \
	HEADER(late_suppressed, suppressed_offset, h->records_offset - 8, -EPROTO) \
	HEADER(no_map_bytes, map_bytes, 0, -EPROTO)                                \
	HEADER(short_map, map_bytes, h->map_bytes - 4096, -EPROTO)                 \
	HEADER(long_map, map_bytes, h->map_bytes + 4096, -EPROTO)                  \
	HEADER(huge_map, map_bytes, UINT64_MAX, -EPROTO)                           \
	HEADER(no_rings_offset, rings_offset, 0, -EPROTO)                          \
	HEADER(odd_rings_offset, rings_offset, 4096 + 64, -EPROTO)                 \
	HEADER(late_rings, rings_offset, h->map_bytes, -EPROTO)                    \
	HEADER(huge_rings_offset, rings_offset, -4096ULL, -EPROTO)                 \
	HEADER(no_stride, ring_stride, 0, -EPROTO)                                 \
	HEADER(odd_stride, ring_stride, h->ring_stride - 8, -EPROTO)               \
	HEADER(short_stride, ring_stride, h->records_offset, -EPROTO)              \
	HEADER(huge_stride, ring_stride, 1ULL << 63, -EPROTO)                      \
	HEADER(no_records_offset, records_offset, 0, -EPROTO)                      \
	HEADER(odd_records_offset, records_offset, 4096 + 32, -EPROTO)             \
	HEADER(late_records, records_offset, h->ring_stride, -EPROTO)              \
	HEADER(huge_records_offset, records_offset, -4096ULL, -EPROTO)             \
	HEADER(no_records, records_per_ring, 0, -EPROTO)                           \
	HEADER(odd_records, records_per_ring, 12, -EPROTO)                         \
	HEADER(many_records, records_per_ring, 1ULL << 20, -EPROTO)                \
	HEADER(too_many_records, records_per_ring, 1ULL << 57, -EPROTO)            \
	HEADER(no_cpus, cpus, 0, -EPROTO)                                          \
	HEADER(more_cpus, cpus, h->cpus + 1, -EPROTO)                              \
	HEADER(too_many_cpus, cpus, UINT32_MAX, -EPROTO)                           \
	HEADER(no_cpu_map, cpu_map_offset, 0, -EPROTO)                             \
	HEADER(odd_cpu_map, cpu_map_offset, h->cpu_map_offset + 4, -EPROTO)        \
	HEADER(late_cpu_map, cpu_map_offset, h->rings_offset, -EPROTO)             \
	HEADER(huge_cpu_map_offset, cpu_map_offset, -8U, -EPROTO)

HEADERS

static void endless_release(struct proclife_header *h)
{
	memset(h->release, 'x', sizeof(h->release));
}

static void endless_version(struct proclife_header *h)
{
	memset(h->version, 'x', sizeof(h->version));
}

#undef HEADER
#define HEADER(name, field, value, error) { #name, name, error },

static const struct {
	const char *name;
	void (*spoil)(struct proclife_header *header);
	int error;
} bad_headers[] = {
	HEADERS
	{ "endless_release", endless_release, -EPROTO },
	{ "endless_version", endless_version, -EPROTO },
};

static void test_bad_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_headers) / sizeof(*bad_headers); i++) {
		struct proclife_header good;
		int error;

		device = fake_device_new(3, 16);
		fake_device_add_rings(device);
		good = *device->header;
		bad_headers[i].spoil(device->header);
		error = proclife_device_open(&source, device->path);
		if (error != bad_headers[i].error)
			fail_msg("%s: %d, not %d", bad_headers[i].name, error,
				 bad_headers[i].error);
		/* The header is accepted again without the change. */
		*device->header = good;
		assert_int_equal(proclife_device_open(&source, device->path), 0);
		end_device(NULL);
	}
}

static void test_compatible_header(void **state)
{
	(void)state;
	device = fake_device_new(3, 16);
	fake_device_add_rings(device);
	device->header->abi_version = PROCLIFE_ABI_VERSION + 5;
	device->header->features = UINT64_MAX;
	device->header->header_bytes = device->header->cpu_map_offset; /* the largest possible header */
	source = fake_device_open(device);
	fake_device_write(device, 2, 10);
	device->now = 20;
	expect_record(source, 2, 10);
}

/* Reads what a module makes whose records are longer and that knows more types: all that this version knows. */
static void test_a_later_module(void **state)
{
	const uint32_t types = 2 * PROCLIFE_TYPES, counts = 1024, suppressed = 4096;
	struct proclife_event event;
	uint64_t *made, *not_made;

	(void)state;
	device = fake_device_new_later(2, 16, 184);
	fake_device_add_rings(device);
	device->header->types = types;
	device->header->counts_offset = counts;
	device->header->suppressed_offset = suppressed;
	made = (uint64_t *)((char *)device->rings[1].page + counts);
	not_made = (uint64_t *)((char *)device->rings[1].page + suppressed);
	for (uint32_t type = 0; type < types; type++) {
		made[type] = 1000 + type;
		not_made[type] = 2000 + type;
	}
	source = fake_device_open(device);
	for (uint32_t type = 0; type < types; type++) {
		assert_int_equal(proclife_source_count(source, 1, type), 1000 + type);
		assert_int_equal(proclife_source_suppressed(source, 1, type), 2000 + type);
	}
	assert_int_equal(proclife_source_count(source, 1, types), 0);
	assert_int_equal(proclife_source_suppressed(source, 1, UINT32_MAX), 0);
	assert_int_equal(proclife_source_count(source, 2, 1), 0);
	for (uint64_t ts = 1; ts <= 100; ts++) { /* the ring wraps, and so does a copy */
		fake_device_write(device, ts % 2, ts);
		device->now = ts + 1;
		if (ts % 7)
			continue;
		for (uint64_t next = ts - 6; next <= ts; next++) {
			assert_int_equal(proclife_source_next(source, &event), 1);
			assert_non_null(event.record);
			assert_int_equal(event.record->ts, next);
			assert_int_equal(event.record->cpu, next % 2);
			assert_true(event.record->start == ~next);
			assert_int_equal(event.record->task, (next - 1) / 2);
		}
		expect_nothing(source);
	}
	expect_record(source, 1, 99);
	for (uint64_t ts = 101; ts <= 140; ts++) /* it loses what it has not copied */
		fake_device_write(device, 1, ts);
	device->now = 200;
	expect_record(source, 0, 100);
	expect_gap(source, 1, 24, 101, 125);
	for (uint64_t ts = 125; ts <= 140; ts++)
		expect_record(source, 1, ts);
	expect_nothing(source);
}

/* A module that knows fewer types than this version: 0 of those that it lacks. */
static void test_an_earlier_module(void **state)
{
	(void)state;
	device = fake_device_new(1, 16);
	fake_device_add_rings(device);
	device->header->types = PROCLIFE_EXEC;
	device->rings[0].page->counts[PROCLIFE_FORK] = 7;
	device->rings[0].page->counts[PROCLIFE_EXEC] = 8;
	source = fake_device_open(device);
	assert_int_equal(proclife_source_count(source, 0, PROCLIFE_FORK), 7);
	assert_int_equal(proclife_source_count(source, 0, PROCLIFE_EXEC), 0);
	proclife_source_free(source);
	device->header->types = 0;
	device->header->counts_offset = 0;
	device->header->suppressed_offset = 0;
	source = fake_device_open(device);
	assert_int_equal(proclife_source_count(source, 0, PROCLIFE_FORK), 0);
}

static void test_no_device(void **state)
{
	char path[] = "/tmp/proclife-test-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	assert_int_equal(ftruncate(fd, 100000), 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	if (geteuid()) {
		assert_int_equal(fchmod(fd, 0), 0);
		assert_int_equal(proclife_device_open(&source, path), -EACCES);
	}
	close(fd);
	unlink(path);
	assert_int_equal(proclife_device_open(&source, path), -ENOENT);
	assert_int_equal(proclife_device_open(&source, "/dev/null"), -ENODEV);
	assert_int_equal(proclife_device_open(&source, "/tmp"), -ENODEV);
	assert_null(source);
	proclife_source_free(NULL);
}

/* A plain file does not know its writers' clock, and in a time namespace ours differs. */
static void test_plain_file_in_a_time_namespace(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	device = fake_device_new(1, 16);
	fake_device_add_rings(device);
	source = fake_device_open(device);
	device->now = 12;
	assert_int_equal(proclife_source_now(source), 12);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct proclife_source *other = NULL;

		if (unshare(CLONE_NEWUSER | CLONE_NEWTIME))
			_exit(77);
		pid = fork(); /* the child is the first process in it */
		if (!pid)
			_exit(proclife_device_open(&other, device->path) != -ENOTSUP || other);
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip(); /* time namespaces do not exist, or are not allowed */
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_header),
		TEST(test_header_changes),
		TEST(test_bad_headers),
		TEST(test_compatible_header),
		TEST(test_a_later_module),
		TEST(test_an_earlier_module),
		TEST(test_no_device),
		TEST(test_plain_file_in_a_time_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
