// SPDX-License-Identifier: GPL-2.0-only
/* What the fuzzer does to the device, one operation after the other. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <proclife/abi.h>

#include "fuzz.h"

#define PAGE 4096ul

uint64_t fuzz_random(struct fuzzer *f, uint64_t below)
{
	/* splitmix64 */
	uint64_t x = f->random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	x ^= x >> 31;
	return below ? x % below : x;
}

void fuzz_die(const struct fuzzer *f, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "fuzz: after %llu operations: ", (unsigned long long)f->operations);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

/* Small numbers, numbers near limits, and any. */
static uint64_t number(struct fuzzer *f)
{
	uint64_t near = f->map_bytes;

	switch (fuzz_random(f, 6)) {
	case 0:
		return fuzz_random(f, 16);
	case 1:
		near = 1ull << fuzz_random(f, 64);
		/* fallthrough */
	case 2:
		return near + fuzz_random(f, 5) - 2;
	case 3:
		return fuzz_random(f, near);
	case 4:
		return -(1 + fuzz_random(f, 5));
	default:
		return fuzz_random(f, 0);
	}
}

static int some_file(struct fuzzer *f)
{
	return f->files[fuzz_random(f, FILES)];
}

static struct mapping *some_mapping(struct fuzzer *f)
{
	return f->maps_used ? &f->maps[fuzz_random(f, f->maps_used)] : NULL;
}

static void forget(struct fuzzer *f, struct mapping *m)
{
	*m = f->maps[--f->maps_used];
}

/*
 * Mappings change one at a time, as they do in the kernel: an operation that leaves a hole in a thread's arena
 * fills it before another thread's mapping can get there.
 */
static pthread_mutex_t layout = PTHREAD_MUTEX_INITIALIZER;

static bool in_arena(const struct fuzzer *f, const char *at)
{
	return at >= f->arena && at < f->arena + ARENA_BYTES;
}

static void clear(struct fuzzer *f, char *at, size_t bytes)
{
	bool done = true;

	if (!bytes)
		return;
	if (in_arena(f, at))
		done = mmap(at, bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			    0) != MAP_FAILED;
	else
		done = !munmap(at, bytes);
	if (!done)
		fuzz_die(f, "%zu bytes at %p cannot be unmapped: %s", bytes, (void *)at,
			 strerror(errno));
}

static void unmap(struct fuzzer *f, struct mapping *m)
{
	clear(f, m->at, m->bytes);
	forget(f, m);
}

static void *arena_place(struct fuzzer *f, size_t bytes)
{
	char *at = f->arena + fuzz_random(f, (ARENA_BYTES - bytes) / PAGE) * PAGE;
	unsigned int i;

	for (i = 0; i < f->maps_used; i++)
		if (at < f->maps[i].at + f->maps[i].bytes && f->maps[i].at < at + bytes)
			return NULL;
	return at;
}

static bool do_open(struct fuzzer *f)
{
	static const int modes[] = { O_RDONLY, O_RDONLY, O_RDWR, O_WRONLY };
	int *file = &f->files[fuzz_random(f, FILES)];

	if (*file >= 0)
		close(*file);
	*file = open(PROCLIFE_DEVICE, modes[fuzz_random(f, 4)] | O_NONBLOCK | O_CLOEXEC);
	return *file >= 0;
}

static bool do_dup(struct fuzzer *f)
{
	int *file = &f->files[fuzz_random(f, FILES)];
	int copy = dup(some_file(f));

	if (*file >= 0)
		close(*file);
	*file = copy;
	return copy >= 0;
}

static bool do_close(struct fuzzer *f)
{
	int *file = &f->files[fuzz_random(f, FILES)], ret = close(*file);

	*file = -1;
	return !ret;
}

static bool do_mmap(struct fuzzer *f)
{
	uint64_t offset = fuzz_random(f, 2) ? fuzz_random(f, f->map_bytes) & -PAGE : number(f);
	uint64_t bytes = fuzz_random(f, 2) ? (1 + fuzz_random(f, 64)) * PAGE : number(f);
	int prot = fuzz_random(f, 4) ? PROT_READ : (int)fuzz_random(f, 8);
	int flags = fuzz_random(f, 3) ? MAP_SHARED : MAP_PRIVATE;
	void *at = NULL, *place;

	if (f->maps_used == MAPS)
		unmap(f, some_mapping(f));
	if (!fuzz_random(f, 4) && bytes <= 1024 * PAGE && bytes) {
		at = arena_place(f, (bytes + PAGE - 1) & -PAGE);
		flags |= at ? MAP_FIXED : 0;
	}
	flags |= fuzz_random(f, 4) ? 0 : MAP_POPULATE;
	place = at;
	at = mmap(at, bytes, prot, flags, some_file(f), (off_t)offset);
	if (at == MAP_FAILED) {
		if (place) /* the place has been emptied already */
			clear(f, place, (bytes + PAGE - 1) & -PAGE);
		return false;
	}
	if (prot & PROT_WRITE) /* PROT_EXEC is taken away: see writes.c */
		fuzz_die(f, "mmap(prot %d) of the device works", prot);
	if (offset + bytes > f->map_bytes || offset + bytes < offset)
		fuzz_die(f, "mmap beyond the end works: %llu bytes at %llu",
			 (unsigned long long)bytes, (unsigned long long)offset);
	f->maps[f->maps_used++] = (struct mapping){ at, (bytes + PAGE - 1) & -PAGE };
	return true;
}

