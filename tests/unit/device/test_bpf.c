// SPDX-License-Identifier: GPL-2.0-only
// WRAP: syscall clock_gettime
/*
 * The rings of BPF programs as a source, with a bpf(2) of our own: its maps are files in memory. What is wrong with a
 * header or a pin is refused; what the kernel skipped is a gap.
 */
#include "check.h"
#include "fake_rings.h"
#include "fixture_device.h"

#include <device/handles.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPUS 2
#define PROGRAMS 3
#define MS 1000000

static struct fake_rings *fake;

/* What bpf(2) says of the maps and programs. */
static struct {
	int unringed, snapshot, programs[PROGRAMS], links[PROGRAMS];
	uint32_t header_value; /* bytes; 0: as they are */
	uint32_t cpu_value;
	uint64_t misses[PROGRAMS];
	int no_info; /* the errno that a program's gives */
	unsigned int asked; /* how often programs were asked */
	const char *no_pin;
	uint64_t *unringed_count;
} kernel;

static bool is_same(int a, int b)
{
	struct stat first, second;

	return !fstat(a, &first) && !fstat(b, &second) && first.st_ino == second.st_ino;
}

static int get_info(int fd, void *to, uint32_t size)
{
	struct bpf_map_info map = { .type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .max_entries = 1 };
	struct stat st;

	for (int i = 0; i < PROGRAMS; i++) {
		struct bpf_prog_info program = { .recursion_misses = kernel.misses[i] };

		if (!is_same(fd, kernel.programs[i]))
			continue;
		kernel.asked++;
		if (kernel.no_info)
			return -kernel.no_info;
		memcpy(to, &program, size < sizeof(program) ? size : sizeof(program));
		return 0;
	}
	assert_int_equal(fstat(fd, &st), 0);
	map.value_size = (uint32_t)st.st_size;
	if (is_same(fd, fake->header_fd) && kernel.header_value)
		map.value_size = kernel.header_value;
	else if (kernel.cpu_value && !is_same(fd, fake->header_fd))
		map.value_size = kernel.cpu_value;
	memcpy(to, &map, size < sizeof(map) ? size : sizeof(map));
	return 0;
}

static int get_pin(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (kernel.no_pin && !strcmp(name, kernel.no_pin))
		return -ENOENT;
	if (!strcmp(name, PROCLIFE_BPF_HEADER))
		return dup(fake->header_fd);
	if (strstr(path, "/" PROCLIFE_BPF_CPUS "/"))
		return dup(fake->fds[atoi(name)]);
	if (!strcmp(name, PROCLIFE_BPF_UNRINGED))
		return dup(kernel.unringed);
	return dup(strstr(path, "/" PROCLIFE_BPF_LINKS "/") ? kernel.links[atoi(name)] : kernel.programs[atoi(name)]);
}

static int begin_iterator(uint32_t link)
{
	char path[64];

	assert_true(is_same((int)link, kernel.snapshot));
	snprintf(path, sizeof(path), "/proc/self/fd/%u", link);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static long bpf(enum bpf_cmd command, const union bpf_attr *attr)
{
	switch (command) {
	case BPF_OBJ_GET:
		return get_pin((const char *)(uintptr_t)attr->pathname);
	case BPF_OBJ_GET_INFO_BY_FD:
		return get_info((int)attr->info.bpf_fd, (void *)(uintptr_t)attr->info.info, attr->info.info_len);
	case BPF_ITER_CREATE:
		return begin_iterator(attr->iter_create.link_fd);
	default:
		return -EINVAL;
	}
}

long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	enum bpf_cmd command;
	union bpf_attr *attr;
	va_list args;
	long ret;

	va_start(args, number);
	command = va_arg(args, enum bpf_cmd);
	attr = va_arg(args, union bpf_attr *);
	va_end(args);
	assert_int_equal(number, __NR_bpf);
	ret = bpf(command, attr);
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

/* Each reading takes a moment, like a real clock's, and the last figures of an offset are noise. */
static struct {
	bool on;
	uint64_t now, to_realtime, random;
} clocks;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now;

	if (!clocks.on)
		return __real_clock_gettime(id, ts);
	clocks.now += 20 + random_below(&clocks.random, 60);
	now = clocks.now + (id == CLOCK_REALTIME ? clocks.to_realtime : 0);
	ts->tv_sec = (time_t)(now / 1000000000);
	ts->tv_nsec = (long)(now % 1000000000);
	return 0;
}

static int new_file(size_t bytes)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

