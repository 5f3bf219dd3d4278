// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that a forest executes most: it ends at once. It has no libc to start, which an
 * emulated CPU takes longer for than the kernel does for a whole life; so it uses of libc only what
 * needs no start.
 */
#include <unistd.h>

void _start(void);

void _start(void)
{
	_exit(getpid() % 4 ? 0 : getpid() % 100);
}
