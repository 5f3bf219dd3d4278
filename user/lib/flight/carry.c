// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which records of a part are still needed once it is over. The lives themselves say whose they are. */
#include "flight/carry_lives.h"
#include "lives/memory.h"
#include "source/source.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/*
 * The types that are kept with their task, and which of its older records each of them replaces. Others
 * change nothing of a life, or are kept elsewhere.
 */
static const uint64_t replaced[PROCLIFE_TYPES] = {
	[PROCLIFE_FORK] = PROCLIFE_HAS(PROCLIFE_FORK),
	[PROCLIFE_TASK] = PROCLIFE_HAS(PROCLIFE_TASK),
	[PROCLIFE_EXEC] = PROCLIFE_HAS(PROCLIFE_EXEC) | PROCLIFE_HAS(PROCLIFE_ARGS) | PROCLIFE_HAS(PROCLIFE_PATH),
	[PROCLIFE_RENAME] = PROCLIFE_HAS(PROCLIFE_RENAME),
	[PROCLIFE_WAIT] = PROCLIFE_HAS(PROCLIFE_WAIT),
	[PROCLIFE_EXIT] = PROCLIFE_HAS(PROCLIFE_EXIT),
	[PROCLIFE_REAP] = PROCLIFE_HAS(PROCLIFE_REAP),
	/* All of its pieces; the first of these replaces those before. */
	[PROCLIFE_ARGS] = PROCLIFE_HAS(PROCLIFE_NONE),
	[PROCLIFE_PATH] = PROCLIFE_HAS(PROCLIFE_NONE),
	/* Here the first one counts. */
	[PROCLIFE_EXITING] = PROCLIFE_HAS(PROCLIFE_NONE),
	[PROCLIFE_COREDUMP] = PROCLIFE_HAS(PROCLIFE_NONE),
	/* See note_notified(). */
	[PROCLIFE_NOTIFY] = PROCLIFE_HAS(PROCLIFE_NONE),
};

/* See note_birth(). */
#define OF_BIRTH                                                                                                       \
	(PROCLIFE_HAS(PROCLIFE_FORK) | PROCLIFE_HAS(PROCLIFE_EXEC) | PROCLIFE_HAS(PROCLIFE_BIRTH) |                    \
	 PROCLIFE_HAS(PROCLIFE_FAIL))
#define FIRST (PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_COREDUMP))

/*
 * To a thread that will perhaps be gone: for the life of its process it is the same if the leader got it.
 * False: there is no leader.
 */
static bool set_leader(struct proclife_record *record, const struct proclife_process *process)
{
	const struct proclife_task *leader = process->leader;

	if (!leader)
		return false;
	record->task = leader->handle;
	record->start = leader->start;
	record->pid = leader->pid;
	record->tgid = leader->tgid;
	memcpy(record->comm, leader->comm, sizeof(record->comm));
	record->flags &= ~PROCLIFE_F_THREAD;
	return true;
}

/*
 * As killers.c has them: at most two of a number. The latest counts, unless one that was not blocked came
 * before it.
 */
static int note_fatal(struct proclife_carry *carry, struct proclife_kept_life *life,
		      const struct proclife_process *process, const struct proclife_record *record)
{
	const struct proclife_signal *signal = &record->signal;
	struct proclife_kept **last = NULL, **first = NULL;
	struct proclife_record to_leader = *record;

	if ((signal->result != PROCLIFE_SIGNAL_QUEUED && signal->result != PROCLIFE_SIGNAL_NO_INFO) ||
	    signal->signo < 1 || !set_leader(&to_leader, process))
		return 0;
	for (struct proclife_kept **kept = &life->signals; *kept; kept = &(*kept)->next) {
		if ((*kept)->record.type != PROCLIFE_SIGNAL || (*kept)->record.signal.signo != signal->signo)
			continue;
		first = kept;
		last = last ? last : kept;
	}
	if (!first)
		return proclife_kept_add(carry, &life->signals, &to_leader);
	if (signal->signo == SIGKILL || proclife_priv(process)->ends || record->flags & PROCLIFE_F_GROUP_DEAD)
		return 0;
	if (first == last && !(*first)->record.signal.blocked)
		return proclife_kept_add(carry, &life->signals, &to_leader);
	if (first != last && !proclife_dumps_core(signal->signo))
		return 0;
	(*last)->record = to_leader;
	(*last)->place = 2 * carry->records;
	return 0;
}