static int begin(void **state)
{
	static const uint64_t sizes[] = { 16, 0, 32 };

	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	memset(&clocks, 0, sizeof(clocks));
	fake = fake_rings_new(CPUS, 3, sizes);
	kernel.snapshot = new_file(0);
	kernel.unringed = new_file(8);
	kernel.unringed_count = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, kernel.unringed, 0);
	assert_true(kernel.unringed_count != MAP_FAILED);
	for (int i = 0; i < PROGRAMS; i++) {
		kernel.programs[i] = new_file(0);
		kernel.links[i] = new_file(0);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	clocks.on = false;
	proclife_source_free(source);
	source = NULL;
	fake_rings_free(fake);
	munmap(kernel.unringed_count, 8);
	close(kernel.unringed);
	close(kernel.snapshot);
	for (int i = 0; i < PROGRAMS; i++) {
		close(kernel.programs[i]);
		close(kernel.links[i]);
	}
	return 0;
}

#define BPF_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static int try_open(void)
{
	const struct proclife_bpf bpf = {
		.header = fake->header_fd,
		.rings = fake->fds,
		.cpus = CPUS,
		.unringed = kernel.unringed,
		.snapshot = kernel.snapshot,
		.programs = kernel.programs,
		.program_count = PROGRAMS,
	};

	return proclife_bpf_open(&source, &bpf);
}

static void open_source(void)
{
	assert_int_equal(try_open(), 0);
	assert_non_null(source);
}

/* The next event, which comes once the margin has passed. */
static void await(struct proclife_event *event)
{
	int ret;

	while (!(ret = proclife_source_next(source, event)))
		assert_int_equal(proclife_source_wait(source, 1000), 1);
	assert_int_equal(ret, 1);
}

static void test_records(void **state)
{
	struct proclife_handles *handles = proclife_handles_new(fake->header->key);
	struct proclife_event event;

	(void)state;
	open_source();
	for (uint32_t i = 0; i < 20; i++) {
		struct proclife_record record = { .type = PROCLIFE_EXEC, .task = 64 * i, .exec.group = 64 * i };

		fake_rings_put(fake, i % CPUS, i % 4 ? 0 : 2, proclife_source_now(source), record);
	}
	for (uint32_t i = 0; i < 20; i++) {
		struct proclife_record record = { .type = PROCLIFE_EXEC, .task = 64 * i, .exec.group = 64 * i };

		await(&event);
		assert_non_null(event.record);
		proclife_handles_make(handles, &record);
		assert_int_equal(event.record->cpu, i % CPUS);
		assert_int_equal(event.record->task, record.task);
		assert_int_equal(event.record->exec.group, record.exec.group);
		assert_true(event.record->ts + PROCLIFE_BPF_MARGIN <= proclife_source_now(source));
	}
	expect_nothing(source);
	assert_string_equal(proclife_source_header(source)->release, "6.1.0-test");
	assert_true(proclife_source_fd(source) >= 0);
	proclife_handles_free(handles);
}

static uint64_t await_skips(void)
{
	struct proclife_event event;

	await(&event);
	assert_null(event.record);
	assert_int_equal(event.gap.cpu, PROCLIFE_CPU_ALL);
	assert_true(event.gap.from < event.gap.to);
	return event.gap.lost;
}

static void expect_no_skips(void)
{
	struct proclife_event event;

	fake_rings_write(fake, 0, 0, proclife_source_now(source));
	await(&event);
	assert_non_null(event.record);
}

/* Programs that ran already, and CPUs without rings. */
static void test_skipped(void **state)
{
	(void)state;
	kernel.misses[1] = 7; /* before we came */
	*kernel.unringed_count = 5;
	open_source();
	expect_no_skips();
	kernel.misses[0] = 3;
	kernel.misses[1] = 8;
	*kernel.unringed_count = 7;
	assert_int_equal(await_skips(), 3 + 1 + 2);
	assert_int_equal(proclife_source_header(source)->marks_missed, 3 + 8 + 7);
	expect_no_skips();
	kernel.misses[2]++;
	assert_int_equal(await_skips(), 1);
	assert_int_equal(proclife_source_lost(source), 7);
}

/* A program that may not be asked for a while: nothing is known to be lost then, and all of it is once it is. */
static void test_not_to_be_asked(void **state)
{
	(void)state;
	kernel.misses[1] = 7;
	open_source();
	kernel.no_info = EPERM;
	expect_no_skips();
	assert_int_equal(proclife_source_lost(source), 0);
	kernel.misses[1] = 9;
	expect_no_skips();
	kernel.no_info = 0;
	assert_int_equal(await_skips(), 2);
	assert_int_equal(proclife_source_lost(source), 2);
}

