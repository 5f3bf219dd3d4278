// SPDX-License-Identifier: GPL-2.0-only
/* What bounded the time that a process took. */
#include "output/message.h"
#include "output/quoted.h"
#include "views/critical/critical.h"
#include "views/share/when.h"
#include <errno.h>
#include <stdlib.h>

int critical_init(struct critical *critical, struct run *run)
{
	critical->run = run;
	critical->root = NOBODY;
	return kin_init(&critical->kin, run);
}

void critical_free(struct critical *critical)
{
	kin_free(&critical->kin);
	free(critical->steps);
}

static int begin(struct run *run, void **state)
{
	struct critical *critical = calloc(1, sizeof(*critical));

	if (!critical)
		return -ENOMEM;
	*state = critical;
	return critical_init(critical, run);
}

static void end(void *state)
{
	struct critical *critical = state;

	if (!critical)
		return;
	critical_free(critical);
	free(critical);
}

/* What is asked for by name: nothing else is looked at. */
static bool is_named(const struct run *run, const struct kin_life *life)
{
	if (run->command)
		return life->tgid == (uint32_t)run->command;
	return life->named || !run->options->pids.count;
}

static bool has_ended(const struct run *run, const struct kin_life *life)
{
	return !life->open && life->ended && life->ended <= run_to(run);
}

/* @ended: it has to have; otherwise, to have begun. */
static bool can_be_root(const struct run *run, const struct kin_life *life, bool ended)
{
	if (life->kthread || !overlaps_range(run, life->born, life->open ? run->ended : life->ended))
		return false;
	return ended ? has_ended(run, life) : !life->older;
}

/* How much of it is looked at. */
static uint64_t length(const struct run *run, const struct kin_life *life)
{
	uint64_t from = life->born > run_from(run) ? life->born : run_from(run);
	uint64_t to = has_ended(run, life) ? life->ended : run_to(run);

	return to > from ? to - from : 0;
}

/* The longest one of those that were asked for; ended ones first. */
static uint32_t named_root(const struct critical *critical)
{
	const struct run *run = critical->run;
	const struct kin_life *all = critical->kin.all;
	uint32_t best = NOBODY, i;

	for (i = 0; i < critical->kin.count; i++) {
		if (!is_named(run, &all[i]) || kin_creator(&critical->kin, i) != NOBODY)
			continue;
		if (best == NOBODY || has_ended(run, &all[i]) > has_ended(run, &all[best]) ||
		    (has_ended(run, &all[i]) == has_ended(run, &all[best]) &&
		     length(run, &all[i]) > length(run, &all[best])))
			best = i;
	}
	return best;
}

#define ABOVE 1	  /* it, or one above it, can be the root */
#define NOT_ABOVE 2

/* Is one of those above it to be the root, if it can? What is found out of them is kept. */
static bool has_root_above(const struct critical *critical, uint32_t life, bool ended, uint8_t *known)
{
	uint32_t first = kin_creator(&critical->kin, life), i;
	uint8_t found = NOT_ABOVE;

	for (i = first; i != NOBODY && !known[i]; i = kin_creator(&critical->kin, i)) {
		known[i] = NOT_ABOVE; /* where handles made a circle of them, it ends here */
		if (can_be_root(critical->run, &critical->kin.all[i], ended)) {
			known[i] = ABOVE;
			break;
		}
	}
	if (i != NOBODY)
		found = known[i];
	for (i = first; i != NOBODY && known[i] != found; i = kin_creator(&critical->kin, i))
		known[i] = found;
	return found == ABOVE;
}

/* Nothing was asked for: the longest life of those that nothing above them explains. */
static uint32_t longest_root(struct critical *critical, bool ended)
{
	const struct kin_life *all = critical->kin.all;
	uint8_t *known = calloc((size_t)critical->kin.count + 1, sizeof(*known));
	uint32_t best = NOBODY, i;

	if (!known)
		die_no_memory();
	for (i = 0; i < critical->kin.count; i++) {
		if (!can_be_root(critical->run, &all[i], ended) ||
		    has_root_above(critical, i, ended, known))
			continue;
		critical->candidates++;
		if (best == NOBODY ||
		    length(critical->run, &all[i]) > length(critical->run, &all[best]))
			best = i;
	}
	free(known);
	return best;
}

static uint32_t choose(struct critical *critical)
{
	const struct run *run = critical->run;
	uint32_t root;

	if (run->command || run->options->pids.count)
		return named_root(critical);
	root = longest_root(critical, true);
	return root == NOBODY ? longest_root(critical, false) : root;
}

void critical_explain(struct critical *critical)
{
	const struct run *run = critical->run;
	struct kin *kin = &critical->kin;
	bool ended;

	kin_order(kin);
	critical->root = choose(critical);
	if (critical->root == NOBODY)
		return;
	critical->from = run_from(run);
	if (kin->all[critical->root].born > critical->from)
		critical->from = kin->all[critical->root].born;
	critical->to = run_to(run);
	ended = has_ended(run, &kin->all[critical->root]);
	if (ended)
		critical->to = kin->all[critical->root].ended;
	if (critical->to < critical->from)
		critical->to = critical->from;
	kin_link(kin, critical->to, !ended);
	critical_walk(critical);
	critical_look_beside(critical);
}

/* A life that was left out is a step of its parent. */
static void warn_of_slice(const struct run *run)
{
	const struct proclife_run_info *recorded = proclife_recording_info(run->source);
	uint64_t whole = whole_since(run->source);
	char since[WHEN_SIZE];

	if (recorded && info_is_slice(recorded))
		message("--critical-path: %s is a slice: a process that waited for one that was left out seems to have worked itself; ask the recording that it is a slice of",
			quoted(run->options->inputs.all[0]));
	if (whole)
		message("--critical-path: %s is whole since %s: a process that waited for one that had ended before seems to have worked itself",
			quoted(run->options->inputs.all[0]), when_text(run, whole, since));
}

static void print(const struct run *run, void *state)
{
	struct critical *critical = state;

	warn_of_slice(run);
	critical_explain(critical);
	if (run->options->json)
		critical_print_json(critical);
	else
		critical_print_text(critical);
}

const struct view view_critical = {
	.request = {
		.name = "critical-path",
		.help = "What bounded the time it took: the chain of waits",
		.scope = "explains the end of one process and needs all below it",
		.takes = OF_DEVICE | GIVEN(PID) | GIVEN(FROM) | GIVEN(TO) | GIVEN(INPUT) | GIVEN(COMMAND) |
			 GIVEN(HISTORY) | GIVEN(DURATION) | GIVEN(COUNT) | GIVEN(RECORD) | GIVEN(METRICS) | GIVEN(EXPECT) |
			 GIVEN(NO_FOLD),
		.combines = true,
		.range = RANGE_OF_LIVES,
	},
	.begin = begin,
	.print = print,
	.free = end,
};
