// SPDX-License-Identifier: GPL-2.0-only
/* All that is known of one life. */
#include "live/state.h"
#include "output/quote.h"
#include "views/share/memory.h"
#include "views/share/when.h"
#include <inttypes.h>

#define LABEL_COLUMNS 11

static void begin(struct text *line, const char *label)
{
	text_style(line, STYLE_BOLD);
	text_printf(line, "%-*s", LABEL_COLUMNS, label);
	text_style(line, STYLE_PLAIN);
	text_hang(line);
}

static void put_names(struct text *line, const struct death *death)
{
	begin(line, "process");
	text_who(line, death->comm, death->tgid);
	if (death->flags & PROCLIFE_F_KTHREAD)
		text_string(line, ", of the kernel");
	if (death->threads > 1)
		text_printf(line, ", %" PRIu32 " threads", death->threads);
	text_line(line);
	if (death->path) {
		begin(line, "program");
		text_label(line, death->path, SIZE_MAX);
		if (death->execs > 1)
			text_printf(line, ", by the last of %" PRIu32 " execs", death->execs);
		text_line(line);
	}
	if (death->args) {
		begin(line, "arguments");
		text_args(line, death->args, death->args_bytes, death->args_cut, 0);
		text_line(line);
	}
}

/* The death was noted at its exit: as long as it is not gone, its state goes on. */
static enum proclife_life_state state_now(const struct death *death)
{
	const struct proclife_tasks *tasks = death->run->tasks;
	const struct proclife_process *process = proclife_tasks_holder(tasks, death->tgid);

	return process && process->id == death->id ? proclife_process_state(process) : death->state;
}

static void put_end(struct text *line, const struct death *death)
{
	char buffer[24];

	begin(line, "end");
	if (!death->exited || death->exit_code < 0) {
		text_string(line, "not known");
	} else if (death->killer.signo) {
		text_style(line, STYLE_BAD);
		text_printf(line, "killed by %s", signal_name(death->killer.signo, buffer));
		text_killer(line, &death->killer, death->tgid, death->run->cgroups);
		text_style(line, STYLE_PLAIN);
	} else {
		text_style(line, death->exit_code ? STYLE_BAD : STYLE_PLAIN);
		text_exit(line, death->exit_code, NULL, NULL);
		text_style(line, STYLE_PLAIN);
	}
	text_printf(line, "; now %s", proclife_state_name(state_now(death)));
	if (death->incomplete) {
		text_style(line, STYLE_BAD);
		text_string(line, "; incomplete: records of it were lost");
		text_style(line, STYLE_PLAIN);
	}
	text_line(line);
}

static void put_ancestors(struct text *line, const struct kept_death *kept)
{
	const struct death *death = kept->death;
	unsigned int i;

	begin(line, "ancestors");
	for (i = 0; i < kept->ancestor_count; i++) {
		text_string(line, i ? ", of " : "");
		if (kept->ancestors[i].comm[0])
			text_who(line, kept->ancestors[i].comm, kept->ancestors[i].tgid);
		else
			text_printf(line, "(%" PRIu32 ")", kept->ancestors[i].tgid);
	}
	if (!kept->ancestor_count)
		text_string(line, "not known");
	if (death->creator_tgid && death->creator_tgid != death->parent_tgid)
		text_printf(line, "; forked by (%" PRIu32 ")", death->creator_tgid);
	if (death->reaper_tgid)
		text_printf(line, "; reaped by (%" PRIu32 ")", death->reaper_tgid);
	text_line(line);
}

static void put_place(struct text *line, const struct kept_death *kept)
{
	const struct death *death = kept->death;

	begin(line, "user");
	if (death->has_uid)
		text_user(line, death->run, death->uid);
	else
		text_string(line, "not known");
	text_line(line);
	begin(line, "cgroup");
	if (kept->cgroup)
		text_name(line, kept->cgroup, SIZE_MAX);
	else if (death->cgroup)
		text_printf(line, "number %" PRIu64, death->cgroup);
	else
		text_string(line, "not known");
	text_line(line);
}

