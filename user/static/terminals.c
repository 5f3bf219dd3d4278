// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descriptions of the usual terminals, for machines without a database of them, such as an initramfs. ncurses takes
 * one from TERMINFO itself: see terminfo(5). What the machine has comes first.
 */
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

static const struct {
	const char *name, *description;
} known[] = {
#include "terminals.h"
};

int __real_setupterm(const char *name, int fd, int *found);
int __wrap_setupterm(const char *name, int fd, int *found);
SCREEN *__real_newterm(const char *name, FILE *out, FILE *in);
SCREEN *__wrap_newterm(const char *name, FILE *out, FILE *in);

/* What TERMINFO was before, until it is taken back. */
static char *before;

static bool lend(const char *name)
{
	const char *old = getenv("TERMINFO");
	size_t i;

	if (!name)
		name = getenv("TERM");
	for (i = 0; name && i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].name, name))
			continue;
		before = old ? strdup(old) : NULL;
		return (before || !old) && !setenv("TERMINFO", known[i].description, 1);
	}
	return false;
}

/* The commands that are executed do not see it. */
static void take_back(void)
{
	if (before)
		setenv("TERMINFO", before, 1);
	else
		unsetenv("TERMINFO");
	free(before);
	before = NULL;
}

int __wrap_setupterm(const char *name, int fd, int *found)
{
	int ret = __real_setupterm(name, fd, found);

	if (ret == OK || !lend(name))
		return ret;
	ret = __real_setupterm(name, fd, found);
	take_back();
	return ret;
}

SCREEN *__wrap_newterm(const char *name, FILE *out, FILE *in)
{
	SCREEN *screen = __real_newterm(name, out, in);

	if (screen || !lend(name))
		return screen;
	screen = __real_newterm(name, out, in);
	take_back();
	return screen;
}
