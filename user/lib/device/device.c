// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The device as a source: opening, validating and mapping it, and sleeping. A plain file
 * with the device's layout works, too: it can be read, but not waited for.
 */
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <proclife/ring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS UINT64_C(1000000000)
#define QUIET_ROUND_NS UINT64_C(100000000)

/* The writers' own clock. CLOCK_MONOTONIC in user space is a different one, see ring.h. */
static void ask_device(struct proclife_clock *clock, void *arg)
{
	const struct proclife_device *device = arg;

	ioctl(device->fd, PROCLIFE_IOC_CLOCK, clock);
}

static void ask_kernel(struct proclife_clock *clock, void *arg)
{
	(void)arg;
	clock->now = proclife_monotonic();
}

/*
 * A plain file has no ioctl for its writers' clock, so that has to be our clock. In another time
 * namespace it is not, and the offset is unknown.
 */
static int choose_clock(struct proclife_device *device)
{
	struct proclife_clock clock = {
		.to_boottime = device->header.to_boottime,
		.to_realtime = device->header.to_realtime,
	};
	struct stat st;

	if (device->pollable) {
		device->clock = ask_device;
		device->clock_arg = device;
		if (ioctl(device->fd, PROCLIFE_IOC_CLOCK, &clock))
			return errno == ENOTTY ? -EPROTO : -errno;
		/* The header's are of the last open by any process. */
		device->header.to_boottime = clock.to_boottime;
		device->header.to_realtime = clock.to_realtime;
		return 0;
	}
	device->clock = ask_kernel;
	if (!stat("/proc/self/ns/time", &st) && st.st_ino != INITIAL_TIME_NAMESPACE)
		return -ENOTSUP;
	return 0;
}

static void nap(uint64_t ns)
{
	struct timespec ts = { .tv_sec = 0, .tv_nsec = (long)ns };

	nanosleep(&ts, NULL);
}

static struct proclife_device *device_of(struct proclife_source *source)
{
	return (struct proclife_device *)source;
}

/* Does it describe only what a mapping of map_bytes, a multiple of the page size, has? */
static bool sizes_fit(const struct proclife_header *header, uint64_t page)
{
	uint64_t records, rings, end;
	uint64_t map_end = header->cpu_map_offset + (header->cpus + 63ULL) / 64 * 8;

	if (header->header_bytes < sizeof(*header) ||
	    header->cpu_map_offset < header->header_bytes || header->cpu_map_offset % 8 ||
	    map_end > header->rings_offset)
		return false;
	if (!header->cpus || header->cpus > PROCLIFE_MAX_CPUS)
		return false;
	if (header->record_bytes < sizeof(struct proclife_record) || header->record_bytes % 8 ||
	    !header->records_per_ring ||
	    header->records_per_ring & (header->records_per_ring - 1))
		return false;
	if (header->rings_offset % page || header->ring_stride % page ||
	    header->records_offset % page ||
	    header->records_offset < sizeof(struct proclife_ring_ctl))
		return false;
	if (__builtin_mul_overflow(header->records_per_ring, header->record_bytes, &records) ||
	    __builtin_add_overflow(records, header->records_offset, &end) ||
	    end > header->ring_stride)
		return false;
	if (__builtin_mul_overflow(header->ring_stride, header->cpus, &rings) ||
	    __builtin_add_overflow(rings, header->rings_offset, &end) || end > header->map_bytes)
		return false;
	return header->map_bytes <= SIZE_MAX / 2;
}

/* Are the counts where no records are, and nothing else of the control page that this version knows? */
static bool counts_fit(const struct proclife_header *header)
{
	const uint32_t offsets[] = { header->counts_offset, header->suppressed_offset };

	for (size_t i = 0; header->types && i < sizeof(offsets) / sizeof(*offsets); i++)
		if (offsets[i] < sizeof(struct proclife_ring_ctl) || offsets[i] % 8 ||
		    offsets[i] + 8ULL * header->types > header->records_offset)
			return false;
	return true;
}