static void look_often(void)
{
	for (int i = 0; i < 50; i++) {
		clocks.now += 10 * MS;
		expect_nothing(source);
	}
}

/* While no ring moves, programs are asked ten times a second, and not at each tick; before a record is yielded, they are. */
static void test_quiet(void **state)
{
	unsigned int ticks = 0;

	(void)state;
	clocks.on = true;
	clocks.now = 1000 * MS;
	open_source();
	kernel.asked = 0;
	look_often();
	assert_in_range(kernel.asked, 50 * PROGRAMS, 51 * PROGRAMS);
	look_often();
	kernel.asked = 0;
	look_often();
	assert_in_range(kernel.asked, 5 * PROGRAMS, 6 * PROGRAMS);
	kernel.misses[0] = 3;
	for (struct proclife_event event; !proclife_source_next(source, &event); ticks++)
		clocks.now += 10 * MS;
	assert_in_range(ticks, 1, 10);
	assert_int_equal(proclife_source_lost(source), 3);
	kernel.asked = 0;
	expect_no_skips();
	assert_true(kernel.asked >= PROGRAMS);
}

/* The clock is set while we read: that is one change, however exactly its offset can be read each time. */
static void test_clock_is_set(void **state)
{
	uint64_t since;
	int64_t by;

	(void)state;
	clocks.on = true;
	clocks.now = 1000 * MS;
	clocks.to_realtime = 1700000000000000000;
	open_source();
	look_often();
	assert_false(proclife_source_clock_step(source, 0, &since, &by));
	clocks.to_realtime += 5000000000;
	look_often();
	assert_true(proclife_source_clock_step(source, 0, &since, &by));
	assert_in_range(by, 5000000000 - 1000, 5000000000 + 1000);
	assert_false(proclife_source_clock_step(source, 1, &since, &by));
	clocks.to_realtime -= 5000000000;
	look_often();
	assert_true(proclife_source_clock_step(source, 1, &since, &by));
	assert_in_range(-by, 5000000000 - 1000, 5000000000 + 1000);
	assert_false(proclife_source_clock_step(source, 2, &since, &by));
}

/*
 * Snapshots
 */

static bool in_first_pid_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xeffffffc;
}

/* Threads that are none's leaders come first. The clock of the CPU that asks for one can be behind. */
static void test_snapshot(void **state)
{
	static const struct {
		uint64_t ts;
		uint32_t flags, pid;
	} tasks[] = {
		{ 100, 0, 1 }, { 110, PROCLIFE_F_THREAD, 2 }, { 105, 0, 3 }, { 104, PROCLIFE_F_THREAD, 4 },
	};
	static const uint32_t order[] = { 2, 4, 1, 3 };
	struct proclife_event event;
	uint64_t last = 0;

	(void)state;
	open_source();
	for (size_t i = 0; i < 4; i++) {
		struct proclife_record record = {
			.ts = tasks[i].ts, .type = PROCLIFE_TASK, .cpu = 1, .flags = tasks[i].flags,
			.pid = tasks[i].pid, .task = 64,
		};

		assert_int_equal(write(kernel.snapshot, &record, sizeof(record)), sizeof(record));
	}
	if (!in_first_pid_namespace()) {
		assert_int_equal(proclife_source_snapshot(source), -EXDEV);
		return;
	}
	assert_int_equal(proclife_source_snapshot(source), 0);
	for (size_t i = 0; i < 4; i++) {
		await(&event);
		assert_non_null(event.record);
		assert_int_equal(event.record->pid, order[i]);
		assert_true(event.record->ts >= last);
		assert_true(event.record->task > 64);
		last = event.record->ts;
	}
}

/*
 * What is wrong
 */

#define HEADER(name, member, value, error)                      \
	static void name(struct proclife_bpf_header *h)         \
	{                                                       \
		h->member = (value);                            \
	}
