// SPDX-License-Identifier: GPL-2.0-only
/*
 * judge TRUTH: print the head of the table and the row of the truth itself.
 * judge TRUTH NAME FORMAT: read on standard input what an observer of that forest says, and print
 * its row of the table; FORMAT is the tool whose text it is.
 *
 * A process of the truth and a life of the observer are the same if the pid is and the life begins
 * within the call that made the process; a life whose beginning the observer has not seen is the
 * one that this pid has before it is used again.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../forest/truth.h"
#include "lives.h"

/* The tools round times to a microsecond. */
#define ROUNDING 1000

static const struct {
	const char *name;
	reader read;
} formats[] = {
	{ "proclife", read_proclife },	{ "trace-cmd", read_trace_cmd }, { "perf", read_perf },
	{ "strace", read_strace },	{ "connector", read_connector },
};

static const struct forest *forest;
static uint32_t processes; /* of the truth; slots 1 to processes */
static struct lives lives;

static uint32_t *truth_order; /* slots by pid and time */
static uint32_t *life_order;
static uint32_t *life_of; /* of each slot; NO_LIFE if it was missed */
static uint32_t *slot_of; /* of each life; 0 if it is none of the forest's */

static void *make(size_t count, size_t size)
{
	void *array = calloc(count + 1, size);

	if (!array)
		err(1, "judging");
	return array;
}

