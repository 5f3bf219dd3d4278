// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/pid_within.h"
#include "views/views.h"
#include <inttypes.h>
#include <string.h>

void pids_note(struct some_pids *pids, uint32_t pid)
{
	unsigned int i = pids->count;

	while (i && pids->all[i - 1] > pid)
		i--;
	if (!pid || (i && pids->all[i - 1] == pid))
		return;
	pids->more |= pids->count == SOME_PIDS;
	if (i == SOME_PIDS)
		return;
	pids->count += pids->count < SOME_PIDS;
	memmove(&pids->all[i + 1], &pids->all[i], (pids->count - 1 - i) * sizeof(*pids->all));
	pids->all[i] = pid;
}

void pids_put(FILE *file, const struct some_pids *pids, const char *before)
{
	unsigned int i;

	for (i = 0; i < pids->count; i++)
		fprintf(file, "%s%" PRIu32, !i ? before : i + 1 < pids->count || pids->more ? ", " : " and ",
			pids->all[i]);
	if (pids->more)
		fputs(" and others", file);
}

enum proclife_match path_is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	bool is_below;

	while (length && folder[length - 1] == '/')
		length--;
	if (!length)
		return PROCLIFE_MATCHES;
	if (!path)
		return PROCLIFE_MATCH_UNKNOWN;
	is_below = !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
	return is_below ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

enum proclife_match pid_place_is_of(struct run *run, const struct pid_option *option,
				    const struct proclife_process *process)
{
	if (option->cgroup)
		return path_is_below(proclife_cgroups_path(run->cgroups, process->cgroup), option->cgroup);
	if (!process->ns_inum)
		return PROCLIFE_MATCH_UNKNOWN;
	return process->ns_inum == option->ns ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

enum proclife_match pid_is_of(struct run *run, const struct pid_option *option,
			      const struct proclife_process *process)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	bool of_machine = !option->within || (option->ns && header && header->init_pid_ns == option->ns);
	enum proclife_match place;

	/* Every process has a PID in the initial namespace, and that is the one by which records name it. */
	if (of_machine)
		return process->tgid == option->pid ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
	if (process->ns_inum && process->ns_pid != option->pid)
		return PROCLIFE_MATCHES_NOT;
	place = pid_place_is_of(run, option, process);
	return place == PROCLIFE_MATCHES_NOT || process->ns_inum ? place : PROCLIFE_MATCH_UNKNOWN;
}
