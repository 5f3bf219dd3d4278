// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records against the lines of ftrace.
 *
 * Neither may miss an event that the other one has, of any task of the system, and their fields of
 * an event must agree. The two cannot be switched on or off at the same instant, nor do they stamp an
 * event with the same time. So each record is paired with a line first: of the same kind and pid,
 * in the order of time, which is the same in both since a pid has one owner at a time. The verdict is
 * on the interval from the command's beginning to its last FREE, which is inside of what both of them
 * recorded: an event in it without a partner was missed, whatever happened around its ends. To pair
 * events that are far apart would hide a loss only by moving it to the next event with this kind and
 * pid, up to the last, which then has no partner: the counts stay exact.
 */
#include "judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "listen.h"

unsigned int lives_per_pid;

/*
 * The two times of one event differ by at most NEAR: no pid comes again sooner, since forks take that long
 * under emulation. Or they differ by at most LATE, unless an event of the same kind and pid is nearer:
 * the host can stop the CPU between the two probes, and from Linux 7.0 on the task can be preempted there.
 *
 * Those are rare. The two probes are called one after the other, so the two times usually differ by the time
 * of a probe: 30 us under emulation. A larger difference than USUAL means a wrong clock, or a time that is
 * taken too late. That of a mark of births must not be anywhere else in a fork or an exec, which take longer
 * than USUAL_HERE.
 */
#define USUAL_HERE (MS / 5)
#define NEAR (20 * MS)

/* The end of a path that does not fit is enough. */
static void copy_tail(char *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	snprintf(to, size, "%s", len < size ? text : text + len - (size - 1));
}

/* "            comm-PID     [CPU] flags seconds.micros: event: fields", the comm in 16 columns. */
static bool parse_line(struct events *lines, char *line)
{
	unsigned long long seconds, micros;
	struct trace_event parsed;
	struct event *e;
	unsigned int caller;
	char name[64];
	int at = 0;

	if (strlen(line) < 17 || sscanf(line + 17, "%u [%*d] %*s %llu.%llu: %63[^:]: %n", &caller, &seconds,
					&micros, name, &at) != 4 || !at)
		return false;
	if (!trace_parse(&parsed, name, line + 17 + at) || parsed.kind >= EVENT_KINDS)
		return false;
	e = events_add(lines, parsed.kind);
	e->ts = seconds * 1000000000ULL + micros * 1000;
	e->pid = trace_probes[parsed.kind] ? caller : parsed.pid;
	e->other = parsed.other;
	if (e->kind == TRACE_EXEC)
		copy_tail(e->tail, sizeof(e->tail), parsed.text);
	else
		copy_tail(e->comm, sizeof(e->comm), parsed.text);
	return true;
}

/* Nothing is lost if no CPU's buffer was overrun and no event was dropped. */
static void judge_stats(const char *line)
{
	unsigned long count;

	if ((sscanf(line, "overrun: %lu", &count) == 1 || sscanf(line, "commit overrun: %lu", &count) == 1 ||
	     sscanf(line, "dropped events: %lu", &count) == 1) && count)
		differs(0, "ftrace itself lost events: %s", line);
}

static void read_lines(FILE *in, struct events *lines)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, FTRACE_STATS, strlen(FTRACE_STATS)))
			judge_stats(line + strlen(FTRACE_STATS));
		else if (line[0] != '#' && !parse_line(lines, line))
			differs(0, "a line of ftrace that makes no sense: %s", line);
	}
	free(line);
}

static int by_owner(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static const char *const kind_names[EVENT_KINDS] = {
	"newtask", "fork", "exec", "exit", "free", "FORKING", "STARTED", "EXECING",
};

static void compare_pair(const struct event *record, const struct event *line)
{
	const unsigned long before = differences;

	expect_name(record->pid, record->comm, line->comm);
	if (record->kind != TRACE_NEWTASK)
		expect_same(record->pid, record->kind == TRACE_FORK ? "creator" : "old pid", record->other,
			    line->other);
	/* ftrace has the path that was executed, and the module the file. */
	if (record->by_fd ? strncmp(line->tail, "/dev/fd/", 8) : strcmp(record->tail, line->tail))
		differs(record->pid, "path \"%s\", by ftrace \"%s\"", record->tail, line->tail);
	compared(kind_names[record->kind], "ftrace", before);
}

/* An event of one side only; a fault if both sides were recording then. */
static void single(const struct event *e, const char *side, uint64_t from, uint64_t to)
{
	const unsigned long before = differences;

	if (e->ts < from || e->ts > to)
		return;
	differs(e->pid, "%s (%s) at %" PRIu64 " only in %s", kind_names[e->kind],
		e->kind == TRACE_EXEC ? e->tail : e->comm, e->ts, side);
	compared(kind_names[e->kind], "ftrace", before);
}

static bool same_owner(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->pid == b->pid;
}

static void count_lives(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < records.count; i++) {
		const struct event *e = &records.event[i];

		if (i && !same_owner(e, e - 1))
			n = 0;
		if (e->kind == TRACE_NEWTASK && e->selected && ++n > lives_per_pid)
			lives_per_pid = n;
	}
}