static void open_truth(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	if ((size_t)st.st_size < sizeof(*forest))
		errx(1, "%s: not the truth about a forest", path);
	forest = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (forest == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	if (forest->magic != FOREST_MAGIC || !forest->complete)
		errx(1, "%s: not the truth about a forest, or not all of it", path);
	processes = forest->used - 1;
}

static int by_pid(uint32_t pid_a, uint64_t ts_a, uint32_t pid_b, uint64_t ts_b)
{
	if (pid_a != pid_b)
		return pid_a < pid_b ? -1 : 1;
	return ts_a < ts_b ? -1 : ts_a > ts_b;
}

static int by_truth(const void *a, const void *b)
{
	const struct forest_process *x = &forest->process[*(const uint32_t *)a];
	const struct forest_process *y = &forest->process[*(const uint32_t *)b];

	return by_pid(x->pid, x->after, y->pid, y->after);
}

static int by_life(const void *a, const void *b)
{
	const struct life *x = &lives.life[*(const uint32_t *)a];
	const struct life *y = &lives.life[*(const uint32_t *)b];

	return by_pid(x->pid, x->seen, y->pid, y->seen);
}

static void sort_truth(void)
{
	uint32_t i;

	truth_order = make(processes, sizeof(*truth_order));
	for (i = 0; i < processes; i++)
		truth_order[i] = i + 1;
	qsort(truth_order, processes, sizeof(*truth_order), by_truth);
}

static void sort_lives(void)
{
	uint32_t i;

	life_order = make(lives.count, sizeof(*life_order));
	for (i = 0; i < lives.count; i++)
		life_order[i] = i;
	qsort(life_order, lives.count, sizeof(*life_order), by_life);
}

/* The lives [*from, *to) in their order that can be this process, which is the i-th of the truth. */
static void find_window(uint32_t i, uint32_t *from, uint32_t *to)
{
	const struct forest_process *p = &forest->process[truth_order[i]];
	uint64_t end = UINT64_MAX;

	if (i + 1 < processes && forest->process[truth_order[i + 1]].pid == p->pid)
		end = forest->process[truth_order[i + 1]].after - ROUNDING;
	while (*from < lives.count && by_pid(lives.life[life_order[*from]].pid,
					     lives.life[life_order[*from]].seen, p->pid,
					     p->after - ROUNDING) < 0)
		(*from)++;
	for (*to = *from; *to < lives.count; (*to)++) {
		const struct life *life = &lives.life[life_order[*to]];

		if (life->pid != p->pid || life->seen >= end)
			break;
	}
}

static void match(void)
{
	uint32_t from = 0, to, i, j;

	life_of = make(processes + 1, sizeof(*life_of));
	slot_of = make(lives.count, sizeof(*slot_of));
	life_of[0] = NO_LIFE;
	for (i = 0; i < processes; i++) {
		const struct forest_process *p = &forest->process[truth_order[i]];
		uint32_t found = NO_LIFE;

		find_window(i, &from, &to);
		for (j = from; j < to && found == NO_LIFE; j++)
			if (lives.life[life_order[j]].forked &&
			    lives.life[life_order[j]].seen <= p->before + ROUNDING)
				found = life_order[j];
		for (j = from; j < to && found == NO_LIFE; j++)
			if (!lives.life[life_order[j]].forked)
				found = life_order[j];
		life_of[truth_order[i]] = found;
		if (found != NO_LIFE)
			slot_of[found] = truth_order[i];
	}
}

struct row {
	uint64_t missed;
	uint64_t extra;
	uint64_t orphans;
	uint64_t parents;
	uint64_t names;
	uint64_t cycles;
	uint64_t unpaired;
	uint64_t status;
	uint64_t reaper;
};

/*
 * From each life to its ancestors: those that are their own ancestors make a cycle, and what
 * descends from the forest without being a process of it was made up.
 */
static void judge_ancestors(struct row *row)
{
	enum { UNKNOWN, ON_PATH, FOREIGN, OURS };
	uint32_t *path = make(lives.count, sizeof(*path));
	uint8_t *state = make(lives.count, 1);
	uint32_t i, at, first, length;
	uint8_t verdict;

	for (i = 0; i < lives.count; i++) {
		length = 0;
		for (at = i; at != NO_LIFE && state[at] == UNKNOWN; at = lives.life[at].parent) {
			state[at] = ON_PATH;
			path[length++] = at;
		}
		verdict = at != NO_LIFE && state[at] == OURS ? OURS : FOREIGN;
		if (at != NO_LIFE && state[at] == ON_PATH) {
			first = at;
			do {
				row->cycles++;
				at = lives.life[at].parent;
			} while (at != first);
		}
		while (length--) {
			if (slot_of[path[length]])
				verdict = OURS;
			else if (verdict == OURS)
				row->extra++;
			state[path[length]] = verdict;
		}
	}
	free(path);
	free(state);
}

static void show_fault(const char *what, uint32_t slot, const struct life *life)
{
	const struct forest_process *p = &forest->process[slot];
	static unsigned int shown;

	if (!getenv("JUDGE_FAULTS") || shown++ >= 100)
		return;
	fprintf(stderr, "%s: pid %u parent %u name \"%s\" status %#x reaper %u at %" PRIu64 "\n",
		what, p->pid, p->parent_pid, p->name, p->status, p->reaper, p->after);
	if (!life)
		return;
	fprintf(stderr, "\tsaid: pid %u parent %d name \"%s\" status %#x reaper %u at %" PRIu64 "\n",
		life->pid, life->parent == NO_LIFE ? -1 : (int)lives.life[life->parent].pid,
		life->name, life->status, life->reaper, life->seen);
}

static void count(uint64_t *counter, bool is_fault, const char *what, uint32_t slot,
		  const struct life *life)
{
	if (!is_fault)
		return;
	++*counter;
	show_fault(what, slot, life);
}

static void judge_process(struct row *row, uint32_t slot)
{
	const struct forest_process *p = &forest->process[slot];
	const struct life *life = &lives.life[life_of[slot]];

	if (life_of[slot] == NO_LIFE) {
		count(&row->missed, true, "missed", slot, NULL);
		return;
	}
	/* The parent of the root is not of the forest: it has no slot to compare with. */
	if (life->parent == NO_LIFE)
		count(&row->orphans, p->parent, "orphan", slot, life);
	else if (p->parent)
		count(&row->parents, life->parent != life_of[p->parent], "parent", slot, life);
	count(&row->names, strcmp(life->name, p->name), "name", slot, life);
	count(&row->unpaired, !life->forked || !life->exited, "exit", slot, life);
	count(&row->status, lives.tells_status && life->status != p->status, "status", slot, life);
	count(&row->reaper, lives.tells_reaper && life->reaper != p->reaper, "reaper", slot, life);
}

static void judge(const char *name, reader read)
{
	uint64_t senseless = read(&lives, stdin, forest->to_realtime);
	struct row row = {};
	uint32_t slot;

	sort_lives();
	match();
	for (slot = 1; slot <= processes; slot++)
		judge_process(&row, slot);
	judge_ancestors(&row);

	printf("%-16s %9" PRIu64 " %7" PRIu64 " %6" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
	       " %7" PRIu64 " %9" PRIu64,
	       name, processes - row.missed + row.extra, row.missed, row.extra, row.orphans,
	       row.parents, row.names, row.cycles, row.unpaired);
	if (lives.tells_lost)
		printf(" %7" PRIu64, lives.lost);
	else
		printf(" %7s", "-");
	if (lives.tells_status)
		printf(" %8" PRIu64, row.status);
	else
		printf(" %8s", "-");
	if (lives.tells_reaper)
		printf(" %8" PRIu64 "\n", row.reaper);
	else
		printf(" %8s\n", "-");
	if (senseless)
		printf("  (%" PRIu64 " lines of %s make no sense)\n", senseless, name);
}

static void show_truth(void)
{
	uint32_t i, pids = 0, uses = 0, most = 0, orphans = 0, execs = 0;

	for (i = 0; i < processes; i++) {
		const struct forest_process *p = &forest->process[truth_order[i]];

		orphans += p->orphan;
		execs += p->execs;
		uses = i && forest->process[truth_order[i - 1]].pid == p->pid ? uses + 1 : 1;
		pids += uses == 1;
		if (uses > most)
			most = uses;
	}
	printf("%" PRIu32 " processes in %.1f s, %" PRIu32 " execs, %" PRIu32 " re-parented; %" PRIu32
	       " pids, used %.1f times on average and up to %" PRIu32 " times\n\n",
	       processes, (forest->ended - forest->began) / 1e9, execs, orphans, pids,
	       (double)processes / pids, most);
	printf("%16s %9s %7s %6s %8s %8s %8s %7s %9s %7s %8s %8s\n", "", "", "", "", "",
	       "wrong", "missing", "", "unpaired", "", "wrong", "wrong");
	printf("%-16s %9s %7s %6s %8s %8s %8s %7s %9s %7s %8s %8s\n", "", "processes", "missed",
	       "extra", "orphans", "parents", "names", "cycles", "exits", "lost", "status",
	       "reaper");
	printf("%-16s %9" PRIu32 "\n", "truth", processes);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2 && argc != 4)
		errx(129, "usage: judge TRUTH [NAME FORMAT]");
	open_truth(argv[1]);
	sort_truth();
	if (argc == 2) {
		show_truth();
		return 0;
	}
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, argv[3]))
			continue;
		judge(argv[2], formats[i].read);
		lives_free(&lives);
		return 0;
	}
	errx(129, "%s: no such format", argv[3]);
}
