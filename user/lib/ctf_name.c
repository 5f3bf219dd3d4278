// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of a recording's streams. */
#include "ctf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void proclife_ctf_name(char name[PROCLIFE_CTF_NAME], uint32_t cpu)
{
	if (cpu == PROCLIFE_CTF_SNAPSHOT)
		strcpy(name, "snapshot");
	else
		snprintf(name, PROCLIFE_CTF_NAME, "cpu_%" PRIu32, cpu);
}

bool proclife_ctf_cpu(const char *name, uint32_t *cpu)
{
	char ours[PROCLIFE_CTF_NAME];

	*cpu = PROCLIFE_CTF_SNAPSHOT;
	if (!strncmp(name, "cpu_", 4))
		*cpu = (uint32_t)strtoul(name + 4, NULL, 10);
	proclife_ctf_name(ours, *cpu);
	return !strcmp(name, ours);
}
