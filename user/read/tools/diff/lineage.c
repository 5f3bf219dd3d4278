// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "tools/diff/lineage.h"
#include "views/share/alone.h"
#include "views/share/numbers.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lineage {
	struct alone *alone;
	struct numbers names;
	struct proclife_histogram **times; /* [number of the name - 1] */
	size_t count;
	size_t room;
	struct numbers links; /* of each struct lineage_link */
};

static size_t comm_length(const char *comm)
{
	return strnlen(comm, PROCLIFE_COMM_LEN - 1);
}

static void set_comm(char to[PROCLIFE_COMM_LEN], const char *comm)
{
	memcpy(to, comm, comm_length(comm));
}

static void add_time(struct lineage *lineage, const struct proclife_process *process)
{
	uint32_t number;
	uint64_t ns;

	if (!process->marks.born || !process->marks.exited ||
	    !alone_of(lineage->alone, process, &ns))
		return;
	number = number_of(&lineage->names, process->comm, comm_length(process->comm));
	if (number > lineage->count) {
		ARRAY_GROW(lineage->times, lineage->count, lineage->room);
		if (proclife_histogram_new(&lineage->times[lineage->count]))
			die_no_memory();
		lineage->count++;
	}
	if (!number || proclife_histogram_add(lineage->times[number - 1], ns))
		die_no_memory();
}

static void add_link(struct lineage *lineage, const struct proclife_process *process)
{
	struct lineage_link link = { 0 };

	if (!process->parent_id)
		return;
	set_comm(link.parent, process->parent_comm);
	set_comm(link.child, process->comm);
	if (!number_of(&lineage->links, &link, sizeof(link)))
		die_no_memory();
}

/* Before the process is gone for lineage->alone, which began to listen later. */
static void gone(void *data, struct proclife_process *process)
{
	if (!process->selected || !process->matches)
		return;
	add_time(data, process);
	add_link(data, process);
}

int lineage_new(struct lineage **result, struct proclife_tasks *tasks, const struct proclife_source *source)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = gone,
	};
	struct lineage *lineage = calloc(1, sizeof(*lineage));
	int ret;

	if (!lineage)
		return -ENOMEM;
	ret = proclife_tasks_report(tasks, &reports, lineage);
	if (!ret)
		ret = alone_new(&lineage->alone, tasks, source);
	if (ret) {
		lineage_free(lineage);
		return ret;
	}
	*result = lineage;
	return 0;
}

void lineage_free(struct lineage *lineage)
{
	if (!lineage)
		return;
	alone_free(lineage->alone);
	for (size_t i = 0; i < lineage->count; i++)
		proclife_histogram_free(lineage->times[i]);
	free(lineage->times);
	numbers_free(&lineage->names);
	numbers_free(&lineage->links);
	free(lineage);
}

const struct proclife_histogram *lineage_alone(const struct lineage *lineage, const char *comm)
{
	uint32_t number = lineage ? number_found(&lineage->names, comm, comm_length(comm)) : 0;

	return number ? lineage->times[number - 1] : NULL;
}

const struct lineage_link *lineage_link(const struct lineage *lineage, size_t number)
{
	const struct numbers *links = lineage ? &lineage->links : NULL;

	return links && number < links->count ? (const void *)(links->bytes + links->all[number].at) : NULL;
}
