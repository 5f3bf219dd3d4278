// SPDX-License-Identifier: GPL-2.0-only
/* Compares an observer's report of a forest of processes with the forest's own truth: README.md. */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "match.h"
#include "write_plain.h"

static const struct {
	const char *name;
	reader read;
	const char *is;
} formats[] = {
	{ "plain", read_plain, "lines of `time event pid ...`, from any tool; see README.md" },
	{ "acct", read_acct, "the file that acct(2) fills" },
	{ "audit", read_audit, "the raw log of auditd, with rules as in tools.sh, and `lost N`" },
	{ "bcc", read_bcc, "exitsnoop --utc --label exit and (with TZ=UTC) execsnoop --time" },
	{ "perf", read_perf, "of perf record -k CLOCK_MONOTONIC: perf script --ns\n"
			     "             --show-lost-events, and --show-task-events without tracepoints" },
	{ "proclife", read_proclife, "proclife-read --tree --json" },
	{ "strace", read_strace,
	  "strace -f --seccomp-bpf -ttt -o FILE -e trace=%process,prctl\n"
	  "             -e 'signal=!chld'" },
	{ "taskstats", read_taskstats, "the file that tests/truth/listen.c fills" },
	{ "trace-cmd", read_trace_cmd, "of trace-cmd record -C mono: trace-cmd report -t" },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct lives lives = { .rounding = 1000 }; /* the tools round times to a microsecond */

/* A value that a tool reports of some processes only is missing for the others, which is no wrong value. */
struct tally {
	bool told; /* of some process of the forest; false: the tool does not report it */
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

static void count_life(uint64_t *counter, const char *what, const struct life *life)
{
	++*counter;
	faults_show_life(what, life);
}

static void count(uint64_t *counter, bool is_fault, const char *what, uint32_t slot,
		  const struct life *life)
{
	if (!is_fault)
		return;
	++*counter;
	faults_show(what, slot, life);
}

static void tally(struct tally *tally, bool told, bool right, const char *what, uint32_t slot,
		  const struct life *life)
{
	char missing[32];

	if (!tally->told)
		return;
	snprintf(missing, sizeof(missing), "no %s", what);
	count(&tally->missing, !told, missing, slot, life);
	count(&tally->wrong, told && !right, what, slot, life);
}

/*
 * Walks from each life to its ancestors: lives that are their own ancestors make a cycle, and a life that
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
				count_life(&row->cycles, "cycle", &lives.life[at]);
				at = lives.life[at].parent;
			} while (at != first);
		}
		while (length--) {
			if (slot_of[path[length]])
				verdict = OURS;
			else if (verdict == OURS)
				count_life(&row->extra, "extra", &lives.life[path[length]]);
			state[path[length]] = verdict;
		}
	}
	free(path);
	free(state);
}

/* A parent that was missed itself can still be reported correctly, by its pid. */
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
	/* The root's parent is outside the forest: it has no slot to compare with. */
	if (p->parent)
		tally(&row->parents, life->parent != NO_LIFE, is_parent(p, life->parent), "parent", slot, life);
	tally(&row->names, life->name[0], !strcmp(life->name, p->name), "name", slot, life);
	if (p->execs || life->args)
		tally(&row->args, life->args, match_args(p, life->args), "args", slot, life);
	tally(&row->status, life->status != -1, life->status == p->status, "status", slot, life);
	tally(&row->reaper, life->reaper, life->reaper == p->reaper, "reaper", slot, life);
	count(&row->unpaired, !life->forked || !life->exited, life->forked ? "no exit" : "no fork", slot, life);
}

static void see_what_is_told(struct row *row)
{
	uint32_t slot;

	for (slot = 1; slot <= processes; slot++) {
		const struct life *life = life_of[slot] == NO_LIFE ? NULL : &lives.life[life_of[slot]];

		if (!life)
			continue;
		row->parents.told |= life->parent != NO_LIFE && !lives.tells_notified;
		row->names.told |= life->name[0] != '\0';
		row->args.told |= life->args != NULL;
		row->status.told |= life->status != -1;
		row->reaper.told |= life->reaper != 0;
	}
}

/* In the forest, the process that is notified is the one that waits. */
static void take_notified(void)
{
	uint32_t i;

	for (i = 0; i < lives.count; i++)
		if (lives.life[i].parent != NO_LIFE)
			lives.life[i].reaper = lives.life[lives.life[i].parent].pid;
}

static void judge(struct row *row)
{
	uint32_t slot;

	if (lives.tells_notified)
		take_notified();
	match(&lives);
	see_what_is_told(row);
	for (slot = 1; slot <= processes; slot++)
		judge_process(row, slot);
	judge_ancestors(row);
}

static void show_count(int width, bool known, uint64_t n)
{
	if (known)
		printf(" %*" PRIu64, width, n);
	else
		printf(" %*s", width, "-");
}

static void show_tally(int width, const struct tally *tally)
{
	char text[48];

	snprintf(text, sizeof(text), tally->missing ? "%" PRIu64 "+%" PRIu64 : "%" PRIu64, tally->wrong,
		 tally->missing);
	printf(" %*s", width, tally->told ? text : "-");
}

/* The likeliest reason why the report has no process of the forest. */
static void show_times(const char *name)
{
	uint64_t first = UINT64_MAX, last = 0;
	uint32_t i;

	for (i = 0; i < lives.count; i++) {
		uint64_t seen = lives.life[i].seen;

		if (seen < first)
			first = seen;
		if (seen != UINT64_MAX && seen > last)
			last = seen;
	}
	printf("  (%s reports times from %.3f to %.3f; the forest grew from %.3f to %.3f: %s)\n", name,
	       faults_seconds(first), faults_seconds(last), faults_seconds(forest->began), faults_seconds(forest->ended),
	       last < forest->began || first > forest->ended ? "is it another clock, or another truth?" :
							       "are these its pids?");
}

static void show_row(const char *name, const struct row *row, uint64_t senseless)
{
	printf("%-24s", name);
	show_count(9, true, processes - row->missed + row->extra);
	show_count(7, true, row->missed);
	show_count(6, true, row->extra);
	show_tally(7, &row->parents);
	show_tally(7, &row->names);
	show_tally(7, &row->args);
	show_tally(7, &row->status);
	show_tally(7, &row->reaper);
	show_count(6, true, row->cycles);
	show_count(8, true, row->unpaired);
	show_count(8, lives.tells_lost, lives.lost);
	putchar('\n');
	if (senseless)
		printf("  (%" PRIu64 " lines of %s make no sense; --faults shows them)\n", senseless, name);
	if (row->missed == processes)
		show_times(name);
}

/* In the plain format. An end is only known to come before the next use of the pid. */
static void show_truth(void)
{
	uint32_t i;

	for (i = 0; i < processes; i++) {
		const struct forest_process *p = &forest->process[truth_order[i]];
		bool last = i + 1 == processes || forest->process[truth_order[i + 1]].pid != p->pid;
		uint64_t end = last ? forest->ended : forest->process[truth_order[i + 1]].after - 1;

		write_event_of(stdout, p->after, "fork", p->pid);
		printf(" %" PRIu32 "\n", p->parent_pid);
		write_event_of(stdout, p->before, p->execs ? "exec" : "name", p->pid);
		write_name(stdout, p->name);
		if (p->execs) {
			write_name(stdout, p->name);
			printf(" %" PRIu64 " %" PRIu32 " %" PRIu32, forest->fd, truth_order[i], p->seed);
		}
		putchar('\n');
		write_event_of(stdout, end, "exit", p->pid);
		printf(" %" PRId32 "\n", p->status);
		write_event_of(stdout, end, "reap", p->pid);
		printf(" %" PRIu32 "\n", p->reaper);
	}
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
	"processes  those of the forest that it reports, and extra ones\n"
	"missed     processes of the forest that it does not report\n"
	"extra      processes that it reports as the forest's and that did not exist\n"
	"parents    the creator of the process\n"
	"names      the last name of the process\n"
	"args       the last ones of processes that executed a program\n"
	"status     what wait(2) gave\n"
	"reaper     the process that waited for it; of acct(2), bcc and taskstats: the\n"
	"           one to be notified, which is the same here\n"
	"cycles     processes that are their own ancestors\n"
	"unpaired   processes whose beginning or end it lacks\n"
	"lost       events, by its own count\n"
	"3+20       wrong of 3, and missing of 20; -: it reports that of none\n";

static void show_help(void)
{
	size_t i;

	fputs("usage: judge [OPTION...] TRUTH [FILE]\n"
	      "Judges an observer's account of a forest of processes. TRUTH is what `forest\n"
	      "--truth` left. FILE is the observer's text; without it, standard input is read.\n"
	      "  --format FORMAT  what FILE is (plain)\n"
	      "  --name NAME      of the row (FORMAT)\n"
	      "  --row            print the row alone\n"
	      "  --head           read nothing; print what the forest is and the table's head\n"
	      "  --truth          print the truth in the plain format\n"
	      "  --faults N       print the first N lines that make no sense and the first N\n"
	      "                   faults to standard error: the truth, and the report;\n"
	      "                   times are FILE's\n"
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

static int end_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' }, { "name", required_argument, NULL, 'n' },
		{ "row", no_argument, NULL, 'r' },	    { "head", no_argument, NULL, 'H' },
		{ "faults", required_argument, NULL, 'F' }, { "legend", no_argument, NULL, 'l' },
		{ "truth", no_argument, NULL, 't' },	    { "help", no_argument, NULL, 'h' }, {}
	};
	const char *format = "plain", *name = NULL;
	bool row_alone = false, head_alone = false, truth_alone = false;
	char *end;
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
			faults_shown = lives.shown = strtoul(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end)
				errx(129, "--faults %s: not a number", optarg);
			break;
		case 't':
			truth_alone = true;
			break;
		case 'l':
			fputs(legend, stdout);
			return 0;
		case 'h':
			show_help();
			return 0;
		default:
			fputs("judge: --help lists the options\n", stderr);
			return 129;
		}
	if (argc - optind < 1 || argc - optind > 2)
		errx(129, "usage: judge [OPTION...] TRUTH [FILE]; see --help");
	read = reader_of(format);
	open_truth(argv[optind]);
	if (truth_alone) {
		show_truth();
		return end_output();
	}
	if (!row_alone || head_alone)
		show_head();
	if (head_alone)
		return end_output();
	if (argc - optind == 2 && strcmp(argv[optind + 1], "-") && !freopen(argv[optind + 1], "re", stdin))
		err(1, "%s", argv[optind + 1]);
	lives.around = forest->began;
	senseless = read(&lives, stdin, forest->to_realtime);
	if (ferror(stdin))
		err(1, "%s", argc - optind == 2 ? argv[optind + 1] : "standard input");
	if (!lives.count)
		errx(1, "%s: as %s, it has no process%s",
		     argc - optind == 2 ? argv[optind + 1] : "standard input", format,
		     senseless ? "; --faults 5 shows lines that make no sense" : "");
	judge(&row);
	show_row(name ? name : format, &row, senseless);
	lives_free(&lives);
	return end_output();
}
