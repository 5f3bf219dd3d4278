// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every view of arbitrary recordings: the program has to end by itself, without a signal and without
 * a complaint of the sanitizers, in at most ten times the CPU time that the same view takes for as
 * many ordinary records. A run that takes longer is repeated, as the machine can be busy.
 *
 * Behind four bytes that choose the view, its options, the terminal's width, and whether records are lost, when
 * they happen and whether the recording is cut off, an input makes records: see runs.h. The library gets them in this process, too, so that
 * the fuzzer sees which inputs reach new code.
 */
#include "runs.h"

#include <tests/unit/support/fake_device.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS 16384
#define RING 4096
#define FACTOR 10
#define TRIES 4
#define COMPLAINED 86 /* the exit status of a sanitizer */

/* The other side of --diff is a recording of ordinary records; the slice is not read. */
static const char *const views[] = {
	"--lives", "--lives --sort life", "--lives --sort alone --top 5", "--lives --failed",
	"--events", "--events exec,exit", "--tree", "--tree --no-fold", "--tree --threads",
	"--tree --top 5", "--tree --depth 2", "--tree --min-life 1us", "--tree --show uid,cgroup",
	"--latency", "--latency --threads", "--latency --by comm", "--latency --by parent",
	"--latency --by reaper", "--summary", "--summary --by path", "--summary --by parent",
	"--parents", "--zombies", "--critical-path", "--info", "--expect left==1 --expect cc.life.p99<1s",
	"--tree --latency --summary --lives", "--diff", "--slice",
	"--latency --by cgroup --interval 1ms", "--latency --threads --interval 3ms",
	"--summary --latency --parents --interval 1ms", "--expect life.max<1s --parents --interval 5ms",
	"--metrics", "--export csv", "--export folded", "--export otlp", "--export perfetto",
	"--export perfetto --tracks processes",
	"--on failed --on zombie>1us --on life>0s --on forks>0/s --on lost>0 --on unmap>0s --on held<1s --on thread_exit",
	"--lives --on teardown>0s --on kill>=1us --on rcu_free>1ms --on exit_free<1s --on 1.status>0 --calm 1ms",
	"--html", "--on life>100s --on kill>100s --on zombie>100s --on teardown>100s",
};

#define VIEWS (sizeof(views) / sizeof(*views))

static const char *const selections[] = {
	"", "--json", "--pid 101", "--comm 1", "--failed", "--signal any", "--args *x*", "--uid 0",
	"--from -1ms", "--to +1ms", "--utc --color always", "--monotonic --json",
};

#define SELECTIONS (sizeof(selections) / sizeof(*selections))

static struct proclife_record records[RECORDS];
static char program[PATH_MAX], folder[64];

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "views: %s: %s\n", what, strerror(errno));
	abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void forget(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s%s", folder, *name ? "/" : "", name);
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
	forget("");
}

/* This is B/tests/fuzz/views; the program is B/sanitized/proclife-read. */
static void find_program(void)
{
	char own[PATH_MAX - 64] = "";

	need(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0, "/proc/self/exe");
	snprintf(program, sizeof(program), "%s/sanitized/proclife-read",
		 dirname(dirname(dirname(own))));
	need(!access(program, X_OK), program);
	snprintf(folder, sizeof(folder), "/dev/shm/proclife-fuzz-XXXXXX");
	need(mkdtemp(folder), folder);
	atexit(remove_folder);
	setenv("ASAN_OPTIONS", "exitcode=86:detect_leaks=0", 1);
	setenv("UBSAN_OPTIONS", "exitcode=86", 1);
}

static void read_rings(struct proclife_source *source)
{
	struct proclife_event event;

	while (proclife_source_next(source, &event) == 1)
		;
}

/* Ordinary; or, from the middle on, so large that a sum of two is no valid time, or overflows. */
static uint64_t time_of(uint8_t how, size_t i, size_t count)
{
	static const uint64_t far[] = {
		0, UINT64_C(1) << 62, INT64_MAX - RECORDS * 1000, UINT64_MAX - 2000000 - RECORDS * 1000,
	};

	return 1000000 + 1000 * i + (i >= count / 2 ? far[how >> 2 & 3] : 0);
}

/*
 * Writes a recording, with names of these bytes. By bits, 1: some records are lost, as the rings overflow; 2
 * and 3: when they happen; 4: it is cut off.
 */
