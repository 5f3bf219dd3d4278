// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "output/quote.h"
#include "session/watch.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#define SECOND 1000000000ULL
#define MOST_NAMED 3

static void add(struct watch *watch, struct proclife_process *process)
{
	if (!process->selected || process->user)
		return;
	ARRAY_GROW(watch->open, watch->count, watch->size);
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

	return proclife_tasks_report(tasks, &reports, watch);
}

void watch_end(struct watch *watch)
{
	free(watch->open);
	watch->open = NULL;
}

/* What a process that the command left can be. */
enum left {
	LEFT_RUNNING,
	LEFT_ZOMBIE,
	LEFT_UNKNOWN,
	LEFT_UNFREED,
	LEFT_STATES,
};

static const char *const left_words[LEFT_UNFREED] = {
	[LEFT_RUNNING] = "running",
	[LEFT_ZOMBIE] = "zombie",
	[LEFT_UNKNOWN] = "not known to have ended, as records were lost",
};

static enum left left_state(const struct proclife_process *process)
{
	switch (proclife_process_state(process)) {
	case PROCLIFE_IS_ZOMBIE:
		return LEFT_ZOMBIE;
	case PROCLIFE_IS_UNFREED:
		return LEFT_UNFREED;
	case PROCLIFE_IS_UNKNOWN:
		return LEFT_UNKNOWN;
	default:
		return LEFT_RUNNING;
	}
}

/* "; running: sleep (4100), cc1 (4101) and 3 more" */
static void name_left(struct text *text, const struct watch *watch, enum left state, uint64_t count)
{
	unsigned int named = 0;
	size_t i;

	if (!count)
		return;
	text_printf(text, "; %s: ", left_words[state]);
	for (i = 0; named < MOST_NAMED && i < watch->count; i++) {
		const struct proclife_process *process = watch->open[i];

		if (left_state(process) != state)
			continue;
		if (named++)
			text_string(text, ", ");
		text_who(text, process->comm, process->tgid);
	}
	if (count > named)
		text_printf(text, " and %" PRIu64 " more", count - named);
}

void watch_note(struct watch *watch, uint64_t ended, uint64_t now)
{
	const bool on_terminal = message_on_terminal();
	uint64_t counts[LEFT_STATES] = { 0 }, named = 0;
	enum left state;
	struct text text;
	size_t i;

	/* A log is read later, and most commands leave nothing for long. */
	if (now < ended + (on_terminal ? 1 : 10) * SECOND || now < watch->next_note || message_is_quiet())
		return;
	watch->next_note = now + (now - ended) * 2;
	for (i = 0; i < watch->count; i++)
		counts[left_state(watch->open[i])]++;
	text_init(&text, NULL);
	for (state = 0; state < LEFT_UNFREED; state++) {
		name_left(&text, watch, state, counts[state]);
		named |= counts[state];
	}
	if (counts[LEFT_UNFREED])
		text_printf(&text, "; to be freed (RCU): %" PRIu64, counts[LEFT_UNFREED]);
	if (on_terminal)
		text_string(&text, "; Ctrl-C stops waiting");
	else if (named)
		text_string(&text, "; with --left-after 1s it waits no longer than that");
	message("the command has ended; waiting for what it left%s", text.s);
	text_free(&text);
}

bool watch_is_vain(const struct watch *watch)
{
	size_t i;

	for (i = 0; i < watch->count; i++)
		if (!kill(watch->open[i]->tgid, 0) || errno != ESRCH)
			return false;
	return true;
}
