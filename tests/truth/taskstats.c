// SPDX-License-Identifier: GPL-2.0-only
#include "taskstats.h"

bool taskstats_next(FILE *in, struct taskstats *stats)
{
	return fread(stats, sizeof(*stats), 1, in) == 1;
}
