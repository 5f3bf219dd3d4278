/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_PHASE_H
#define PROCLIFE_PHASE_H

#include "proclife.h"

/*
 * @killed: when a process was sent the signal that ended it, or 0. @notified_lost: the SIGCHLD to its
 * parent may have been lost, so there is no PROCLIFE_ZOMBIE.
 */
bool proclife_phase_of(const struct proclife_marks *marks, uint64_t killed, bool notified_lost,
		       enum proclife_phase phase, uint64_t *ns);

#endif
