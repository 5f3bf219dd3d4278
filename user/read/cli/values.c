// SPDX-License-Identifier: GPL-2.0-only
/* What the value of an option says: a function for each kind of argument. */
#include "cli/parse.h"
#include "cli/values.h"
#include "output/format.h"
#include "output/message.h"
#include "output/quoted.h"
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* A value that is taken. */
struct value {
	const struct argument *argument;
	const char *name; /* of the option */
	const char *text;
	struct options *options;
	struct argp_state *state;
};

static _Noreturn void refuse(const struct value *v, const char *why)
{
	argp_error(v->state, "--%s%s%s: %s", v->name, v->argument->may_lack ? "=" : " ", quoted(v->text), why);
	exit(argp_err_exit_status); /* argp_error() has done it, but does not say that it always does */
}

/* @number: UINT64_MAX if it is not wrong otherwise */
static void refuse_number(const struct value *v, uint64_t number, uint64_t most)
{
	char why[80];

	snprintf(why, sizeof(why), "too large: the largest is %" PRIu64, most);
	refuse(v, number == UINT64_MAX ? why : v->argument->wrong);
}

static void refuse_choice(const struct value *v, const char *wrong, const char *after)
{
	char why[300];

	snprintf(why, sizeof(why), "%s %s%s", wrong, choice_list(v->argument->choice, ", ", " and "), after);
	refuse(v, why);
}

static void *one_more(void *list, size_t count, size_t size)
{
	list = reallocarray(list, count + 1, size);
	if (!list)
		die_no_memory();
	return list;
}

void words_add(struct words *words, const char *word)
{
	words->all = one_more(words->all, words->count, sizeof(*words->all));
	words->all[words->count++] = word;
}

static void ids_add(struct ids *ids, uint64_t id)
{
	ids->all = one_more(ids->all, ids->count, sizeof(*ids->all));
	ids->all[ids->count++] = (uint32_t)id;
}

static void take_flag(const struct value *v, bool *flag)
{
	(void)v;
	*flag = true;
}

static void take_setting(const struct value *v, unsigned int *setting)
{
	*setting = v->argument->set;
}

static void take_text(const struct value *v, const char **text)
{
	*text = v->text;
}

static void take_word(const struct value *v, struct words *words)
{
	words_add(words, v->text);
}

/* A longer one would never match, unless it is a pattern, or has escapes. */
static void take_comm(const struct value *v, struct words *comms)
{
	if (strlen(v->text) >= PROCLIFE_COMM_LEN && !strpbrk(v->text, "*?[\\"))
		refuse(v, "a name has at most 15 bytes: leave out the others");
	words_add(comms, v->text);
}

static void take_time(const struct value *v, uint64_t *ns)
{
	if (!parse_time(v->text, BARE_SECONDS, ns) || *ns < v->argument->least)
		refuse(v, *ns == UINT64_MAX ? TIME_TOO_LARGE : v->argument->wrong);
}

static void take_number(const struct value *v, uint64_t *number)
{
	uint64_t most = v->argument->most ? v->argument->most : UINT64_MAX;

	if (!parse_number(v->text, most, number) || *number < v->argument->least)
		refuse_number(v, *number, most);
}

static void take_choice(const struct value *v, unsigned int *choice)
{
	if (!choice_find(v->argument->choice, v->text, strlen(v->text), choice))
		refuse_choice(v, "not one of", "");
	*choice += (unsigned int)v->argument->least;
}

static void take_choices(const struct value *v, uint64_t *choices)
{
	unsigned int number;
	const char *word;
	size_t length;

	for (word = v->text; word; word = word[length] ? word + length + 1 : NULL) {
		length = strcspn(word, ",");
		if (!choice_find(v->argument->choice, word, length, &number))
			refuse_choice(v, "not one or more of", ", separated by commas");
		*choices |= 1ULL << (number + v->argument->least);
	}
}

static void take_moment(const struct value *v, struct moment *moment)
{
	if (!moment_parse(v->text, moment))
		refuse(v, moment->ns == UINT64_MAX ? "the time is " TIME_TOO_LARGE :
			  "not a time such as 14:03, 14:03:22.5, 2026-11-22, '2026-11-22 14:03', -1m or +10s");
}

/* Can a user of any machine have this name? */
static bool can_be_user(const char *name)
{
	const char *c;

	for (c = name; (unsigned char)*c > ' ' && !strchr(":,/\177", *c); c++)
		;
	return !*c && *name && *name != '-' && strspn(name, "0123456789") != strlen(name);
}

