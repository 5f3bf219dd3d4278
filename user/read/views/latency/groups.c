// SPDX-License-Identifier: GPL-2.0-only
/* --latency --by: the phases of each group, the slowest group first. */
#include "output/message.h"
#include "output/percentiles.h"
#include "views/latency/phases.h"
#include "views/views.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 24

const char *user_name(const struct run *run, uint32_t uid, char buffer[24])
{
	const char *name = proclife_users_name(run->users, uid);

	if (name)
		return name;
	snprintf(buffer, 24, "%" PRIu32, uid);
	return buffer;
}

void text_user(struct text *text, const struct run *run, uint32_t uid)
{
	char buffer[24];

	text_label(text, user_name(run, uid, buffer), SIZE_MAX);
}

void text_cgroup(struct text *text, const struct run *run, uint64_t cgroup)
{
	const char *path = proclife_cgroups_path(run->cgroups, cgroup);

	if (path)
		text_label(text, path, SIZE_MAX);
	else
		text_printf(text, "cgroup %" PRIu64, cgroup);
}

void json_cgroup(struct json *json, const struct run *run, uint64_t cgroup)
{
	json_string_or_null(json, "group", proclife_cgroups_path(run->cgroups, cgroup));
	json_uint(json, "cgroup", cgroup);
}

void text_group(struct text *text, const struct run *run, enum proclife_by by,
		const struct proclife_group *group)
{
	if (!group->known) {
		text_string(text, "(unknown)");
		return;
	}
	switch (by) {
	case PROCLIFE_BY_CGROUP:
		text_cgroup(text, run, group->number);
		break;
	case PROCLIFE_BY_CPU:
		text_printf(text, "CPU %" PRIu64, group->number);
		break;
	case PROCLIFE_BY_UID:
		text_user(text, run, (uint32_t)group->number);
		break;
	default:
		text_comm(text, group->name);
		break;
	}
}

void json_group(struct json *json, const struct run *run, enum proclife_by by,
		const struct proclife_group *group)
{
	json_string(json, "by", proclife_by_name(by));
	if (!group->known) {
		json_null(json, "group");
	} else if (by == PROCLIFE_BY_CGROUP) {
		json_cgroup(json, run, group->number);
	} else if (by == PROCLIFE_BY_CPU || by == PROCLIFE_BY_UID) {
		json_uint(json, "group", group->number);
	} else {
		json_bytes(json, "group", group->name, PROCLIFE_COMM_LEN);
	}
}

static uint64_t slowness(const struct proclife_group *group)
{
	const struct proclife_histogram *h = proclife_group_phase(group, PROCLIFE_EXIT_FREE);

	return h ? proclife_histogram_percentile(h, 99) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct proclife_group *x = *(const void *const *)a, *y = *(const void *const *)b;
	uint64_t p = slowness(x), q = slowness(y);

	if (p != q)
		return p > q ? -1 : 1;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* All of them, sorted; the caller frees the array. */
static const struct proclife_group **sorted(const struct run *run, size_t *count)
{
	const struct proclife_group **groups, *group;
	size_t n = 0;

	while (proclife_latency_group(run->latency, n))
		n++;
	groups = calloc(n + 1, sizeof(*groups));
	if (!groups)
		die_no_memory();
	for (n = 0; (group = proclife_latency_group(run->latency, n)); n++)
		groups[n] = group;
	qsort(groups, n, sizeof(*groups), compare);
	*count = n;
	return groups;
}

/* Those that have no figures yet. */
static void show_open(struct text *line, uint64_t n, const char *what)
{
	if (n)
		text_printf(line, ", %" PRIu64 " %s", n, what);
}

static void show_group(const struct run *run, struct text *line, const struct proclife_group *group)
{
	const struct proclife_latency_counts *counts = proclife_group_counts(group);
	enum proclife_phase phase;
	struct text name;

	text_init(&name, run->screen);
	text_group(&name, run, run->options->by, group);
	text_style(line, STYLE_BOLD);
	text_string(line, name.s);
	text_style(line, STYLE_PLAIN);
	text_free(&name);
	show_open(line, counts->alive, "alive");
	show_open(line, counts->dying, "dying");
	show_open(line, counts->unreaped, plural(counts->unreaped, "zombie", "zombies"));
	show_open(line, counts->unfreed, "not freed");
	show_open(line, counts->unknown, "whose end was lost");
	text_line(line);
	for (phase = PROCLIFE_LIFE + 1; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_histogram *h = proclife_group_phase(group, phase);

		if (!h)
			continue;
		text_printf(line, "  %-*s", NAME_COLUMNS - 7, proclife_phase_info(phase)->name);
		text_percentiles(line, h);
		text_line(line);
	}
}

static const struct proclife_cgroup_end *end_of(const struct proclife_cgroup_ends *ends,
						const struct proclife_group *group)
{
	return ends && group->known ? proclife_cgroup_ends_get(ends, group->number) : NULL;
}

void groups_print(const struct run *run, struct text *line, const struct proclife_cgroup_ends *ends)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : MANY_LINES;
	const struct proclife_group **groups;
	const struct proclife_cgroup_end *end;
	size_t count, i;

	groups = sorted(run, &count);
	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "BY %-*s", NAME_COLUMNS - 8, proclife_by_name(run->options->by));
	text_percentiles_head(line);
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (i = 0; i < count && i < most; i++) {
		show_group(run, line, groups[i]);
		end = end_of(ends, groups[i]);
		if (end)
			cgroup_end_print(run, line, end);
	}
	if (i < count) {
		text_plural(line, count - i, "more group", "more groups");
		text_string(line, ", none with a higher p99 of exit_free; --top N shows N");
		text_line(line);
	}
	if (ends)
		cgroup_ends_show_missing(run, line);
	free(groups);
}

void groups_print_json(const struct run *run, const struct proclife_cgroup_ends *ends)
{
	const struct proclife_group **groups;
	const struct proclife_cgroup_end *end;
	struct json *json = run->json;
	size_t count, i;
	unsigned int phase;

	groups = sorted(run, &count);
	for (i = 0; i < count; i++) {
		for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
			json_line(json, "group");
			json_group(json, run, run->options->by, groups[i]);
			json_string(json, "phase", proclife_phase_info(phase)->name);
			json_percentiles(json, proclife_group_phase(groups[i], phase));
			json_spent(json, proclife_group_spent(groups[i], phase));
			json_line_end(json);
		}
		end = end_of(ends, groups[i]);
		if (end)
			cgroup_end_json(run, end);
	}
	free(groups);
}
