// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/pids.h"
#include "session/pids_now.h"
#include "views/share/pid_within.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int select_past(struct run *run, const struct pid_option *option)
{
	return option->within ? 0 : proclife_tasks_select_holders(run->tasks, option->pid);
}

/* Those that are there now, whatever gets the PID later. */
static int select_present(struct run *run, const struct pid_option *option)
{
	struct pids_now now = { 0 };
	int ret = pids_now_find(&now, option, "/proc") ? 0 : -ESRCH;
	size_t i;

	for (i = 0; !ret && i < now.count; i++)
		ret = proclife_tasks_select_pid(run->tasks, now.all[i]);
	free(now.all);
	return ret;
}

static enum proclife_match choose(void *data, const struct proclife_process *process)
{
	struct run *run = data;
	const struct pids *pids = &run->options->pids;
	enum proclife_match chosen = PROCLIFE_MATCHES_NOT;
	size_t i;

	for (i = 0; i < pids->count; i++) {
		const struct pid_option *option = &pids->all[i];
		enum proclife_match match = option->within ? pid_is_of(run, option, process) : PROCLIFE_MATCHES_NOT;

		if (match == PROCLIFE_MATCHES) {
			run->there[i].met = true;
			chosen = match;
		} else if (option->within && pid_place_is_of(run, option, process) == PROCLIFE_MATCHES) {
			pids_note(&run->there[i].others, process->ns_pid);
			if (process->tgid == option->pid)
				run->there[i].instead = process->ns_pid;
		}
	}
	return chosen;
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct run *run = data;
	const struct pids *pids = &run->options->pids;
	size_t i;

	for (i = 0; task->pid != task->tgid && i < pids->count; i++)
		if (!pids->all[i].within && pids->all[i].pid == task->pid)
			run->there[i].thread_of = task->tgid;
}

static int select_all_past(struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.task_gone = task_gone,
	};
	const struct pids *pids = &run->options->pids;
	bool within = false;
	int ret = 0;
	size_t i;

	run->there = calloc(pids->count, sizeof(*run->there));
	if (!run->there)
		die_no_memory();
	for (i = 0; !ret && i < pids->count; i++) {
		within |= pids->all[i].within;
		ret = select_past(run, &pids->all[i]);
	}
	if (!ret && within)
		ret = proclife_tasks_select_matching(run->tasks, choose, run);
	return ret ? ret : proclife_tasks_report(run->tasks, &reports, run);
}

int pids_select(struct run *run, bool looks_back)
{
	const struct pids *pids = &run->options->pids;
	int ret = 0;
	size_t i;

	if (looks_back && pids->count)
		return select_all_past(run);
	for (i = 0; !ret && i < pids->count; i++)
		ret = select_present(run, &pids->all[i]);
	return ret;
}

bool pids_are_missing(const struct run *run)
{
	size_t i;

	for (i = 0; run->there && i < run->options->pids.count; i++)
		if (run->options->pids.all[i].within && !run->there[i].met)
			return true;
	return false;
}

bool pids_can_lack(const struct run *run)
{
	size_t i;

	for (i = 0; run->there && i < run->options->pids.count; i++)
		if (run->options->pids.all[i].within)
			return true;
	return false;
}

bool pids_lack(struct run *run, const struct proclife_process *process)
{
	bool lacks = false;
	size_t i;

	/* If its FREE is all that was seen of it, its PID was given back before. */
	for (i = 0; run->there && process->seen != process->marks.freed && i < run->options->pids.count; i++) {
		const struct pid_option *option = &run->options->pids.all[i];

		if (!option->within || pid_is_of(run, option, process) != PROCLIFE_MATCH_UNKNOWN)
			continue;
		/* Without a snapshot, little is known of what was there before, and goes on after it. */
		if (!process->ns_inum && process->outlives && !process->incomplete)
			continue;
		run->matched.lacks |= 1u << (process->ns_inum ? CRITERION_CGROUP : CRITERION_PID);
		lacks = true;
	}
	return lacks;
}

static void put_reason(FILE *file, const struct pid_option *option, const struct pids_there *there)
{
	if (!option->within && there->thread_of)
		fprintf(file, "it was a thread of process %u; use --pid %u", there->thread_of, there->thread_of);
	else if (there->instead)
		fprintf(file, "process %u had PID %u in there; use --pid %u", option->pid, there->instead,
			option->pid);
	else if (there->others.count)
		pids_put(file, &there->others, "seen in there: ");
	else if (option->cgroup)
		fputs("none was seen in this cgroup; --tree --show cgroup shows which there are", file);
	else
		fputs("none was seen that had this as its own PID namespace, and PIDs further out are not recorded; "
		      "--tree --show pidns shows which namespaces there are", file);
}

static void report(const char *dir, const struct pid_option *option, const struct pids_there *there)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die_no_memory();
	put_reason(file, option, there);
	if (fclose(file))
		die_no_memory();
	message("%s%sno process matched --pid %s: %s", dir ? quoted(dir) : "", dir ? ": " : "", quoted(option->text),
		text);
	free(text);
}

bool pids_were_threads(const struct run *run, uint32_t pid)
{
	size_t i;

	for (i = 0; run->there && i < run->options->pids.count; i++)
		if (!run->options->pids.all[i].within && run->options->pids.all[i].pid == pid)
			return run->there[i].thread_of;
	return false;
}

static bool is_missing(const struct run *run, uint32_t pid)
{
	uint32_t missing;
	size_t i;

	for (i = 0; (missing = proclife_tasks_missing(run->tasks, i)); i++)
		if (missing == pid)
			return true;
	return false;
}

void pids_report(const struct run *run, const char *dir)
{
	size_t i;

	for (i = 0; run->there && i < run->options->pids.count; i++) {
		const struct pid_option *option = &run->options->pids.all[i];
		const struct pids_there *there = &run->there[i];

		if (option->within ? !there->met : there->thread_of && is_missing(run, option->pid))
			report(dir, option, there);
	}
}

void pids_free(struct run *run)
{
	free(run->there);
	run->there = NULL;
}
