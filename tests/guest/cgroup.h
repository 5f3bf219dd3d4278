/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder of the default hierarchy in which guest tests make cgroups. */
#ifndef TESTS_GUEST_CGROUP_H
#define TESTS_GUEST_CGROUP_H

#include <stdint.h>

extern char cgroup_root[]; /* once it is mounted */

/* Return 0, or -1 with errno. The first one is also a group's setup for cmocka. */
int cgroup_mount(void **state);
int cgroup_unmount(void);
/* Waits for its last task, which can still be on its way out. */
int cgroup_remove(const char *folder);
/* Writes this text to this file of it, such as "0" to cgroup.procs: then the caller is in it. */
int cgroup_write(const char *folder, const char *file, const char *text);

/* As the records have it. */
uint64_t cgroup_number(const char *folder);
/* The number behind this word in this file of it; 0 if it is not there. */
uint64_t cgroup_read(const char *folder, const char *file, const char *word);

#endif
