// SPDX-License-Identifier: GPL-2.0-only
/*
 * forest [OPTION...]: trees of processes on all CPUs at once, whose truth is known (truth.h). With
 * --rate N it makes N a second, as far as the machine is fast enough.
 *
 * What it makes is what builds and shells make: a few at a time that exec a small program, batches
 * of children that are zombies together, shells that have children of their own, chains, names that
 * are set or inherited, children that are killed, and daemons by double fork, half of which go to
 * init and half to a subreaper. What they exec is leaf.c, or this program again for a shell, under
 * the names of other programs and linked statically, so that no time goes to the dynamic linker.
 */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "forest.h"

/* Slots beyond the processes wanted, per loop: the jobs under way may still need them. */
#define SLACK 256

/* The fastest life: a process that is forked, ends and is reaped, on one CPU. */
static void __attribute__((noreturn)) be_plain_loop(uint64_t wanted, int cpu)
{
	uint32_t slot;
	cpu_set_t set;
	pid_t pid;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	while (forest->used <= wanted) {
		pid = make_unnamed(&slot);
		if (!pid)
			_exit(0);
		reap(pid, slot);
	}
	_exit(0);
}

/* Acts as the shell that the forest executes. */
static int be_program(char **argv)
{
	forest_fd = atoi(argv[1]);
	self = atoi(argv[2]);
	randomness = strtoul(argv[3], NULL, 10);
	map_truth();
	be_shell();
	leave();
}

struct plan {
	uint64_t processes;
	uint64_t rate; /* a second; 0: as fast as it can */
	int loops;
	bool plain;
	bool progress;
	const char *truth;
	char folder[32];
};

/* Wait as long as the forest is ahead of its rate. */
static void keep_pace(const struct plan *plan)
{
	while (plan->rate && (forest->used - 1) * 1000000000 > (now() - forest->began) * plan->rate)
		usleep(500);
}

static void __attribute__((noreturn)) be_loop(const struct plan *plan)
{
	while (forest->used <= plan->processes) {
		keep_pace(plan);
		do_job();
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void copy(const char *from, const char *to)
{
	char buffer[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n;

	if (in < 0)
		err(1, "%s", from);
	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, n) != n)
			err(1, "%s", to);
	if (n < 0 || out < 0)
		err(1, "%s", to);
	close(in);
	close(out);
}

/* The programs lie together in a folder, which is the current one from now on. */
static void copy_programs(struct plan *plan)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("leaf"));
	int i;

	if (n < 0)
		err(1, "/proc/self/exe");
	path[n] = '\0';
	strcpy(plan->folder, "/tmp/forest.XXXXXX");
	if (!mkdtemp(plan->folder) || chdir(plan->folder))
		err(1, "%s", plan->folder);
	copy(path, SHELL);
	strcpy(strrchr(path, '/') + 1, "leaf");
	copy(path, leaves[0]);
	for (i = 1; i < LEAVES; i++)
		if (link(leaves[0], leaves[i]))
			err(1, "%s/%s", plan->folder, leaves[i]);
}

static void remove_programs(const struct plan *plan)
{
	int i;

	unlink(SHELL);
	for (i = 0; i < LEAVES; i++)
		unlink(leaves[i]);
	rmdir(plan->folder);
}

/* What to add to CLOCK_MONOTONIC: the best of several, since time can pass between two readings. */
static uint64_t distance_to_realtime(void)
{
	uint64_t least = UINT64_MAX, distance = 0;
	int i;

	for (i = 0; i < 16; i++) {
		uint64_t before = now(), after;
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
		after = now();
		if (after - before >= least)
			continue;
		least = after - before;
		distance = ts.tv_sec * 1000000000ULL + ts.tv_nsec - (before + least / 2);
	}
	return distance;
}

