/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder of the default hierarchy in which guest tests make cgroups. */
#ifndef TESTS_GUEST_CGROUP_H
#define TESTS_GUEST_CGROUP_H

#include <stdint.h>

extern char cgroup_root[]; /* once it is mounted */

/* Return 0, or -1 with errno. The first one is also a group's setup for cmocka. */
int cgroup_mount(void **state);
int cgroup_unmount(void);
/* Waits until its last task, which can still be exiting, has left. */
int cgroup_remove(const char *folder);
/* Writes @text to @file of the cgroup; "0" to cgroup.procs moves the caller into it. */
int cgroup_write(const char *folder, const char *file, const char *text);

/* The cgroup's number in the records. */
uint64_t cgroup_number(const char *folder);
/* The number behind this word in @file of the cgroup; 0 if the word is not there. */
uint64_t cgroup_read(const char *folder, const char *file, const char *word);

#endif
