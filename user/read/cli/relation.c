// SPDX-License-Identifier: GPL-2.0-only
#include "cli/relation.h"
#include <string.h>

/* The longer ones first, since they begin with the shorter ones. */
static const struct {
	const char *sign;
	enum relation relation;
} relations[] = {
	{ "<=", RELATION_AT_MOST }, { ">=", RELATION_AT_LEAST }, { "==", RELATION_EQUAL },
	{ "<", RELATION_BELOW },    { ">", RELATION_ABOVE },	 { "=", RELATION_EQUAL },
};

size_t relation_find(const char *text)
{
	return strcspn(text, "<>=");
}

const char *relation_parse(const char *sign, enum relation *relation)
{
	size_t i;

	for (i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		size_t n = strlen(relations[i].sign);

		if (strncmp(sign, relations[i].sign, n))
			continue;
		*relation = relations[i].relation;
		return sign[n] && strchr("<>=", sign[n]) ? NULL : sign + n;
	}
	return NULL;
}

bool relation_holds(enum relation relation, uint64_t value, uint64_t bound)
{
	switch (relation) {
	case RELATION_BELOW:
		return value < bound;
	case RELATION_AT_MOST:
		return value <= bound;
	case RELATION_EQUAL:
		return value == bound;
	case RELATION_AT_LEAST:
		return value >= bound;
	case RELATION_ABOVE:
		return value > bound;
	}
	return false;
}
