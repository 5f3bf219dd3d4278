// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The env block of a recording's metadata: the contents of the device's header page, and facts
 * about the run. One table serves writing and reading. All entries are optional: an older recorder
 * may not have written an entry, and entries of a newer one are ignored.
 */
#include "recording/ctf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	NUMBER, /* unsigned, up to 2^63 - 1: CTF readers take it as signed */
	SIGNED,
	MASK, /* a text in hexadecimal, since the highest bit can be set */
	TEXT, /* with a NUL */
};

struct entry {
	const char *name;
	enum kind kind;
	size_t offset;
	size_t size;
};

#define ENTRY(name, kind, member)                                                                  \
	{                                                                                          \
		name, kind, offsetof(struct proclife_metadata, member),                            \
			sizeof(((struct proclife_metadata *)0)->member)                            \
	}

static const struct entry entries[] = {
	ENTRY("hostname", TEXT, run.hostname),
	ENTRY("kernel_release", TEXT, header.release),
	ENTRY("tracer_version", TEXT, header.version),
	ENTRY("abi_version", NUMBER, header.abi_version),
	ENTRY("abi_compatible", NUMBER, header.abi_compatible),
	ENTRY("record_bytes", NUMBER, header.record_bytes),
	ENTRY("records_per_ring", NUMBER, header.records_per_ring),
	ENTRY("cpus", NUMBER, header.cpus),
	ENTRY("generation", NUMBER, header.generation),
	ENTRY("features", MASK, header.features),
	ENTRY("exit_mark", NUMBER, header.exit_mark),
	ENTRY("reap_source", NUMBER, header.reap_source),
	ENTRY("reap_missed", NUMBER, header.reap_missed),
	ENTRY("marks_missed", NUMBER, header.marks_missed),
	ENTRY("mm_marks", NUMBER, header.mm_marks),
	ENTRY("birth_marks", NUMBER, header.birth_marks),
	ENTRY("path_marks", NUMBER, header.path_marks),
	ENTRY("cgroup_leave", NUMBER, header.cgroup_leave),
	ENTRY("rss_error", NUMBER, header.rss_error),
	ENTRY("source", NUMBER, header.source),
	ENTRY("to_boottime", MASK, header.to_boottime),
	ENTRY("to_realtime", MASK, header.to_realtime),
	ENTRY("loaded", NUMBER, header.loaded),
	ENTRY("init_pid_ns", NUMBER, header.init_pid_ns),
	ENTRY("args_bytes", NUMBER, header.args_bytes),
	ENTRY("hz", NUMBER, header.hz),
	ENTRY("began", NUMBER, run.began),
	ENTRY("ended", NUMBER, run.ended),
	ENTRY("reason", TEXT, run.reason),
	ENTRY("part", NUMBER, run.part),
	ENTRY("command", NUMBER, run.command),
	ENTRY("command_creator", NUMBER, run.command_creator),
	ENTRY("command_status", SIGNED, run.command_status),
	ENTRY("rcu", TEXT, run.rcu),
	ENTRY("complete", NUMBER, run.complete),
	ENTRY("records", NUMBER, run.records),
	ENTRY("lost", NUMBER, run.lost),
	ENTRY("streams", NUMBER, streams),
	ENTRY("bytes", NUMBER, bytes),
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))

static uint64_t load(const char *from, size_t size)
{
	union {
		uint32_t u32;
		uint64_t u64;
		bool yes;
	} value;

	memcpy(&value, from, size);
	return size == sizeof(bool) ? value.yes : size == 4 ? value.u32 : value.u64;
}

static bool store(char *to, size_t size, uint64_t value)
{
	uint32_t u32 = (uint32_t)value;
	bool yes = value;

	if ((size == 4 && value > UINT32_MAX) || (size == sizeof(bool) && value > 1))
		return false;
	memcpy(to, size == 4 ? (void *)&u32 : size == 8 ? (void *)&value : (void *)&yes, size);
	return true;
}

