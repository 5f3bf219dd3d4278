// SPDX-License-Identifier: GPL-2.0-only
/* --export: lives in the format of another program, each as soon as all of it is known. */
#include "views/share/alone.h"
#include "views/share/ended.h"
#include "views/export/export.h"
#include "views/share/id_table.h"
#include "views/share/overtime.h"
#include <errno.h>
#include <stdlib.h>

static const struct format *const formats[] = {
	&export_compdb.format, &export_csv.format, &export_folded.format, &export_otlp.format, &export_perfetto.format, NULL,
};

static const char *format_name(unsigned int number)
{
	return formats[number] ? formats[number]->name : NULL;
}

static const struct export_format *format_of(const struct options *options)
{
	return (const struct export_format *)formats[options->export.format]; /* its first member */
}

struct exporting {
	struct export export;
	const struct export_format *format;
	void *state;
	struct life life;	/* the one that is written */
	struct alone *alone;
	struct id_table lonely; /* of struct lonely: those that are gone before their memory is */
};

struct lonely {
	uint64_t id;
	uint64_t alone;
};

uint64_t export_realtime(const struct run *run, uint64_t ts)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return ts && header && header->to_realtime ? proclife_source_realtime(run->source, ts) : 0;
}

int export_open(struct replacement *file, const char *option, const char *path,
		const struct options *options)
{
	int ret = replace_check(option, path);

	if (ret)
		return ret;
	if (format_of(options)->is_followed && !options->inputs.count)
		return replace_append(file, option, path, 0600);
	ret = replace_begin(file, path, 0600);
	if (ret)
		replace_say(option, path, ret);
	return ret;
}

/* Has it, whether it is known when or not? @ended: by when; 0: that is not known. */
static bool has_ended(const struct run *run, const struct proclife_process *process, uint64_t ended)
{
	switch (proclife_process_state(process)) {
	case PROCLIFE_IS_ZOMBIE:
	case PROCLIFE_IS_UNFREED:
	case PROCLIFE_IS_FREED:
		return process_lived_to(process) <= run->to;
	default:
		return ended && ended <= run->to;
	}
}

static void tell(struct exporting *exporting, const struct proclife_process *process,
		 bool alone_known, uint64_t alone)
{
	const struct run *run = exporting->export.run;
	struct life *life = &exporting->life;
	uint64_t end = process_ended_by(process);

	life->run = run;
	life_set(life, process);
	life_set_open_phases(life, process);
	life->alone_known = alone_known;
	life->alone = alone;
	life->begin = overtime_born(run, process);
	life->end = end <= run->to ? end : 0; /* as --summary has it */
	life->ended = has_ended(run, process, end);
	exporting->format->life(exporting->state, life, process);
}

static void finish(struct exporting *exporting, const struct proclife_process *process,
		   bool alone_known, uint64_t alone)
{
	if (filter_passes(process))
		tell(exporting, process, alone_known, alone);
	if (exporting->format->forget)
		exporting->format->forget(exporting->state, process);
}

static void born(void *data, struct proclife_process *process, struct proclife_process *parent,
		 struct proclife_process *creator)
{
	struct exporting *exporting = data;

	if (exporting->format->born)
		exporting->format->born(exporting->state, process, parent, creator);
}

static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	struct exporting *exporting = data;

	if (exporting->format->linked)
		exporting->format->linked(exporting->state, process, parent);
}

static void exited(void *data, struct proclife_process *process)
{
	struct exporting *exporting = data;

	if (exporting->format->exited)
		exporting->format->exited(exporting->state, process);
}

static void gone(void *data, struct proclife_process *process)
{
	struct exporting *exporting = data;
	uint64_t alone = 0;
	/* Where its exit began, but its EXIT was lost, it can have gone on. */
	bool known = proclife_process_has_exited(process) && alone_of(exporting->alone, process, &alone);

	if (known)
		((struct lonely *)id_table_add(&exporting->lonely, process->id))->alone = alone;
}

static void over(void *data, struct proclife_process *process)
{
	struct exporting *exporting = data;
	struct lonely *lonely = id_table_get(&exporting->lonely, process->id);

	finish(exporting, process, lonely, lonely ? lonely->alone : 0);
	if (lonely)
		id_table_delete(&exporting->lonely, lonely);
}

/* The others write all at the end. */
static bool streams(const struct options *options)
{
	return format_of(options)->life;
}

static int begin_lives(struct exporting *exporting)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = born,
		.process_linked = linked,
		.process_exited = exited,
		.process_gone = gone,
		.process_over = over,
	};
	struct proclife_tasks *tasks = exporting->export.run->tasks;
	int ret = proclife_tasks_report(tasks, &reports, exporting);

	/* After ours: then it still knows the process that is reported gone. */
	return ret ? ret : alone_new(&exporting->alone, tasks, exporting->export.run->source);
}

static int begin(struct run *run, void **state)
{
	struct exporting *exporting = calloc(1, sizeof(*exporting));
	int ret = 0;

	if (!exporting)
		return -ENOMEM;
	*state = exporting;
	exporting->export = (struct export){ .run = run, .out = run->screen->out };
	exporting->format = format_of(run->options);
	id_table_init(&exporting->lonely, sizeof(struct lonely));
	if (streams(run->options))
		ret = begin_lives(exporting);
	return ret ? ret : exporting->format->begin(&exporting->export, &exporting->state);
}

static int feed(void *state, const struct proclife_event *event)
{
	struct exporting *exporting = state;

	if (exporting->format->event)
		exporting->format->event(exporting->state, event);
	return proclife_tasks_feed(exporting->export.run->tasks, event);
}

static void print(const struct run *run, void *state)
{
	struct exporting *exporting = state;

	(void)run;
	if (exporting->format->end)
		exporting->format->end(exporting->state);
}

static void end(void *state)
{
	struct exporting *exporting = state;

	if (!exporting)
		return;
	exporting->format->free(exporting->state);
	id_table_free(&exporting->lonely);
	alone_free(exporting->alone);
	free(exporting);
}

const struct view view_export = {
	.request = {
		.name = "export",
		.argument = { "FORMAT", FILLS(CHOICE, export.format), .choice = format_name },
		.help = "Lives for other programs: compdb, csv, folded, otlp, perfetto; --output names a file",
		.scope = "writes lives for another program, and does not judge them",
		.takes = (OF_TRACE & ~(GIVEN(EXPECT) | OF_TRIGGERS)) | GIVEN(OUTPUT),
		.formats = formats,
		.no_json = "has a format of its own: leave out --json",
		.range = RANGE_OF_LIVES,
		.is_minor = true,
	},
	.has_cgroups = true,
	.exports = true,
	.streams = streams,
	.begin = begin,
	.feed = feed,
	.print = print,
	.free = end,
};
