// SPDX-License-Identifier: GPL-2.0-only
#include "origin/bpf_why.h"
#include "origin/namespaces.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void explain_denied(char why[BPF_WHY])
{
	if (!in_namespace("/proc/self/ns/user", INITIAL_USER_NAMESPACE))
		snprintf(why, BPF_WHY,
			 "permission denied: we are in a user namespace, as in a rootless container; run outside of it");
	else if (geteuid())
		snprintf(why, BPF_WHY, "permission denied; run as root, or with CAP_BPF and CAP_PERFMON");
	else
		snprintf(why, BPF_WHY,
			 "bpf(2) is refused, though we are root; in a container, add CAP_BPF and CAP_PERFMON and let seccomp allow "
			 "bpf(2); otherwise a security module forbids it ('ausearch -m avc')");
}

void bpf_explain(char why[BPF_WHY], int error, const char *complaint)
{
	switch (-error) {
	case EPERM:
	case EACCES:
		explain_denied(why);
		break;
	case EMFILE:
		snprintf(why, BPF_WHY, "too many open files: it needs two for each CPU, and 100; raise the limit of open files "
				       "('ulimit -n')");
		break;
	case ENOMEM:
	case E2BIG:
		snprintf(why, BPF_WHY,
			 "not enough memory for the rings; raise 'ulimit -v' or the cgroup's memory.max if one of them is the limit");
		break;
	default:
		snprintf(why, BPF_WHY, "%s%s%s", strerror(-error), *complaint ? ": " : "", complaint);
	}
}
