// SPDX-License-Identifier: GPL-2.0-only
/* What is known of a life, besides its times: by the names that CSV has. */
#include "views/export/perfetto_packets.h"

/* The slice has the name, its track the pid. CSV has the ids, cgroup and namespace; status and signal, the wait status. */
static const bool left_out[LIFE_FIELDS] = {
	[LIFE_id] = true, [LIFE_parent_id] = true, [LIFE_parent_comm] = true, [LIFE_comm] = true,
	[LIFE_creator_pid] = true, [LIFE_cgroup] = true, [LIFE_ns_pid] = true, [LIFE_ns_inum] = true,
	[LIFE_wait_status] = true,
};

/* The kinds of fields. */
static void put_COUNT(struct packets *packets, const char *name, bool known, uint64_t value)
{
	if (known)
		packets_note_uint(packets, name, value);
}

static void put_PID(struct packets *packets, const char *name, bool known, uint64_t value)
{
	put_COUNT(packets, name, known && value, value);
}

#define put_SPAN put_COUNT
#define put_SIZE put_COUNT
#define put_TIME(packets, name, known, ts) ((void)(ts))
#define put_DATE put_TIME

static void put_SIGNED(struct packets *packets, const char *name, bool known, int64_t value)
{
	if (known)
		packets_note_int(packets, name, value);
}

static void put_TEXT(struct packets *packets, const char *name, bool known, const char *s)
{
	if (known && s)
		packets_note_text(packets, name, s, SIZE_MAX);
}

static void put_SIGNAL(struct packets *packets, const char *name, bool known, int signo)
{
	char text[24];

	put_TEXT(packets, name, known, known ? signal_name(signo, text) : NULL);
}

static void put_COMM(struct packets *packets, const char *name, bool known, const char comm[PROCLIFE_COMM_LEN])
{
	if (known)
		packets_note_text(packets, name, comm, PROCLIFE_COMM_LEN);
}

static void put_WORDS(struct packets *packets, const char *name, bool known, const char *words, size_t n)
{
	if (known)
		packets_note_words(packets, name, words, n);
}

static void put_FLAG(struct packets *packets, const char *name, bool known, bool value)
{
	if (known && value)
		packets_note_true(packets, name);
}

void perfetto_notes(struct packets *packets, const struct life *life)
{
#define ROW(name, path, kind, known, ...) \
	if (!left_out[LIFE_##name]) \
		put_##kind(packets, #name, known, __VA_ARGS__);
#define OBJECT(path, known) if (known) {
#define OBJECT_END }
#include "views/share/life_rows.h"
}
