// SPDX-License-Identifier: GPL-2.0-only
/* --export: lives in the format of another program, each as soon as all of it is known. */
#include "views/alone.h"
#include "views/ended.h"
#include "views/export.h"
#include "views/id_table.h"
#include "views/overtime.h"
#include <errno.h>
#include <stdlib.h>

static const struct export_format *const formats[EXPORTS] = {
	[EXPORT_CSV] = &export_csv,
	[EXPORT_FOLDED] = &export_folded,
};

struct exporting {
	struct export export;
	const struct export_format *format;
	void *state;
	struct life life;	/* the one that is told */
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

static void tell(struct exporting *exporting, const struct proclife_process *process,
		 bool alone_known, uint64_t alone)
{
	const struct run *run = exporting->export.run;
	struct life *life = &exporting->life;
	uint64_t end = process_ended_by(process);

	death_set(&life->death, run->tasks, process);
	life->death.run = run;
	life->death.alone_known = alone_known;
	life->death.alone = alone;
	life->process = process;
	life->begin = overtime_born(proclife_source_header(run->source), process);
	life->end = end <= run->to ? end : 0; /* as --summary has it */
	exporting->format->life(exporting->state, life);
}

static void gone(void *data, struct proclife_process *process)
{
	struct exporting *exporting = data;
	uint64_t alone = 0;
	bool known;

	if (!filter_passes(process))
		return;
	known = alone_of(exporting->alone, process, &alone);
	if (!death_memory_follows(process))
		tell(exporting, process, known, alone);
	else if (known)
		((struct lonely *)id_table_add(&exporting->lonely, process->id))->alone = alone;
}

static void memory_gone(void *data, struct proclife_process *process)
{
	struct exporting *exporting = data;
	struct lonely *lonely;

	if (!filter_passes(process))
		return;
	lonely = id_table_get(&exporting->lonely, process->id);
	tell(exporting, process, lonely, lonely ? lonely->alone : 0);
	if (lonely)
		id_table_delete(&exporting->lonely, lonely);
}

static bool streams(const struct options *options)
{
	return formats[options->export]->life;
}

static int begin(struct run *run, void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = gone,
		.memory_gone = memory_gone,
	};
	struct exporting *exporting = calloc(1, sizeof(*exporting));
	int ret;

	if (!exporting)
		return -ENOMEM;
	*state = exporting;
	exporting->export = (struct export){ .run = run, .out = run->screen->out };
	exporting->format = formats[run->options->export];
	id_table_init(&exporting->lonely, sizeof(struct lonely));
	ret = streams(run->options) ? proclife_tasks_report(run->tasks, &reports, exporting) : 0;
	/* After ours: then it still knows of who is reported gone. */
	if (!ret)
		ret = alone_new(&exporting->alone, run->tasks);
	if (!ret && exporting->format->begin)
		ret = exporting->format->begin(&exporting->export, &exporting->state);
	return ret;
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
	.name = "export",
	.argument = "FORMAT",
	.help = "Lives for other programs: csv, folded; --output names a file",
	.scope = "writes lives and nothing else",
	.takes = (OF_TRACE & ~GIVEN(EXPECT)) | GIVEN(OUTPUT),
	.range = RANGE_OF_LIVES,
	.is_minor = true,
	.has_cgroups = true,
	.exports = true,
	.streams = streams,
	.begin = begin,
	.print = print,
	.free = end,
};
