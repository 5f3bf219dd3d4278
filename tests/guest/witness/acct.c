// SPDX-License-Identifier: GPL-2.0-only
/* BSD process accounting: a record for each process when its last thread exits. */
#include "witness.h"

#include <stdlib.h>
#include <string.h>
#include <linux/acct.h>
#include <unistd.h>

int acct_switch(const char *path)
{
	FILE *file = path ? fopen(path, "w") : NULL;

	if (path && (!file || fclose(file)))
		die(path);
	if (acct(path))
		die("acct");
	return 0;
}

/* A base-8 exponent of 3 bits, and 13 bits of fraction. */
static uint64_t from_comp(comp_t comp)
{
	return (uint64_t)(comp & 0x1fff) << 3 * (comp >> 13);
}

void acct_read(struct witnesses *witnesses, const char *path)
{
	FILE *file = fopen(path, "r");
	struct acct_v3 a;

	if (!file)
		die(path);
	while (fread(&a, sizeof(a), 1, file) == 1) {
		struct acct_life *l;

		if ((a.ac_version & 0x7f) != 3)
			die("an accounting record that is not of version 3");
		witnesses->acct = grown(witnesses->acct, witnesses->acct_count, sizeof(*l));
		l = &witnesses->acct[witnesses->acct_count++];
		*l = (struct acct_life){
			.pid = a.ac_pid,
			.ppid = a.ac_ppid,
			.uid = a.ac_uid,
			.status = (int32_t)a.ac_exitcode,
			.utime = (double)from_comp(a.ac_utime) / AHZ,
			.stime = (double)from_comp(a.ac_stime) / AHZ,
			.end = a.ac_btime + (double)a.ac_etime / AHZ,
			.min_flt = from_comp(a.ac_minflt),
			.maj_flt = from_comp(a.ac_majflt),
		};
		memcpy(l->comm, a.ac_comm, sizeof(l->comm));
		l->comm[sizeof(l->comm) - 1] = '\0';
	}
	fclose(file);
}
