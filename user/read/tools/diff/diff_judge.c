// SPDX-License-Identifier: GPL-2.0-only
/*
 * What has changed. A figure is compared over all groups that have it in every run, as what they share
 * is seen in all of them. With one run a side, significance.h has the tests; with several, spread.h.
 */
#include "output/array.h"
#include "output/message.h"
#include "tools/diff/diff_parts.h"
#include "tools/diff/significance.h"
#include "tools/diff/spread.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double percents[] = { 50, 90, 99, 99.9 };

#define PERCENTS (sizeof(percents) / sizeof(percents[0]))

/* A figure of all groups that can be compared by it. */
struct set {
	enum figure figure;
	double percent;
	size_t count;
	struct row **rows;
	struct sample *samples;
	double *logs; /* of the runs of the first, of the second, ... */
};

static bool has_times(const struct diff *diff, const struct row *row, enum figure figure,
		      double percent)
{
	size_t r;

	for (r = 0; r < diff->runs; r++) {
		const struct proclife_histogram *h = row->cells[r].times[figure];

		if (!h || proclife_histogram_count(h) < LEAST ||
		    !has_percentile(proclife_histogram_count(h), percent))
			return false;
	}
	return true;
}

/* Those of one side alone are another matter. */
static bool has_lives(const struct diff *diff, const struct row *row)
{
	return (row_fewest(diff, row, 0) >= LEAST && row_lives(diff, row, 1)) ||
	       (row_fewest(diff, row, 1) >= LEAST && row_lives(diff, row, 0));
}

static bool is_in(const struct diff *diff, const struct row *row, const struct set *set)
{
	if (set->figure == FIGURE_LIVES)
		return has_lives(diff, row);
	/* If what it waits for lives longer, so does it: that is no news, and says nothing of others. */
	if (set->figure == FIGURE_LIFE &&
	    (row->above || row->changed & FIGURE(ALONE) || diff->shared & FIGURE(ALONE)))
		return false;
	return has_times(diff, row, set->figure, set->percent);
}

static void set_logs(const struct diff *diff, const struct set *set, size_t i)
{
	const struct row *row = set->rows[i];
	double *logs = set->logs + i * diff->runs, variance = 0;
	size_t r;

	for (r = 0; r < diff->runs; r++) {
		const struct cell *cell = &row->cells[r];
		const struct proclife_histogram *h =
			set->figure < FIGURE_TIMES ? cell->times[set->figure] : NULL;

		if (h) {
			logs[r] = log_time(proclife_histogram_percentile(h, set->percent));
			variance += percentile_variance(h, set->percent);
		} else {
			/* Poisson's distribution, unless the work is the same each time */
			logs[r] = log((double)cell->lives + 0.5);
			variance += diff->is_constant ? 0 : 1 / ((double)cell->lives + 0.5);
		}
	}
	set->samples[i].runs = logs;
	set->samples[i].variance = variance / (double)diff->runs;
}

static void set_make(struct diff *diff, struct set *set, enum figure figure, double percent)
{
	size_t i;

	*set = (struct set){ .figure = figure, .percent = percent };
	set->rows = calloc(diff->row_count + 1, sizeof(*set->rows));
	if (!set->rows)
		die_no_memory();
	for (i = 0; i < diff->row_count; i++)
		if (is_in(diff, &diff->rows[i], set))
			set->rows[set->count++] = &diff->rows[i];
	set->samples = calloc(set->count + 1, sizeof(*set->samples));
	set->logs = calloc((set->count + 1) * diff->runs, sizeof(*set->logs));
	if (!set->samples || !set->logs)
		die_no_memory();
	for (i = 0; i < set->count; i++)
		set_logs(diff, set, i);
}

static void set_free(struct set *set)
{
	free(set->rows);
	free(set->samples);
	free(set->logs);
}

static struct change *add_change(struct diff *diff, struct row *row, enum figure figure)
{
	size_t n = diff->change_count;

	ARRAY_GROW(diff->changes, diff->change_count, diff->change_room);
	diff->change_count++;
	diff->changes[n] = (struct change){
		.row = row, .figure = figure, .shared = 1, .number = n,
	};
	if (row)
		row->changed |= 1u << figure;
	return &diff->changes[n];
}

