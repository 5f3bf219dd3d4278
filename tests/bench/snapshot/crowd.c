// SPDX-License-Identifier: GPL-2.0-only
#include "crowd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <proclife/abi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEVER (1ULL << 40) /* records */
#define STACK 4096

/* Shared by all processes. */
struct board {
	volatile uint64_t cycles;
	volatile uint64_t ns;
	volatile uint64_t ready;
	struct {
		volatile uint64_t done;
		uint64_t line[7];
	} member[CROWD_MOST];
};

static struct board *board;
static pid_t members[CROWD_MOST];
static unsigned int member_count;

uint64_t crowd_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int last_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

static void set_cpus(int first, int last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (; first <= last; first++)
		CPU_SET(first, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "sched_setaffinity");
}

void crowd_on_last_cpu(void)
{
	set_cpus(last_cpu(), last_cpu());
}

void crowd_off_last_cpu(void)
{
	set_cpus(0, last_cpu() - 1);
}

static struct board *board_get(void)
{
	if (board)
		return board;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		err(1, "mmap");
	return board;
}

/* A child that does not survive this process. */
static pid_t fork_member(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static int sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused != NULL;
}

/* They share their memory, as 30,000 copies of it would not fit. */
static void host_sleepers(unsigned int count)
{
	char *stacks = mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stacks == MAP_FAILED)
		err(1, "mmap");
	for (unsigned int i = 1; i <= count; i++) {
		if (clone(sleep_on, stacks + (size_t)i * STACK,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND, NULL) < 0)
			err(1, "clone, sleeper %u", i);
	}
	board->ready = 1;
	for (;;)
		pause();
}

void crowd_sleepers(unsigned int count)
{
	pid_t host;

	board_get()->ready = 0;
	host = fork_member();
	if (!host)
		host_sleepers(count);
	while (!board->ready) {
		if (waitpid(host, NULL, WNOHANG))
			errx(1, "not all of %u tasks can be made", count);
		usleep(10000);
	}
}

/* How many a CPU has run; 0 if this kernel does not report them. */
static uint64_t irq_works(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096];
	uint64_t found = 0;

	if (!file)
		err(1, "/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, "IWI:");

		if (!at)
			continue;
		at += 4;
		for (int i = 0; i <= cpu; i++)
			found = strtoull(at, &at, 10);
	}
	fclose(file);
	return found;
}

static void run_load(uint64_t ns)
{
	uint64_t began, now, cycles = 0;

	crowd_on_last_cpu();
	began = crowd_now();
	do {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			err(1, "fork, waitpid");
		cycles++;
		now = crowd_now();
	} while (now - began < ns);
	board->cycles = cycles;
	board->ns = now - began;
	_exit(0);
}

void crowd_load(unsigned int ms, struct crowd_load *load)
{
	uint64_t works = irq_works(last_cpu());
	int status;

	board_get();
	load->pid = fork_member();
	if (!load->pid)
		run_load(ms * 1000000ULL);
	if (waitpid(load->pid, &status, 0) != load->pid || status)
		errx(1, "the load failed");
	load->cycles = board->cycles * 1e9 / board->ns;
	load->irq_works = (irq_works(last_cpu()) - works) * 1e9 / board->ns;
}

int crowd_open(void)
{
	int fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		err(1, PROCLIFE_DEVICE);
	return fd;
}

unsigned int crowd_snapshot(int fd, struct proclife_record *records, unsigned int capacity)
{
	struct proclife_snapshot s = {
		.records = (uintptr_t)records,
		.capacity = capacity,
		.record_bytes = sizeof(*records),
	};

	if (ioctl(fd, PROCLIFE_IOC_SNAPSHOT, &s))
		err(1, "a snapshot of %u tasks", s.count);
	return s.count;
}

static void poll_on(int fd, uint64_t records, volatile uint64_t *done)
{
	struct proclife_watermark watermark = { .records = records };
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	uint64_t committed;

	if (ioctl(fd, PROCLIFE_IOC_WATERMARK, &watermark))
		err(1, "watermark");
	board->ready = 1;
	for (;;) {
		if (poll(&wanted, 1, -1) != 1)
			err(1, "poll");
		++*done;
		/* Another CPU's record may be left for the next time. */
		if (read(fd, &committed, sizeof(committed)) < 0 && errno != EAGAIN)
			err(1, "read");
	}
}

static void work(enum crowd_kind kind, unsigned int capacity, volatile uint64_t *done)
{
	struct proclife_record *records;
	int fd = crowd_open();

	crowd_off_last_cpu();
	if (kind == CROWD_ASLEEP || kind == CROWD_EAGER)
		poll_on(fd, kind == CROWD_ASLEEP ? NEVER : 1, done);
	records = calloc(capacity, sizeof(*records));
	if (!records)
		err(1, "calloc");
	board->ready = 1;
	for (;; ++*done) {
		if (kind == CROWD_SHOOTS)
			crowd_snapshot(fd, records, capacity);
	}
}

void crowd_begin(enum crowd_kind kind, unsigned int count, unsigned int capacity)
{
	board_get();
	for (member_count = 0; member_count < count; member_count++) {
		volatile uint64_t *done = &board->member[member_count].done;
		pid_t pid;

		*done = 0;
		board->ready = 0;
		pid = fork_member();
		if (!pid)
			work(kind, capacity, done);
		members[member_count] = pid;
		while (!board->ready) {
			if (waitpid(pid, NULL, WNOHANG))
				errx(1, "a disturber failed");
			usleep(1000);
		}
	}
}

void crowd_end(void)
{
	for (unsigned int i = 0; i < member_count; i++) {
		int status;

		if (kill(members[i], SIGKILL) || waitpid(members[i], &status, 0) != members[i] ||
		    !WIFSIGNALED(status))
			errx(1, "a disturber failed");
	}
	member_count = 0;
}

uint64_t crowd_done(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < member_count; i++)
		sum += board->member[i].done;
	return sum;
}

uint64_t crowd_slept(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < member_count; i++) {
		char path[40], line[128];
		unsigned long long slept;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/status", (int)members[i]);
		file = fopen(path, "re");
		if (!file)
			err(1, "%s", path);
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "voluntary_ctxt_switches: %llu", &slept) == 1)
				sum += slept;
		}
		fclose(file);
	}
	return sum;
}