/* Unmaps all of a mapping, or a part, which leaves one or two mappings. */
static bool do_munmap(struct fuzzer *f)
{
	struct mapping *m = some_mapping(f);
	size_t pages, first, count;

	if (!m)
		return false;
	pages = m->bytes / PAGE;
	first = fuzz_random(f, pages);
	count = 1 + fuzz_random(f, pages - first);
	if (f->maps_used == MAPS || count == pages) {
		unmap(f, m);
		return true;
	}
	clear(f, m->at + first * PAGE, count * PAGE);
	if (first + count < pages)
		f->maps[f->maps_used++] = (struct mapping){ m->at + (first + count) * PAGE,
							    (pages - first - count) * PAGE };
	m->bytes = first * PAGE;
	if (!first)
		forget(f, m);
	return true;
}

/* Shrinks or grows a mapping, in place or elsewhere; growing must fail. */
static bool do_mremap(struct fuzzer *f)
{
	struct mapping *m = some_mapping(f);
	size_t bytes, new_bytes;
	void *to = NULL, *at;

	if (!m)
		return false;
	bytes = m->bytes;
	new_bytes = (1 + fuzz_random(f, bytes / PAGE * 2)) * PAGE;
	if (fuzz_random(f, 2) && new_bytes <= 1024 * PAGE)
		to = arena_place(f, new_bytes);
	at = mremap(m->at, bytes, new_bytes, MREMAP_MAYMOVE | (to ? MREMAP_FIXED : 0), to);
	if (at == MAP_FAILED) {
		if (to)
			clear(f, to, new_bytes);
		return false;
	}
	if (new_bytes > bytes)
		fuzz_die(f, "mremap makes %zu bytes of a mapping of %zu", new_bytes, bytes);
	if (in_arena(f, m->at))
		clear(f, at == m->at ? m->at + new_bytes : m->at,
		      at == m->at ? bytes - new_bytes : bytes);
	*m = (struct mapping){ at, new_bytes };
	return true;
}

/* Reads where there may be no ring; a mapped header must be the header. */
static bool do_touch(struct fuzzer *f)
{
	struct mapping *m = some_mapping(f);
	sigjmp_buf fault;
	volatile bool done = false;

	if (!m)
		return false;
	if (!sigsetjmp(fault, 1)) {
		fuzz_on_fault = &fault;
		(void)*(volatile char *)(m->at + fuzz_random(f, m->bytes));
		done = true;
	}
	fuzz_on_fault = NULL;
	return done;
}

static bool do_write(struct fuzzer *f)
{
	struct mapping *m = some_mapping(f);

	if (m)
		fuzz_writes(f, m);
	return m;
}

static bool do_ioctl(struct fuzzer *f)
{
	static _Thread_local struct proclife_record records[512];
	union {
		struct proclife_watermark watermark;
		struct proclife_snapshot snapshot;
	} arg = {};
	struct mapping *m = some_mapping(f);
	int file = some_file(f), ret;

	switch (fuzz_random(f, 5)) {
	case 0:
		arg.watermark.records = number(f);
		arg.watermark.types = fuzz_random(f, 2) ? 0 : number(f);
		arg.watermark.reserved = fuzz_random(f, 8) ? 0 : number(f);
		return !ioctl(file, PROCLIFE_IOC_WATERMARK, &arg);
	case 1:
		arg.snapshot.reserved = fuzz_random(f, 8) ? 0 : number(f);
		arg.snapshot.capacity = number(f);
		arg.snapshot.records = number(f);
		arg.snapshot.record_bytes = fuzz_random(f, 8) ? sizeof(*records) : number(f);
		if (m && fuzz_random(f, 2))
			arg.snapshot.records = (uintptr_t)m->at;
		else if (arg.snapshot.capacity <= 512 || fuzz_random(f, 2))
			arg.snapshot.capacity = 512, arg.snapshot.records = (uintptr_t)records,
			arg.snapshot.record_bytes = sizeof(*records);
		ret = ioctl(file, PROCLIFE_IOC_SNAPSHOT, &arg);
		if (!ret && m && arg.snapshot.records == (uintptr_t)m->at)
			fuzz_die(f, "a snapshot goes into a mapping");
		if (!ret && arg.snapshot.records == (uintptr_t)records &&
		    (!arg.snapshot.count || records[0].type != PROCLIFE_TASK))
			fuzz_die(f, "a snapshot of %u records has no task", arg.snapshot.count);
		return !ret;
	case 2: /* into or from an invalid address */
		return !ioctl(file, fuzz_random(f, 2) ? PROCLIFE_IOC_SNAPSHOT : PROCLIFE_IOC_WATERMARK,
			      m && fuzz_random(f, 2) ? (uint64_t)m->at : number(f));
	case 3:
		ret = ioctl(file, _IOC(fuzz_random(f, 4), PROCLIFE_IOC, fuzz_random(f, 8),
				       fuzz_random(f, 64)), records);
		return !ret;
	default:
		return !ioctl(file, fuzz_random(f, 0), records);
	}
}