/* A TSDL literal: bytes that are not printable ASCII become octal escapes. */
static void write_text(FILE *file, const char *s, size_t size)
{
	fputc('"', file);
	for (size_t i = 0; i < size && s[i]; i++) {
		unsigned char c = s[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			fprintf(file, "\\%03o", c);
		else
			fputc(c, file);
	}
	fputs("\";\n", file);
}

/* `slice_of = "uuid"` if it is a slice; and the boot, if that is known. */
static const struct {
	const char *name;
	size_t offset;
} uuids[] = {
	{ "slice_of", offsetof(struct proclife_run_info, slice_of) },
	{ "boot_id", offsetof(struct proclife_run_info, boot_id) },
};

#define UUIDS (sizeof(uuids) / sizeof(*uuids))

static void write_uuids(const struct proclife_run_info *run, FILE *file)
{
	for (size_t i = 0; i < UUIDS; i++) {
		const uint8_t *uuid = (const uint8_t *)run + uuids[i].offset;

		if (!proclife_uuid_is_set(uuid))
			continue;
		fprintf(file, "\t%s = \"", uuids[i].name);
		proclife_uuid_write(file, uuid);
		fputs("\";\n", file);
	}
}

static const char total_name[] = "total_";

/* `total_cpu_3 = "first last records lost bytes"` */
static void write_totals(const struct proclife_metadata *metadata, FILE *file)
{
	for (uint64_t i = 0; i < metadata->streams && metadata->totals; i++) {
		const struct proclife_total *total = &metadata->totals[i];
		char name[PROCLIFE_CTF_NAME];

		proclife_ctf_name(name, total->cpu);
		fprintf(file, "\t%s%s = \"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			"\";\n", total_name, name, total->first, total->last, total->records,
			total->lost, total->bytes);
	}
}

static const char clock_step[] = "clock_step_", boot_step[] = "boot_step_";

/* `clock_step_1 = "since to_realtime"` */
static void write_steps(const char *name, const struct proclife_daytime *daytime, FILE *file)
{
	for (uint32_t i = 0; i < daytime->count; i++)
		fprintf(file, "\t%s%" PRIu32 " = \"%" PRIu64 " %" PRIu64 "\";\n", name, i + 1,
			daytime->changes[i].since, daytime->changes[i].to_realtime);
}

void proclife_env_write(const struct proclife_metadata *metadata, void *to)
{
	FILE *file = to;

	for (size_t i = 0; i < ENTRIES; i++) {
		const struct entry *entry = &entries[i];
		const char *from = (const char *)metadata + entry->offset;

		fprintf(file, "\t%s = ", entry->name);
		switch (entry->kind) {
		case NUMBER:
			fprintf(file, "%" PRIu64 ";\n", load(from, entry->size) & INT64_MAX);
			break;
		case SIGNED:
			fprintf(file, "%" PRId32 ";\n", (int32_t)load(from, entry->size));
			break;
		case MASK:
			fprintf(file, "\"0x%" PRIx64 "\";\n", load(from, entry->size));
			break;
		case TEXT:
			write_text(file, from, entry->size);
			break;
		}
	}
	write_uuids(&metadata->run, file);
	write_totals(metadata, file);
	write_steps(clock_step, &metadata->daytime, file);
	write_steps(boot_step, &metadata->boottime, file);
}

/* Reads digits of @base at *@s, at least one; stops at the first other character. */
static bool parse_number(const char **s, const char *end, unsigned int base, uint64_t *value)
{
	const char *begin = *s;

	for (*value = 0; *s < end; ++*s) {
		unsigned int digit = (unsigned char)**s - '0';

		if (base == 16 && **s >= 'a' && **s <= 'f')
			digit = (unsigned char)**s - 'a' + 10u;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, digit, value))
			return false;
	}
	return *s > begin;
}

static bool parse_signed(const char **s, const char *end, char *to)
{
	bool minus = **s == '-';
	uint64_t value;
	int32_t number;

	*s += minus;
	if (!parse_number(s, end, 10, &value) || value > INT32_MAX)
		return false;
	number = minus ? -(int32_t)value : (int32_t)value;
	memcpy(to, &number, sizeof(number));
	return true;
}

static bool parse_text(const char **s, const char *end, char *to, size_t size)
{
	size_t n = 0;

	if (*(*s)++ != '"')
		return false;
	memset(to, 0, size); /* the text can be shorter than the default */
	for (; *s < end && **s != '"'; ++*s) {
		unsigned int c = (unsigned char)**s;

		if (c == '\\') {
			if (end - *s < 4)
				return false;
			c = 0;
			for (int i = 1; i <= 3; i++) {
				unsigned int digit = (unsigned char)(*s)[i] - '0';

				if (digit > 7)
					return false;
				c = c * 8 + digit;
			}
			*s += 3;
		}
		if (!c || c > 255 || n + 1 >= size)
			return false;
		to[n++] = (char)c;
	}
	return *s < end && *(*s)++ == '"';
}

static bool parse_mask(const char **s, const char *end, uint64_t *value)
{
	if (end - *s < 3 || memcmp(*s, "\"0x", 3))
		return false;
	*s += 3;
	return parse_number(s, end, 16, value) && *s < end && *(*s)++ == '"';
}

