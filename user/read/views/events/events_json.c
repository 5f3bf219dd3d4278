// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events view as JSON; proclife-read-json(5) documents the members. Those that are fields of the
 * record come from the library's description of it, proclife_field().
 */
#include "output/quote.h"
#include "views/events/events.h"
#include <stdlib.h>
#include <string.h>

/*
 * A member that shows a field: what stands before its value, ready to be copied, as a line has two
 * dozen of them.
 */
struct member {
	char before[PROCLIFE_FIELD_NAME_LEN + 4]; /* ,"name": */
	uint8_t length;
	uint8_t size; /* of the field */
	uint16_t offset;
	enum proclife_field_kind kind;
	uint32_t only;
	const char *name;
};

struct event_json {
	struct json *json;
	struct member *members[PROCLIFE_TYPES];
	unsigned int counts[PROCLIFE_TYPES];
};

static bool prepare(struct event_json *e, unsigned int type)
{
	const struct proclife_field *field;
	unsigned int fields = 0, i;

	while (proclife_field(type, fields))
		fields++;
	e->members[type] = calloc(fields + 1, sizeof(*e->members[type]));
	if (!e->members[type])
		return false;
	for (i = 0; i < fields; i++) {
		struct member *member = &e->members[type][e->counts[type]];

		field = proclife_field(type, i);
		if (!field->name)
			continue;
		member->length = sprintf(member->before, ",\"%s\":", field->name);
		member->size = field->size;
		member->offset = field->offset;
		member->kind = field->kind;
		member->only = field->only;
		member->name = field->name;
		e->counts[type]++;
	}
	return true;
}

struct event_json *event_json_new(struct json *json)
{
	struct event_json *e = calloc(1, sizeof(*e));
	unsigned int type;

	if (!e)
		return NULL;
	e->json = json;
	for (type = 0; type < PROCLIFE_TYPES; type++) {
		if (!prepare(e, type)) {
			event_json_free(e);
			return NULL;
		}
	}
	return e;
}

void event_json_free(struct event_json *e)
{
	unsigned int type;

	for (type = 0; e && type < PROCLIFE_TYPES; type++)
		free(e->members[type]);
	free(e);
}

/* Each of its own size: a copy of one that varies is several times as slow. */
static inline uint64_t load(const void *from, unsigned int size)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (size) {
	case sizeof(u64):
		memcpy(&u64, from, sizeof(u64));
		return u64;
	case sizeof(u32):
		memcpy(&u32, from, sizeof(u32));
		return u32;
	default:
		memcpy(&u16, from, sizeof(u16));
		return u16;
	}
}

