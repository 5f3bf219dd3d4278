// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "views/share/alone.h"
#include "views/diff/lineage.h"
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct alone_times {
	char comm[PROCLIFE_COMM_LEN];
	struct proclife_histogram *alone;
};

struct lineage {
	struct alone *alone;
	void *times; /* of tsearch(3): a user who chooses names can choose their hashes too */
	void *links;
	const struct lineage_link **all; /* of the links */
	size_t count;
	size_t room;
};

static int compare_times(const void *a, const void *b)
{
	return strcmp(((const struct alone_times *)a)->comm, ((const struct alone_times *)b)->comm);
}

static int compare_links(const void *a, const void *b)
{
	const struct lineage_link *x = a, *y = b;
	int order = strcmp(x->child, y->child);

	return order ? order : strcmp(x->parent, y->parent);
}

static void set_comm(char to[PROCLIFE_COMM_LEN], const char *comm)
{
	memcpy(to, comm, strnlen(comm, PROCLIFE_COMM_LEN - 1));
}

static void add_time(struct lineage *lineage, const struct proclife_process *process)
{
	struct alone_times key = { 0 }, **found, *times;
	uint64_t ns;

	if (!process->marks.born || !process->marks.exited ||
	    !alone_of(lineage->alone, process, &ns))
		return;
	set_comm(key.comm, process->comm);
	found = tfind(&key, &lineage->times, compare_times);
	times = found ? *found : NULL;
	if (!times) {
		times = malloc(sizeof(*times));
		if (!times)
			die_no_memory();
		*times = key;
		if (proclife_histogram_new(&times->alone) ||
		    !tsearch(times, &lineage->times, compare_times))
			die_no_memory();
	}
	if (proclife_histogram_add(times->alone, ns))
		die_no_memory();
}

static void add_link(struct lineage *lineage, const struct proclife_process *process)
{
	struct lineage_link key = { 0 }, *link;

	if (!process->parent_id)
		return;
	set_comm(key.parent, process->parent_comm);
	set_comm(key.child, process->comm);
	if (tfind(&key, &lineage->links, compare_links))
		return;
	ARRAY_GROW(lineage->all, lineage->count, lineage->room);
	link = malloc(sizeof(*link));
	if (!link)
		die_no_memory();
	*link = key;
	if (!tsearch(link, &lineage->links, compare_links))
		die_no_memory();
	lineage->all[lineage->count++] = link;
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

static void free_times(void *data)
{
	struct alone_times *times = data;

	proclife_histogram_free(times->alone);
	free(times);
}

void lineage_free(struct lineage *lineage)
{
	if (!lineage)
		return;
	alone_free(lineage->alone);
	tdestroy(lineage->times, free_times);
	tdestroy(lineage->links, free);
	free(lineage->all);
	free(lineage);
}

const struct proclife_histogram *lineage_alone(const struct lineage *lineage, const char *comm)
{
	struct alone_times key = { 0 }, **found;

	if (!lineage)
		return NULL;
	set_comm(key.comm, comm);
	found = tfind(&key, &lineage->times, compare_times);
	return found ? (*found)->alone : NULL;
}

const struct lineage_link *lineage_link(const struct lineage *lineage, size_t number)
{
	return lineage && number < lineage->count ? lineage->all[number] : NULL;
}
