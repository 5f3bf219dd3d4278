// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rings of BPF programs as a source, where there is no module: see proclife/bpf.h. Nothing here loads a program;
 * what has loaded them hands over their descriptors, or has pinned them in a folder of bpffs.
 */
#include "device/device.h"
#include "device/handles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <proclife/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* How long a reader sleeps between two looks at the rings: a program wakes nobody. */
#define TICK_NS 10000000

/* A clock's offset that is asked for twice differs by this at most, unless the clock was set, or there was a suspend. */
#define OFFSET_NOISE 50000

/* struct bpf_prog_info as far as it is needed, which the headers of older kernels do not have. */
struct program_info {
	char others[208];
	uint64_t recursion_misses;
};

struct fds {
	int *fd;
	size_t count;
};

struct bpf_device {
	struct proclife_device device;
	struct proclife_ring_place places[PROCLIFE_BPF_MOST_RINGS];
	size_t header_size; /* of the mapping */
	size_t ring_bytes;  /* of a CPU's */
	/* Where all is pinned, by its descriptor, so that nobody can put another folder there; or NULL, and the next two. */
	char *folder;
	int folder_fd;
	struct fds rings; /* by CPU: its map; -1: it has none */
	struct fds links; /* as long as these are open, the programs go on, even if their pins are removed */
	int snapshot; /* -1: there is none */
	const uint64_t *unringed; /* mapped */
	char **mapped; /* by CPU */
	struct fds programs;
	uint64_t misses; /* what the kernel skipped of them, as it was last said */
	uint64_t skipped; /* as it was last found */
	uint64_t skipped_at;
};

static struct bpf_device *bpf_of(struct proclife_device *device)
{
	return (struct bpf_device *)device;
}

/*
 * bpf(2)
 */

