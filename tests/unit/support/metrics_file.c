// SPDX-License-Identifier: GPL-2.0-only
#include "metrics_file.h"
#include "recorded.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char metrics_path[PATH_MAX];

void metrics_set_path(void)
{
	snprintf(metrics_path, sizeof(metrics_path), "%.*s/m.prom", PATH_MAX / 2, folder.base);
}

/* The file's text; NULL: it does not exist. */
char *metrics_read(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(metrics_path, "r");

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text = strdup("");
	fclose(file);
	return text;
}

/* The value of this series, or -1. */
double metrics_value(const char *text, const char *series)
{
	size_t length = strlen(series);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, series, length) && text[length] == ' ')
			return atof(text + length + 1);
	return -1;
}

unsigned int metrics_files(void)
{
	DIR *dir = opendir(folder.base);
	unsigned int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += !strncmp(entry->d_name, "m.prom", 6);
	closedir(dir);
	return count;
}
