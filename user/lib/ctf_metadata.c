// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The metadata of a recording: TSDL, the language in which a CTF trace describes itself. Written
 * for any reader of CTF; read back only as far as replaying needs it.
 *
 * Events and fields have the names that LTTng gives them where they are the same, so `tid` is what
 * the ABI calls pid, and `pid` is the ABI's tgid.
 */
#include "ctf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to the first byte that is not declared. */
#define UP_TO(member)                                                                              \
	(offsetof(struct proclife_record, member) + sizeof(((struct proclife_record *)0)->member))

static const struct event {
	uint16_t type;
	const char *name;
	size_t declared;
	const char *fields; /* from pid on: what is before is the same for all */
} events[] = {
	{ PROCLIFE_FORK, "sched_process_fork", UP_TO(fork.ns_inum),
	  "u32 child_tid; u32 child_pid; text child_comm[16]; x64 parent; x64 child_group; "
	  "x64 creator; u64 cgroup; u32 parent_tid; u32 parent_pid; u32 creator_tid; "
	  "u32 creator_pid; u32 uid; u32 child_ns_tid; u32 child_ns_inum;" },
	{ PROCLIFE_EXEC, "sched_process_exec", UP_TO(exec.path),
	  "u32 tid; u32 pid; text comm[16]; x64 group; u32 old_tid; u32 uid; u32 euid; "
	  "u32 filename_length; text filename[48];" },
	{ PROCLIFE_ARGS, "proclife_args", UP_TO(args.text),
	  "u32 tid; u32 pid; text comm[16]; u32 total; u16 offset; u16 length; text args[64];" },
	{ PROCLIFE_RENAME, "task_rename", UP_TO(rename.cgroup),
	  "u32 tid; u32 pid; text oldcomm[16]; text newcomm[16]; u64 cgroup;" },
	{ PROCLIFE_EXIT, "sched_process_exit", UP_TO(exit.parent_tgid),
	  "u32 tid; u32 pid; text comm[16]; s32 exit_code; u32 live; u64 runtime; u64 utime; "
	  "u64 stime; u64 min_flt; u64 nvcsw; u64 nivcsw; u64 max_rss; u32 maj_flt; "
	  "u32 parent_pid;" },
	{ PROCLIFE_REAP, "proclife_reap", UP_TO(reap.cgroup),
	  "u32 tid; u32 pid; text comm[16]; x64 reaper; x64 reaper_group; u32 reaper_tid; "
	  "u32 reaper_pid; text reaper_comm[16]; u64 cgroup;" },
	{ PROCLIFE_FREE, "sched_process_free", UP_TO(free.stime),
	  "u32 tid; u32 pid; text comm[16]; u64 runtime; u64 utime; u64 stime;" },
	/* LTTng's tid is whom the task waits for. */
	{ PROCLIFE_WAIT, "sched_process_wait", UP_TO(wait.wanted),
	  "u32 waiter_tid; u32 waiter_pid; text comm[16]; u32 tid;" },
	{ PROCLIFE_HANG, "sched_process_hang", UP_TO(comm), "u32 tid; u32 pid; text comm[16];" },
	{ PROCLIFE_SIGNAL, "signal_generate", UP_TO(signal.to_group),
	  "u32 tid; u32 pid; text comm[16]; x64 sender; u32 sender_tid; u32 sender_pid; "
	  "text sender_comm[16]; s32 sig; s32 code; s32 result; u32 group;" },
	{ PROCLIFE_SUPPRESSED, "proclife_suppressed", UP_TO(suppressed.count),
	  "u32 tid; u32 pid; text comm[16]; u32 what; u32 ended; u64 since; u64 count;" },
	{ PROCLIFE_TASK, "proclife_task", UP_TO(state.exit_code),
	  "u32 tid; u32 pid; text comm[16]; x64 parent; x64 group; u64 cgroup; u64 runtime; "
	  "u64 utime; u64 stime; u32 parent_pid; u32 uid; u32 ns_tid; u32 ns_inum; "
	  "s32 exit_code;" },
};

#define EVENTS (sizeof(events) / sizeof(*events))

static const char first_lines[] = "/* CTF 1.8 */\n/* proclife recording, format ";
static const char env_begin[] = "\nenv {\n";
static const char env_end[] = "};\n";
static const char synced_name[] = "\tsynced = \"";
static const char uuid_name[] = "\tuuid = \"";

