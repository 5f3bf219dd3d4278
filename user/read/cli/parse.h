/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures as people write them on a command line. */
#ifndef READ_PARSE_H
#define READ_PARSE_H

#include <stdbool.h>
#include <stdint.h>

enum bare { BARE_SECONDS, BARE_REFUSED }; /* a time without a unit */

/* These return false if the text is none, or too large. Then the value is 0, or UINT64_MAX. */

#define TIME_TOO_LARGE "too large: the largest is 2499999h"

/* "250ms", "0.5s" */
bool parse_time(const char *s, enum bare bare, uint64_t *ns);

/* "64MiB", "1GiB", "1.5G"; KiB, MiB, GiB or TiB, or in short K, M, G or T. */
bool parse_size(const char *s, uint64_t *bytes);

/* A whole number up to @max. */
bool parse_number(const char *s, uint64_t max, uint64_t *value);

/* "KILL", "SIGKILL", "9", "SIGRTMIN+1"; false if it is no signal from 1 to 64. */
bool parse_signal(const char *s, unsigned int *signal);

/* Digits with at most one point among them; *end is set behind them. strtod() would accept more. */
bool parse_decimal(const char *s, char **end, double *value);

#endif