/* The time, or the number of lives, that @log is the logarithm of. */
static uint64_t figure_of(const struct set *set, double log)
{
	double value = exp(log) - (set->figure < FIGURE_TIMES ? LEAST_CHANGE : 0.5);

	if (!(value > 0))
		return 0;
	return value < 0x1p63 ? (uint64_t)(value + 0.5) : 1ULL << 63;
}

static uint64_t lives_of(const struct diff *diff, const struct set *set, const struct row *row,
			 unsigned int side)
{
	size_t r = side ? diff->sides[0].count : 0, end = r + diff->sides[side].count;
	uint64_t sum = 0;

	if (set->figure >= FIGURE_TIMES)
		return row_lives(diff, row, side);
	for (; r < end; r++)
		add_count(&sum, proclife_histogram_count(row->cells[r].times[set->figure]));
	return sum;
}

/* Below 1 there is nothing, so a ratio begins there. */
static double ratio_of(uint64_t a, uint64_t b)
{
	return (double)(b ? b : 1) / (double)(a ? a : 1);
}

static void claim(struct diff *diff, const struct set *set, size_t i, double shared)
{
	struct change *change = add_change(diff, set->rows[i], set->figure);
	const struct sample *sample = &set->samples[i];

	change->percent = set->percent;
	change->a = figure_of(set, sample->a);
	change->b = figure_of(set, sample->b);
	change->ratio = ratio_of(change->a, change->b);
	change->shared = exp(shared);
	change->count_a = lives_of(diff, set, set->rows[i], 0);
	change->count_b = lives_of(diff, set, set->rows[i], 1);
}

static void claim_shared(struct diff *diff, const struct set *set, double shared)
{
	struct change *change = add_change(diff, NULL, set->figure);

	diff->shared |= 1u << set->figure;
	change->percent = set->percent;
	change->ratio = exp(shared);
	change->groups = set->count;
}

static enum figure sum_of(enum figure part)
{
	enum proclife_phase sum = proclife_phase_info(part - FIGURE_PHASES)->part_of;

	return sum < PROCLIFE_PHASES ? FIGURE_PHASES + sum : FIGURES;
}

static bool is_sum(enum figure figure)
{
	enum figure part;

	for (part = FIGURE_PHASES; part < FIGURE_TIMES; part++)
		if (sum_of(part) == figure)
			return true;
	return false;
}

/* Has a part of the sum changed, or the figure itself at a lower percentile? */
static bool is_known(unsigned int changed, enum figure figure)
{
	enum figure part;

	for (part = FIGURE_PHASES; part < FIGURE_TIMES; part++)
		if (sum_of(part) == figure && is_known(changed, part))
			return true;
	return changed & 1u << figure;
}

/* Is the difference one that users can meet? */
static bool is_felt(const struct diff *diff, const struct set *set, const struct sample *sample,
		    double shared)
{
	double from = exp(sample->a + shared), to = exp(sample->b);

	return fabs(sample->b - sample->a - shared) >= log(diff->options->diff.factor) - 1e-9 &&
	       (set->figure >= FIGURE_TIMES || fabs(to - from) >= LEAST_CHANGE);
}

static bool are_most_felt(const struct diff *diff, const struct set *set)
{
	size_t felt = 0, i;

	for (i = 0; i < set->count; i++)
		felt += is_felt(diff, set, &set->samples[i], 0);
	return 2 * felt > set->count;
}

/*
 * One run a side
 */

static bool differs(const struct diff *diff, const struct set *set, size_t i, double shared)
{
	const struct cell *a = &set->rows[i]->cells[0], *b = &set->rows[i]->cells[1];
	double factor = diff->options->diff.factor;

	if (set->figure == FIGURE_LIVES)
		return counts_differ(a->lives, b->lives, factor, exp(shared));
	return percentile_differs(a->times[set->figure], b->times[set->figure], set->percent, factor,
				  exp(shared));
}

/* What most groups have become; 0: they do not agree. */
static double shared_by_most(const struct diff *diff, const struct set *set, double *changes)
{
	size_t longer = 0, shorter = 0, i;
	double shared;

	for (i = 0; i < set->count; i++) {
		changes[i] = log(ratio_of(figure_of(set, set->samples[i].a),
					  figure_of(set, set->samples[i].b)));
		if (differs(diff, set, i, 0))
			++*(changes[i] > 0 ? &longer : &shorter);
	}
	shared = median_nearest_none(changes, set->count);
	if (set->count < 2 || 2 * (shared > 0 ? longer : shorter) <= set->count ||
	    fabs(shared) < log(diff->options->diff.factor))
		return 0;
	return shared;
}

