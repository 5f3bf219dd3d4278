/* SPDX-License-Identifier: GPL-2.0-only */
/* What is exported of made-up recordings, for support/exports.py, which looks at it as others would. */
#ifndef UNIT_EXPORTING_H
#define UNIT_EXPORTING_H

#include "program.h"
#include "recorded.h"

/* Of "build"; of the others it is not known. */
#define EXPORTING_BOOT "01234567-89ab-cdef-0123-456789abcdef"

/* For cmocka: those of stories.h, and two more, "hostile" and "late", in the test's folder. */
int exporting_setup(void **state);
int exporting_teardown(void **state);

/* The path of a file or recording in that folder: of the last four calls. */
const char *exporting_path(const char *name);
/* Runs the program with these options on a recording, into a file; its status has to be @status. */
void exporting_run(const char *recording, const char *options, const char *file, int status);
/* Runs exports.py with this; what it says is shown unless it is content. */
void exporting_check(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Exports what @filter leaves, with these options, and compares how many there are with --summary. */
void exporting_count(const char *recording, const char *format, const char *options, const char *filter);

/*
 * Exports each recording, and writes what --lives, --tree and --summary say of the same in JSON. Then
 * `exports.py FORMAT PAGE FILES...` compares: of each recording the export, whose name ends in
 * @suffix, and these three.
 */
void exporting_compare(const char *format, const char *options, const char *suffix);

#endif
