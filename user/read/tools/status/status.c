// SPDX-License-Identifier: GPL-2.0-only
/* What the module is and does: parameters, features, rings, counts. */
#include "origin/ftrace.h"
#include "views/views.h"
#include <dirent.h>
#include <errno.h>
#include <proclife/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARAMETERS "/sys/module/" MODULE_NAME "/parameters"
#define LABEL 13

struct parameter {
	char *name;
	char *value;
};

struct status {
	struct run *run;
	const struct proclife_header *header;
	struct parameter *parameters;
	size_t parameter_count;
	uint64_t counts[PROCLIFE_TYPES];
	uint64_t suppressed[PROCLIFE_TYPES];
	uint32_t suppressing[PROCLIFE_TYPES]; /* CPUs, now */
	uint64_t now;
	uint64_t history; /* since when a reader could look back on all CPUs; 0: nothing there */
	const char *no_cgroup_paths; /* why; NULL if there are */
};

/*
 * Collecting
 */

static char *read_parameter(const char *name)
{
	char path[512], value[256];
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), PARAMETERS "/%s", name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	n = fread(value, 1, sizeof(value) - 1, file);
	fclose(file);
	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return strdup(value);
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_parameters(struct status *status)
{
	struct dirent **names;
	int i, n = scandir(PARAMETERS, &names, is_name, alphasort);

	if (n < 0)
		return;
	status->parameters = calloc(n ? n : 1, sizeof(*status->parameters));
	for (i = 0; i < n; i++) {
		char *value = status->parameters ? read_parameter(names[i]->d_name) : NULL;

		if (value) {
			struct parameter *p = &status->parameters[status->parameter_count++];

			p->name = strdup(names[i]->d_name);
			p->value = value;
		}
		free(names[i]);
	}
	free(names);
}

static const char *parameter(const struct status *status, const char *name)
{
	size_t i;

	for (i = 0; i < status->parameter_count; i++)
		if (status->parameters[i].name && !strcmp(status->parameters[i].name, name))
			return status->parameters[i].value;
	return NULL;
}

/* A bool or a number that says "off". */
static bool is_off(const struct status *status, const char *name)
{
	const char *value = parameter(status, name);

	return value && (!strcmp(value, "N") || !strcmp(value, "0"));
}

static void read_counts(struct status *status)
{
	uint32_t cpu, type;

	for (cpu = 0; cpu < status->header->cpus; cpu++) {
		const struct proclife_ring_ctl *ring =
			proclife_source_ring(status->run->source, cpu);

		for (type = 0; ring && type < PROCLIFE_TYPES; type++) {
			status->counts[type] += proclife_source_count(status->run->source, cpu, type);
			status->suppressed[type] += proclife_source_suppressed(status->run->source, cpu, type);
			status->suppressing[type] += ring->suppressing >> type & 1;
		}
	}
}

/* Where --history would begin, or the latest such time if it is not the same on all CPUs. */
static void read_history(struct status *status)
{
	struct proclife_event event;

	if (proclife_source_rewind(status->run->source))
		return;
	while (proclife_source_next(status->run->source, &event) == 1) {
		uint64_t begin = event.record ? event.record->ts : event.gap.to;

		if (status->history < begin && !(event.record && status->history))
			status->history = begin;
		if (event.record)
			return;
	}
}

/* Its records come from where a function begins, or returns, not from a tracepoint. */
static bool is_hooked(unsigned int type)
{
	return type == PROCLIFE_MM || PROCLIFE_HAS(type) & TYPES_AT_FUNCTIONS; /* an MM of some kernels, but for GONE */
}

/* Until the next call. */
static const char *absent_from_bpf(unsigned int type)
{
	static char why[128];
	bool is_asked;

	if (type == PROCLIFE_PATH)
		return "not asked for: --source=bpf,paths,env=A:B; or this kernel is older than 5.17";
	if (type == PROCLIFE_CGROUP)
		return "not asked for: --source=bpf,cgroups";
	if (type == PROCLIFE_TIMES)
		return "not asked for: --source=bpf,times; or this kernel has no CONFIG_SCHED_INFO";
	if (is_hooked(type)) {
		is_asked = type == PROCLIFE_BIRTH || type == PROCLIFE_FAIL;
		snprintf(why, sizeof(why), is_asked ? "not asked for: --source=bpf,%s; or %s" : "off by --source=bpf,%s=N, or %s",
			 type_parameter(type), "this kernel lets no BPF program run there");
		return why;
	}
	if (type == PROCLIFE_WAIT || type == PROCLIFE_SIGNAL || type == PROCLIFE_ARGS)
		return "off by --source=bpf,waits=N,signals=N,args_bytes=0, or this kernel refuses the program";
	return "this kernel has no such tracepoint, or refuses the program";
}

