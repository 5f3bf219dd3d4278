// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspends the machine, in a guest of tests/vm/run --suspend, since others do not wake up. All
 * records from before and after are there, and in order, and the records' clock behaves like the kernel's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#define ROUNDS 3

/* CLOCK_BOOTTIME, ns: CLOCK_MONOTONIC and the time asleep. */
static uint64_t boottime(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &ts), 0);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static uint64_t realtime(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &ts), 0);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Returns 0 or a negative errno. */
static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* How often the kernel has slept. */
static unsigned int sleeps(void)
{
	FILE *f = fopen("/sys/power/suspend_stats/success", "re");
	unsigned int n;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &n), 1);
	fclose(f);
	return n;
}

/* Retries until it works: the wake-up may come before the kernel sleeps. */
static void fall_asleep(const char *how)
{
	unsigned int before = sleeps(), tries;
	int ret = -EBUSY;

	for (tries = 0; tries < 10 && ret == -EBUSY; tries++)
		ret = put("/sys/power/state", how);
	if (ret)
		fail_msg("the kernel does not sleep: %s", strerror(-ret));
	assert_int_equal(sleeps(), before + 1);
}

/* The distance of the two clocks, by the header of a device that is opened now. */
static uint64_t to_boottime(void)
{
	struct proclife_source *source = open_source();
	uint64_t offset = proclife_source_header(source)->to_boottime;

	proclife_source_free(source);
	return offset;
}

/* Checks a child's FORK: its ts is now, and its start is now on the clock that counts sleep. */
static void check_a_birth(struct proclife_source *source, uint64_t *freed, uint64_t *last)
{
	uint64_t mono = now(), boot = boottime(), real = realtime(), until;
	struct proclife_event event;
	bool found = false;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	until = now();
	while (next_until(source, until, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		assert_true(r->ts >= *last);
		*last = r->ts;
		*freed += r->type == PROCLIFE_FREE;
		if (r->type != PROCLIFE_FORK || r->pid != (uint32_t)pid)
			continue;
		found = true;
		assert_in_range(r->ts, mono, until);
		assert_in_range(r->start, boot, boottime());
		/* The source has followed both clocks, without being opened again. */
		assert_in_range(proclife_source_boottime(source, r->ts), r->start, boottime());
		assert_in_range(proclife_source_realtime(source, r->ts), real, realtime());
	}
	assert_true(found);
}

/* Returns for how long the clock has stood still, ns. */
static int64_t sleep_in_a_storm(const char *how)
{
	uint64_t freed = 0, last = 0, stormed;
	struct proclife_source *source;
	struct storm *storm;
	int64_t all = 0;
	unsigned int i;

	assert_int_equal(module_load("ring_kb=16384"), 0);
	source = open_source();
	storm = storm_start(4);
	for (i = 0; i < ROUNDS; i++) {
		int64_t told, slept;

		storm_for(storm, 50);
		told = to_boottime();
		slept = boottime() - now();
		fall_asleep(how);
		told = to_boottime() - told;
		slept = boottime() - now() - slept;
		/* The two clocks are not read at the same instant, so this is not exact. */
		assert_true(llabs(told - slept) < 20000000);
		all += slept;
		freed += read_in_order(source, UINT_MAX, &last);
		check_a_birth(source, &freed, &last);
		storm_for(storm, 50);
		freed += read_in_order(source, UINT_MAX, &last);
	}
	stormed = storm_stop(storm) + 4 + ROUNDS;
	read_until_freed(source, freed, stormed, &last);
	print_message("%u times asleep, the clock stood still for %lld ms; of %llu processes none lost\n",
		      ROUNDS, (long long)all / 1000000, (unsigned long long)stormed);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
	return all;
}

static pid_t recorder_start(const char *reader, const char *which, const char *recording, const char *saved)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		execl(reader, "proclife-read", "--source", which, "--record", recording, "--keep", "16MiB,1h", "--on", "failed",
		      "--save", saved, "--saves", "1", "--after", "1s", "--quiet", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Waits until the file is there. */
static void wait_for(const char *path)
{
	unsigned int tries;

	for (tries = 0; access(path, F_OK); tries++) {
		assert_true(tries < 100);
		usleep(100000);
	}
}

/* Prints --info of the recording, and returns it, valid until the next call. There is no shell. */
static const char *info_of(const char *reader, const char *recording)
{
	static char text[4096];
	size_t length = 0;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execl(reader, "proclife-read", "-i", recording, "--info", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + length, sizeof(text) - 1 - length)) > 0)
		length += n;
	close(fds[0]);
	text[length] = '\0';
	print_message("%s", text);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return text;
}