/* A number, or a name of any machine. */
static void take_user(const struct value *v, struct filter *filter)
{
	uint64_t uid;

	if (parse_number(v->text, UINT32_MAX - 1, &uid))
		ids_add(&filter->uids, uid);
	else if (uid == UINT64_MAX)
		refuse_number(v, uid, UINT32_MAX - 1);
	else if (!can_be_user(v->text))
		refuse(v, "neither a user name nor a number; for several users, give --uid for each");
	else
		words_add(&filter->users, v->text);
}

void options_find_users(struct filter *filter, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < filter->users.count; i++) {
		const struct passwd *user = getpwnam(filter->users.all[i]);

		if (!user)
			argp_error(state, "--uid %s: neither a known user name nor a number",
				   quoted(filter->users.all[i]));
		else
			ids_add(&filter->uids, user->pw_uid);
	}
	filter->users.count = 0;
}

/* A path below the root of the hierarchy; that of the file system it is mounted as will do. */
static const char *cgroup_of(const char *path)
{
	static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	size_t i, length;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		length = strlen(mounts[i]);
		if (!strncmp(path, mounts[i], length) && (path[length] == '/' || !path[length]))
			return path[length] ? path + length : "/";
	}
	return path;
}

static void take_cgroup(const struct value *v, struct words *cgroups)
{
	const char *path = cgroup_of(v->text);

	if (*path != '/')
		refuse(v, "a path has to begin with '/', as in /proc/PID/cgroup");
	words_add(cgroups, path);
}

/* "4026532456", as lsns has it, or "pid:[4026532456]", as the link in /proc reads. */
static bool parse_namespace(const char *text, uint32_t *ns)
{
	static const char before[] = "pid:[";
	bool is_link = !strncmp(text, before, strlen(before));
	const char *begin = is_link ? text + strlen(before) : text, *behind = is_link ? "]" : "";
	size_t length = strcspn(begin, behind);
	char *number = strndup(begin, length);
	uint64_t value;
	bool ok;

	if (!number)
		die_no_memory();
	ok = parse_number(number, UINT32_MAX, &value) && value && !strcmp(begin + length, behind);
	free(number);
	*ns = ok ? (uint32_t)value : 0;
	return ok;
}

/* "42", "42@4026532456" or "42@/machine.slice/web" */
static void take_pid(const struct value *v, struct pids *pids)
{
	const char *at = strchr(v->text, '@');
	char *digits = strndup(v->text, at ? (size_t)(at - v->text) : strlen(v->text));
	struct pid_option option = { .text = v->text, .within = at };
	uint64_t pid;

	if (!digits)
		die_no_memory();
	if ((!parse_number(digits, INT_MAX, &pid) || !pid) && pid == UINT64_MAX)
		refuse_number(v, pid, INT_MAX);
	else if (!pid && strchr(digits, ','))
		refuse(v, "not a process ID; for several, give --pid for each");
	else if (!pid)
		refuse(v, isdigit((unsigned char)*digits) ? v->argument->wrong :
			  "not a process ID; --comm takes the name of a program");
	free(digits);
	option.pid = (uint32_t)pid;
	if (at && at[1] == '/')
		option.cgroup = cgroup_of(at + 1);
	else if (at && !parse_namespace(at + 1, &option.ns))
		refuse(v, "behind the '@' has to be the number of a PID namespace, as 'lsns -t pid' shows it, or the "
			  "path of a cgroup, as in /proc/PID/cgroup");
	pids->all = one_more(pids->all, pids->count, sizeof(*pids->all));
	pids->all[pids->count++] = option;
}

static void take_status(const struct value *v, uint64_t (*statuses)[4])
{
	uint64_t status;

	take_number(v, &status);
	(*statuses)[status / 64] |= 1ULL << status % 64;
}

static void take_signal(const struct value *v, uint64_t *signals)
{
	unsigned int signal;

	if (!strcasecmp(v->text, "any"))
		*signals = ANY_SIGNAL;
	else if (parse_signal(v->text, &signal))
		*signals |= 1ULL << (signal - 1);
	else
		refuse(v, "not a signal such as KILL, SIGSEGV or 9, nor any");
}

/* "20" or "20:rss" */
static void take_top(const struct value *v, struct cut *cut)
{
	size_t digits = strcspn(v->text, ":");
	const char *key = v->text + digits + 1;
	char *number = strndup(v->text, digits);

	if (!number)
		die_no_memory();
	if (!parse_number(number, UINT32_MAX, &cut->top) || !cut->top)
		refuse_number(v, cut->top, UINT32_MAX);
	free(number);
	cut->key = TOP_CPU;
	if (!v->text[digits])
		return;
	if (!choice_find(choice_top, key, strlen(key), &cut->key))
		refuse_choice(v, "the key is not one of", "");
	v->options->given |= GIVEN(TOP_KEY);
}

