// SPDX-License-Identifier: GPL-2.0-only
#include "module.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODULE "proclife"

/* Both stop a test: the guest is not as it should be. */
static void *must(void *pointer, const char *what)
{
	if (!pointer) {
		perror(what);
		abort();
	}
	return pointer;
}

static int must_fork(void)
{
	int pid = fork();

	if (pid < 0) {
		perror("fork");
		abort();
	}
	return pid;
}

bool module_is_bpf(void)
{
	return getenv("without");
}

static int run(const char *command, const char *parameters)
{
	char line[512];

	if (snprintf(line, sizeof(line), "%s " MODULE " %s", command, parameters) >= (int)sizeof(line))
		return -E2BIG;
	return system(line) ? -EIO : 0;
}

int module_load(const char *parameters)
{
	struct kmod_ctx *ctx;
	struct kmod_module *module;
	int ret;

	if (module_is_bpf())
		return run("modprobe", parameters);
	ctx = must(kmod_new(NULL, NULL), "kmod_new");
	ret = kmod_module_new_from_name(ctx, MODULE, &module);
	if (!ret) {
		ret = kmod_module_insert_module(module, 0, parameters);
		kmod_module_unref(module);
	}
	kmod_unref(ctx);
	return ret;
}

int module_unload(void)
{
	struct kmod_ctx *ctx;
	struct kmod_module *module;
	int ret;

	if (module_is_bpf())
		return run("rmmod", "");
	ctx = must(kmod_new(NULL, NULL), "kmod_new");
	ret = kmod_module_new_from_name(ctx, MODULE, &module);
	if (!ret) {
		ret = kmod_module_remove_module(module, O_NONBLOCK);
		kmod_module_unref(module);
	}
	kmod_unref(ctx);
	return ret;
}

bool module_loaded(void)
{
	return access(module_is_bpf() ? "/sys/fs/bpf/" MODULE : "/sys/module/" MODULE, F_OK) == 0;
}

int load_fixture(void **state)
{
	(void)state;
	return module_load("");
}

int unload_fixture(void **state)
{
	(void)state;
	return module_unload();
}

void fork_once(int status)
{
	int pid = must_fork();

	if (!pid)
		_exit(status);
	if (waitpid(pid, NULL, 0) != pid)
		abort();
}

void fork_many(unsigned int count)
{
	while (count--)
		fork_once(0);
}

struct storm {
	unsigned int processes;
	uint64_t *forked; /* shared, one for each process */
	pid_t pids[];
};

static volatile sig_atomic_t storm_over;

static void end_storm(int signal)
{
	(void)signal;
	storm_over = 1;
}

void end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
}

static void storm_process(pid_t parent, uint64_t *forked)
{
	end_with(parent);
	signal(SIGTERM, end_storm);
	while (!storm_over) {
		fork_once(0);
		__atomic_fetch_add(forked, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

struct storm *storm_start(unsigned int processes)
{
	pid_t parent = getpid();
	struct storm *storm = must(malloc(sizeof(*storm) + processes * sizeof(pid_t)), "malloc");
	unsigned int i;

	storm->processes = processes;
	storm->forked = mmap(NULL, processes * sizeof(uint64_t), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(storm->forked != MAP_FAILED);
	for (i = 0; i < processes; i++) {
		storm->pids[i] = must_fork();
		if (!storm->pids[i])
			storm_process(parent, &storm->forked[i]);
	}
	return storm;
}

uint64_t storm_forked(const struct storm *storm)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < storm->processes; i++)
		sum += __atomic_load_n(&storm->forked[i], __ATOMIC_RELAXED);
	return sum;
}

void storm_for(const struct storm *storm, uint64_t more)
{
	uint64_t end = storm_forked(storm) + more;
	unsigned int ms;

	for (ms = 0; storm_forked(storm) < end; ms++) {
		assert(ms < 60000);
		usleep(1000);
	}
}

uint64_t storm_stop(struct storm *storm)
{
	uint64_t sum;
	unsigned int i;

	for (i = 0; i < storm->processes; i++)
		kill(storm->pids[i], SIGTERM);
	for (i = 0; i < storm->processes; i++)
		waitpid(storm->pids[i], NULL, 0);
	sum = storm_forked(storm);
	munmap(storm->forked, storm->processes * sizeof(uint64_t));
	free(storm);
	return sum;
}

void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		abort();
	}
}

void unpin(void)
{
	cpu_set_t set;
	int cpu;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int cpu_set_online(int cpu, bool online)
{
	char path[64];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, online ? "1" : "0", 1) != 1)
		ret = -errno;
	close(fd);
	return ret;
}
