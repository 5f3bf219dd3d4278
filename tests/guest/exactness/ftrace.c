// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exactness.h"
#include "truth/trace.h"

/*
 * The instance stays for the next run: switching tracepoints on and off rewrites the kernel's
 * code, which the multi-threaded emulation of QEMU 7.2 does not always survive.
 */
static const char instance[] = "/sys/kernel/tracing/instances/proclife-exactness";

static int put(const char *file, const char *text)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", file[0] == '/' ? "" : instance, file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		ret = -errno;
		fprintf(stderr, "exactness: %s: %s\n", path, strerror(-ret));
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int set_up(void)
{
	char file[128];
	int i, ret;

	/* On the records' clock, and large enough to hold everything. */
	ret = put("trace_clock", "mono");
	if (!ret)
		ret = put("buffer_size_kb", "16384");
	for (i = 0; i < KINDS && !ret; i++) {
		snprintf(file, sizeof(file), "events/%s/enable", trace_names[i]);
		ret = put(file, "1");
	}
	return ret;
}

/*
 * A new instance takes over record-cmd from the whole system, and cannot change it; it would switch
 * sched_switch on, for names that are not needed here.
 */
static int make_instance(void)
{
	static const char option[] = "/sys/kernel/tracing/options/record-cmd";
	int ret = put(option, "0");

	if (ret)
		return ret;
	ret = mkdir(instance, 0700) ? -errno : set_up();
	put(option, "1");
	if (ret)
		rmdir(instance);
	return ret;
}

int ftrace_start(void)
{
	int ret = 0;

	if (access(instance, F_OK))
		ret = make_instance();
	if (!ret)
		ret = put("trace", ""); /* empties it */
	if (!ret)
		ret = put("tracing_on", "1");
	return ret;
}

/* The end of a path that does not fit is enough. */
static void copy_tail(char *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	snprintf(to, size, "%s", len < size ? text : text + len - (size - 1));
}

/* "            comm-PID     [CPU] flags seconds.micros: event: fields", the comm in 16 columns. */
static bool parse_line(struct events *lines, char *line)
{
	unsigned long long seconds, micros;
	struct trace_event parsed;
	struct event *e;
	char name[64];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (strlen(line) < 17 || sscanf(line + 17, "%*d [%*d] %*s %llu.%llu: %63[^:]: %n", &seconds,
					&micros, name, &at) != 3 || !at || !trace_parse(&parsed, name, line + 17 + at) ||
	    parsed.kind >= KINDS)
		return false;
	e = events_add(lines, parsed.kind);
	e->ts = seconds * 1000000000ULL + micros * 1000;
	e->pid = parsed.pid;
	e->other = parsed.other;
	if (e->kind == TRACE_EXEC)
		copy_tail(e->tail, sizeof(e->tail), parsed.text);
	else
		copy_tail(e->comm, sizeof(e->comm), parsed.text);
	return true;
}

/* Nothing is lost if no CPU's buffer was overrun and no event was dropped. */
static int check_loss(void)
{
	char pattern[128], line[128];
	unsigned long count;
	glob_t stats;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/per_cpu/cpu*/stats", instance);
	if (glob(pattern, 0, NULL, &stats))
		return -ENOENT;
	for (i = 0; i < stats.gl_pathc; i++) {
		FILE *f = fopen(stats.gl_pathv[i], "r");

		while (f && fgets(line, sizeof(line), f))
			if ((sscanf(line, "overrun: %lu", &count) == 1 ||
			     sscanf(line, "commit overrun: %lu", &count) == 1 ||
			     sscanf(line, "dropped events: %lu", &count) == 1) &&
			    count)
				fault(FAULT_FTRACE, "ftrace itself lost events: %s", line);
		if (f)
			fclose(f);
	}
	globfree(&stats);
	return 0;
}

int ftrace_stop(struct events *lines)
{
	char path[128];
	char *line = NULL;
	size_t room = 0;
	FILE *f;
	int ret = put("tracing_on", "0");

	if (!ret)
		ret = check_loss();
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/trace", instance);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (getline(&line, &room, f) > 0)
		if (line[0] != '#' && !parse_line(lines, line))
			fault(FAULT_FTRACE, "a line of ftrace that makes no sense: %s", line);
	free(line);
	fclose(f);
	return 0;
}