/* After it was fed: is it the one that says whose SIGKILL that was? */
static int note_oom(struct proclife_carry *carry, struct proclife_process *process,
		    const struct proclife_record *record)
{
	struct proclife_kept_life *life = proclife_kept_life(carry, process);
	const struct proclife_killer *killer = proclife_process_sigkill(process);
	struct proclife_record to_leader = *record;

	if (!life)
		return -ENOMEM;
	if (!killer || killer->cause != PROCLIFE_BY_OOM)
		return 0;
	for (const struct proclife_kept *kept = life->signals; kept; kept = kept->next)
		if (kept->record.type == PROCLIFE_OOM)
			return 0;
	return set_leader(&to_leader, process) ? proclife_kept_add(carry, &life->signals, &to_leader) : 0;
}

/* It was taken early, and now it is known whose it is. */
static void take_early(struct proclife_carry *carry, struct proclife_kept_life *life, uint64_t mm)
{
	for (size_t i = 0; i < PROCLIFE_CARRY_EARLY; i++) {
		struct proclife_kept *kept = carry->early[i];

		if (!kept || kept->record.mm.mm != mm)
			continue;
		carry->early[i] = NULL;
		kept->next = life->memory;
		life->memory = kept;
	}
}

static int note_early(struct proclife_carry *carry, const struct proclife_record *record)
{
	struct proclife_kept **last = &carry->early[PROCLIFE_CARRY_EARLY - 1];
	struct proclife_kept *kept = proclife_keep(carry, NULL, record);

	if (!kept)
		return -ENOMEM;
	if (*last)
		proclife_slab_put(&carry->kept_slab, *last);
	memmove(carry->early + 1, carry->early, sizeof(carry->early) - sizeof(carry->early[0]));
	carry->early[0] = kept;
	return 0;
}

static struct proclife_process *owner_of(const struct proclife_priv_memory *own)
{
	return own && own->process && !own->process->kept ? &own->process->process : NULL;
}

/* Before it is fed. */
static void see_memory(struct proclife_carry *carry, const struct proclife_record *record)
{
	const struct proclife_priv_memory *own = proclife_memory_find(carry->tasks, record->mm.mm);

	carry->owner = owner_of(own);
	carry->memory = own ? own->memory : (struct proclife_memory){ 0 };
}

/* Whatever a record changes of it, one of these is another one then. */
static bool is_same_memory(const struct proclife_memory *a, const struct proclife_memory *b)
{
	return a->open == b->open && a->left == b->left && a->holders == b->holders &&
	       a->early == b->early && a->teardown == b->teardown && a->gone == b->gone &&
	       a->async == b->async && a->last.id == b->last.id && a->last.pid == b->last.pid &&
	       !strcmp(a->last.comm, b->last.comm);
}

/* After it was fed: it can have made known whose the memory is. */
static int note_memory(struct proclife_carry *carry, const struct proclife_record *record)
{
	const struct proclife_priv_memory *own = proclife_memory_find(carry->tasks, record->mm.mm);
	struct proclife_process *owner = owner_of(own);
	struct proclife_kept_life *life;

	/* Any process can call process_mrelease(2) again and again, or let go of what others hold. */
	if (own && is_same_memory(&own->memory, &carry->memory))
		return 0;
	owner = owner ? owner : carry->owner;
	if (!owner)
		return own && record->mm.what == PROCLIFE_MM_EARLY ? note_early(carry, record) : 0;
	life = proclife_kept_life(carry, owner);
	if (!life)
		return -ENOMEM;
	take_early(carry, life, record->mm.mm);
	return proclife_kept_add(carry, &life->memory, record);
}

static int note_suppressed(struct proclife_carry *carry, const struct proclife_record *record)
{
	uint64_t key = 1 + (((uint64_t)record->suppressed.what << 16 | record->cpu) << 1 |
			    !!record->suppressed.ended);
	struct proclife_kept *kept = proclife_map_get(&carry->suppressed, key);

	if (record->suppressed.what >= PROCLIFE_TYPES)
		return 0;
	if (!kept) {
		if (proclife_map_reserve(&carry->suppressed))
			return -ENOMEM;
		kept = proclife_keep(carry, NULL, record);
		if (!kept)
			return -ENOMEM;
		proclife_map_put(&carry->suppressed, key, kept);
	}
	kept->record = *record;
	kept->place = 2 * carry->records;
	return 0;
}

/* The wait(2) that has reaped it, of another task, which forgets that with its next one. */
static int note_reaper(struct proclife_carry *carry, struct proclife_kept_task *task,
		       const struct proclife_task *of, const struct proclife_record *record)
{
	const struct proclife_kept_task *reaper = proclife_map_get(&carry->by_handle, record->reap.reaper);

	if (!of->reaper_waited || !reaper)
		return 0;
	for (const struct proclife_kept *kept = reaper->records; kept; kept = kept->next) {
		if (kept->record.type != PROCLIFE_WAIT || kept->record.ts != of->reaper_waited)
			continue;
		if (proclife_kept_add(carry, &task->records, &kept->record))
			return -ENOMEM;
		task->records->place = kept->place;
		task->records->of_reaper = true;
		task->types |= PROCLIFE_HAS(PROCLIFE_WAIT);
		return 0;
	}
	return 0;
}

