// SPDX-License-Identifier: LGPL-2.1-or-later
#include "proclife.h"

/* Like the kernel's cputime_adjust(). */
void proclife_cputime(uint64_t runtime, uint64_t utime, uint64_t stime, uint64_t *user,
		      uint64_t *system)
{
	uint64_t part;

	if (!stime) {
		part = 0;
	} else if (!utime) {
		part = runtime;
	} else {
#ifdef __SIZEOF_INT128__
		__extension__ typedef unsigned __int128 wide;

		part = (uint64_t)((wide)stime * runtime / ((wide)utime + stime));
#else
		part = (uint64_t)((long double)stime * runtime / ((long double)utime + stime));
		if (part > runtime)
			part = runtime;
#endif
	}
	*system = part;
	*user = runtime - part;
}
