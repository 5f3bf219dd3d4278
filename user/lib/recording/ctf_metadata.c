// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The metadata of a recording, in TSDL, the language in which a CTF trace describes itself. Any CTF
 * reader can read it; this library reads back only what it needs for replaying.
 *
 * Events and fields have the names that LTTng gives them where they are the same, so `tid` is what
 * the ABI calls pid, and `pid` is the ABI's tgid: see fields.c.
 */
#include "recording/ctf.h"
#include "recording/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_lines[] = "/* CTF 1.8 */\n/* proclife recording, format ";
static const char env_begin[] = "\nenv {\n";
static const char env_end[] = "};\n";
static const char synced_name[] = "\tsynced = \"";
static const char uuid_name[] = "\tuuid = \"";

/*
 * All fields are contiguous without padding, so they are declared with byte alignment. With natural
 * alignment, CTF would align each struct of fields like its largest field, and the struct that
 * begins with `cpu` is not at a multiple of that.
 */
static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := x32;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
	":= ts;\n";

static const char stream_begin[] =
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\tts timestamp_begin;\n"
	"\t\tts timestamp_end;\n"
	"\t\tu64 content_size;\n"
	"\t\tu64 packet_size;\n"
	"\t\tu64 events_discarded;\n"
	"\t\tu64 packet_seq_num;\n"
	"\t\tu64 gap_lost;\n"
	"\t\tu64 gap_from;\n"
	"\t\tu64 gap_to;\n"
	"\t\tu64 first_record;\n"
	"\t\tx64 checksum;\n"
	"\t\tu32 cpu_id;\n"
	"\t};\n"
	"\tevent.header := struct {\n";

const struct proclife_total *proclife_metadata_total(const struct proclife_metadata *metadata,
						     uint32_t cpu)
{
	for (uint64_t i = 0; i < metadata->streams && metadata->totals; i++)
		if (metadata->totals[i].cpu == cpu)
			return &metadata->totals[i];
	return NULL;
}

/* How many bytes come before the first one that is not declared. */
size_t proclife_metadata_declared(uint16_t type)
{
	const struct proclife_layout *layout = proclife_layout_of(type);
	const struct proclife_field *last;

	if (!layout)
		return sizeof(struct proclife_record);
	if (!layout->count)
		return offsetof(struct proclife_record, words);
	last = &layout->fields[layout->count - 1];
	return (size_t)last->offset + last->size;
}

void proclife_metadata_synced(char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1], uint64_t synced)
{
	snprintf(digits, PROCLIFE_CTF_SYNCED_DIGITS + 1, "%020" PRIu64, synced);
}

static void write_field(FILE *file, const struct proclife_field *field, const char *name)
{
	switch (field->kind) {
	case PROCLIFE_FIELD_UINT:
	case PROCLIFE_FIELD_BOOL:
	case PROCLIFE_FIELD_UTIME:
	case PROCLIFE_FIELD_STIME:
		fprintf(file, "u%d %s;", 8 * field->size, name);
		break;
	case PROCLIFE_FIELD_INT:
	case PROCLIFE_FIELD_WAIT_STATUS:
	case PROCLIFE_FIELD_SIGNAL:
		fprintf(file, "s%d %s;", 8 * field->size, name);
		break;
	case PROCLIFE_FIELD_FLAGS:
	case PROCLIFE_FIELD_HANDLE:
		fprintf(file, "x%d %s;", 8 * field->size, name);
		break;
	case PROCLIFE_FIELD_TEXT:
		fprintf(file, "text %s[%d];", name, field->size);
		break;
	}
}

enum { TIMESTAMP, ID, CPU, TID = 6 }; /* in the head */

/* The head up to the PIDs is common to all events; its first two fields have to be apart. */
static void write_stream(FILE *file)
{
	fprintf(file, "%s\t\tts %s;\n", stream_begin,
		proclife_field(PROCLIFE_NONE, TIMESTAMP)->ctf_name);
	for (unsigned int i = ID; i < TID; i++) {
		const struct proclife_field *field = proclife_field(PROCLIFE_NONE, i);

		if (i == CPU)
			fputs("\t} align(1024);\n\tevent.context := struct {\n", file);
		fputs("\t\t", file);
		write_field(file, field, field->ctf_name);
		fputc('\n', file);
	}
	fputs("\t};\n};\n", file);
}

static void write_event(FILE *file, const struct proclife_layout *layout)
{
	fprintf(file, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
		"\tfields := struct {\n\t\t", layout->event, layout->type);
	for (unsigned int i = 0; i < 3; i++) {
		const struct proclife_field *field = proclife_field(PROCLIFE_NONE, TID + i);

		if (i)
			fputc(' ', file);
		write_field(file, field, layout->head[i] ? layout->head[i] : field->ctf_name);
	}
	for (unsigned int i = 0; i < layout->count; i++) {
		fputc(' ', file);
		write_field(file, &layout->fields[i], layout->fields[i].ctf_name);
	}
	fputs("\n\t};\n};\n", file);
}

