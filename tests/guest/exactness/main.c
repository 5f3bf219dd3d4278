// SPDX-License-Identifier: GPL-2.0-only
/*
 * exactness OPTION NAME COMMAND [ARG...]: run the command, record it and all its descendants until the
 * last one is freed, and print one line, which begins with NAME: is the record exact? OPTION is one of
 *   --told     the command is a workload of ours, which reports each process and how many there are
 *   --least N  it is not, but it makes at least N processes and threads
 * If $EXACTNESS_PIDS is set, the command has only that many pids, so that it must reuse some if it has more
 * tasks. A command that is not ours may then exit with a status other than 0: stress-ng calls it a failure
 * if it cannot have as many tasks at once as it wants.
 *
 * Exit status: 0 if it is, 77 if the command cannot run here, 1 otherwise.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../workloads/truth.h"
#include "exactness.h"

/* Between switching records and ftrace on or off, and the interval in which they must agree. */
#define MARGIN_US 300000
#define SHOWN 8

static uint64_t faults[FAULTS];

void fault(enum fault kind, const char *format, ...)
{
	va_list args;

	if (faults[kind]++ >= SHOWN)
		return;
	fputs("  ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

uint64_t fault_count(enum fault kind)
{
	return faults[kind];
}

static void must(int ret, const char *what)
{
	if (ret < 0)
		errx(1, "%s: %s", what, strerror(-ret));
}

struct run {
	struct proclife_source *source;
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	struct events records;
	struct lives lives;
	struct truth_root root;
	uint64_t from; /* the interval in which records and ftrace are compared */
	uint64_t to;
	uint64_t reap_missed;
	uint64_t timeout;
	bool running;
};

static void open_source(struct run *run)
{
	must(proclife_device_open(&run->source, NULL), PROCLIFE_DEVICE);
	must(proclife_source_snapshot(run->source), "snapshot");
	must(proclife_source_set_watermark(run->source, 512), "watermark");
	must(proclife_tasks_new(&run->tasks, NULL), "tasks");
	must(proclife_tree_new(&run->tree, run->tasks), "tree");
	must(lives_report(&run->lives, run->tasks), "reports");
	run->reap_missed = proclife_source_header(run->source)->reap_missed;
}

/* The command waits for us to select it, before its FORK is fed. */
static void start_command(struct run *run, char **command)
{
	int go[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		err(1, "pipe");
	run->root.parent = getpid();
	run->root.after = truth_now();
	pid = fork();
	run->root.before = truth_now();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		char c;

		close(go[1]);
		if (read(go[0], &c, 1) != 0)
			_exit(127);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	run->root.pid = pid;
	run->running = true;
	must(proclife_tasks_select_child(run->tasks, pid, getpid()), "selection");
	close(go[0]);
	close(go[1]);
}

/* The command, and what its CLONE_PARENT makes our children. */
static void reap_children(struct run *run)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != (pid_t)run->root.pid)
			continue;
		run->root.status = status;
		run->running = false;
	}
}

static void take_events(struct run *run)
{
	struct proclife_event event;
	int ret;

	while ((ret = proclife_source_next(run->source, &event)) > 0) {
		int selected = proclife_tasks_feed(run->tasks, &event);

		must(selected, "an event");
		if (event.record)
			records_add(&run->records, event.record, selected);
		else
			fprintf(stderr, "  cpu %u lost %llu records\n", event.gap.cpu,
				(unsigned long long)event.gap.lost);
	}
	must(ret, "the source");
}

static void follow(struct run *run, char **command)
{
	uint64_t deadline;

	/* No event is fed before the selection, since until then everything would be selected. */
	usleep(MARGIN_US);
	run->from = truth_now();
	start_command(run, command);
	deadline = truth_now() + run->timeout;
	while (run->running || !proclife_tasks_selected(run->tasks) ||
	       proclife_tasks_selected_open(run->tasks)) {
		must(proclife_source_wait(run->source, 20), "waiting");
		take_events(run);
		reap_children(run);
		if (truth_now() > deadline) {
			fprintf(stderr, "  the command, or its end, takes too long\n");
			if (run->running)
				kill(run->root.pid, SIGKILL);
			break;
		}
	}
	run->to = truth_now();
	run->root.ended = run->to;
	usleep(MARGIN_US);
	take_events(run);
	must(proclife_tasks_close(run->tasks), "close");
}

