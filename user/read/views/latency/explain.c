// SPDX-License-Identifier: GPL-2.0-only
/* One sentence on why a process took so long from exit to free. */
#include "output/quote.h"
#include "views/share/memory.h"
#include "views/share/rcu.h"
#include "views/latency/slowest.h"
#include <inttypes.h>

/* A recording that was tampered with can have them in any order. */
static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static uint64_t was_zombie(const struct slow *slow, uint64_t until)
{
	return slow->life.is_held ? 0 : since(marks_zombie_since(&slow->life.marks), until);
}

/* When its exit was over. */
static uint64_t announced(const struct slow *slow)
{
	return slow->life.tracer.ts ? slow->life.tracer.ts : slow->life.marks.notified;
}

/* The same of one that is still dying: not by the end of the trace. */
static uint64_t torn_down(const struct slow *slow)
{
	return slow->life.state == PROCLIFE_IS_DYING ? slow->ended : announced(slow);
}

/* How long a tracer kept it from its parent. */
static uint64_t was_held(const struct slow *slow)
{
	return slow->life.tracer.ts ? since(slow->life.tracer.ts, slow->life.is_held ? slow->ended : slow->life.marks.notified) : 0;
}

static void put_parent(struct text *text, const struct slow *slow)
{
	uint32_t parent = slow->life.parent_tgid ? slow->life.parent_tgid : slow->real_parent_tgid;

	if (slow->life.parent_id)
		text_who(text, slow->life.parent_comm, slow->life.parent_tgid);
	else if (parent)
		text_printf(text, "its parent (%" PRIu32 ")", parent);
	else
		text_string(text, "its parent");
}

/* The same at the beginning of a sentence, which is about the parent. */
static void put_its_parent(struct text *text, const struct slow *slow)
{
	if (slow->life.parent_id)
		text_string(text, "its parent ");
	put_parent(text, slow);
}

/* Its parent by birth was gone before that: it cannot have reaped. */
static bool is_adopted(const struct slow *slow)
{
	return slow->life.parent_tgid && slow->real_parent_tgid &&
	       slow->life.parent_tgid != slow->real_parent_tgid &&
	       slow->life.parent_tgid != slow->life.reaper_tgid;
}

/* The parent that it had when it exited did not reap it: that one has exited since, most likely. */
static bool is_left(const struct slow *slow)
{
	return !slow->is_thread && slow->real_parent_tgid && slow->life.reaper_tgid &&
	       slow->life.reaper_tgid != slow->real_parent_tgid && slow->life.reaper_tgid != slow->life.parent_tgid;
}

static void explain_adopted(struct text *text, const struct slow *slow)
{
	if (!is_adopted(slow))
		return;
	put_its_parent(text, slow);
	text_string(text, " had exited: ");
}

/* Its reaper could not reap it before that parent had exited. */
static void explain_left(struct text *text, const struct slow *slow, uint64_t zombie)
{
	if (slow->real_parent_tgid == slow->life.parent_tgid)
		put_its_parent(text, slow);
	else
		text_printf(text, "its parent (%" PRIu32 ")", slow->real_parent_tgid);
	text_string(text, " did not reap it: ");
	text_actor(text, slow->life.reaper_comm, slow->life.reaper_named, slow->life.reaper_tgid);
	text_string(text, " did, ");
	text_time(text, zombie);
	text_printf(text, " after the %s", slow->life.marks.notified ? "parent was notified" : "exit");
}

static void explain_open_zombie(struct text *text, const struct slow *slow)
{
	explain_adopted(text, slow);
	if (is_adopted(slow))
		text_printf(text, "(%" PRIu32 ")", slow->real_parent_tgid);
	else
		put_parent(text, slow);
	text_string(text, " has not reaped it for ");
	text_time(text, was_zombie(slow, slow->ended));
}

/* The process that ignores the end: the one notified last; where notices are not recorded, its parent at its exit. */
static void put_ignorer(struct text *text, const struct slow *slow)
{
	uint32_t last = slow->notified_tgid ? slow->notified_tgid : slow->real_parent_tgid;

	if (!last || last == slow->life.parent_tgid)
		put_parent(text, slow);
	else if (slow->notified_known)
		text_who(text, slow->notified_comm, last);
	else
		text_printf(text, "(%" PRIu32 ")", last);
}

/* No process had to call wait(2): it is a thread, or a process whose parent ignores its end. */
static void explain_itself(struct text *text, const struct slow *slow, uint64_t zombie)
{
	text_string(text, "it was released ");
	text_time(text, zombie);
	text_string(text, " after its exit");
	if (slow->is_thread)
		return;
	text_string(text, ", by ");
	if (slow->life.reaper_tgid == slow->life.tgid)
		text_string(text, "itself");
	else
		text_actor(text, slow->life.reaper_comm, slow->life.reaper_named, slow->life.reaper_tgid);
	if (!slow->ended_with_parent && slow->life.autoreaped == PROCLIFE_AUTOREAP_CLONE) {
		text_string(text, ": it was made with CLONE_AUTOREAP");
		return;
	}
	if (!slow->ended_with_parent && slow->life.autoreaped == PROCLIFE_AUTOREAP_UNKNOWN) {
		text_string(text, ": nobody had to reap it, why is not known");
		return;
	}
	text_string(text, ": ");
	put_ignorer(text, slow);
	text_string(text, slow->ended_with_parent ? ", the init of its pid namespace, was ending" :
			  slow->life.autoreaped == PROCLIFE_AUTOREAP_NOCLDWAIT ? " has SA_NOCLDWAIT" : " ignores SIGCHLD");
}

