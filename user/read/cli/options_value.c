// SPDX-License-Identifier: GPL-2.0-only
/* What the value of an option says. */
#include "cli/choices.h"
#include "cli/options_value.h"
#include "cli/parse.h"
#include "output/format.h"
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

void option_set_time(uint64_t *ns, const char *name, struct argp_state *state, const char *arg)
{
	if (!parse_time(arg, BARE_SECONDS, ns))
		argp_error(state, "--%s %s: not a time such as 0, 10s, 1m or 1h", name, quoted(arg));
}

void option_add_word(struct words *words, const char *word)
{
	const char **all = reallocarray(words->all, words->count + 1, sizeof(*all));

	if (!all)
		die_no_memory();
	all[words->count++] = word;
	words->all = all;
}

static void add_uid(struct filter *filter, uint32_t uid)
{
	filter->uids = reallocarray(filter->uids, filter->uid_count + 1, sizeof(*filter->uids));
	if (!filter->uids)
		die_no_memory();
	filter->uids[filter->uid_count++] = uid;
}

void option_add_user(struct filter *filter, const char *arg)
{
	uint64_t uid;

	if (parse_number(arg, UINT32_MAX - 1, &uid))
		add_uid(filter, (uint32_t)uid);
	else
		option_add_word(&filter->users, arg);
}

void options_find_users(struct filter *filter, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < filter->users.count; i++) {
		const struct passwd *user = getpwnam(filter->users.all[i]);

		if (!user)
			argp_error(state, "--uid %s: no user has this name, and it is no number",
				   quoted(filter->users.all[i]));
		else
			add_uid(filter, user->pw_uid);
	}
	filter->users.count = 0;
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

/* With another name, the file would be written for months, and never be read. */
void option_set_metrics(struct options *options, struct argp_state *state, const char *arg)
{
	const char *slash = strrchr(arg, '/'), *name = slash ? slash + 1 : arg;
	size_t length = strlen(name);

	if (length < 6 || strcmp(name + length - 5, ".prom"))
		argp_error(state, "--metrics %s: node_exporter reads files whose names end in .prom; "
			   "name such a file", quoted(arg));
	options->metrics = arg;
}

void option_set_keep(struct options *options, struct argp_state *state, const char *arg)
{
	const char *comma = strchrnul(arg, ',');
	char *size = strndup(arg, (size_t)(comma - arg));

	if (!size)
		die_no_memory();
	if (!parse_size(size, &options->keep_bytes) || !options->keep_bytes)
		argp_error(state, "--keep %s: the size has to be like 64MiB or 1GiB, above 0; a time can follow, "
			   "as in 1GiB,1h", quoted(arg));
	free(size);
	options->keep_age = *comma ? option_time_of(comma + 1) : 0;
	if (*comma && !options->keep_age)
		argp_error(state, "--keep %s: the time has to be like 90s, 10m or 1h, above 0", quoted(arg));
}

void option_set_by(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;

	bool found = choice_find(CHOICE_BY, arg, strlen(arg), &number);

	options->by = found ? number + 1 : PROCLIFE_BY_NOTHING;
	options->summary_by = SUMMARY_BYS;
	if (choice_find(CHOICE_SUMMARY_BY, arg, strlen(arg), &number))
		options->summary_by = number;
	else if (!found)
		argp_error(state, "--by %s: not one of %s, nor, for --summary, of %s", quoted(arg),
			   choice_list(CHOICE_BY, ", ", " and "),
			   choice_list(CHOICE_SUMMARY_BY, ", ", " and "));
}

void option_set_show(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;
	const char *word;
	size_t length;

	for (word = arg; *word; word += length + (word[length] == ',')) {
		length = strcspn(word, ",");
		if (!choice_find(CHOICE_SHOW, word, length, &number))
			argp_error(state, "--show %s: not one of %s, nor several with commas between", quoted(arg),
				   choice_list(CHOICE_SHOW, ", ", " and "));
		options->show |= 1u << number;
	}
}

void option_set_export(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;

	if (!choice_find(CHOICE_EXPORT, arg, strlen(arg), &number))
		argp_error(state, "--export %s: not one of %s", quoted(arg),
			   choice_list(CHOICE_EXPORT, ", ", " and "));
	options->export = number;
}

