// SPDX-License-Identifier: GPL-2.0-only
#include "terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TRIES 400 /* of 25 ms */

char *seen;
static char socket_name[64];

void terminal_next(void)
{
	static unsigned int number; /* a server that was asked to end takes a while */

	if (number)
		DO("kill-server");
	snprintf(socket_name, sizeof(socket_name), "proclife-%d-%u", (int)getpid(), number++);
}

void terminal_end(void)
{
	DO("kill-server");
	free(seen);
	seen = NULL;
}

char *ask(const char *format, ...)
{
	char command[4096], whole[4200];
	char *text = calloc(1, 1 << 17);
	va_list args;
	FILE *pipe;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "tmux -u -L %s -f /dev/null %s 2>&1", socket_name, command);
	pipe = popen(whole, "r");
	assert_non_null(pipe);
	assert_non_null(text);
	text[fread(text, 1, (1 << 17) - 1, pipe)] = '\0';
	pclose(pipe);
	return text;
}

void wait_for(const char *text, bool there)
{
	unsigned int tries;

	for (tries = TRIES; tries; tries--) {
		free(seen);
		seen = ask("capture-pane -p");
		if (!strstr(seen, text) != there)
			return;
		usleep(25000);
	}
	fail_msg("'%s' %s on the screen:\n%s", text, there ? "is not" : "is still", seen);
}

void press(const char *keys)
{
	DO("send-keys %s", keys);
}

const char *row(unsigned int number)
{
	static char line[1024];
	const char *s = seen;

	while (number-- && strchr(s, '\n'))
		s = strchr(s, '\n') + 1;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(s, "\n"), s);
	return line;
}

void see_in(unsigned int number, const char *text)
{
	unsigned int tries;

	for (tries = TRIES; tries; tries--) {
		free(seen);
		seen = ask("capture-pane -p");
		if (strstr(row(number), text))
			return;
		usleep(25000);
	}
	fail_msg("'%s' is not in line %u:\n%s", text, number, seen);
}
