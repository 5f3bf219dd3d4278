// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "victim.h"

pid_t fork_victim(bool (*prepare)(void))
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if ((prepare && !prepare()) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	/* If the child fails, the read below ends instead of waiting. */
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}
