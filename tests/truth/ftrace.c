// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints of tasks, in an ftrace instance of our own. */
#include "listen.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

/*
 * The instance stays for the next run: switching tracepoints on and off rewrites the kernel's
 * code, which the multi-threaded emulation of QEMU 7.2 does not always survive.
 */
static const char instance[] = "/sys/kernel/tracing/instances/proclife-truth";

static void put(const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", file[0] == '/' ? "" : instance, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

/* Only where births are recorded, by the module or, as tests/guest/without_module says, by BPF: each is dear here. */
static bool are_births_wanted(void)
{
	FILE *file = fopen("/sys/module/proclife/parameters/births", "re");
	const char *without = getenv("TRUTH_BIRTHS");
	bool wanted = file ? fgetc(file) == 'Y' : without && !access(without, F_OK);

	if (file)
		fclose(file);
	return wanted;
}

static void put_probes(void)
{
	static const char probes[] = "/sys/kernel/tracing/kprobe_events";
	char line[128];
	int fd = open(probes, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", probes);
	for (int i = 0; i < TRACE_KINDS; i++) {
		if (!trace_probes[i])
			continue;
		snprintf(line, sizeof(line), "p:%s %s comm=$comm", trace_names[i], trace_probes[i]);
		if (write(fd, line, strlen(line)) < 0 && errno != EEXIST)
			err(1, "%s: %s", probes, line);
	}
	close(fd);
}

/*
 * A new instance takes over record-cmd from the whole system, and cannot change it; it would switch
 * sched_switch on, for names that are not needed here.
 */
static void make_instance(void)
{
	static const char option[] = "/sys/kernel/tracing/options/record-cmd";
	const bool births = are_births_wanted();
	char file[128];

	if (births)
		put_probes();
	put(option, "0");
	if (mkdir(instance, 0700))
		err(1, "%s", instance);
	put(option, "1");
	/* On the records' clock, and large enough to hold everything. */
	put("trace_clock", "mono");
	put("buffer_size_kb", "16384");
	for (int i = 0; i < TRACE_RENAME; i++) {
		if (trace_probes[i] && !births)
			continue;
		snprintf(file, sizeof(file), "events/%s/enable", trace_names[i]);
		put(file, "1");
	}
}

void ftrace_start(void)
{
	if (access(instance, F_OK))
		make_instance();
	put("trace", ""); /* empties it */
	put("tracing_on", "1");
}

static void copy(FILE *out, const char *path, const char *marker)
{
	char line[1024];
	FILE *in = fopen(path, "re");

	if (!in)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), in))
		fprintf(out, "%s%s", marker, line);
	fclose(in);
}

void ftrace_stop(FILE *out)
{
	char path[128];
	glob_t stats;

	put("tracing_on", "0");
	snprintf(path, sizeof(path), "%s/per_cpu/cpu*/stats", instance);
	if (glob(path, 0, NULL, &stats))
		errx(1, "%s: there is none", path);
	for (size_t i = 0; i < stats.gl_pathc; i++)
		copy(out, stats.gl_pathv[i], FTRACE_STATS);
	globfree(&stats);
	snprintf(path, sizeof(path), "%s/trace", instance);
	copy(out, path, "");
}
