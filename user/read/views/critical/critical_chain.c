// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chain, from the end of the root back to its birth. A process that forks or exits has waited for the last
 * of its children to end that it had reaped until then: so the time since that end is its own, and
 * the time before is that child's, up to its birth; there, the process that forked it goes on.
 *
 * The end of a child counts, not its reap: if several are reaped at once, or one after the other
 * in the order of a script, the one that ended last has kept its reaper waiting.
 */
#include "output/array.h"
#include "output/message.h"
#include "views/critical/critical.h"
#include <stdlib.h>

/* A process that keeps a number of children again and again has slots for them. */
#define FEWEST_SLOTS 2
#define AGAIN 3

/* What the walk knows of a life. */
#define ENTERED 1 /* the chain has come to its end... */
#define WITHIN 2  /* ... is between its end and its birth... */
#define LEFT 4	  /* ... or has come to its birth */
#define SORTED 8

/* A life on the way from the root to where the walk is. */
struct frame {
	uint32_t life;
	uint64_t saves; /* what can be saved in it, at most */
	bool slots;
};

/* For each that was reaped, among those that were reaped no later: */
struct ends {
	uint32_t last;	 /* to end */
	uint32_t second; /* last but one, or NOBODY */
};

/* How many children a process had at most, and how often it got to that many. */
struct slots {
	uint64_t id; /* of the life */
	uint32_t most;
	uint32_t times;
};

struct walk {
	struct critical *critical;
	struct kin *kin;
	uint8_t *known; /* of each life */
	struct ends *ends; /* of each entry of kin->reaped */
	struct id_table slots; /* of struct slots */
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
};

static void add_step(struct walk *walk, uint64_t from, uint64_t to)
{
	const struct frame *frame = &walk->frames[walk->depth - 1];
	struct critical *critical = walk->critical;
	uint64_t time = to - from;

	if (!time)
		return;
	ARRAY_GROW(critical->steps, critical->count, critical->room);
	critical->steps[critical->count++] = (struct critical_step){
		.from = from,
		.to = to,
		.saves = time < frame->saves ? time : frame->saves,
		.life = frame->life,
		.slots = frame->slots,
	};
}

static void push(struct walk *walk, struct frame frame)
{
	ARRAY_GROW(walk->frames, walk->depth, walk->room);
	walk->frames[walk->depth++] = frame;
	walk->known[frame.life] |= WITHIN;
}

static void pop(struct walk *walk)
{
	uint8_t *known = &walk->known[walk->frames[--walk->depth].life];

	*known = (uint8_t)((*known & ~WITHIN) | LEFT);
}

static const struct kin_life *life_of(const struct walk *walk, uint32_t life)
{
	return &walk->kin->all[life];
}

static uint64_t born_at(const struct kin_life *life)
{
	return life->born;
}

static uint64_t reaped_at(const struct kin_life *life)
{
	return life->reaped;
}

