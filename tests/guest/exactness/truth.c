// SPDX-License-Identifier: GPL-2.0-only
/* The tree against the lines that the command has written about its processes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../workloads/truth.h"
#include "exactness.h"

/* The process with this pid that was born in this time, of which there is exactly one. */
static size_t find(const struct lives *lives, const struct truth *t)
{
	size_t first = 0, end = lives->nodes, found = lives->nodes, count = 0;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (lives->node[middle]->tgid < (uint32_t)t->pid)
			first = middle + 1;
		else
			end = middle;
	}
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
		      "status=%d threads=%u execs=%u name=%15[^\n]",
		      &t->pid, &t->after, &t->before, &t->parent, &t->creator, &t->reaper,
		      &t->status, &t->threads, &t->execs, t->name) == 10;
}

long truth_judge(const char *path, const struct truth_root *root, const struct lives *lives)
{
	bool *told = calloc(lives->nodes + 1, sizeof(*told));
	struct truth t = { .pid = root->pid, .after = root->after, .before = root->before };
	char *line = NULL;
	size_t room = 0, i;
	long count = 0;
	FILE *f = fopen(path, "r");

	if (!f || !told) {
		free(told);
		return -errno;
	}
	/* The command itself: its threads and execs are its own affair. */
	i = find(lives, &t);
	if (i < lives->nodes) {
		const struct proclife_node *n = lives->node[i];

		snprintf(t.name, sizeof(t.name), "%s", n->comm);
		t.parent = t.creator = t.reaper = root->parent;
		t.status = root->status;
		t.threads = n->common->threads;
		t.execs = n->execs;
		judge_line(&t, n);
		told[i] = true;
	}
	while (getline(&line, &room, f) > 0) {
		if (!parse(line, &t)) {
			fault(FAULT_TRUTH, "not a line of truth: %s", line);
			continue;
		}
		count++;
		i = find(lives, &t);
		if (i == lives->nodes)
			continue;
		if (told[i])
			fault(FAULT_TRUTH, "process %d (%s): told twice", t.pid, t.name);
		told[i] = true;
		judge_line(&t, lives->node[i]);
	}
	/* A command that tells of its processes tells of all. */
	for (i = 0; i < lives->nodes && count; i++)
		if (!told[i])
			fault(FAULT_TRUTH, "process %u (%s): the command does not know it",
			      lives->node[i]->tgid, lives->node[i]->comm);
	free(line);
	free(told);
	fclose(f);
	return count;
}
