/* SPDX-License-Identifier: GPL-2.0-only */
/* What --critical-path makes of a story. */
#ifndef UNIT_CHAIN_H
#define UNIT_CHAIN_H

#include "plan.h"

/* The output for the story's recording, with these options; for free(3). */
char *chain_output(const char *options);

/*
 * Each step as "PID FROM-TO SAVES BY", in milliseconds; shorter ones are left out. A step begins
 * where the one before ends.
 */
void expect_chain(const char *options, const char *expected);
void expect_text(const char *options, const char *there);

#endif
