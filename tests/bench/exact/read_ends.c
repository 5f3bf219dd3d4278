// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel itself reports of each process as it ends: the file that acct(2) fills, and the structures of
 * taskstats. The beginning is a whole second of the wall clock, computed from two clocks that are each rounded
 * down to the last tick, which is late in a busy guest: so it can be more than a second off.
 *
 * acct(2) does not report losses: the kernel stops writing when the disk is nearly full, and the record of a
 * process that is killed while it waits for the disk is gone. taskstats only shows how often the socket was
 * full: more can be missing.
 */
#include "lives.h"

#include "truth/acct.h"
#include "truth/taskstats.h"

static bool add(struct lives *lives, uint64_t seconds, uint64_t to_realtime, uint32_t pid, uint32_t parent,
		int status, const char *name, size_t room)
{
	uint64_t begin = seconds * 1000000000;
	uint32_t life;

	if (begin < to_realtime || pid > MAX_PID || parent > MAX_PID)
		return false;
	life = lives_whole(lives, begin - to_realtime, pid, parent, status);
	copy_name(lives->life[life].name, name, name + room);
	return true;
}

static void begin_ends(struct lives *lives)
{
	lives->rounding = 1500000000;
	lives->tells_notified = true;
}

uint64_t read_acct(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint64_t senseless = 0, number = 0;
	struct acct_v3 a;
	int got;

	begin_ends(lives);
	while ((got = acct_next(in, &a))) {
		number++;
		if (got < 0 || !add(lives, a.ac_btime, to_realtime, a.ac_pid, a.ac_ppid, (int)a.ac_exitcode, a.ac_comm,
				    sizeof(a.ac_comm)))
			senseless += lives_senseless(lives, number, "makes no sense", "a record of acct(2)");
	}
	lives_complete(lives);
	return senseless;
}

uint64_t read_taskstats(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint64_t senseless = 0, number = 0;
	struct taskstats s;

	begin_ends(lives);
	lives->tells_lost = true;
	while (taskstats_next(in, &s)) {
		number++;
		lives->lost += !s.ac_pid;
		if (s.ac_pid && s.ac_pid == s.ac_tgid &&
		    !add(lives, s.ac_btime64, to_realtime, s.ac_pid, s.ac_ppid, (int)s.ac_exitcode, s.ac_comm,
			 sizeof(s.ac_comm)))
			senseless += lives_senseless(lives, number, "makes no sense", "a structure of taskstats");
	}
	lives_complete(lives);
	return senseless;
}
