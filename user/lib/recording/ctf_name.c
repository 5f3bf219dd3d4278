// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of a recording and of its streams. */
#include "recording/ctf.h"
#include "recording/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void proclife_ctf_name(char name[PROCLIFE_CTF_NAME], uint32_t cpu)
{
	if (cpu == PROCLIFE_CPU_SNAPSHOT)
		strcpy(name, "snapshot");
	else if (cpu == PROCLIFE_CPU_ALL)
		strcpy(name, "all_cpus");
	else
		snprintf(name, PROCLIFE_CTF_NAME, "cpu_%" PRIu32, cpu);
}

bool proclife_ctf_cpu(const char *name, uint32_t *cpu)
{
	char ours[PROCLIFE_CTF_NAME];

	*cpu = *name == 'a' ? PROCLIFE_CPU_ALL : PROCLIFE_CPU_SNAPSHOT;
	if (!strncmp(name, "cpu_", 4))
		*cpu = (uint32_t)strtoul(name + 4, NULL, 10);
	proclife_ctf_name(ours, *cpu);
	return !strcmp(name, ours);
}

void proclife_ctf_compressed_name(char file[PROCLIFE_CTF_FILE], const char *name)
{
	snprintf(file, PROCLIFE_CTF_FILE, "%s" PROCLIFE_FRAMES_SUFFIX, name);
}

bool proclife_ctf_cpu_of_file(const char *file, uint32_t *cpu)
{
	char name[PROCLIFE_CTF_NAME];
	size_t length = strlen(file), suffix = strlen(PROCLIFE_FRAMES_SUFFIX);

	if (length > suffix && !strcmp(file + length - suffix, PROCLIFE_FRAMES_SUFFIX))
		length -= suffix;
	if (length >= sizeof(name))
		return false;
	memcpy(name, file, length);
	name[length] = '\0';
	return proclife_ctf_cpu(name, cpu);
}

void proclife_uuid_write(void *to, const uint8_t *uuid)
{
	FILE *file = to;

	for (size_t i = 0; i < PROCLIFE_UUID_BYTES; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

bool proclife_uuid_parse(const char *s, const char *end, uint8_t *uuid)
{
	if (end - s < 37)
		return false;
	for (size_t i = 0; i < PROCLIFE_UUID_BYTES; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *high, *low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *s++ != '-')
			return false;
		high = memchr(digits, *s++, 16);
		low = memchr(digits, *s++, 16);
		if (!high || !low)
			return false;
		uuid[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return *s == '"';
}