/*
 * For a process, the first NOTIFY for a tracer counts, and the first and the latest one for a parent. Does this
 * one count? It replaces the latest.
 */
static bool note_notified(struct proclife_carry *carry, struct proclife_kept_task *task,
			  const struct proclife_record *record)
{
	struct proclife_kept **latest = NULL, *kept;
	uint32_t tracer = record->flags & PROCLIFE_F_TRACER;
	unsigned int others = 0;

	if (!(record->flags & PROCLIFE_F_GROUP_DEAD))
		return false;
	for (struct proclife_kept **each = &task->records; *each; each = &(*each)->next) {
		if ((*each)->record.type != PROCLIFE_NOTIFY || ((*each)->record.flags & PROCLIFE_F_TRACER) != tracer)
			continue;
		latest = latest ? latest : each;
		others++;
	}
	if (others < (tracer ? 1 : 2))
		return true;
	if (tracer)
		return false;
	kept = *latest;
	*latest = kept->next;
	proclife_slab_put(&carry->kept_slab, kept);
	return true;
}

/* Texts come in order: is there such a one already, or one that is behind it? The latest piece is the first. */
static bool begins_again(const struct proclife_kept_task *task, const struct proclife_record *record)
{
	const struct proclife_kept *kept = task->records;

	return kept && kept->record.type == PROCLIFE_PATH && kept->record.path.what >= record->path.what;
}

static int note_of_task(struct proclife_carry *carry, struct proclife_task *of,
			const struct proclife_record *record)
{
	uint64_t bit = proclife_has_type(record);
	struct proclife_kept_life *life = proclife_kept_life(carry, of->process);
	struct proclife_kept_task *task = proclife_kept_task(carry, record->task);
	uint64_t old = bit ? replaced[record->type] : 0;

	if (!life || !task)
		return -ENOMEM;
	task->led |= of->leader;
	if (record->type == PROCLIFE_PAST)
		proclife_past_add(&life->past, &record->past);
	if (record->type == PROCLIFE_TIMES && record->times.what == PROCLIFE_TIMES_PAST)
		proclife_past_add_io(&life->io, &record->times);
	if (record->type == PROCLIFE_EXITING || (record->type == PROCLIFE_EXIT && !task->exiting))
		task->exiting = record->ts;
	if (!old || (record->type == PROCLIFE_NOTIFY && !note_notified(carry, task, record)))
		return 0;
	task->ended |= record->type == PROCLIFE_EXIT &&
		       record->flags & (PROCLIFE_F_GROUP_DEAD | PROCLIFE_F_GROUP_EXIT);
	if (record->type == PROCLIFE_ARGS && !record->args.offset)
		old = bit;
	/* Its EXEC was lost: those of the one before that would be as many as it has lost. */
	if (record->type == PROCLIFE_PATH && !record->path.offset && begins_again(task, record))
		old = bit;
	if (bit & FIRST & task->types)
		return 0;
	/* A record that replaces nothing does not walk the list: a process can have thousands of arguments. */
	old &= task->types;
	task->types |= bit;
	if (old) {
		proclife_kept_names(life, &task->records, old);
		life->past.execs += proclife_kept_take_out(carry, &task->records, old);
	}
	if (record->type == PROCLIFE_REAP && note_reaper(carry, task, of, record))
		return -ENOMEM;
	return proclife_kept_add(carry, &task->records, record);
}

/* A record that is not kept can be the first one of its task, which then has only its head. */
static int note_first(struct proclife_carry *carry, struct proclife_process *process,
		      const struct proclife_record *record)
{
	struct proclife_kept_task *task = proclife_kept_task(carry, record->task);
	struct proclife_record head = *record;

	if (!task || !proclife_kept_life(carry, process))
		return -ENOMEM;
	if (task->records)
		return 0;
	head.type = PROCLIFE_PAST;
	head.flags &= ~PROCLIFE_F_TRUNCATED;
	memset(head.words, 0, sizeof(head.words));
	return proclife_kept_add(carry, &task->records, &head);
}