/* Why records of this type cannot appear; NULL if they can. */
static const char *absent(const struct status *status, unsigned int type)
{
	const char *name = type_parameter(type);

	/* Programs at functions stop, too, if it is set when they are there already. */
	if (is_by_bpf(status->header) && is_hooked(type) && ftrace_is_off())
		return "kernel.ftrace_enabled is 0; set it to 1 and load the programs again";
	if (status->header->features & PROCLIFE_HAS(type))
		return NULL;
	if (is_by_bpf(status->header))
		return absent_from_bpf(type);
	/* Without a parameter to read, this is no real module, and there is nothing to compare. */
	if (name && status->parameter_count && !parameter(status, name))
		return "not recorded by this version of the module";
	if (name && is_off(status, name))
		return "off by the module's parameter";
	if (type == PROCLIFE_HANG && access("/proc/sys/kernel/hung_task_timeout_secs", F_OK))
		return "this kernel has no hung task detector (CONFIG_DETECT_HUNG_TASK)";
	if (is_hooked(type) && ftrace_is_off())
		return "kernel.ftrace_enabled is 0; set it to 1 and load the module again";
	if (is_hooked(type))
		return "no hook for it on this kernel, see dmesg";
	if (type == PROCLIFE_TIMES)
		return "this kernel has no CONFIG_SCHED_INFO";
	return "this kernel has no such tracepoint, see dmesg";
}

/* Nothing that happens to a task: what a snapshot finds, what is not recorded, what no module makes. */
static bool is_about_records(unsigned int type)
{
	return type == PROCLIFE_TASK || type == PROCLIFE_SUPPRESSED || type == PROCLIFE_PAST;
}

/*
 * For people
 */

static void label(struct text *line, const char *name)
{
	text_style(line, STYLE_BOLD);
	text_printf(line, "%-*s", LABEL, name);
	text_style(line, STYLE_PLAIN);
}

/* Or, of BPF programs, which have none to be read, where they are. */
static void show_parameters(const struct status *status, struct text *line)
{
	size_t i;

	if (is_by_bpf(status->header)) {
		label(line, "loaded");
		text_string(line, status->run->pinned ? "pinned in " PROCLIFE_BPF_FOLDER :
							     "for this run alone; --load lets them stay");
		text_line(line);
		return;
	}
	label(line, "parameters");
	for (i = 0; i < status->parameter_count; i++) {
		text_string(line, i ? ", " : "");
		text_name(line, status->parameters[i].name ?: "", SIZE_MAX);
		text_string(line, "=");
		text_name(line, status->parameters[i].value, SIZE_MAX);
	}
	if (!i)
		text_string(line, "unknown: " PARAMETERS " cannot be read");
	text_line(line);
}

static void show_module(const struct status *status, struct text *line)
{
	const struct proclife_header *h = status->header;
	const char *mark = exit_mark_text(h);

	label(line, is_by_bpf(h) ? "BPF" : "module");
	text_string(line, is_by_bpf(h) ? "programs of proclife-read " : MODULE_NAME " ");
	text_name(line, h->version, PROCLIFE_VERSION_LEN);
	text_printf(line, ", ABI %u", h->abi_version);
	if (h->abi_compatible != h->abi_version)
		text_printf(line, " (readers from %u on)", h->abi_compatible);
	text_string(line, h->stopped ? ", loaded for " : ", recording for ");
	text_time(line, status->now > h->loaded ? status->now - h->loaded : 0);
	text_line(line);
	if (h->stopped) {
		label(line, "stopped");
		text_time(line, status->now > h->stopped ? status->now - h->stopped : 0);
		text_string(line, " ago: nothing is recorded until root writes 1 to " PARAMETERS "/recording");
		text_line(line);
	}
	label(line, "kernel");
	text_string(line, "Linux ");
	text_name(line, h->release, PROCLIFE_RELEASE_LEN);
	if (mark)
		text_printf(line, ", exits begin %s", mark);
	text_line(line);
	show_parameters(status, line);
	label(line, "history");
	if (status->history) {
		text_time(line, status->now > status->history ? status->now - status->history : 0);
		text_string(line, " back on every CPU, since ");
		text_printf(line, "%llu.%09u", (unsigned long long)(status->history / 1000000000),
			    (unsigned int)(status->history % 1000000000));
	} else {
		text_string(line, "none");
	}
	text_line(line);
	if (status->no_cgroup_paths) {
		label(line, "cgroups");
		text_printf(line, "without paths: %s", status->no_cgroup_paths);
		text_line(line);
	}
}