/* The one recording in the folder. */
static void find_saved(const char *folder, char path[PATH_MAX])
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name);
		count++;
	}
	closedir(dir);
	assert_int_equal(count, 1);
}

/* The flight recorder goes on, loses nothing, and reports that the clocks diverged. */
static void recorder_asleep(const char *how, bool by_bpf)
{
	char folder[] = "/tmp/proclife-asleep-XXXXXX", recording[64], all_saved[64];
	char reader[PATH_MAX], saved[PATH_MAX];
	struct storm *storm;
	const char *info;
	ssize_t n;
	int status;
	pid_t pid;

	n = readlink("/proc/self/exe", reader, sizeof(reader) - sizeof("/../../proclife-read"));
	assert_true(n > 0);
	reader[n] = '\0';
	strcpy(strrchr(reader, '/'), "/../../proclife-read");
	assert_int_equal(access(reader, X_OK), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(recording, sizeof(recording), "%s/flight", folder);
	snprintf(all_saved, sizeof(all_saved), "%s/saved", folder);
	if (!by_bpf)
		assert_int_equal(module_load("ring_kb=16384"), 0);
	pid = recorder_start(reader, by_bpf ? "bpf,ring_kb=16384" : "module", recording, all_saved);
	wait_for(recording);
	storm = storm_start(2);
	storm_for(storm, 50);
	fall_asleep(how);
	storm_for(storm, 50);
	fork_once(7); /* what it waits for */
	wait_for(all_saved);
	sleep(2);
	storm_stop(storm);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	info = info_of(reader, recording);
	assert_non_null(strstr(info, "\nstate        complete"));
	assert_non_null(strstr(info, "\nlost         0\n"));
	assert_non_null(strstr(info, "\nclock"));
	find_saved(all_saved, saved);
	assert_non_null(strstr(info_of(reader, saved), "\nlost         0\n"));
	if (!by_bpf)
		assert_int_equal(module_unload(), 0);
}

static void skip_where_none_wakes_up(void)
{
	if (getenv("PROCLIFE_VM_SUSPEND"))
		return;
	print_message("skipped: this guest would not wake up, see tests/vm/run --suspend\n");
	skip();
}

static void test_suspend_to_idle(void **state)
{
	(void)state;
	skip_where_none_wakes_up();
	assert_int_equal(put("/sys/power/pm_test", "none"), 0);
	sleep_in_a_storm("freeze");
}

/*
 * All of suspend to memory but the firmware's last step: CPUs go, the clock
 * stops, and five seconds later everything resumes.
 */
static void test_suspend_to_memory(void **state)
{
	(void)state;
	skip_where_none_wakes_up();
	assert_int_equal(put("/sys/power/mem_sleep", "deep"), 0);
	assert_int_equal(put("/sys/power/pm_test", "core"), 0);
	assert_true(sleep_in_a_storm("mem") > ROUNDS * 2000000000ll);
	assert_int_equal(put("/sys/power/pm_test", "none"), 0);
}

static void sleep_while_recording(bool by_bpf)
{
	skip_where_none_wakes_up();
	assert_int_equal(put("/sys/power/mem_sleep", "deep"), 0);
	assert_int_equal(put("/sys/power/pm_test", "core"), 0);
	recorder_asleep("mem", by_bpf);
	assert_int_equal(put("/sys/power/pm_test", "none"), 0);
}

static void test_recorder(void **state)
{
	(void)state;
	sleep_while_recording(false);
}

/* Its programs are there for as long as it runs. */
static void test_recorder_by_bpf(void **state)
{
	(void)state;
	sleep_while_recording(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suspend_to_idle),
		cmocka_unit_test(test_suspend_to_memory),
		cmocka_unit_test(test_recorder),
		cmocka_unit_test(test_recorder_by_bpf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
