// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "views/summary/programs.h"
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? 1 : -1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

/* The folder of a path, and the path itself if it has none; its NUL is set in @buffer. */
static const char *folder_of(const char *path, char buffer[PROCLIFE_PATH_LEN + 4])
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return path;
	snprintf(buffer, PROCLIFE_PATH_LEN + 4, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return buffer;
}

/* What @process belongs to; the name is not the program's own. */
static struct program key_of(enum summary_by by, const struct proclife_process *process,
			     char buffer[PROCLIFE_PATH_LEN + 4])
{
	struct program key = { .known = true };
	const char *name = NULL;

	switch (by) {
	case SUMMARY_BY_COMM:
		name = process->comm;
		break;
	case SUMMARY_BY_PATH:
		name = process->path;
		break;
	case SUMMARY_BY_DIR:
		name = process->path ? folder_of(process->path, buffer) : NULL;
		break;
	case SUMMARY_BY_PARENT:
		name = process->parent_id ? process->parent_comm : NULL;
		break;
	case SUMMARY_BY_CGROUP:
		key.number = process->cgroup;
		key.known = process->cgroup;
		return key;
	case SUMMARY_BY_UID:
		key.number = process->uid;
		key.known = proclife_process_has_uid(process);
		return key;
	case SUMMARY_BYS:
		break;
	}
	key.name = (char *)(uintptr_t)name;
	key.known = name;
	return key;
}

/* A name has its NUL here, so that none is as long as a key that is not known. */
static uint32_t number_of_key(struct numbers *keys, const struct program *key)
{
	if (!key->known)
		return number_of(keys, "", 0);
	if (!key->name)
		return number_of(keys, &key->number, sizeof(key->number));
	return number_of(keys, key->name, strlen(key->name) + 1);
}

static struct program *program_of(struct programs *programs, const struct program *key)
{
	uint32_t number = number_of_key(&programs->keys, key);
	struct program *program;

	if (number && number <= programs->count)
		return programs->by_number[number - 1];
	program = number ? calloc(1, sizeof(*program)) : NULL;
	if (!program)
		die_no_memory();
	program->known = key->known;
	program->number = key->number;
	program->name = key->name ? strdup(key->name) : NULL;
	if (key->name && !program->name)
		die_no_memory();
	ARRAY_GROW(programs->by_number, programs->count, programs->number_room);
	ARRAY_GROW(programs->all, programs->count, programs->room);
	programs->by_number[programs->count] = program;
	programs->all[programs->count++] = program;
	return program;
}

static void keep_args(struct kept_args *kept, const struct proclife_process *process)
{
	if (process->args) {
		kept_args_set(kept, process->args, process->args_bytes, process->args_cut);
		return;
	}
	free(kept->text);
	*kept = (struct kept_args){ 0 };
}

static void add_life(struct program *program, const struct proclife_process *process)
{
	uint64_t ns;

	if (!proclife_process_phase(process, PROCLIFE_LIFE, &ns))
		return;
	if ((!program->life && proclife_histogram_new(&program->life)) ||
	    proclife_histogram_add(program->life, ns))
		die_no_memory();
	if (program->longest.tgid && ns <= program->longest.ns)
		return;
	program->longest.ns = ns;
	program->longest.tgid = process->tgid;
	program->longest.first = program->runs == 1;
	program->longest.exit_code = process->exit_code;
	keep_args(&program->longest.args, process);
}

const enum proclife_phase cost_phases[COST_PHASES] = {
	PROCLIFE_PHASE_FORK,
	PROCLIFE_PHASE_EXEC,
	PROCLIFE_TEARDOWN,
};

static void add_cost(struct phase_cost *cost, const struct proclife_process *process, enum proclife_phase phase)
{
	const struct proclife_split *split = proclife_process_split(process, phase);
	uint64_t ns;

	if (!proclife_process_phase(process, phase, &ns))
		return;
	cost->count++;
	add_count(&cost->ns, ns);
	if (!split)
		return;
	cost->spent.count++;
	cost->spent.exact += split->exact;
	add_count(&cost->spent.on_cpu, split->on_cpu);
	add_count(&cost->spent.waiting, split->waiting);
	add_count(&cost->spent.blocked, split->blocked);
}

