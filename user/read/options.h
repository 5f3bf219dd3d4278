/* SPDX-License-Identifier: GPL-2.0-only */
/* The parsed command line, for the whole program. */
#ifndef READ_OPTIONS_H
#define READ_OPTIONS_H

#include "cli/condition.h"
#include "cli/expect.h"
#include "cli/moment.h"
#include "output/color.h"
#include <proclife/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_REQUESTS 16
#define MOST_VIEWS MOST_REQUESTS
#define LEFT_AFTER 200000000 /* ns; unless --left-after says otherwise */
#define USUAL_AFTER 5000000000 /* ns; --after */
#define USUAL_SAVES 10
#define USUAL_RING_KB 4096 /* twice the module's: each program has a ring of its own */
#define USUAL_ARGS_BYTES 512 /* as the module has them */
#define USUAL_CALM 60000000000 /* ns, where something is done; otherwise there is none */
#define LEAST_INTERVAL 1000000 /* ns; with less, the output cannot be read */

struct request;
struct view;

/* What can be given beside a request. */
enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "cli/option_rows.h"
#undef OPTION
	OPTIONS,
};

_Static_assert(OPTIONS <= 64, "each has a bit");

#define GIVEN(option) (1ULL << OPTION_##option)

/* Facts about a process that --show adds. */
#define SHOW_PIDNS (1u << 0)
#define SHOW_CGROUP (1u << 1)
#define SHOW_UID (1u << 2)

struct words {
	const char **all;
	size_t count;
};

struct ids {
	uint32_t *all;
	size_t count;
};

/* A PID of the machine; or one in PID namespaces: in that one, or in those of the processes in a cgroup. */
struct pid_option {
	const char *text; /* as it was given */
	uint32_t pid;
	bool within;	    /* one of the next two counts */
	uint32_t ns;	    /* the inode of the namespace; 0: it is the cgroup */
	const char *cgroup; /* its path, or NULL */
};

struct pids {
	struct pid_option *all;
	size_t count;
};

#define ANY_SIGNAL UINT64_MAX

/* Which of the followed processes are shown: those that match one of each kind that is given. */
struct filter {
	struct words comms; /* patterns, see glob(7) */
	struct words cgroups;
	struct words args;
	struct ids uids;
	struct words users; /* names of a recording's machine, not of this one */
	/* How it ended: it has to match one of these. */
	bool failed;
	uint64_t statuses[4]; /* a bit for each exit status */
	uint64_t signals;     /* a bit for each signal, the lowest is signal 1; or ANY_SIGNAL */
};

static inline bool filter_has_end(const struct filter *filter)
{
	const uint64_t *s = filter->statuses;

	return filter->failed || filter->signals || s[0] | s[1] | s[2] | s[3];
}

static inline bool filter_is_set(const struct filter *filter)
{
	return filter->comms.count || filter->cgroups.count || filter->uids.count || filter->users.count ||
	       filter->args.count || filter_has_end(filter);
}

enum top_key {
	TOP_CPU,
	TOP_LIFE,
	TOP_RSS,
	TOP_COUNT, /* of descendants */
};

/* What the deaths of --lives are sorted by. */
enum sort_key {
	SORT_NONE, /* not sorted: shown as they happen */
	SORT_TIME,
	SORT_LIFE,
	SORT_ALONE,
	SORT_CPU,
	SORT_RSS,
	SORT_READ, /* bytes, and so is the next */
	SORT_WRITTEN,
	SORT_PHASES, /* all but the life, from PROCLIFE_KILL on */
	SORTS = SORT_PHASES + PROCLIFE_PHASES - PROCLIFE_KILL,
};

/* @key: SORT_PHASES or above */
static inline enum proclife_phase sort_phase(enum sort_key key)
{
	return key - SORT_PHASES + PROCLIFE_KILL;
}

#define DEPTH_ALL UINT32_MAX

/* How much of the tree is shown. */
struct cut {
	uint64_t depth;	   /* levels below the roots, or DEPTH_ALL */
	uint64_t min_life; /* ns; 0: any */
	uint64_t top;	   /* how many; 0: all */
	enum top_key key;  /* what the largest are chosen by */
	bool matching;	   /* only processes that the filter matches */
};

/* Is anything cut? */
static inline bool cut_is_set(const struct cut *cut)
{
	return cut->depth != DEPTH_ALL || cut->min_life || cut->top || cut->matching;
}

/* How times are shown. */
enum times {
	TIMES_LOCAL,
	TIMES_UTC,
	TIMES_MONOTONIC,
};

/* What --summary groups by. */
enum summary_by {
	SUMMARY_BY_COMM,
	SUMMARY_BY_PATH,
	SUMMARY_BY_DIR, /* the folder of the path */
	SUMMARY_BY_CGROUP,
	SUMMARY_BY_UID,
	SUMMARY_BY_PARENT,
	SUMMARY_BYS,
};

