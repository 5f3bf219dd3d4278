// SPDX-License-Identifier: GPL-2.0-only
/* What the device refuses: writers, the wrong user, bad offsets, bad ioctls. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"

static int device;
static size_t page_bytes;
static struct proclife_header header;

static int load_and_open(void **state)
{
	void *page;

	(void)state;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (module_load("ring_kb=64"))
		return -1;
	device = open(PROCLIFE_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -1;
	page = mmap(NULL, sizeof(header), PROT_READ, MAP_SHARED, device, 0);
	if (page == MAP_FAILED)
		return -1;
	memcpy(&header, page, sizeof(header));
	return munmap(page, sizeof(header));
}

static int close_and_unload(void **state)
{
	(void)state;
	close(device);
	return module_unload();
}

static void assert_mmap_fails(size_t bytes, int prot, int flags, off_t offset, int error)
{
	assert_ptr_equal(mmap(NULL, bytes, prot, flags, device, offset), MAP_FAILED);
	assert_int_equal(errno, error);
}

static void test_only_its_owner_opens_it(void **state)
{
	struct stat st;
	int pid, status;

	(void)state;
	assert_int_equal(stat(PROCLIFE_DEVICE, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0400);
	assert_int_equal(st.st_uid, 0);

	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		_exit(open(PROCLIFE_DEVICE, O_RDONLY) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EACCES);
}

/* The result of a child that opens the device as this user: 0 or an error. */
struct reader {
	const char *who;
	bool member, in_user_ns, in_pid_ns;
	uint64_t capabilities; /* while it stays root; 0: it becomes nobody */
	int error, error_of_group; /* where the device is root's, and where a group may read it */
};

#define GROUP 4242
#define NOBODY 65534
#define CAP(n) (1ULL << (n))

static const struct reader readers[] = {
	{ .who = "nobody", .error = EACCES, .error_of_group = EACCES },
	{ .who = "a member of the group", .member = true, .error = EACCES, .error_of_group = 0 },
	{ .who = "one with CAP_PERFMON", .capabilities = CAP(CAP_PERFMON), .error = 0, .error_of_group = 0 },
	{ .who = "one with CAP_SYS_ADMIN", .capabilities = CAP(CAP_SYS_ADMIN), .error = 0, .error_of_group = 0 },
	{ .who = "one with CAP_DAC_READ_SEARCH", .capabilities = CAP(CAP_DAC_READ_SEARCH), .error = EPERM,
	  .error_of_group = EPERM },
	/* A container's root, with a node of its own or the machine's. */
	{ .who = "root with the capabilities of a container", .capabilities = 0xa80425fb, .error = EPERM,
	  .error_of_group = EPERM },
	{ .who = "root of a user namespace", .in_user_ns = true, .capabilities = ~0ULL, .error = EPERM,
	  .error_of_group = EPERM },
	{ .who = "a member in a PID namespace", .member = true, .in_pid_ns = true, .error = EACCES,
	  .error_of_group = EPERM },
	{ .who = "one with CAP_PERFMON in a PID namespace", .in_pid_ns = true,
	  .capabilities = CAP(CAP_PERFMON), .error = 0, .error_of_group = 0 },
};

static void set_capabilities(uint64_t wanted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = (uint32_t)(wanted >> 32 * i);
	if (wanted != ~0ULL && syscall(SYS_capset, &head, data))
		_exit(101);
}

static int open_as(const struct reader *reader, const char *path)
{
	gid_t group = GROUP;
	int status, pid = fork();

	if (!pid) {
		if ((reader->in_user_ns && unshare(CLONE_NEWUSER)) || (reader->in_pid_ns && unshare(CLONE_NEWPID)))
			_exit(102);
		if (!reader->in_user_ns && setgroups(reader->member, &group))
			_exit(103);
		pid = fork(); /* into the namespace */
		if (pid) {
			waitpid(pid, &status, 0);
			_exit(WEXITSTATUS(status));
		}
		if (!reader->capabilities && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(104);
		if (reader->capabilities)
			set_capabilities(reader->capabilities);
		_exit(open(path, O_RDONLY) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void expect_opens(const char *path, bool of_group)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		int expected = of_group ? readers[i].error_of_group : readers[i].error;
		int error = open_as(&readers[i], path);

		if (error != expected)
			fail_msg("%s, %s: %d, not %d", path, readers[i].who, error, expected);
	}
}

/* A mode alone does not let a container read the whole machine; root's grant to a group does. */
static void test_who_may_read(void **state)
{
	static const struct reader member = { .member = true };
	char folder[] = "/tmp/proclife-XXXXXX", own[sizeof(folder) + sizeof("/node")];
	struct stat st;

	(void)state;
	expect_opens(PROCLIFE_DEVICE, false);
	assert_int_equal(chown(PROCLIFE_DEVICE, 0, GROUP), 0);
	assert_int_equal(chmod(PROCLIFE_DEVICE, 0440), 0);
	expect_opens(PROCLIFE_DEVICE, true);
	/* A node elsewhere is no grant by root: a container makes its own. */
	assert_int_equal(stat(PROCLIFE_DEVICE, &st), 0);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(own, sizeof(own), "%s/node", folder);
	assert_int_equal(mknod(own, S_IFCHR | 0440, st.st_rdev), 0);
	assert_int_equal(chown(own, 0, GROUP), 0);
	assert_int_equal(open_as(&member, own), EPERM);
	unlink(own);
	rmdir(folder);
	/* Neither is a mode for all users. */
	assert_int_equal(chmod(PROCLIFE_DEVICE, 0444), 0);
	assert_int_equal(open_as(&readers[0], PROCLIFE_DEVICE), EPERM);
	assert_int_equal(chown(PROCLIFE_DEVICE, 0, 0), 0);
	assert_int_equal(chmod(PROCLIFE_DEVICE, 0400), 0);
}

/* No page of this file is mapped with x, whatever was asked for. */
static void assert_not_executable(const void *map)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], mode[8];
	unsigned long from;
	bool found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %7s", &from, mode) != 2 || from != (unsigned long)map)
			continue;
		found = true;
		assert_string_equal(mode, "r--s");
	}
	fclose(maps);
	assert_true(found);
}