static bool texts_end(const struct proclife_header *header)
{
	return memchr(header->release, 0, sizeof(header->release)) &&
	       memchr(header->version, 0, sizeof(header->version));
}

static int map_device(struct proclife_device *device)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct proclife_header *header = &device->header;
	struct stat st;
	void *map;

	if (fstat(device->fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < page)
		return -ENODEV;
	device->pollable = !S_ISREG(st.st_mode);
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, device->fd, 0);
	if (map == MAP_FAILED)
		return errno == EACCES || errno == EINVAL ? -ENODEV : -errno;
	memcpy(header, map, sizeof(*header));
	munmap(map, page);

	if (header->magic != PROCLIFE_MAGIC)
		return -ENODEV;
	if (header->abi_compatible > PROCLIFE_ABI_VERSION ||
	    header->abi_version < PROCLIFE_ABI_COMPATIBLE || !sizes_fit(header, page) ||
	    !counts_fit(header) || !texts_end(header))
		return -EPROTO;
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < header->map_bytes)
		return -EPROTO;
	map = mmap(NULL, header->map_bytes, PROT_READ, MAP_SHARED, device->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	device->map = map;
	return 0;
}

static void device_free(struct proclife_source *source)
{
	struct proclife_device *device = device_of(source);

	proclife_rings_free(device);
	free(device->snapshot_records);
	free(device->older);
	device->own->free(device);
	if (device->fd >= 0)
		close(device->fd);
	free(device);
}

static int find_rings(struct proclife_device *device, uint32_t cpu, const char **base)
{
	*base = (const char *)device->map + device->header.rings_offset + cpu * device->header.ring_stride;
	return 0;
}

/* Until there is room for all tasks: more can be born until the next attempt. */
static int ask_snapshot(struct proclife_device *device, struct proclife_record **records, size_t *count)
{
	struct proclife_snapshot request = { .capacity = 4096, .record_bytes = sizeof(**records) };

	for (;;) {
		void *more = realloc(*records, (size_t)request.capacity * sizeof(**records));
		int err;

		if (!more)
			return -ENOMEM;
		*records = more;
		request.records = (uintptr_t)more;
		if (!ioctl(device->fd, PROCLIFE_IOC_SNAPSHOT, &request))
			break;
		err = -errno;
		if (err == -EINTR)
			continue;
		if (err != -ENOSPC || request.count > UINT32_MAX / 2)
			return err;
		if (request.count > request.capacity)
			request.capacity = request.count;
		request.capacity += request.capacity / 8 + 64;
	}
	*count = request.count;
	return request.count > request.capacity ? -EPROTO : 0;
}

static void unmap(struct proclife_device *device)
{
	if (device->map)
		munmap(device->map, device->header.map_bytes);
}

static const struct proclife_device_ops module_ops = {
	.find_rings = find_rings,
	.snapshot = ask_snapshot,
	.free = unmap,
};

/* Acknowledges all records up to now, so that poll(2) waits for new ones. */
static void acknowledge(struct proclife_device *device)
{
	uint64_t committed;
	ssize_t ignored;

	if (!device->pollable)
		return;
	ignored = read(device->fd, &committed, sizeof(committed));
	(void)ignored; /* EAGAIN: fewer new records than the watermark, so nothing to acknowledge */
}

static int follow(struct proclife_daytime *clock, uint64_t since, uint64_t offset)
{
	return proclife_daytime_latest(clock) == offset ? 0 : proclife_daytime_change(clock, since, offset);
}

/*
 * Has the clock been set, or the machine been suspended? Records that are yielded from now on are
 * no older than @before, the last horizon. They can have been made before or after that change.
 */
static int follow_clocks(struct proclife_device *device, uint64_t before)
{
	uint64_t since = before > device->opened ? before : device->opened;
	int err = follow(&device->source.daytime, since, device->read.to_realtime);

	return err ? err : follow(&device->source.boottime, since, device->read.to_boottime);
}

