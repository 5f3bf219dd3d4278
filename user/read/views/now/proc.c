// SPDX-License-Identifier: GPL-2.0-only
#include "views/now/proc.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000ULL
#define PF_EXITING 0x4 /* of the kernel's task_struct.flags, which stat shows */
#define SIGKILL_PENDING (1ULL << (SIGKILL - 1))
#define STAT_MOST 2048 /* bytes; it has about 300 */
#define STATUS_MOST 4096 /* it has about 1500 beside the groups */

/* Fields of stat behind the name, counted as in proc(5); the state is the third. */
#define FIRST_FIELD 4
#define FLAGS_FIELD 9
#define START_FIELD 22
#define PENDING_FIELD 31
#define FIELDS 32

struct stat_line {
	char state;
	uint64_t fields[FIELDS];
};

static int read_file(int at, const char *path, char *buffer, size_t size)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	while (n < size - 1) {
		got = read(fd, buffer + n, size - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (got < 0)
		n = 0;
	got = got < 0 ? -errno : 0;
	close(fd);
	buffer[n] = '\0';
	return (int)got;
}

/* The name can have parentheses of its own: it ends at the last one. */
static int parse_stat(struct stat_line *stat, const char *text)
{
	const char *at = strrchr(text, ')');
	unsigned int i;
	char *end;

	if (!at || at[1] != ' ' || !isalpha((unsigned char)at[2]) || at[3] != ' ')
		return -EBADMSG;
	memset(stat, 0, sizeof(*stat));
	stat->state = at[2];
	for (at += 3, i = FIRST_FIELD; i < FIELDS; at = end, i++) {
		stat->fields[i] = strtoull(at, &end, 10);
		if (end == at)
			break;
	}
	/* What comes behind the start is not needed. */
	return i > START_FIELD ? 0 : -EBADMSG;
}

static int read_stat(struct stat_line *stat, int at, const char *path)
{
	char text[STAT_MOST];
	int err = read_file(at, path, text, sizeof(text));

	return err ? err : parse_stat(stat, text);
}

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

static bool has_ended(const struct stat_line *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}

/* As stat shows this start: in ticks of the time namespace that this process is in. */
static uint64_t in_ticks(int root, uint64_t start)
{
	long hz = sysconf(_SC_CLK_TCK);
	long long seconds = 0, ns = 0;
	char text[256], *at;

	if (!read_file(root, "self/timens_offsets", text, sizeof(text)) &&
	    (at = strstr(text, "boottime")))
		sscanf(at, "boottime %lld %lld", &seconds, &ns);
	start += (uint64_t)seconds * SECOND + (uint64_t)ns;
	return start / (SECOND / (hz > 0 ? (uint64_t)hz : 100));
}

/* 0 if it is there and the one that began then. */
static int check(struct stat_line *stat, int at, const char *path, uint64_t ticks)
{
	int err = read_stat(stat, at, path);

	return !err && stat->fields[START_FIELD] != ticks ? -ESRCH : err;
}

static void read_wchan(struct proc_thread *thread, int task)
{
	char path[32];
	const char *at;

	snprintf(path, sizeof(path), "%u/wchan", thread->tid);
	if (read_file(task, path, thread->wchan, sizeof(thread->wchan)) ||
	    !strcmp(thread->wchan, "0"))
		thread->wchan[0] = '\0';
	thread->wchan[strcspn(thread->wchan, "\n")] = '\0';
	for (at = thread->wchan; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.", *at))
			thread->wchan[0] = '\0'; /* the name of no function */
}

/* 1 if it is there, and was all the time; 0 if it has ended. */
static int read_thread(struct proc_thread *thread, int task)
{
	struct stat_line stat, after;
	char path[32];
	int err;

	snprintf(path, sizeof(path), "%u/stat", thread->tid);
	err = read_stat(&stat, task, path);
	if (err)
		return !is_gone(err);
	read_wchan(thread, task);
	err = check(&after, task, path, stat.fields[START_FIELD]);
	if (err)
		return 0;
	thread->state = after.state;
	if (has_ended(&after))
		return 0;
	thread->state = stat.state;
	thread->exiting = stat.fields[FLAGS_FIELD] & PF_EXITING;
	thread->killed = stat.fields[PENDING_FIELD] & SIGKILL_PENDING;
	return 1;
}

static int compare(const void *a, const void *b)
{
	const struct proc_thread *x = a, *y = b;
	int order = x->state - y->state;

	if (!order)
		order = strcmp(x->wchan, y->wchan);
	return order ? order : x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* All but the groups: a user can have thousands, and what follows them is needed. */
static int read_status_file(int at, const char *path, char text[STATUS_MOST])
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC), err;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0, n = 0;
	char *line = NULL;
	ssize_t length;

	if (!file) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((length = getline(&line, &size, file)) > 0) {
		if (!strncmp(line, "Groups:", 7) || n + (size_t)length >= STATUS_MOST)
			continue;
		memcpy(text + n, line, (size_t)length);
		n += (size_t)length;
	}
	text[n] = '\0';
	err = ferror(file) ? -EIO : 0;
	free(line);
	fclose(file);
	return err;
}

/* A number that stands in a line of its own in status; 0 if there is none. */
static uint64_t number_of(const char *status, const char *name, int base)
{
	const char *line = strstr(status, name);

	return line && line > status && line[-1] == '\n' ?
		       strtoull(line + strlen(name), NULL, base) : 0;
}

/* The thread that traces it can be one of its parent, which is notified then as usual. */
static uint32_t tracer_of(int root, const char *status)
{
	uint32_t tracer = (uint32_t)number_of(status, "TracerPid:", 10), process;
	char path[32], text[STATUS_MOST];

	if (!tracer)
		return 0;
	snprintf(path, sizeof(path), "%u/status", tracer);
	process = read_status_file(root, path, text) ? 0 : (uint32_t)number_of(text, "Tgid:", 10);
	process = process ? process : tracer;
	return process == (uint32_t)number_of(status, "PPid:", 10) ? 0 : process;
}

/* It releases itself, unless it is traced: then its tracer has to wait for it, and its parent does not know of its end. */
static void note_ended(struct proc_process *process, int root, int task, const struct proc_thread *thread)
{
	char path[32], text[STATUS_MOST];

	snprintf(path, sizeof(path), "%u/status", thread->tid);
	if (thread->state != 'Z' || read_status_file(task, path, text) || !number_of(text, "TracerPid:", 10))
		return;
	process->held = true;
	process->tracer = process->tracer ? process->tracer : tracer_of(root, text);
}

static int add_thread(struct proc_process *process, int root, uint32_t pid, int task, const char *name)
{
	struct proc_thread thread = { 0 }, *more;
	size_t n = process->count;
	unsigned long tid;
	char *end;

	errno = 0;
	tid = strtoul(name, &end, 10);
	if (!isdigit((unsigned char)*name) || *end || errno || tid > UINT32_MAX)
		return 0;
	thread.tid = (uint32_t)tid;
	if (!read_thread(&thread, task)) {
		if (thread.tid != pid)
			note_ended(process, root, task, &thread);
		return 0;
	}
	if (!(n & (n - 1))) {
		more = reallocarray(process->threads, n ? 2 * n : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		process->threads = more;
	}
	process->threads[process->count++] = thread;
	return 0;
}

static int read_threads(struct proc_process *process, int root, uint32_t pid, int at)
{
	int fd = openat(at, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	struct dirent *entry;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		process->found = is_gone(-errno) ? PROC_GONE : PROC_REFUSED;
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!err && (entry = readdir(dir)))
		err = add_thread(process, root, pid, dirfd(dir), entry->d_name);
	closedir(dir);
	if (process->count)
		qsort(process->threads, process->count, sizeof(process->threads[0]), compare);
	return err;
}

/* What pends for the process as a whole stays there until it has ended. */
static bool is_killed(const char *status)
{
	return number_of(status, "ShdPnd:", 16) & SIGKILL_PENDING;
}

static void read_status(struct proc_process *process, int root, int at)
{
	char text[STATUS_MOST];

	if (read_status_file(at, "status", text))
		return;
	process->tracer = tracer_of(root, text);
	process->killed = is_killed(text);
}

static int open_process(int root, uint32_t pid)
{
	char name[16];
	int at;

	snprintf(name, sizeof(name), "%u", pid);
	at = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return at < 0 ? -errno : at;
}

static int read_all(struct proc_process *process, int root, uint32_t pid, uint64_t ticks)
{
	int at = open_process(root, pid), err = at < 0 ? at : 0;
	struct stat_line stat;
	bool found = false;

	if (!err)
		err = check(&stat, at, "stat", ticks);
	if (!err) {
		process->found = PROC_THERE;
		process->leader_ended = has_ended(&stat);
		read_status(process, root, at);
		found = true;
		err = read_threads(process, root, pid, at);
		if (!err && process->found == PROC_THERE)
			err = check(&stat, at, "stat", ticks);
	}
	if (at >= 0)
		close(at);
	if (err == -ENOMEM)
		return err;
	if (err)
		process->found = found || is_gone(err) ? PROC_GONE : PROC_REFUSED;
	return 0;
}

int proc_read(struct proc_process *process, const char *root, uint32_t pid, uint64_t start)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	*process = (struct proc_process){ .found = PROC_REFUSED };
	if (fd < 0)
		return 0;
	if (start)
		err = read_all(process, fd, pid, in_ticks(fd, start));
	close(fd);
	return err;
}

void proc_free(struct proc_process *process)
{
	free(process->threads);
	process->threads = NULL;
	process->count = 0;
}

static bool looks_ending(const struct stat_line *stat, int at)
{
	char text[STATUS_MOST];

	if (has_ended(stat) || stat->fields[FLAGS_FIELD] & PF_EXITING ||
	    stat->fields[PENDING_FIELD] & SIGKILL_PENDING)
		return true;
	return !read_status_file(at, "status", text) && is_killed(text);
}

bool proc_may_end(const char *root, uint32_t pid)
{
	struct stat_line stat;
	char path[PATH_MAX];
	bool ending;
	int at;

	snprintf(path, sizeof(path), "%s/%u", root, pid);
	at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return false;
	/* Whether it began at that time is seen when all is read. */
	ending = !read_stat(&stat, at, "stat") && looks_ending(&stat, at);
	close(at);
	return ending;
}