void option_set_tracks(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;

	if (!choice_find(CHOICE_TRACKS, arg, strlen(arg), &number))
		argp_error(state, "--tracks %s: not one of %s", quoted(arg),
			   choice_list(CHOICE_TRACKS, ", ", " and "));
	options->tracks = number;
}

void option_set_color(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;

	if (!choice_find(CHOICE_COLOR, arg, strlen(arg), &number))
		argp_error(state, "--color %s: not one of %s", quoted(arg),
			   choice_list(CHOICE_COLOR, ", ", " and "));
	options->color = number;
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

void option_set_sort(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;

	if (!choice_find(CHOICE_SORT, arg, strlen(arg), &number))
		argp_error(state, "--sort %s: not one of %s", quoted(arg),
			   choice_list(CHOICE_SORT, ", ", " and "));
	options->sort = number + 1;
}

/* "20" or "20:rss" */
void option_set_top(struct options *options, struct argp_state *state, const char *arg)
{
	size_t digits = strcspn(arg, ":");
	char number[24] = "";
	unsigned int key;

	if (digits < sizeof(number))
		memcpy(number, arg, digits);
	options->cut.top = option_number_of(number, UINT32_MAX);
	if (!options->cut.top)
		argp_error(state, "--top %s: does not begin with a number above 0", quoted(arg));
	options->cut.key = TOP_CPU;
	if (!arg[digits])
		return;
	if (!choice_find(CHOICE_TOP, arg + digits + 1, strlen(arg + digits + 1), &key))
		argp_error(state, "--top %s: the key is not one of %s", quoted(arg),
			   choice_list(CHOICE_TOP, ", ", " and "));
	options->cut.key = key;
	options->given |= GIVEN(TOP_KEY);
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

void option_add_condition(struct options *options, struct argp_state *state, const char *arg)
{
	struct condition *conditions =
		reallocarray(options->conditions, options->condition_count + 1, sizeof(*conditions));
	const char *wrong;

	if (!conditions)
		die_no_memory();
	options->conditions = conditions;
	if (options->condition_count == MOST_CONDITIONS)
		argp_error(state, "--on %s: there are %d conditions already", quoted(arg), MOST_CONDITIONS);
	wrong = condition_parse(&conditions[options->condition_count], arg);
	if (wrong)
		argp_error(state, "--on %s: %s", quoted(arg), wrong);
	options->condition_count++;
}

void option_add_status(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t status;

	if (!parse_number(arg, 255, &status))
		argp_error(state, "--status %s: not an exit status from 0 to 255; without one, "
			   "--status says what the module can do here", quoted(arg));
	options->filter.statuses[status / 64] |= 1ULL << status % 64;
	options->given |= GIVEN(STATUS);
}

void option_add_signal(struct filter *filter, struct argp_state *state, const char *arg)
{
	unsigned int signal;

	if (!strcasecmp(arg, "any")) {
		filter->signals = ANY_SIGNAL;
		return;
	}
	if (!parse_signal(arg, &signal))
		argp_error(state, "--signal %s: not a signal such as KILL, SIGSEGV or 9, nor any",
			   quoted(arg));
	else
		filter->signals |= 1ULL << (signal - 1);
}

void option_set_moment(struct moment *moment, const char *name, struct argp_state *state,
		       const char *arg)
{
	if (!moment_parse(arg, moment))
		argp_error(state, "--%s %s: not a time such as 14:03, 14:03:22.5, 2026-11-22, "
			   "'2026-11-22 14:03', -1m or +10s", name, quoted(arg));
}

void option_set_events(struct options *options, struct argp_state *state, const char *arg)
{
	unsigned int number;
	const char *word;
	size_t length;

	options->events = 0;
	for (word = arg; *word; word += length + (word[length] == ',')) {
		length = strcspn(word, ",");
		if (!choice_find(CHOICE_EVENT, word, length, &number))
			argp_error(state, "--events=%s: not one of %s, nor several with commas between", quoted(arg),
				   choice_list(CHOICE_EVENT, ", ", " and "));
		options->events |= PROCLIFE_HAS(number + 1);
	}
	if (!options->events)
		argp_error(state, "--events=%s: there is no event in it", quoted(arg));
}
