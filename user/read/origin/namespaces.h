/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_NAMESPACES_H
#define READ_NAMESPACES_H

#include <stdbool.h>
#include <sys/stat.h>

/* The inodes of the namespaces in which the kernel booted are constants. */
#define INITIAL_USER_NAMESPACE 0xeffffffd
#define INITIAL_PID_NAMESPACE 0xeffffffc

/* Is this process in it, as its link @name in /proc says? True where that cannot be seen. */
static inline bool in_namespace(const char *name, ino_t inode)
{
	struct stat st;

	return stat(name, &st) || st.st_ino == inode;
}

#endif