static void take_by(const struct value *v, enum proclife_by *by)
{
	size_t length = strlen(v->text);
	bool sums = choice_find(choice_summary_by, v->text, length, &v->options->summary_by);

	v->options->by_word = v->text;
	*by = choice_find(choice_by, v->text, length, by) ? *by + 1 : PROCLIFE_BY_NOTHING;
	if (!*by && !sums) {
		char others[100];

		snprintf(others, sizeof(others), ", nor, for --summary, of %s",
			 choice_list(choice_summary_by, ", ", " and "));
		refuse_choice(v, "not one of", others);
	}
}

static void take_factor(const struct value *v, double *factor)
{
	bool is_decimal;
	char *end;

	is_decimal = parse_decimal(v->text, &end, factor);
	if (!*end && *factor > (double)v->argument->most)
		refuse_number(v, UINT64_MAX, v->argument->most);
	else if (!is_decimal || *end || !(*factor > 1))
		refuse(v, v->argument->wrong);
}

/* With another name, the file would be written for months, and never be read. */
static void take_metrics(const struct value *v, const char **path)
{
	const char *slash = strrchr(v->text, '/'), *name = slash ? slash + 1 : v->text;
	size_t length = strlen(name);

	if (length < 6 || strcmp(name + length - 5, ".prom"))
		refuse(v, "node_exporter reads files whose names end in .prom; name such a file");
	*path = v->text;
}

static void take_keep(const struct value *v, struct record_options *record)
{
	const char *comma = strchrnul(v->text, ',');
	char *size = strndup(v->text, (size_t)(comma - v->text));

	if (!size)
		die_no_memory();
	if (!parse_size(size, &record->bytes) || !record->bytes)
		refuse(v, record->bytes == UINT64_MAX ? "the size is too large: the largest is 8185452TiB" :
			  "the size has to be like 64MiB or 1GiB, above 0; a time can follow, as in 1GiB,1h");
	free(size);
	record->age = 0;
	if (*comma && (!parse_time(comma + 1, BARE_SECONDS, &record->age) || !record->age))
		refuse(v, record->age == UINT64_MAX ? "the time is " TIME_TOO_LARGE :
			  "the time has to be like 90s, 10m or 1h, above 0");
}

/* The module's parameters of these names, as far as BPF programs have them. */
static const struct bpf_parameter {
	const char *name;
	size_t place; /* in struct source_options */
	uint64_t least; /* of a number; otherwise it is on or off */
	uint64_t most;
} bpf_parameters[] = {
	{ "ring_kb", offsetof(struct source_options, ring_kb), 256, 1 << 19 },
	{ "args_bytes", offsetof(struct source_options, args_bytes), 0, 8192 },
	{ "signals", offsetof(struct source_options, signals), 0, 0 },
	{ "waits", offsetof(struct source_options, waits), 0, 0 },
	{ "reap", offsetof(struct source_options, reap), 0, 0 },
	{ "exiting", offsetof(struct source_options, exiting), 0, 0 },
	{ "memory", offsetof(struct source_options, memory), 0, 0 },
	{ "cgroups", offsetof(struct source_options, cgroups), 0, 0 },
	{ "births", offsetof(struct source_options, births), 0, 0 },
	{ "times", offsetof(struct source_options, times), 0, 0 },
	{ "failures", offsetof(struct source_options, failures), 0, 0 },
	{ "paths", offsetof(struct source_options, paths), 0, 0 },
};

#define BPF_PARAMETERS (sizeof(bpf_parameters) / sizeof(*bpf_parameters))

static _Noreturn void refuse_parameter(const struct value *v, const char *name, size_t length)
{
	char why[300] = "bpf takes ";
	size_t i, end;

	for (i = 0; i < BPF_PARAMETERS; i++) {
		end = strlen(why);
		snprintf(why + end, sizeof(why) - end, "%s, ", bpf_parameters[i].name);
	}
	end = strlen(why);
	snprintf(why + end, sizeof(why) - end - 1, "and env=A:B; \"%.*s\" is none of them", (int)(length < 40 ? length : 40),
		 name);
	refuse(v, why);
}

