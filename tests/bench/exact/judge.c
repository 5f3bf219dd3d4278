// SPDX-License-Identifier: GPL-2.0-only
/* What an observer says of a forest of processes, against what the forest itself knows: README.md. */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

static const struct {
	const char *name;
	reader read;
	const char *is;
} formats[] = {
	{ "plain", read_plain, "lines of `time event pid ...`, from any tool; see README.md beside this" },
	{ "acct", read_acct, "the file that acct(2) fills" },
	{ "audit", read_audit, "the raw log of auditd, with rules as in tools.sh, and `lost N`" },
	{ "bcc", read_bcc, "exitsnoop --utc --label exit, and execsnoop --time, in one file" },
	{ "perf", read_perf, "perf script --ns --show-task-events --show-lost-events" },
	{ "proclife", read_proclife, "proclife-read --tree --json" },
	{ "strace", read_strace,
	  "strace -f --seccomp-bpf -ttt -e trace=%process,prctl -e 'signal=!chld' -o FILE" },
	{ "trace-cmd", read_trace_cmd, "trace-cmd report -t" },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static struct lives lives = { .rounding = 1000 }; /* the tools round times to a microsecond */

/* What a tool tells at all, but not of some processes, is something else than what it tells wrongly. */
struct tally {
	uint64_t wrong;
	uint64_t missing;
};

struct row {
	uint64_t missed;
	uint64_t extra;
	struct tally parents;
	struct tally names;
	struct tally args;
	struct tally status;
	struct tally reaper;
	uint64_t cycles;
	uint64_t unpaired;
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

	if (!lives.faults)
		return;
	lives.faults--;
	fprintf(stderr, "%s: pid %u parent %u name \"%s\" status %#x reaper %u at %" PRIu64 "\n",
		what, p->pid, p->parent_pid, p->name, p->status, p->reaper, p->after);
	if (!life)
		return;
	fprintf(stderr, "\tsaid: pid %u parent %d name \"%s\" status %#x reaper %u at %" PRIu64 " args %s\n",
		life->pid, life->parent == NO_LIFE ? -1 : (int)lives.life[life->parent].pid,
		life->name, life->status, life->reaper, life->seen, life->args ? life->args : "-");
}

static void count(uint64_t *counter, bool is_fault, const char *what, uint32_t slot,
		  const struct life *life)
{
	if (!is_fault)
		return;
	++*counter;
	show_fault(what, slot, life);
}

static void tally(struct tally *tally, bool told, bool right, const char *what, uint32_t slot,
		  const struct life *life)
{
	char missing[32];

	snprintf(missing, sizeof(missing), "no %s", what);
	count(&tally->missing, !told, missing, slot, life);
	count(&tally->wrong, told && !right, what, slot, life);
}

/* What its program was given, as forest/process.c has it. */
static bool is_args(const struct forest_process *p, const char *told)
{
	char args[64];

	snprintf(args, sizeof(args), "%s %" PRIu64 " %td %" PRIu32, p->name, forest->fd,
		 p - forest->process, p->seed);
	return told && !strcmp(told, args);
}

/* A parent that was missed itself can still be told rightly, by its pid. */
static bool is_parent(const struct forest_process *p, uint32_t told)
{
	uint32_t parent = life_of[p->parent];

	if (told == NO_LIFE)
		return false;
	return told == parent ||
	       (parent == NO_LIFE && !slot_of[told] && lives.life[told].pid == p->parent_pid);
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
	if (p->parent && !lives.tells_notified)
		tally(&row->parents, life->parent != NO_LIFE, is_parent(p, life->parent), "parent", slot, life);
	if (lives.tells_names)
		tally(&row->names, life->name[0], !strcmp(life->name, p->name), "name", slot, life);
	if (lives.tells_args && p->execs)
		tally(&row->args, life->args, is_args(p, life->args), "args", slot, life);
	if (lives.tells_status)
		tally(&row->status, life->status != -1, life->status == p->status, "status", slot, life);
	if (lives.tells_reaper)
		tally(&row->reaper, life->reaper, life->reaper == p->reaper, "reaper", slot, life);
	count(&row->unpaired, !life->forked || !life->exited, "exit", slot, life);
}

/* In the forest, who is notified waits. */
static void take_notified(void)
{
	uint32_t i;

	lives.tells_reaper = true;
	for (i = 0; i < lives.count; i++)
		if (lives.life[i].parent != NO_LIFE)
			lives.life[i].reaper = lives.life[lives.life[i].parent].pid;
}

static void judge(struct row *row)
{
	uint32_t slot;

	match(&lives);
	if (lives.tells_notified)
		take_notified();
	for (slot = 1; slot <= processes; slot++)
		judge_process(row, slot);
	judge_ancestors(row);
}

static void show_count(int width, bool tells, uint64_t n)
{
	if (tells)
		printf(" %*" PRIu64, width, n);
	else
		printf(" %*s", width, "-");
}

static void show_tally(int width, bool tells, const struct tally *tally)
{
	char text[48];

	snprintf(text, sizeof(text), tally->missing ? "%" PRIu64 "+%" PRIu64 : "%" PRIu64, tally->wrong,
		 tally->missing);
	printf(" %*s", width, tells ? text : "-");
}

static void show_row(const char *name, const struct row *row, uint64_t senseless)
{
	printf("%-24s", name);
	show_count(9, true, processes - row->missed + row->extra);
	show_count(7, true, row->missed);
	show_count(6, true, row->extra);
	show_tally(7, !lives.tells_notified, &row->parents);
	show_tally(7, lives.tells_names, &row->names);
	show_tally(7, lives.tells_args, &row->args);
	show_tally(7, lives.tells_status, &row->status);
	show_tally(7, lives.tells_reaper, &row->reaper);
	show_count(6, true, row->cycles);
	show_count(8, true, row->unpaired);
	show_count(8, lives.tells_lost, lives.lost);
	putchar('\n');
	if (senseless)
		printf("  (%" PRIu64 " lines of %s make no sense)\n", senseless, name);
}

static void show_head(void)
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
	printf("%-24s %9s %7s %6s %39s %6s %8s %8s\n", "", "", "", "",
	       "wrong, and +N that are missing of:", "", "", "says it");
	printf("%-24s %9s %7s %6s %7s %7s %7s %7s %7s %6s %8s %8s\n", "", "processes", "missed", "extra",
	       "parents", "names", "args", "status", "reaper", "cycles", "unpaired", "lost");
	printf("%-24s %9" PRIu32 "\n", "truth", processes);
}

