/* SPDX-License-Identifier: GPL-2.0-only */
/* What --critical-path makes of a story. */
#ifndef UNIT_CHAIN_H
#define UNIT_CHAIN_H

#include "plan.h"

/* Of the recording that the story made, with these options; for free(3). */
char *chain_output(const char *options);

/*
 * Each step as "PID FROM-TO SAVES BY", in milliseconds; those that are shorter are left out. One begins
 * where the one before ends.
 */
void expect_chain(const char *options, const char *expected);
void expect_text(const char *options, const char *there);

#endif
