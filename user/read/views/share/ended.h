/* SPDX-License-Identifier: GPL-2.0-only */
/* When a process ended, and with which status, where not all of that was seen. */
#ifndef READ_ENDED_H
#define READ_ENDED_H

#include <proclife.h>

/*
 * By when it lived no more: at its exit or, where that was lost, at the first mark behind it; 0: none was seen. Whether
 * it counts as ended, with its status, is another question: process_ended_by() answers it.
 */
static inline uint64_t process_lived_to(const struct proclife_process *process)
{
	const struct proclife_marks *marks = &process->marks;
	uint64_t announced = proclife_process_announced(process);

	if (marks->exited || announced)
		return marks->exited ? marks->exited : announced;
	return marks->reaped ? marks->reaped : marks->freed;
}

/* A zombie, of which it is not known since when it is one: by when; 0: it was before anything else of it. */
static inline uint64_t process_zombie_by(const struct proclife_process *process)
{
	uint64_t shown = proclife_process_shown_zombie(process);

	return shown > process->seen ? shown : 0;
}

/*
 * As process_lived_to(), or by when it was found as a zombie, if that shows it earlier; 0: it may live on. Where records are
 * missing, a thread can have gone on that was not found. Where nothing but the state says that it has ended, when it
 * was first seen.
 */
static inline uint64_t process_last_lived(const struct proclife_process *process)
{
	uint64_t shown = process->marks.exited ? 0 : proclife_process_shown_zombie(process);
	uint64_t end = process_lived_to(process);
	enum proclife_life_state state = proclife_process_state(process);

	if (!shown && !end && state >= PROCLIFE_IS_ZOMBIE && state <= PROCLIFE_IS_FREED)
		return process->seen;
	return shown && (!end || (shown < end && !process->incomplete)) ? shown : end;
}

/*
 * By when it had ended, and it is known how; 0: that is not known, or it was before anything else of it. If a gap can
 * hide a later EXIT, or if the exit began unseen, when it exited is not certain; but it had, and with the status that
 * was read, once it was a zombie or was reaped.
 */
static inline uint64_t process_ended_by(const struct proclife_process *process)
{
	const struct proclife_marks *marks = &process->marks;
	uint64_t zombie = proclife_process_announced(process);

	if (marks->exited || process->exit_code < 0)
		return marks->exited;
	if (!zombie)
		zombie = process_zombie_by(process);
	if (zombie && !proclife_process_ended_before(process))
		return zombie;
	return proclife_process_has_exited(process) || process->incomplete ? marks->reaped : 0;
}

/* Has it, and is it known how? */
static inline bool process_has_ended(const struct proclife_process *process)
{
	return process->exit_code >= 0 && proclife_process_has_ended(process);
}

#endif
