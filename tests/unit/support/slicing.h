/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of a story, its slice, and what proclife-read prints of both. */
#ifndef TEST_SLICING_H
#define TEST_SLICING_H

#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char part[2 * PATH_MAX];

/* The text on standard error; to be freed. */
static inline char *slice(int status, const char *options)
{
	struct output out;

	snprintf(part, sizeof(part), "%s/part", folder.base);
	out = run_program(true, 0, "%s -i %s --slice %s %s", program, folder.path, part, options);
	if (out.status != status)
		fail_msg("%s: status %d:\n%s", options, out.status, out.text);
	return out.text;
}

static inline void expect_said(int status, const char *options, const char *says)
{
	char *text = slice(status, options);

	/* No other message is allowed. */
	if (!strstr(text, says) || (strstr(text, "no process matched") && !strstr(says, "no process")))
		fail_msg("%s: not '%s', but:\n%s", options, says, text);
	free(text);
}

/* Runs a view of it, which must end with this status; returns how often it has this text. */
static inline unsigned int count(int status, const char *dir, const char *options, const char *text)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, dir, options);
	unsigned int n = count_text(out.text, text);

	if (out.status != status)
		fail_msg("%s: status %d:\n%s", options, out.status, out.text);
	free(out.text);
	return n;
}

static inline void expect_same(int status, const char *options)
{
	struct output a = run_program(false, 0, "%s -i %s %s", program, folder.path, options);
	struct output b = run_program(false, 0, "%s -i %s %s", program, part, options);

	assert_int_equal(a.status, status);
	assert_int_equal(b.status, status);
	assert_string_equal(a.text, b.text);
	free(a.text);
	free(b.text);
}

#endif
