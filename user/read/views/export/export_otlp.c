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

static const char none[] = "";
#define SPAN_HAS none /* in its own members */
#define IN_OTHER_FORM none /* see put_conventions() */

/* Names by the conventions; those of the others begin with "proclife.". */
static const char *const names[LIFE_FIELDS] = {
	[LIFE_pid] = "process.pid", [LIFE_parent_pid] = "process.parent_pid",
	[LIFE_uid] = "process.real_user.id", [LIFE_user] = "process.real_user.name",
	[LIFE_path] = "process.executable.path", [LIFE_args] = "process.command_args",
	[LIFE_cwd] = "process.working_directory",
	[LIFE_status] = "process.exit.code",
	[LIFE_cgroup_path] = IN_OTHER_FORM, [LIFE_ns_pid] = IN_OTHER_FORM, [LIFE_wait_status] = IN_OTHER_FORM,
	[LIFE_id] = SPAN_HAS, [LIFE_parent_id] = SPAN_HAS, [LIFE_parent_comm] = SPAN_HAS, [LIFE_born] = SPAN_HAS,
	[LIFE_seen] = SPAN_HAS, [LIFE_exited] = SPAN_HAS, [LIFE_ended] = SPAN_HAS, [LIFE_failed] = SPAN_HAS,
	[LIFE_start] = none, [LIFE_cgroup] = none, [LIFE_ns_inum] = none,
	[LIFE_killer_signal] = none, /* it is the signal */
};

/* The kinds of fields. */
static void put_COUNT(struct json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		otlp_uint(json, key, value);
}

static void put_PID(struct json *json, const char *key, bool known, uint64_t value)
{
	put_COUNT(json, key, known && value, value);
}

#define put_SPAN put_COUNT
#define put_SIZE put_COUNT
#define put_TIME(json, key, known, ts) put_PID(json, key, known, export_realtime(life->run, ts))
#define put_DATE(json, key, known, ts) ((void)(ts))

static void put_SIGNED(struct json *json, const char *key, bool known, int64_t value)
{
	if (known)
		otlp_int(json, key, value);
}

static void put_SIGNAL(struct json *json, const char *key, bool known, int signo)
{
	char text[24];

	if (known)
		otlp_string(json, key, signal_name(signo, text));
}

static void put_TEXT(struct json *json, const char *key, bool known, const char *s)
{
	if (known && s)
		otlp_string(json, key, s);
}

static void put_COMM(struct json *json, const char *key, bool known, const char comm[PROCLIFE_COMM_LEN])
{
	if (known)
		otlp_bytes(json, key, comm, PROCLIFE_COMM_LEN);
}

static void put_WORDS(struct json *json, const char *key, bool known, const char *words, size_t n)
{
	if (known)
		otlp_strings(json, key, words, n);
}

static void put_FLAG(struct json *json, const char *key, bool known, bool value)
{
	if (known && value)
		otlp_true(json, key);
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
}

/* What the conventions want in a form of its own. */
static void put_conventions(struct spans *spans, const struct life *life)
{
	const char *path = life->path, *slash = path ? strrchr(path, '/') : NULL;
	const char *cgroup = proclife_cgroups_path(life->run->cgroups, life->cgroup);
	struct json *json = &spans->json;
	char text[24];

	if (life->ns_pid != life->tgid)
		put_PID(json, "process.vpid", true, life->ns_pid);
	if (path)
		otlp_string(json, "process.executable.name", slash ? slash + 1 : path);
	else
		put_COMM(json, "process.executable.name", true, life->comm);
	if (life->args)
		otlp_bytes(json, "process.command", life->args, life->args_bytes);
	if (cgroup) { /* a line of /proc/PID/cgroup */
		text_clear(&spans->text);
		text_string(&spans->text, "0::");
		text_string(&spans->text, cgroup);
		otlp_string(json, "process.linux.cgroup", spans->text.s);
	}
	if (!life_failed(life))
		return;
	snprintf(text, sizeof(text), "%u", life_status(life));
	otlp_string(json, "error.type", life_signal(life) ? signal_name(life_signal(life), text) : text);
	put_FLAG(json, "proclife.core_dumped", true, life->exit_code & 0x80);
}

static void put_attributes(struct spans *spans, const struct life *life)
{
	struct json *json = &spans->json;

#define ROW(name, path, kind, known, ...) \
	if (names[LIFE_##name] != none) \
		put_##kind(json, names[LIFE_##name] ? names[LIFE_##name] : "proclife." path, known, __VA_ARGS__);
#define OBJECT(path, known) if (known) {
#define OBJECT_END }
#define PHASES put_phases(spans, life);
#include "views/share/life_rows.h"
	put_conventions(spans, life);
}

/* Left out where nothing is wrong: "ok" is for the application to say. */
static void put_status(struct json *json, const struct life *life)
{
	char name[24], text[48];

	if (!life_failed(life))
		return;
	if (life_signal(life))
		snprintf(text, sizeof(text), "killed by %s", signal_name(life_signal(life), name));
	else
		snprintf(text, sizeof(text), "exit status %u", life_status(life));
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
	put_attributes(spans, life);
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