static bool do_read(struct fuzzer *f)
{
	char bytes[64] = "";
	struct mapping *m = some_mapping(f);
	int file = some_file(f);
	size_t count = fuzz_random(f, 3) ? 8 : fuzz_random(f, sizeof(bytes) + 1);
	ssize_t got;

	switch (fuzz_random(f, 8)) {
	case 0:
		return write(file, bytes, count) >= 0;
	case 1:
		return lseek(file, (off_t)number(f), (int)fuzz_random(f, 6)) >= 0;
	case 2:
		if (m && count >= 8 && read(file, m->at, count) >= 0)
			fuzz_die(f, "read(2) of the device writes to its mapping");
		return false;
	case 3:
		return pread(file, bytes, count, (off_t)number(f)) >= 0;
	default:
		got = read(file, bytes, count);
		if (got >= 0 && got != 8 && count)
			fuzz_die(f, "read(2) of %zu bytes returns %zd", count, got);
		return got >= 0;
	}
}

/* Sleeps until there are enough records, or until the signal that all threads get now and then. */
static bool do_wait(struct fuzzer *f)
{
	int file = some_file(f), flags = fcntl(file, F_GETFL);
	char bytes[8];
	bool done;

	if (flags < 0 || fuzz_random(f, 8)) {
		struct pollfd p[2] = { { .fd = file, .events = (short)fuzz_random(f, 0) },
				       { .fd = some_file(f), .events = POLLIN } };

		return poll(p, 2, (int)fuzz_random(f, 3)) > 0;
	}
	fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
	done = read(file, bytes, sizeof(bytes)) > 0;
	fcntl(file, F_SETFL, flags);
	return done;
}

/* A child closes and unmaps, or ends with everything open, or forks again. */
static bool do_fork(struct fuzzer *f)
{
	unsigned int what = fuzz_random(f, 3);
	struct mapping *m = some_mapping(f);
	int file = some_file(f), status, pid = fork();

	if (pid < 0)
		return false;
	if (!pid) {
		if (what == 0 && m)
			munmap(m->at, m->bytes);
		if (what == 1)
			close(file);
		if (what == 2 && !fork())
			_exit(0);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fuzz_die(f, "waitpid: %s", strerror(errno));
	return true;
}

static bool do_madvise(struct fuzzer *f)
{
	static const int advice[] = { MADV_DONTNEED, MADV_WILLNEED, MADV_RANDOM, MADV_DOFORK,
				      MADV_DONTFORK, MADV_COLD, MADV_MERGEABLE, MADV_DODUMP };
	struct mapping *m = some_mapping(f);

	return m && !madvise(m->at, m->bytes, advice[fuzz_random(f, 8)]);
}

void fuzz_step(struct fuzzer *f)
{
	static const struct {
		bool (*run)(struct fuzzer *f);
		unsigned int weight; /* of 100 */
		bool moves;
	} all[] = {
		{ do_open, 6, false },	 { do_dup, 3, false },	 { do_close, 2, false },
		{ do_mmap, 12, true },	 { do_munmap, 6, true }, { do_mremap, 6, true },
		{ do_touch, 14, false }, { do_write, 20, false }, { do_ioctl, 12, false },
		{ do_read, 10, false },	 { do_wait, 5, false },	 { do_fork, 1, false },
		{ do_madvise, 3, false },
	};
	unsigned int pick = fuzz_random(f, 100), i = 0;

	while (pick >= all[i].weight)
		pick -= all[i++].weight;
	if (all[i].moves)
		pthread_mutex_lock(&layout);
	f->succeeded += all[i].run(f);
	if (all[i].moves)
		pthread_mutex_unlock(&layout);
	f->operations++;
	coverage_collect(f->coverage);
}