static void explain_zombie(struct text *text, const struct slow *slow)
{
	uint64_t zombie = was_zombie(slow, slow->life.marks.reaped), came;

	if (slow->life.autoreaped || (slow->is_thread && slow->life.reaper_tgid == slow->life.tgid)) {
		explain_itself(text, slow, zombie);
		return;
	}
	if (is_left(slow)) {
		explain_left(text, slow, zombie);
		return;
	}
	explain_adopted(text, slow);
	text_actor(text, slow->life.reaper_comm, slow->life.reaper_named, slow->life.reaper_tgid);
	if (!slow->reaper_waited || !(slow->is_thread || slow->life.marks.notified)) {
		text_string(text, " reaped it ");
		text_time(text, zombie);
		text_printf(text, " after %s; whether it was in wait() is not known",
			    slow->life.marks.notified ? "it was notified" : "the exit");
		return;
	}
	if (slow->reaper_waited <= marks_zombie_since(&slow->life.marks)) {
		text_string(text, " was in wait(), but took ");
		text_time(text, zombie);
		text_string(text, " to wake up and reap");
		return;
	}
	came = slow->reaper_waited - marks_zombie_since(&slow->life.marks);
	text_string(text, " was not in wait(): it came ");
	text_time(text, came);
	text_string(text, " later");
	if (zombie - came > zombie / 10) {
		text_string(text, ", and took another ");
		text_time(text, zombie - came);
	}
}

static void explain_traced(struct text *text, const struct slow *slow)
{
	text_who(text, slow->life.tracer.comm, slow->life.tracer.tgid);
	text_string(text, slow->life.is_held ? ", which traces it, has not waited for it for " :
		    " traced it, and held it for ");
	text_time(text, was_held(slow));
	if (slow->life.is_held)
		text_string(text, ": so its parent is not notified");
	else
		text_string(text, " before its parent was notified");
}

static void explain_rcu(struct text *text, const struct slow *slow, const char *rcu)
{
	bool nocb, lazy;

	if (!slow->life.marks.freed) {
		text_string(text, "RCU: reaped ");
		text_time(text, since(slow->life.marks.reaped, slow->ended));
		text_string(text, " ago, and not freed yet");
		return;
	}
	text_string(text, "RCU: freed ");
	text_time(text, since(slow->life.marks.reaped, slow->life.marks.freed));
	text_printf(text, " after the reap on CPU %u", slow->free_cpu);
	rcu_of_cpu(rcu, slow->free_cpu, &nocb, &lazy);
	if (nocb)
		text_printf(text, " (nocb%s)", lazy ? ", lazy" : "");
}

/* After its memory come its files, and little else. Returns since when; 0: not known. */
static uint64_t without_memory_since(const struct slow *slow)
{
	const struct proclife_memory *memory = &slow->life.memory;
	uint64_t gone = memory->own ? memory->gone : memory->left;

	return gone >= slow->life.marks.exited && gone <= torn_down(slow) ? gone : 0;
}

/* By how much CPU time lags at most; on a CPU without a tick it can be more. */
static uint64_t tick_of(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return UINT64_C(1000000000) / (header && header->hz ? header->hz : 100);
}

/* What it did for a quarter of that time or more, if that was not to run. */
static void explain_split(struct text *text, const struct slow *slow, uint64_t took)
{
	const struct proclife_split *split = &slow->life.teardown;
	uint64_t most = split->waiting > split->blocked ? split->waiting : split->blocked;

	if (!split->known || most < took / 4)
		return;
	if (most == split->blocked && most < took / 4 + tick_of(slow->life.run))
		return;
	text_printf(text, ", %s ", most == split->waiting ? "waiting for a CPU" : "blocked");
	text_time(text, most);
	text_string(text, " of that");
}

static void explain_teardown(struct text *text, const struct slow *slow)
{
	uint64_t took = since(slow->life.marks.exited, torn_down(slow));
	uint64_t without = without_memory_since(slow);

	if (slow->life.state == PROCLIFE_IS_DYING)
		text_string(text, "teardown: its parent has not been notified for ");
	else
		text_printf(text, "%sits %s was notified ", slow->tracer_lost ? "" : "teardown: ",
			    slow->life.tracer.ts ? "tracer" : "parent");
	text_time(text, took);
	if (slow->life.state != PROCLIFE_IS_DYING)
		text_string(text, " after its exit");
	if (slow->tracer_lost) {
		text_string(text, "; whether a tracer held it before that is not known");
		return;
	}
	explain_split(text, slow, took);
	if (without && torn_down(slow) - without > took / 2) {
		text_string(text, ", ");
		text_time(text, torn_down(slow) - without);
		text_string(text, " of that after it had let its memory go");
	} else if (slow->life.max_rss && !slow->life.memory.gone) {
		text_string(text, " (RSS up to ");
		text_size(text, slow->life.max_rss);
		text_string(text, ")");
	}
}

