// SPDX-License-Identifier: GPL-2.0-only
#include "witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what)
{
	fprintf(stderr, "witness: %s: %s\n", what, strerror(errno));
	exit(1);
}

int main(int argc, char **argv)
{
	struct witnesses witnesses = { 0 };

	if (argc == 3 && !strcmp(argv[1], "orphans"))
		return orphans_run((unsigned int)atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "own"))
		return own_run((unsigned int)atoi(argv[2]), argv[3]);
	if (argc == 3 && !strcmp(argv[1], "acct"))
		return acct_switch(strcmp(argv[2], "off") ? argv[2] : NULL);
	if (argc == 3 && !strcmp(argv[1], "taskstats"))
		return stats_listen(argv[2]);
	if (argc == 7 && !strcmp(argv[1], "judge")) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/own", argv[5]);
		if (!strcmp(argv[4], "own"))
			own_read(&witnesses, path);
		snprintf(path, sizeof(path), "%s/acct", argv[5]);
		acct_read(&witnesses, path);
		snprintf(path, sizeof(path), "%s/taskstats", argv[5]);
		stats_read(&witnesses, path);
		return judge(argv[2], argv[3], strtoul(argv[6], NULL, 10), &witnesses);
	}
	fprintf(stderr, "usage: witness own CHILDREN FILE\n"
			"       witness orphans PAIRS\n"
			"       witness acct FILE|off\n"
			"       witness taskstats FILE\n"
			"       witness judge LABEL RECORDING own|others FOLDER LEAST\n");
	return 129;
}