static void new_truth(const struct plan *plan)
{
	uint64_t room = 2 + plan->processes + (uint64_t)plan->loops * SLACK + ORPHANS_AT_ONCE * 4;

	forest_fd = open(plan->truth, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (forest_fd < 0 ||
	    ftruncate(forest_fd, sizeof(*forest) + room * sizeof(struct forest_process)))
		err(1, "%s", plan->truth);
	map_truth();
	forest->magic = FOREST_MAGIC;
	forest->fd = forest_fd;
	forest->room = room;
	forest->used = 1;
	forest->began = now();
	forest->to_realtime = distance_to_realtime();
}

/* The root of all trees. */
static void __attribute__((noreturn)) be_root(const struct plan *plan)
{
	uint32_t slot[plan->loops];
	pid_t pid[plan->loops];
	char name[FOREST_NAME_LEN];
	int i, status = 0;

	for (i = 0; i < plan->loops; i++) {
		snprintf(name, sizeof(name), "loop %d", i);
		pid[i] = make_named(name, &slot[i]);
		if (pid[i])
			continue;
		randomness = i * 2654435761U + 88172645;
		if (plan->plain)
			be_plain_loop(plan->processes, i);
		be_loop(plan);
	}
	for (i = 0; i < plan->loops; i++) {
		reap(pid[i], slot[i]);
		status |= forest->process[slot[i]].status;
	}
	_exit(status ? 1 : 0);
}

static void show_progress(const struct plan *plan)
{
	static uint64_t next = 1;
	uint64_t done = forest->used - 1;

	if (!plan->progress || done * 20 < next * plan->processes)
		return;
	next = done * 20 / plan->processes + 1;
	fprintf(stderr, "%5.0f s: %llu of %llu processes\n", (now() - forest->began) / 1e9,
		(unsigned long long)done, (unsigned long long)plan->processes);
}

static int grow(struct plan *plan)
{
	uint32_t slot;
	pid_t pid;

	copy_programs(plan);
	pid = make_named("root", &slot);
	if (!pid)
		be_root(plan);
	while (waitpid(pid, &forest->process[slot].status, WNOHANG) != pid) {
		usleep(100000);
		show_progress(plan);
	}
	forest->process[slot].reaper = getpid();
	if (!forest->process[slot].status) {
		while (forest->orphans_ended < forest->orphans)
			usleep(10000);
		forest->complete = 1;
	}
	forest->ended = now();
	remove_programs(plan);
	if (!forest->complete)
		errx(1, "a process of the forest failed");
	return 0;
}

static uint64_t number(const char *option, const char *text, uint64_t max)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*end || !n || n > max)
		errx(129, "--%s %s: not a number from 1 to %llu", option, text,
		     (unsigned long long)max);
	return n;
}

static const char usage[] =
	"usage: forest --truth FILE [OPTION...]\n"
	"Makes processes, and leaves in FILE what is true of each, for judge.\n"
	"  --processes N  how many, and a few more (1000)\n"
	"  --rate N       how many a second, as far as the machine can (as many as it can)\n"
	"  --loops N      how many make them at the same time (one for each CPU)\n"
	"  --plain        nothing but fork, exit and wait\n"
	"  --progress     say how many there are, on standard error\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "processes", required_argument, NULL, 'n' },
		{ "loops", required_argument, NULL, 'l' },
		{ "rate", required_argument, NULL, 'r' },
		{ "truth", required_argument, NULL, 't' },
		{ "plain", no_argument, NULL, 'p' },
		{ "progress", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct plan plan = { .processes = 1000, .loops = sysconf(_SC_NPROCESSORS_ONLN) };
	int c;

	if (argc == 4 && argv[0][0] != '/' && argv[1][0] >= '0' && argv[1][0] <= '9')
		return be_program(argv);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'n':
			plan.processes = number("processes", optarg, 1000000000);
			break;
		case 'l':
			plan.loops = number("loops", optarg, 1024);
			break;
		case 'r':
			plan.rate = number("rate", optarg, 1000000);
			break;
		case 't':
			plan.truth = optarg;
			break;
		case 'p':
			plan.plain = true;
			break;
		case 'v':
			plan.progress = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs("forest: --help lists the options\n", stderr);
			return 129;
		}
	if (optind < argc || !plan.truth)
		errx(129, "--truth FILE is needed, and nothing but options; see --help");
	new_truth(&plan);
	return grow(&plan);
}
