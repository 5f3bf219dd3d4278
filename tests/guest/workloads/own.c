// SPDX-License-Identifier: GPL-2.0-only
/* own [CHILDREN]: children that use the machine in different ways, and what their parent can know of them. */
#include "truth/told.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MS 1000000ULL
#define CGROUP "/sys/fs/cgroup/witness"

/* For a child whose memory another process shares, and keeps for longer. */
struct hold {
	pid_t holder;
	uint32_t release; /* 1: it should end */
	uint64_t released; /* when it was about to end */
};

static struct hold *holds; /* by the child's number */

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
	while (cpu_time() < ns)
		;
}

static void call(uint64_t ns)
{
	static char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY);

	while (cpu_time() < ns)
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
	h->released = truth_now();
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
static void release(struct hold *h, struct truth *t)
{
	t->holder = h->holder;
	rest(10);
	__atomic_store_n(&h->release, 1, __ATOMIC_RELEASE);
	if (waitpid(h->holder, NULL, 0) != h->holder)
		err(1, "waiting for the holder");
	t->release_to = truth_now();
	t->release_from = h->released;
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
	truth_ends();
	if (n / KINDS % 2)
		syscall(SYS_exit, (int)n % 256); /* as a thread, not as its group */
	_exit((int)n % 256);
}

static void follow(unsigned int n, struct truth *t)
{
	struct rusage usage;
	siginfo_t info;

	/* One that is killed before it runs has our name. */
	if (!truth_fork(t, "own"))
		child(n);
	if (n % KINDS == KILLED) {
		rest(3);
		t->killed = truth_now();
		kill(t->pid, n / KINDS % 3 ? SIGKILL : SIGTERM);
		t->killed_to = truth_now();
	}
	if (n % KINDS == ZOMBIE) {
		waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOWAIT);
		rest(20);
	}
	if (!truth_wait_for(t, t->pid, &usage))
		errx(1, "%d is no child", t->pid);
	if (n % KINDS == HELD)
		release(&holds[n], t);
	t->uid = n % KINDS == OTHER_USER ? 20000 + n : getuid();
	if (n % KINDS == OTHER_USER) {
		t->execs = 1;
		snprintf(t->name, sizeof(t->name), "true");
	}
	t->used = true;
	t->utime = (uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec;
	t->stime = (uint64_t)usage.ru_stime.tv_sec * 1000000 + (uint64_t)usage.ru_stime.tv_usec;
	t->max_rss = (uint64_t)usage.ru_maxrss;
	t->min_flt = (uint64_t)usage.ru_minflt;
	t->maj_flt = (uint64_t)usage.ru_majflt;
	t->nvcsw = (uint64_t)usage.ru_nvcsw;
	t->nivcsw = (uint64_t)usage.ru_nivcsw;
}

/* Moves to a new cgroup, so that its number is unique. Returns the number. */
static uint64_t enter_cgroup(void)
{
	FILE *file;
	struct stat st;

	mkdir(CGROUP, 0755);
	file = fopen(CGROUP "/cgroup.procs", "w");
	if (!file || fputs("0", file) < 0 || fclose(file) || stat(CGROUP, &st))
		err(1, "%s", CGROUP);
	return st.st_ino;
}

int main(int argc, char **argv)
{
	unsigned int children = (unsigned int)truth_argument(argc, argv, 1, 96);
	uint64_t cgroup = enter_cgroup();

	holds = mmap(NULL, children * sizeof(*holds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (holds == MAP_FAILED)
		err(1, "mmap");
	for (unsigned int n = 0; n < children; n++) {
		struct truth t;

		follow(n, &t);
		t.cgroup = cgroup;
		truth_write(&t);
	}
	return 0;
}