/*
 * Acknowledge before taking the horizon. Then each acknowledged record is yielded, or is held back
 * by a write in flight, and the commit of that write makes the descriptor readable. So after a
 * next() that found nothing, the descriptor can be polled at once.
 */
static int device_round(struct proclife_device *device)
{
	uint64_t before = device->source.merge.horizon;
	int err = proclife_rings_round(device);

	return err ? err : follow_clocks(device, before);
}

/*
 * Nothing has to be done at some ticks. A round asks the kernel for what it skipped, program by program, which costs
 * much more than to see that no ring has moved. While none has for a second, that is asked ten times a second.
 */
static bool skip_tick(struct proclife_device *device)
{
	uint64_t now = proclife_monotonic();

	if (proclife_rings_pending(device))
		device->moved = now;
	if (now - device->moved >= QUIET_NS && now - device->looked < QUIET_ROUND_NS)
		return true;
	device->looked = now;
	return false;
}

/* Returns 1: there is something to yield now; 0; or a negative errno. */
static int look(struct proclife_device *device)
{
	const struct proclife_merge *merge = &device->source.merge;
	int err = device_round(device);

	return err ? err : proclife_merge_top(merge) < merge->horizon;
}

static int device_more(struct proclife_source *source)
{
	struct proclife_device *device = device_of(source);
	int ret;

	if (device->ticks) { /* there is another one soon */
		acknowledge(device);
		return skip_tick(device) ? 0 : look(device);
	}
	ret = look(device);
	if (ret)
		return ret;
	acknowledge(device);
	return look(device);
}

static int device_rewind(struct proclife_source *source)
{
	device_of(source)->rewind = true;
	return 0;
}

/* When a wait of @timeout_ms ends; UINT64_MAX: never. */
static uint64_t deadline_of(int timeout_ms)
{
	return timeout_ms < 0 ? UINT64_MAX : proclife_monotonic() + (uint64_t)timeout_ms * 1000000;
}