static void show_types(const struct status *status, struct text *line)
{
	const struct proclife_header *h = status->header;
	uint64_t missed = is_by_bpf(h) ? 0 : h->marks_missed;
	unsigned int type;

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-8s %14s  %s", "RECORD", "COUNT", "");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (type = 1; type < PROCLIFE_TYPES; type++) {
		const char *name = proclife_type_name(type);
		const char *why = absent(status, type);

		if (!name || is_about_records(type))
			continue;
		if (why)
			text_style(line, STYLE_DIM);
		text_printf(line, "%-8s ", name);
		if (why) {
			text_printf(line, "%14s  %s", "-", why);
			text_style(line, STYLE_PLAIN);
		} else {
			text_count_in(line, 14, status->counts[type]);
		}
		if (type == PROCLIFE_REAP && !why) {
			text_printf(line, "  at %s", reap_source_text(h->reap_source) ?: "an unknown place");
			if (!is_by_bpf(h)) {
				text_string(line, ", missed ");
				text_count(line, h->reap_missed);
			}
		}
		if (is_hooked(type) && type != PROCLIFE_REAP && !why && missed) {
			text_string(line, "  missed, by all hooks but reap's, ");
			text_count(line, missed);
			missed = 0;
		}
		if (type == PROCLIFE_ARGS && !why)
			text_printf(line, "  up to %u bytes of each vector", h->args_bytes);
		if (status->suppressed[type]) {
			text_string(line, "  and suppressed, over the module's budget, ");
			text_count(line, status->suppressed[type]);
		}
		if (status->suppressing[type])
			text_printf(line, "; now, too, on %u %s", status->suppressing[type],
				    plural(status->suppressing[type], "CPU", "CPUs"));
		text_line(line);
	}
}

/* A CPU has a ring for each program, so only sums are of use. */
static void show_bpf_rings(const struct status *status, struct text *line)
{
	uint32_t cpu;

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%4s %16s", "CPU", "RECORDED");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (cpu = 0; cpu < status->header->cpus; cpu++) {
		const struct proclife_ring_ctl *sums = proclife_source_ring(status->run->source, cpu);

		if (!sums)
			continue;
		text_printf(line, "%4u ", cpu);
		text_count_in(line, 16, sums->commit);
		text_line(line);
	}
	if (status->header->marks_missed) {
		text_line(line);
		text_plural(line, status->header->marks_missed, "record was", "records were");
		text_string(line, " skipped by the kernel, or came from a CPU without rings.");
		text_line(line);
	}
}

static void show_rings(const struct status *status, struct text *line)
{
	const struct proclife_header *h = status->header;
	uint32_t cpu;

	if (is_by_bpf(h)) {
		show_bpf_rings(status, line);
		return;
	}

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%4s %10s %8s %16s %16s %16s", "CPU", "RECORDS", "SIZE", "RESERVE",
		    "COMMIT", "OVERWRITTEN");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (cpu = 0; cpu < h->cpus; cpu++) {
		const struct proclife_ring_ctl *ring =
			proclife_source_ring(status->run->source, cpu);
		uint64_t reserve, commit, size = h->records_per_ring;

		if (!ring)
			continue;
		commit = __atomic_load_n(&ring->commit, __ATOMIC_ACQUIRE);
		reserve = __atomic_load_n(&ring->reserve, __ATOMIC_ACQUIRE);
		text_printf(line, "%4u ", cpu);
		text_count_in(line, 10, commit < size ? commit : size);
		text_string(line, " ");
		text_size_in(line, 8, size * h->record_bytes / 1024);
		text_string(line, " ");
		text_count_in(line, 16, reserve);
		text_string(line, " ");
		text_count_in(line, 16, commit);
		text_string(line, " ");
		text_count_in(line, 16, reserve > size ? reserve - size : 0);
		text_line(line);
	}
}

