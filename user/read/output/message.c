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

/* What is said while it is held: no memory is needed for that when there may be none. */
static struct {
	bool on;
	size_t used;
	size_t last; /* where the last message begins */
	char text[8192];
} held;

static void hold(const char *format, va_list args)
{
	size_t room = sizeof(held.text) - held.used;
	int n = vsnprintf(held.text + held.used, room, format, args);

	if (n < 0 || (size_t)n + 1 >= room) { /* the first ones say most */
		held.text[held.used] = '\0';
		return;
	}
	held.last = held.used;
	held.used += (size_t)n + 1;
}

void message_hold(void)
{
	held.on = true;
}

void message_release(void)
{
	const char *text;

	held.on = false;
	for (text = held.text; text < held.text + held.used; text += strlen(text) + 1)
		message("%s", text);
	held.used = 0;
}

const char *message_held(void)
{
	return held.used ? held.text + held.last : NULL;
}

void message(const char *format, ...)
{
	va_list args;

	if (held.on) {
		va_start(args, format);
		hold(format, args);
		va_end(args);
		return;
	}
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

bool message_is_quiet(void)
{
	return quiet;
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
