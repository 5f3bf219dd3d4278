/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of the sides that --diff compares, and its expected output. */
#ifndef TEST_SIDES_H
#define TEST_SIDES_H

#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dirs[4][PATH_MAX / 2 + 8];
static struct who init;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	for (unsigned int i = 0; i < 4; i++)
		snprintf(dirs[i], sizeof(dirs[i]), "%s/%c", folder.base, "abcd"[i]);
	return 0;
}

static struct output diff(bool errors, const char *options)
{
	return run_program(errors, 0, "%s --diff %s", program, options);
}

static void expect(const char *a, const char *b, const char *options, int status, const char *part)
{
	char line[2 * PATH_MAX];
	struct output out;

	snprintf(line, sizeof(line), "%s %s %s", a, b, options);
	out = diff(false, line);
	if (out.status != status || !strstr(out.text, part))
		fail_msg("--diff %s: status %d:\n%s\nwithout:\n%s", line, out.status, out.text, part);
	free(out.text);
}

#endif
