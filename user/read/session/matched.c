// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_check.h"
#include "output/format.h"
#include "output/message.h"
#include "output/quoted.h"
#include "session/matched.h"
#include "session/pids.h"
#include "session/replay.h"
#include "views/share/ended.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Would a view show it, if it matched? Most show processes that ended; some show living ones, too. */
static bool would_tell(const struct run *run, const struct proclife_process *process)
{
	bool ends = proclife_process_has_exited(process) || process->exiting;
	const struct request *const *request = run->options->requests;
	bool is_zombie = proclife_process_state(process) == PROCLIFE_IS_ZOMBIE;

	if (!*request)
		return !process->outlives || ends;
	for (; *request; request++)
		if ((*request)->is_now ? process->outlives && (ends || is_zombie) && !process->marks.reaped :
					 !process->outlives || ends || (*request)->range != RANGE_OF_EXITS)
			return true;
	return false;
}

static void note_unjudged(struct run *run, const struct proclife_process *process)
{
	unsigned int criterion;

	if (!would_tell(run, process))
		return;
	run->matched.unjudged++;
	for (criterion = 0; criterion < CRITERIA; criterion++)
		if (filter_meets(run, process, (enum criterion)criterion) == PROCLIFE_MATCH_UNKNOWN)
			run->matched.lacks |= 1u << criterion;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct run *run = data;

	if (process->selected ? proclife_process_unjudged(process) : pids_lack(run, process))
		note_unjudged(run, process);
	if (!process->selected || !process->matches)
		return;
	run->matched.processes++;
	run->matched.failed += process_has_ended(process) && process->exit_code > 0 &&
			       !proclife_process_ended_before(process);
}

bool matched_is_limited(const struct run *run)
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
	if (matched_is_limited(run))
		proclife_tasks_filter(run->tasks, filter_match, run);
	return proclife_tasks_report(run->tasks, &reports, run);
}

void matched_add(struct run *run, const struct run *other)
{
	run->shown += other->shown;
	run->matched.processes += other->matched.processes;
	run->matched.failed += other->matched.failed;
	run->matched.unjudged += other->matched.unjudged;
	run->matched.lacks |= other->matched.lacks;
	run->matched.met |= other->matched.met;
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
	unsigned int met = run->matched.met;
	bool comm = filter->comms.count && !(met & 1u << CRITERION_COMM);
	bool uid = (filter->uids.count || filter->users.count) && !(met & 1u << CRITERION_UID);
	bool cgroup = filter->cgroups.count && !(met & 1u << CRITERION_CGROUP);
	bool args = filter->args.count && !(met & 1u << CRITERION_ARGS);
	bool end = filter_has_end(filter) && !(met & 1u << CRITERION_END);
	bool time = !(met & 1u << CRITERION_TIME);
	bool all = !comm && !uid && !cgroup && !args && !end && !time;
	size_t i;

	for (i = 0; all && i < run->options->pids.count; i++)
		put(list, "--pid", run->options->pids.all[i].text);
	if (comm || all)
		put_words(list, "--comm", &filter->comms);
	for (i = 0; (uid || all) && i < filter->uids.count; i++)
		put_number(list, "--uid", filter->uids.all[i]);
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

/* Is any missing? With several recordings, hardly any process ID occurs in each. */
static bool put_pids(struct list *list, const struct run *run)
{
	uint32_t pid;
	size_t i;

	if (run->matched.several)
		return false;
	for (i = 0; (pid = proclife_tasks_missing(run->tasks, i)); i++)
		if (!pids_were_threads(run, pid))
			put_number(list, "--pid", pid);
	return i || pids_are_missing(run);
}

/* For a view of records, the range is one of records: then it counts whether it has any. */
static bool matched_any(const struct run *run)
{
	const struct options *options = run->options;
	bool records = options->requests[0] && options->requests[0]->range == RANGE_OF_RECORDS;

	if (records && (options->from.kind || options->to.kind))
		return run->shown;
	return run->matched.processes;
}

static void report_unjudged(const struct run *run, const char *dir)
{
	static const char *const reasons[CRITERIA_AND_PID] = {
		[CRITERION_COMM] = "name",
		[CRITERION_UID] = "user",
		[CRITERION_CGROUP] = "path of the cgroup",
		[CRITERION_ARGS] = "all arguments",
		[CRITERION_END] = "exit status",
		[CRITERION_TIME] = "time of the exit",
		[CRITERION_PID] = "PID in its namespace",
	};
	bool kept = run->matched.keeps_unjudged, one = run->matched.unjudged == 1;
	const char *separator = "";
	char text[160] = "";
	unsigned int i;

	if (!run->matched.unjudged)
		return;
	for (i = 0; i < CRITERIA_AND_PID; i++) {
		if (!(run->matched.lacks & 1u << i))
			continue;
		strcat(strcat(text, separator), reasons[i]);
		separator = ", ";
	}
	message("%s%s%" PRIu64 " process%s may match, %s %s%s: not known: %s", dir ? quoted(dir) : "",
		dir ? ": " : "", run->matched.unjudged, one ? "" : "es", kept ? "and" : "but",
		one ? "is " : "are ", kept ? "kept" : "left out", text);
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
	    (options->pids.count || matched_is_limited(run)))
		put_filters(&list, run);
	if (fclose(list.file))
		die_no_memory();
	if (*text)
		message("%s%sno process matched %s", dir ? quoted(dir) : "", dir ? ": " : "", text);
	free(text);
	if (!run->matched.several)
		pids_report(run, dir);
	report_unjudged(run, dir);
}