#define HEADERS                                                                                     \
	HEADER(no_magic, header.magic, 0, -ENODEV)                                                  \
	HEADER(other_magic, header.magic, PROCLIFE_MAGIC + 1, -ENODEV)                              \
	HEADER(later_abi, header.abi_version, PROCLIFE_ABI_VERSION + 1, -EPROTO)                    \
	HEADER(earlier_abi, header.abi_version, PROCLIFE_ABI_VERSION - 1, -EPROTO)                  \
	HEADER(other_layout, layout, PROCLIFE_BPF_LAYOUT + 1, -EPROTO)                              \
	HEADER(short_records, header.record_bytes, 120, -EPROTO)                                    \
	HEADER(long_records, header.record_bytes, 136, -EPROTO)                                     \
	HEADER(no_cpus, header.cpus, 0, -EPROTO)                                                    \
	HEADER(many_cpus, header.cpus, 8193, -EPROTO)                                               \
	HEADER(most_cpus, header.cpus, UINT32_MAX, -EPROTO)                                         \
	HEADER(map_in_header, header.cpu_map_offset, sizeof(*h) - 8, -EPROTO)                       \
	HEADER(uneven_map, header.cpu_map_offset, sizeof(*h) + 4, -EPROTO)                          \
	HEADER(map_behind, header.cpu_map_offset, PROCLIFE_BPF_HEADER_BYTES, -EPROTO)               \
	HEADER(map_far_behind, header.cpu_map_offset, UINT32_MAX - 7, -EPROTO)                      \
	HEADER(fewer_types, header.types, PROCLIFE_TYPES - 1, -EPROTO)                              \
	HEADER(more_types, header.types, UINT32_MAX, -EPROTO)                                       \
	HEADER(uneven_counts, header.counts_offset, h->header.counts_offset + 4, -EPROTO)           \
	HEADER(counts_in_positions, header.counts_offset, 8, -EPROTO)                               \
	HEADER(counts_behind, header.counts_offset, PROCLIFE_BPF_PAGE_BYTES, -EPROTO)               \
	HEADER(uneven_suppressed, header.suppressed_offset, h->header.suppressed_offset + 1, -EPROTO) \
	HEADER(suppressed_in_positions, header.suppressed_offset, 0, -EPROTO)                       \
	HEADER(suppressed_behind, header.suppressed_offset, UINT32_MAX - 7, -EPROTO)                \
	HEADER(no_ring, rings, 0, -EPROTO)                                                          \
	HEADER(one_ring, rings, 1, -EPROTO)                                                         \
	HEADER(many_rings, rings, PROCLIFE_BPF_MOST_RINGS + 1, -EPROTO)                             \
	HEADER(most_rings, rings, UINT32_MAX, -EPROTO)                                              \
	HEADER(odd_size, ring[0].records, 15, -EPROTO)                                              \
	HEADER(size_behind, ring[2].records, 64, -EPROTO)                                           \
	HEADER(size_overflows, ring[0].records, 1ULL << 57, -EPROTO)                                \
	HEADER(size_nearly_overflows, ring[0].records, 1ULL << 56, -EPROTO)                         \
	HEADER(uneven_ring, ring[0].offset, 8, -EPROTO)                                             \
	HEADER(ring_behind, ring[0].offset, h->ring_bytes, -EPROTO)                                 \
	HEADER(ring_reaches_behind, ring[2].offset, h->ring[2].offset + 64, -EPROTO)                \
	HEADER(ring_far_behind, ring[0].offset, UINT64_MAX - 63, -EPROTO)                           \
	HEADER(few_bytes, ring_bytes, 1024, -EPROTO)                                                \
	HEADER(no_bytes, ring_bytes, 0, -EPROTO)                                                    \
	HEADER(many_bytes, ring_bytes, h->ring_bytes + 4096, -EPROTO)                               \
	HEADER(most_bytes, ring_bytes, UINT64_MAX, -EPROTO)

HEADERS

static void endless_release(struct proclife_bpf_header *h)
{
	memset(h->header.release, 'x', sizeof(h->header.release));
}

static void endless_version(struct proclife_bpf_header *h)
{
	memset(h->header.version, 'x', sizeof(h->header.version));
}

#undef HEADER
#define HEADER(name, member, value, error) { #name, name, error },

static const struct {
	const char *name;
	void (*change)(struct proclife_bpf_header *header);
	int error;
} headers[] = {
	HEADERS { "endless_release", endless_release, -EPROTO }, { "endless_version", endless_version, -EPROTO },
};

static void test_headers(void **state)
{
	struct proclife_bpf_header good = *fake->header;

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		int err;

		headers[i].change(fake->header);
		err = try_open();
		if (err != headers[i].error)
			fail_msg("%s: %d, not %d", headers[i].name, err, headers[i].error);
		assert_null(source);
		*fake->header = good;
	}
	open_source();
}

