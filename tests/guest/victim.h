/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that only a signal ends. */
#ifndef GUEST_VICTIM_H
#define GUEST_VICTIM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The child first calls @prepare, which may be NULL and returns false if it failed. After fork_victim(), nothing is
 * blocked in it: from glibc 2.41 on, a child begins with all signals blocked for a moment, and a signal that comes
 * then ends it only later.
 */
pid_t fork_victim(bool (*prepare)(void));

#endif