static void judge_one(struct diff *diff, const struct set *set)
{
	double *changes = calloc(set->count, sizeof(*changes)), shared;
	size_t i;

	if (!changes)
		die_no_memory();
	for (i = 0; i < set->count; i++) {
		set->samples[i].a = set->samples[i].runs[0];
		set->samples[i].b = set->samples[i].runs[1];
	}
	shared = shared_by_most(diff, set, changes);
	if (shared && !is_known(diff->shared, set->figure))
		claim_shared(diff, set, shared);
	for (i = 0; i < set->count; i++)
		if (!is_known(set->rows[i]->changed, set->figure) && differs(diff, set, i, shared))
			claim(diff, set, i, shared);
	free(changes);
}

/*
 * Several runs a side
 */

static void note_noise(struct diff *diff, const struct set *set, const struct spread *spread)
{
	struct noise *noise = &diff->noise[set->figure];
	double worst = 0;
	size_t i;

	noise->groups = set->count;
	noise->shared = exp(least_beyond_noise(spread->shared_error, spread->shared_freedom,
					       diff->comparisons));
	for (i = 0; i < set->count; i++)
		worst = fmax(worst, set->samples[i].error);
	if (spread->freedom > 0)
		noise->group = exp(least_beyond_noise(worst, spread->freedom, diff->comparisons));
}

static void judge_several(struct diff *diff, const struct set *set)
{
	struct spread spread;
	size_t i;

	spread_measure(set->samples, set->count, diff->sides[0].count, diff->sides[1].count, &spread);
	if (set->percent == 50)
		note_noise(diff, set, &spread);
	if (!is_known(diff->shared, set->figure) && are_most_felt(diff, set) &&
	    fabs(spread.shared) >= log(diff->options->diff.factor) &&
	    is_beyond_noise(spread.shared, spread.shared_error, spread.shared_freedom,
			    diff->comparisons)) {
		/* What one alone shares with all is its own. */
		if (set->count > 1)
			claim_shared(diff, set, spread.shared);
		else if (!is_known(set->rows[0]->changed, set->figure))
			claim(diff, set, 0, 0);
	}
	for (i = 0; i < set->count; i++)
		if (!is_known(set->rows[i]->changed, set->figure) &&
		    is_felt(diff, set, &set->samples[i], spread.shared) &&
		    is_beyond_noise(set->samples[i].change, set->samples[i].error, spread.freedom,
				    diff->comparisons))
			claim(diff, set, i, spread.shared);
}

static void judge_figure(struct diff *diff, enum figure figure)
{
	size_t count = figure < FIGURE_TIMES ? PERCENTS : 1, i, k;
	struct set set;

	for (i = 0; i < count; i++) {
		set_make(diff, &set, figure, percents[i]);
		for (k = 0; !i && k < set.count; k++)
			set.rows[k]->compared |= 1u << figure;
		if (set.count && diff_has_several(diff))
			judge_several(diff, &set);
		else if (set.count)
			judge_one(diff, &set);
		set_free(&set);
	}
}

/* A program that is on one side alone, in all its runs. */
static void judge_only(struct diff *diff)
{
	unsigned int side;
	size_t i;

	for (i = 0; i < diff->row_count; i++) {
		struct row *row = &diff->rows[i];

		for (side = 0; side < 2; side++) {
			struct change *change;

			if (row_fewest(diff, row, side) < LEAST || row_lives(diff, row, !side))
				continue;
			row->compared |= FIGURE(LIVES);
			change = add_change(diff, row, FIGURE_LIVES);
			*(side ? &change->b : &change->a) = row_lives(diff, row, side);
		}
	}
}

/* The largest share of a run of the side that failed, or the smallest. */
static double share_failed(const struct diff *diff, const struct row *row, unsigned int side,
			   bool largest)
{
	size_t r = side ? diff->sides[0].count : 0, end = r + diff->sides[side].count;
	double found = largest ? 0 : 1;

	for (; r < end; r++) {
		const struct cell *cell = &row->cells[r];
		double share = cell->lives ? (double)cell->failed / (double)cell->lives : 0;

		found = largest ? fmax(found, share) : fmin(found, share);
	}
	return found;
}

