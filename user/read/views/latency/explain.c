// SPDX-License-Identifier: GPL-2.0-only
/* One sentence on why somebody was so long from exit to free. */
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

static uint64_t was_zombie(const struct death *death, uint64_t until)
{
	return death->is_held ? 0 : since(marks_zombie_since(&death->marks), until);
}

/* When its exit was over. */
static uint64_t announced(const struct death *death)
{
	return death->tracer.ts ? death->tracer.ts : death->marks.notified;
}

/* The same of one that is still dying: not by the end of the trace. */
static uint64_t torn_down(const struct death *death)
{
	return death->state == PROCLIFE_IS_DYING ? death->ended : announced(death);
}

/* How long a tracer kept it from its parent. */
static uint64_t was_held(const struct death *death)
{
	return death->tracer.ts ? since(death->tracer.ts, death->is_held ? death->ended : death->marks.notified) : 0;
}

static void put_parent(struct text *text, const struct death *death)
{
	if (death->parent_known)
		text_who(text, death->parent_comm, death->parent_tgid);
	else
		text_printf(text, "its parent (%" PRIu32 ")", death->parent_tgid);
}

/* The same at the beginning of a sentence, which is about the parent. */
static void put_its_parent(struct text *text, const struct death *death)
{
	if (death->parent_known)
		text_string(text, "its parent ");
	put_parent(text, death);
}

/* Its parent by birth was gone by then: it cannot have reaped. */
static bool is_adopted(const struct death *death)
{
	return death->parent_tgid && death->real_parent_tgid &&
	       death->parent_tgid != death->real_parent_tgid &&
	       death->parent_tgid != death->reaper_tgid;
}

/* The parent that it had when it exited did not reap it: that one has exited since, most likely. */
static bool is_left(const struct death *death)
{
	return !death->is_thread && death->real_parent_tgid && death->reaper_tgid &&
	       death->reaper_tgid != death->real_parent_tgid && death->reaper_tgid != death->parent_tgid;
}

static void explain_adopted(struct text *text, const struct death *death)
{
	if (!is_adopted(death))
		return;
	put_its_parent(text, death);
	text_string(text, " had exited: ");
}

/* Whoever reaped it could not do so before that parent had exited. */
static void explain_left(struct text *text, const struct death *death, uint64_t zombie)
{
	if (death->real_parent_tgid == death->parent_tgid)
		put_its_parent(text, death);
	else
		text_printf(text, "its parent (%" PRIu32 ")", death->real_parent_tgid);
	text_string(text, " did not reap it: ");
	text_actor(text, death->reaper_comm, death->reaper_named, death->reaper_tgid);
	text_string(text, " did, ");
	text_time(text, zombie);
	text_printf(text, " after the %s", death->marks.notified ? "parent was notified" : "exit");
}

static void explain_open_zombie(struct text *text, const struct death *death)
{
	explain_adopted(text, death);
	if (is_adopted(death))
		text_printf(text, "(%" PRIu32 ")", death->real_parent_tgid);
	else
		put_parent(text, death);
	text_string(text, " has not reaped it for ");
	text_time(text, was_zombie(death, death->ended));
}

/* Who did not want to know: who was notified last; where notices are not recorded, its parent as of its exit. */
static void put_ignorer(struct text *text, const struct death *death)
{
	uint32_t last = death->notified_tgid ? death->notified_tgid : death->real_parent_tgid;

	if (!last || last == death->parent_tgid)
		put_parent(text, death);
	else if (death->notified_known)
		text_who(text, death->notified_comm, last);
	else
		text_printf(text, "(%" PRIu32 ")", last);
}