/* Where a RENAME can be missing, any record can show another name: then there is one in its place. */
static int note_name(struct proclife_carry *carry, struct proclife_task *of, const struct proclife_record *record)
{
	struct proclife_kept_task *task = proclife_kept_task(carry, of->handle);
	struct proclife_record rename = *record;
	bool other;

	if (!task)
		return -ENOMEM;
	other = task->comm[0] && strcmp(task->comm, of->comm) && !(proclife_has_type(record) & PROCLIFE_NAMES);
	memcpy(rename.comm, task->comm, sizeof(rename.comm));
	memcpy(task->comm, of->comm, sizeof(task->comm));
	if (!other)
		return 0;
	rename.type = PROCLIFE_RENAME;
	memset(rename.words, 0, sizeof(rename.words));
	memcpy(rename.rename.name, of->comm, sizeof(rename.rename.name));
	rename.rename.cgroup = of->process->cgroup;
	return note_of_task(carry, of, &rename);
}

/* Where the task's next fork or exec began; see carry_choose.c. */
static int note_begun(struct proclife_carry *carry, struct proclife_kept_task *task, const struct proclife_record *record)
{
	for (struct proclife_kept *kept = task->records; kept; kept = kept->next) {
		if (kept->record.type != PROCLIFE_BIRTH || kept->record.birth.what != record->birth.what)
			continue;
		kept->record = *record;
		kept->place = 2 * carry->records;
		return 0;
	}
	return proclife_kept_add(carry, &task->records, record);
}

/* What was recorded of its birth: by its creator, which can be gone, or of an EXEC that is left out. */
static int note_birth(struct proclife_carry *carry, const struct proclife_task *of, const struct proclife_record *record)
{
	struct proclife_kept_task *task = proclife_kept_task(carry, of->handle);
	const struct proclife_births *own = proclife_task_births(of), *births = proclife_process_births(of->process);
	struct proclife_record past = *record;
	struct proclife_kept *kept;

	if (!task)
		return -ENOMEM;
	if (record->type == PROCLIFE_BIRTH && record->birth.what != PROCLIFE_BIRTH_STARTED &&
	    record->birth.what != PROCLIFE_BIRTH_PAST && note_begun(carry, task, record))
		return -ENOMEM;
	past.type = PROCLIFE_BIRTH;
	memset(past.words, 0, sizeof(past.words));
	past.birth.what = PROCLIFE_BIRTH_PAST;
	past.birth.forking = of->leader ? births->forking : own->forking;
	past.birth.started = of->leader ? births->started : own->started;
	past.birth.execing = of->leader ? births->execing : 0;
	past.birth.execed = of->leader ? births->execed : 0;
	past.birth.ran = proclife_extra_of_process(of->process)->ran;
	for (kept = task->records; kept; kept = kept->next) {
		if (kept->record.type != PROCLIFE_BIRTH || kept->record.birth.what != PROCLIFE_BIRTH_PAST)
			continue;
		kept->record.birth = past.birth;
		return 0;
	}
	if (!(past.birth.forking | past.birth.started | past.birth.execed | past.birth.ran))
		return 0;
	if (proclife_kept_add(carry, &task->records, &past))
		return -ENOMEM;
	task->records->place++; /* behind that record, which it follows from */
	return 0;
}

static int note(struct proclife_carry *carry, const struct proclife_record *record)
{
	struct proclife_task *task;
	int err = 0;

	if (record->type == PROCLIFE_SUPPRESSED)
		return note_suppressed(carry, record);
	if (!record->task)
		return record->type == PROCLIFE_MM ? note_memory(carry, record) : 0;
	task = proclife_task_get(carry->tasks, record->task);
	if (!task)
		return 0;
	if (record->type >= PROCLIFE_TYPES || !replaced[record->type])
		err = note_first(carry, task->process, record);
	if (!err)
		err = note_name(carry, task, record);
	if (err)
		return err;
	if (record->type == PROCLIFE_MM)
		return note_memory(carry, record);
	if (record->type == PROCLIFE_OOM)
		return note_oom(carry, task->process, record);
	if (record->type == PROCLIFE_SIGNAL) {
		struct proclife_kept_life *life = proclife_kept_life(carry, task->process);

		return life ? note_fatal(carry, life, task->process, record) : -ENOMEM;
	}
	err = note_of_task(carry, task, record);
	if (!err && proclife_has_type(record) & OF_BIRTH && proclife_task_births(task))
		err = note_birth(carry, task, record);
	return err;
}

