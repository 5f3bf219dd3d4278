// SPDX-License-Identifier: GPL-2.0-only
/* Processes that have exited and were not reaped: the oldest first, and which process should reap each. */
#include "output/array.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "views/share/ended.h"
#include "views/views.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Since when; 0: its EXIT was before what the rings still hold. */
static uint64_t since(const struct proclife_process *process)
{
	return proclife_process_zombie_since(process);
}

/* If the beginnings of two are not known, the one with the older task comes first. */
static int compare(const void *a, const void *b)
{
	const struct proclife_process *x = *(const void *const *)a, *y = *(const void *const *)b;

	if (since(x) != since(y))
		return since(x) < since(y) ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* The caller frees the array. */
static const struct proclife_process **collect(const struct run *run, size_t *count)
{
	const struct proclife_process **zombies = NULL, *process = NULL;
	size_t n = 0, size = 0;

	while ((process = proclife_tasks_next(run->tasks, process))) {
		if (!process->selected || !process->matches ||
		    proclife_process_state(process) != PROCLIFE_IS_ZOMBIE)
			continue;
		ARRAY_GROW(zombies, n, size);
		zombies[n++] = process;
	}
	if (n)
		qsort(zombies, n, sizeof(*zombies), compare);
	*count = n;
	return zombies;
}

/* Later than was recorded: WAITs were lost, or suppressed by the module, since. */
static bool may_have_waited(const struct run *run, const struct proclife_process *reaper,
			    const struct proclife_process *zombie)
{
	return proclife_tasks_may_lack(run->tasks, PROCLIFE_WAIT,
				       reaper->waited ? reaper->waited : since(zombie));
}

/* The process that should reap it, if that is a zombie, too. */
static const struct proclife_process *dead_parent(const struct run *run,
						  const struct proclife_process *zombie)
{
	const struct proclife_process *parent = proclife_tasks_holder(run->tasks,
								      proclife_process_awaits(zombie));

	return parent && proclife_process_state(parent) == PROCLIFE_IS_ZOMBIE ? parent :
											    NULL;
}

/* It is not known of one that the snapshot found. */
static const char *known_name(const struct proclife_tracer *tracer)
{
	return tracer->ts ? tracer->comm : NULL;
}

static void put_parent(const struct run *run, struct text *line, uint32_t tgid)
{
	const struct proclife_process *parent = proclife_tasks_holder(run->tasks, tgid);

	if (parent)
		text_who(line, parent->comm, tgid);
	else
		text_printf(line, "(%" PRIu32 ")", tgid);
}

/* Which child it was waiting for, where that is known. */
static void show_wanted(struct text *line, const struct proclife_process *reaper,
			const struct proclife_process *zombie)
{
	/* Another process can have had the pid at that time. */
	bool this = reaper->waited_what == PROCLIFE_WAIT_PID && reaper->waited_for == zombie->tgid &&
		    reaper->waited >= zombie->marks.born;

	if (reaper->waited_what == PROCLIFE_WAIT_ANY || !(reaper->waited_what || reaper->waited_for))
		return;
	text_string(line, ", ");
	if (this)
		text_string(line, "for this one");
	else
		text_wanted(line, reaper->waited_what, reaper->waited_for);
	if (!this && reaper->waited_what == PROCLIFE_WAIT_PID)
		text_string(line, ", not for this one");
}

static void show_reaper(const struct run *run, struct text *line,
			const struct proclife_process *zombie)
{
	const struct proclife_process *reaper = proclife_process_reaper(zombie);
	const struct proclife_process *dead = reaper ? NULL : dead_parent(run, zombie);
	const char *comm = reaper ? reaper->comm : dead ? dead->comm : NULL;
	uint32_t tgid = proclife_process_awaits(zombie);
	bool held = proclife_process_is_held(zombie);

	if (!comm && held)
		comm = known_name(proclife_process_tracer(zombie));
	if (!comm && zombie->parent_id && tgid == zombie->parent_tgid)
		comm = zombie->parent_comm;
	if (comm) {
		text_comm(line, comm);
		text_string(line, " ");
	}
	text_printf(line, "(%" PRIu32 ")", tgid);
	if (held) {
		text_string(line, ", which traces it: its parent ");
		put_parent(run, line, zombie->real_parent_tgid);
		text_string(line, " is not notified before it has waited");
	}
	if (!reaper && held) {
		text_string(line, ", and is gone");
		return;
	}
	if (!reaper) {
		text_string(line, dead ? " is a zombie, too: init or a subreaper" :
					 " is gone: init or a subreaper");
		return;
	}
	if (!held && zombie->parent_tgid && zombie->parent_tgid != tgid)
		text_printf(line, ", by adoption from %" PRIu32, zombie->parent_tgid);
	if (may_have_waited(run, reaper, zombie)) {
		text_string(line, ", when it last called wait() is not known");
	} else if (reaper->waited) {
		text_string(line, ", last called wait() ");
		text_time(line, run->ended - reaper->waited);
		text_string(line, " ago");
		show_wanted(line, reaper, zombie);
	} else if (since(zombie)) {
		text_string(line, ", has not called wait() since");
	}
}

/* Where nothing shows it to have lived, it has been one for longer than what the rings hold. */
static uint64_t shown(const struct run *run, const struct proclife_process *zombie)
{
	uint64_t by = process_zombie_by(zombie);

	return by ? by : run->first > zombie->seen ? run->first : zombie->seen;
}

static void show(const struct run *run, struct text *line, const struct proclife_process *zombie)
{
	uint64_t from = since(zombie);
	unsigned int column;

	text_string(line, from ? "  " : "> ");
	text_time_in(line, TIME_COLUMNS, run->ended - (from ? from : shown(run, zombie)));
	text_uint_in(line, 9, zombie->tgid);
	text_string(line, "  ");
	column = line->columns;
	text_comm(line, zombie->comm);
	text_pad(line, column + PROCLIFE_COMM_LEN);
	column = line->columns;
	text_exit(line, zombie->exit_code, zombie, run->cgroups);
	text_pad(line, column + 18);
	text_string(line, "  ");
	text_hang(line);
	show_reaper(run, line, zombie);
	text_line(line);
}

static void show_json(const struct run *run, const struct proclife_process *zombie)
{
	const struct proclife_process *reaper = proclife_process_reaper(zombie);
	struct json *json = run->json;

	json_line(json, "zombie");
	json_uint(json, "pid", zombie->tgid);
	json_bytes(json, "comm", zombie->comm, PROCLIFE_COMM_LEN);
	json_uint_or_null(json, "start", zombie->start);
	json_uint_if(json, "uid", proclife_process_has_uid(zombie), zombie->uid);
	json_wait_status(json, zombie->exit_code >= 0, zombie->exit_code);
	json_killer(json, proclife_process_killer(zombie));
	json_uint_or_null(json, "exited", zombie->marks.exited);
	json_tracer(json, proclife_process_is_held(zombie) ? proclife_process_tracer(zombie) : NULL);
	json_uint_or_null(json, "notified", zombie->marks.notified);
	json_uint_if(json, "parent_pid", proclife_process_has_parent(zombie), zombie->parent_tgid);
	json_uint_or_null(json, "reaper_pid", proclife_process_awaits(zombie));
	json_comm_or_null(json, "reaper_comm", reaper, reaper ? reaper->comm : NULL);
	if (reaper && may_have_waited(run, reaper, zombie))
		reaper = NULL;
	json_uint_or_null(json, "reaper_waited", reaper ? reaper->waited : 0);
	json_string_or_null(json, "reaper_wait", reaper ? proclife_wait_name(reaper->waited_what) : NULL);
	json_uint_or_null(json, "reaper_wanted", reaper ? reaper->waited_for : 0);
	json_line_end(json);
}

void zombies_print(const struct run *run)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : UINT64_MAX;
	const struct proclife_process **zombies;
	struct text line;
	size_t count, i;

	zombies = collect(run, &count);
	text_init(&line, run->screen);
	if (!run->options->json) {
		text_style(&line, STYLE_BOLD);
		text_plural(&line, count, "zombie", "zombies");
		text_style(&line, STYLE_PLAIN);
		text_line(&line);
	}
	if (count && !run->options->json) {
		text_style(&line, STYLE_HEAD);
		text_printf(&line, "%10s%9s  %-*s%-18s  ", "FOR", "PID", PROCLIFE_COMM_LEN, "NAME",
			    "STATUS");
		text_hang(&line);
		text_string(&line, "TO BE REAPED BY");
		text_style(&line, STYLE_PLAIN);
		text_line(&line);
	}
	for (i = 0; i < count && i < most; i++) {
		if (run->options->json)
			show_json(run, zombies[i]);
		else
			show(run, &line, zombies[i]);
	}
	if (i < count && !run->options->json) {
		text_plural(&line, count - i, "younger one", "younger ones");
		text_line(&line);
	}
	text_free(&line);
	free(zombies);
}

static void print_open(const struct run *run, void *state)
{
	(void)state;
	zombies_print(run);
}

const struct view view_zombies = {
	.request = {
		.name = "zombies",
		.help = "Zombies now, oldest first, and what must reap them",
		.scope = "shows those there are now, or at the end of a recording",
		.takes = OF_SELECTION | OF_DEVICE | GIVEN(INPUT) | GIVEN(TOP),
		.is_now = true,
	},
	.print_open = print_open,
};
