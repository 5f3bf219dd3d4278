// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "exactness.h"

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

/* The phases between exit and free must add up, to the nanosecond. */
static void judge_task_phases(struct lives *lives, const struct proclife_task *t)
{
	uint64_t zombie, rcu_free, exit_free;

	if (!proclife_task_phase(t, PROCLIFE_ZOMBIE, &zombie) ||
	    !proclife_task_phase(t, PROCLIFE_RCU_FREE, &rcu_free) ||
	    !proclife_task_phase(t, PROCLIFE_EXIT_FREE, &exit_free)) {
		fault(FAULT_TIMES, "task %u (%s): a phase is not known", t->pid, t->comm);
		return;
	}
	if (zombie + rcu_free != exit_free || exit_free != t->marks.freed - t->marks.exited)
		fault(FAULT_TIMES, "task %u (%s): %llu + %llu ns are not %llu", t->pid, t->comm,
		      (ull)zombie, (ull)rcu_free, (ull)exit_free);
	lives->zombie += zombie;
	lives->rcu_free += rcu_free;
	lives->exit_free += exit_free;
}

static void task_gone(void *data, struct proclife_task *t)
{
	const char *what = missing(&t->marks);
	struct lives *lives = data;

	if (!t->process || !t->process->selected)
		return;
	lives->tasks++;
	lives->workers += !!(t->flags & PROCLIFE_F_WORKER);
	if (what || t->incomplete) {
		fault(FAULT_OPEN, "task %u (%s) of process %u: no %s", t->pid, t->comm,
		      t->process->tgid, what ?: "certainty");
		return;
	}
	if (!in_order(&t->marks))
		fault(FAULT_TIMES, "task %u (%s): fork %llu exit %llu reap %llu free %llu", t->pid,
		      t->comm, (ull)t->marks.born, (ull)t->marks.exited, (ull)t->marks.reaped,
		      (ull)t->marks.freed);
	if (!t->comm[0])
		fault(FAULT_NAME, "task %u has no name", t->pid);
	/* Only a leader becomes a zombie for its parent: other tasks are released in their process. */
	if (!t->leader && t->reaper_tgid != t->tgid)
		fault(FAULT_REAPER, "task %u (%s) of process %u: reaped by %u (%s)", t->pid,
		      t->comm, t->tgid, t->reaper_tgid, t->reaper_comm);
	judge_task_phases(lives, t);
}

static void process_gone(void *data, struct proclife_process *p)
{
	const char *what = missing(&p->marks);
	uint64_t teardown = 0, zombie, rcu_free, exit_free;
	struct lives *lives = data;

	if (!p->selected)
		return;
	lives->processes++;
	if (what || p->incomplete || p->live || p->open) {
		fault(FAULT_OPEN, "process %u (%s): no %s, %u threads live, %u open", p->tgid,
		      p->comm, what ?: "certainty", p->live, p->open);
		return;
	}
	if (!in_order(&p->marks))
		fault(FAULT_TIMES, "process %u (%s): fork %llu exit %llu reap %llu free %llu",
		      p->tgid, p->comm, (ull)p->marks.born, (ull)p->marks.exited,
		      (ull)p->marks.reaped,
		      (ull)p->marks.freed);
	else if ((!proclife_process_phase(p, PROCLIFE_TEARDOWN, &teardown) && p->marks.notified) ||
		 !proclife_process_phase(p, PROCLIFE_ZOMBIE, &zombie) ||
		 !proclife_process_phase(p, PROCLIFE_RCU_FREE, &rcu_free) ||
		 !proclife_process_phase(p, PROCLIFE_EXIT_FREE, &exit_free) ||
		 teardown + zombie + rcu_free != exit_free ||
		 exit_free != p->marks.freed - p->marks.exited)
		fault(FAULT_TIMES, "process %u (%s): its phases do not add up", p->tgid, p->comm);
	if (p->execs && (!p->path || !p->path[0]))
		fault(FAULT_NAME, "process %u (%s) has no path", p->tgid, p->comm);
}

int lives_report(struct lives *lives, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = process_gone,
		.task_gone = task_gone,
	};

	return proclife_tasks_report(tasks, &reports, lives);
}

static void judge_node(const struct proclife_node *n, uint32_t starter)
{
	const struct proclife_node *parent = n->parent;

	if (!n->comm || !n->comm[0])
		fault(FAULT_NAME, "process %u has no name", n->tgid);
	if (!n->gone || n->incomplete)
		fault(FAULT_OPEN, "process %u (%s) in the tree: not gone", n->tgid, n->comm);
	if (!parent) {
		/* The command itself, and siblings that it creates with CLONE_PARENT. */
		if (n->parent_tgid != starter)
			fault(FAULT_ORPHAN, "process %u (%s): parent %u is not in the tree",
			      n->tgid, n->comm, n->parent_tgid);
		return;
	}
	if (parent->tgid != n->parent_tgid)
		fault(FAULT_PARENT, "process %u (%s): below %u (%s), but its parent is %u", n->tgid,
		      n->comm, parent->tgid, parent->comm, n->parent_tgid);
	else if (parent->began > n->began || parent->marks.exited < n->began)
		fault(FAULT_PARENT, "process %u (%s): born at %llu, but its parent %u (%s) lived "
		      "from %llu to %llu", n->tgid, n->comm, (ull)n->began, parent->tgid,
		      parent->comm, (ull)parent->began, (ull)parent->marks.exited);
}

static int by_tgid(const void *a, const void *b)
{
	const struct proclife_node *x = *(const struct proclife_node *const *)a;
	const struct proclife_node *y = *(const struct proclife_node *const *)b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->began < y->began ? -1 : x->began > y->began;
}

void lives_judge(struct lives *lives, struct proclife_tree *tree, uint32_t starter)
{
	const struct proclife_node *n = proclife_tree_roots(tree);
	uint64_t size = proclife_tree_size(tree);

	lives->node = calloc(size + 1, sizeof(*lives->node));
	if (!lives->node)
		abort();
	/* The children first, then the next sibling, or the next sibling of the closest ancestor with one. */
	while (n && lives->nodes < size) {
		judge_node(n, starter);
		lives->node[lives->nodes++] = n;
		if (n->child) {
			n = n->child;
			continue;
		}
		while (n && !n->next)
			n = n->parent;
		n = n ? n->next : NULL;
	}
	if (n || lives->nodes != size || size != lives->processes)
		fault(FAULT_ORPHAN, "%llu processes gone, %llu in the tree, %zu reached",
		      (ull)lives->processes, (ull)size, lives->nodes);
	qsort(lives->node, lives->nodes, sizeof(*lives->node), by_tgid);
}

void lives_free(struct lives *lives)
{
	free(lives->node);
	lives->node = NULL;
}