/* "= value;" of one entry. */
static bool parse_value(const struct entry *entry, const char *s, const char *end, void *metadata)
{
	char *to = (char *)metadata + entry->offset;
	uint64_t value;
	bool good = false;

	if (s == end)
		return false;
	switch (entry->kind) {
	case NUMBER:
		good = parse_number(&s, end, 10, &value) && value <= INT64_MAX && store(to, entry->size, value);
		break;
	case SIGNED:
		good = parse_signed(&s, end, to);
		break;
	case MASK:
		good = parse_mask(&s, end, &value) && store(to, entry->size, value);
		break;
	case TEXT:
		good = parse_text(&s, end, to, entry->size);
		break;
	}
	return good && end - s == 1 && *s == ';';
}

/* Numbers in quotation marks, and the end of the line. */
static bool parse_numbers(const char *s, const char *end, uint64_t *const *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (s == end || *s++ != (i ? ' ' : '"') || !parse_number(&s, end, 10, numbers[i]))
			return false;
	}
	return end - s == 2 && !memcmp(s, "\";", 2);
}

/* No number may exceed what a recorder can have counted. */
static bool parse_total(const char *s, const char *end, struct proclife_total *total)
{
	uint64_t *const numbers[] = {
		&total->first, &total->last, &total->records, &total->lost, &total->bytes,
	};

	return parse_numbers(s, end, numbers, sizeof(numbers) / sizeof(*numbers)) && total->records < PROCLIFE_CTF_MOST &&
	       total->lost < PROCLIFE_CTF_MOST && total->last <= PROCLIFE_TIME_MAX; /* and first is no later */
}

/* 1 if this line is the total of a stream, 0 if it is not, -EBADMSG, -ENOMEM. */
static int add_total(struct proclife_metadata *metadata, uint64_t *count, const char *text,
		     const char *is, const char *end)
{
	size_t before = sizeof(total_name), length = (size_t)(is - text); /* with the tab */
	struct proclife_total total, *totals;
	char name[PROCLIFE_CTF_NAME] = "";

	if (length < before || memcmp(text + 1, total_name, before - 1))
		return 0;
	if (length - before < sizeof(name))
		memcpy(name, text + before, length - before);
	/* The totals have to be in order, so none is there twice. */
	if (!proclife_ctf_cpu(name, &total.cpu) || !parse_total(is + 3, end, &total) ||
	    (*count && metadata->totals[*count - 1].cpu >= total.cpu))
		return -EBADMSG;
	if (!(*count & (*count + 1))) {
		totals = realloc(metadata->totals, 2 * (*count + 1) * sizeof(*totals));
		if (!totals)
			return -ENOMEM;
		metadata->totals = totals;
	}
	metadata->totals[(*count)++] = total;
	return 1;
}

/* No time of day is beyond the year 2262. A clock that was never set can be behind the monotonic one. */
static bool is_offset(uint64_t to_realtime)
{
	return (int64_t)to_realtime >= INT64_MIN / 2;
}

/* Like add_total(), for a change of the time of day, or of the boot's. They are in order, and each is later. */
static int add_step(const char *name, struct proclife_daytime *daytime, const char *text, const char *is,
		    const char *end)
{
	struct proclife_daytime_change step = { 0, 0 };
	uint64_t *const numbers[] = { &step.since, &step.to_realtime };
	const char *digits = text + 1 + strlen(name); /* behind the tab */
	uint64_t number;

	if (is < digits || memcmp(text + 1, name, strlen(name)))
		return 0;
	if (!parse_number(&digits, is, 10, &number) || digits != is ||
	    number != daytime->count + 1 || number > PROCLIFE_DAYTIME_CHANGES ||
	    !parse_numbers(is + 3, end, numbers, 2) || step.since > PROCLIFE_TIME_MAX || !is_offset(step.to_realtime) ||
	    (daytime->count && daytime->changes[daytime->count - 1].since >= step.since))
		return -EBADMSG;
	return proclife_daytime_change(daytime, step.since, step.to_realtime) ?: 1;
}

/* The name of the one whose value is not valid; NULL: none is, or this line has none. */
static const char *take_uuid(struct proclife_run_info *run, const char *text, const char *is, const char *end)
{
	for (size_t i = 0; i < UUIDS; i++) {
		const char *name = uuids[i].name;
		uint8_t *uuid = (uint8_t *)run + uuids[i].offset;

		if ((size_t)(is - text - 1) != strlen(name) || memcmp(text + 1, name, strlen(name)))
			continue;
		if (proclife_uuid_is_set(uuid) || end - is != 3 + 1 + 36 + 2 || is[3] != '"' ||
		    !proclife_uuid_parse(is + 4, end, uuid) || end[-1] != ';')
			return name;
	}
	return NULL;
}

