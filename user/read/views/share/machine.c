// SPDX-License-Identifier: GPL-2.0-only
/* What this machine has. */
#include "views/views.h"
#include <unistd.h>

/* The id of the unified hierarchy's root, on any machine. */
#define ROOT_CGROUP 1

const char *why_no_cgroup_paths(void)
{
	struct proclife_cgroups *cgroups;
	const char *why = NULL;

	if (proclife_cgroups_new(&cgroups, NULL, NULL))
		return NULL;
	if (proclife_cgroups_path(cgroups, ROOT_CGROUP))
		why = NULL;
	else if (access("/proc/self/cgroup", F_OK))
		why = "this kernel has no cgroups (CONFIG_CGROUPS)";
	else if (geteuid())
		why = "only root can look them up";
	else
		why = "no cgroup2 file system is mounted here; 'mount -t cgroup2 cgroup2 DIR' does it";
	proclife_cgroups_free(cgroups);
	return why;
}

bool module_is_loaded(void)
{
	return !access("/sys/module/" MODULE_NAME, F_OK);
}