/* A ring that ends with its CPU's memory, and counts that end with its page, are right. */
static void test_edges(void **state)
{
	(void)state;
	fake->header->header.counts_offset = PROCLIFE_BPF_PAGE_BYTES - 8 * PROCLIFE_TYPES;
	fake->header->header.suppressed_offset = sizeof(struct proclife_ring_ctl);
	fake->header->header.cpu_map_offset = PROCLIFE_BPF_HEADER_BYTES - 8;
	*(uint64_t *)((char *)fake->header + fake->header->header.cpu_map_offset) = 1;
	open_source();
	fake_rings_write(fake, 0, 2, proclife_source_now(source));
	expect_no_skips();
	assert_null(proclife_source_ring(source, 1));
	assert_int_equal(proclife_source_ring(source, 0)->commit, 2);
}

/* Sizes that change after they were checked are ignored. */
static void test_header_changes(void **state)
{
	(void)state;
	open_source();
	fake->header->rings = 1000;
	fake->header->ring[0].offset = 1ULL << 50;
	fake->header->ring[0].records = 1ULL << 50;
	fake->header->header.cpus = 1U << 30;
	fake->header->header.cpu_map_offset = 1U << 31;
	proclife_store_release(&fake->header->header.generation, 99);
	expect_no_skips();
	assert_null(proclife_source_ring(source, CPUS));
}

/* Maps that are no load's: they would be read beyond their end, or the kernel would write beyond ours. */
static void test_maps(void **state)
{
	int fd = fake->fds[1];

	(void)state;
	kernel.header_value = sizeof(struct proclife_bpf_header) - 1;
	assert_int_equal(try_open(), -ENODEV);
	kernel.header_value = 0;
	kernel.cpu_value = (uint32_t)fake->header->ring_bytes - 1;
	assert_int_equal(try_open(), -EPROTO);
	kernel.cpu_value = 0;
	fake->fds[1] = -1;
	assert_int_equal(try_open(), -ENOENT);
	fake->fds[1] = fd;
	open_source();
}

/*
 * Pins
 */

/* As many pins as there are programs, in a folder of this name. */
static void make_pins(const char *folder, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 0; i < PROGRAMS; i++) {
		snprintf(path, sizeof(path), "%s/%s/%d", folder, name, i);
		close(creat(path, 0600));
	}
}

static void remove_pins(const char *folder, const char *name)
{
	char path[64];

	for (int i = 0; i < PROGRAMS; i++) {
		snprintf(path, sizeof(path), "%s/%s/%d", folder, name, i);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	rmdir(path);
}

static int count_descriptors(int of)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += is_same(fd, of);
	return count;
}

static void test_pins(void **state)
{
	static const char *const names[] = { PROCLIFE_BPF_UNRINGED, "1", "0" };
	char folder[] = "/tmp/proclife-pins-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	kernel.no_pin = PROCLIFE_BPF_HEADER;
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -ENOENT);
	kernel.no_pin = NULL;
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EUCLEAN);
	make_pins(folder, PROCLIFE_BPF_PROGRAMS);
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EUCLEAN);
	make_pins(folder, PROCLIFE_BPF_LINKS);
	for (size_t i = 0; i < 3; i++) {
		kernel.no_pin = names[i];
		assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EUCLEAN);
	}
	kernel.no_pin = NULL;
	fake->header->links = PROGRAMS + 1;
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EUCLEAN);
	fake->header->links = PROGRAMS;
	fake->header->has_snapshot = 1;
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EUCLEAN);
	fake->header->has_snapshot = 0;
	/* There is no snapshot: there need not be one. */
	assert_int_equal(chmod(folder, 0777), 0); /* anybody could have pinned it */
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), -EPERM);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(proclife_bpf_open_pinned(&source, folder), 0);
	assert_int_equal(proclife_source_snapshot(source), in_first_pid_namespace() ? -ENOTSUP : -EXDEV);
	kernel.misses[0] = kernel.misses[1] = kernel.misses[2] = 1;
	assert_int_equal(await_skips(), PROGRAMS);
	/* What keeps the programs running is open until the source is freed. */
	assert_int_equal(count_descriptors(kernel.links[1]), 2);
	proclife_source_free(source);
	source = NULL;
	assert_int_equal(count_descriptors(kernel.links[1]), 1);
	remove_pins(folder, PROCLIFE_BPF_PROGRAMS);
	remove_pins(folder, PROCLIFE_BPF_LINKS);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BPF_TEST(test_records),
		BPF_TEST(test_skipped),
		BPF_TEST(test_not_to_be_asked),
		BPF_TEST(test_quiet),
		BPF_TEST(test_clock_is_set),
		BPF_TEST(test_snapshot),
		BPF_TEST(test_headers),
		BPF_TEST(test_edges),
		BPF_TEST(test_header_changes),
		BPF_TEST(test_maps),
		BPF_TEST(test_pins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
