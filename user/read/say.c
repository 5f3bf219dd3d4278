// SPDX-License-Identifier: GPL-2.0-only
#include "say.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void say(const char *format, ...)
{
	va_list args;

	flockfile(stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
}

bool say_on_terminal(void)
{
	return isatty(STDERR_FILENO);
}

void die_no_memory(void)
{
	say("out of memory");
	exit(STATUS_ERROR);
}
