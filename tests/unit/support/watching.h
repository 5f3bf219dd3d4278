/* SPDX-License-Identifier: GPL-2.0-only */
/* The program watches a device with --on, and reports in JSON. */
#ifndef UNIT_WATCHING_H
#define UNIT_WATCHING_H

#include "records.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#define MS UINT64_C(1000000)

/* The zombie that was put last, and its parent. */
extern struct who first_process, child;

/* In ns, by the clock of the device. */
uint64_t clock_now(void);
/* Starts it with these options, and with this as its standard error; the stream has its output. */
FILE *start_with(pid_t *pid, const char *options, int errors);
FILE *start_watching(pid_t *pid, const char *options);
/* The next line of this type, or of any type if it is empty; to be freed. NULL: there is none. */
char *next(FILE *out, const char *type);
/* The number, or the text up to the next quote, of this name in a line. */
uint64_t number(const char *line, const char *name);
void line_text(const char *line, const char *name, char value[PATH_MAX]);
/* Makes a zombie now. */
void put_zombie(uint32_t pid);
/* Expects this part in the view of the recording. */
void expect_in(const char *dir, const char *options, const char *part);

#endif
