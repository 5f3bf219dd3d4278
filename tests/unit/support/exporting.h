/* SPDX-License-Identifier: GPL-2.0-only */
/* Exports of made-up recordings, which support/exports.py reads as other programs would. */
#ifndef UNIT_EXPORTING_H
#define UNIT_EXPORTING_H

#include "program.h"
#include "recorded.h"

/* The boot id of "build"; the others have none. */
#define EXPORTING_BOOT "01234567-89ab-cdef-0123-456789abcdef"

/* For cmocka: makes the recordings of stories.h, and more, such as "hostile" and "late", in the test's folder. */
int exporting_setup(void **state);
int exporting_teardown(void **state);

/* The path of a file or recording in that folder, valid for four calls. */
const char *exporting_path(const char *name);
/* Runs the program with these options on a recording, into a file; its status has to be @status. */
void exporting_run(const char *recording, const char *options, const char *file, int status);
/* Runs exports.py with these arguments, and shows its output if it fails. */
void exporting_check(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Exports what @filter selects, with these options, and compares the number of lives with --summary. */
void exporting_count(const char *recording, const char *format, const char *options, const char *filter);

/*
 * Exports each recording, and writes its --lives, --tree and --summary in JSON. Then
 * `exports.py FORMAT PAGE FILES...` compares the export, whose name ends in
 * @suffix, with these three.
 */
void exporting_compare(const char *format, const char *options, const char *suffix);

#endif