/* Nobody had to call wait(2): it is a thread, or a process whose parent ignores its end. */
static void explain_itself(struct text *text, const struct death *death, uint64_t zombie)
{
	text_string(text, "it was released ");
	text_time(text, zombie);
	text_string(text, " after its exit");
	if (death->is_thread)
		return;
	text_string(text, ", by ");
	if (death->reaper_tgid == death->tgid)
		text_string(text, "itself");
	else
		text_actor(text, death->reaper_comm, death->reaper_named, death->reaper_tgid);
	if (!death->ended_with_parent && death->autoreaped == PROCLIFE_AUTOREAP_CLONE) {
		text_string(text, ": it was made with CLONE_AUTOREAP");
		return;
	}
	if (!death->ended_with_parent && death->autoreaped == PROCLIFE_AUTOREAP_UNKNOWN) {
		text_string(text, ": nobody had to reap it, why is not known");
		return;
	}
	text_string(text, ": ");
	put_ignorer(text, death);
	text_string(text, death->ended_with_parent ? ", the init of its pid namespace, was ending" :
			  death->autoreaped == PROCLIFE_AUTOREAP_NOCLDWAIT ? " has SA_NOCLDWAIT" : " ignores SIGCHLD");
}

static void explain_zombie(struct text *text, const struct death *death)
{
	uint64_t zombie = was_zombie(death, death->marks.reaped), came;

	if (death->autoreaped || (death->is_thread && death->reaper_tgid == death->tgid)) {
		explain_itself(text, death, zombie);
		return;
	}
	if (is_left(death)) {
		explain_left(text, death, zombie);
		return;
	}
	explain_adopted(text, death);
	text_actor(text, death->reaper_comm, death->reaper_named, death->reaper_tgid);
	if (!death->reaper_waited || !(death->is_thread || death->marks.notified)) {
		text_string(text, " reaped it ");
		text_time(text, zombie);
		text_printf(text, " after %s; whether it was in wait() is not known",
			    death->marks.notified ? "it was notified" : "the exit");
		return;
	}
	if (death->reaper_waited <= marks_zombie_since(&death->marks)) {
		text_string(text, " was in wait(), but took ");
		text_time(text, zombie);
		text_string(text, " to wake up and reap");
		return;
	}
	came = death->reaper_waited - marks_zombie_since(&death->marks);
	text_string(text, " was not in wait(): it came ");
	text_time(text, came);
	text_string(text, " later");
	if (zombie - came > zombie / 10) {
		text_string(text, ", and took another ");
		text_time(text, zombie - came);
	}
}

static void explain_traced(struct text *text, const struct death *death)
{
	text_who(text, death->tracer.comm, death->tracer.tgid);
	text_string(text, death->is_held ? ", which traces it, has not waited for it for " :
		    " traced it, and held it for ");
	text_time(text, was_held(death));
	if (death->is_held)
		text_string(text, ": so its parent is not notified");
	else
		text_string(text, " before its parent was notified");
}

static void explain_rcu(struct text *text, const struct death *death, const char *rcu)
{
	bool nocb, lazy;

	if (!death->marks.freed) {
		text_string(text, "RCU: reaped ");
		text_time(text, since(death->marks.reaped, death->ended));
		text_string(text, " ago, and not freed yet");
		return;
	}
	text_string(text, "RCU: freed ");
	text_time(text, since(death->marks.reaped, death->marks.freed));
	text_printf(text, " after the reap on CPU %u", death->free_cpu);
	rcu_of_cpu(rcu, death->free_cpu, &nocb, &lazy);
	if (nocb)
		text_printf(text, " (nocb%s)", lazy ? ", lazy" : "");
}

/* After its memory come its files, and little else. Returns since when; 0: not known. */
static uint64_t without_memory_since(const struct death *death)
{
	const struct proclife_memory *memory = &death->memory;
	uint64_t gone = memory->own ? memory->gone : memory->left;

	return gone >= death->marks.exited && gone <= torn_down(death) ? gone : 0;
}