static uint64_t distance(const struct event *a, const struct event *b)
{
	return a->ts < b->ts ? b->ts - a->ts : a->ts - b->ts;
}

/* Is @later, which follows one of the two, nearer to @other? */
static bool is_nearer(const struct event *later, const struct event *end, const struct event *other,
		      uint64_t than)
{
	return later < end && same_owner(later, other) && distance(later, other) < than;
}

/* For the same kind and pid: 0 if they are one event, otherwise the side that has one more. */
static int order_of(const struct event *r, const struct event *r_end, const struct event *l,
		    const struct event *l_end)
{
	uint64_t apart = distance(r, l);

	if (apart <= NEAR || (apart <= LATE && !is_nearer(r + 1, r_end, l, apart) &&
			       !is_nearer(l + 1, l_end, r, apart)))
		return 0;
	return r->ts < l->ts ? -1 : 1;
}

/* All that is in both of the command are the lives that were followed. */
static void judge_counts(const uint64_t *equal)
{
	expect_same(info->command, "tasks", (int64_t)equal[TRACE_NEWTASK], (int64_t)counts.tasks);
	expect_same(info->command, "exits", (int64_t)equal[TRACE_EXIT], (int64_t)counts.tasks);
	expect_same(info->command, "frees", (int64_t)equal[TRACE_FREE], (int64_t)counts.tasks);
	expect_same(info->command, "forks", (int64_t)equal[TRACE_FORK], (int64_t)(counts.tasks - counts.workers));
}

static void judge_distances(struct distances *apart)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		/* The two handlers of one function are called one after the other. */
		const uint64_t usual = trace_probes[kind] ? USUAL_HERE : USUAL;
		const unsigned long before = differences;
		uint64_t median;

		if (!distances_are_usual(&apart[kind], usual, &median))
			differs(0, "half of the %s events are more than %" PRIu64 " us apart from ftrace's",
				kind_names[kind], median / 1000);
		if (apart[kind].count)
			compared(kind_names[kind], "ftrace", before);
	}
}

void judge_ftrace(FILE *in)
{
	uint64_t equal[EVENT_KINDS] = { 0 }, from = UINT64_MAX, to = 0;
	struct distances apart[EVENT_KINDS] = { 0 };
	struct events lines = { 0 };
	struct event *r = records.event, *l, *r_end = r + records.count, *l_end;

	read_lines(in, &lines);
	l = lines.event;
	l_end = l + lines.count;
	qsort(r, records.count, sizeof(*r), by_owner);
	qsort(l, lines.count, sizeof(*l), by_owner);
	count_lives();
	/* Both recorded from before the first life to after the last one. */
	for (size_t i = 0; i < life_count; i++) {
		from = lives[i].process.seen < from ? lives[i].process.seen : from;
		to = lives[i].process.marks.freed > to ? lives[i].process.marks.freed : to;
	}
	while (r < r_end || l < l_end) {
		int order = r == r_end ? 1 : l == l_end ? -1 : 0;

		if (!order && !same_owner(r, l))
			order = by_owner(r, l);
		if (!order)
			order = order_of(r, r_end, l, l_end);

		if (order < 0) {
			single(r++, "the records", from, to);
		} else if (order > 0) {
			single(l++, "ftrace", from, to);
		} else {
			compare_pair(r, l);
			equal[r->kind] += r->selected;
			distances_add(&apart[r->kind], distance(r, l));
			r++;
			l++;
		}
	}
	judge_counts(equal);
	judge_distances(apart);
}