/* How many of a list, which is sorted by this, have come before a time. */
static uint32_t before(const struct walk *walk, const struct kin_lists *lists, uint32_t life,
		       uint64_t (*when)(const struct kin_life *life), uint64_t time)
{
	uint32_t low = 0, high = kin_list_size(lists, life);
	const uint32_t *list = lists->all + lists->first[life];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (when(life_of(walk, list[middle])) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t born_before(const struct walk *walk, uint32_t parent, uint64_t time)
{
	return before(walk, &walk->kin->born, parent, born_at, time);
}

static uint32_t done_before(const struct walk *walk, uint32_t parent, uint64_t time)
{
	return before(walk, &walk->kin->done, parent, kin_done, time);
}

static void find_ends(struct walk *walk, uint32_t life)
{
	const struct kin_lists *reaped = &walk->kin->reaped;
	struct ends ends = { NOBODY, NOBODY };
	uint32_t i;

	for (i = reaped->first[life]; i < reaped->first[life + 1]; i++) {
		uint32_t one = reaped->all[i];
		uint64_t ended = life_of(walk, one)->ended;

		if (ends.last == NOBODY || ended > life_of(walk, ends.last)->ended) {
			ends.second = ends.last;
			ends.last = one;
		} else if (ends.second == NOBODY || ended > life_of(walk, ends.second)->ended) {
			ends.second = one;
		}
		walk->ends[i] = ends;
	}
}

static void count_slots(struct walk *walk, uint32_t life)
{
	const uint32_t *born = walk->kin->born.all + walk->kin->born.first[life];
	const uint32_t *done = walk->kin->done.all + walk->kin->done.first[life];
	uint32_t n = kin_list_size(&walk->kin->born, life), i, gone = 0;
	struct slots *slots = id_table_add(&walk->slots, life_of(walk, life)->id);

	for (i = 0; i < n; i++) {
		while (gone < i && kin_done(life_of(walk, done[gone])) <= life_of(walk, born[i])->born)
			gone++;
		if (i + 1 - gone > slots->most) {
			slots->most = i + 1 - gone;
			slots->times = 0;
		}
		slots->times += i + 1 - gone == slots->most;
	}
}

/* What is looked up in its lists. */
static void prepare(struct walk *walk, uint32_t life)
{
	if (walk->known[life] & SORTED)
		return;
	walk->known[life] |= SORTED;
	kin_sort_done(walk->kin, life);
	kin_sort_reaped(walk->kin, life);
	find_ends(walk, life);
	count_slots(walk, life);
}

/* Which end has it waited for until then? NULL: none. */
static const struct ends *waited_for(struct walk *walk, uint32_t life, uint64_t by)
{
	uint32_t n = before(walk, &walk->kin->reaped, life, reaped_at, by + 1);
	const struct ends *ends;

	if (!n)
		return NULL;
	ends = &walk->ends[walk->kin->reaped.first[life] + n - 1];
	if (walk->known[ends->last] & (ENTERED | WITHIN | LEFT) ||
	    life_of(walk, ends->last)->ended <= walk->critical->from)
		return NULL;
	return ends;
}

/*
 * Without this child, its parent goes on when the next one has ended, but not before it has forked
 * those that it did not wait with.
 */
static uint64_t saved_without(const struct walk *walk, uint32_t parent, const struct ends *ends)
{
	const struct kin_life *child = life_of(walk, ends->last);
	uint64_t then = child->born;
	uint32_t n = born_before(walk, parent, child->ended);

	if (ends->second != NOBODY && life_of(walk, ends->second)->ended > then)
		then = life_of(walk, ends->second)->ended;
	if (n) {
		uint32_t last = walk->kin->born.all[walk->kin->born.first[parent] + n - 1];

		if (life_of(walk, last)->born > then)
			then = life_of(walk, last)->born;
	}
	return child->ended > then ? child->ended - then : 0;
}

/* How many children has it at most, from this time on until it is done with the next one? */
static uint32_t filled_up_to(const struct walk *walk, uint32_t parent, uint64_t from)
{
	uint32_t done = done_before(walk, parent, from + 1);
	uint64_t next = UINT64_MAX;

	if (done < kin_list_size(&walk->kin->done, parent))
		next = kin_done(life_of(walk, walk->kin->done.all[walk->kin->done.first[parent] + done]));
	return born_before(walk, parent, next) - done;
}

/*
 * Were all slots taken until it ended, and again after the fork at this time, with others still there?
 * A parent that is slow to fork leaves some free meanwhile.
 */
static bool freed_slot(struct walk *walk, uint32_t parent, uint32_t child, uint64_t at)
{
	const struct slots *slots = id_table_get(&walk->slots, life_of(walk, parent)->id);
	uint64_t ended = life_of(walk, child)->ended;
	uint32_t taken;

	if (slots->most < FEWEST_SLOTS || slots->times < AGAIN ||
	    life_of(walk, child)->creator != parent)
		return false;
	taken = born_before(walk, parent, ended) - done_before(walk, parent, ended);
	if (taken < slots->most - slots->most / 4 ||
	    born_before(walk, parent, at) <= done_before(walk, parent, at + 1) ||
	    filled_up_to(walk, parent, at) != slots->most)
		return false;
	if (slots->most > walk->critical->slots)
		walk->critical->slots = slots->most;
	return true;
}

/* Into the child that it has waited for; @forks: until it forked, at this time. */
static void enter(struct walk *walk, const struct ends *ends, bool forks, uint64_t at)
{
	const struct frame *above = &walk->frames[walk->depth - 1];
	uint64_t saves = saved_without(walk, above->life, ends);

	walk->known[ends->last] |= ENTERED;
	push(walk, (struct frame){
			   .life = ends->last,
			   .saves = saves < above->saves ? saves : above->saves,
			   .slots = above->slots || (forks && freed_slot(walk, above->life, ends->last, at)),
		   });
}

/* From a birth to the process that forked: mostly to where that waited for it. */
static void leave(struct walk *walk)
{
	struct frame frame = walk->frames[walk->depth - 1];
	uint32_t creator = life_of(walk, frame.life)->creator;

	pop(walk);
	if (creator == NOBODY || walk->known[creator] & LEFT)
		return;
	if (!(walk->known[creator] & WITHIN)) {
		frame.life = creator;
		push(walk, frame);
	}
	while (walk->frames[walk->depth - 1].life != creator)
		pop(walk);
}

static void reverse(struct critical *critical)
{
	uint32_t i, n = critical->count;

	for (i = 0; i < n / 2; i++) {
		struct critical_step step = critical->steps[i];

		critical->steps[i] = critical->steps[n - 1 - i];
		critical->steps[n - 1 - i] = step;
	}
}

static void walk_back(struct walk *walk)
{
	const struct critical *critical = walk->critical;
	uint64_t at = critical->to, birth;
	const struct ends *ends;
	bool forks = false;
	uint32_t life;

	for (;;) {
		life = walk->frames[walk->depth - 1].life;
		prepare(walk, life);
		ends = waited_for(walk, life, at);
		if (ends) {
			add_step(walk, life_of(walk, ends->last)->ended, at);
			enter(walk, ends, forks, at);
			at = life_of(walk, ends->last)->ended;
			forks = false;
			continue;
		}
		birth = life_of(walk, life)->born;
		if (birth <= critical->from || life == critical->root)
			birth = critical->from;
		birth = birth < at ? birth : at;
		add_step(walk, birth, at);
		if (birth == critical->from)
			return;
		at = birth;
		leave(walk);
		forks = true;
	}
}

void critical_walk(struct critical *critical)
{
	struct walk walk = { .critical = critical, .kin = &critical->kin };

	walk.known = calloc(critical->kin.count, sizeof(*walk.known));
	walk.ends = malloc(((size_t)critical->kin.count + 1) * sizeof(*walk.ends));
	if (!walk.known || !walk.ends)
		die_no_memory();
	id_table_init(&walk.slots, sizeof(struct slots));
	push(&walk, (struct frame){ .life = critical->root, .saves = UINT64_MAX });
	walk_back(&walk);
	reverse(critical);
	id_table_free(&walk.slots);
	free(walk.frames);
	free(walk.ends);
	free(walk.known);
}