/*
 * All is contiguous as it is. With their natural alignment, CTF would align each struct of fields
 * like the largest of them, and the one that begins with `cpu` is at an odd place for that.
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

static const char stream[] =
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
	"\tevent.header := struct {\n"
	"\t\tts timestamp;\n"
	"\t\tu16 id;\n"
	"\t} align(1024);\n"
	"\tevent.context := struct {\n"
	"\t\tu16 cpu;\n"
	"\t\tx32 flags;\n"
	"\t\tx64 task;\n"
	"\t\tu64 start;\n"
	"\t};\n"
	"};\n";

const struct proclife_total *proclife_metadata_total(const struct proclife_metadata *metadata,
						     uint32_t cpu)
{
	for (uint64_t i = 0; i < metadata->streams && metadata->totals; i++)
		if (metadata->totals[i].cpu == cpu)
			return &metadata->totals[i];
	return NULL;
}

size_t proclife_metadata_declared(uint16_t type)
{
	for (size_t i = 0; i < EVENTS; i++)
		if (events[i].type == type)
			return events[i].declared;
	return sizeof(struct proclife_record);
}

static void write_uuid(FILE *file, const uint8_t *uuid)
{
	for (size_t i = 0; i < PROCLIFE_UUID_BYTES; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

void proclife_metadata_synced(char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1], uint64_t synced)
{
	snprintf(digits, PROCLIFE_CTF_SYNCED_DIGITS + 1, "%020" PRIu64, synced);
}

static void write_events(const struct proclife_metadata *metadata, FILE *file)
{
	uint64_t known = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		known |= PROCLIFE_HAS(events[i].type);
		fprintf(file, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
			"\tfields := struct {\n\t\t%s\n\t};\n};\n",
			events[i].name, events[i].type, events[i].fields);
	}
	/* What a later module records. */
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
		PROCLIFE_CTF_FORMAT, types, uuid_name);
	write_uuid(file, metadata->run.uuid);
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
		"\toffset = %" PRIu64 ";\n\tabsolute = TRUE;\n};\n\n%s\n",
		to_realtime / 1000000000, to_realtime % 1000000000, stream);
	write_events(metadata, file);
	failed = ferror(file);
	if (fclose(file) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Where @what ends in the text, NULL if it is not there. */
static const char *after(const char *text, const char *end, const char *what)
{
	const char *at = memmem(text, (size_t)(end - text), what, strlen(what));

	return at ? at + strlen(what) : NULL;
}

static bool parse_uuid(const char *s, const char *end, uint8_t *uuid)
{
	if (end - s < 37)
		return false;
	for (size_t i = 0; i < PROCLIFE_UUID_BYTES; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *high, *low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *s++ != '-')
			return false;
		high = memchr(digits, *s++, 16);
		low = memchr(digits, *s++, 16);
		if (!high || !low)
			return false;
		uuid[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return *s == '"';
}

/*
 * NULL, or what no recorder has written: at its end it says when that was, which is also until when
 * nothing is missing, and how much there is; before, it says none of it.
 */
static const char *contradiction(const struct proclife_metadata *metadata)
{
	const struct proclife_run_info *run = &metadata->run;

	if (run->complete)
		return run->ended == (run->synced & INT64_MAX) ? NULL :
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
	return true;
}

static bool totals_add_up(const struct proclife_metadata *metadata)
{
	uint64_t records = 0, lost = 0, bytes = 0;

	for (uint64_t i = 0; i < metadata->streams; i++) {
		const struct proclife_total *total = &metadata->totals[i];

		if ((total->cpu >= metadata->header.cpus && total->cpu != PROCLIFE_CTF_SNAPSHOT) ||
		    total->first > total->last || total->last > metadata->run.ended ||
		    __builtin_add_overflow(records, total->records, &records) ||
		    __builtin_add_overflow(lost, total->lost, &lost) ||
		    __builtin_add_overflow(bytes, total->bytes, &bytes))
			return false;
	}
	if (metadata->streams && !metadata->run.complete) /* they are known at the end */
		return false;
	return !metadata->counted || (records == metadata->run.records && lost == metadata->run.lost &&
	       bytes == metadata->bytes);
}

/* What the parsed numbers have to be so that the rest of the library can rely on them. */
static int check(const struct proclife_metadata *metadata, struct proclife_fault *fault)
{
	const struct proclife_header *header = &metadata->header;
	const char *wrong = contradiction(metadata);

	if (wrong) {
		proclife_fault_set(fault, "%s", wrong);
		return -EBADMSG;
	}
	if (header->abi_compatible > PROCLIFE_ABI_VERSION) {
		proclife_fault_set(fault, "recorded with ABI %u, this program knows up to %u; read "
				   "it with a newer release", header->abi_version,
				   PROCLIFE_ABI_VERSION);
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

/* It is of a format that this program does not read; often it still says which release made it. */
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
	if (PROCLIFE_CTF_OLDEST == PROCLIFE_CTF_FORMAT)
		snprintf(reads, sizeof(reads), "format %d", PROCLIFE_CTF_FORMAT);
	else
		snprintf(reads, sizeof(reads), "formats %d to %d", PROCLIFE_CTF_OLDEST,
			 PROCLIFE_CTF_FORMAT);
	proclife_fault_set(fault, "a recording of format %u%s; this release reads %s: use the release "
			   "that made it, or a newer one", format, made, reads);
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
	if (format < PROCLIFE_CTF_OLDEST || format > PROCLIFE_CTF_FORMAT) {
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
	metadata->format = PROCLIFE_CTF_FORMAT;
	metadata->run.size = sizeof(metadata->run);
	metadata->header.magic = PROCLIFE_MAGIC;
	metadata->header.header_bytes = sizeof(metadata->header);
	uuid = after(text, end, uuid_name);
	if (!uuid || !parse_uuid(uuid, end, metadata->run.uuid)) {
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