static const char legend[] =
	"processes  those of the forest that it tells of, and extra ones\n"
	"missed     processes of the forest that it does not tell of\n"
	"extra      processes that it tells of as the forest's and that there were not\n"
	"parents    who made the process\n"
	"names      the last one that the process had\n"
	"args       of processes that executed a program: the last ones\n"
	"status     what wait(2) gave\n"
	"reaper     who waited for it; of acct(2), bcc and taskstats: who was to be notified, which\n"
	"           is the same here\n"
	"cycles     processes that are their own ancestors\n"
	"unpaired   processes of which it lacks the beginning or the end\n"
	"lost       events, by its own count\n"
	"-          it does not tell\n";

static void show_help(void)
{
	size_t i;

	fputs("usage: judge [OPTION...] TRUTH [FILE]\n"
	      "Says how far what an observer told of a forest of processes is true. TRUTH is what\n"
	      "`forest --truth` left, FILE the observer's text, or else it is read on standard input.\n"
	      "  --format FORMAT  what FILE is (plain)\n"
	      "  --name NAME      of the row (FORMAT)\n"
	      "  --row            print the row alone\n"
	      "  --head           read nothing, and print what the forest is and the head of the table\n"
	      "  --faults N       print the first N faults to standard error\n"
	      "  --legend         print what the columns are\n"
	      "The exit status is 0 whatever the row says, 1 if there is none, 129 for usage.\n"
	      "Formats:\n", stdout);
	for (i = 0; i < FORMATS; i++)
		printf("  %-10s %s\n", formats[i].name, formats[i].is);
	printf("Columns:\n%s", legend);
}

static reader reader_of(const char *format)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, format))
			return formats[i].read;
	errx(129, "%s: no such format; see --help", format);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' }, { "name", required_argument, NULL, 'n' },
		{ "row", no_argument, NULL, 'r' },	    { "head", no_argument, NULL, 'H' },
		{ "faults", required_argument, NULL, 'F' }, { "legend", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },	    {}
	};
	const char *format = "plain", *name = NULL;
	bool row_alone = false, head_alone = false;
	struct row row = {};
	uint64_t senseless;
	reader read;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'f':
			format = optarg;
			break;
		case 'n':
			name = optarg;
			break;
		case 'r':
			row_alone = true;
			break;
		case 'H':
			head_alone = true;
			break;
		case 'F':
			lives.faults = strtoul(optarg, NULL, 10);
			break;
		case 'l':
			fputs(legend, stdout);
			return 0;
		case 'h':
			show_help();
			return 0;
		default:
			return 129;
		}
	if (argc - optind < 1 || argc - optind > 2)
		errx(129, "usage: judge [OPTION...] TRUTH [FILE]; see --help");
	read = reader_of(format);
	open_truth(argv[optind]);
	if (!row_alone)
		show_head();
	if (head_alone)
		return 0;
	if (argc - optind == 2 && !freopen(argv[optind + 1], "re", stdin))
		err(1, "%s", argv[optind + 1]);
	senseless = read(&lives, stdin, forest->to_realtime);
	if (!lives.count)
		errx(1, "nothing is told of any process");
	judge(&row);
	show_row(name ? name : format, &row, senseless);
	lives_free(&lives);
	return 0;
}