static void write_events(const struct proclife_metadata *metadata, FILE *file)
{
	const struct proclife_layout *layout;
	uint64_t known = 0;

	for (unsigned int i = 0; (layout = proclife_layout(i)); i++) {
		known |= PROCLIFE_HAS(layout->type);
		write_event(file, layout);
	}
	/* Types that a later module may record. */
	for (unsigned int type = 1; type < 64; type++) {
		if (metadata->header.features & ~known & PROCLIFE_HAS(type))
			fprintf(file, "event {\n\tname = \"proclife_type%u\";\n\tid = %u;\n"
				"\tstream_id = 0;\n\tfields := struct {\n"
				"\t\tu32 tid; u32 pid; text comm[16]; x64 words[9];\n\t};\n};\n",
				type, type);
	}
}

char *proclife_metadata_text(const struct proclife_metadata *metadata, size_t *size,
			     size_t *synced_at)
{
	uint64_t to_realtime = metadata->header.to_realtime;
	char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1];
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	bool failed;

	if (!file)
		return NULL;
	fprintf(file, "%s%d */\n\n%s\ntrace {\n\tmajor = 1;\n\tminor = 8;\n%s", first_lines,
		PROCLIFE_RECORDING_FORMAT, types, uuid_name);
	proclife_uuid_write(file, metadata->run.uuid);
	fprintf(file, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tu32 magic;\n"
		"\t\tu8 uuid[16];\n\t\tu32 stream_id;\n\t};\n};\n%s"
		"\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n\ttracer_name = \"proclife\";\n",
		env_begin);
	proclife_env_write(metadata, file);
	proclife_metadata_synced(digits, metadata->run.synced);
	fputs(synced_name, file);
	fflush(file);
	*synced_at = *size;
	fprintf(file, "%s\";\n%s\n", digits, env_end);
	fprintf(file, "clock {\n\tname = \"monotonic\";\n\tdescription = \"CLOCK_MONOTONIC\";\n"
		"\tfreq = 1000000000;\n\tprecision = 1;\n\toffset_s = %" PRIu64 ";\n"
		"\toffset = %" PRIu64 ";\n\tabsolute = TRUE;\n};\n\n",
		to_realtime / 1000000000, to_realtime % 1000000000);
	write_stream(file);
	fputc('\n', file);
	write_events(metadata, file);
	failed = ferror(file);
	if (fclose(file) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Where the first @what in the text ends; NULL if it is not there. */
static const char *after(const char *text, const char *end, const char *what)
{
	const char *at = memmem(text, (size_t)(end - text), what, strlen(what));

	return at ? at + strlen(what) : NULL;
}

/*
 * NULL, or why no recorder can have written this. At its end, a recorder writes when that was,
 * which is then also the time up to which nothing is missing, and the totals. Before, it writes
 * none of these.
 */
static const char *contradiction(const struct proclife_metadata *metadata)
{
	const struct proclife_run_info *run = &metadata->run;

	if (run->complete)
		return run->ended == run->synced ? NULL :
		       "'ended' and 'synced' of a complete recording are not the same";
	if (run->ended || run->records || run->lost || metadata->streams || metadata->bytes)
		return "there are totals of a recording that is not complete";
	return NULL;
}

static bool parse_synced(const char *s, const char *end, uint64_t *synced)
{
	if (end - s <= PROCLIFE_CTF_SYNCED_DIGITS || s[PROCLIFE_CTF_SYNCED_DIGITS] != '"')
		return false;
	for (*synced = 0; *s != '"'; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(*synced, 10, synced) ||
		    __builtin_add_overflow(*synced, *s - '0', synced))
			return false;
	}
	return *synced <= PROCLIFE_TIME_MAX;
}

static bool totals_add_up(const struct proclife_metadata *metadata)
{
	uint64_t records = 0, lost = 0, bytes = 0;

	for (uint64_t i = 0; i < metadata->streams; i++) {
		const struct proclife_total *total = &metadata->totals[i];

		if (!proclife_ctf_has(metadata, total->cpu) ||
		    total->first > total->last || total->last > metadata->run.ended ||
		    __builtin_add_overflow(records, total->records, &records) ||
		    __builtin_add_overflow(lost, total->lost, &lost) ||
		    __builtin_add_overflow(bytes, total->bytes, &bytes))
			return false;
	}
	if (metadata->streams && !metadata->run.complete) /* only known at the end */
		return false;
	return !metadata->counted || (records == metadata->run.records && lost == metadata->run.lost &&
	       bytes == metadata->bytes);
}