/* What fails in one run of a side fails there for a reason: all have to fail more often, or less. */
static bool runs_agree(const struct diff *diff, const struct row *row)
{
	return share_failed(diff, row, 0, true) < share_failed(diff, row, 1, false) ||
	       share_failed(diff, row, 1, true) < share_failed(diff, row, 0, false);
}

static void judge_failures(struct diff *diff)
{
	size_t count = 0, i;

	for (i = 0; i < diff->row_count; i++)
		count += row_failed(diff, &diff->rows[i], 0) || row_failed(diff, &diff->rows[i], 1);
	for (i = 0; i < diff->row_count; i++) {
		struct row *row = &diff->rows[i];
		uint64_t lives_a = row_lives(diff, row, 0), lives_b = row_lives(diff, row, 1);
		uint64_t a = row_failed(diff, row, 0), b = row_failed(diff, row, 1);
		struct change *change;

		if (!lives_a || !lives_b || (!a && !b))
			continue;
		row->compared |= FIGURE(FAILED);
		if (failures_chance(a, lives_a, b, lives_b) >= FALSE_CLAIMS / (double)count ||
		    !runs_agree(diff, row))
			continue;
		change = add_change(diff, row, FIGURE_FAILED);
		change->a = a;
		change->b = b;
		change->ratio = a ? (double)b / (double)lives_b / ((double)a / (double)lives_a) : 0;
		change->count_a = lives_a;
		change->count_b = lives_b;
	}
}

/*
 * All of it
 */

static int sort_key(const struct change *change)
{
	if (!change->row)
		return 0;
	return change->figure == FIGURE_FAILED ? 1 : change->figure == FIGURE_LIVES ? 2 : 3;
}

/* How far it is from what all groups have become. */
static double size_of(const struct change *change)
{
	return change->ratio > 0 ? fabs(log(change->ratio / change->shared)) : INFINITY;
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (sort_key(x) != sort_key(y))
		return sort_key(x) - sort_key(y);
	if (x->row && size_of(x) != size_of(y))
		return size_of(x) > size_of(y) ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_changes(struct diff *diff)
{
	size_t i;

	if (diff->change_count)
		qsort(diff->changes, diff->change_count, sizeof(*diff->changes), compare_changes);
	for (i = 0; i < diff->change_count; i++)
		if (diff->changes[i].row)
			diff->changes[i].row->change[diff->changes[i].figure] = i + 1;
}

static bool is_constant(const struct diff *diff)
{
	size_t a = diff->sides[0].count, i, r;

	for (i = 0; i < diff->row_count; i++)
		for (r = 1; r < diff->runs; r++)
			if (r != a && diff->rows[i].cells[r].lives != diff->rows[i].cells[r - 1].lives)
				return false;
	return diff_has_several(diff);
}

/* Each group's, and what they share. */
static void count_comparisons(struct diff *diff)
{
	enum figure figure;
	size_t i, k, count;

	for (figure = 0; figure <= FIGURE_LIVES; figure++)
		for (k = 0; k < (figure < FIGURE_TIMES ? PERCENTS : 1); k++) {
			for (i = 0, count = 0; i < diff->row_count; i++)
				count += figure < FIGURE_TIMES ?
						 has_times(diff, &diff->rows[i], figure, percents[k]) :
						 has_lives(diff, &diff->rows[i]);
			diff->comparisons += count ? count + 1 : 0;
		}
}

void diff_judge(struct diff *diff)
{
	const unsigned int times = FIGURE(LIVES) - 1;
	enum figure figure;
	size_t i;

	diff->is_constant = is_constant(diff);
	count_comparisons(diff);
	judge_figure(diff, FIGURE_ALONE);
	judge_figure(diff, FIGURE_LIVES);
	judge_only(diff);
	if (diff->by == PROCLIFE_BY_COMM && !diff->options->threads)
		diff_mark_above(diff);
	/* If a part has changed, the sum is no news. */
	for (figure = FIGURE_PHASES; figure < FIGURE_TIMES; figure++)
		if (!is_sum(figure))
			judge_figure(diff, figure);
	for (figure = FIGURE_PHASES; figure < FIGURE_TIMES; figure++)
		if (is_sum(figure))
			judge_figure(diff, figure);
	judge_failures(diff);
	sort_changes(diff);
	for (i = 0; i < diff->row_count; i++)
		diff->compared += !!(diff->rows[i].compared & times);
}
