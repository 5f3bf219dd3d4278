// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps programs working that were built for another version of the library. */
#include "base/plain.h"

#include <errno.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libproclife reads and writes records as they are: it needs a little-endian machine"
#endif

_Static_assert(sizeof(struct proclife_record) == 128, "a recording has 128 bytes for a record");

uint32_t proclife_version(void)
{
	return PROCLIFE_VERSION_CODE;
}

int proclife_take_struct(void *to, size_t ours, const void *from, size_t theirs, size_t least)
{
	const char *bytes = from;

	if (theirs < least)
		return -EINVAL;
	for (size_t i = ours; i < theirs; i++) {
		if (bytes[i])
			return -E2BIG;
	}
	memset(to, 0, ours);
	memcpy(to, from, theirs < ours ? theirs : ours);
	return 0;
}
