/* SPDX-License-Identifier: GPL-2.0-only */
/* BSD process accounting: the file that acct(2) fills, with a record for each process whose last thread exits. */
#ifndef TRUTH_ACCT_H
#define TRUTH_ACCT_H

#include <linux/acct.h>
#include <stdint.h>
#include <stdio.h>

/* Return: 1, 0 at the end, or -1 if a record is cut short or not of version 3. */
int acct_next(FILE *in, struct acct_v3 *record);
/* A count of its 13 bits and an exponent of 8; times are in 1/AHZ s. */
uint64_t acct_count(comp_t count);

#endif