static void explain_teardown(struct text *text, const struct death *death)
{
	uint64_t took = since(death->marks.exited, torn_down(death));
	uint64_t without = without_memory_since(death);

	if (death->state == PROCLIFE_IS_DYING)
		text_string(text, "teardown: its parent has not been notified for ");
	else
		text_printf(text, "%sits %s was notified ", death->tracer_lost ? "" : "teardown: ",
			    death->tracer.ts ? "tracer" : "parent");
	text_time(text, took);
	if (death->state != PROCLIFE_IS_DYING)
		text_string(text, " after its exit");
	if (death->tracer_lost) {
		text_string(text, "; whether a tracer held it before that is not known");
		return;
	}
	if (without && torn_down(death) - without > took / 2) {
		text_string(text, ", ");
		text_time(text, torn_down(death) - without);
		text_string(text, " of that after it had let its memory go");
	} else if (death->max_rss && !death->memory.gone) {
		text_string(text, " (RSS up to ");
		text_size(text, death->max_rss);
		text_string(text, ")");
	}
}

/* Whoever sent the signal had to wait, before all that the rest is about. */
static void explain_kill(struct text *text, const struct death *death)
{
	uint64_t kill = death->marks.exited - death->killed;
	char buffer[24];

	if (!death->killed || death->killed > death->marks.exited || kill < death_took(death) / 10)
		return;
	text_string(text, signal_name(death->killer.signo, buffer));
	text_killer(text, &death->killer, death->tgid, death->cgroups);
	text_string(text, "; began to exit ");
	text_time(text, kill);
	text_string(text, " later; ");
}

/* How its memory came back, if that took some of the time, or more. */
static void explain_memory(struct text *text, const struct death *death)
{
	const struct proclife_memory *memory = &death->memory;
	uint64_t worth = death_took(death) / 10;
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
		text_time(text, since(death->marks.exited, memory->teardown));
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
static void explain_unreaped(struct text *text, const struct death *death)
{
	uint64_t end = death->marks.freed ? death->marks.freed : death->ended;

	text_string(text, death->marks.freed ? "freed " : "not freed ");
	text_time(text, was_zombie(death, end));
	text_printf(text, " after %s; %s it was reaped was not seen",
		    death->marks.notified ? "its parent was notified" : "the exit",
		    death->marks.freed ? "when" : "whether");
}

/* A leader cannot be reaped while threads of its process live. */
static bool explain_leader(struct text *text, const struct death *death)
{
	if (!death->is_thread || death->group_exited <= death->marks.exited ||
	    death->group_exited - death->marks.exited < death_took(death) / 2)
		return false;
	text_string(text, "the leader exited ");
	text_time(text, death->group_exited - death->marks.exited);
	text_string(text, " before its last thread");
	return true;
}

void text_why(struct text *text, const struct death *death, const char *rcu)
{
	const struct proclife_marks *marks = &death->marks;
	uint64_t teardown = since(marks->exited, torn_down(death)), held = was_held(death);
	uint64_t until = marks->reaped ? marks->reaped : marks->freed ? marks->freed : death->ended;
	uint64_t zombie = was_zombie(death, until);
	uint64_t free = marks->reaped ? since(since(marks->exited, marks->reaped), death_took(death)) : 0;

	if (explain_leader(text, death))
		return;
	explain_kill(text, death);
	if (marks->reaped && free >= zombie && free >= teardown && free >= held)
		explain_rcu(text, death, rcu);
	else if (held && held >= zombie && held >= teardown)
		explain_traced(text, death);
	else if (death->state == PROCLIFE_IS_DYING || (teardown >= zombie && teardown))
		explain_teardown(text, death);
	else if (!marks->reaped && death->state != PROCLIFE_IS_ZOMBIE)
		explain_unreaped(text, death);
	else if (!marks->reaped)
		explain_open_zombie(text, death);
	else
		explain_zombie(text, death);
	explain_memory(text, death);
	if (!death->is_thread && death->leader_exited && death->threads > 1 &&
	    death->marks.exited > death->leader_exited &&
	    death->marks.exited - death->leader_exited > death_took(death)) {
		text_string(text, "; its leader had exited ");
		text_time(text, death->marks.exited - death->leader_exited);
		text_string(text, " before its last thread");
	}
}
