/* SPDX-License-Identifier: GPL-2.0-only */
/* BSD process accounting: the file that acct(2) fills, with a record for each process whose last thread exits. */
#ifndef TRUTH_ACCT_H
#define TRUTH_ACCT_H

#include <linux/acct.h>
#include <stdint.h>
#include <stdio.h>

/* Return: 1, 0 at the end, or -1 if a record is cut short or not of version 3. */
static inline int acct_next(FILE *in, struct acct_v3 *record)
{
	size_t bytes = fread(record, 1, sizeof(*record), in);

	return !bytes ? 0 : bytes == sizeof(*record) && (record->ac_version & 0x7f) == 3 ? 1 : -1;
}

/* A count of 13 bits and a base-8 exponent of 3; times are in 1/AHZ s. */
static inline uint64_t acct_count(comp_t count)
{
	return (uint64_t)(count & 0x1fff) << 3 * (count >> 13);
}

#endif