/* With READ_IMPLIES_EXEC, the kernel adds PROT_EXEC whenever a program asks for PROT_READ. */
static void test_is_never_executable(void **state)
{
	void *map;

	(void)state;
	map = mmap(NULL, page_bytes, PROT_READ | PROT_EXEC, MAP_SHARED, device, 0);
	assert_true(map != MAP_FAILED);
	assert_not_executable(map);
	munmap(map, page_bytes);
	assert_true(personality(READ_IMPLIES_EXEC) != -1);
	map = mmap(NULL, page_bytes, PROT_READ, MAP_SHARED, device, 0);
	assert_int_equal(personality(0), READ_IMPLIES_EXEC);
	assert_true(map != MAP_FAILED);
	assert_not_executable(map);
	assert_int_equal(mprotect(map, page_bytes, PROT_READ | PROT_EXEC), -1);
	assert_int_equal(errno, EACCES);
	munmap(map, page_bytes);
}

static void test_cannot_be_mapped_writable(void **state)
{
	void *map;

	(void)state;
	assert_mmap_fails(page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EPERM);
	assert_mmap_fails(page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, EPERM);
	assert_mmap_fails(page_bytes, PROT_WRITE, MAP_SHARED, header.rings_offset, EPERM);

	map = mmap(NULL, page_bytes, PROT_READ, MAP_SHARED, device, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map, page_bytes, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(mprotect(map, page_bytes, PROT_READ | PROT_EXEC), -1);
	assert_int_equal(errno, EACCES);
	munmap(map, page_bytes);

	map = mmap(NULL, page_bytes, PROT_READ, MAP_PRIVATE, device, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map, page_bytes, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(errno, EACCES);
	munmap(map, page_bytes);
}

/* /proc/PID/mem writes where the owner itself may not, if the mapping would let it copy. */
static void test_cannot_be_written_through_proc_mem(void **state)
{
	struct proclife_header *map;
	uint64_t zero = 0;
	int mem;

	(void)state;
	map = mmap(NULL, page_bytes, PROT_READ, MAP_PRIVATE, device, 0);
	assert_true(map != MAP_FAILED);
	assert_true(map->magic == PROCLIFE_MAGIC);
	mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	assert_true(mem >= 0);
	assert_int_equal(pwrite(mem, &zero, sizeof(zero), (off_t)(uintptr_t)&map->magic), -1);
	assert_int_equal(errno, EIO);
	assert_true(map->magic == PROCLIFE_MAGIC);
	close(mem);
	munmap(map, page_bytes);
}

static void test_cannot_be_mapped_beyond_its_end(void **state)
{
	void *map;

	(void)state;
	assert_mmap_fails(header.map_bytes + page_bytes, PROT_READ, MAP_SHARED, 0, EINVAL);
	assert_mmap_fails(2 * page_bytes, PROT_READ, MAP_SHARED, header.map_bytes - page_bytes, EINVAL);
	assert_mmap_fails(page_bytes, PROT_READ, MAP_SHARED, header.map_bytes + page_bytes, EINVAL);
	assert_mmap_fails(page_bytes, PROT_READ, MAP_SHARED, 1ll << 50, EINVAL);

	map = mmap(NULL, header.map_bytes, PROT_READ, MAP_SHARED, device, 0);
	assert_true(map != MAP_FAILED);
	assert_ptr_equal(mremap(map, header.map_bytes, header.map_bytes + page_bytes, MREMAP_MAYMOVE),
			 MAP_FAILED);
	munmap(map, header.map_bytes);
}

static sigjmp_buf after_fault;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(after_fault, 1);
}

/* CPUs that can come but never did have no ring. */
static void test_an_absent_ring_is_a_bus_error(void **state)
{
	const uint64_t *map, *cpu_map;
	volatile uint32_t cpu;

	(void)state;
	map = mmap(NULL, header.map_bytes, PROT_READ, MAP_SHARED, device, 0);
	assert_true(map != MAP_FAILED);
	cpu_map = (const void *)((const char *)map + header.cpu_map_offset);
	signal(SIGBUS, on_fault);
	for (cpu = 0; cpu < header.cpus; cpu++) {
		const char *ring = (const char *)map + header.rings_offset +
				   cpu * header.ring_stride;
		bool there = cpu_map[cpu / 64] >> cpu % 64 & 1;
		volatile bool touched = false;

		if (!sigsetjmp(after_fault, 1)) {
			(void)*(const volatile char *)ring;
			(void)*(const volatile char *)(ring + header.ring_stride - 1);
			touched = true;
		}
		assert_int_equal(touched, there);
	}
	signal(SIGBUS, SIG_DFL);
	munmap((void *)map, header.map_bytes);
}

static void test_ioctls_refuse_what_they_do_not_know(void **state)
{
	struct proclife_watermark watermark = { .records = 1 };
	struct proclife_snapshot snapshot = { .record_bytes = sizeof(struct proclife_record), .reserved = 1 };
	static const uint32_t bad_sizes[] = { 0, 8, 120, 127, 132, 4104, UINT32_MAX };
	struct proclife_record record;
	size_t i;

	(void)state;
	assert_int_equal(ioctl(device, _IO(PROCLIFE_IOC, 0)), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(ioctl(device, _IOW(PROCLIFE_IOC, 1, uint32_t), &watermark), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(ioctl(device, _IO(PROCLIFE_IOC, 99)), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(ioctl(device, PROCLIFE_IOC_CLOCK, NULL), -1);
	assert_int_equal(errno, EFAULT);

	assert_int_equal(ioctl(device, PROCLIFE_IOC_WATERMARK, &watermark), 0);
	watermark.reserved = 1;
	assert_int_equal(ioctl(device, PROCLIFE_IOC_WATERMARK, &watermark), -1);
	assert_int_equal(errno, EINVAL);
	watermark = (struct proclife_watermark){ .records = 0 };
	assert_int_equal(ioctl(device, PROCLIFE_IOC_WATERMARK, &watermark), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ioctl(device, PROCLIFE_IOC_WATERMARK, NULL), -1);
	assert_int_equal(errno, EFAULT);

	assert_int_equal(ioctl(device, PROCLIFE_IOC_SNAPSHOT, &snapshot), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ioctl(device, PROCLIFE_IOC_SNAPSHOT, NULL), -1);
	assert_int_equal(errno, EFAULT);
	for (i = 0; i < sizeof(bad_sizes) / sizeof(*bad_sizes); i++) {
		snapshot = (struct proclife_snapshot){ .record_bytes = bad_sizes[i] };
		assert_int_equal(ioctl(device, PROCLIFE_IOC_SNAPSHOT, &snapshot), -1);
		assert_int_equal(errno, EINVAL);
	}
	snapshot = (struct proclife_snapshot){ .capacity = 100000, .records = 8, .record_bytes = sizeof(record) };
	assert_int_equal(ioctl(device, PROCLIFE_IOC_SNAPSHOT, &snapshot), -1);
	assert_int_equal(errno, EFAULT);
	snapshot = (struct proclife_snapshot){
		.capacity = 1, .records = (uintptr_t)&record, .record_bytes = sizeof(record),
	};
	assert_int_equal(ioctl(device, PROCLIFE_IOC_SNAPSHOT, &snapshot), -1);
	assert_int_equal(errno, ENOSPC);
	assert_true(snapshot.count > 1);
}

static void test_short_reads_are_refused(void **state)
{
	uint32_t half;

	(void)state;
	assert_int_equal(read(device, &half, sizeof(half)), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(device, &half, sizeof(half)), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(device, 8, SEEK_SET), -1);
	assert_int_equal(errno, ESPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_its_owner_opens_it),
		cmocka_unit_test(test_who_may_read),
		cmocka_unit_test(test_cannot_be_mapped_writable),
		cmocka_unit_test(test_is_never_executable),
		cmocka_unit_test(test_cannot_be_written_through_proc_mem),
		cmocka_unit_test(test_cannot_be_mapped_beyond_its_end),
		cmocka_unit_test(test_an_absent_ring_is_a_bus_error),
		cmocka_unit_test(test_ioctls_refuse_what_they_do_not_know),
		cmocka_unit_test(test_short_reads_are_refused),
	};

	return cmocka_run_group_tests(tests, load_and_open, close_and_unload);
}
