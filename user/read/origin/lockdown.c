// SPDX-License-Identifier: GPL-2.0-only
#include "origin/lockdown.h"
#include <stdio.h>
#include <string.h>

bool locked_down(char mode[32])
{
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";
	bool found;

	if (!file)
		return false;
	found = fgets(line, sizeof(line), file) && strchr(line, '[') &&
		sscanf(strchr(line, '[') + 1, "%31[a-z]", mode) == 1 && strcmp(mode, "none");
	fclose(file);
	return found;
}
