/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session gives its events to, beside its tasks and views. session/session_begin.c lists all of them. */
#ifndef READ_STAGE_H
#define READ_STAGE_H

#include <proclife.h>

/* Time has passed. */
struct tick {
	uint64_t now;	/* by the clock of the records */
	uint64_t until; /* all events from before that were fed; 0: that is not known */
	uint64_t due;	/* when there is to be another one at the latest; a stage makes it earlier */
};

/* Any of these can be NULL. */
struct stage {
	/* Before an event counts, and before the tasks are fed it. */
	void (*event)(void *data, const struct proclife_event *event);
	/* Once the tasks are fed it. */
	void (*fed)(void *data, const struct proclife_event *event);
	/* Now and then, whether or not there are events. */
	void (*advance)(void *data, struct tick *tick);
	/* No event follows, up to run->ended. The tasks are not closed yet. */
	void (*finish)(void *data);
	/* Whether or not it began. */
	void (*free)(void *data);
};

static inline void tick_before(struct tick *tick, uint64_t due)
{
	tick->due = due < tick->due ? due : tick->due;
}

static inline uint64_t event_time(const struct proclife_event *event)
{
	return event->record ? event->record->ts : event->gap.from;
}

#endif
