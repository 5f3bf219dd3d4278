// SPDX-License-Identifier: GPL-2.0-only
#include "faults.h"

#include <inttypes.h>

unsigned long faults_shown;

double faults_seconds(uint64_t ts)
{
	return (ts + lives.behind) / 1e9;
}

/* "-" for what is not told, which each kind has something else for. */
static void show_number(const char *what, int64_t n, int64_t untold)
{
	if (n == untold)
		fprintf(stderr, ", %s -", what);
	else
		fprintf(stderr, ", %s %" PRId64, what, n);
}

static void show_args(const char *args)
{
	fputs(", args ", stderr);
	for (; *args; args++)
		putc(*args == ARG_END ? ' ' : *args, stderr);
}

/* All that is told of a life; a parent by its pid and its beginning, for another process had this pid, too. */
static void show_life(const char *what, const struct life *life)
{
	fprintf(stderr, "%s: pid %" PRIu32 " from %.9f on", what, life->pid, faults_seconds(life->seen));
	if (life->parent == NO_LIFE)
		fputs(", parent -", stderr);
	else if (lives.life[life->parent].seen == UINT64_MAX || !lives.life[life->parent].forked)
		fprintf(stderr, ", parent %" PRIu32, lives.life[life->parent].pid);
	else
		fprintf(stderr, ", parent %" PRIu32 " from %.9f on", lives.life[life->parent].pid,
			faults_seconds(lives.life[life->parent].seen));
	fprintf(stderr, ", name %s", life->name[0] ? life->name : "-");
	show_number("status", life->status, -1);
	show_number("reaper", life->reaper, 0);
	if (life->args)
		show_args(life->args);
	putc('\n', stderr);
}

void faults_args(const struct forest_process *p, char separator, char args[FAULTS_ARGS])
{
	snprintf(args, FAULTS_ARGS, "%s%c%" PRIu64 "%c%td%c%" PRIu32, p->name, separator, forest->fd, separator,
		 p - forest->process, separator, p->seed);
}

void faults_show(const char *what, uint32_t slot, const struct life *life)
{
	const struct forest_process *p = &forest->process[slot];
	char args[FAULTS_ARGS];

	if (!faults_shown)
		return;
	faults_shown--;
	fprintf(stderr, "%s: pid %" PRIu32 " from %.9f on, parent %" PRIu32, what, p->pid, faults_seconds(p->after),
		p->parent_pid);
	if (p->parent)
		fprintf(stderr, " from %.9f on", faults_seconds(forest->process[p->parent].after));
	fprintf(stderr, ", name %s, status %" PRId32 ", reaper %" PRIu32, p->name, p->status, p->reaper);
	if (p->execs) {
		faults_args(p, ' ', args);
		show_args(args);
	}
	putc('\n', stderr);
	if (life)
		show_life("  told", life);
}

void faults_show_life(const char *what, const struct life *life)
{
	if (!faults_shown)
		return;
	faults_shown--;
	show_life(what, life);
}
