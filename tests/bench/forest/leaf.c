// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that a forest executes most: it ends at once. It starts without libc, since that takes an
 * emulated CPU longer than a whole life takes the kernel; so it uses only the parts of libc that need
 * no start.
 */
#include <unistd.h>

void _start(void);

void _start(void)
{
	_exit(getpid() % 4 ? 0 : getpid() % 100);
}