/* The sender of the signal had to wait, before all that the rest is about. */
static void explain_kill(struct text *text, const struct slow *slow)
{
	uint64_t kill = slow->life.marks.exited - slow->life.killed;
	char buffer[24];

	if (!slow->life.killed || slow->life.killed > slow->life.marks.exited || kill < slow_took(slow) / 10)
		return;
	text_string(text, signal_name(slow->life.killer.signo, buffer));
	text_killer(text, &slow->life.killer, slow->life.tgid, slow->life.run->cgroups);
	text_string(text, "; began to exit ");
	text_time(text, kill);
	text_string(text, " later; ");
}

/* How its memory came back, if that took some of the time, or more. */
static void explain_memory(struct text *text, const struct slow *slow)
{
	const struct proclife_memory *memory = &slow->life.memory;
	uint64_t worth = slow_took(slow) / 10;
	size_t before;

	if (memory->left && !memory->teardown && memory->open && !memory->async) {
		text_printf(text, "; its memory is still held, by %" PRIu32, memory->holders);
		return;
	}
	if (memory->left && memory->teardown && memory->teardown - memory->left >= worth) {
		text_string(text, "; its memory was let go last ");
		before = text->len;
		memory_put_last(text, "by ", memory);
		if (text->len > before)
			text_string(text, ", ");
		text_time(text, since(slow->life.marks.exited, memory->teardown));
		text_string(text, " after its exit");
	}
	if (memory->teardown && memory->gone && memory->gone - memory->teardown >= worth) {
		text_string(text, "; ");
		text_size(text, memory_kib(memory));
		text_string(text, " unmapped in ");
		text_time(text, memory->gone - memory->teardown);
		if (!memory->own) {
			text_string(text, " by ");
			text_actor(text, memory->by.comm, memory->by.named, memory->by.tgid);
		}
	}
	if (memory->early) {
		text_string(text, "; ");
		text_actor(text, memory->early_by.comm, memory->early_by.named, memory->early_by.tgid);
		text_string(text, " had begun to take its memory");
	}
}

/* Where no REAP is recorded, or this one was lost. */
static void explain_unreaped(struct text *text, const struct slow *slow)
{
	uint64_t end = slow->life.marks.freed ? slow->life.marks.freed : slow->ended;

	text_string(text, slow->life.marks.freed ? "freed " : "not freed ");
	text_time(text, was_zombie(slow, end));
	text_printf(text, " after %s; %s it was reaped was not seen",
		    slow->life.marks.notified ? "its parent was notified" : "the exit",
		    slow->life.marks.freed ? "when" : "whether");
}

/* A leader cannot be reaped while threads of its process live. */
static bool explain_leader(struct text *text, const struct slow *slow)
{
	if (!slow->is_thread || slow->group_exited <= slow->life.marks.exited ||
	    slow->group_exited - slow->life.marks.exited < slow_took(slow) / 2)
		return false;
	text_string(text, "the leader exited ");
	text_time(text, slow->group_exited - slow->life.marks.exited);
	text_string(text, " before its last thread");
	return true;
}

void text_why(struct text *text, const struct slow *slow, const char *rcu)
{
	const struct proclife_marks *marks = &slow->life.marks;
	uint64_t teardown = since(marks->exited, torn_down(slow)), held = was_held(slow);
	uint64_t until = marks->reaped ? marks->reaped : marks->freed ? marks->freed : slow->ended;
	uint64_t zombie = was_zombie(slow, until);
	uint64_t free = marks->reaped ? since(since(marks->exited, marks->reaped), slow_took(slow)) : 0;

	if (explain_leader(text, slow))
		return;
	explain_kill(text, slow);
	if (marks->reaped && free >= zombie && free >= teardown && free >= held)
		explain_rcu(text, slow, rcu);
	else if (held && held >= zombie && held >= teardown)
		explain_traced(text, slow);
	else if (slow->life.state == PROCLIFE_IS_DYING || (teardown >= zombie && teardown))
		explain_teardown(text, slow);
	else if (!marks->reaped && slow->life.state != PROCLIFE_IS_ZOMBIE)
		explain_unreaped(text, slow);
	else if (!marks->reaped)
		explain_open_zombie(text, slow);
	else
		explain_zombie(text, slow);
	explain_memory(text, slow);
	if (!slow->is_thread && slow->leader_exited && slow->life.threads > 1 &&
	    slow->life.marks.exited > slow->leader_exited &&
	    slow->life.marks.exited - slow->leader_exited > slow_took(slow)) {
		text_string(text, "; its leader had exited ");
		text_time(text, slow->life.marks.exited - slow->leader_exited);
		text_string(text, " before its last thread");
	}
}
