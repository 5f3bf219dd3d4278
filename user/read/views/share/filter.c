// SPDX-License-Identifier: GPL-2.0-only
/*
 * --comm, --uid, --cgroup, --args, how it ended, and when: one of each kind that is given has to fit.
 */
#include "output/message.h"
#include "views/share/ended.h"
#include "views/share/pid_within.h"
#include "views/views.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static enum proclife_match sure(bool matches)
{
	return matches ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

/* A name with control characters is shown with escapes, which can be pasted. */
static bool is_shown_as(const struct run *run, const char *comm, const char *pattern)
{
	struct text text;
	bool same;

	if (!strchr(pattern, '\\'))
		return false;
	text_init(&text, run->screen);
	text_name(&text, comm, PROCLIFE_COMM_LEN);
	same = text.len == strlen(pattern) && !memcmp(text.s, pattern, text.len);
	text_free(&text);
	return same;
}

static enum proclife_match has_comm(const struct run *run, const struct proclife_process *process)
{
	const struct filter *filter = &run->options->filter;
	size_t i;

	for (i = 0; i < filter->comms.count; i++)
		if (!fnmatch(filter->comms.all[i], process->comm, 0) ||
		    is_shown_as(run, process->comm, filter->comms.all[i]))
			return PROCLIFE_MATCHES;
	return sure(!filter->comms.count);
}

static bool is_user(const struct run *run, uint32_t uid)
{
	const struct filter *filter = &run->options->filter;
	const char *name = NULL;
	size_t i;

	for (i = 0; i < filter->uids.count; i++)
		if (filter->uids.all[i] == uid)
			return true;
	if (filter->users.count)
		name = proclife_users_name(run->users, uid);
	for (i = 0; name && i < filter->users.count; i++)
		if (!strcmp(filter->users.all[i], name))
			return true;
	return false;
}

/* Any that it had. */
static enum proclife_match has_uid(const struct run *run, const struct proclife_process *process)
{
	const struct filter *filter = &run->options->filter;
	const uint32_t *uids;
	unsigned int count;

	if (!filter->uids.count && !filter->users.count)
		return PROCLIFE_MATCHES;
	if (!proclife_process_has_uid(process))
		return PROCLIFE_MATCH_UNKNOWN;
	uids = proclife_process_uids(process, &count);
	while (count-- > 0)
		if (is_user(run, uids[count]))
			return PROCLIFE_MATCHES;
	return sure(is_user(run, process->uid));
}

static enum proclife_match has_cgroup(struct run *run, const struct proclife_process *process)
{
	const struct words *cgroups = &run->options->filter.cgroups;
	enum proclife_match match = sure(!cgroups->count);
	const char *path = NULL;
	size_t i;

	if (cgroups->count)
		path = proclife_cgroups_path(run->cgroups, process->cgroup);
	for (i = 0; match != PROCLIFE_MATCHES && i < cgroups->count; i++)
		match = path_is_below(path, cgroups->all[i]);
	return match;
}

/* Whatever follows what matches it, it matches. */
static bool is_open(const char *pattern)
{
	size_t n = strlen(pattern), escapes = 0;

	if (!n || pattern[n - 1] != '*')
		return false;
	while (escapes + 1 < n && pattern[n - 2 - escapes] == '\\')
		escapes++;
	return escapes % 2 == 0;
}

/* @cut: more follows in the line, which is not known. */
static bool fits_line(const struct words *patterns, const char *line, bool cut)
{
	size_t i;

	for (i = 0; i < patterns->count; i++)
		if ((!cut || is_open(patterns->all[i])) && !fnmatch(patterns->all[i], line, 0))
			return true;
	return false;
}

/* The patterns are for the whole command line, and for each argument of it. */
static bool fits_args(const struct words *patterns, const struct proclife_process *process)
{
	size_t n = process->args_bytes, i, next;
	bool fits = false;
	char *line;

	for (i = 0; !fits && i < n; i = next) {
		next = i + strlen(process->args + i) + 1;
		fits = fits_line(patterns, process->args + i, process->args_cut && next > n);
	}
	if (fits)
		return true;
	line = malloc(n + 1);
	if (!line)
		die_no_memory();
	memcpy(line, process->args, n);
	line[n] = '\0';
	while (n && !line[n - 1])
		n--;
	for (i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	fits = fits_line(patterns, line, process->args_cut);
	free(line);
	return fits;
}

/* One that has not called exec has none. */
static enum proclife_match has_args(const struct filter *filter, const struct proclife_process *process)
{
	bool whole = process->marks.born && !process->incomplete;

	if (!filter->args.count)
		return PROCLIFE_MATCHES;
	if (process->args && (process->args_bytes || process->args_cut) && fits_args(&filter->args, process))
		return PROCLIFE_MATCHES;
	if (process->args)
		return process->args_cut ? PROCLIFE_MATCH_UNKNOWN : PROCLIFE_MATCHES_NOT;
	if (process->flags & PROCLIFE_F_KTHREAD || (whole && !process->execs))
		return PROCLIFE_MATCHES_NOT;
	return PROCLIFE_MATCH_UNKNOWN;
}

/* It is over, and its EXIT was not seen. */
static bool ended_unseen(const struct proclife_process *process)
{
	return process->marks.reaped || (!process->open && !process->outlives);
}

/* What is not known to have ended has no status. */
static enum proclife_match has_end(const struct filter *filter, const struct proclife_process *process)
{
	unsigned int signal = (unsigned int)process->exit_code & 0x7f;
	unsigned int status = (unsigned int)process->exit_code >> 8 & 0xff;

	if (!filter_has_end(filter))
		return PROCLIFE_MATCHES;
	if (!process_has_ended(process))
		return ended_unseen(process) || proclife_process_shown_zombie(process) ? PROCLIFE_MATCH_UNKNOWN :
											 PROCLIFE_MATCHES_NOT;
	if (filter->failed && process->exit_code)
		return PROCLIFE_MATCHES;
	if (signal && filter->signals == ANY_SIGNAL)
		return PROCLIFE_MATCHES;
	if (signal)
		return sure(signal <= 64 && filter->signals >> (signal - 1) & 1);
	return sure(filter->statuses[status / 64] >> status % 64 & 1);
}

static enum proclife_match has_time(const struct run *run, const struct proclife_process *process)
{
	const struct request *request = run->options->requests[0];
	uint64_t exited = process->marks.exited, to;

	if ((!run->from && run->to == UINT64_MAX) || (request && request->range == RANGE_OF_RECORDS))
		return PROCLIFE_MATCHES;
	to = process_lived_to(process);
	if (!to)
		to = UINT64_MAX;
	if (request && request->range == RANGE_OF_LIVES)
		return sure(overlaps_range(run, process->marks.born, to));
	if (exited || !ended_unseen(process))
		return sure(exited && is_in_range(run, exited));
	return overlaps_range(run, process->seen, to) ? PROCLIFE_MATCH_UNKNOWN : PROCLIFE_MATCHES_NOT;
}

enum proclife_match filter_meets(struct run *run, const struct proclife_process *process, enum criterion criterion)
{
	const struct filter *filter = &run->options->filter;

	switch (criterion) {
	case CRITERION_COMM:
		return has_comm(run, process);
	case CRITERION_UID:
		return has_uid(run, process);
	case CRITERION_CGROUP:
		return has_cgroup(run, process);
	case CRITERION_ARGS:
		return has_args(filter, process);
	case CRITERION_END:
		return has_end(filter, process);
	case CRITERION_TIME:
		return has_time(run, process);
	case CRITERIA:
		break;
	}
	return PROCLIFE_MATCHES;
}

enum proclife_match filter_match(void *data, const struct proclife_process *process)
{
	struct run *run = data;
	unsigned int criterion;
	bool none = false, unknown = false;

	for (criterion = 0; criterion < CRITERIA; criterion++) {
		enum proclife_match match = filter_meets(run, process, (enum criterion)criterion);

		run->matched.met |= (match == PROCLIFE_MATCHES) << criterion;
		none |= match == PROCLIFE_MATCHES_NOT;
		unknown |= match == PROCLIFE_MATCH_UNKNOWN;
	}
	return none ? PROCLIFE_MATCHES_NOT : unknown ? PROCLIFE_MATCH_UNKNOWN : PROCLIFE_MATCHES;
}