static bool verdict(const struct run *run, const struct comparison *c, long told, uint64_t least)
{
	uint64_t lost = proclife_source_lost(run->source);
	uint64_t missed = proclife_source_header(run->source)->reap_missed - run->reap_missed;
	const char *pids = getenv("EXACTNESS_PIDS");
	bool ok = !lost && !missed;
	int i;

	if (pids && run->lives.tasks > strtoull(pids, NULL, 10) && c->lives_per_pid < 2)
		fault(FAULT_TRUTH, "%" PRIu64 " tasks with %s pids, and none was used again",
		      run->lives.tasks, pids);
	if (run->lives.tasks <= least)
		fault(FAULT_TRUTH, "only %" PRIu64 " tasks of at least %" PRIu64,
		      run->lives.tasks - 1, least);

	for (i = 0; i < FAULTS; i++)
		ok = ok && !faults[i];
	/* The lives that were followed are the ones whose events are in both. */
	ok = ok && c->equal[TRACE_NEWTASK] == run->lives.tasks &&
	     c->equal[TRACE_EXIT] == run->lives.tasks && c->equal[TRACE_FREE] == run->lives.tasks &&
	     c->equal[TRACE_FORK] == run->lives.tasks - run->lives.workers;

	printf("%" PRIu64 " processes, %" PRIu64 " threads, pids used up to %ux, ",
	       run->lives.processes, run->lives.tasks - run->lives.processes, c->lives_per_pid);
	if (faults[FAULT_FTRACE])
		printf("ftrace DIFFERS %" PRIu64 "x (", faults[FAULT_FTRACE]);
	else
		printf("ftrace equal within %" PRIu64 " us (", c->usual / 1000);
	if (run->lives.workers)
		printf("newtask %" PRIu64 ", ", c->equal[TRACE_NEWTASK]);
	printf("fork %" PRIu64 " exec %" PRIu64 " exit %" PRIu64 " free %" PRIu64 "), ",
	       c->equal[TRACE_FORK], c->equal[TRACE_EXEC], c->equal[TRACE_EXIT], c->equal[TRACE_FREE]);
	printf("reported %ld, untrue %" PRIu64 ", ", told, faults[FAULT_TRUTH]);
	printf("orphans %" PRIu64 ", wrong parents %" PRIu64 ", missing names %" PRIu64
	       ", open %" PRIu64 ", wrong times %" PRIu64 ", wrong reapers %" PRIu64
	       ", lost %" PRIu64 "%s: %s\n",
	       faults[FAULT_ORPHAN], faults[FAULT_PARENT], faults[FAULT_NAME], faults[FAULT_OPEN],
	       faults[FAULT_TIMES], faults[FAULT_REAPER], lost, missed ? ", reaps missed" : "",
	       ok ? "ok" : "FAILED");
	return ok;
}

int main(int argc, char **argv)
{
	const char *timeout = getenv("EXACTNESS_TIMEOUT"); /* seconds */
	struct run run = { .timeout = (timeout ? atoi(timeout) : 90) * 1000000000ULL };
	char truth[] = "/tmp/exactness.XXXXXX";
	struct events lines = {};
	struct comparison c;
	uint64_t least = 0;
	bool ok = false, ours, few = getenv("EXACTNESS_PIDS");
	long told;
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ours = argc > 1 && !strcmp(argv[1], "--told");
	if (!ours && argc > 2 && !strcmp(argv[1], "--least"))
		least = strtoull(argv[2], NULL, 10);
	argc -= ours ? 1 : 2;
	argv += ours ? 1 : 2;
	if (argc < 3 || (!ours && !least))
		errx(129, "usage: exactness --told|--least N NAME COMMAND [ARG...]");
	fd = mkstemp(truth);
	if (fd < 0)
		err(1, "%s", truth);
	close(fd);
	setenv("TRUTH", truth, 1);

	must(ftrace_start(), "ftrace");
	open_source(&run);
	follow(&run, argv + 2);
	must(ftrace_stop(&lines), "ftrace");

	printf("exactness: %s: ", argv[1]);
	if (WIFEXITED(run.root.status) && WEXITSTATUS(run.root.status) == TRUTH_SKIPPED) {
		printf("skipped: it cannot run here\n");
	} else if (run.running || (run.root.status && (ours || !few || !WIFEXITED(run.root.status)))) {
		printf("FAILED: wait status %#x\n", run.root.status);
	} else {
		compare(&run.records, &lines, run.from, run.to, &c);
		lives_judge(&run.lives, run.tree, run.root.parent);
		told = truth_judge(truth, &run.root, &run.lives, ours);
		must(told, truth);
		ok = verdict(&run, &c, told, least);
	}

	unlink(truth);
	events_free(&run.records);
	events_free(&lines);
	lives_free(&run.lives);
	proclife_tree_free(run.tree);
	proclife_tasks_free(run.tasks);
	proclife_source_free(run.source);
	if (WIFEXITED(run.root.status) && WEXITSTATUS(run.root.status) == TRUTH_SKIPPED)
		return TRUTH_SKIPPED;
	return ok ? 0 : 1;
}