/* With the date where it is another one than in the line before. */
static void put_date(struct text *line, const struct run *run, uint64_t ts, int64_t *day)
{
	bool is_new = when_is_new_day(run, ts, day);
	struct text date;

	if (!*day) /* with --monotonic */
		return;
	text_init(&date, line->screen);
	text_when_title(&date, run, ts);
	if (is_new)
		text_string(line, date.s);
	else
		text_spaces(line, date.columns);
	text_string(line, " ");
	text_free(&date);
}

static void put_marks(struct text *line, const struct death *death)
{
	const struct proclife_marks *marks = &death->marks;
	const struct {
		const char *name;
		uint64_t ts;
	} all[] = {
		{ "born", marks->born }, { "killed", death->killed }, { "exit", marks->exited },
		{ "traced", death->tracer.ts }, { "notified", marks->notified }, { "reaped", marks->reaped }, { "freed", marks->freed },
	};
	int64_t day = 0;
	size_t i;

	text_line(line);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i].ts)
			continue;
		begin(line, all[i].name);
		put_date(line, death->run, all[i].ts, &day);
		text_when(line, death->run, all[i].ts, 6);
		text_line(line);
	}
}

static void put_phases(struct text *line, const struct death *death)
{
	unsigned int phase;
	uint64_t ns;

	text_line(line);
	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_phase_info *info = proclife_phase_info(phase);

		if (!death_phase(death, phase, &ns))
			continue;
		begin(line, info->name);
		text_time_in(line, 10, ns);
		text_style(line, STYLE_DIM);
		/* Where notices are not recorded, that is when it began. */
		text_printf(line, "  %s", phase == PROCLIFE_ZOMBIE && !death->marks.notified ? "exit to reaped" :
			    phase == PROCLIFE_LIFE && !death->marks.born ? "its start to exit" : info->span);
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
	if (death->alone_known) {
		begin(line, "alone");
		text_time_in(line, 10, death->alone);
		text_style(line, STYLE_DIM);
		text_string(line, "  while no child of it lived");
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
}

static void put_usage(struct text *line, const struct death *death)
{
	const struct proclife_usage *usage = &death->usage;
	uint64_t user, system;

	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	text_line(line);
	begin(line, "CPU");
	text_time(line, usage->runtime);
	text_string(line, ": user ");
	text_time(line, user);
	text_string(line, ", system ");
	text_time(line, system);
	text_line(line);
	begin(line, "faults");
	text_count(line, usage->min_flt);
	text_string(line, " minor, ");
	text_count(line, usage->maj_flt);
	text_string(line, " major");
	text_line(line);
	begin(line, "switches");
	text_count(line, usage->nvcsw);
	text_string(line, " voluntary, ");
	text_count(line, usage->nivcsw);
	text_string(line, " not");
	text_line(line);
}

static void put_memory(struct text *line, const struct death *death)
{
	const struct proclife_memory *memory = &death->memory;

	if (death->max_rss) {
		begin(line, "RSS");
		text_size(line, death->max_rss);
		text_string(line, " at most");
		text_line(line);
	}
	if (!memory->left && !memory->teardown)
		return;
	begin(line, "memory");
	if (memory->teardown)
		text_size(line, memory_kib(memory));
	else
		text_printf(line, "held by %" PRIu32 " others", memory->holders);
	if (memory->own)
		text_string(line, ", let go by itself");
	else
		memory_put_last(line, ", let go by ", memory);
	if (memory->async)
		text_string(line, ", unmapped by a worker of the kernel");
	if (memory->early_by.pid) {
		text_string(line, ", taken early by ");
		text_actor(line, memory->early_by.comm, memory->early_by.named, memory->early_by.tgid);
	}
	if (memory->open)
		text_string(line, ", not gone yet");
	text_line(line);
}

void life_print(const struct live *live, const struct kept_death *kept)
{
	struct text line;

	text_init(&line, &live->screen);
	put_names(&line, kept->death);
	put_end(&line, kept->death);
	put_ancestors(&line, kept);
	put_place(&line, kept);
	put_marks(&line, kept->death);
	put_phases(&line, kept->death);
	put_usage(&line, kept->death);
	put_memory(&line, kept->death);
	text_free(&line);
}