/* Checks the parsed numbers, so that the rest of the library can rely on them. */
static int check(const struct proclife_metadata *metadata, struct proclife_fault *fault)
{
	const struct proclife_header *header = &metadata->header;
	const char *wrong = contradiction(metadata);

	if (wrong) {
		proclife_fault_set(fault, "%s", wrong);
		return -EBADMSG;
	}
	if (header->abi_compatible > PROCLIFE_ABI_VERSION) {
		proclife_fault_set(fault, "recorded with ABI %u, this program knows up to %u; read it with a newer release",
			header->abi_version, PROCLIFE_ABI_VERSION);
		return -EPROTO;
	}
	if (header->abi_version < PROCLIFE_ABI_COMPATIBLE) {
		proclife_fault_set(fault, "recorded with ABI %u, this release reads %u and later: use the release that made it",
			header->abi_version, PROCLIFE_ABI_COMPATIBLE);
		return -EPROTO;
	}
	if (header->record_bytes != sizeof(struct proclife_record) || !header->cpus ||
	    header->cpus > PROCLIFE_CTF_CPUS) {
		proclife_fault_set(fault, "sizes that make no sense");
		return -EBADMSG;
	}
	if (!totals_add_up(metadata)) {
		proclife_fault_set(fault, "totals that contradict each other");
		return -EBADMSG;
	}
	return 0;
}

static const char version_name[] = "\ttracer_version = \"";

/* The format is one that this library does not read. The text often shows which release made it. */
static void refuse_format(unsigned int format, const char *text, const char *end,
			  struct proclife_fault *fault)
{
	static const char plain[] = "0123456789.-+~abcdefghijklmnopqrstuvwxyz";
	const char *version = after(text, end, version_name);
	char reads[48], made[48] = "";
	int n = 0;

	while (version && version + n < end && n < PROCLIFE_VERSION_LEN && version[n] &&
	       strchr(plain, version[n]))
		n++;
	if (n)
		snprintf(made, sizeof(made), ", made by proclife %.*s", n, version);
	if (PROCLIFE_CTF_OLDEST == PROCLIFE_RECORDING_FORMAT)
		snprintf(reads, sizeof(reads), "format %d", PROCLIFE_RECORDING_FORMAT);
	else
		snprintf(reads, sizeof(reads), "formats %d to %d", PROCLIFE_CTF_OLDEST,
			 PROCLIFE_RECORDING_FORMAT);
	proclife_fault_set(fault, "a recording of format %u%s; this release reads %s: use %s", format,
			   made, reads, format < PROCLIFE_CTF_OLDEST ? "the release that made it" :
								       "a newer release");
}

static int parse_format(const char **text, const char *end, struct proclife_fault *fault)
{
	size_t length = sizeof(first_lines) - 1;
	unsigned int format = 0;
	const char *s;

	if ((size_t)(end - *text) < length || memcmp(*text, first_lines, length)) {
		proclife_fault_set(fault, "not written by proclife-read --record");
		return -ENOEXEC;
	}
	for (s = *text + length; s < end && *s >= '0' && *s <= '9' && format < 1000000; s++)
		format = 10 * format + (unsigned int)(*s - '0');
	if (format < PROCLIFE_CTF_OLDEST || format > PROCLIFE_RECORDING_FORMAT) {
		refuse_format(format, s, end, fault);
		return -EPROTO;
	}
	*text = s;
	return 0;
}

int proclife_metadata_parse(struct proclife_metadata *metadata, const char *text, size_t size,
			    struct proclife_fault *fault)
{
	const char *end = text + size, *env, *env_stop, *uuid, *synced;
	int err = parse_format(&text, end, fault);

	memset(metadata, 0, sizeof(*metadata));
	if (err)
		return err;
	metadata->format = PROCLIFE_RECORDING_FORMAT;
	metadata->run.size = sizeof(metadata->run);
	metadata->header.magic = PROCLIFE_MAGIC;
	metadata->header.header_bytes = sizeof(metadata->header);
	uuid = after(text, end, uuid_name);
	if (!uuid || !proclife_uuid_parse(uuid, end, metadata->run.uuid)) {
		proclife_fault_set(fault, "no uuid");
		return -EBADMSG;
	}
	env = after(text, end, env_begin);
	env_stop = env ? memmem(env, (size_t)(end - env), env_end, sizeof(env_end) - 1) : NULL;
	if (!env_stop) {
		proclife_fault_set(fault, "no env block, or cut off in it");
		return -EBADMSG;
	}
	synced = after(env, env_stop, synced_name);
	if (synced && !parse_synced(synced, env_stop, &metadata->run.synced)) {
		proclife_fault_set(fault, "the value of 'synced' is not valid");
		return -EBADMSG;
	}
	err = proclife_env_parse(metadata, env, env_stop, fault);
	if (!synced && metadata->run.complete)
		metadata->run.synced = metadata->run.ended;
	return err ? err : check(metadata, fault);
}
