// SPDX-License-Identifier: GPL-2.0-only
/*
 * A span per process that has ended, for the OpenTelemetry collector. Its attributes follow the
 * conventions for processes; what these do not have begins with "proclife.".
 */
#include "cli/traceparent.h"
#include "output/message.h"
#include "output/otlp.h"
#include "output/quoted.h"
#include "views/export/descent.h"
#include "views/export/export.h"
#include "views/export/otlp_losses.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND_INTERNAL 1
#define STATUS_ERROR_CODE 2

struct spans {
	const struct export *export;
	struct json json;
	struct text text; /* to put something together */
	struct descent descent;
	struct otlp_losses losses;
	bool has_parent; /* of all that is selected: */
	struct traceparent parent;
	uint64_t boot; /* the first half of a trace's id, unless it is the parent's */
	char host[PROCLIFE_HOST_LEN];
};

static void put_known(struct json *json, const char *key, uint64_t value)
{
	if (value)
		otlp_uint(json, key, value);
}

static void put_comm(struct json *json, const char *key, const char comm[PROCLIFE_COMM_LEN])
{
	otlp_bytes(json, key, comm, PROCLIFE_COMM_LEN);
}

static void put_program(struct json *json, const struct proclife_process *process)
{
	const char *path = process->path, *slash = path ? strrchr(path, '/') : NULL;

	if (path) {
		otlp_string(json, "process.executable.name", slash ? slash + 1 : path);
		otlp_string(json, "process.executable.path", path);
	} else {
		put_comm(json, "process.executable.name", process->comm);
	}
	if (!process->args)
		return;
	otlp_bytes(json, "process.command", process->args, process->args_bytes);
	otlp_strings(json, "process.command_args", process->args, process->args_bytes);
	if (process->args_cut)
		otlp_true(json, "proclife.args_cut");
}

static void put_owner(struct spans *spans, const struct proclife_process *process)
{
	const struct run *run = spans->export->run;
	const char *cgroup = proclife_cgroups_path(run->cgroups, process->cgroup), *user;
	struct json *json = &spans->json;

	if (proclife_process_has_uid(process)) {
		user = proclife_users_name(run->users, process->uid);
		otlp_uint(json, "process.real_user.id", process->uid);
		if (user)
			otlp_string(json, "process.real_user.name", user);
	}
	if (!cgroup)
		return;
	/* A line of /proc/PID/cgroup, as the conventions ask for. */
	text_clear(&spans->text);
	text_string(&spans->text, "0::");
	text_string(&spans->text, cgroup);
	otlp_string(json, "process.linux.cgroup", spans->text.s);
}

static void put_end(struct json *json, const struct life *life, const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	unsigned int code = (unsigned int)process->exit_code, signal = code & 0x7f;
	char text[24];

	if (process->exit_code >= 0 && !signal) {
		otlp_uint(json, "process.exit.code", code >> 8 & 0xff);
		snprintf(text, sizeof(text), "%u", code >> 8 & 0xff);
		if (life_failed(life))
			otlp_string(json, "error.type", text);
	} else if (process->exit_code >= 0) {
		otlp_string(json, "error.type", signal_name((int)signal, text));
		otlp_string(json, "proclife.signal", signal_name((int)signal, text));
		if (code & 0x80)
			otlp_true(json, "proclife.core_dumped");
	}
	if (killer) {
		otlp_int(json, "proclife.killer.code", killer->code);
		put_known(json, "proclife.killer.pid", killer->tgid);
		put_known(json, "proclife.killer.tid", killer->pid);
		if (killer->named)
			put_comm(json, "proclife.killer.comm", killer->comm);
		put_comm(json, "proclife.killer.thread_comm", killer->thread_comm);
		if (proclife_cause_name(killer->cause))
			otlp_string(json, "proclife.killer.cause", proclife_cause_name(killer->cause));
		if (proclife_oom_scope_name(killer->oom_scope))
			otlp_string(json, "proclife.killer.oom_scope", proclife_oom_scope_name(killer->oom_scope));
		put_known(json, "proclife.killer.oom_cgroup", killer->oom_cgroup);
	}
	if (!process->reaper_tgid)
		return;
	otlp_uint(json, "proclife.reaper.pid", process->reaper_tgid);
	if (process->reaper_named)
		put_comm(json, "proclife.reaper.comm", process->reaper_comm);
}

static void put_mark(struct spans *spans, const char *key, uint64_t ts)
{
	put_known(&spans->json, key, export_realtime(spans->export->run, ts));
}

static void put_tracer(struct spans *spans, const struct proclife_tracer *tracer)
{
	if (!tracer->tgid)
		return;
	otlp_uint(&spans->json, "proclife.tracer.pid", tracer->tgid);
	if (tracer->ts)
		put_comm(&spans->json, "proclife.tracer.comm", tracer->comm);
	put_mark(spans, "proclife.tracer.notified", tracer->ts);
}

