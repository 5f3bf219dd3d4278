/* SPDX-License-Identifier: GPL-2.0-only */
/* The program as it watches a device with --on, and what it tells, as JSON. */
#ifndef UNIT_WATCHING_H
#define UNIT_WATCHING_H

#include "records.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#define MS UINT64_C(1000000)

/* Of the zombie that was put last. */
extern struct who first_process, child;

/* ns, of the clock of the device. */
uint64_t clock_now(void);
/* Starts it with these options, and with this as its standard error; what it says is read from the stream. */
FILE *start_with(pid_t *pid, const char *options, int errors);
FILE *start_watching(pid_t *pid, const char *options);
/* The next line of this type, or of any if it is empty; it is to be freed. NULL: there is none. */
char *next(FILE *out, const char *type);
/* Of a line: the number, or the text up to the next quote, of this name. */
uint64_t number(const char *line, const char *name);
void line_text(const char *line, const char *name, char value[PATH_MAX]);
/* It is a zombie from now on. */
void put_zombie(uint32_t pid);
/* This is a part of what is shown of the recording. */
void expect_in(const char *dir, const char *options, const char *part);

#endif
