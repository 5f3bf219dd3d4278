/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that --metrics writes. */
#ifndef UNIT_METRICS_FILE_H
#define UNIT_METRICS_FILE_H

#include <limits.h>

/* In the test's folder. */
extern char metrics_path[PATH_MAX];
void metrics_set_path(void);

/* The file's text; NULL: it does not exist. */
char *metrics_read(void);
/* The value of this series, or -1. */
double metrics_value(const char *text, const char *series);
/* How many files there are whose names begin with its name. */
unsigned int metrics_files(void);

#endif