static int32_t load_int(const void *from)
{
	int32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* As wait4(2) shows it. */
static void cputime(const struct proclife_record *r, uint64_t *user, uint64_t *system)
{
	if (r->type == PROCLIFE_EXIT)
		proclife_cputime(r->exit.runtime, r->exit.utime, r->exit.stime, user, system);
	else if (r->type == PROCLIFE_FREE)
		proclife_cputime(r->free.runtime, r->free.utime, r->free.stime, user, system);
	else
		proclife_cputime(r->state.runtime, r->state.utime, r->state.stime, user, system);
}

/* As json_name() does it, with room for a number. Returns where the value goes. */
static inline char *put_name(struct json *json, const struct member *member)
{
	char *to = json_room(json, sizeof(member->before) + DIGITS_MAX);

	memcpy(to, member->before, sizeof(member->before));
	return to + member->length;
}

static inline void put_uint(struct json *json, const struct member *member, uint64_t value)
{
	json_wrote(json, put_digits(put_name(json, member), value));
}

static inline void put_handle(struct json *json, const struct member *member, uint64_t value)
{
	json_wrote(json, put_quoted_hex(put_name(json, member), value));
}

static inline void put_member(struct json *json, const struct member *member,
			      const struct proclife_record *r, uint64_t *system)
{
	const char *from = (const char *)r + member->offset;
	bool means = !member->only || r->flags & member->only;
	uint64_t user;

	switch (member->kind) {
	case PROCLIFE_FIELD_UINT:
	case PROCLIFE_FIELD_FLAGS:
		if (means)
			put_uint(json, member, load(from, member->size));
		break;
	case PROCLIFE_FIELD_HANDLE:
		put_handle(json, member, load(from, member->size));
		break;
	case PROCLIFE_FIELD_TEXT:
		json_bytes(json, member->name, from, member->size);
		break;
	case PROCLIFE_FIELD_INT:
		json_int(json, member->name, load_int(from));
		break;
	case PROCLIFE_FIELD_BOOL:
		json_bool(json, member->name, load_int(from));
		break;
	case PROCLIFE_FIELD_WAIT_STATUS:
		json_wait_status(json, means, load_int(from));
		break;
	case PROCLIFE_FIELD_SIGNAL:
		json_int(json, member->name, load_int(from));
		if (!load_int(from) && r->type == PROCLIFE_NOTIFY) /* none was sent */
			json_null(json, "signal");
		else
			json_signal(json, load_int(from));
		break;
	case PROCLIFE_FIELD_UTIME: /* system time follows */
		cputime(r, &user, system);
		put_uint(json, member, user);
		break;
	case PROCLIFE_FIELD_STIME:
		put_uint(json, member, *system);
		break;
	}
}

/* The record's fields, unchanged. */
static void put_fields(const struct event_json *e, unsigned int type,
		       const struct proclife_record *r)
{
	uint64_t system = 0;
	unsigned int i;

	for (i = 0; i < e->counts[type]; i++)
		put_member(e->json, &e->members[type][i], r, &system);
}

static void put_phase(struct json *json, const struct before *before, enum proclife_phase phase)
{
	if (before->known[phase])
		json_uint(json, proclife_phase_info(phase)->name, before->phases[phase]);
}

/* All of a text, with its last piece. */
static void put_program(struct json *json, const struct proclife_record *r, const struct proclife_program *program)
{
	static const struct proclife_program nothing;
	char unknown[16];

	program = program ? program : &nothing;
	json_string(json, "what", path_what_text(r->path.what, unknown));
	if (r->path.what == PROCLIFE_PATH_EXE) {
		json_string_or_null(json, "path", program->exe);
	} else if (r->path.what == PROCLIFE_PATH_CWD) {
		json_string_or_null(json, "path", program->cwd);
	} else if (r->path.what == PROCLIFE_PATH_ENV && program->env) {
		json_words(json, "env", program->env, program->env_bytes);
		json_bool(json, "env_whole", program->env_whole);
		json_uint(json, "env_searched", program->env_searched);
	}
}

/* What follows from the flags, and from other records. */
static void put_derived(struct json *json, const struct proclife_record *r,
			const struct before *before)
{
	char unknown[16];

	switch (r->type) {
	case PROCLIFE_ARGS:
		json_args(json, before->process->args ? before->process->args : "",
			  before->process->args_bytes, before->process->args_cut);
		break;
	case PROCLIFE_EXIT:
		json_bool(json, "group_dead", r->flags & PROCLIFE_F_GROUP_DEAD);
		if (before->process) {
			json_uint_or_null(json, "max_rss", before->process->max_rss);
			json_killer(json, proclife_process_killer(before->process));
		}
		put_phase(json, before, PROCLIFE_LIFE);
		break;
	case PROCLIFE_REAP:
		put_phase(json, before, PROCLIFE_TEARDOWN);
		put_phase(json, before, PROCLIFE_TRACED);
		put_phase(json, before, PROCLIFE_ZOMBIE);
		break;
	case PROCLIFE_NOTIFY:
		json_bool(json, "group_dead", r->flags & PROCLIFE_F_GROUP_DEAD);
		json_bool(json, "tracer", r->flags & PROCLIFE_F_TRACER);
		json_bool(json, "autoreap", r->flags & PROCLIFE_F_AUTOREAP);
		json_string_or_null(json, "autoreap_why", proclife_autoreap_name(r->notify.autoreap));
		break;
	case PROCLIFE_FREE:
		if (r->free.runner)
			json_bool(json, "softirq", r->flags & PROCLIFE_F_SOFTIRQ);
		else
			json_null(json, "softirq");
		put_phase(json, before, PROCLIFE_RCU_FREE);
		put_phase(json, before, PROCLIFE_EXIT_FREE);
		break;
	case PROCLIFE_EXEC:
		json_bool(json, "script", r->flags & PROCLIFE_F_SCRIPT);
		json_bool(json, "by_fd", r->flags & PROCLIFE_F_BY_FD);
		break;
	case PROCLIFE_SIGNAL:
		json_bool(json, "group_dead", r->flags & PROCLIFE_F_GROUP_DEAD);
		json_string_or_null(json, "cause", r->signal.cause <= PROCLIFE_CAUSE_TERMINAL ?
						   proclife_cause_name(r->signal.cause) : NULL);
		json_bool(json, "sender_kthread", r->signal.sender_flags & PROCLIFE_F_KTHREAD);
		json_bool(json, "sender_exiting", r->signal.sender_flags & PROCLIFE_F_EXITING);
		break;
	case PROCLIFE_WAIT:
		json_string_or_null(json, "what", proclife_wait_name(r->wait.what));
		break;
	case PROCLIFE_OOM:
		json_string_or_null(json, "scope", proclife_oom_scope_name(r->oom.scope));
		break;
	case PROCLIFE_MM:
		json_string(json, "what", mm_what_text(r->mm.what, unknown));
		json_bool(json, "execing", r->flags & PROCLIFE_F_EXECING);
		break;
	case PROCLIFE_BIRTH:
		json_string(json, "what", birth_what_text(r->birth.what, unknown));
		break;
	case PROCLIFE_FAIL:
		json_string(json, "what", fail_what_text(r->fail.what, unknown));
		json_string(json, "error", error_name(r->fail.error, unknown));
		json_string_or_null(json, "limit", fail_limit_text(r->fail.limit, unknown));
		json_bool(json, "by_fd", r->flags & PROCLIFE_F_BY_FD);
		break;
	case PROCLIFE_PATH:
		put_program(json, r, proclife_process_program(before->process));
		break;
	case PROCLIFE_TIMES:
		json_string(json, "what", times_what_text(r->times.what, unknown));
		break;
	case PROCLIFE_TASK:
		json_string(json, "state", r->flags & PROCLIFE_F_ZOMBIE ? "zombie" :
					   r->flags & PROCLIFE_F_EXITING ? "exiting" : "alive");
		break;
	}
}

void event_json_record(const struct event_json *e, const struct proclife_record *r,
		       const struct before *before)
{
	struct json *json = e->json;
	char unknown[16];

	json_line(json, type_text(r->type, unknown));
	put_fields(e, PROCLIFE_NONE, r);
	json_bool(json, "thread", r->flags & PROCLIFE_F_THREAD);
	if (r->flags & PROCLIFE_F_KTHREAD)
		json_bool(json, "kthread", true);
	if (r->flags & PROCLIFE_F_WORKER)
		json_bool(json, "worker", true);
	if (r->flags & PROCLIFE_F_TRUNCATED)
		json_bool(json, r->type == PROCLIFE_PAST ? "incomplete" : "truncated", true);
	if (r->type < PROCLIFE_TYPES)
		put_fields(e, r->type, r);
	put_derived(json, r, before);
	json_line_end(json);
}

static void begin_headless(const struct event_json *e, const char *type,
			   const struct proclife_record *r)
{
	json_line(e->json, type);
	json_uint(e->json, "ts", r->ts);
	json_uint(e->json, "cpu", r->cpu);
}

void event_json_suppressed(const struct event_json *e, const struct proclife_record *r)
{
	char unknown[16];

	begin_headless(e, "suppressed", r);
	json_string(e->json, "record",
		    r->suppressed.what == PROCLIFE_NONE ? "all" : type_text(r->suppressed.what, unknown));
	put_fields(e, PROCLIFE_SUPPRESSED, r);
	json_line_end(e->json);
}

void event_json_cgroup(const struct event_json *e, const struct proclife_record *r,
		       const char *path)
{
	begin_headless(e, "cgroup", r);
	put_fields(e, PROCLIFE_CGROUP, r);
	json_string_or_null(e->json, "cgroup_path", path);
	json_line_end(e->json);
}

void event_json_gap(const struct event_json *e, const struct proclife_gap *gap)
{
	struct json *json = e->json;

	json_line(json, gap->lost ? "lost" : "history");
	if (gap->cpu >= PROCLIFE_CPU_ALL)
		json_null(json, "cpu");
	else
		json_uint(json, "cpu", gap->cpu);
	if (gap->lost)
		json_uint(json, "lost", gap->lost);
	if (gap->lost && gap->cpu == PROCLIFE_CPU_ALL)
		json_bool(json, "part_missing", true);
	json_uint(json, "from", gap->from);
	json_uint(json, "to", gap->to);
	json_line_end(json);
}