/* Two that are near each other become one, if there is no room for all. */
static void note_gap(struct proclife_carry *carry, struct proclife_gap gap)
{
	size_t nearest = 0;

	if (!gap.lost && !gap.from)
		return; /* a history begins: that touches no life */
	gap.lost = 0;
	gap.from = gap.from ? gap.from : 1;
	if (carry->gap_count < PROCLIFE_CARRY_GAPS) {
		carry->gaps[carry->gap_count++] = gap;
		return;
	}
	for (size_t i = 1; i + 1 < carry->gap_count; i++)
		if (carry->gaps[i + 1].from - carry->gaps[i].to <
		    carry->gaps[nearest + 1].from - carry->gaps[nearest].to)
			nearest = i;
	if (carry->gaps[nearest].to < carry->gaps[nearest + 1].to)
		carry->gaps[nearest].to = carry->gaps[nearest + 1].to;
	memmove(&carry->gaps[nearest + 1], &carry->gaps[nearest + 2],
		(carry->gap_count - nearest - 2) * sizeof(gap));
	carry->gaps[carry->gap_count - 1] = gap;
}

/* Does its beginning show that another one, with its handle or its group's, is gone? The end of that was lost. */
static bool replaces_another(const struct proclife_carry *carry, const struct proclife_record *record)
{
	bool forks = record->type == PROCLIFE_FORK;

	if (!forks && record->type != PROCLIFE_TASK)
		return false;
	return proclife_task_get(carry->tasks, record->task) ||
	       proclife_group_get(carry->tasks, forks ? record->fork.group : record->state.group);
}

/* Is it of a life that is not followed? */
static bool is_passed(const struct proclife_carry *carry, const struct proclife_record *record)
{
	struct proclife_bygone_life *life = carry->bygone ? proclife_bygone_of(carry->bygone, record) : NULL;

	if (life && replaces_another(carry, record))
		life->needed = true; /* those from which it descends are not: it is freed before the part ends */
	return life && !life->needed;
}

/* What the record of a life that is not followed changes of others. */
static int pass(struct proclife_carry *carry, const struct proclife_record *record)
{
	struct proclife_process *parent = proclife_tasks_pass(carry->tasks, record);
	struct proclife_kept_life *life = parent ? proclife_kept_life(carry, parent) : NULL;

	if (life)
		life->last_child = record->ts;
	return parent && !life ? -ENOMEM : 0;
}

int proclife_carry_take(struct proclife_carry *carry, const struct proclife_event *event)
{
	const struct proclife_record *record = event->record;
	int err;

	if (!record) {
		note_gap(carry, event->gap);
	} else {
		carry->records++;
		carry->latest = proclife_later(carry->latest, record->ts);
		if (is_passed(carry, record))
			return pass(carry, record);
		carry->fed = record;
		carry->owner = NULL;
		if (record->type == PROCLIFE_MM)
			see_memory(carry, record);
	}
	err = proclife_tasks_feed(carry->tasks, event);
	if (err >= 0)
		err = carry->error;
	return err || !record ? err : note(carry, record);
}

int proclife_carry_read(struct proclife_carry *carry, struct proclife_source *part)
{
	struct proclife_event event;
	int ret = proclife_tasks_take_facts(carry->tasks, part);

	while (ret >= 0) {
		ret = proclife_source_next(part, &event);
		if (ret > 0)
			ret = proclife_carry_take(carry, &event);
	}
	return ret == -ENODATA ? 0 : ret;
}

int proclife_carry_new(struct proclife_carry **result, struct proclife_bygone *bygone)
{
	struct proclife_carry *carry = calloc(1, sizeof(*carry));
	int err;

	if (!carry)
		return -ENOMEM;
	carry->bygone = bygone;
	proclife_slab_init(&carry->kept_slab, sizeof(struct proclife_kept));
	proclife_slab_init(&carry->task_slab, sizeof(struct proclife_kept_task));
	proclife_slab_init(&carry->life_slab, sizeof(struct proclife_kept_life));
	err = proclife_map_init(&carry->by_handle);
	if (!err)
		err = proclife_map_init(&carry->suppressed);
	if (!err)
		err = proclife_tasks_new(&carry->tasks, NULL);
	if (!err)
		err = proclife_tasks_report(carry->tasks, &proclife_carry_reports, carry);
	if (err) {
		proclife_carry_free(carry);
		return err;
	}
	*result = carry;
	return 0;
}

void proclife_carry_free(struct proclife_carry *carry)
{
	if (!carry)
		return;
	proclife_tasks_free(carry->tasks);
	proclife_map_free(&carry->by_handle);
	proclife_map_free(&carry->suppressed);
	proclife_map_free(&carry->freed);
	proclife_map_free(&carry->by_id);
	proclife_slab_free(&carry->kept_slab);
	proclife_slab_free(&carry->task_slab);
	proclife_slab_free(&carry->life_slab);
	free(carry->chosen);
	free(carry->carried);
	free(carry);
}
