// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device that lies: a file with the device's layout, into whose header, CPU map, control pages and
 * records the input writes, before it is opened and while it is read. What is read is recorded, and
 * the recording is read, too. An input is a list of steps, each of them a byte and its arguments:
 *
 *   0 an aligned word of the header page gets a value     4 an honest record is written to a ring
 *   1 a word of a ring's control page gets a value        5 events are read
 *   2 a word of a record gets a value                     6 time passes
 *   3 a small value is added to a position                7 other things that a program can ask
 *
 * The source is opened by the first step above 4, or at the end. The first byte says: bits 0-1, how
 * many CPUs; 2, whether their rings exist; 3-4, how large they are; 5, whether it is rewound; 6,
 * whether there is a snapshot; 7, whether it is recorded.
 */
#include <recording/ctf.h>
#include <device/device.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <proclife.h>
#include <proclife/ring.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096
#define MAX_STEPS 400

static struct input {
	const uint8_t *at;
	size_t left;
} input;

static struct machine {
	int fd;
	char path[64];
	char *map;
	size_t bytes;
	struct proclife_header header; /* as it should be */
	struct proclife_ring rings[4];
	uint64_t now;
	bool snapshot;
	bool record;
	bool rewind;
	struct proclife_source *source;
	struct proclife_recorder *recorder;
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	struct proclife_latency *latency;
} machine;

static char dir[64];

static uint64_t take(size_t bytes)
{
	uint64_t value = 0;

	if (bytes > input.left)
		bytes = input.left;
	if (bytes)
		memcpy(&value, input.at, bytes);
	input.at += bytes;
	input.left -= bytes;
	return value;
}

/* A number that programs get wrong: a small one, one near a power of two, or any. */
static uint64_t take_value(void)
{
	uint8_t how = take(1);

	switch (how & 3) {
	case 0:
		return how >> 2;
	case 1:
		return (1ULL << (how >> 2)) + (int8_t)take(1);
	case 2:
		return take(2);
	default:
		return take(8);
	}
}

/* Stands in for the snapshot, which a plain file does not have. */
int ioctl(int fd, unsigned long request, ...)
{
	struct proclife_snapshot *snapshot;
	struct proclife_record *records;
	va_list args;

	(void)fd;
	va_start(args, request);
	snapshot = va_arg(args, void *);
	va_end(args);
	if (request != PROCLIFE_IOC_SNAPSHOT || !machine.snapshot) {
		errno = ENOTTY;
		return -1;
	}
	records = (struct proclife_record *)(uintptr_t)snapshot->records;
	snapshot->count = take(1); /* below any capacity */
	memset(records, 0, snapshot->count * sizeof(*records));
	for (uint32_t i = 0; i < snapshot->count; i++) {
		records[i].ts = i;
		records[i].type = PROCLIFE_TASK;
		records[i].task = take(1);
		records[i].pid = take(1);
		records[i].tgid = take(1);
	}
	if (!(snapshot->count & 1))
		return 0;
	snapshot->count = snapshot->count & 2 ? take(2) : take(4);
	errno = ENOSPC;
	return snapshot->count > 20000 ? 0 : -1; /* too many is a lie, or costs memory */
}

static void read_clock(struct proclife_clock *clock, void *arg)
{
	(void)arg;
	clock->now = machine.now;
}

static void remove_dir(void)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(dir);
}

static void begin(uint8_t how)
{
	uint32_t cpus = 1 + (how & 3);
	struct proclife_header header = {
		.magic = PROCLIFE_MAGIC,
		.abi_version = PROCLIFE_ABI_VERSION,
		.abi_compatible = PROCLIFE_ABI_COMPATIBLE,
		.header_bytes = sizeof(header),
		.record_bytes = sizeof(struct proclife_record),
		.rings_offset = PAGE,
		.records_offset = PAGE,
		.records_per_ring = 1ULL << 2 * (how >> 3 & 3),
		.cpus = cpus,
		.cpu_map_offset = sizeof(header),
		.generation = 1,
		.features = PROCLIFE_KNOWN_TYPES,
		.release = "6.1.0-test",
		.version = "0.0",
	};

	if (!dir[0]) {
		snprintf(dir, sizeof(dir), "/dev/shm/proclife-fuzz-device-%d", getpid());
		atexit(remove_dir);
	}
	header.ring_stride = PAGE + (header.records_per_ring * sizeof(struct proclife_record) +
				     PAGE - 1) / PAGE * PAGE;
	header.map_bytes = header.rings_offset + cpus * header.ring_stride;
	machine = (struct machine){
		.header = header,
		.bytes = header.map_bytes,
		.fd = memfd_create("fuzz", MFD_CLOEXEC),
		.snapshot = how & 64,
		.record = how & 128,
		.rewind = how & 32,
		.now = 1,
	};
	if (machine.fd < 0 || ftruncate(machine.fd, (off_t)machine.bytes))
		abort();
	snprintf(machine.path, sizeof(machine.path), "/proc/self/fd/%d", machine.fd);
	machine.map = mmap(NULL, machine.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, machine.fd, 0);
	if (machine.map == MAP_FAILED)
		abort();
	memcpy(machine.map, &header, sizeof(header));
	if (how & 4)
		*(uint64_t *)(machine.map + sizeof(header)) = (1ULL << cpus) - 1;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		char *base = machine.map + header.rings_offset + cpu * header.ring_stride;

		machine.rings[cpu] = (struct proclife_ring){
			.page = (struct proclife_ring_page *)base,
			.records = (struct proclife_record *)(base + header.records_offset),
			.mask = header.records_per_ring - 1,
			.wake_at = PROCLIFE_RING_NEVER,
			.is_read = 1,
		};
	}
}

