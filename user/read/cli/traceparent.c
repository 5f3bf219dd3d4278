// SPDX-License-Identifier: GPL-2.0-only
#include "cli/traceparent.h"
#include <string.h>

/* This many lower-case digits, and a dash or the end behind them. */
static bool take(const char **s, unsigned int digits, uint64_t *value)
{
	static const char all[] = "0123456789abcdef";
	const char *digit;

	for (*value = 0; digits; digits--, ++*s) {
		digit = **s ? strchr(all, **s) : NULL;
		if (!digit)
			return false;
		*value = *value << 4 | (uint64_t)(digit - all);
	}
	return true;
}

static bool dash(const char **s)
{
	return *(*s)++ == '-';
}

/* Later versions can have more behind it. */
bool traceparent_parse(const char *text, struct traceparent *parent)
{
	uint64_t version, flags;

	return take(&text, 2, &version) && version != 0xff && dash(&text) &&
	       take(&text, 16, &parent->trace_high) && take(&text, 16, &parent->trace_low) && dash(&text) &&
	       take(&text, 16, &parent->span) && dash(&text) && take(&text, 2, &flags) &&
	       (!*text || (version && *text == '-')) &&
	       (parent->trace_high || parent->trace_low) && parent->span;
}
