// SPDX-License-Identifier: GPL-2.0-only
/*
 * lie N FROM TO: copies what a witness said from a file to another one, with the Nth lie about one of the tasks in
 * it, and prints which that is. The files are called as listen.c and the workloads call them. Exit status: 1 if
 * there is no Nth lie about this witness.
 */
#include <err.h>
#include <libgen.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "acct.h"
#include "taskstats.h"
#include "told.h"

/* A number of a structure, and what is added to it; no size: the structure is left out. */
struct lie {
	const char *name;
	size_t at, size;
	int64_t more;
};

#define SECOND 1000000000
#define LIE(type, member, more) { #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), more }
#define LIE_OF_NAME(type, member) { #member, offsetof(struct type, member), 1, 1 }
#define LEFT_OUT { "left out", 0, 0, 0 }

static const struct lie acct_lies[] = {
	LEFT_OUT,
	LIE(acct_v3, ac_pid, 1000000),
	LIE(acct_v3, ac_ppid, 1),
	LIE(acct_v3, ac_uid, 1),
	LIE(acct_v3, ac_exitcode, 1),
	LIE(acct_v3, ac_btime, 10),
	LIE(acct_v3, ac_utime, 100),
	LIE(acct_v3, ac_stime, 100),
	LIE(acct_v3, ac_minflt, 500),
	LIE(acct_v3, ac_majflt, 500),
	LIE_OF_NAME(acct_v3, ac_comm),
	LIE(acct_v3, ac_version, -1),
};

static const struct lie taskstats_lies[] = {
	LEFT_OUT,
	LIE(taskstats, ac_pid, 1000000),
	LIE(taskstats, ac_ppid, 1),
	LIE(taskstats, cpu_run_virtual_total, SECOND),
	LIE(taskstats, cpu_run_virtual_total, -10 * (int64_t)SECOND),
	LIE(taskstats, ac_utime, 1000000),
	LIE(taskstats, ac_stime, 1000000),
	LIE(taskstats, ac_etime, -1000000),
	LIE(taskstats, ac_etime, 1000000),
	LIE(taskstats, ac_minflt, 1000),
	LIE(taskstats, ac_majflt, 1000),
	LIE(taskstats, nvcsw, 1000),
	LIE(taskstats, nivcsw, 1000),
	LIE_OF_NAME(taskstats, ac_comm),
};

static const struct lie told_lies[] = {
	LIE(truth, pid, 1000000),
	LIE(truth, after, SECOND),
	LIE(truth, before, -SECOND),
	LIE(truth, parent, 1),
	LIE(truth, creator, 1),
	LIE(truth, reaper, 1),
	LIE(truth, status, 256),
	LIE(truth, threads, 1),
	LIE(truth, execs, 1),
	LIE(truth, reap_from, SECOND),
	LIE(truth, reap_to, -SECOND),
	LIE_OF_NAME(truth, name),
	/* From here on, what is known only of some. */
#define LIES_OF_ALL 12
	LIE(truth, uid, 1),
	LIE(truth, cgroup, 1),
	LIE(truth, utime, 1000000),
	LIE(truth, stime, 1000000),
	LIE(truth, max_rss, 4000),
	LIE(truth, min_flt, 1000),
	LIE(truth, maj_flt, 1000),
	LIE(truth, nvcsw, 1000),
	LIE(truth, nivcsw, 1000),
};

#define COUNT(lies) (sizeof(lies) / sizeof(*(lies)))

static const struct lie *lie_of(const struct lie *lies, size_t count, size_t n)
{
	if (n >= count)
		exit(1);
	puts(lies[n].name);
	return &lies[n];
}

/* False if the structure is to be left out. */
static bool plant(const struct lie *lie, void *structure)
{
	int64_t value = 0;

	memcpy(&value, (char *)structure + lie->at, lie->size);
	value += lie->more;
	memcpy((char *)structure + lie->at, &value, lie->size);
	return lie->size;
}

/* In the middle of a file of such structures. */
static void lie_of_structures(FILE *in, FILE *out, size_t size, const struct lie *lie)
{
	long at, middle;
	void *structure = malloc(size);

	if (!structure || fseek(in, 0, SEEK_END))
		err(1, "reading");
	middle = ftell(in) / (long)size / 2;
	rewind(in);
	for (at = 0; fread(structure, size, 1, in) == 1; at++)
		if (at != middle || plant(lie, structure))
			fwrite(structure, size, 1, out);
	free(structure);
}

/* About the last process that is known up to its reap. */
static void lie_of_told(FILE *in, FILE *out, size_t n)
{
	struct truth t = { 0 }, last = { 0 };
	const struct lie *lie;
	char line[2048];

	while (fgets(line, sizeof(line), in))
		if (truth_read(line, &t) && t.threads && t.reap_to)
			last = t;
	rewind(in);
	lie = lie_of(told_lies, last.used ? COUNT(told_lies) : LIES_OF_ALL, n);
	while (fgets(line, sizeof(line), in)) {
		if (truth_read(line, &t) && t.pid == last.pid && t.after == last.after) {
			plant(lie, &t);
			truth_print(&t, line, sizeof(line));
		}
		fputs(line, out);
	}
}

/* About an event in the middle of those of its kind. Births are not in each trace, and are the last. */
static const struct {
	const char *event;
	const char *lie;
} ftrace_lies[] = {
	{ ": sched_process_exit: comm=", "left out" }, { ": sched_process_exit: comm=", "twice" },
	{ ": sched_process_exit: comm=", "pid" },      { ": sched_process_exit: comm=", "comm" },
	{ ": forking: (", "left out" },		       { ": forking: (", "twice" },
	{ ": started: (", "left out" },		       { ": started: (", "twice" },
	{ ": execing: (", "left out" },		       { ": execing: (", "twice" },
};

static void lie_of_ftrace(FILE *in, FILE *out, size_t n)
{
	const char *event = n < COUNT(ftrace_lies) ? ftrace_lies[n].event : NULL, *lie;
	char line[2048], *fields;
	size_t count = 0, at = 0;

	while (event && fgets(line, sizeof(line), in))
		count += strstr(line, event) != NULL;
	if (!count)
		exit(1);
	lie = ftrace_lies[n].lie;
	printf("%s%s\n", lie, event);
	rewind(in);
	while (fgets(line, sizeof(line), in)) {
		fields = strstr(line, event);
		if (fields && at++ == count / 2) {
			if (!strcmp(lie, "comm"))
				fields[strlen(event)]++;
			else if (!strcmp(lie, "pid"))
				strstr(fields, " pid=")[strlen(" pid=")] ^= 1;
			else if (!strcmp(lie, "twice"))
				fputs(line, out);
			else
				continue;
		}
		fputs(line, out);
	}
}

int main(int argc, char **argv)
{
	FILE *in = argc == 4 ? fopen(argv[2], "re") : NULL, *out = in ? fopen(argv[3], "we") : NULL;
	size_t n = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	const char *what;

	if (!in || !out)
		err(129, "usage: lie N FROM TO");
	what = basename(argv[2]);
	if (!strcmp(what, "acct"))
		lie_of_structures(in, out, sizeof(struct acct_v3), lie_of(acct_lies, COUNT(acct_lies), n));
	else if (!strcmp(what, "taskstats"))
		lie_of_structures(in, out, sizeof(struct taskstats), lie_of(taskstats_lies, COUNT(taskstats_lies), n));
	else if (!strcmp(what, "ftrace"))
		lie_of_ftrace(in, out, n);
	else
		lie_of_told(in, out, n);
	if (fclose(out))
		err(1, "%s", argv[3]);
	return 0;
}
