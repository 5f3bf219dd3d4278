// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/rcu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define NOCB "nocb="
#define LAZY "lazy"

/* The value of the last parameter of this name; false if there is none. */
static bool kernel_parameter(const char *line, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);
	bool found = false;

	for (; *line; line += strcspn(line, " \n"), line += strspn(line, " \n")) {
		size_t end = strcspn(line, " \n");

		if (strncmp(line, name, length) || (line[length] != '=' && length != end))
			continue;
		found = true;
		snprintf(value, size, "%.*s", line[length] == '=' ? (int)(end - length - 1) : 0,
			 line + length + 1);
	}
	return found;
}

static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok;

	if (!file)
		return false;
	ok = fgets(line, (int)size, file);
	fclose(file);
	return ok;
}

/* Is this line in the configuration that the kernel's package left in /boot? */
static bool configured(const char *wanted)
{
	struct utsname uts;
	char path[sizeof(uts.release) + 16], line[256];
	bool found = false;
	FILE *file;

	uname(&uts);
	snprintf(path, sizeof(path), "/boot/config-%s", uts.release);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, wanted, strlen(wanted)) && line[strlen(wanted)] == '\n';
	fclose(file);
	return found;
}

/* Since Linux 6.9 it can be switched off when booting, and Debian leaves it on. */
static bool is_lazy(void)
{
	char value[8];

	if (read_line("/sys/module/rcutree/parameters/enable_rcu_lazy", value, sizeof(value)))
		return *value == 'Y' || *value == '1';
	return configured("CONFIG_RCU_LAZY=y") &&
	       !configured("CONFIG_RCU_LAZY_DEFAULT_OFF=y");
}

void rcu_describe(char *words, size_t size)
{
	char line[4096], list[256];

	*words = '\0';
	if (!read_line("/proc/cmdline", line, sizeof(line)))
		return;
	if (kernel_parameter(line, "rcu_nocbs", list, sizeof(list)) ||
	    kernel_parameter(line, "nohz_full", list, sizeof(list)))
		snprintf(words, size, NOCB "%s%s", *list ? list : "all", is_lazy() ? " " LAZY : "");
	else if (configured("CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y"))
		snprintf(words, size, NOCB "all%s", is_lazy() ? " " LAZY : "");
}

/* "0-3,8", "all"; strides and the like are not known, and then it is not said. */
static bool in_list(const char *list, unsigned int cpu)
{
	if (!strncmp(list, "all", 3))
		return true;
	for (;;) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-' && end[1] == 'N') { /* the last one */
			last = -1UL;
			end += 2;
		} else if (*end == '-') {
			last = strtoul(end + 1, &end, 10);
		}
		if (*end && *end != ',' && *end != ' ')
			return false;
		if (cpu >= first && cpu <= last)
			return true;
		if (*end != ',')
			return false;
		list = end + 1;
	}
}

void rcu_of_cpu(const char *words, unsigned int cpu, bool *nocb, bool *lazy)
{
	const char *list = strstr(words, NOCB);

	*nocb = list && in_list(list + strlen(NOCB), cpu);
	/* It takes effect only where the callbacks are offloaded. */
	*lazy = *nocb && strstr(words, LAZY);
}
