// SPDX-License-Identifier: GPL-2.0-only
#include "property.h"

struct trace *trace;
bool snapshot;
struct truth **truth_of_id;
size_t ids;
bool streaming;
uint64_t now;
uint64_t seed;
struct sums process_sums, task_sums;

static void add_phase(struct sums *sums, enum proclife_phase phase, uint64_t ns)
{
	sums->count[phase]++;
	sums->sum[phase] += ns;
}

/* The true length of a phase between these marks; 0 if there is none. */
static uint64_t true_phase(enum proclife_phase phase, const uint64_t marks[5])
{
	static const struct {
		unsigned int from, to;
	} between[PROCLIFE_PHASES] = {
		[PROCLIFE_LIFE] = { 0, 1 },	[PROCLIFE_TEARDOWN] = { 1, 2 },
		[PROCLIFE_ZOMBIE] = { 2, 3 },	[PROCLIFE_RCU_FREE] = { 3, 4 },
		[PROCLIFE_EXIT_FREE] = { 1, 4 },
	};
	uint64_t from = marks[between[phase].from], to = marks[between[phase].to];

	if (phase == PROCLIFE_ZOMBIE && !from)
		from = marks[1]; /* no parent was notified */
	return from && to ? to - from : 0;
}

void add_process_phases(const struct proclife_process *process, const struct truth *truth)
{
	const uint64_t marks[] = { truth->born, truth->exited, truth->notified, truth->reaped,
				   truth->open ? 0 : truth->freed };

	for (unsigned int i = 0; i < PROCLIFE_PHASES; i++) {
		enum proclife_phase phase = (enum proclife_phase)i;
		uint64_t ns;

		if (proclife_process_phase(process, phase, &ns)) {
			check(ns == true_phase(phase, marks));
			add_phase(&process_sums, phase, ns);
		} else if (!process->incomplete && (truth->born || snapshot) && process->start) {
			check(!true_phase(phase, marks));
		}
	}
}

void add_task_phases(const struct proclife_task *task, const struct truth_task *own, bool certain)
{
	const uint64_t marks[] = { own->born, own->exited, 0, own->reaped, own->freed };

	for (unsigned int i = 0; i < PROCLIFE_PHASES; i++) {
		enum proclife_phase phase = (enum proclife_phase)i;
		uint64_t ns;

		if (!proclife_task_phase(task, phase, &ns))
			continue;
		check(ns == true_phase(phase, marks) || !certain);
		add_phase(&task_sums, phase, ns);
	}
}

bool touched(uint64_t began, uint64_t freed)
{
	const struct proclife_gap *gaps;
	size_t count;

	gaps = trace_gaps(trace, &count);
	for (size_t i = 0; i < count; i++) {
		if (gaps[i].to >= began && (!freed || gaps[i].from <= freed))
			return true;
	}
	return false;
}

void check_latency(const struct proclife_latency *latency, const struct sums *sums)
{
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_histogram *histogram =
			proclife_latency_phase(latency, (enum proclife_phase)phase);
		uint64_t count = sums->count[phase];

		check(proclife_histogram_count(histogram) == count);
		if (count)
			check(proclife_histogram_mean(histogram) ==
			      (double)sums->sum[phase] / (double)count);
	}
}

static void check_node(const struct proclife_node *node)
{
	const struct truth *truth = truth_of_id[node->id - 1], *above;

	check(node->gone);
	check(!node->next || node->next->id > node->id);
	check(!node->parent || node->parent->id < node->id || node->parent->older);
	if (!truth)
		return;
	if (!node->parent) {
		check(!truth->parent || truth->buried || node->older || touched(0, truth->born) ||
		      (!snapshot && node->parent_tgid == 1));
		return;
	}
	above = truth_of_id[node->parent->id - 1];
	check(node->parent->tgid == truth->parent_tgid);
	/* A process whose birth was lost can look like another with the same handle and pid. */
	check((above && above->start == truth->parent) || node->parent->incomplete);
}

void check_tree(struct proclife_tree *tree)
{
	const struct proclife_node *node = proclife_tree_roots(tree);
	uint64_t count = 0;

	while (node) {
		check_node(node);
		count++;
		if (node->child) {
			node = node->child;
			continue;
		}
		while (node && !node->next)
			node = node->parent;
		node = node ? node->next : NULL;
	}
	check(count == ids);
	check(count == proclife_tree_size(tree));
}
