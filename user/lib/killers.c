// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who killed whom. A process can have several deadly signals pending; which one ended it is only
 * known with its exit code. So the latest one of each number is kept until then: a second one of
 * the same number is only queued once the first was taken without ending the process.
 */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct proclife_deadly {
	struct proclife_killer killer;
	struct proclife_deadly *next;
};

int proclife_killer_note(struct proclife_process *process, const struct proclife_record *record)
{
	const struct proclife_signal *signal = &record->signal;
	struct proclife_deadly *deadly = process->deadly;

	if (signal->result != PROCLIFE_SIGNAL_QUEUED && signal->result != PROCLIFE_SIGNAL_NO_INFO)
		return 0;
	/* An exit code has no room for others, and this bounds how many there can be. */
	if (signal->signo < 1 || signal->signo > 0x7f)
		return 0;
	while (deadly && deadly->killer.signo != signal->signo)
		deadly = deadly->next;
	if (!deadly) {
		deadly = malloc(sizeof(*deadly));
		if (!deadly)
			return -ENOMEM;
		deadly->next = process->deadly;
		process->deadly = deadly;
	}
	memset(&deadly->killer, 0, sizeof(deadly->killer));
	deadly->killer.ts = record->ts;
	deadly->killer.task = signal->sender;
	deadly->killer.signo = signal->signo;
	deadly->killer.code = signal->code;
	deadly->killer.pid = signal->sender_pid;
	deadly->killer.tgid = signal->sender_tgid;
	memcpy(deadly->killer.comm, signal->sender_comm, sizeof(deadly->killer.comm));
	deadly->killer.comm[sizeof(deadly->killer.comm) - 1] = 0;
	return 0;
}

const struct proclife_killer *proclife_process_killer(const struct proclife_process *process)
{
	const struct proclife_deadly *deadly = process->deadly;
	int32_t signo = process->exit_code & 0x7f;

	while (deadly && deadly->killer.signo != signo)
		deadly = deadly->next;
	return deadly ? &deadly->killer : NULL;
}

void proclife_killers_free(struct proclife_process *process)
{
	while (process->deadly) {
		struct proclife_deadly *next = process->deadly->next;

		free(process->deadly);
		process->deadly = next;
	}
}
