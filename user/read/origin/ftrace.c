// SPDX-License-Identifier: GPL-2.0-only
#include "origin/ftrace.h"
#include <stdio.h>

bool ftrace_is_off(void)
{
	FILE *file = fopen("/proc/sys/kernel/ftrace_enabled", "re");
	bool off = file && fgetc(file) == '0';

	if (file)
		fclose(file);
	return off;
}
