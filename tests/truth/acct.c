// SPDX-License-Identifier: GPL-2.0-only
#include "acct.h"

int acct_next(FILE *in, struct acct_v3 *record)
{
	size_t bytes = fread(record, 1, sizeof(*record), in);

	if (!bytes)
		return 0;
	return bytes == sizeof(*record) && (record->ac_version & 0x7f) == 3 ? 1 : -1;
}

uint64_t acct_count(comp_t count)
{
	return (uint64_t)(count & 0x1fff) << 3 * (count >> 13);
}