static void add_waiting(struct programs *programs, struct program *program, const struct proclife_process *process)
{
	uint64_t ns;

	if (!proclife_process_phase(process, PROCLIFE_PHASE_WAIT, &ns))
		return;
	program->waits++;
	programs->waits++;
	add_count(&program->waiting, ns);
}

void programs_add(struct programs *programs, enum summary_by by,
		  const struct proclife_process *process, bool ended)
{
	char buffer[PROCLIFE_PATH_LEN + 4];
	struct program key = key_of(by, process, buffer);
	struct program *program = program_of(programs, &key);
	size_t i;

	if (!ended) {
		program->open++;
		programs->open++;
		programs->unsure += !process->marks.exited && !process->outlives;
		return;
	}
	program->runs++;
	if (program->runs <= 2)
		keep_args(program->runs == 1 ? &program->first : &program->second, process);
	programs->runs++;
	program->failed += process->exit_code > 0;
	programs->failed += process->exit_code > 0;
	add_count(&program->runtime, process->runtime);
	add_count(&programs->runtime, process->runtime);
	if (process->max_rss > program->max_rss)
		program->max_rss = process->max_rss;
	add_life(program, process);
	add_waiting(programs, program, process);
	for (i = 0; i < COST_PHASES; i++)
		add_cost(&programs->costs[i], process, cost_phases[i]);
}

static int compare(const void *a, const void *b)
{
	const struct program *x = *(const void *const *)a, *y = *(const void *const *)b;

	if (x->runtime != y->runtime)
		return x->runtime > y->runtime ? -1 : 1;
	if (x->runs != y->runs)
		return x->runs > y->runs ? -1 : 1;
	return compare_keys(x, y);
}

void programs_sort(struct programs *programs)
{
	if (programs->count)
		qsort(programs->all, programs->count, sizeof(*programs->all), compare);
}

void programs_free(struct programs *programs)
{
	size_t i;

	numbers_free(&programs->keys);
	for (i = 0; i < programs->count; i++) {
		struct program *program = programs->all[i];

		proclife_histogram_free(program->life);
		free(program->first.text);
		free(program->second.text);
		free(program->longest.args.text);
		free(program->name);
		free(program);
	}
	free(programs->by_number);
	free(programs->all);
}

/* How much it says: an option little, a file in a folder most; but not one that is soon gone. */
static unsigned int says(const char *argument)
{
	const char *slash = strrchr(argument, '/'), *base = slash ? slash + 1 : argument;
	const char *dot = strrchr(base, '.');

	if (*argument == '-')
		return 0;
	if (!dot || dot == base || !dot[1] || !strncmp(argument, "/tmp/", 5))
		return 1;
	return slash ? 3 : 2;
}

const char *program_longest_argument(const struct program *program)
{
	const struct kept_args *args = &program->longest.args;
	const struct kept_args *other = program->longest.first ? &program->second : &program->first;
	struct kept_words known = { 0 };
	const char *best = NULL;
	unsigned int best_says = 0;
	size_t best_length = 0, length;
	uint32_t i;

	if (program->runs != 1)
		kept_words_begin(&known, other, UINT32_MAX);
	for (i = 0; i < args->bytes; i += (uint32_t)length + 1) {
		const char *argument = args->text + i;
		unsigned int much;

		length = strlen(argument);
		/* The program itself is named already. */
		if (!i || !length)
			continue;
		much = says(argument);
		if (best && (much != best_says ? much < best_says : length >= best_length))
			continue;
		if (kept_words_have(&known, argument, length))
			continue;
		best = argument;
		best_says = much;
		best_length = length;
	}
	kept_words_end(&known);
	return best;
}