/* Return: is the source open, so that steps can go on? */
static bool open_source(void)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };

	if (machine.source)
		return true;
	if (proclife_device_open(&machine.source, machine.path))
		return false;
	proclife_device_set_clock(machine.source, read_clock, NULL);
	if (proclife_tasks_new(&machine.tasks, NULL) ||
	    proclife_tree_new(&machine.tree, machine.tasks) ||
	    proclife_latency_new(&machine.latency, machine.tasks, false))
		abort();
	if (machine.record) {
		remove_dir();
		if (proclife_recorder_new(&machine.recorder, machine.source, dir, &run))
			abort();
	}
	if (machine.rewind)
		proclife_source_rewind(machine.source);
	if (machine.snapshot)
		proclife_source_snapshot(machine.source);
	return true;
}

static void read_events(unsigned int limit)
{
	struct proclife_event event;

	while (limit--) {
		int ret = proclife_source_next(machine.source, &event);

		if (ret < 0)
			abort();
		if (!ret)
			return;
		if (proclife_tasks_feed(machine.tasks, &event) < 0)
			abort();
	}
}

static void ask(uint8_t what)
{
	const struct proclife_header *header = proclife_source_header(machine.source);
	const struct proclife_ring_ctl *ctl;

	/* Programs rely on what was validated at open. */
	if (memcmp(&header->magic, &machine.header.magic, 8) || !header->cpus ||
	    header->cpus > PROCLIFE_MAX_CPUS ||
	    !memchr(header->release, 0, sizeof(header->release)) ||
	    !memchr(header->version, 0, sizeof(header->version)))
		abort();
	switch (what & 3) {
	case 0:
		proclife_source_wait(machine.source, 0);
		break;
	case 1:
		for (uint32_t cpu = 0; cpu < header->cpus + 1; cpu++) {
			ctl = proclife_source_ring(machine.source, cpu);
			if (ctl)
				(void)*(const volatile __u64 *)&ctl->suppressing;
			for (uint32_t type = 0; type < PROCLIFE_TYPES; type++)
				(void)(proclife_source_count(machine.source, cpu, type) +
				       proclife_source_suppressed(machine.source, cpu, type));
		}
		break;
	case 2:
		if (machine.recorder)
			proclife_recorder_sync(machine.recorder);
		break;
	case 3:
		proclife_source_set_watermark(machine.source, take_value());
		break;
	}
}

static void step(void)
{
	uint8_t code = take(1);
	struct proclife_ring *ring = &machine.rings[(code >> 3 & 3) % machine.header.cpus];
	uint64_t *words;

	switch (code & 7) {
	case 0:
		words = (uint64_t *)machine.map;
		words += take(1) % (sizeof(struct proclife_header) / 8 + 2);
		if (code & 64)
			*(uint32_t *)((char *)words + (code >> 5 & 4)) = (uint32_t)take_value();
		else
			*words = take_value();
		break;
	case 1:
		*(code & 32 ? &ring->page->ctl.reserve : &ring->page->ctl.commit) = take_value();
		break;
	case 2:
		words = (uint64_t *)&ring->records[take(1) & ring->mask];
		words[code >> 5 | (take(1) & 1) << 3] = take_value();
		break;
	case 3:
		*(code & 32 ? &ring->page->ctl.reserve : &ring->page->ctl.commit) += (uint64_t)(int8_t)take(1);
		break;
	case 4: {
		struct proclife_record *record = proclife_ring_reserve(ring);
		uint8_t type = take(1);

		memset(record, 0, sizeof(*record));
		record->ts = code & 32 ? ++machine.now : machine.now;
		record->type = type & 0xf;
		record->cpu = (uint16_t)(ring - machine.rings);
		record->task = type >> 4;
		record->pid = record->tgid = type >> 4;
		record->words[0] = take(1) & 0xf;
		record->words[1] = type >> 4;
		proclife_ring_commit(ring, record->type);
		break;
	}
	case 5:
		if (open_source())
			read_events(code >> 3);
		break;
	case 6:
		machine.now += take_value();
		break;
	case 7:
		if (open_source())
			ask(code >> 3);
		break;
	}
}

static void end(void)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .ended = machine.now };
	struct proclife_source *recording;
	struct proclife_fault fault;
	struct proclife_event event;

	if (machine.source) {
		proclife_tasks_close(machine.tasks);
		if (machine.recorder) {
			proclife_recorder_finish(machine.recorder, &run);
			proclife_recorder_free(machine.recorder);
			if (proclife_recording_open(&recording, dir, &fault)) {
				if (!fault.text[0])
					abort();
			} else {
				while (proclife_source_next(recording, &event) == 1)
					;
				proclife_source_free(recording);
			}
		}
		proclife_latency_free(machine.latency);
		proclife_tree_free(machine.tree);
		proclife_tasks_free(machine.tasks);
		proclife_source_free(machine.source);
	}
	munmap(machine.map, machine.bytes);
	close(machine.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	input = (struct input){ data, size };
	begin(take(1));
	for (unsigned int i = 0; i < MAX_STEPS && input.left; i++)
		step();
	if (open_source())
		read_events(100);
	end();
	return 0;
}
