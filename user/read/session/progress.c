// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "session/progress.h"
#include "views/views.h"
#include <string.h>

#define SECOND 1000000000ULL
#define FIRST_AFTER (SECOND / 2) /* what is done before that needs no progress */
#define EVERY (SECOND / 5)

void progress_begin(struct progress *progress, const struct run *run, uint64_t now, uint64_t total)
{
	memset(progress, 0, sizeof(*progress));
	text_init(&progress->line, &progress->screen);
	progress->run = run;
	progress->on = true;
	progress->total = total;
	progress->next = now + FIRST_AFTER;
	progress->rate_at = now;
}

static void show(struct progress *progress)
{
	const struct run *run = progress->run;
	uint64_t processes = run ? proclife_tasks_selected(run->tasks) : 0;
	struct text *line = &progress->line;

	text_clear(line);
	if (progress->total)
		text_printf(line, "%u%%, ",
			    (unsigned int)(100.0 * progress->records / progress->total));
	text_plural(line, progress->records, "record", "records");
	if (processes) {
		text_string(line, ", ");
		text_plural(line, processes, "process", "processes");
	}
	if (run && run->lost) {
		text_string(line, ", ");
		text_count(line, run->lost);
		text_string(line, " lost");
	}
	text_string(line, ", ");
	text_count(line, progress->rate);
	text_string(line, " records/s");
	message_status(line->s);
}

static void progress_event(void *data, const struct proclife_event *event)
{
	((struct progress *)data)->records += event->record != NULL;
}

static void show_now(struct progress *progress, uint64_t now)
{
	uint64_t time = now - progress->rate_at;

	/* Measured over a second or two, otherwise it would flicker. */
	if (time > SECOND || !progress->rate)
		progress->rate = (progress->records - progress->rate_from) * 1e9 / time;
	if (time > 2 * SECOND) {
		progress->rate_at = now;
		progress->rate_from = progress->records;
	}
	show(progress);
	progress->next = now + EVERY;
}

void progress_advance(void *data, struct tick *tick)
{
	struct progress *progress = data;

	if (!progress->on)
		return;
	if (tick->now >= progress->next)
		show_now(progress, tick->now);
	tick_before(tick, progress->next);
}

void progress_end(void *data)
{
	struct progress *progress = data;

	if (!progress->on)
		return;
	message_status(NULL);
	text_free(&progress->line);
	progress->on = false;
}

const struct stage progress_stage = {
	.event = progress_event, .advance = progress_advance, .free = progress_end,
};
