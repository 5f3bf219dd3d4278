// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation and each user copy of the module fails in turn: the operation fails cleanly or
 * does without, and leaves nothing behind. For a kernel that injects faults: tests/faults/run.
 */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "faults.h"
#include "module.h"
#include "reading.h"

#define REQUIRED                                                          \
	(PROCLIFE_HAS(PROCLIFE_FORK) | PROCLIFE_HAS(PROCLIFE_EXIT) | \
	 PROCLIFE_HAS(PROCLIFE_FREE))
/* Those that come from hooks; the others come from tracepoints. */
#define HOOKED                                                                                     \
	(PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_MM) | PROCLIFE_HAS(PROCLIFE_COREDUMP) | \
	 PROCLIFE_HAS(PROCLIFE_NOTIFY) | PROCLIFE_HAS(PROCLIFE_REAP))

static void *image;
static size_t image_bytes;

/* The module in memory, so that each load takes the same way. */
static int read_image(void **state)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct kmod_module *module;
	struct stat st;
	int fd;

	(void)state;
	if (!faults_possible())
		return 0;
	if (!ctx || kmod_module_new_from_name(ctx, "proclife", &module))
		return -1;
	fd = open(kmod_module_get_path(module), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	image_bytes = st.st_size;
	image = malloc(image_bytes);
	if (!image || read(fd, image, image_bytes) != st.st_size)
		return -1;
	close(fd);
	kmod_module_unref(module);
	kmod_unref(ctx);
	return 0;
}

static int load_with(const char *parameters)
{
	return syscall(SYS_init_module, image, image_bytes, parameters) ? -errno : 0;
}

static int load(void)
{
	return load_with("ring_kb=16");
}

static int load_for_tests(void **state)
{
	(void)state;
	return faults_possible() ? load() : 0;
}

static int unload_after_tests(void **state)
{
	(void)state;
	return faults_possible() ? module_unload() : 0;
}

static void need_faults(void)
{
	if (!faults_possible())
		skip();
}

static struct proclife_header header_now(void)
{
	struct proclife_source *source = open_source();
	struct proclife_header header = *proclife_source_header(source);

	proclife_source_free(source);
	return header;
}

static uint64_t all_features;
static unsigned int without[64];

/* The header's features are the records that are made. */
static void loaded_or_not(int ret, bool fault)
{
	struct proclife_header header;
	uint64_t seen, missing;
	unsigned int type;

	assert_int_equal(module_loaded(), !ret);
	if (ret)
		return;
	header = header_now();
	seen = records_of_a_child();
	missing = all_features & ~header.features;
	assert_int_equal(header.features & REQUIRED, REQUIRED);
	assert_int_equal(seen & REQUIRED, REQUIRED);
	assert_int_equal(seen & ~header.features, 0);
	assert_int_equal(seen & PROCLIFE_HAS(PROCLIFE_REAP),
			 header.features & PROCLIFE_HAS(PROCLIFE_REAP));
	assert_int_equal(seen & PROCLIFE_HAS(PROCLIFE_EXEC),
			 header.features & PROCLIFE_HAS(PROCLIFE_EXEC));
	assert_int_equal(!(header.features & PROCLIFE_HAS(PROCLIFE_REAP)),
			 header.reap_source == PROCLIFE_REAP_NONE);
	assert_true(fault || !missing);
	for (type = 0; type < 64; type++)
		without[type] += missing >> type & 1;
	assert_int_equal(module_unload(), 0);
}

static void load_with_faults(const char *name)
{
	unsigned int type;

	assert_int_equal(load(), 0);
	all_features = header_now().features;
	assert_int_equal(module_unload(), 0);

	memset(without, 0, sizeof(without));
	assert_true(faults_in_init(name, load, loaded_or_not).failed > 20);
	for (type = 0; type < 64; type++)
		if (without[type])
			print_message("loaded without type %u: %u times\n", type, without[type]);
	/* What the hooks allocate is tried twice. */
	for (type = 0; type < 64; type++)
		assert_false(without[type] && HOOKED >> type & 1);
}

static void test_loading(void **state)
{
	(void)state;
	need_faults();
	load_with_faults("loading");
}

/* Without page allocations, the n-th is the same at each load: each fails once, so each kind is missing once. */
static void test_loading_pages_apart(void **state)
{
	uint64_t optional;
	unsigned int type;

	(void)state;
	need_faults();
	faults_of_pages(false);
	load_with_faults("loading, pages apart");
	faults_of_pages(true);
	/* SUPPRESSED has no source of its own: it is there with any of the types that have a budget. */
	optional = all_features & ~(REQUIRED | HOOKED | PROCLIFE_HAS(PROCLIFE_SUPPRESSED));
	for (type = 0; type < 64; type++)
		assert_int_equal(without[type] > 0, optional >> type & 1);
}

static int fd;

