// SPDX-License-Identifier: GPL-2.0-only
/* What the value of an option says. */
#include "cli/options_value.h"
#include "cli/parse.h"
#include "output/message.h"
#include "output/quoted.h"
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* What has to be above 0; 0 if it is not, or is no such thing. */
uint64_t option_time_of(const char *s)
{
	uint64_t ns;

	return parse_time(s, BARE_SECONDS, &ns) ? ns : 0;
}

uint64_t option_number_of(const char *s, uint64_t max)
{
	uint64_t value;

	return parse_number(s, max, &value) ? value : 0;
}

void option_add_word(struct words *words, const char *word)
{
	const char **all = reallocarray(words->all, words->count + 1, sizeof(*all));

	if (!all)
		die_no_memory();
	all[words->count++] = word;
	words->all = all;
}

void option_add_uid(struct filter *filter, struct argp_state *state, const char *arg)
{
	uint32_t *uids = reallocarray(filter->uids, filter->uid_count + 1, sizeof(*uids));
	uint64_t uid;

	if (!uids)
		die_no_memory();
	filter->uids = uids;
	if (!parse_number(arg, UINT32_MAX - 1, &uid)) {
		const struct passwd *user = getpwnam(arg);

		if (!user)
			argp_error(state, "--uid %s: no user has this name, and it is no number",
				   quoted(arg));
		uid = user ? user->pw_uid : 0;
	}
	uids[filter->uid_count++] = (uint32_t)uid;
}

/* A path below the root of the hierarchy; that of the file system it is mounted as will do. */
void option_add_cgroup(struct filter *filter, struct argp_state *state, const char *arg)
{
	static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	size_t i, length;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		length = strlen(mounts[i]);
		if (!strncmp(arg, mounts[i], length) && (arg[length] == '/' || !arg[length])) {
			arg = arg[length] ? arg + length : "/";
			break;
		}
	}
	if (*arg != '/')
		argp_error(state, "--cgroup %s: a path has to begin with '/', as in /proc/PID/cgroup",
			   quoted(arg));
	option_add_word(&filter->cgroups, arg);
}

void option_set_by(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int by;

	for (by = PROCLIFE_BY_NOTHING + 1; by < PROCLIFE_BYS; by++) {
		if (strcmp(arg, proclife_by_name(by)))
			continue;
		options->by = by;
		return;
	}
	argp_error(state, "--by %s: not one of comm, parent, reaper, cgroup, cpu and uid",
		   quoted(arg));
}

void option_set_show(struct options *options, struct argp_state *state, const char *arg)
{
	static const char *const names[] = { "pidns", "cgroup", "uid" };
	const char *word;
	size_t length, i;

	for (word = arg; *word; word += length + (word[length] == ',')) {
		length = strcspn(word, ",");
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i]) == length && !strncmp(word, names[i], length))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			argp_error(state, "--show %s: not of pidns, cgroup and uid, with commas between",
				   quoted(arg));
		options->show |= 1u << i;
	}
}

void option_set_factor(struct options *options, struct argp_state *state, const char *arg)
{
	char *end;

	if (!parse_decimal(arg, &end, &options->factor) || *end || !(options->factor > 1))
		argp_error(state, "--factor %s: not a number above 1, such as 1.5", quoted(arg));
}

void option_add_pid(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t pid = option_number_of(arg, INT_MAX);
	uint32_t *pids;

	if (!pid)
		argp_error(state, "--pid %s: not a process ID", quoted(arg));
	pids = reallocarray(options->pids, options->pid_count + 1, sizeof(*pids));
	if (!pids)
		die_no_memory();
	pids[options->pid_count++] = pid;
	options->pids = pids;
}

void option_set_depth(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t depth;

	if (!parse_number(arg, DEPTH_ALL - 1, &depth))
		argp_error(state, "--depth %s: not a number of levels", quoted(arg));
	options->cut.depth = depth;
}

static const char *const top_keys[] = {
	[TOP_CPU] = "cpu",
	[TOP_LIFE] = "life",
	[TOP_RSS] = "rss",
	[TOP_COUNT] = "count",
};

const char *top_key_name(enum top_key key)
{
	return top_keys[key];
}

/* "20" or "20:rss" */
void option_set_top(struct options *options, struct argp_state *state, const char *arg)
{
	size_t digits = strcspn(arg, ":"), i;
	char number[24] = "";

	if (digits < sizeof(number))
		memcpy(number, arg, digits);
	options->cut.top = option_number_of(number, UINT32_MAX);
	if (!options->cut.top)
		argp_error(state, "--top %s: does not begin with a number above 0", quoted(arg));
	options->cut.key = TOP_CPU;
	if (!arg[digits])
		return;
	for (i = 0; i < sizeof(top_keys) / sizeof(top_keys[0]); i++) {
		if (strcmp(arg + digits + 1, top_keys[i]))
			continue;
		options->cut.key = i;
		return;
	}
	argp_error(state, "--top %s: the key is not one of cpu, life, rss and count",
		   quoted(arg));
}

void option_add_expectation(struct options *options, struct argp_state *state, const char *arg)
{
	struct expectation *expectations =
		reallocarray(options->expectations, options->expectation_count + 1,
			     sizeof(*expectations));
	const char *wrong;

	if (!expectations)
		die_no_memory();
	options->expectations = expectations;
	wrong = expect_parse(&expectations[options->expectation_count], arg);
	if (wrong)
		argp_error(state, "--expect %s: %s", quoted(arg), wrong);
	options->expectation_count++;
}