static void record(const char *name, size_t count, const uint8_t *bytes, uint8_t how)
{
	bool lose = how & 2;
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 1, .command_status = -1, .reason = "gone",
	};
	struct fake_device *device = fake_device_new(2, RING);
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	char path[128];

	fake_device_add_rings(device);
	device->header->features = WITHOUT_EXITING;
	device->header->to_realtime = 1700000000000000000;
	source = fake_device_open(device);
	forget(name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	need(!proclife_recorder_new(&recorder, source, path, &run), path);
	for (size_t i = 0; i < count; i++) {
		uint32_t cpu = (uint32_t)(i / 64 % 2);
		struct proclife_record *slot = fake_device_begin(device, cpu);

		*slot = records[i];
		slot->cpu = cpu;
		slot->ts = device->now = time_of(how, i, count);
		if (bytes && slot->type != PROCLIFE_ARGS)
			memcpy(slot->comm, bytes + i % 8, 4);
		proclife_ring_commit(&device->rings[cpu], slot->type);
		if (i % RING == RING - 1 && !(lose && i > count / 2))
			read_rings(source);
	}
	read_rings(source);
	run.ended = device->now + 1;
	/* PROCLIFE_TIME_MAX is the last valid time. */
	if (!(how & 16) && run.ended <= PROCLIFE_TIME_MAX)
		need(!proclife_recorder_finish(recorder, &run), path);
	else
		need(!proclife_recorder_sync(recorder), path);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
}

/* Return: the CPU time of the program, in us. What it said is in the file "said". */
static uint64_t run(const char *name, const char *view, const char *selection, uint8_t width)
{
	char line[PATH_MAX + 512], columns[32], *words[32] = { program };
	struct rusage usage;
	int status, n = 1;
	pid_t pid, ended;

	if (!strcmp(view, "--diff")) /* it takes no selection */
		snprintf(line, sizeof(line), "--diff %s/%s %s/ordinary", folder, name, folder);
	else if (!strcmp(view, "--slice"))
		snprintf(line, sizeof(line), "-i %s/%s --pid 101 --slice %s/slice", folder, name,
			 folder);
	else if (!strcmp(view, "--metrics") || !strcmp(view, "--html")) /* they print no JSON */
		snprintf(line, sizeof(line), "-i %s/%s %s %s/m.prom %s", folder, name, view, folder,
			 strstr(selection, "--json") ? "" : selection);
	else if (!strncmp(view, "--export", 8))
		snprintf(line, sizeof(line), "-i %s/%s %s %s", folder, name, view,
			 strstr(selection, "--json") ? "--hide-args" : selection);
	else
		snprintf(line, sizeof(line), "-i %s/%s %s %s", folder, name, view, selection);
	forget("slice");
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		char said[128];

		for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
			words[n++] = word;
		snprintf(columns, sizeof(columns), "%u", 40 + width);
		setenv("COLUMNS", columns, 1);
		setenv("LC_ALL", width % 2 ? "C.UTF-8" : "C", 1);
		snprintf(said, sizeof(said), "%s/said", folder);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
		setrlimit(RLIMIT_CPU, &(struct rlimit){ 60, 60 });
		execv(program, words);
		_exit(COMPLAINED);
	}
	/* The fuzzer's own timer interrupts it. */
	do
		ended = wait4(pid, &status, 0, &usage);
	while (ended < 0 && errno == EINTR);
	need(ended == pid, "wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status) == COMPLAINED) {
		fprintf(stderr, "views: COLUMNS=%u %s: status %#x\n", 40 + width, line,
			(unsigned int)status);
		snprintf(line, sizeof(line), "head -c 20000 %s/said >&2", folder);
		if (system(line))
			fprintf(stderr, "views: it said nothing\n");
		abort();
	}
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The library's part alone, for the fuzzer's coverage. */
static void feed(size_t count)
{
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;

	if (proclife_tasks_new(&tasks, NULL) || proclife_tree_new(&tree, tasks))
		abort();
	for (size_t i = 0; i < count; i++) {
		struct proclife_event event = { .record = &records[i] };

		records[i].ts = 1000000 + 1000 * i;
		if (proclife_tasks_feed(tasks, &event) < 0)
			abort();
	}
	if (proclife_tasks_close(tasks) < 0)
		abort();
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *view, *selection;
	uint64_t took = 0, ordinary = 0;
	uint8_t width;
	size_t count;

	if (size < 4 + 8 + 4)
		return 0;
	if (!*program) {
		find_program();
		runs_make_ordinary(records, RECORDS);
		record("ordinary", RECORDS, NULL, 0);
	}
	view = views[data[0] % VIEWS];
	selection = selections[data[1] % SELECTIONS];
	width = data[2];
	count = runs_make(records, RECORDS, data + 4, size - 4);
	feed(count);
	record("strange", count, data[3] & 1 ? data + 4 : NULL, data[3]);
	for (int try = 0; try < TRIES; try++) {
		took = run("strange", view, selection, width);
		/* A pattern costs as much as the command line is long; ordinary records have none. */
		if (!strncmp(selection, "--args", 6) || (ordinary && took <= FACTOR * ordinary))
			return 0;
		ordinary = run("ordinary", view, selection, width);
		if (took <= FACTOR * ordinary)
			return 0;
	}
	fprintf(stderr, "views: %s %s: %llu us, for as many ordinary records %llu us\n", view,
		selection, (unsigned long long)took, (unsigned long long)ordinary);
	abort();
}
