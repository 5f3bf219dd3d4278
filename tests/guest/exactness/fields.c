// SPDX-License-Identifier: GPL-2.0-only
#include "fields.h"

#include <stdlib.h>
#include <string.h>

bool take_text(char *text, const char *key, const char **value)
{
	char *found = NULL;

	while ((text = strstr(text, key)))
		found = text++;
	if (!found)
		return false;
	*found = '\0';
	*value = found + strlen(key);
	return true;
}

bool take_number(char *text, const char *key, uint32_t *number)
{
	const char *digits;

	if (!take_text(text, key, &digits))
		return false;
	*number = strtoul(digits, NULL, 10);
	return true;
}
