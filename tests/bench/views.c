// SPDX-License-Identifier: GPL-2.0-only
/*
 * views [-b] [-p PROCESSES] [-r ROUNDS]: what proclife-read's views and exports cost on a recording, in CPU
 * time per record and per process, and in memory.
 *
 * A trace is made and recorded, with -b a build's, with its command lines. Each view is run on it
 * with its output going to /dev/null, one view after the other in several rounds; so a disturbance affects
 * them all. CPU time is all that the process took, user and system, from exec to exit, and
 * the figure is the median.
 * The peak is ru_maxrss, which has the pages of programs and libraries in it; the private part of it is
 * sampled every few milliseconds. With -b the text of the command lines is subtracted from the bytes per
 * process: each differs, and a tree or a critical path has to keep them all.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ROUNDS 99

static const char *const views[][3] = {
	{ "--lives", NULL, NULL },
	{ "--lives", "--json", NULL },
	{ "--lives", "--sort=life", NULL },
	{ "--lives", "--sort=alone", "--top=20" },
	{ "--events", NULL, NULL },
	{ "--events", "--json", NULL },
	{ "--tree", NULL, NULL },
	{ "--tree", "--no-fold", NULL },
	{ "--tree", "--json", NULL },
	{ "--tree", "--depth=2", NULL },
	{ "--tree", "--top=20", NULL },
	{ "--summary", NULL, NULL },
	{ "--critical-path", NULL, NULL },
	{ "--latency", NULL, NULL },
	{ "--export=csv", NULL, NULL },
	{ "--export=folded", NULL, NULL },
	{ "--export=otlp", NULL, NULL },
	{ "--export=perfetto", NULL, NULL },
	{ "--html", "page.html", NULL }, /* in the folder of the recording, as it has to be a file */
};

#define VIEWS (sizeof(views) / sizeof(views[0]))

struct result {
	double ns[MOST_ROUNDS]; /* of CPU time */
	long peak_kib;
	long private_kib;
};

static char build[PATH_MAX];
static char folder[PATH_MAX - 64];

static void fail(const char *what)
{
	fprintf(stderr, "views: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void find_build(void)
{
	char own[PATH_MAX] = "";

	/* This program is B/tests/bench/views. */
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		fail("/proc/self/exe");
	snprintf(build, sizeof(build), "%s", dirname(dirname(dirname(own))));
}

/* @text: of command lines, in bytes */
static void record(uint64_t processes, bool build_of_files, unsigned long long *records,
		   unsigned long long *text)
{
	const char *tmp = getenv("TMPDIR");
	char line[3 * PATH_MAX];
	FILE *said;

	snprintf(folder, sizeof(folder), "%s/proclife-views-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		fail(folder);
	atexit(clean_up);
	snprintf(line, sizeof(line), "'%s/tests/bench/record' %s -p %llu '%s/recording'", build,
		 build_of_files ? "-B" : "", (unsigned long long)processes, folder);
	said = popen(line, "r");
	if (!said || fscanf(said, "%llu records, %*u bytes, %llu", records, text) != 2 ||
	    pclose(said)) {
		fprintf(stderr, "views: no recording was made\n");
		exit(1);
	}
}

/* Private memory now, in KiB; 0 if it is gone. */
static long private_kib(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %ld kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static double run(size_t view, struct result *result)
{
	char program[PATH_MAX + 32], input[PATH_MAX];
	struct rusage usage;
	pid_t pid, ended;
	int status;

	snprintf(program, sizeof(program), "%s/proclife-read", build);
	snprintf(input, sizeof(input), "--input=%s/recording", folder);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		if (chdir(folder))
			_exit(98);
		execl(program, program, input, views[view][0], views[view][1], views[view][2], NULL);
		_exit(99);
	}
	while (!(ended = wait4(pid, &status, WNOHANG, &usage))) {
		long kib = private_kib(pid);

		if (kib > result->private_kib)
			result->private_kib = kib;
		usleep(3000);
	}
	if (ended != pid || status) {
		fprintf(stderr, "views: %s %s ended with status %#x\n", program, views[view][0],
			(unsigned int)status);
		exit(1);
	}
	if (usage.ru_maxrss > result->peak_kib)
		result->peak_kib = usage.ru_maxrss;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static bool keeps_text(size_t view)
{
	return !strcmp(views[view][0], "--tree") || !strcmp(views[view][0], "--critical-path") ||
	       !strcmp(views[view][0], "--html");
}

int main(int argc, char **argv)
{
	static struct result results[VIEWS];
	uint64_t processes = 200000, rounds = 5;
	unsigned long long records, text;
	bool build_of_files = false;
	int c;

	while ((c = getopt(argc, argv, "bp:r:")) != -1) {
		if (c == 'b')
			build_of_files = true;
		else if (c == 'p')
			processes = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			rounds = strtoull(optarg, NULL, 10);
	}
	if (optind != argc || !processes || !rounds || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: views [-b] [-p PROCESSES] [-r ROUNDS]\n");
		return 1;
	}
	find_build();
	record(processes, build_of_files, &records, &text);
	for (uint64_t round = 0; round < rounds; round++)
		for (size_t view = 0; view < VIEWS; view++)
			results[view].ns[round] = run(view, &results[view]);
	printf("\nViews of a recording%s to /dev/null: %llu processes, %llu records, %llu MiB; medians "
	       "of %llu\n", build_of_files ? " of a build" : "", (unsigned long long)processes, records, records * 128 >> 20,
	       (unsigned long long)rounds);
	if (text)
		printf("Beside %.1f bytes of command line per process:\n",
		       (double)text / (double)processes);
	printf("%-30s %9s %10s %9s %12s %9s\n", "", "ns/record", "ns/process", "peak MiB", "private MiB",
	       "B/process");
	for (size_t view = 0; view < VIEWS; view++) {
		struct result *result = &results[view];
		char name[64];

		snprintf(name, sizeof(name), "%s %s %s", views[view][0],
			 views[view][1] ? views[view][1] : "", views[view][2] ? views[view][2] : "");
		qsort(result->ns, rounds, sizeof(*result->ns), ascending);
		printf("%-30s %9.1f %10.0f %9ld %12ld %9.1f\n", name,
		       result->ns[rounds / 2] / (double)records,
		       result->ns[rounds / 2] / (double)processes, result->peak_kib >> 10,
		       result->private_kib >> 10,
		       keeps_text(view) ?
			       ((double)result->private_kib * 1024 - (double)text) / (double)processes :
			       (double)result->private_kib * 1024 / (double)processes);
	}
	return 0;
}
