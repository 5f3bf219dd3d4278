// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that never ends, behind a device that is a file, whose name it prints: each tenth of a second,
 * three processes are born, of which one fails and one is killed; each is freed some 30 ms after its exit,
 * but for one at the beginning that stays a zombie. Names and paths have what would break a label.
 */
#include "live_device.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TICK 100000000 /* ns */
#define DEATH 30000000

static void sleep_until(struct timespec *when, long more)
{
	when->tv_nsec += more;
	when->tv_sec += when->tv_nsec / 1000000000;
	when->tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, when, NULL) == EINTR)
		;
}

static void die(const struct who *who, const struct who *parent, int32_t code)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	record.exit.parent_tgid = parent->tgid;
	live_put(1, record);
	live_put(1, notify_record(0, who, parent));
}

int main(void)
{
	static const int32_t codes[] = { 0, 1 << 8, SIGKILL };
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "\"} 1\n#"), zombie, all[3];
	struct timespec when;

	live_open(1 << 16);
	puts(live_path);
	fflush(stdout);
	/* Gives the reader a moment to open the device, since it does not get what was before. */
	clock_gettime(CLOCK_MONOTONIC, &when);
	for (uint32_t tick = 0; getppid() != 1; tick++) {
		sleep_until(&when, TICK - DEATH);
		if (tick == 20) {
			zombie = process_of_pid(60, "zombie");
			live_put(0, fork_record(0, &zombie, &init));
			die(&zombie, &init, 0);
		}
		for (uint32_t i = 0; i < 3; i++) {
			all[i] = process_of_pid(100 + (tick * 3 + i) % 30000, sh.comm);
			live_put(i, fork_record(0, &all[i], &sh));
			live_put(i, exec_record(0, &all[i], all[i].pid, "/a\"}\n/b"));
			die(&all[i], &sh, codes[i]);
		}
		sleep_until(&when, DEATH);
		for (uint32_t i = 0; i < 3; i++) {
			live_put(2, reap_record(0, &all[i], &sh));
			live_put(3, free_record(0, &all[i]));
		}
	}
	return 0;
}