/*
 * For programs
 */

static void json_module(const struct status *status, struct json *json)
{
	const struct proclife_header *h = status->header;
	size_t i;

	json_line(json, "status");
	json_uint(json, "ts", status->now);
	json_source(json, h);
	json_uint(json, "abi", h->abi_version);
	json_uint(json, "abi_compatible", h->abi_compatible);
	json_bytes(json, "kernel", h->release, PROCLIFE_RELEASE_LEN);
	json_string_or_null(json, "exit_mark", exit_mark_json(h));
	json_string_or_null(json, "reap_source", reap_source_text(h->reap_source));
	json_uint(json, "reap_missed", h->reap_missed);
	json_marks(json, h);
	json_uint(json, "loaded", h->loaded);
	json_uint_or_null(json, "stopped", h->stopped);
	json_uint(json, "history", status->history);
	json_uint(json, "record_bytes", h->record_bytes);
	json_uint(json, "records_per_ring", h->records_per_ring);
	json_uint(json, "args_bytes", h->args_bytes);
	json_uint(json, "hz", h->hz);
	json_uint(json, "to_boottime", h->to_boottime);
	json_uint(json, "to_realtime", h->to_realtime);
	json_string_or_null(json, "no_cgroup_paths", status->no_cgroup_paths);
	json_object(json, "parameters");
	for (i = 0; i < status->parameter_count; i++)
		if (status->parameters[i].name)
			json_string(json, status->parameters[i].name, status->parameters[i].value);
	json_object_end(json);
	json_line_end(json);
}

static void json_all(const struct status *status)
{
	struct json *json = status->run->json;
	unsigned int type;
	uint32_t cpu;

	json_module(status, json);
	for (type = 1; type < PROCLIFE_TYPES; type++) {
		const char *why = absent(status, type);

		if (!proclife_type_name(type) || is_about_records(type))
			continue;
		json_line(json, "feature");
		json_string(json, "record", proclife_type_name(type));
		json_bool(json, "present", !why);
		json_uint(json, "count", status->counts[type]);
		json_uint(json, "suppressed", status->suppressed[type]);
		json_uint(json, "suppressing", status->suppressing[type]);
		if (why)
			json_string(json, "reason", why);
		json_line_end(json);
	}
	for (cpu = 0; cpu < status->header->cpus; cpu++) {
		const struct proclife_ring_ctl *ring =
			proclife_source_ring(status->run->source, cpu);

		if (!ring)
			continue;
		json_line(json, "ring");
		json_uint(json, "cpu", cpu);
		json_uint(json, "commit", __atomic_load_n(&ring->commit, __ATOMIC_ACQUIRE));
		json_uint(json, "reserve", __atomic_load_n(&ring->reserve, __ATOMIC_ACQUIRE));
		json_line_end(json);
	}
}

static int print_source(struct run *run)
{
	struct status status = { .run = run };
	struct text line;
	size_t i;

	status.header = proclife_source_header(run->source);
	if (!status.header)
		return -ENODEV;
	status.now = proclife_source_now(run->source);
	status.no_cgroup_paths = why_no_cgroup_paths();
	read_parameters(&status);
	read_counts(&status);
	read_history(&status);
	if (run->options->json) {
		json_all(&status);
	} else {
		text_init(&line, run->screen);
		show_module(&status, &line);
		show_types(&status, &line);
		show_rings(&status, &line);
		text_free(&line);
	}
	for (i = 0; i < status.parameter_count; i++) {
		free(status.parameters[i].name);
		free(status.parameters[i].value);
	}
	free(status.parameters);
	return 0;
}

const struct request tool_status = {
	.name = "status",
	.argument = { "N", .may_lack = true }, /* with it, no view but a filter */
	.help = "The module: parameters, rings, features, counts",
	.scope = "shows the module as it is now",
	.takes = OF_DEVICE,
	.print_source = print_source,
};
