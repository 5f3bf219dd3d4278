// SPDX-License-Identifier: GPL-2.0-only
/* Compares the tree with the lines that the command has written about its processes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../workloads/truth.h"
#include "exactness.h"

/* The first one with this pid. */
static size_t find_pid(const struct lives *lives, uint32_t pid)
{
	size_t first = 0, end = lives->nodes;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (lives->node[middle]->tgid < pid)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* The process with this pid that was born in this time, of which there is exactly one. */
static size_t find(const struct lives *lives, const struct truth *t)
{
	size_t first = find_pid(lives, (uint32_t)t->pid), found = lives->nodes, count = 0;

	for (; first < lives->nodes && lives->node[first]->tgid == (uint32_t)t->pid; first++) {
		const struct proclife_node *n = lives->node[first];

		if (n->began >= t->after && n->began <= t->before) {
			found = first;
			count++;
		}
	}
	if (count != 1)
		fault(FAULT_TRUTH, "process %d (%s): %zu times in the tree", t->pid, t->name,
		      count);
	return found;
}

static void differ(enum fault kind, const struct truth *t, const char *what, long got, long known)
{
	if (got != known)
		fault(kind, "process %d (%s): %s %ld, in truth %ld", t->pid, t->name, what, got,
		      known);
}

/* A time of the trace must lie between these two. */
static void judge_time(uint32_t pid, const char *what, uint64_t from, uint64_t time, uint64_t to)
{
	if (time < from || time > to)
		fault(FAULT_TIMES, "process %u: %s at %" PRIu64 ", in truth from %" PRIu64
		      " to %" PRIu64, pid, what, time, from, to);
}

/* The end of a process, as it, its killer and its reaper saw it. */
static void judge_end(const struct truth *t, const struct proclife_node *n, uint64_t ended)
{
	const struct proclife_marks *marks = &n->marks;

	judge_time(n->tgid, "exit", t->killed, marks->exited, t->reap_to ?: ended);
	judge_time(n->tgid, "reap", t->reap_from, marks->reaped, t->reap_to ?: ended);
	judge_time(n->tgid, "free", t->reap_from, marks->freed, ended);
}

/* A process writes when it ends: no other process has this pid until it is reaped. */
static void judge_exit(const struct lives *lives, uint32_t pid, uint64_t at, bool *witnessed)
{
	size_t i, before = lives->nodes;

	for (i = find_pid(lives, pid); i < lives->nodes && lives->node[i]->tgid == pid; i++)
		if (lives->node[i]->began <= at)
			before = i;
	if (before == lives->nodes) {
		fault(FAULT_TRUTH, "process %u, which ends at %" PRIu64 ", is not in the tree", pid, at);
		return;
	}
	witnessed[before] = true;
	judge_time(pid, "exit", at, lives->node[before]->marks.exited, UINT64_MAX);
}

static void judge_line(const struct truth *t, const struct proclife_node *n)
{
	if (n->parent)
		differ(FAULT_PARENT, t, "parent in the tree", n->parent->tgid, t->parent);
	differ(FAULT_PARENT, t, "parent", n->parent_tgid, t->parent);
	differ(FAULT_TRUTH, t, "creator", n->creator_tgid, t->creator);
	differ(FAULT_REAPER, t, "reaper", n->reaper_tgid, t->reaper);
	differ(FAULT_TRUTH, t, "wait status", n->exit_code, t->status);
	differ(FAULT_TRUTH, t, "threads", n->common->threads, t->threads);
	differ(FAULT_TRUTH, t, "execs", n->execs, t->execs);
	if (strcmp(n->comm, t->name))
		fault(FAULT_NAME, "process %d: name \"%s\", in truth \"%s\"", t->pid, n->comm,
		      t->name);
}

static bool parse(const char *line, struct truth *t)
{
	return sscanf(line,
		      "pid=%d after=%" SCNu64 " before=%" SCNu64 " parent=%d creator=%d reaper=%d "
		      "status=%d threads=%u execs=%u killed=%" SCNu64 " reap_from=%" SCNu64
		      " reap_to=%" SCNu64 " name=%15[^\n]",
		      &t->pid, &t->after, &t->before, &t->parent, &t->creator, &t->reaper,
		      &t->status, &t->threads, &t->execs, &t->killed, &t->reap_from, &t->reap_to,
		      t->name) == 13;
}

/* All processes but the command are in the tree as often as it says. */
static void judge_total(const struct lives *lives, long told, uint64_t processes, uint64_t threads)
{
	if (lives->processes != processes + 1 || lives->tasks != processes + 1 + threads)
		fault(FAULT_TRUTH, "%" PRIu64 " processes and %" PRIu64 " threads, in truth %" PRIu64
		      " and %" PRIu64, lives->processes - 1, lives->tasks - lives->processes,
		      processes, threads);
	if (told != (long)processes)
		fault(FAULT_TRUTH, "%ld processes reported, in truth %" PRIu64, told, processes);
}

long truth_judge(const char *path, const struct truth_root *root, const struct lives *lives, bool ours)
{
	bool *told = calloc(lives->nodes + 1, sizeof(*told));
	bool *witnessed = calloc(lives->nodes + 1, sizeof(*witnessed));
	struct truth t = { .pid = root->pid, .after = root->after, .before = root->before };
	char *line = NULL;
	uint64_t processes, threads, at;
	uint32_t pid;
	bool total = false;
	size_t room = 0, i;
	long count = 0;
	FILE *f = fopen(path, "r");

	if (!f || !told || !witnessed) {
		free(told);
		free(witnessed);
		return -errno;
	}
	/* The command itself: its threads and execs are not judged. */
	i = find(lives, &t);
	if (i < lives->nodes) {
		const struct proclife_node *n = lives->node[i];

		snprintf(t.name, sizeof(t.name), "%s", n->comm);
		t.parent = t.creator = t.reaper = root->parent;
		t.status = root->status;
		t.threads = n->common->threads;
		t.execs = n->execs;
		judge_line(&t, n);
		told[i] = witnessed[i] = true;
	}
	while (getline(&line, &room, f) > 0) {
		if (sscanf(line, "total processes=%" SCNu64 " threads=%" SCNu64, &processes,
			   &threads) == 2) {
			total = true;
			continue;
		}
		if (sscanf(line, "end pid=%" SCNu32 " at=%" SCNu64, &pid, &at) == 2) {
			judge_exit(lives, pid, at, witnessed);
			continue;
		}
		if (!parse(line, &t)) {
			fault(FAULT_TRUTH, "not a line of truth: %s", line);
			continue;
		}
		count++;
		i = find(lives, &t);
		if (i == lives->nodes)
			continue;
		if (told[i])
			fault(FAULT_TRUTH, "process %d (%s): reported twice", t.pid, t.name);
		told[i] = true;
		witnessed[i] |= t.killed != 0;
		judge_line(&t, lives->node[i]);
		judge_end(&t, lives->node[i], root->ended);
	}
	if (ours && !total)
		fault(FAULT_TRUTH, "the command does not say how many processes it made");
	else if (ours)
		judge_total(lives, count, processes, threads);
	/* A workload of ours reports all of its processes. */
	for (i = 0; i < lives->nodes && ours; i++)
		if (!told[i])
			fault(FAULT_TRUTH, "process %u (%s): the command does not know it",
			      lives->node[i]->tgid, lives->node[i]->comm);
		else if (!witnessed[i])
			fault(FAULT_TRUTH, "process %u (%s): its end is not reported",
			      lives->node[i]->tgid, lives->node[i]->comm);
	free(witnessed);
	free(line);
	free(told);
	fclose(f);
	return count;
}
