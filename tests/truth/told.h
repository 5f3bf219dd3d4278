/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a workload knows of the processes it makes, from its clock and wait4(2), for the judge to compare with the
 * recording: one line of text for each, written at once to the end of the file $TRUTH (else standard output).
 *
 * It also has times around its reap, and the time before it was killed, if it was; a process that ends by
 * itself writes a line of its own just before. The records of its end must lie between these.
 *
 * The last line has how many processes there are, not counting the workload, and how many threads besides
 * their leaders. That follows from the arguments and is not counted along, so that a workload that ends
 * early, or makes too few, is caught.
 *
 * Pids are reused, so a line also has the times just before and after the call
 * that made the process: only one process with this pid was born between them.
 */
#ifndef TRUTH_TOLD_H
#define TRUTH_TOLD_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The exit status of a workload that cannot run here; it says why on standard error. */
#define TRUTH_SKIPPED 77

struct truth {
	pid_t pid;
	uint64_t after; /* CLOCK_MONOTONIC, ns */
	uint64_t before;
	pid_t parent; /* by birth */
	pid_t creator;
	pid_t reaper; /* the process itself if no process waits for it */
	int status;   /* as wait(2) gives it */
	unsigned int threads; /* all that it ever had, with the leader; 0: neither these nor its execs are known */
	unsigned int execs;
	uint64_t killed;    /* just before the kill; 0: it ends by itself, and writes when */
	uint64_t killed_to; /* just after it; 0: not known */
	uint64_t reap_from; /* around wait(2); 0: not known */
	uint64_t reap_to;
	bool used; /* the rest is known, up to the name */
	uid_t uid;
	uint64_t cgroup; /* the inode of its folder */
	uint64_t utime;	 /* us */
	uint64_t stime;
	uint64_t max_rss; /* KiB */
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	pid_t holder;	       /* another process that has its memory; 0: none */
	uint64_t release_from; /* around the end of the holder */
	uint64_t release_to;
	char name[16]; /* its last; empty: not known */
};

/* The numbers of a line, in their order; the name is behind them, as it can hold anything. */
#define TRUTH_NUMBERS(X)                                                                              \
	X(pid) X(after) X(before) X(parent) X(creator) X(reaper) X(status) X(threads) X(execs) X(killed) \
	X(killed_to) X(reap_from) X(reap_to) X(used) X(uid) X(cgroup) X(utime) X(stime) X(max_rss)     \
	X(min_flt) X(maj_flt) X(nvcsw) X(nivcsw) X(holder) X(release_from) X(release_to)

static inline uint64_t truth_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline void truth_put(const char *line, int len)
{
	static int fd = -1;

	if (fd < 0) {
		const char *path = getenv("TRUTH");

		fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : STDOUT_FILENO;
		if (fd < 0)
			err(1, "%s", path);
	}
	if (write(fd, line, len) != len)
		err(1, "writing the truth");
}

static inline int truth_print(const struct truth *t, char *line, size_t size)
{
	int len = 0;

#define TRUTH_PUT(number) \
	len += snprintf(line + len, size - len, #number "=%" PRIu64 " ", (uint64_t)t->number);
	TRUTH_NUMBERS(TRUTH_PUT)
	return len + snprintf(line + len, size - len, "name=%s\n", t->name);
}

static inline void truth_write(const struct truth *t)
{
	char line[1024];

	truth_put(line, truth_print(t, line, sizeof(line)));
}

/* Reads such a line. */
static inline bool truth_read(const char *line, struct truth *t)
{
	const char *at = line;
	int length;

#define TRUTH_TAKE(number)                                                                  \
	do {                                                                                \
		uint64_t value;                                                             \
		if (sscanf(at, #number "=%" SCNu64 " %n", &value, &length) != 1)            \
			return false;                                                       \
		t->number = value;                                                          \
		at += length;                                                               \
	} while (0);
	TRUTH_NUMBERS(TRUTH_TAKE)
	if (strncmp(at, "name=", 5))
		return false;
	snprintf(t->name, sizeof(t->name), "%.*s", (int)strcspn(at + 5, "\n"), at + 5);
	return true;
}

/* Called just before this process, or a thread of it, ends. */
static inline void truth_ends(void)
{
	char line[64];

	truth_put(line, snprintf(line, sizeof(line), "end pid=%d at=%" PRIu64 "\n", getpid(),
				 truth_now()));
}

static inline void __attribute__((noreturn)) truth_exit(int status)
{
	truth_ends();
	_exit(status);
}

/* Writes the last line, and returns the exit status of the workload. */
static inline int truth_total(int processes, int threads)
{
	char line[64];

	truth_put(line, snprintf(line, sizeof(line), "total processes=%d threads=%d\n", processes,
				 threads));
	return 0;
}

/* Called before the call that makes a process whose parent, creator and reaper is the caller. */
static inline void truth_begin(struct truth *t, const char *name)
{
	*t = (struct truth){ .parent = getpid(), .creator = getpid(), .reaper = getpid() };
	t->threads = 1;
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->after = truth_now();
}

/*
 * Called after it, in both processes; @pid is what the call returned. The new process gets its name.
 * Return: false if there was no pid left for it, and the call should be tried again.
 */
static inline bool truth_end(struct truth *t, pid_t pid)
{
	t->before = truth_now();
	t->pid = pid ? pid : getpid();
	if (pid < 0) {
		if (errno != EAGAIN)
			err(1, "cannot make a process");
		usleep(1000);
		return false;
	}
	if (!pid && t->name[0])
		prctl(PR_SET_NAME, t->name);
	return true;
}

static inline pid_t truth_fork(struct truth *t, const char *name)
{
	pid_t pid;

	do {
		truth_begin(t, name);
		pid = fork();
	} while (!truth_end(t, pid));
	return pid;
}

/* Waits for it, or for any child (-1), and returns which it was; 0: there is none. */
static inline pid_t truth_wait_for(struct truth *t, pid_t wanted, struct rusage *usage)
{
	pid_t pid;

	t->reap_from = truth_now();
	pid = wait4(wanted, &t->status, 0, usage);
	t->reap_to = truth_now();
	if (pid < 0 && errno != ECHILD)
		err(1, "wait");
	return pid < 0 ? 0 : pid;
}

static inline void truth_wait(struct truth *t)
{
	if (!truth_wait_for(t, t->pid, NULL))
		errx(1, "%d is no child", t->pid);
}

static inline void truth_reap(struct truth *t)
{
	truth_wait(t);
	truth_write(t);
}

/* Waits until there are no children any more. */
static inline void truth_wait_all(void)
{
	while (wait(NULL) > 0)
		;
	if (errno != ECHILD)
		err(1, "wait");
}

static inline int truth_argument(int argc, char **argv, int n, int otherwise)
{
	return argc > n ? atoi(argv[n]) : otherwise;
}

#endif
