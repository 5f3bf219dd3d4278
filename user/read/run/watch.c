// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "run/watch.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#define SECOND 1000000000ULL

static void add(struct watch *watch, struct proclife_process *process)
{
	if (!process->selected || process->user)
		return;
	if (watch->count == watch->size) {
		size_t size = watch->size ? watch->size * 2 : 64;
		struct proclife_process **open = reallocarray(watch->open, size, sizeof(*open));

		if (!open)
			die_no_memory();
		watch->open = open;
		watch->size = size;
	}
	watch->open[watch->count++] = process;
	process->user = (void *)watch->count; /* its place, counted from 1 */
}

static void watch_born(void *data, struct proclife_process *process,
		       struct proclife_process *parent, struct proclife_process *creator)
{
	(void)parent;
	(void)creator;
	add(data, process);
}

static void watch_linked(void *data, struct proclife_process *process,
			 struct proclife_process *parent)
{
	(void)parent;
	add(data, process);
}

static void watch_gone(void *data, struct proclife_process *process)
{
	struct watch *watch = data;
	size_t place = (size_t)process->user;

	if (!place)
		return;
	watch->gone += process->matches;
	watch->count--;
	watch->open[place - 1] = watch->open[watch->count];
	watch->open[place - 1]->user = (void *)place;
	process->user = NULL;
}

int watch_begin(struct watch *watch, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = watch_born,
		.process_gone = watch_gone,
		.process_linked = watch_linked,
	};

	watch->tasks = tasks;
	return proclife_tasks_report(tasks, &reports, watch);
}

void watch_end(struct watch *watch)
{
	free(watch->open);
	watch->open = NULL;
}

void watch_note(struct watch *watch, uint64_t ended, uint64_t now)
{
	uint64_t running = 0, zombies = 0, unfreed = 0;
	size_t i;

	if (now < ended + SECOND || now < watch->next_note || !message_on_terminal())
		return;
	watch->next_note = now + (now - ended) * 2;
	for (i = 0; i < watch->count; i++) {
		enum proclife_life_state state = proclife_process_state(watch->tasks, watch->open[i]);

		zombies += state == PROCLIFE_IS_ZOMBIE;
		unfreed += state == PROCLIFE_IS_UNFREED;
		running += state != PROCLIFE_IS_ZOMBIE && state != PROCLIFE_IS_UNFREED;
	}
	if (running || zombies)
		message("the command has ended; it left %" PRIu64 " running, %" PRIu64 " zombies, %"
			PRIu64 " to be freed (RCU); Ctrl-C stops", running, zombies, unfreed);
	else
		message("the command has ended; waiting for %" PRIu64 " process%s to be freed (RCU)",
			unfreed, unfreed == 1 ? "" : "es");
}

bool watch_is_vain(const struct watch *watch)
{
	size_t i;

	for (i = 0; i < watch->count; i++)
		if (!kill(watch->open[i]->tgid, 0) || errno != ESRCH)
			return false;
	return true;
}
