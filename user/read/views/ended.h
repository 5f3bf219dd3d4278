/* SPDX-License-Identifier: GPL-2.0-only */
/* When a process ended, and with which status, where records were lost. */
#ifndef READ_ENDED_H
#define READ_ENDED_H

#include <proclife.h>

/*
 * By when it had ended; 0: that is not known. If a gap can hide a later EXIT, when it exited is not
 * certain; but it had, and with the status that was read, if it was reaped.
 */
static inline uint64_t ended_by(const struct proclife_marks *marks, bool incomplete, int32_t exit_code)
{
	return marks->exited || !incomplete || exit_code < 0 ? marks->exited : marks->reaped;
}

static inline uint64_t process_ended_by(const struct proclife_process *process)
{
	return ended_by(&process->marks, process->incomplete, process->exit_code);
}

#endif
