// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file that acct(2) fills, of version 3: a record for each process, written as it ends. Its
 * beginning is a whole second of the wall clock, computed from two clocks that are each rounded down
 * to the last tick, which is late in a busy guest: so it can be more than a second off. Losses are not
 * reported: the kernel stops writing when the disk is nearly full, and the record of a process that is
 * killed while it waits for the disk is gone.
 */
#include "lives.h"

#include <linux/acct.h>

uint64_t read_acct(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	struct acct_v3 a;
	uint64_t begin, senseless = 0, number = 0;
	size_t bytes;
	uint32_t life;

	lives->rounding = 1500000000;
	lives->tells_notified = true;
	while ((bytes = fread(&a, 1, sizeof(a), in)) > 0) {
		number++;
		if (bytes != sizeof(a)) {
			senseless += lives_senseless(lives, number, "cut short", "a record of acct(2)");
			break;
		}
		begin = (uint64_t)a.ac_btime * 1000000000;
		if ((a.ac_version & 0x7f) != 3 || begin < to_realtime || a.ac_pid > MAX_PID ||
		    a.ac_ppid > MAX_PID) {
			senseless += lives_senseless(lives, number, "makes no sense",
						     "a record of acct(2)");
			continue;
		}
		life = lives_whole(lives, begin - to_realtime, a.ac_pid, a.ac_ppid, a.ac_exitcode);
		copy_name(lives->life[life].name, a.ac_comm, a.ac_comm + sizeof(a.ac_comm));
	}
	lives_complete(lives);
	return senseless;
}
