// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring_worker [PROCESSES]: processes whose io_urings have workers, which are threads that the
 * kernel makes: for reads that ask for one, and for opens that block until the FIFO has a writer.
 */
#include <dirent.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "truth/told.h"

#define ENTRIES 8

struct ring {
	int fd;
	char *sq;
	struct io_uring_params params;
	struct io_uring_sqe *sqes;
};

static bool ring_open(struct ring *ring)
{
	struct io_uring_params *p = &ring->params;

	memset(p, 0, sizeof(*p));
	ring->fd = syscall(SYS_io_uring_setup, ENTRIES, p);
	if (ring->fd < 0)
		return false;
	ring->sq = mmap(NULL, p->sq_off.array + p->sq_entries * sizeof(uint32_t),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
			IORING_OFF_SQ_RING);
	ring->sqes = mmap(NULL, p->sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (ring->sq == MAP_FAILED || ring->sqes == MAP_FAILED)
		err(1, "mmap of an io_uring");
	return true;
}

static void ring_enter(struct ring *ring, unsigned int submit, unsigned int wait)
{
	int ret;

	do {
		ret = syscall(SYS_io_uring_enter, ring->fd, submit, wait,
			      wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0 || (unsigned int)ret != submit)
		err(1, "io_uring_enter");
}

/* Submits the same request eight times, each for a worker. The completions are never read. */
static void ring_submit(struct ring *ring, const struct io_uring_sqe *sqe)
{
	struct io_uring_params *p = &ring->params;
	uint32_t *tail = (uint32_t *)(ring->sq + p->sq_off.tail);
	uint32_t *array = (uint32_t *)(ring->sq + p->sq_off.array);
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		ring->sqes[i] = *sqe;
		ring->sqes[i].flags |= IOSQE_ASYNC;
		array[i] = i;
	}
	__atomic_store_n(tail, *tail + ENTRIES, __ATOMIC_RELEASE);
	ring_enter(ring, ENTRIES, 0);
}

static void ring_wait(struct ring *ring, uint32_t completions)
{
	uint32_t *tail;
	char *cq = mmap(NULL, 4096, PROT_READ, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);

	if (cq == MAP_FAILED)
		err(1, "mmap of an io_uring");
	tail = (uint32_t *)(cq + ring->params.cq_off.tail);
	while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) != completions)
		ring_enter(ring, 0, 1);
	munmap(cq, 4096);
}

static unsigned int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned int n = 0;

	if (!dir)
		err(1, "/proc/self/task");
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* All threads that ever existed: an idle worker stays for seconds. */
static unsigned int settled_threads(void)
{
	unsigned int n, calm = 0, last = 0;

	while (calm < 20) {
		usleep(2000);
		n = count_threads();
		calm = n > ENTRIES && n == last ? calm + 1 : 0;
		last = n;
	}
	return n;
}

static void child(const char *program, const char *fifo, unsigned int *threads)
{
	static char buffer[4096];
	struct ring ring;
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	struct io_uring_sqe reads = {
		.opcode = IORING_OP_READ,
		.fd = fd,
		.addr = (uintptr_t)buffer,
		.len = sizeof(buffer),
	};
	struct io_uring_sqe opens = {
		.opcode = IORING_OP_OPENAT,
		.fd = AT_FDCWD,
		.addr = (uintptr_t)fifo,
		.open_flags = O_RDONLY,
	};

	if (fd < 0)
		err(1, "%s", program);
	if (!ring_open(&ring))
		err(1, "io_uring_setup");
	ring_submit(&ring, &reads);
	ring_wait(&ring, ENTRIES);
	ring_submit(&ring, &opens);
	*threads = settled_threads();
	fd = open(fifo, O_WRONLY);
	if (fd < 0)
		err(1, "%s", fifo);
	ring_wait(&ring, 2 * ENTRIES);
	truth_exit(count_threads() == *threads ? 0 : 1);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 8);
	static const char fifo[] = "io_uring_worker.fifo";
	struct ring ring;
	unsigned int *threads;
	int workers = 0, i;

	if (!ring_open(&ring)) {
		warn("io_uring_setup");
		return TRUTH_SKIPPED;
	}
	close(ring.fd);
	threads = mmap(NULL, sizeof(*threads), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (threads == MAP_FAILED)
		err(1, "mmap");
	if (mkfifo(fifo, 0600))
		err(1, "%s", fifo);
	for (i = 0; i < n; i++) {
		struct truth t;

		if (!truth_fork(&t, "ring"))
			child(argv[0], fifo, threads);
		truth_wait(&t);
		if (t.status)
			errx(1, "child: wait status %#x", t.status);
		t.threads = *threads;
		workers += (int)*threads - 1;
		truth_write(&t);
	}
	if (unlink(fifo))
		err(1, "%s", fifo);
	if (workers < n * ENTRIES)
		errx(1, "%d workers for %d processes", workers, n);
	return truth_total(n, workers);
}
