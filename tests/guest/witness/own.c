// SPDX-License-Identifier: GPL-2.0-only
/* Children that use the machine in different ways, and what their parent can know of them. */
#include "witness.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL
#define CGROUP "/sys/fs/cgroup/witness"

static uint64_t *exits; /* when each child was about to end, by its number */

/* For a child whose memory another process shares, and keeps for longer. */
struct hold {
	pid_t holder;
	uint32_t release; /* 1: it should end */
	uint64_t released; /* when it was about to end */
};

static struct hold *holds; /* by the child's number */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void compute(uint64_t ns)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		;
}

static void call(uint64_t ns)
{
	static char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			_exit(99);
}

static void touch(size_t bytes)
{
	volatile char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
}

static void rest(unsigned int times)
{
	while (times--)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

enum kind { SHORT, COMPUTES, CALLS, TOUCHES, RESTS, KILLED, OTHER_USER, ZOMBIE, HELD, KINDS };

/* Shares the memory of the child, which is gone; only the stack is its own. */
static int hold(void *data)
{
	struct hold *h = data;

	while (!__atomic_load_n(&h->release, __ATOMIC_ACQUIRE))
		rest(1);
	h->released = now();
	syscall(SYS_exit, 0);
	return 0;
}

/* Starts the holder as a sibling, so that the parent can wait for it. */
static void start_holder(struct hold *h)
{
	const size_t size = 65536;
	char *stack = malloc(size);

	h->holder = stack ? clone(hold, stack + size, CLONE_VM | CLONE_PARENT | SIGCHLD, h) : -1;
	if (h->holder < 0)
		_exit(99);
}

/* The child is gone, and the holder ends some time later. */
static void release(struct hold *h, struct own_life *life)
{
	life->holder = (uint32_t)h->holder;
	rest(10);
	__atomic_store_n(&h->release, 1, __ATOMIC_RELEASE);
	if (waitpid(h->holder, NULL, 0) != h->holder)
		die("waitpid");
	life->after_release = now();
	life->before_release = h->released;
}

static void child(unsigned int n)
{
	switch (n % KINDS) {
	case COMPUTES:
		compute(40 * MS);
		break;
	case CALLS:
		call(40 * MS);
		break;
	case TOUCHES:
		touch((size_t)(1 + n % 16) << 20);
		break;
	case RESTS:
		rest(10 + n % 8);
		break;
	case KILLED:
		pause();
		break;
	case HELD:
		start_holder(&holds[n]);
		touch((size_t)(1 + n % 16) << 20);
		break;
	case OTHER_USER:
		/* The recording gets the user from the exec. */
		if (setresuid(20000 + n, 20000 + n, 20000 + n))
			_exit(99);
		execl("/bin/true", "true", NULL);
		_exit(98);
	}
	exits[n] = now();
	if (n / KINDS % 2)
		syscall(SYS_exit, (int)n % 256); /* as a thread, not as its group */
	_exit((int)n % 256);
}

static void follow(unsigned int n, struct own_life *life)
{
	struct rusage usage;
	siginfo_t info;
	pid_t pid;

	memset(life, 0, sizeof(*life));
	life->before_fork = now();
	pid = fork();
	if (!pid)
		child(n);
	life->after_fork = now();
	if (pid < 0)
		die("fork");
	life->pid = (uint32_t)pid;
	if (n % KINDS == KILLED) {
		rest(3);
		life->before_kill = now();
		kill(pid, n / KINDS % 3 ? SIGKILL : SIGTERM);
		life->after_kill = now();
	}
	if (n % KINDS == ZOMBIE) {
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
		rest(20);
	}
	life->before_wait = now();
	if (wait4(pid, &life->status, 0, &usage) != pid)
		die("wait4");
	life->after_wait = now();
	if (n % KINDS == HELD)
		release(&holds[n], life);
	life->uid = n % KINDS == OTHER_USER ? 20000 + n : getuid();
	life->before_exit = exits[n];
	life->utime = (uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec;
	life->stime = (uint64_t)usage.ru_stime.tv_sec * 1000000 + (uint64_t)usage.ru_stime.tv_usec;
	life->max_rss = (uint64_t)usage.ru_maxrss;
	life->min_flt = (uint64_t)usage.ru_minflt;
	life->maj_flt = (uint64_t)usage.ru_majflt;
	life->nvcsw = (uint64_t)usage.ru_nvcsw;
	life->nivcsw = (uint64_t)usage.ru_nivcsw;
}

#define U " %" PRIu64
#define LINE "%" PRIu32 " %" PRIu32 " %" PRIu32 U " %" PRId32 U U U U U U U U U U U U U U " %" PRIu32 U U "\n"

/* Moves to a new cgroup, so that its number is unique. Returns the number. */
static uint64_t enter_cgroup(void)
{
	FILE *file;
	struct stat st;

	mkdir(CGROUP, 0755);
	file = fopen(CGROUP "/cgroup.procs", "w");
	if (!file || fputs("0", file) < 0 || fclose(file) || stat(CGROUP, &st))
		die(CGROUP);
	return st.st_ino;
}

int own_run(unsigned int children, const char *path)
{
	FILE *file = fopen(path, "w");
	uint64_t cgroup = enter_cgroup();

	exits = mmap(NULL, children * sizeof(*exits), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	holds = mmap(NULL, children * sizeof(*holds), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!file || exits == MAP_FAILED || holds == MAP_FAILED)
		die(path);
	for (unsigned int n = 0; n < children; n++) {
		struct own_life l;

		follow(n, &l);
		fprintf(file, LINE, l.pid, (uint32_t)getpid(), l.uid, cgroup, l.status, l.utime, l.stime,
			l.max_rss, l.min_flt, l.maj_flt, l.nvcsw, l.nivcsw, l.before_fork, l.after_fork,
			l.before_exit, l.before_kill, l.after_kill, l.before_wait, l.after_wait, l.holder,
			l.before_release, l.after_release);
		fflush(file);
	}
	return fclose(file) ? 1 : 0;
}

#define SU " %" SCNu64

void own_read(struct witnesses *witnesses, const char *path)
{
	FILE *file = fopen(path, "r");
	struct own_life l;

	if (!file)
		die(path);
	while (fscanf(file, "%" SCNu32 " %" SCNu32 " %" SCNu32 SU " %" SCNd32 SU SU SU SU SU SU SU SU SU SU SU SU
			    SU SU " %" SCNu32 SU SU, &l.pid, &l.ppid, &l.uid, &l.cgroup, &l.status,
		      &l.utime, &l.stime, &l.max_rss, &l.min_flt, &l.maj_flt, &l.nvcsw, &l.nivcsw, &l.before_fork, &l.after_fork,
		      &l.before_exit, &l.before_kill, &l.after_kill, &l.before_wait,
		      &l.after_wait, &l.holder, &l.before_release, &l.after_release) == 22) {
		witnesses->own = grown(witnesses->own, witnesses->own_count, sizeof(l));
		witnesses->own[witnesses->own_count++] = l;
	}
	if (!feof(file))
		die(path);
	fclose(file);
}