/* What an initializer of a union does not name, GCC leaves as it was from version 15 on, and the kernel refuses that. */
static void clear(union bpf_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
}

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	long ret = syscall(__NR_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

/* A map that is to be mapped has to be opened for writing, although it is not mapped for that. */
static int open_pin(const char *folder, const char *name, uint32_t flags)
{
	union bpf_attr attr;
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	clear(&attr);
	attr.pathname = (uintptr_t)path;
	attr.file_flags = flags;
	return bpf(BPF_OBJ_GET, &attr);
}

static int info_of(int fd, void *info, uint32_t size)
{
	union bpf_attr attr;

	clear(&attr);
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

/* The map of a CPU's rings, as a descriptor of its own. -ENOENT: it has none. */
static int map_of_cpu(const struct bpf_device *own, uint32_t cpu)
{
	if (cpu >= own->rings.count || own->rings.fd[cpu] < 0)
		return -ENOENT;
	return duplicate(own->rings.fd[cpu]);
}

static int pinned_map(const char *folder, uint32_t cpu)
{
	char name[32];

	snprintf(name, sizeof(name), PROCLIFE_BPF_CPUS "/%u", cpu);
	return open_pin(folder, name, 0);
}

/* The size of the elements of a map that is mapped. */
static int map_bytes(int fd, size_t *size)
{
	struct bpf_map_info info = { 0 };
	int err = info_of(fd, &info, sizeof(info));

	if (err)
		return err;
	*size = (size_t)info.value_size * info.max_entries;
	return *size ? 0 : -ENODEV;
}

static void *map_of(int fd, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

/*
 * What is special about this kind of device
 */

static int find_rings(struct proclife_device *device, uint32_t cpu, const char **base)
{
	struct bpf_device *own = bpf_of(device);

	if (!own->mapped[cpu]) {
		int fd = own->folder ? pinned_map(own->folder, cpu) : map_of_cpu(own, cpu);
		size_t size;
		int err;

		if (fd < 0)
			return fd == -ENOENT && own->folder ? -EUCLEAN : fd;
		err = map_bytes(fd, &size);
		if (!err && size < own->ring_bytes)
			err = -EPROTO;
		if (!err) {
			own->mapped[cpu] = map_of(fd, own->ring_bytes);
			err = own->mapped[cpu] ? 0 : -errno;
		}
		close(fd);
		if (err)
			return err;
	}
	*base = own->mapped[cpu];
	return 0;
}

/*
 * What the kernel skipped, since a program was running on that CPU already; and what CPUs without rings lost. Old kernels
 * tell nothing to who has dropped CAP_BPF: then it is as it was.
 */
static uint64_t count_skipped(struct bpf_device *own)
{
	uint64_t misses = 0;

	for (size_t i = 0; i < own->programs.count; i++) {
		struct program_info info = { 0 };

		if (info_of(own->programs.fd[i], &info, sizeof(info))) {
			misses = own->misses;
			break;
		}
		misses += info.recursion_misses;
	}
	own->misses = misses;
	return misses + __atomic_load_n(own->unringed, __ATOMIC_RELAXED);
}

/* They were skipped after the count was taken last, and the horizon then is no later than that. */
static void note_skipped(struct proclife_device *device)
{
	struct bpf_device *own = bpf_of(device);
	uint64_t now = count_skipped(own), since = own->skipped_at;

	own->skipped_at = device->source.merge.horizon;
	device->header.marks_missed = now;
	if (now == own->skipped)
		return;
	if (!proclife_gap_is(&device->skips.gap))
		device->skips.gap = (struct proclife_gap){ .from = since, .cpu = PROCLIFE_CPU_ALL };
	device->skips.gap.lost += now - own->skipped;
	device->skips.gap.to = proclife_device_clock(device).now; /* the count is later than the horizon */
	own->skipped = now;
}

static int refill_skips(struct proclife_stream *stream)
{
	(void)stream;
	return 0;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The best of a few, each between two readings of the records' clock. */
static uint64_t offset_of(clockid_t id)
{
	uint64_t best = 0, least = UINT64_MAX;

	for (unsigned int i = 0; i < 5; i++) {
		uint64_t before = proclife_monotonic(), other = clock_ns(id), after = proclife_monotonic();

		if (after - before < least) {
			least = after - before;
			best = other - before - least / 2;
		}
	}
	return best;
}

static uint64_t offset_now(clockid_t id, uint64_t known)
{
	uint64_t now = offset_of(id);

	return now - known + OFFSET_NOISE < 2 * OFFSET_NOISE ? known : now;
}

/*
 * As few calls as possible: this is for each horizon. Nobody can set a clock back and forth in between. The offsets that
 * are known are those of the last horizon: once a clock has been set, the header's are others each time.
 */
static void ask_clock(struct proclife_clock *clock, void *arg)
{
	const struct proclife_clock *last = arg;

	if (last->now) {
		clock->to_realtime = last->to_realtime;
		clock->to_boottime = last->to_boottime;
	}
	clock->to_realtime = offset_now(CLOCK_REALTIME, clock->to_realtime);
	clock->to_boottime = offset_now(CLOCK_BOOTTIME, clock->to_boottime);
	clock->now = proclife_monotonic();
}

/* Reads all that an iterator gives. Returns 0 or a negative errno. */
static int read_all(int fd, char **text, size_t *size)
{
	size_t room = 0;

	*text = NULL;
	*size = 0;
	for (;;) {
		ssize_t n;

		if (room - *size < 65536) {
			char *more = realloc(*text, room = room * 2 + 131072);

			if (!more)
				return -ENOMEM;
			*text = more;
		}
		n = read(fd, *text + *size, room - *size);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		*size += (size_t)n;
	}
}

/* A pinned iterator is a file. */
static int open_iterator(const struct bpf_device *own)
{
	union bpf_attr attr;
	char path[4096];
	int fd;

	if (!own->folder) {
		clear(&attr);
		attr.iter_create.link_fd = (uint32_t)own->snapshot;
		return bpf(BPF_ITER_CREATE, &attr);
	}
	snprintf(path, sizeof(path), "%s/" PROCLIFE_BPF_SNAPSHOT, own->folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENOTSUP : -errno;
	return fd;
}

/* Appends the tasks that are leaders, or those that are none. */
static int take_pass(struct bpf_device *own, bool leaders, struct proclife_record **records, size_t *count)
{
	struct proclife_record *found, *all;
	int fd = open_iterator(own), err;
	size_t size, n;
	char *text;

	if (fd < 0)
		return fd;
	err = read_all(fd, &text, &size);
	close(fd);
	n = size / sizeof(*found);
	found = (struct proclife_record *)text;
	all = err ? NULL : realloc(*records, (*count + n + 1) * sizeof(*all));
	if (!all) {
		free(text);
		return err ? err : -ENOMEM;
	}
	*records = all;
	for (size_t i = 0; i < n; i++) {
		struct proclife_record *r = &all[*count];

		if (!(found[i].flags & PROCLIFE_F_THREAD) != leaders)
			continue;
		*r = found[i];
		r->cpu = 0;
		/* The programs' clock can differ a little between CPUs. */
		if (*count && r->ts < r[-1].ts)
			r->ts = r[-1].ts;
		proclife_handles_make(own->device.handles, r);
		++*count;
	}
	free(text);
	return 0;
}

/* The leaders come last, for the same reason as in the module: a thread that execs becomes one. */
static int ask_snapshot(struct proclife_device *device, struct proclife_record **records, size_t *count)
{
	struct bpf_device *own = bpf_of(device);
	struct stat st;
	int err;

	*count = 0;
	if (own->snapshot < 0 && !own->folder)
		return -ENOTSUP;
	/* An iterator shows only the tasks of the PID namespace of who asks. */
	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != INITIAL_PID_NAMESPACE)
		return -EXDEV;
	err = take_pass(own, false, records, count);
	return err ? err : take_pass(own, true, records, count);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_all(struct fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close_fd(fds->fd[i]);
	free(fds->fd);
}

/* Takes the descriptor, also if it fails. Returns 0 or a negative errno. */
static int add_fd(struct fds *fds, int fd)
{
	int *more = realloc(fds->fd, (fds->count + 1) * sizeof(*more));

	if (!more) {
		close_fd(fd);
		return -ENOMEM;
	}
	fds->fd = more;
	fds->fd[fds->count++] = fd;
	return 0;
}

static void free_own(struct proclife_device *device)
{
	struct bpf_device *own = bpf_of(device);

	for (uint32_t cpu = 0; own->mapped && cpu < device->header.cpus; cpu++)
		if (own->mapped[cpu])
			munmap(own->mapped[cpu], own->ring_bytes);
	free(own->mapped);
	close_all(&own->programs);
	if (own->unringed)
		munmap((void *)(uintptr_t)own->unringed, (size_t)sysconf(_SC_PAGESIZE));
	if (device->map)
		munmap(device->map, own->header_size);
	proclife_handles_free(device->handles);
	close_all(&own->rings);
	close_all(&own->links);
	close_fd(own->snapshot);
	close_fd(own->folder_fd);
	free(own->folder);
}

static const struct proclife_device_ops bpf_ops = {
	.find_rings = find_rings,
	.skipped = note_skipped,
	.snapshot = ask_snapshot,
	.free = free_own,
};

/*
 * Opening
 */

static bool place_fits(const struct proclife_bpf_ring *ring, uint64_t size)
{
	uint64_t records;

	return !(ring->records & (ring->records - 1)) && !(ring->offset % 64) &&
	       !__builtin_mul_overflow(ring->records, sizeof(struct proclife_record), &records) &&
	       records <= size && size - records >= PROCLIFE_BPF_PAGE_BYTES &&
	       ring->offset <= size - records - PROCLIFE_BPF_PAGE_BYTES;
}

/* Are the counts where no records are, and not in place of the positions? */
static bool counts_fit(uint32_t offset)
{
	return offset % 8 == 0 && offset >= sizeof(struct proclife_ring_ctl) &&
	       offset <= PROCLIFE_BPF_PAGE_BYTES - 8 * PROCLIFE_TYPES;
}

static bool header_fits(const struct proclife_bpf_header *found, uint64_t bytes)
{
	const struct proclife_header *header = &found->header;

	return header->abi_version == PROCLIFE_ABI_VERSION && header->header_bytes == sizeof(*header) &&
	       found->layout == PROCLIFE_BPF_LAYOUT &&
	       header->record_bytes == sizeof(struct proclife_record) &&
	       header->cpus && header->cpus <= PROCLIFE_MAX_CPUS && header->cpu_map_offset % 8 == 0 &&
	       header->cpu_map_offset >= sizeof(*found) &&
	       header->cpu_map_offset + (header->cpus + 63ULL) / 64 * 8 <= bytes &&
	       found->rings >= 2 && found->rings <= PROCLIFE_BPF_MOST_RINGS && header->types == PROCLIFE_TYPES &&
	       counts_fit(header->counts_offset) && counts_fit(header->suppressed_offset) &&
	       memchr(header->release, 0, sizeof(header->release)) &&
	       memchr(header->version, 0, sizeof(header->version));
}

static bool has_pin(const struct bpf_device *own, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", own->folder, name);
	return !access(path, F_OK);
}

/*
 * Root alone could have made these maps; but a pin can be of another version, or of something else. What was checked is
 * a copy.
 */
static int take_header(struct bpf_device *own)
{
	struct proclife_bpf_header found = *(const struct proclife_bpf_header *)own->device.map;

	own->device.header = found.header;
	if (found.header.magic != PROCLIFE_MAGIC)
		return -ENODEV;
	if (!header_fits(&found, own->header_size))
		return -EPROTO;
	if (own->folder && (own->links.count < found.links || (found.has_snapshot && !has_pin(own, PROCLIFE_BPF_SNAPSHOT))))
		return -EUCLEAN;
	own->ring_bytes = found.ring_bytes;
	for (uint32_t i = 0; i < found.rings; i++) {
		const struct proclife_bpf_ring *ring = &found.ring[i];

		if (ring->records && !place_fits(ring, own->ring_bytes))
			return -EPROTO;
		own->places[i] = (struct proclife_ring_place){
			.offset = ring->offset,
			.records_offset = ring->offset + PROCLIFE_BPF_PAGE_BYTES,
			.records = ring->records,
		};
	}
	own->device.places = own->places;
	own->device.places_count = found.rings;
	own->device.handles = proclife_handles_new(found.key);
	own->mapped = calloc(found.header.cpus, sizeof(*own->mapped));
	return own->device.handles && own->mapped ? 0 : -ENOMEM;
}

static int map_header(struct bpf_device *own, int fd)
{
	int err = map_bytes(fd, &own->header_size);

	if (err)
		return err;
	if (own->header_size < sizeof(struct proclife_bpf_header))
		return -ENODEV;
	own->device.map = map_of(fd, own->header_size);
	return own->device.map ? take_header(own) : -errno;
}

static int begin_ticks(struct proclife_device *device)
{
	const struct itimerspec every = { .it_interval.tv_nsec = TICK_NS, .it_value.tv_nsec = TICK_NS };

	device->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (device->fd < 0 || timerfd_settime(device->fd, 0, &every, NULL))
		return -errno;
	device->pollable = true;
	device->ticks = true;
	device->moved = proclife_monotonic(); /* a program that has just opened it waits for an answer */
	return 0;
}

static int begin(struct bpf_device *own)
{
	struct proclife_device *device = &own->device;
	struct stat st;
	int err;

	if (!stat("/proc/self/ns/time", &st) && st.st_ino != INITIAL_TIME_NAMESPACE)
		return -ENOTSUP;
	device->margin = PROCLIFE_BPF_MARGIN;
	device->clock = ask_clock;
	device->clock_arg = &device->read;
	device->header.to_boottime = offset_now(CLOCK_BOOTTIME, 0);
	device->header.to_realtime = offset_of(CLOCK_REALTIME);
	err = begin_ticks(device);
	if (err)
		return err;
	device->skips.order = PROCLIFE_CPU_ALL;
	device->skips.refill = refill_skips;
	err = proclife_merge_add(&device->source.merge, &device->skips);
	if (err)
		return err;
	own->skipped = count_skipped(own);
	err = proclife_device_begin(device);
	own->skipped_at = device->source.merge.horizon;
	return err;
}

static struct bpf_device *bpf_new(void)
{
	struct bpf_device *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	proclife_device_init(&own->device, &bpf_ops);
	own->snapshot = -1;
	own->folder_fd = -1;
	return own;
}

/* These descriptors are the caller's. */
static int open_maps(struct bpf_device *own, int header, int unringed)
{
	int err;

	own->unringed = map_of(unringed, (size_t)sysconf(_SC_PAGESIZE));
	if (!own->unringed)
		return -errno;
	err = map_header(own, header);
	return err ? err : begin(own);
}

static int copy_all(struct bpf_device *own, const struct proclife_bpf *bpf)
{
	int err;

	for (size_t i = 0; i < bpf->program_count; i++) {
		int fd = duplicate(bpf->programs[i]);

		err = fd < 0 ? fd : add_fd(&own->programs, fd);
		if (err)
			return err;
	}
	for (uint32_t cpu = 0; cpu < bpf->cpus; cpu++) {
		int fd = bpf->rings[cpu] < 0 ? -1 : duplicate(bpf->rings[cpu]);

		err = bpf->rings[cpu] >= 0 && fd < 0 ? fd : add_fd(&own->rings, fd);
		if (err)
			return err;
	}
	own->snapshot = bpf->snapshot < 0 ? -1 : duplicate(bpf->snapshot);
	return bpf->snapshot >= 0 && own->snapshot < 0 ? own->snapshot : 0;
}

static int finish(struct proclife_source **source, struct bpf_device *own, int err)
{
	if (err) {
		proclife_source_free(&own->device.source);
		return err;
	}
	*source = &own->device.source;
	return 0;
}

int proclife_bpf_open(struct proclife_source **source, const struct proclife_bpf *bpf)
{
	struct bpf_device *own = bpf_new();
	int err;

	if (!own)
		return -ENOMEM;
	err = copy_all(own, bpf);
	return finish(source, own, err ? err : open_maps(own, bpf->header, bpf->unringed));
}

/* All that is pinned in a folder of the load's. */
static int open_each(const struct bpf_device *own, const char *name, uint32_t flags, struct fds *fds)
{
	struct dirent *entry;
	char path[4096];
	DIR *pins;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", own->folder, name);
	pins = opendir(path);
	if (!pins)
		return -errno;
	while (!err && (entry = readdir(pins))) {
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		fd = open_pin(path, entry->d_name, flags);
		err = fd < 0 ? fd : add_fd(fds, fd);
	}
	closedir(pins);
	return err;
}

static int open_programs(struct bpf_device *own)
{
	int err = open_each(own, PROCLIFE_BPF_PROGRAMS, BPF_F_RDONLY, &own->programs);

	return err ? err : open_each(own, PROCLIFE_BPF_LINKS, 0, &own->links);
}

/* Where everybody may make folders, as in a bpffs that was mounted without options, it can be anybody's. */
static int open_folder(struct bpf_device *own, const char *folder)
{
	const int follow = folder ? 0 : O_NOFOLLOW;
	struct stat st;

	own->folder_fd = open(folder ? folder : PROCLIFE_BPF_FOLDER, O_PATH | O_DIRECTORY | O_CLOEXEC | follow);
	if (own->folder_fd < 0 || fstat(own->folder_fd, &st))
		return errno == ENOTDIR && !folder ? -EPERM : -errno; /* a link */
	if ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	if (asprintf(&own->folder, "/proc/self/fd/%d", own->folder_fd) >= 0)
		return 0;
	own->folder = NULL; /* undefined until now */
	return -ENOMEM;
}

/* Opens what is pinned. The header is the last pin that is made, and the first that is removed. */
static int open_pins(struct bpf_device *own)
{
	int header = open_pin(own->folder, PROCLIFE_BPF_HEADER, 0), unringed, again, err;

	if (header < 0)
		return header;
	unringed = open_pin(own->folder, PROCLIFE_BPF_UNRINGED, 0);
	err = unringed < 0 ? unringed : open_programs(own);
	if (!err)
		err = open_maps(own, header, unringed);
	close(header);
	close_fd(unringed);
	if (err != -ENOENT && err != -EUCLEAN)
		return err;
	again = open_pin(own->folder, PROCLIFE_BPF_HEADER, 0);
	close_fd(again);
	return again < 0 ? again : -EUCLEAN; /* or it is being removed */
}

int proclife_bpf_open_pinned(struct proclife_source **source, const char *folder)
{
	struct bpf_device *own = bpf_new();
	int err;

	if (!own)
		return -ENOMEM;
	err = open_folder(own, folder);
	return finish(source, own, err ? err : open_pins(own));
}
