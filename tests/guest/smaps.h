/* SPDX-License-Identifier: GPL-2.0-only */
/* A process's mapped pages by its page tables, not by counters: /proc/PID/smaps. */
#ifndef TESTS_GUEST_SMAPS_H
#define TESTS_GUEST_SMAPS_H

#include <stdint.h>
#include <sys/types.h>

/* KiB */
struct smaps {
	uint64_t anon;
	uint64_t file;
	uint64_t shmem;
};

struct smaps smaps_of(pid_t pid);

#endif
