// SPDX-License-Identifier: GPL-2.0-only
/* The deaths as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/lives/lives.h"
#include <string.h>

/* --tree or --export has these, or they follow from other members. */
static const bool left_out[LIFE_FIELDS] = {
	[LIFE_begin_time] = true, [LIFE_end_time] = true, [LIFE_parent_id] = true, [LIFE_parent_comm] = true,
	[LIFE_ns_pid] = true, [LIFE_ns_inum] = true, [LIFE_ended] = true, [LIFE_failed] = true,
	[LIFE_reaper_comm] = true,
};

static void put_phases(struct json *json, const struct life *life)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		bool known = life_phase(life, phase, &ns);

		json_uint_if(json, proclife_phase_info(phase)->name, known, ns);
	}
}

static bool begin_object(struct json *json, const char *name, bool known)
{
	if (known)
		json_object(json, name);
	else
		json_null(json, name);
	return known;
}

/* The kinds of fields. Inline, where that is little: see json_uint_if(). */
#define put_COUNT json_uint_if
#define put_PID put_COUNT
#define put_TIME put_COUNT
#define put_SPAN put_COUNT
#define put_SIZE put_COUNT
#define put_COMM json_comm_or_null
#define put_DATE(json, name, known, value) ((void)(value))

static void put_SIGNED(struct json *json, const char *name, bool known, int64_t value)
{
	if (known)
		json_int(json, name, value);
	else
		json_null(json, name);
}

static void put_SIGNAL(struct json *json, const char *name, bool known, int signo)
{
	char buffer[24];

	json_string_or_null(json, name, known ? signal_name(signo, buffer) : NULL);
}

static inline void put_TEXT(struct json *json, const char *name, bool known, const char *s)
{
	json_string_or_null(json, name, known ? s : NULL);
}

/* Arguments, and whether they are cut, are left out if they are not known. */
static void put_WORDS(struct json *json, const char *name, bool known, const char *words, size_t n)
{
	if (known)
		json_words(json, name, words, n);
}

static inline void put_FLAG(struct json *json, const char *name, bool known, bool value)
{
	if (known)
		json_bool(json, name, value);
}

/* What is behind the last dot. */
static inline const char *member(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

void lives_json_life(const struct life *life)
{
	struct json *json = life->run->json;

	json_line(json, "life");
	json_recording(life->run);
	json_uint_or_null(json, "ts", life->when);
#define ROW(name, path, kind, known, ...) \
	if (!left_out[LIFE_##name]) \
		put_##kind(json, member(path), known, __VA_ARGS__);
#define OBJECT(path, known) if (begin_object(json, member(path), known)) {
#define OBJECT_END json_object_end(json); }
#define PHASES put_phases(json, life);
#include "views/share/life_rows.h"
	json_line_end(json);
}

void lives_json_end(const struct run *run, const struct lives_counts *counts, uint64_t shown)
{
	struct json *json = run->json;

	json_line(json, "deaths");
	json_uint(json, "deaths", counts->deaths);
	json_uint(json, "matched", counts->matched);
	json_uint(json, "shown", shown);
	json_uint(json, "alive", counts->states[PROCLIFE_IS_ALIVE]);
	json_uint(json, "dying", counts->states[PROCLIFE_IS_DYING]);
	json_uint(json, "zombies", counts->states[PROCLIFE_IS_ZOMBIE]);
	json_uint(json, "unfreed", counts->states[PROCLIFE_IS_UNFREED]);
	json_uint(json, "unknown", counts->states[PROCLIFE_IS_UNKNOWN]);
	json_uint(json, "ends_lost", counts->lost);
	json_line_end(json);
}