enum fold {
	FOLD_IF_LONG,
	FOLD_ALWAYS,
	FOLD_NEVER,
};

/* What has a track of its own in --export perfetto. */
enum tracks {
	TRACKS_SLOTS,
	TRACKS_PROCESSES,
	TRACKS,
};

enum verdicts {
	VERDICTS_PLAIN, /* as text, or with --json */
	VERDICTS_KTAP,
	VERDICTS_LAVA,
};

struct diff_options {
	struct words a; /* recordings */
	struct words b;
	double factor; /* a figure that is this many times as large has changed */
	bool force;
};

struct export_options {
	unsigned int format; /* its number in the formats of the view */
	const char *output;   /* the file; NULL: standard output */
	const char *loss_log; /* the file of --export otlp; NULL: none */
	enum tracks tracks;   /* of perfetto */
};

struct record_options {
	const char *dir; /* NULL: do not record */
	uint64_t bytes;	 /* that are kept, at most; 0: no limit */
	uint64_t age;	 /* ns; 0: no limit */
	bool compress;	 /* once it is complete; a slice, too */
};

struct trigger_options {
	struct condition *conditions;
	size_t count;
	uint64_t calm;	  /* ns; 0: none */
	const char *save; /* the folder of recordings; NULL: nothing is saved */
	uint64_t after;	  /* ns, that are saved as well */
	uint64_t saves;	  /* at most this many are in it */
	const char *exec; /* NULL: nothing is executed */
};

struct verdict_options {
	struct expectation *all;
	size_t count;
	uint64_t left_after; /* ns; 0: all that the command leaves is waited for */
	enum verdicts form;
	const char *junit; /* where they go, too; NULL: nowhere */
};

enum source_kind {
	SOURCE_ANY, /* the module where it is, else BPF */
	SOURCE_MODULE,
	SOURCE_BPF,
};

/* What BPF programs are to record: the module's parameters of these names. The module has its own. */
struct source_options {
	enum source_kind kind;
	uint32_t ring_kb; /* per CPU, all rings together, at most */
	uint32_t args_bytes;
	bool signals;
	bool waits;
	bool reap;
	bool exiting;
	bool memory;
	bool cgroups;
	bool births;
	bool times;
	bool failures;
	bool paths;
	unsigned int env_count;
	char env[PROCLIFE_BPF_ENV_NAMES][PROCLIFE_PATH_ENV_NAME]; /* names of variables */
	bool has_parameters; /* some were given */
};

struct options {
	const struct request *requests[MOST_REQUESTS + 1]; /* in the order of their list; then NULL */
	const struct view *views[MOST_VIEWS + 1]; /* those of them that are no tools; then NULL */
	uint64_t given; /* GIVEN() of each option that was given */
	bool json;
	enum color color;
	bool quiet;
	enum fold fold;
	struct cut cut;
	enum sort_key sort;
	uint64_t show; /* SHOW_* */
	enum times times;
	const char *by_word; /* of --by; NULL: none */
	enum proclife_by by; /* PROCLIFE_BY_NOTHING if the word is for --summary only */
	enum summary_by summary_by; /* of no meaning if the word is not for --summary */
	bool threads;
	bool hide_args;
	struct pids pids;
	struct filter filter;
	struct moment from; /* the range; MOMENT_NONE: from the beginning, or to the end */
	struct moment to;
	uint64_t events; /* PROCLIFE_HAS() of the types that --events shows; 0: all */
	bool history;
	bool load;
	bool unload;
	struct source_options source;
	const char *device; /* NULL: the usual one */
	struct words inputs; /* recordings; none: the device */
	uint64_t duration; /* ns; 0: none */
	uint64_t interval; /* ns; 0: none */
	uint64_t count;	   /* 0: none */
	const char *metrics; /* the file; NULL: there is none */
	const char *slice;  /* the folder; NULL: no slice */
	const char *html;   /* the file; NULL: no page */
	struct diff_options diff;
	struct export_options export;
	struct record_options record;
	struct trigger_options on;
	struct verdict_options expect;
	char **command;	   /* NULL: none */
	int argc; /* as the program was called */
	char **argv;
};

/* --load or --unload, and nothing to do between them. */
static inline bool options_only_load(const struct options *options)
{
	const uint64_t others = ~(GIVEN(LOAD) | GIVEN(UNLOAD) | GIVEN(QUIET) | GIVEN(SOURCE));

	return (options->load || options->unload) && !options->requests[0] && !(options->given & others);
}

static inline bool options_expect(const struct options *options, enum expect_what what)
{
	size_t i;

	for (i = 0; i < options->expect.count; i++)
		if (options->expect.all[i].what == what)
			return true;
	return false;
}

#endif
