/* SPDX-License-Identifier: GPL-2.0-only */
/* --pid: selects the processes that have a PID, on the machine or in a PID namespace. */
#ifndef READ_PIDS_H
#define READ_PIDS_H

#include "views/views.h"

/*
 * Selects what --pid asks for. @looks_back: there is a past to read, in which one process after the other can
 * have had the PID; otherwise it is the one that has it now. Returns 0, or a negative errno; -ESRCH has been said.
 */
int pids_select(struct run *run, bool looks_back);
/* Is there a PID in a namespace that no process has had yet? */
bool pids_are_missing(const struct run *run);
/* Can it be not known of a process whether it is asked for? */
bool pids_can_lack(const struct run *run);
/* It is gone, and not selected: is that because something is not known of it? Sets what, in run->matched.lacks. */
bool pids_lack(struct run *run, const struct proclife_process *process);
/* Did only threads have this PID of the machine? */
bool pids_were_threads(const struct run *run, uint32_t pid);
/* Says which PIDs in namespaces no process had, and which ones they had; and which PIDs threads had. */
void pids_report(const struct run *run, const char *dir);
void pids_free(struct run *run);

#endif
