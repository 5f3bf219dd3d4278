// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which processes are selected. */
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void mark(struct proclife_tasks *tasks, struct proclife_process *process)
{
	process->selected = true;
	tasks->selected++;
	tasks->selected_open++;
}

static bool wanted(struct proclife_tasks *tasks, const struct proclife_process *process)
{
	for (size_t i = 0; i < tasks->pending_count; i++) {
		struct proclife_pending *selection = &tasks->pending[i];

		/* If its FREE is its first record, its pid was given back before that. */
		if (selection->tgid != process->tgid || proclife_priv(process)->leader_freed)
			continue;
		if (selection->child &&
		    (!process->marks.born || selection->creator_tgid != process->creator_tgid))
			continue;
		if (selection->every) {
			selection->met = true;
			return true;
		}
		tasks->pending_count--;
		memmove(&tasks->pending[i], &tasks->pending[i + 1],
			(tasks->pending_count - i) * sizeof(*selection));
		return true;
	}
	return false;
}

/* Asked about those that are selected, too: the chooser can keep a list. */
static bool chosen(const struct proclife_tasks *tasks, const struct proclife_process *process)
{
	return proclife_unlikely(tasks->chooser != NULL) &&
	       tasks->chooser(tasks->chooser_data, process) == PROCLIFE_MATCHES;
}

void proclife_select_new(struct proclife_tasks *tasks, struct proclife_process *process,
			 const struct proclife_process *from)
{
	bool asked_for = proclife_unlikely(tasks->pending_count) && wanted(tasks, process);

	asked_for |= chosen(tasks, process);
	if (asked_for || !tasks->selecting || (from && from->selected))
		mark(tasks, process);
}

static void leave(struct proclife_priv_process *own)
{
	if (!own->above)
		return;
	if (own->sibling_after)
		own->sibling_after->sibling = own->sibling;
	else
		own->above->below = own->sibling;
	if (own->sibling)
		own->sibling->sibling_after = own->sibling_after;
	own->above = NULL;
}

void proclife_select_above(struct proclife_process *process, struct proclife_process *parent)
{
	struct proclife_priv_process *own = proclife_priv(process), *above = proclife_priv(parent);

	leave(own);
	own->above = above;
	own->sibling = above->below;
	own->sibling_after = NULL;
	if (own->sibling)
		own->sibling->sibling_after = own;
	above->below = own;
}

void proclife_select_gone(struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process), *child = own->below;

	leave(own);
	for (; child; child = child->sibling)
		child->above = NULL;
}

static void select_one(struct proclife_tasks *tasks, struct proclife_process *process,
		       struct proclife_process *parent)
{
	mark(tasks, process);
	proclife_report_linked(tasks, process, parent);
}

/*
 * What a selected process creates later is selected at birth. This selects the descendants that it
 * already has. It does not recurse: they can be a chain of any length.
 */
void proclife_select_now(struct proclife_tasks *tasks, struct proclife_process *process,
			 struct proclife_process *parent)
{
	struct proclife_priv_process *top = proclife_priv(process), *at = top, *child = top->below;

	select_one(tasks, process, parent);
	for (;;) {
		while (child && (child->process.selected ||
				 !proclife_select_follows(&child->process, &at->process)))
			child = child->sibling;
		if (child) {
			select_one(tasks, &child->process, &at->process);
			at = child;
			child = at->below;
			continue;
		}
		if (at == top)
			return;
		child = at->sibling;
		at = at->above;
	}
}

/* Links all processes that are there already to their parents. */
static int link_all(struct proclife_tasks *tasks)
{
	struct proclife_priv_process *own;
	struct proclife_process *parent;
	struct proclife_map by_id;
	int err = proclife_map_init(&by_id);

	for (own = tasks->first; own && !err; own = own->next) {
		proclife_select_begin(own);
		err = proclife_map_reserve(&by_id);
		if (!err)
			proclife_map_put(&by_id, own->process.id, &own->process);
	}
	for (own = tasks->first; own && !err; own = own->next) {
		parent = proclife_map_get(&by_id, own->process.parent_id);
		if (parent)
			proclife_select_above(&own->process, parent);
	}
	proclife_map_free(&by_id);
	return err;
}

static int begin_selecting(struct proclife_tasks *tasks)
{
	int err = tasks->closing ? -EBUSY : tasks->selecting ? 0 : link_all(tasks);

	if ((tasks->selecting && !tasks->by_default) || err)
		return err;
	tasks->selecting = true;
	tasks->by_default = false;
	tasks->pending_count = 0;
	tasks->selected = 0;
	tasks->selected_open = 0;
	for (struct proclife_priv_process *own = tasks->first; own; own = own->next)
		own->process.selected = false;
	return 0;
}