static void put_actor(struct json *json, const char *pid, const char *comm, const char *thread,
		      const struct proclife_actor *actor)
{
	if (!actor->pid)
		return;
	otlp_uint(json, pid, actor->tgid);
	if (actor->named)
		put_comm(json, comm, actor->comm);
	put_comm(json, thread, actor->thread_comm);
}

static void put_memory(struct spans *spans, const struct proclife_memory *memory)
{
	struct json *json = &spans->json;

	if (!memory->left && !memory->teardown)
		return;
	put_mark(spans, "proclife.memory.left", memory->left);
	put_known(json, "proclife.memory.holders", memory->holders);
	put_mark(spans, "proclife.memory.early", memory->early);
	put_actor(json, "proclife.memory.early_by.pid", "proclife.memory.early_by.comm", "proclife.memory.early_by.thread_comm",
		  &memory->early_by);
	put_known(json, "proclife.memory.early_anon", memory->early_anon);
	put_mark(spans, "proclife.memory.teardown", memory->teardown);
	put_actor(json, "proclife.memory.last.pid", "proclife.memory.last.comm", "proclife.memory.last.thread_comm",
		  &memory->last);
	put_actor(json, "proclife.memory.by.pid", "proclife.memory.by.comm", "proclife.memory.by.thread_comm",
		  &memory->by);
	otlp_uint(json, "proclife.memory.rss_anon", memory->rss_anon);
	otlp_uint(json, "proclife.memory.rss_file", memory->rss_file);
	otlp_uint(json, "proclife.memory.rss_shmem", memory->rss_shmem);
	otlp_uint(json, "proclife.memory.swap", memory->swap);
	put_mark(spans, "proclife.memory.gone", memory->gone);
}

static void put_phases(struct spans *spans, const struct life *life)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		if (!life_phase(life, phase, &ns))
			continue;
		text_clear(&spans->text);
		text_string(&spans->text, "proclife.");
		text_string(&spans->text, proclife_phase_info(phase)->name);
		otlp_uint(&spans->json, spans->text.s, ns);
	}
	if (life->alone_known)
		otlp_uint(&spans->json, "proclife.alone", life->alone);
}

static void put_usage(struct json *json, const struct life *life)
{
	const struct proclife_usage *usage = &life->usage;
	uint64_t user, system;

	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	otlp_uint(json, "proclife.runtime", usage->runtime);
	otlp_uint(json, "proclife.utime", user);
	otlp_uint(json, "proclife.stime", system);
	if (life->max_rss)
		otlp_uint(json, "proclife.max_rss", life->max_rss);
	otlp_uint(json, "proclife.min_flt", usage->min_flt);
	otlp_uint(json, "proclife.maj_flt", usage->maj_flt);
	otlp_uint(json, "proclife.nvcsw", usage->nvcsw);
	otlp_uint(json, "proclife.nivcsw", usage->nivcsw);
}

static void put_attributes(struct spans *spans, const struct life *life, const struct proclife_process *process)
{
	struct json *json = &spans->json;

	otlp_uint(json, "process.pid", process->tgid);
	put_known(json, "process.parent_pid", process->parent_tgid);
	if (process->ns_pid != process->tgid)
		put_known(json, "process.vpid", process->ns_pid);
	put_program(json, process);
	put_owner(spans, process);
	put_end(json, life, process);
	put_comm(json, "proclife.comm", process->comm);
	put_known(json, "proclife.creator_pid", process->creator_tgid);
	otlp_uint(json, "proclife.threads", process->threads);
	otlp_uint(json, "proclife.execs", process->execs);
	if (process->script)
		otlp_true(json, "proclife.script");
	if (process->by_fd)
		otlp_true(json, "proclife.by_fd");
	otlp_string(json, "proclife.state", proclife_state_name(life->state));
	if (process->flags & PROCLIFE_F_KTHREAD)
		otlp_true(json, "proclife.kthread");
	if (life->autoreaped)
		otlp_true(json, "proclife.autoreaped");
	if (process->incomplete)
		otlp_true(json, "proclife.incomplete");
	if (!process->marks.born)
		otlp_true(json, "proclife.partial");
	put_mark(spans, "proclife.killed", life->killed);
	put_tracer(spans, &life->tracer);
	put_mark(spans, "proclife.notified", life->marks.notified);
	put_mark(spans, "proclife.reaped", life->marks.reaped);
	put_mark(spans, "proclife.freed", life->marks.freed);
	put_phases(spans, life);
	put_memory(spans, &life->memory);
	put_usage(json, life);
}