static int remaining_ms(uint64_t deadline)
{
	uint64_t now, ms;

	if (deadline == UINT64_MAX)
		return -1;
	now = proclife_monotonic();
	if (now >= deadline)
		return 0;
	ms = (deadline - now + 999999) / 1000000;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static int poll_device(struct proclife_device *device, int timeout_ms)
{
	struct pollfd fd = { .fd = device->fd, .events = POLLIN };
	int ret;

	if (!device->pollable) {
		struct timespec ms = { .tv_sec = 0, .tv_nsec = 1000000 };

		if (!timeout_ms)
			return 0;
		return nanosleep(&ms, NULL) ? -errno : 0;
	}
	ret = poll(&fd, 1, timeout_ms);
	if (ret < 0)
		return -errno;
	if (ret && !(fd.revents & POLLIN))
		return -EIO;
	return ret;
}

/* There are records, but the last look found none that can be yielded. They come soon: by a moment's sleep, none spins. */
static void await_horizon(struct proclife_device *device)
{
	if (device->margin && device->source.exhausted)
		nap(device->margin);
	else if (device->held)
		nap(50000); /* let the write in flight finish */
}

static int device_wait(struct proclife_source *source, int timeout_ms)
{
	struct proclife_device *device = device_of(source);
	uint64_t deadline = deadline_of(timeout_ms);

	for (;;) {
		int left, ret;

		/* Before looking at the rings: a record that comes in between ends the poll. */
		acknowledge(device);
		if (proclife_rings_pending(device) >= device->watermark) {
			if (timeout_ms)
				await_horizon(device);
			return 1;
		}
		left = remaining_ms(deadline);
		ret = poll_device(device, left);
		if (ret < 0 || (ret && !device->ticks))
			return ret;
		if (!left || (device->pollable && !ret))
			return 0;
	}
}

static int device_set_watermark(struct proclife_source *source, uint64_t records)
{
	struct proclife_device *device = device_of(source);
	struct proclife_watermark watermark = { .records = records };

	if (device->pollable && !device->ticks && ioctl(device->fd, PROCLIFE_IOC_WATERMARK, &watermark))
		return -errno;
	device->watermark = records;
	return 0;
}

static int device_fd(const struct proclife_source *source)
{
	return ((const struct proclife_device *)source)->fd;
}

/* Sizes and texts as they were validated, and offsets as they were then; counts that change are up to date. */
static const struct proclife_header *device_header(struct proclife_source *source)
{
	struct proclife_device *device = device_of(source);
	const struct proclife_header *now = device->map;

	device->header.generation = proclife_read_once(now->generation);
	if (!device->own->skipped) {
		device->header.reap_missed = proclife_read_once(now->reap_missed);
		device->header.marks_missed = proclife_read_once(now->marks_missed);
	}
	device->header.stopped = proclife_read_once(now->stopped);
	return &device->header;
}

static const struct proclife_ring_ctl *device_ring(struct proclife_source *source, uint32_t cpu)
{
	return proclife_rings_ctl(device_of(source), cpu);
}

static uint64_t device_count(struct proclife_source *source, uint32_t cpu, uint32_t type, bool suppressed)
{
	struct proclife_device *device = device_of(source);
	const struct proclife_header *header = &device->header;

	return proclife_rings_count(device, cpu, suppressed ? header->suppressed_offset : header->counts_offset, type);
}

static uint64_t device_now(const struct proclife_source *source)
{
	const struct proclife_device *device = (const struct proclife_device *)source;

	/* Without the offsets of other clocks, which take many calls. */
	return device->ticks ? proclife_monotonic() : proclife_device_clock(device).now;
}

static const struct proclife_source_ops device_ops = {
	.more = device_more,
	.rewind = device_rewind,
	.snapshot = proclife_device_snapshot,
	.prepend = proclife_device_prepend,
	.wait = device_wait,
	.set_watermark = device_set_watermark,
	.fd = device_fd,
	.now = device_now,
	.header = device_header,
	.ring = device_ring,
	.count = device_count,
	.free = device_free,
};

int proclife_device_open(struct proclife_source **source, const char *path)
{
	struct proclife_device *device = calloc(1, sizeof(*device));
	int err;

	if (!device)
		return -ENOMEM;
	proclife_device_init(device, &module_ops);
	device->fd = open(path ? path : PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	err = device->fd < 0 ? -errno : map_device(device);
	if (!err)
		err = choose_clock(device);
	if (!err) {
		device->only = (struct proclife_ring_place){
			.records_offset = device->header.records_offset,
			.records = device->header.records_per_ring,
		};
		device->places = &device->only;
		device->places_count = 1;
		err = proclife_device_begin(device);
	}
	if (err) {
		proclife_source_free(&device->source);
		return err;
	}
	*source = &device->source;
	return 0;
}

void proclife_device_init(struct proclife_device *device, const struct proclife_device_ops *own)
{
	device->own = own;
	device->source.ops = &device_ops;
	device->source.can_record = true;
	device->watermark = 1;
	device->generation = UINT64_MAX;
	device->fd = -1;
}

int proclife_device_begin(struct proclife_device *device)
{
	int err;

	device->cpus = calloc(device->header.cpus, sizeof(*device->cpus));
	if (device->places_count > 1)
		device->merged = calloc(device->header.cpus, sizeof(*device->merged));
	if (!device->cpus || (device->places_count > 1 && !device->merged))
		return -ENOMEM;
	err = proclife_rings_begin(device);
	if (err)
		return err;
	device->opened = device->read.now;
	device->source.daytime.to_realtime = device->header.to_realtime;
	device->source.boottime.to_realtime = device->header.to_boottime;
	if (device->pollable)
		proclife_boot_id_read(device->source.boot_id);
	return 0;
}

void proclife_device_set_clock(struct proclife_source *source, proclife_clock_fn clock, void *arg)
{
	struct proclife_device *device = device_of(source);

	device->clock = clock;
	device->clock_arg = arg;
	device->opened = 0;
	source->merge.horizon = 0;
	for (size_t i = 0; i < device->rings_count; i++)
		device->rings[i]->floor = 0;
}