static int select_later(struct proclife_tasks *tasks, const struct proclife_pending *selection)
{
	size_t count = tasks->pending_count;
	struct proclife_pending *pending;

	/* One process is not met twice. */
	for (size_t i = 0; i < count; i++) {
		const struct proclife_pending *other = &tasks->pending[i];

		if (other->tgid == selection->tgid && other->every == selection->every &&
		    other->child == selection->child && other->creator_tgid == selection->creator_tgid)
			return 0;
	}
	pending = realloc(tasks->pending, (count + 1) * sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	pending[count] = *selection;
	tasks->pending = pending;
	tasks->pending_count++;
	return 0;
}

int proclife_tasks_select_pid(struct proclife_tasks *tasks, uint32_t tgid)
{
	struct proclife_process *process = proclife_tasks_holder(tasks, tgid);
	int err = begin_selecting(tasks);

	if (err)
		return err;
	if (!process)
		return select_later(tasks, &(struct proclife_pending){ .tgid = tgid });
	if (!process->selected)
		proclife_select_now(tasks, process, NULL);
	return 0;
}

int proclife_tasks_select_holders(struct proclife_tasks *tasks, uint32_t tgid)
{
	struct proclife_pending selection = { .tgid = tgid, .every = true };
	struct proclife_process *process = proclife_tgid_get(tasks, tgid);
	int err = begin_selecting(tasks);

	for (; process && !err; process = proclife_tgid_next(process)) {
		if (!process->selected && !proclife_priv(process)->leader_freed)
			proclife_select_now(tasks, process, NULL);
		selection.met |= process->selected;
	}
	return err ? err : select_later(tasks, &selection);
}

int proclife_tasks_select_child(struct proclife_tasks *tasks, uint32_t tgid, uint32_t creator_tgid)
{
	int err = begin_selecting(tasks);

	return err ? err : select_later(tasks, &(struct proclife_pending){
				   .tgid = tgid, .creator_tgid = creator_tgid, .child = true });
}

int proclife_select_command(struct proclife_tasks *tasks, const struct proclife_run_info *run)
{
	int err = proclife_tasks_select_child(tasks, run->command, run->command_creator);

	tasks->by_default = true;
	return err;
}

static void choose(struct proclife_tasks *tasks, struct proclife_process *process)
{
	if (chosen(tasks, process) && !process->selected)
		proclife_select_now(tasks, process, NULL);
}

int proclife_tasks_select_matching(struct proclife_tasks *tasks,
				   enum proclife_match (*match)(void *data, const struct proclife_process *process),
				   void *data)
{
	int err = begin_selecting(tasks);

	if (err)
		return err;
	tasks->chooser = match;
	tasks->chooser_data = data;
	tasks->asks = tasks->filter || match;
	for (struct proclife_priv_process *own = tasks->first; own; own = own->next)
		choose(tasks, &own->process);
	return 0;
}

uint32_t proclife_tasks_missing(const struct proclife_tasks *tasks, size_t index)
{
	for (size_t i = 0; i < tasks->pending_count; i++) {
		if (!tasks->pending[i].child && !tasks->pending[i].met && !index--)
			return tasks->pending[i].tgid;
	}
	return 0;
}

uint64_t proclife_tasks_selected(const struct proclife_tasks *tasks)
{
	return tasks->selected;
}

uint64_t proclife_tasks_selected_open(const struct proclife_tasks *tasks)
{
	return tasks->selected_open;
}

void proclife_ask(struct proclife_tasks *tasks, struct proclife_process *process)
{
	if (tasks->filter) {
		enum proclife_match match = tasks->filter(tasks->filter_data, process);

		process->matches = match == PROCLIFE_MATCHES;
		proclife_priv(process)->unjudged = match == PROCLIFE_MATCH_UNKNOWN;
	}
	/* One that is not reported yet is chosen as it is born, and once the trace has ended, none is. */
	if (tasks->chooser && process != tasks->unborn && !tasks->closing)
		choose(tasks, process);
}

void proclife_tasks_filter(struct proclife_tasks *tasks,
			   enum proclife_match (*match)(void *data, const struct proclife_process *process),
			   void *data)
{
	tasks->filter = match;
	tasks->filter_data = data;
	tasks->asks = match || tasks->chooser;
	for (struct proclife_priv_process *own = tasks->first; own; own = own->next) {
		own->process.matches = true;
		own->unjudged = false;
		proclife_filter(tasks, &own->process);
	}
}

bool proclife_process_unjudged(const struct proclife_process *process)
{
	return proclife_priv(process)->unjudged;
}
