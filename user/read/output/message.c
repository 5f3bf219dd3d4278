// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool quiet;
static int status_columns; /* what message_status() shows */

void message(const char *format, ...)
{
	va_list args;

	message_status(NULL);
	flockfile(stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
}

bool message_on_terminal(void)
{
	return !quiet && isatty(STDERR_FILENO);
}

void message_quiet(void)
{
	quiet = true;
}

static int terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/* Spaces erase the line on any terminal. */
void message_status(const char *line)
{
	int most = terminal_columns() - 1;
	int columns = line ? (int)strnlen(line, most) : 0;

	if (line)
		fprintf(stderr, "\r%.*s%*s", columns, line,
			status_columns > columns ? status_columns - columns : 0, "");
	else if (status_columns)
		fprintf(stderr, "\r%*s\r", status_columns, "");
	status_columns = columns;
}

void message_interrupted(void)
{
	if (!status_columns) {
		fputc('\n', stderr);
		return;
	}
	status_columns += 2;
	message_status(NULL);
}

void die_no_memory(void)
{
	message("out of memory");
	exit(STATUS_ERROR);
}
