// SPDX-License-Identifier: GPL-2.0-only
/*
 * --comm, --uid, --cgroup, --args, how it ended, and when: one of each kind that is given has to fit.
 */
#include "output/message.h"
#include "views/ended.h"
#include "views/views.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool has_comm(const struct filter *filter, const struct proclife_process *process)
{
	size_t i;

	for (i = 0; i < filter->comms.count; i++)
		if (!fnmatch(filter->comms.all[i], process->comm, 0))
			return true;
	return !filter->comms.count;
}

static bool has_uid(const struct run *run, const struct proclife_process *process)
{
	const struct filter *filter = &run->options->filter;
	const char *name;
	size_t i;

	if (!filter->uid_count && !filter->users.count)
		return true;
	if (!proclife_process_has_uid(process))
		return false;
	for (i = 0; i < filter->uid_count; i++)
		if (filter->uids[i] == process->uid)
			return true;
	if (!filter->users.count)
		return false;
	name = proclife_users_name(run->users, process->uid);
	for (i = 0; name && i < filter->users.count; i++)
		if (!strcmp(filter->users.all[i], name))
			return true;
	return false;
}

/* Is it this folder, or below it? */
static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length && folder[length - 1] == '/')
		length--;
	return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static bool has_cgroup(struct run *run, const struct proclife_process *process)
{
	const struct words *cgroups = &run->options->filter.cgroups;
	const char *path;
	size_t i;

	if (!cgroups->count)
		return true;
	path = proclife_cgroups_path(run->cgroups, process->cgroup);
	run->matched.cgroup_path |= path != NULL;
	run->matched.cgroup_unknown |= !path;
	for (i = 0; path && i < cgroups->count; i++)
		if (is_below(path, cgroups->all[i]))
			return true;
	return false;
}

/* The patterns are for the whole command line, and for each argument of it. */
static bool fits_line(const struct words *patterns, const char *line)
{
	size_t i;

	for (i = 0; i < patterns->count; i++)
		if (!fnmatch(patterns->all[i], line, 0))
			return true;
	return false;
}

static bool has_args(const struct filter *filter, const struct proclife_process *process)
{
	size_t n = process->args_bytes, i;
	bool fits = false;
	char *line;

	if (!filter->args.count)
		return true;
	if (!process->args || !n)
		return false;
	for (i = 0; !fits && i < n; i += strlen(process->args + i) + 1)
		fits = fits_line(&filter->args, process->args + i);
	if (fits)
		return true;
	line = malloc(n + 1);
	if (!line)
		die_no_memory();
	memcpy(line, process->args, n);
	line[n] = '\0';
	while (n && !line[n - 1])
		n--;
	for (i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	fits = fits_line(&filter->args, line);
	free(line);
	return fits;
}

/* What is not known to have ended has no status. */
static bool has_end(const struct filter *filter, const struct proclife_process *process)
{
	unsigned int signal = (unsigned int)process->exit_code & 0x7f;
	unsigned int status = (unsigned int)process->exit_code >> 8 & 0xff;

	if (!filter_has_end(filter))
		return true;
	if (!process_has_ended(process))
		return false;
	if (filter->failed && process->exit_code)
		return true;
	if (signal && filter->signals == ANY_SIGNAL)
		return true;
	if (signal)
		return signal <= 64 && filter->signals >> (signal - 1) & 1;
	return filter->statuses[status / 64] >> status % 64 & 1;
}

static bool has_time(const struct run *run, const struct proclife_process *process)
{
	const struct view *view = run->options->views[0];
	uint64_t exited = process->marks.exited;

	if ((!run->from && run->to == UINT64_MAX) || (view && view->range == RANGE_OF_RECORDS))
		return true;
	if (view && view->range == RANGE_OF_LIVES)
		return overlaps_range(run, process->marks.born, exited ? exited : UINT64_MAX);
	return exited && is_in_range(run, exited);
}

bool filter_match(void *data, const struct proclife_process *process)
{
	struct run *run = data;
	const struct filter *filter = &run->options->filter;
	bool comm = has_comm(filter, process), uid = has_uid(run, process);
	bool cgroup = has_cgroup(run, process), args = has_args(filter, process);
	bool end = has_end(filter, process), time = has_time(run, process);

	run->matched.comm |= comm;
	run->matched.uid |= uid;
	run->matched.cgroup |= cgroup;
	run->matched.args |= args;
	run->matched.end |= end;
	run->matched.time |= time;
	return comm && uid && cgroup && args && end && time;
}
