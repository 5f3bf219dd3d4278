// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int find_program(char program[PATH_MAX])
{
	char own[PATH_MAX] = "";
	char *build;

	/* A test is B/tests/unit/test_NAME, and the program B/proclife-read. */
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0) {
		perror("/proc/self/exe");
		return -1;
	}
	build = dirname(dirname(dirname(own)));
	if (snprintf(program, PATH_MAX, "%s/proclife-read", build) >= PATH_MAX) {
		fprintf(stderr, "%s: the path is too long\n", build);
		return -1;
	}
	setenv("LD_LIBRARY_PATH", build, 1);
	setenv("LC_ALL", "C", 1);
	return 0;
}