/* Left out where nothing is wrong: "ok" is for the application to say. */
static void put_status(struct json *json, const struct life *life)
{
	unsigned int code = (unsigned int)life->exit_code, signal = code & 0x7f;
	char name[24], text[48];

	if (!life_failed(life))
		return;
	if (signal)
		snprintf(text, sizeof(text), "killed by %s", signal_name((int)signal, name));
	else
		snprintf(text, sizeof(text), "exit status %u", code >> 8 & 0xff);
	json_object(json, "status");
	json_uint(json, "code", STATUS_ERROR_CODE);
	json_string(json, "message", text);
	json_object_end(json);
}

/* Where the clock was set back meanwhile, the end is as much later as it was. */
static void put_times(struct spans *spans, const struct life *life)
{
	uint64_t begin = export_realtime(spans->export->run, life->begin);
	uint64_t end = export_realtime(spans->export->run, life->end);

	otlp_time(&spans->json, "startTimeUnixNano", begin);
	otlp_time(&spans->json, "endTimeUnixNano", end < begin ? begin + life->end - life->begin : end);
}

static void add_life(void *state, const struct life *life, const struct proclife_process *process)
{
	struct spans *spans = state;
	const struct run *run = spans->export->run;
	struct place place = descent_place(&spans->descent, process);
	bool below = spans->has_parent && descent_is_selected(run);
	struct json *json = &spans->json;

	if (!life->end)
		return;
	otlp_begin(json, &otlp_spans, spans->host);
	if (below)
		otlp_trace_id(json, spans->parent.trace_high, spans->parent.trace_low);
	else
		otlp_trace_id(json, spans->boot, place.root);
	otlp_span_id(json, "spanId", place.span);
	if (place.parent || below)
		otlp_span_id(json, "parentSpanId", place.parent ? place.parent : spans->parent.span);
	json_name(json, "name");
	json->first = true;
	json_bytes(json, NULL, life->comm, PROCLIFE_COMM_LEN);
	json_uint(json, "kind", KIND_INTERNAL);
	put_times(spans, life);
	json_array(json, "attributes");
	put_attributes(spans, life, process);
	json_array_end(json);
	put_status(json, life);
	otlp_end(json);
}

static void born(void *state, const struct proclife_process *process, const struct proclife_process *parent,
		 const struct proclife_process *creator)
{
	struct spans *spans = state;

	descent_add(&spans->descent, process, parent, creator);
}

static void linked(void *state, const struct proclife_process *process, const struct proclife_process *parent)
{
	struct spans *spans = state;

	descent_add(&spans->descent, process, parent, NULL);
}

static void forget(void *state, const struct proclife_process *process)
{
	struct spans *spans = state;

	descent_forget(&spans->descent, process);
}

static void event(void *state, const struct proclife_event *event)
{
	struct spans *spans = state;

	otlp_losses_event(&spans->losses, event);
}

static void read_environment(struct spans *spans)
{
	const char *text = getenv("TRACEPARENT");

	if (!text || !*text)
		return;
	spans->has_parent = traceparent_parse(text, &spans->parent);
	if (!spans->has_parent)
		message("TRACEPARENT: %s is no parent of a span, and is ignored", quoted(text));
}

/* Which machine it is. */
static void find_out(struct spans *spans)
{
	struct proclife_source *source = spans->export->run->source;
	const struct proclife_run_info *recorded = proclife_recording_info(source);
	const uint8_t *boot = proclife_source_boot_id(source);

	if (recorded)
		memcpy(spans->host, recorded->hostname, sizeof(spans->host));
	else
		gethostname(spans->host, sizeof(spans->host) - 1);
	if (boot)
		memcpy(&spans->boot, boot, sizeof(spans->boot));
	spans->boot = be64toh(spans->boot);
}

static int begin(const struct export *export, void **state)
{
	const struct proclife_header *header = proclife_source_header(export->run->source);
	struct spans *spans = calloc(1, sizeof(*spans));

	if (!spans)
		return -ENOMEM;
	*state = spans;
	spans->export = export;
	json_init(&spans->json, export->out);
	text_init(&spans->text, NULL);
	descent_init(&spans->descent, export->run);
	if (!header || !header->to_realtime) {
		message("--export otlp: this recording does not have the time of day, which spans need; export csv");
		return -ESRCH;
	}
	read_environment(spans);
	find_out(spans);
	return otlp_losses_begin(&spans->losses, export->run, spans->host);
}

static void end(void *state)
{
	struct spans *spans = state;

	otlp_losses_end(&spans->losses);
}

static void free_all(void *state)
{
	struct spans *spans = state;

	if (!spans)
		return;
	otlp_losses_free(&spans->losses);
	descent_free(&spans->descent);
	text_free(&spans->text);
	json_free(&spans->json);
	free(spans);
}

const struct export_format export_otlp = {
	.format = { .name = "otlp", .takes = GIVEN(LOSS_LOG) },
	.is_followed = true,
	.begin = begin,
	.born = born,
	.linked = linked,
	.life = add_life,
	.forget = forget,
	.event = event,
	.end = end,
	.free = free_all,
};
