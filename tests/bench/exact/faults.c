// SPDX-License-Identifier: GPL-2.0-only
#include "faults.h"

#include <inttypes.h>

unsigned long faults_shown;

double faults_seconds(uint64_t ts)
{
	return (ts + lives.behind) / 1e9;
}

/* Prints "-" for a value that was not reported; each kind has its own @untold. */
static void show_number(const char *what, int64_t n, int64_t untold)
{
	if (n == untold)
		fprintf(stderr, ", %s -", what);
	else
		fprintf(stderr, ", %s %" PRId64, what, n);
}

/* Prints all nine digits, which a double since 1970 does not have. */
static void show_time(uint64_t ts)
{
	ts += lives.behind;
	fprintf(stderr, " from %" PRIu64 ".%09" PRIu64 " on", ts / 1000000000, ts % 1000000000);
}

static void show_args(const char *args)
{
	fputs(", args ", stderr);
	for (; *args; args++)
		putc(*args == ARG_END ? ' ' : *args, stderr);
}

/* Prints all that was reported of a life; its parent by pid and beginning, since pids are reused. */
static void show_life(const char *what, const struct life *life)
{
	fprintf(stderr, "%s: pid %" PRIu32, what, life->pid);
	show_time(life->seen);
	if (life->parent == NO_LIFE) {
		fputs(", parent -", stderr);
	} else {
		const struct life *parent = &lives.life[life->parent];

		fprintf(stderr, ", parent %" PRIu32, parent->pid);
		if (parent->seen != UINT64_MAX && parent->forked)
			show_time(parent->seen);
	}
	fprintf(stderr, ", name %s", life->name[0] ? life->name : "-");
	show_number("status", life->status, -1);
	show_number("reaper", life->reaper, 0);
	if (life->args)
		show_args(life->args);
	putc('\n', stderr);
}

void faults_show(const char *what, uint32_t slot, const struct life *life)
{
	const struct forest_process *p = &forest->process[slot];
	char args[MATCH_ARGS];

	if (!faults_shown)
		return;
	faults_shown--;
	fprintf(stderr, "%s: pid %" PRIu32, what, p->pid);
	show_time(p->after);
	fprintf(stderr, ", parent %" PRIu32, p->parent_pid);
	if (p->parent)
		show_time(forest->process[p->parent].after);
	fprintf(stderr, ", name %s, status %" PRId32 ", reaper %" PRIu32, p->name, p->status, p->reaper);
	if (p->execs) {
		match_true_args(p, ' ', args);
		show_args(args);
	}
	putc('\n', stderr);
	if (life)
		show_life("  reported", life);
}

void faults_show_life(const char *what, const struct life *life)
{
	if (!faults_shown)
		return;
	faults_shown--;
	show_life(what, life);
}
