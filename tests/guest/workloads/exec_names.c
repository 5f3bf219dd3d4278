// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec_names [ROUNDS]: vfork and exec of programs whose names are long, odd, deep in folders, a
 * link's, a script's, or changed by the program. It makes them in the current folder.
 */
#include <string.h>
#include <sys/stat.h>

#include "truth/told.h"

static const char deep[] = "a folder/and another one with quite a long name/and one more";

static const struct {
	const char *file;
	const char *name; /* its last name */
	bool script;
} programs[] = {
	{ "short", "short", false },
	{ "exactly-15-long", "exactly-15-long", false },
	{ "more-than-15-is-cut", "more-than-15-is", false },
	{ "odd pid=1 (x", "odd pid=1 (x", false },
	{ "a folder/and another one with quite a long name/and one more/x", "x", false },
	{ "script", "script", true },
	{ "renames", "new name", false },
};

static void make_folders(void)
{
	char path[sizeof(deep)];
	size_t i;

	for (i = 0; i < sizeof(deep); i++) {
		path[i] = deep[i];
		if (deep[i] && deep[i] != '/')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0700))
			err(1, "%s", path);
		path[i] = deep[i];
	}
}

static void make_program(size_t i, const char *self)
{
	if (programs[i].script) {
		FILE *f = fopen(programs[i].file, "w");

		if (!f || fprintf(f, "#!%s\n", self) < 0 || fclose(f) ||
		    chmod(programs[i].file, 0700))
			err(1, "%s", programs[i].file);
	} else if (symlink(self, programs[i].file)) {
		err(1, "%s", programs[i].file);
	}
}

static void run(size_t i)
{
	struct truth t;
	pid_t pid;

	do {
		truth_begin(&t, programs[i].name);
		pid = vfork();
		if (!pid) {
			execl(programs[i].file, "--program", programs[i].name, NULL);
			_exit(127);
		}
	} while (!truth_end(&t, pid));
	t.execs = 1;
	truth_reap(&t);
	if (t.status != (int)(i << 8))
		errx(1, "%s: wait status %#x", programs[i].file, t.status);
}

/* Acts as one of the programs. */
static int program(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(name, programs[i].name))
			break;
	if (!strcmp(name, "new name"))
		prctl(PR_SET_NAME, name);
	truth_exit((int)i);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 40);
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;
	int round;

	if (len < 0)
		err(1, "/proc/self/exe");
	self[len] = '\0';
	if (!strcmp(argv[0], "--program"))
		return program(argv[1]);
	if (argc == 3 && !strcmp(argv[1], "script"))
		return program(argv[2]);

	make_folders();
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		make_program(i, self);
	for (round = 0; round < n; round++)
		for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
			run(i);
	return truth_total(n * (int)(sizeof(programs) / sizeof(programs[0])), 0);
}
