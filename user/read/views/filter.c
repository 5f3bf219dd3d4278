// SPDX-License-Identifier: GPL-2.0-only
/* --comm, --uid, --cgroup: one of each kind that is given has to fit. */
#include "views/views.h"
#include <fnmatch.h>
#include <string.h>

static bool has_comm(const struct filter *filter, const struct proclife_process *process)
{
	size_t i;

	for (i = 0; i < filter->comms.count; i++)
		if (!fnmatch(filter->comms.all[i], process->comm, 0))
			return true;
	return !filter->comms.count;
}

static bool has_uid(const struct filter *filter, const struct proclife_process *process)
{
	size_t i;

	if (!filter->uid_count)
		return true;
	for (i = 0; proclife_process_has_uid(process) && i < filter->uid_count; i++)
		if (filter->uids[i] == process->uid)
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

static bool has_cgroup(const struct run *run, const struct proclife_process *process)
{
	const struct words *cgroups = &run->options->filter.cgroups;
	const char *path;
	size_t i;

	if (!cgroups->count)
		return true;
	path = proclife_cgroups_path(run->cgroups, process->cgroup);
	for (i = 0; path && i < cgroups->count; i++)
		if (is_below(path, cgroups->all[i]))
			return true;
	return false;
}

bool filter_match(void *data, const struct proclife_process *process)
{
	struct run *run = data;
	const struct filter *filter = &run->options->filter;
	bool comm = has_comm(filter, process), uid = has_uid(filter, process);
	bool cgroup = has_cgroup(run, process);

	run->matched.comm |= comm;
	run->matched.uid |= uid;
	run->matched.cgroup |= cgroup;
	return comm && uid && cgroup;
}
