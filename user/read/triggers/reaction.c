// SPDX-License-Identifier: GPL-2.0-only
#include "output/daytime.h"
#include "output/message.h"
#include "output/quoted.h"
#include "run/inherited.h"
#include "triggers/reaction.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int reaction_begin(struct reaction *reaction, const struct run *run)
{
	reaction->run = run;
	return saving_prepare(&reaction->saving, run);
}

/*
 * The command
 */

static void set(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set(const char *name, const char *format, ...)
{
	va_list args;
	char *value;

	va_start(args, format);
	if (vasprintf(&value, format, args) < 0 || setenv(name, value, 1))
		_exit(STATUS_CANNOT_EXECUTE);
	va_end(args);
	free(value);
}

/* All of them, so that none is left from our caller. */
static void set_environment(const struct reaction *reaction, const struct facts *facts)
{
	struct text moment;

	text_init(&moment, NULL);
	text_moment(&moment, proclife_source_realtime(reaction->run->source, facts->ts), 3);
	set("PROCLIFE_CONDITION", "%s", facts->condition->text);
	set("PROCLIFE_FIGURE", "%s", condition_figure(facts->condition));
	set("PROCLIFE_VALUE", "%" PRIu64, facts->value);
	set("PROCLIFE_TIME", "%s", moment.s);
	if (facts->has_who)
		set("PROCLIFE_PID", "%" PRIu32, facts->tgid);
	else
		set("PROCLIFE_PID", "%s", "");
	set("PROCLIFE_COMM", "%s", facts->comm);
	if (facts->tid)
		set("PROCLIFE_TID", "%" PRIu32, facts->tid);
	else
		set("PROCLIFE_TID", "%s", "");
	set("PROCLIFE_THREAD", "%s", facts->thread_comm);
	set("PROCLIFE_SAVED", "%s", facts->saved ? facts->saved : "");
	set("PROCLIFE_SUPPRESSED", "%" PRIu64, facts->suppressed);
	text_free(&moment);
}

static void child(const struct reaction *reaction, const struct facts *facts)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	set_environment(reaction, facts);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(STATUS_CANNOT_EXECUTE);
	inherited_restore();
	execl("/bin/sh", "sh", "-c", reaction->run->options->on.exec, (char *)NULL);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE);
}

/* Runs the first that waits, unless there is none, or one runs already. */
static void execute(struct reaction *reaction)
{
	struct facts *facts = &reaction->waiting[0];

	while (!reaction->pid && reaction->waiting_count && !facts->saving) {
		fflush(reaction->run->screen->out); /* our line about it comes before its own output */
		reaction->pid = fork();
		if (!reaction->pid)
			child(reaction, facts);
		if (reaction->pid < 0) {
			message("--exec: %s", strerror(errno));
			reaction->pid = 0;
			reaction->unexecuted++;
		}
		free(facts->saved);
		memmove(facts, facts + 1, --reaction->waiting_count * sizeof(*facts));
	}
}

void reaction_reaped(struct reaction *reaction, pid_t pid, int status)
{
	if (!reaction->pid || reaction->pid != pid)
		return;
	reaction->pid = 0;
	if (WIFSIGNALED(status))
		message("--exec %s: it was killed by signal %d", quoted(reaction->run->options->on.exec),
			WTERMSIG(status));
	else if (WEXITSTATUS(status))
		message("--exec %s: it ended with status %d", quoted(reaction->run->options->on.exec),
			WEXITSTATUS(status));
	execute(reaction);
}

static void wait_in_line(struct reaction *reaction, const struct alert *alert, bool saving)
{
	struct facts *facts = &reaction->waiting[reaction->waiting_count];

	if (reaction->waiting_count == MOST_WAITING) {
		reaction->unexecuted++;
		if (!reaction->full)
			message("--exec: %d runs are already queued; further matches are printed but not executed",
				MOST_WAITING);
		reaction->full = true;
		return;
	}
	*facts = (struct facts){
		.condition = alert->condition,
		.ts = alert->ts,
		.value = alert->value,
		.suppressed = alert->suppressed,
		.has_who = alert->has_who,
		.tgid = alert->tgid,
		.saving = saving,
	};
	memcpy(facts->comm, alert->comm, sizeof(facts->comm));
	if (alert->thread) {
		facts->tid = alert->thread->task->pid;
		memcpy(facts->thread_comm, alert->thread->task->comm, sizeof(facts->thread_comm));
	}
	reaction->waiting_count++;
}

/*
 * Both
 */

/* What waits for it need not wait any more. */
static void saved(struct reaction *reaction)
{
	const char *path = reaction->saving.path;
	size_t i;

	for (i = 0; i < reaction->waiting_count; i++) {
		struct facts *facts = &reaction->waiting[i];

		if (!facts->saving)
			continue;
		facts->saving = false;
		facts->saved = *path ? strdup(path) : NULL;
		if (*path && !facts->saved)
			die_no_memory();
	}
}

const char *reaction_to(struct reaction *reaction, const struct alert *alert)
{
	/* Whatever else matches meanwhile is saved with it. */
	bool saving = reaction_is_saving(reaction) || saving_begin(&reaction->saving, alert);

	if (reaction->run->options->on.exec)
		wait_in_line(reaction, alert, saving);
	return saving ? reaction->saving.path : NULL;
}

void reaction_poll(struct reaction *reaction)
{
	if (reaction_is_saving(reaction) && saving_poll(&reaction->saving))
		saved(reaction);
	execute(reaction);
}

uint64_t reaction_due(const struct reaction *reaction)
{
	bool waits = !reaction->pid && reaction->waiting_count && !reaction->waiting[0].saving;

	return waits ? 0 : saving_due(&reaction->saving);
}

bool reaction_is_saving(const struct reaction *reaction)
{
	return reaction->saving.source;
}

bool reaction_is_busy(const struct reaction *reaction)
{
	return reaction->pid || reaction->waiting_count;
}

void reaction_finish(struct reaction *reaction)
{
	saving_finish(&reaction->saving);
	saved(reaction);
	execute(reaction);
}

void reaction_free(struct reaction *reaction)
{
	size_t i;

	saving_free(&reaction->saving);
	for (i = 0; i < reaction->waiting_count; i++)
		free(reaction->waiting[i].saved);
}