static int open_device(void)
{
	fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static void close_if_open(int ret, bool fault)
{
	(void)fault;
	if (!ret)
		close(fd);
}

static void test_opening(void **state)
{
	(void)state;
	need_faults();
	assert_true(faults_everywhere("opening", open_device, close_if_open).failed > 1);
}

static struct proclife_record *records;
static struct proclife_snapshot snapshot;

static int take_snapshot(void)
{
	snapshot = (struct proclife_snapshot){
		.capacity = 4096, .records = (uintptr_t)records, .record_bytes = sizeof(*records),
	};
	return ioctl(fd, PROCLIFE_IOC_SNAPSHOT, &snapshot) ? -errno : 0;
}

static void check_snapshot(int ret, bool fault)
{
	unsigned int i, own = 0;

	(void)fault;
	if (ret)
		return;
	for (i = 0; i < snapshot.count; i++)
		own += records[i].pid == (uint32_t)getpid();
	assert_int_equal(own, 1);
}

static struct proclife_watermark watermark;

static int set_watermark(void)
{
	watermark.records = 1;
	return ioctl(fd, PROCLIFE_IOC_WATERMARK, &watermark) ? -errno : 0;
}

static void nothing(int ret, bool fault)
{
	(void)ret;
	(void)fault;
}

static void test_ioctls(void **state)
{
	(void)state;
	need_faults();
	assert_int_equal(open_device(), 0);
	records = calloc(4096, sizeof(*records));
	assert_non_null(records);
	memset(records, 0, 4096 * sizeof(*records)); /* present, so that no page fault counts */
	/* Both copies to user space and the one from it, the list's memory and each page of it. */
	assert_true(faults_everywhere("snapshot", take_snapshot, check_snapshot).failed > 3);
	assert_true(faults_everywhere("watermark", set_watermark, nothing).failed == 1);
	free(records);
	close(fd);
}

static uint64_t acked;

static int read_count(void)
{
	return read(fd, &acked, sizeof(acked)) == sizeof(acked) ? 0 : -errno;
}

/* A failed read has acknowledged nothing: there is still something to read. */
static void still_readable(int ret, bool fault)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)fault;
	if (ret)
		assert_int_equal(poll(&p, 1, 0), 1);
	else
		fork_once(0);
}

static void test_reading(void **state)
{
	(void)state;
	need_faults();
	assert_int_equal(open_device(), 0);
	fork_once(0);
	assert_true(faults_everywhere("reading", read_count, still_readable).failed == 1);
	close(fd);
}

static const struct proclife_header *map;

static int map_device(void)
{
	map = mmap(NULL, sizeof(*map), PROT_READ, MAP_SHARED, fd, 0);
	return map == MAP_FAILED ? -errno : 0;
}

static void unmap_device(int ret, bool fault)
{
	(void)fault;
	if (ret)
		return;
	assert_true(map->magic == PROCLIFE_MAGIC);
	munmap((void *)map, sizeof(*map));
}

static void test_mapping(void **state)
{
	(void)state;
	need_faults();
	assert_int_equal(open_device(), 0);
	assert_true(faults_everywhere("mapping", map_device, unmap_device).failed > 0);
	close(fd);
}

static int last_cpu, target = -1;

/* The numbers of the module's hotplug state and of the one before it, as text. */
static char own_state[16], state_before[16];

static void find_states(void)
{
	FILE *states = fopen("/sys/devices/system/cpu/hotplug/states", "re");
	char number[16], name[64];

	assert_non_null(states);
	*own_state = '\0';
	/* The states are in order; unused ones are missing. */
	while (!*own_state && fscanf(states, " %15[0-9]: %63s", number, name) == 2)
		strcpy(strcmp(name, "proclife:prepare") ? state_before : own_state, number);
	fclose(states);
	assert_true(*own_state);
}

static int go_to(const char *hotplug_state)
{
	ssize_t len = strlen(hotplug_state);

	return pwrite(target, hotplug_state, len, 0) == len ? 0 : -errno;
}

/* The module's step of bringing a CPU up; it runs in the thread that asks for it. */
static int bring_up(void)
{
	return go_to(own_state);
}

static bool has_ring(int cpu)
{
	struct proclife_source *source = open_source();
	bool has = proclife_source_ring(source, cpu);

	proclife_source_free(source);
	return has;
}

/* Whether it came up or not, it can be brought up all the way; the next round begins without a ring. */
static void up_or_not(int ret, bool fault)
{
	(void)fault;
	assert_int_equal(has_ring(last_cpu), !ret);
	assert_int_equal(cpu_set_online(last_cpu, true), 0);
	assert_true(has_ring(last_cpu));
	assert_int_equal(cpu_set_online(last_cpu, false), 0);
	assert_int_equal(module_unload(), 0);
	assert_int_equal(load(), 0);
	assert_false(has_ring(last_cpu));
	find_states();
	assert_int_equal(go_to(state_before), 0);
}

static void test_bringing_a_cpu_up(void **state)
{
	char path[64];

	(void)state;
	need_faults();
	last_cpu = (int)sysconf(_SC_NPROCESSORS_CONF) - 1;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/hotplug/target", last_cpu);
	target = open(path, O_RDWR | O_CLOEXEC);
	assert_true(target >= 0);
	assert_int_equal(module_unload(), 0);
	assert_int_equal(cpu_set_online(last_cpu, false), 0);
	assert_int_equal(load(), 0);
	find_states();
	assert_int_equal(go_to(state_before), 0);

	assert_true(faults_everywhere("bringing a CPU up", bring_up, up_or_not).failed > 1);
	assert_int_equal(cpu_set_online(last_cpu, true), 0);
	close(target);
}

int main(void)
{
	const struct CMUnitTest loading[] = {
		cmocka_unit_test(test_loading),
		cmocka_unit_test(test_loading_pages_apart),
	};
	const struct CMUnitTest loaded[] = {
		cmocka_unit_test(test_opening),
		cmocka_unit_test(test_ioctls),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_mapping),
		cmocka_unit_test(test_bringing_a_cpu_up),
	};

	return cmocka_run_group_tests(loading, read_image, NULL) +
	       cmocka_run_group_tests(loaded, load_for_tests, unload_after_tests);
}
