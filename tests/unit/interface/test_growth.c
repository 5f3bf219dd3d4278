// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each structure of proclife.h is one of the three kinds that libproclife(3), "Versions", names. So a structure
 * that can grow is no part of another one, and is not filled in by the library for a program that made it
 * without a size.
 */
#include "check.h"

#include <limits.h>
#include <proclife.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	OF_LIBRARY, /* it grows, and programs have only pointers to it */
	SIZED,	    /* it grows, and programs make it */
	FIXED,
};

static char header[1 << 17], page[1 << 17];

static void read_source(const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", SOURCE, name);
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(text, 1, size - 1, file);
	assert_true(n < size - 1);
	text[n] = '\0';
	fclose(file);
}

/* Is it named from @begin to @end of the page? */
static bool is_named(const char *begin, const char *end, const char *name)
{
	const char *from = strstr(page, begin), *at;
	char wanted[80];
	size_t n = (size_t)snprintf(wanted, sizeof(wanted), "struct proclife_%s", name);

	assert_non_null(from);
	end = strstr(from, end);
	assert_non_null(end);
	for (at = from; (at = strstr(at, wanted)) && at < end; at += n)
		if (at[n] == ' ' || at[n] == '\n')
			return true;
	return false;
}

static enum kind kind_of(const char *name)
{
	if (is_named("What the program makes and what may grow", "Members that an older program", name))
		return SIZED;
	if (is_named("What does not grow", "Additions get new functions", name))
		return FIXED;
	return OF_LIBRARY;
}

static bool has_body(const char *name)
{
	char wanted[96];

	snprintf(wanted, sizeof(wanted), "\nstruct proclife_%s {\n", name);
	return strstr(header, wanted) != NULL;
}

static void test_parts(void **state)
{
	unsigned int parts = 0, structures = 0;
	char outer[64] = "", name[64];

	(void)state;
	for (const char *line = header; line; line = strchr(line, '\n')) {
		line++;
		if (*line == 's' && sscanf(line, "struct proclife_%63[a-z_]", name) == 1 &&
		    line[strlen("struct proclife_") + strlen(name) + 1] == '{') {
			memcpy(outer, name, sizeof(outer));
			structures++;
			if ((kind_of(name) == SIZED) != !strncmp(strchr(line, '\n'), "\n\tsize_t size;", 14))
				fail_msg("struct proclife_%s: is it made by programs, with a size?", name);
		}
		if (strncmp(line, "\tstruct", 7) || sscanf(line, "\tstruct proclife_%63[a-z_]", name) != 1 ||
		    line[strlen("\tstruct proclife_") + strlen(name) + 1] == '*')
			continue;
		parts++;
		if (kind_of(name) != FIXED)
			fail_msg("struct proclife_%s can grow, and is part of struct proclife_%s", name, outer);
	}
	assert_true(parts > 5);
	assert_true(structures > 20);
}

/* Structures that functions fill in. Tasks and processes are the library's: programs write only to `user`. */
static void test_filled_in(void **state)
{
	static const char pointer[] = "struct proclife_";
	unsigned int filled = 0;
	char name[64];

	(void)state;
	for (const char *at = header; (at = strstr(at, pointer)); at++) {
		const char *end = at + strlen(pointer);

		if (sscanf(end, "%63[a-z_]", name) != 1 || !has_body(name))
			continue;
		end += strlen(name);
		if (strncmp(end, " *", 2) || !strncmp(at - 6, "const ", 6) || at[-1] == '\t' || at[-1] == '\n')
			continue; /* a member, or what a function returns */
		if (!strcmp(name, "process") || !strcmp(name, "task"))
			continue;
		filled++;
		if (kind_of(name) != FIXED)
			fail_msg("struct proclife_%s can grow, and programs have the room for it", name);
	}
	assert_true(filled > 5);
}

static int begin(void **state)
{
	(void)state;
	read_source("user/lib/proclife.h", header, sizeof(header));
	read_source("user/man/libproclife.3", page, sizeof(page));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_filled_in),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
