/* SPDX-License-Identifier: GPL-2.0-only */
/* proclife-read as it was built beside a test. */
#ifndef TESTS_UNIT_PROGRAM_H
#define TESTS_UNIT_PROGRAM_H

#include <limits.h>

/*
 * Sets the path of proclife-read, and the environment so that it finds the library built with it
 * and says everything in the C locale. Returns 0, or -1 having said why not.
 */
int find_program(char program[PATH_MAX]);

#endif
