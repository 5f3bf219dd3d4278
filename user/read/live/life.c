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

static void put_names(struct text *line, const struct life *life)
{
	begin(line, "process");
	text_who(line, life->comm, life->tgid);
	if (life->flags & PROCLIFE_F_KTHREAD)
		text_string(line, ", of the kernel");
	if (life->threads > 1)
		text_printf(line, ", %" PRIu32 " threads", life->threads);
	text_line(line);
	if (life->path) {
		begin(line, "program");
		text_label(line, life->path, SIZE_MAX);
		if (life->execs > 1)
			text_printf(line, ", by the last of %" PRIu32 " execs", life->execs);
		text_line(line);
	}
	if (life->args) {
		begin(line, "arguments");
		text_args(line, life->args, life->args_bytes, life->args_cut, 0);
		text_line(line);
	}
}

static void put_end(struct text *line, const struct life *life)
{
	char buffer[24];

	begin(line, "end");
	if (!life->exited || life->exit_code < 0) {
		text_string(line, "not known");
	} else if (life->killer.signo) {
		text_style(line, STYLE_BAD);
		text_printf(line, "killed by %s", signal_name(life->killer.signo, buffer));
		text_killer(line, &life->killer, life->tgid, life->run->cgroups);
		text_style(line, STYLE_PLAIN);
	} else {
		text_style(line, life->exit_code ? STYLE_BAD : STYLE_PLAIN);
		text_exit(line, life->exit_code, NULL, NULL);
		text_style(line, STYLE_PLAIN);
	}
	text_printf(line, "; now %s", proclife_state_name(life->state));
	if (life->incomplete) {
		text_style(line, STYLE_BAD);
		text_string(line, "; incomplete: records of it were lost");
		text_style(line, STYLE_PLAIN);
	}
	text_line(line);
}

static void put_ancestors(struct text *line, const struct kept_death *kept)
{
	const struct life *life = kept->life;
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
	if (life->creator_tgid && life->creator_tgid != life->parent_tgid)
		text_printf(line, "; forked by (%" PRIu32 ")", life->creator_tgid);
	if (life->reaper_tgid)
		text_printf(line, "; reaped by (%" PRIu32 ")", life->reaper_tgid);
	text_line(line);
}

/* Nothing without the module's parameters. */
static void put_program(struct text *line, const struct life *life)
{
	const struct proclife_program *program = &life->program;

	if (program->exe) {
		begin(line, "file");
		text_label(line, program->exe, SIZE_MAX);
		text_line(line);
	}
	if (program->cwd) {
		begin(line, "directory");
		text_label(line, program->cwd, SIZE_MAX);
		text_line(line);
	}
	if (program->env && program->env_bytes) {
		begin(line, "env");
		text_args(line, program->env, program->env_bytes, false, 0);
		text_line(line);
	}
}

static void put_place(struct text *line, const struct kept_death *kept)
{
	const struct life *life = kept->life;

	begin(line, "user");
	if (life->has_uid)
		text_user(line, life->run, life->uid);
	else
		text_string(line, "not known");
	text_line(line);
	begin(line, "cgroup");
	if (kept->cgroup)
		text_name(line, kept->cgroup, SIZE_MAX);
	else if (life->cgroup)
		text_printf(line, "number %" PRIu64, life->cgroup);
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

static void put_marks(struct text *line, const struct life *life)
{
	const struct proclife_marks *marks = &life->marks;
	const struct {
		const char *name;
		uint64_t ts;
	} all[] = {
		{ "born", marks->born }, { "killed", life->killed }, { "exit", marks->exited },
		{ "traced", life->tracer.ts }, { "notified", marks->notified }, { "reaped", marks->reaped }, { "freed", marks->freed },
	};
	int64_t day = 0;
	size_t i;

	text_line(line);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i].ts)
			continue;
		begin(line, all[i].name);
		put_date(line, life->run, all[i].ts, &day);
		text_when(line, life->run, all[i].ts, 6);
		text_line(line);
	}
}

static void put_phases(struct text *line, const struct life *life)
{
	unsigned int phase;

	text_line(line);
	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_phase_info *info = proclife_phase_info(phase);
		struct figure figure = life_phase_so_far(life, phase, life->run->ended);

		if (!figure.known)
			continue;
		begin(line, info->name);
		if (figure.at_least)
			text_time_at_least_in(line, 10, figure.value);
		else
			text_time_in(line, 10, figure.value);
		text_style(line, STYLE_DIM);
		/* Where notices are not recorded, that is when it began. */
		text_printf(line, "  %s", phase == PROCLIFE_ZOMBIE && !life->marks.notified && !life->notified_lost ? "exit to reaped" :
			    phase == PROCLIFE_LIFE && !life->marks.born ? "its start to exit" : info->span);
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
	if (life->alone_known) {
		begin(line, "alone");
		text_time_in(line, 10, life->alone);
		text_style(line, STYLE_DIM);
		text_string(line, "  while no child of it lived");
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
}

static void put_usage(struct text *line, const struct life *life)
{
	const struct proclife_usage *usage = &life->usage;

	text_line(line);
	begin(line, "CPU");
	if (life->has_cpu) {
		text_time(line, usage->runtime);
		text_string(line, ": user ");
		text_time(line, usage->utime);
		text_string(line, ", system ");
		text_time(line, usage->stime);
	} else {
		text_string(line, "not known");
	}
	text_line(line);
	if (!life->exited) /* the others are counted at an EXIT */
		return;
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
	if (!life->io_known)
		return;
	begin(line, "storage");
	text_size(line, life->io.read_bytes / 1024);
	text_string(line, " read, ");
	text_size(line, life->io.write_bytes / 1024);
	text_string(line, " written");
	text_line(line);
}

static void put_memory(struct text *line, const struct life *life)
{
	const struct proclife_memory *memory = &life->memory;

	if (life->max_rss) {
		begin(line, "RSS");
		text_size(line, life->max_rss);
		text_string(line, " at most");
		text_line(line);
	}
	if (!life_has_memory(life))
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

void life_print(const struct live *live, struct kept_death *kept)
{
	const struct life *life = death_life(kept);
	struct text line;

	text_init(&line, &live->screen);
	put_names(&line, life);
	put_end(&line, life);
	put_ancestors(&line, kept);
	put_program(&line, life);
	put_place(&line, kept);
	put_marks(&line, life);
	put_phases(&line, life);
	put_usage(&line, life);
	put_memory(&line, life);
	text_free(&line);
}
