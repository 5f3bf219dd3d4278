// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records against the lines of ftrace.
 *
 * Neither may miss an event that the other one has, of any task of the system, and their fields of
 * an event must agree. The two cannot be switched on or off at the same instant, nor do they stamp an
 * event with the same time. So each record is paired with a line first: of the same kind and pid,
 * in the order of time, which is the same in both since a pid has one owner at a time. The interval
 * for the verdict is well inside of what both of them recorded: an event in it without a partner
 * was missed, whatever happened around its ends. To pair events that are far apart would hide a
 * loss only by moving it to the next event with this kind and pid, up to the last, which then has
 * no partner: the counts stay exact. The command's life lies inside the interval.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exactness.h"

/*
 * The two times of one event differ by at most APART: no pid comes again sooner, since forks take that long
 * under emulation. Or they differ by at most PREEMPTED, unless an event of the same kind and pid is nearer:
 * the host can stop the CPU between the two probes, and from Linux 7.0 on the task can be preempted there.
 */
#define APART 20000000ULL
#define PREEMPTED 5000000000ULL

/*
 * Those are rare. The two probes are called one after the other, so the two times usually differ by the time
 * of a probe: 30 us under emulation. There is room for kernels that watch themselves. A larger
 * difference means a wrong clock, or a time that is taken too late.
 */
#define USUAL 2000000ULL

struct event *events_add(struct events *events, enum trace_kind kind)
{
	struct event *e;

	if (events->count == events->room) {
		events->room = events->room ? 2 * events->room : 4096;
		events->event = realloc(events->event, events->room * sizeof(*e));
		if (!events->event)
			abort();
	}
	e = &events->event[events->count++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	return e;
}

void events_free(struct events *events)
{
	free(events->event);
	*events = (struct events){};
}

void records_add(struct events *records, const struct proclife_record *r, bool selected)
{
	static const enum trace_kind kinds[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = TRACE_FORK,
		[PROCLIFE_EXEC] = TRACE_EXEC,
		[PROCLIFE_EXIT] = TRACE_EXIT,
		[PROCLIFE_FREE] = TRACE_FREE,
	};
	struct event *e;

	if (r->type >= PROCLIFE_TYPES || !kinds[r->type])
		return;
	e = events_add(records, kinds[r->type]);
	e->ts = r->ts;
	e->selected = selected;
	e->worker = r->flags & PROCLIFE_F_WORKER;
	e->pid = r->pid;
	if (e->kind == TRACE_FORK)
		e->other = r->fork.creator_pid;
	if (e->kind == TRACE_EXEC) {
		e->other = r->exec.old_pid;
		e->by_fd = r->flags & PROCLIFE_F_BY_FD;
		memcpy(e->tail, r->exec.path, PROCLIFE_PATH_LEN);
	} else {
		memcpy(e->comm, r->comm, sizeof(e->comm));
	}

	/* Every FORK has a task_newtask in ftrace as well: for workers it is the only one. */
	if (e->kind == TRACE_FORK && !e->worker) {
		size_t fork = records->count - 1;

		e = events_add(records, TRACE_NEWTASK);
		*e = records->event[fork];
	}
	if (r->type == PROCLIFE_FORK)
		e->kind = TRACE_NEWTASK;
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

static const char *const kind_names[KINDS] = { "newtask", "fork", "exec", "exit", "free" };

static void compare_pair(const struct event *record, const struct event *line)
{
	const char *kind = kind_names[record->kind];

	if (strcmp(record->comm, line->comm))
		fault(FAULT_FTRACE, "%s of %u: comm \"%s\", ftrace \"%s\"", kind, record->pid,
		      record->comm, line->comm);
	if (record->kind != TRACE_NEWTASK && record->other != line->other)
		fault(FAULT_FTRACE, "%s of %u: %s pid %u, ftrace %u", kind, record->pid,
		      record->kind == TRACE_FORK ? "creator" : "old", record->other, line->other);
	/* ftrace has the path that was executed, and the module the file. */
	if (record->by_fd ? strncmp(line->tail, "/dev/fd/", 8) : strcmp(record->tail, line->tail))
		fault(FAULT_FTRACE, "exec of %u: path \"%s\", ftrace \"%s\"", record->pid,
		      record->tail, line->tail);
}

/* An event of one side only; a fault if the other side was recording then. */
static void single(const struct event *e, const char *side, uint64_t from, uint64_t to)
{
	if (e->ts >= from && e->ts <= to)
		fault(FAULT_FTRACE, "%s of %u (%s) at %llu only in %s", kind_names[e->kind], e->pid,
		      e->kind == TRACE_EXEC ? e->tail : e->comm, (unsigned long long)e->ts, side);
}

static bool same_owner(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->pid == b->pid;
}

static void count_lives(const struct events *records, struct comparison *result)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < records->count; i++) {
		const struct event *e = &records->event[i];

		if (i && !same_owner(e, e - 1))
			n = 0;
		if (e->kind == TRACE_NEWTASK && e->selected && ++n > result->lives_per_pid)
			result->lives_per_pid = n;
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

	if (apart <= APART || (apart <= PREEMPTED && !is_nearer(r + 1, r_end, l, apart) &&
			       !is_nearer(l + 1, l_end, r, apart)))
		return 0;
	return r->ts < l->ts ? -1 : 1;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void compare(struct events *records, struct events *lines, uint64_t from, uint64_t to,
	     struct comparison *result)
{
	struct event *r = records->event, *l = lines->event;
	struct event *r_end = r + records->count, *l_end = l + lines->count;
	uint64_t *apart;

	memset(result, 0, sizeof(*result));
	qsort(r, records->count, sizeof(*r), by_owner);
	qsort(l, lines->count, sizeof(*l), by_owner);
	count_lives(records, result);
	apart = calloc(records->count + 1, sizeof(*apart));
	if (!apart)
		abort();

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
			result->equal[r->kind] += r->selected;
			apart[result->pairs++] = distance(r, l);
			r++;
			l++;
		}
	}
	qsort(apart, result->pairs, sizeof(*apart), by_size);
	result->usual = apart[result->pairs / 2]; /* 0 if there is none */
	if (result->usual > USUAL)
		fault(FAULT_FTRACE, "half of the events are more than %" PRIu64 " us apart",
		      result->usual / 1000);
	free(apart);
}
