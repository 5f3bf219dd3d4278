// SPDX-License-Identifier: GPL-2.0-only
#include "failing.h"
#include "recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LIVE 65536

/* Other threads of the library do as they do: what fails is the same each time. */
static _Thread_local bool is_tested;

static struct {
	bool on;
	enum failing what;
	uint64_t count;
	uint64_t fail_at;
	bool failed;
	void *live[MOST_LIVE];
	size_t live_count;
} state;

static const int errors[] = {
	[FAIL_ALLOCATIONS] = ENOMEM,
	[FAIL_CALLS] = EIO,
	[FAIL_SPACE] = ENOSPC,
	[INTERRUPT_CALLS] = EINTR,
	[CUT_CALLS] = 0,
};

void failing_library(bool on)
{
	state.on = on;
	is_tested = true;
}

static bool refuse(enum failing what)
{
	if (!is_tested || !state.on || state.what != what || ++state.count != state.fail_at)
		return false;
	state.failed = true;
	errno = errors[what];
	return true;
}

static void *note(void *block)
{
	if (is_tested && state.on && block) {
		assert_true(state.live_count < MOST_LIVE);
		state.live[state.live_count++] = block;
	}
	return block;
}

static void forget(const void *block)
{
	for (size_t i = state.live_count; is_tested && block && i; i--) {
		if (state.live[i - 1] == block) {
			state.live[i - 1] = state.live[--state.live_count];
			return;
		}
	}
}

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

void failing_run(enum failing what, failing_scenario run, uint64_t least, uint64_t endured)
{
	unsigned int files = open_files();
	uint64_t expected = 0, failures = 0, same = 0;

	state.what = what;
	state.fail_at = 0;
	assert_int_equal(run(&expected), 0);
	for (uint64_t n = 1;; n++) {
		uint64_t digest = 0;
		int ret;

		state.count = 0;
		state.fail_at = n;
		state.failed = false;
		ret = run(&digest);
		assert_false(state.on);
		if (state.live_count)
			fail_msg("failure %llu: %zu blocks are left", (unsigned long long)n,
				 state.live_count);
		if (open_files() != files)
			fail_msg("failure %llu: %u files are open, not %u", (unsigned long long)n,
				 open_files(), files);
		if (!state.failed) {
			assert_int_equal(ret, 0);
			assert_int_equal(digest, expected);
			break;
		}
		failures++;
		if (!ret && digest == expected)
			same++;
		else if (!ret || ret != -errors[what])
			fail_msg("failure %llu: %d", (unsigned long long)n, ret);
	}
	print_message("%llu failures, %llu of them without effect\n", (unsigned long long)failures,
		      (unsigned long long)same);
	assert_true(failures >= least);
	assert_true(same <= endured);
}

/* WRAP(result, name, what fails, the result then, parameters, arguments; else these are called) */
#define WRAP(type, name, what, error, parameters, ...)                 \
	type __real_##name parameters;                                 \
	type __wrap_##name parameters;                                 \
	type __wrap_##name parameters                                  \
	{                                                              \
		return refuse(what) ? (error) : (__VA_ARGS__);         \
	}

WRAP(void *, malloc, FAIL_ALLOCATIONS, NULL, (size_t size), note(__real_malloc(size)))
WRAP(void *, calloc, FAIL_ALLOCATIONS, NULL, (size_t count, size_t size),
     note(__real_calloc(count, size)))
WRAP(void *, aligned_alloc, FAIL_ALLOCATIONS, NULL, (size_t alignment, size_t size),
     note(__real_aligned_alloc(alignment, size)))
WRAP(void *, realloc, FAIL_ALLOCATIONS, NULL, (void *block, size_t size),
     (forget(block), note(__real_realloc(block, size))))
WRAP(char *, strdup, FAIL_ALLOCATIONS, NULL, (const char *text), note(__real_strdup(text)))
/* The C library owns the memory of these two; sanitizers watch it. */
WRAP(FILE *, open_memstream, FAIL_ALLOCATIONS, NULL, (char **text, size_t *size),
     __real_open_memstream(text, size))
WRAP(DIR *, fdopendir, FAIL_ALLOCATIONS, NULL, (int fd), __real_fdopendir(fd))

int __wrap_asprintf(char **text, const char *format, ...);

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int n;

	if (refuse(FAIL_ALLOCATIONS))
		return -1;
	va_start(args, format);
	n = vasprintf(text, format, args);
	va_end(args);
	return n;
}

void __real_free(void *block);
void __wrap_free(void *block);

void __wrap_free(void *block)
{
	forget(block);
	__real_free(block);
}

WRAP(int, open, FAIL_CALLS, -1, (const char *path, int flags, mode_t mode),
     __real_open(path, flags, mode))
WRAP(int, openat, FAIL_CALLS, -1, (int dir, const char *path, int flags, mode_t mode),
     flags & O_CREAT && refuse(FAIL_SPACE) ? -1 : __real_openat(dir, path, flags, mode))
WRAP(int, fstat, FAIL_CALLS, -1, (int fd, struct stat *st), __real_fstat(fd, st))
WRAP(int, mkdirat, FAIL_CALLS, -1, (int dir, const char *path, mode_t mode),
     refuse(FAIL_SPACE) ? -1 : __real_mkdirat(dir, path, mode))
WRAP(int, renameat, FAIL_CALLS, -1, (int from, const char *old, int to, const char *name),
     __real_renameat(from, old, to, name))
WRAP(int, ftruncate, FAIL_CALLS, -1, (int fd, off_t size), __real_ftruncate(fd, size))
WRAP(void *, mmap, FAIL_CALLS, MAP_FAILED,
     (void *at, size_t size, int prot, int flags, int fd, off_t offset),
     __real_mmap(at, size, prot, flags, fd, offset))
WRAP(struct dirent *, readdir, FAIL_CALLS, NULL, (DIR *dir), __real_readdir(dir))
WRAP(ssize_t, getrandom, FAIL_CALLS, -1, (void *buffer, size_t size, unsigned int flags),
     __real_getrandom(buffer, size, flags))
WRAP(int, ioctl, FAIL_CALLS, -1, (int fd, unsigned long request, void *data),
     ((void)fd, refuse(INTERRUPT_CALLS) ? -1 : given_ioctl(request, data)))
WRAP(ssize_t, read, FAIL_CALLS, -1, (int fd, void *to, size_t size),
     refuse(INTERRUPT_CALLS) ? -1 : __real_read(fd, to, refuse(CUT_CALLS) ? size / 2 : size))
WRAP(ssize_t, pread, FAIL_CALLS, -1, (int fd, void *to, size_t size, off_t offset),
     refuse(INTERRUPT_CALLS) ? -1 :
			       __real_pread(fd, to, refuse(CUT_CALLS) ? size / 2 : size, offset))
WRAP(ssize_t, pwrite, FAIL_CALLS, -1, (int fd, const void *from, size_t size, off_t offset),
     refuse(INTERRUPT_CALLS) || refuse(FAIL_SPACE) ?
	     -1 :
	     __real_pwrite(fd, from, refuse(CUT_CALLS) ? size / 2 : size, offset))

int __real_close(int fd);
int __wrap_close(int fd);

/* close(2) closes the file even if it fails. */
int __wrap_close(int fd)
{
	int ret = __real_close(fd);

	return refuse(FAIL_CALLS) || refuse(INTERRUPT_CALLS) ? -1 : ret;
}
