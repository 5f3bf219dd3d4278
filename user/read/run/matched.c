// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_check.h"
#include "output/format.h"
#include "output/message.h"
#include "output/quoted.h"
#include "run/matched.h"
#include "run/replay.h"
#include "views/ended.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void process_gone(void *data, struct proclife_process *process)
{
	struct run *run = data;

	if (!process->selected || !process->matches)
		return;
	run->matched.processes++;
	run->matched.failed += process_has_ended(process) && process->exit_code > 0;
}

/* Is any filter other than --pid given? */
static bool is_limited(const struct run *run)
{
	return filter_is_set(&run->options->filter) || run->options->from.kind ||
	       run->options->to.kind;
}

int matched_begin(struct run *run, const char *dir)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = process_gone,
	};
	int ret = replay_texts(run, dir);

	if (ret)
		return ret;
	if (is_limited(run))
		proclife_tasks_filter(run->tasks, filter_match, run);
	return proclife_tasks_report(run->tasks, &reports, run);
}

void matched_add(struct run *run, const struct run *other)
{
	run->shown += other->shown;
	run->matched.processes += other->matched.processes;
	run->matched.failed += other->matched.failed;
	run->matched.comm |= other->matched.comm;
	run->matched.uid |= other->matched.uid;
	run->matched.cgroup |= other->matched.cgroup;
	run->matched.cgroup_path |= other->matched.cgroup_path;
	run->matched.cgroup_unknown |= other->matched.cgroup_unknown;
	run->matched.args |= other->matched.args;
	run->matched.end |= other->matched.end;
	run->matched.time |= other->matched.time;
	run->matched.several = true;
}

/* "--comm 'cc*', --comm ld" */
struct list {
	FILE *file;
	const char *separator;
};

static void put(struct list *list, const char *option, const char *value)
{
	fprintf(list->file, "%s%s %s", list->separator, option, quoted(value));
	list->separator = ", ";
}

static void put_number(struct list *list, const char *option, uint32_t value)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%" PRIu32, value);
	put(list, option, digits);
}

static void put_words(struct list *list, const char *option, const struct words *words)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		put(list, option, words->all[i]);
}

static void put_ends(struct list *list, const struct filter *filter)
{
	unsigned int i;
	char buffer[24];

	if (filter->failed) {
		fprintf(list->file, "%s--failed", list->separator);
		list->separator = ", ";
	}
	for (i = 0; i < 256; i++)
		if (filter->statuses[i / 64] >> i % 64 & 1)
			put_number(list, "--status", i);
	if (filter->signals == ANY_SIGNAL)
		put(list, "--signal", "any");
	for (i = 0; filter->signals != ANY_SIGNAL && i < 64; i++)
		if (filter->signals >> i & 1)
			put(list, "--signal", signal_name((int)i + 1, buffer));
}

/* The filters that matched no process. If each matched some, all: together they matched none. */
static void put_filters(struct list *list, const struct run *run)
{
	const struct filter *filter = &run->options->filter;
	bool comm = filter->comms.count && !run->matched.comm;
	bool uid = (filter->uid_count || filter->users.count) && !run->matched.uid;
	bool cgroup = filter->cgroups.count && !run->matched.cgroup;
	bool args = filter->args.count && !run->matched.args;
	bool end = filter_has_end(filter) && !run->matched.end;
	bool time = !run->matched.time;
	bool all = !comm && !uid && !cgroup && !args && !end && !time;
	size_t i;

	for (i = 0; all && i < run->options->pid_count; i++)
		put_number(list, "--pid", run->options->pids[i]);
	if (comm || all)
		put_words(list, "--comm", &filter->comms);
	for (i = 0; (uid || all) && i < filter->uid_count; i++)
		put_number(list, "--uid", filter->uids[i]);
	if (uid || all)
		put_words(list, "--uid", &filter->users);
	if (cgroup || all)
		put_words(list, "--cgroup", &filter->cgroups);
	if (args || all)
		put_words(list, "--args", &filter->args);
	if (end || all)
		put_ends(list, filter);
	if ((time || all) && run->options->from.kind)
		put(list, "--from", run->options->from.text);
	if ((time || all) && run->options->to.kind)
		put(list, "--to", run->options->to.text);
}

/* With several recordings, hardly any process ID occurs in each. */
static bool put_pids(struct list *list, const struct run *run)
{
	uint32_t pid;
	size_t i;

	if (run->matched.several)
		return false;
	for (i = 0; (pid = proclife_tasks_missing(run->tasks, i)); i++)
		put_number(list, "--pid", pid);
	return *list->separator;
}

/* For a view of records, the range is one of records: then it counts whether it has any. */
static bool matched_any(const struct run *run)
{
	const struct options *options = run->options;
	bool records = options->views[0] && options->views[0]->range == RANGE_OF_RECORDS;

	if (records && (options->from.kind || options->to.kind))
		return run->shown;
	return run->matched.processes;
}

/* Whatever the --cgroup, it would match nothing. */
static bool knows_no_path(const struct run *run)
{
	return run->matched.cgroup_unknown && !run->matched.cgroup_path;
}

void matched_report(const struct run *run, const char *dir)
{
	const struct options *options = run->options;
	char *text = NULL;
	size_t size;
	struct list list = { open_memstream(&text, &size), "" };

	if (!list.file)
		die_no_memory();
	if (!put_pids(&list, run) && !matched_any(run) &&
	    (options->pid_count || is_limited(run)))
		put_filters(&list, run);
	if (fclose(list.file))
		die_no_memory();
	if (*text)
		message("%s%sno process matched %s%s", dir ? quoted(dir) : "", dir ? ": " : "", text,
			knows_no_path(run) ? "; of no cgroup is the path known" : "");
	free(text);
}