/* Defaults that do not follow from other entries and are not 0. */
static void set_defaults(struct proclife_metadata *metadata)
{
	metadata->header.abi_version = PROCLIFE_ABI_VERSION;
	metadata->header.abi_compatible = PROCLIFE_ABI_COMPATIBLE;
	metadata->header.record_bytes = sizeof(struct proclife_record);
	metadata->header.cpus = PROCLIFE_CTF_CPUS;
	metadata->header.features = PROCLIFE_KNOWN_TYPES;
	metadata->run.command_status = -1;
	strcpy(metadata->run.reason, "end");
}

static bool lacks(const bool *seen, const char *name)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (!strcmp(entries[i].name, name))
			return !seen[i];
	return true;
}

/* Values that follow from other entries. */
static void derive(struct proclife_metadata *metadata, const bool *seen, uint64_t totals)
{
	struct proclife_run_info *run = &metadata->run;
	uint64_t began = UINT64_MAX, records = 0, lost = 0, bytes = 0;

	for (uint64_t i = 0; i < totals; i++) {
		began = metadata->totals[i].first < began ? metadata->totals[i].first : began;
		records += metadata->totals[i].records;
		lost += metadata->totals[i].lost;
		bytes += metadata->totals[i].bytes;
	}
	if (lacks(seen, "began") && totals)
		run->began = began;
	if (lacks(seen, "complete"))
		run->complete = run->ended != 0;
	if (lacks(seen, "ended") && run->complete)
		run->ended = run->synced;
	metadata->counted = totals || !lacks(seen, "streams");
	if (lacks(seen, "streams"))
		metadata->streams = totals;
	if (lacks(seen, "records"))
		run->records = records;
	if (lacks(seen, "lost"))
		run->lost = lost;
	if (lacks(seen, "bytes"))
		metadata->bytes = bytes;
}

/* Each known entry may be there once, in any order. */
int proclife_env_parse(struct proclife_metadata *metadata, const char *text, const char *end,
		       struct proclife_fault *fault)
{
	bool seen[ENTRIES] = { false };
	uint64_t totals = 0;

	set_defaults(metadata);
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *is, *wrong;
		int err;

		if (!eol)
			eol = end;
		is = memmem(text, (size_t)(eol - text), " = ", 3);
		if (*text != '\t' || !is) {
			proclife_fault_set(fault, "a line of the env block is no assignment");
			return -EBADMSG;
		}
		wrong = take_uuid(&metadata->run, text, is, eol);
		for (size_t i = 0; i < ENTRIES; i++) {
			size_t length = strlen(entries[i].name);

			if ((size_t)(is - text - 1) != length ||
			    memcmp(text + 1, entries[i].name, length))
				continue;
			if (seen[i] || !parse_value(&entries[i], is + 3, eol, metadata))
				wrong = entries[i].name;
			seen[i] = true;
		}
		if (wrong) {
			proclife_fault_set(fault, "the value of '%s' is not valid", wrong);
			return -EBADMSG;
		}
		err = add_total(metadata, &totals, text, is, eol);
		if (err < 0) {
			proclife_fault_set(fault, "the total of a stream is not valid");
			return err;
		}
		err = add_step(clock_step, &metadata->daytime, text, is, eol);
		if (!err)
			err = add_step(boot_step, &metadata->boottime, text, is, eol);
		if (err < 0) {
			proclife_fault_set(fault, "a step of the clock is not valid");
			return err;
		}
		text = eol + 1;
	}
	if (!is_offset(metadata->header.to_realtime)) {
		proclife_fault_set(fault, "the value of '%s' is not valid", "to_realtime");
		return -EBADMSG;
	}
	derive(metadata, seen, totals);
	metadata->daytime.to_realtime = metadata->header.to_realtime;
	metadata->boottime.to_realtime = metadata->header.to_boottime;
	if (totals != metadata->streams) {
		proclife_fault_set(fault, "the totals of %" PRIu64 " streams instead of %" PRIu64,
				   totals, metadata->streams);
		return -EBADMSG;
	}
	return 0;
}

/* The size of the structure in its first version. */
#define FIRST_RUN_INFO (offsetof(struct proclife_run_info, rcu) + PROCLIFE_RCU_LEN)

int proclife_env_take(struct proclife_run_info *to, const struct proclife_run_info *from)
{
	int err = proclife_take_struct(to, sizeof(*to), from, from->size, FIRST_RUN_INFO);

	if (!err && (!memchr(to->reason, '\0', sizeof(to->reason)) || !memchr(to->rcu, '\0', sizeof(to->rcu)) ||
		     to->began > PROCLIFE_TIME_MAX || to->ended > PROCLIFE_TIME_MAX))
		err = -EINVAL;
	to->size = sizeof(*to);
	return err;
}