static const struct bpf_parameter *find_parameter(const struct value *v, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < BPF_PARAMETERS; i++)
		if (strlen(bpf_parameters[i].name) == length && !strncmp(bpf_parameters[i].name, name, length))
			return &bpf_parameters[i];
	refuse_parameter(v, name, length);
}

/* Letters, digits and _, as the module takes it, and no name twice. */
static void take_variable(const struct value *v, const char *name, struct source_options *source)
{
	const size_t most = sizeof(source->env) / sizeof(*source->env), room = sizeof(*source->env);
	const char *at = name;
	unsigned int i;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	if (!*name || *at || isdigit((unsigned char)*name))
		refuse(v, "env is names of variables, separated by colons: letters, digits and _");
	if (strlen(name) >= room || source->env_count == most)
		refuse(v, "env is up to 16 names of variables, each shorter than 128 bytes");
	for (i = 0; i < source->env_count; i++)
		if (!strcmp(source->env[i], name))
			refuse(v, "env has a name twice");
	memcpy(source->env[source->env_count++], name, strlen(name) + 1);
}

/* NAME, NAME=Y, NAME=N or NAME=NUMBER. */
static void take_parameter(const struct value *v, const char *text, struct source_options *source)
{
	const char *value = strchrnul(text, '=');
	const struct bpf_parameter *p = find_parameter(v, text, (size_t)(value - text));
	void *place = (char *)source + p->place;
	uint64_t number;
	bool is_on = !*value || !strcmp(value, "=Y") || !strcmp(value, "=1");
	char why[100];

	if (!p->most) {
		snprintf(why, sizeof(why), "%s is Y or N", p->name);
		if (!is_on && strcmp(value, "=N") != 0 && strcmp(value, "=0") != 0)
			refuse(v, why);
		*(bool *)place = is_on;
		return;
	}
	snprintf(why, sizeof(why), "%s is a number from %" PRIu64 " to %" PRIu64, p->name, p->least, p->most);
	if (!*value || !parse_number(value + 1, p->most, &number) || number < p->least)
		refuse(v, why);
	*(uint32_t *)place = (uint32_t)number;
}

static void take_source(const struct value *v, struct source_options *source)
{
	char *words = strdup(v->text), *rest = words, *word;

	if (!words)
		die_no_memory();
	word = strsep(&rest, ",");
	source->kind = !strcmp(word, "module") ? SOURCE_MODULE : !strcmp(word, "bpf") ? SOURCE_BPF : SOURCE_ANY;
	if (source->kind == SOURCE_ANY)
		refuse(v, "not one of module and bpf");
	if (source->kind == SOURCE_MODULE && rest)
		refuse(v, "the module has its parameters of modprobe; only bpf takes some here");
	source->has_parameters = rest;
	while ((word = strsep(&rest, ","))) {
		char *names = strncmp(word, "env=", 4) ? NULL : word + 4, *name;

		if (!names)
			take_parameter(v, word, source);
		while ((name = strsep(&names, ":")))
			take_variable(v, name, source);
	}
	free(words);
}

static void take_expectation(const struct value *v, struct verdict_options *expect)
{
	const char *wrong;

	expect->all = one_more(expect->all, expect->count, sizeof(*expect->all));
	wrong = expect_parse(&expect->all[expect->count++], v->text);
	if (wrong)
		refuse(v, wrong);
}

static void take_condition(const struct value *v, struct trigger_options *on)
{
	const char *wrong;
	char many[60];

	on->conditions = one_more(on->conditions, on->count, sizeof(*on->conditions));
	snprintf(many, sizeof(many), "there are %d conditions already", MOST_CONDITIONS);
	wrong = on->count == MOST_CONDITIONS ? many : condition_parse(&on->conditions[on->count], v->text);
	if (wrong)
		refuse(v, wrong);
	on->count++;
}

bool value_adds(const struct argument *argument)
{
	enum values { ONE, ALL };
	static const enum values values_of[] = {
#define VALUES_OF(kind, function, type, values) [KIND_##kind] = (values),
		KINDS(VALUES_OF)
#undef VALUES_OF
	};

	return values_of[argument->kind] == ALL;
}

void value_take(const struct argument *argument, struct options *options, const char *name,
		const char *text, struct argp_state *state)
{
	void *place = (char *)options + argument->place;
	const struct value v = { argument, name, text, options, state };

	switch (argument->kind) {
#define TAKE_KIND(kind, function, type, values) \
	case KIND_##kind: \
		take_##function(&v, place); \
		break;
	KINDS(TAKE_KIND)
#undef TAKE_KIND
	case KIND_NONE:
		break;
	}
}
