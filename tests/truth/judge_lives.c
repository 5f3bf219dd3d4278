// SPDX-License-Identifier: GPL-2.0-only
/* The recording of a command in itself. */
#include "judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static const char *missing(const struct proclife_marks *marks)
{
	return !marks->born   ? "fork" :
	       !marks->exited ? "exit" :
	       !marks->reaped ? "reap" :
	       !marks->freed  ? "free" :
				NULL;
}

static bool in_order(const struct proclife_marks *marks)
{
	return marks->born <= marks->exited && marks->exited <= marks->reaped &&
	       marks->reaped <= marks->freed;
}

struct counts counts;

static void task_gone(void *data, struct proclife_task *t)
{
	const char *what = missing(&t->marks);
	const unsigned long before = differences;
	uint64_t zombie = 0, rcu_free = 0, exit_free = 0;

	(void)data;
	if (!t->process || !t->process->selected)
		return;
	counts.tasks++;
	counts.workers += !!(t->flags & PROCLIFE_F_WORKER);
	if (what || t->incomplete)
		differs(t->pid, "task of process %u: no %s", t->process->tgid, what ?: "certainty");
	else if (!in_order(&t->marks) || !proclife_task_phase(t, PROCLIFE_ZOMBIE, &zombie) ||
		 !proclife_task_phase(t, PROCLIFE_RCU_FREE, &rcu_free) ||
		 !proclife_task_phase(t, PROCLIFE_EXIT_FREE, &exit_free) || zombie + rcu_free != exit_free ||
		 exit_free != t->marks.freed - t->marks.exited)
		differs(t->pid, "task: fork %llu exit %llu reap %llu free %llu do not add up", (ull)t->marks.born,
			(ull)t->marks.exited, (ull)t->marks.reaped, (ull)t->marks.freed);
	if (!t->comm[0])
		differs(t->pid, "task without a name");
	/* Only a leader becomes a zombie for its parent: other tasks are released in their process. */
	if (!t->leader && t->reaper_tgid != t->tgid)
		differs(t->pid, "task of process %u: reaped by %u (%s)", t->tgid, t->reaper_tgid, t->reaper_comm);
	compared("task", "itself", before);
}

static void process_gone(void *data, struct proclife_process *p)
{
	const char *what = missing(&p->marks);
	const unsigned long before = differences;
	uint64_t teardown = 0, traced = 0, zombie = 0, rcu_free = 0, exit_free = 0;

	(void)data;
	if (!p->selected)
		return;
	counts.processes++;
	/* The end of a tracer's hold, and a notice, are not part of every life. */
	proclife_process_phase(p, PROCLIFE_TRACED, &traced);
	if (what || p->incomplete || p->live || p->open)
		differs(p->tgid, "no %s, %u threads live, %u open", what ?: "certainty", p->live, p->open);
	else if (!in_order(&p->marks) ||
		 (!proclife_process_phase(p, PROCLIFE_TEARDOWN, &teardown) && p->marks.notified) ||
		 !proclife_process_phase(p, PROCLIFE_ZOMBIE, &zombie) ||
		 !proclife_process_phase(p, PROCLIFE_RCU_FREE, &rcu_free) ||
		 !proclife_process_phase(p, PROCLIFE_EXIT_FREE, &exit_free) ||
		 teardown + traced + zombie + rcu_free != exit_free ||
		 exit_free != p->marks.freed - p->marks.exited)
		differs(p->tgid, "fork %llu exit %llu reap %llu free %llu do not add up", (ull)p->marks.born,
			(ull)p->marks.exited, (ull)p->marks.reaped, (ull)p->marks.freed);
	if (p->execs && (!p->path || !p->path[0]))
		differs(p->tgid, "no path");
	compared("process", "itself", before);
}

int lives_report(struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = process_gone,
		.task_gone = task_gone,
	};

	return proclife_tasks_report(tasks, &reports, NULL);
}

/* The tree has of it what was reported. */
static void judge_copy(const struct proclife_node *n)
{
	const struct proclife_process *p = NULL;

	for (size_t i = 0; i < life_count && !p; i++)
		if (lives[i].process.tgid == n->tgid && lives[i].process.seen == n->began)
			p = &lives[i].process;
	if (!p) {
		differs(n->tgid, "in the tree alone");
		return;
	}
	expect_same(n->tgid, "parent in the tree", n->parent_tgid, p->parent_tgid);
	expect_same(n->tgid, "creator in the tree", n->creator_tgid, p->creator_tgid);
	expect_same(n->tgid, "reaper in the tree", n->reaper_tgid, p->reaper_tgid);
	expect_same(n->tgid, "status in the tree", n->exit_code, p->exit_code);
	expect_same(n->tgid, "threads in the tree", n->common->threads, p->threads);
	expect_same(n->tgid, "execs in the tree", n->execs, p->execs);
	expect_name(n->tgid, n->comm ? n->comm : "", p->comm);
	if (memcmp(&n->marks, &p->marks, sizeof(p->marks)))
		differs(n->tgid, "the tree has other times");
}

static void judge_node(const struct proclife_node *n)
{
	const struct proclife_node *parent = n->parent;
	const unsigned long before = differences;

	judge_copy(n);
	if (!n->comm || !n->comm[0])
		differs(n->tgid, "no name");
	if (!n->gone || n->incomplete)
		differs(n->tgid, "not gone in the tree");
	/* Without one in the tree: the command itself, and siblings that it creates with CLONE_PARENT. */
	if (!parent)
		expect_same(n->tgid, "starter", n->parent_tgid, info->command_creator);
	else if (parent->tgid != n->parent_tgid)
		differs(n->tgid, "below %u, but its parent is %u", parent->tgid, n->parent_tgid);
	/* One of its threads can still fork while another one begins the end of all. */
	else if (parent->began > n->began || (parent->marks.reaped && parent->marks.reaped < n->began))
		differs(n->tgid, "born at %llu, but its parent %u lived from %llu to %llu", (ull)n->began,
			parent->tgid, (ull)parent->began, (ull)parent->marks.reaped);
	compared("node", "itself", before);
}

void judge_tree(struct proclife_tree *tree)
{
	const struct proclife_node *n = proclife_tree_roots(tree);
	uint64_t size = proclife_tree_size(tree), nodes = 0;

	/* The children first, then the next sibling, or the next sibling of the closest ancestor with one. */
	while (n && nodes < size) {
		judge_node(n);
		nodes++;
		if (n->child) {
			n = n->child;
			continue;
		}
		while (n && !n->next)
			n = n->parent;
		n = n ? n->next : NULL;
	}
	if (n || nodes != size || size != counts.processes)
		differs(0, "%" PRIu64 " processes gone, %" PRIu64 " in the tree, %" PRIu64 " reached", counts.processes,
			size, nodes);
}
