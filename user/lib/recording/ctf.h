/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording on disk: a CTF 1.8 trace. That is a folder with a text, `metadata`, and a file of
 * packets for each stream: cpu_N for a ring, `snapshot` for the tasks that existed at the
 * beginning. Once a file does not grow any more, it can be compressed: see frames.h.
 *
 * A packet is one struct proclife_packet and then records as they were in the ring. CTF sees each
 * record as an event, because the event header is declared with an alignment of 128 bytes: the
 * unused rest of a payload is padding before the next event. So content_size, in bits as CTF wants
 * it, ends with the declared fields of the last event; the end of that record follows from it.
 *
 * Packets are multiples of 4096 bytes. The last packet of a stream grows in place: its new records
 * are written first, then its header. So whatever interrupts the recorder, all records that the
 * header counts are there. Nothing else is ever written twice.
 *
 * If bytes of a stream are damaged, the rest can be read, and the missing records can be counted: a
 * header has a checksum, and the numbers of records and of lost ones before it; the metadata of a
 * complete recording has the totals of each stream.
 *
 * As long as a recorder runs, it holds a lock on the metadata (F_OFD_SETLK). So a reader can
 * distinguish a recording that is still running from one that was cut off.
 */
#ifndef PROCLIFE_CTF_H
#define PROCLIFE_CTF_H

#include "source/daytime.h"
#include "base/checksum.h"
#include "base/plain.h"

#include <string.h>

#define PROCLIFE_CTF_OLDEST 3 /* the first PROCLIFE_RECORDING_FORMAT that is still read */
#define PROCLIFE_CTF_MAGIC 0xc1fc1fc1u
#define PROCLIFE_CTF_ALIGN 4096u	/* of packets */
#define PROCLIFE_CTF_PACKET 65536u	/* the largest that is written */
#define PROCLIFE_CTF_METADATA_MAX (2 << 20) /* our metadata is never larger */
#define PROCLIFE_CTF_NAME 24		/* room for a stream's file name... */
#define PROCLIFE_CTF_FILE 28		/* ... and if it is compressed */
#define PROCLIFE_CTF_CPUS 8192		/* more are refused */
#define PROCLIFE_CTF_MOST (1ULL << 48)	/* more records than any run has in a stream, or loses in one */

/* PROCLIFE_HAS() of all types that this version knows. */
#define PROCLIFE_KNOWN_TYPES (PROCLIFE_HAS(PROCLIFE_PATH + 1) - PROCLIFE_HAS(PROCLIFE_FORK))

struct proclife_packet {
	uint32_t magic;
	uint8_t uuid[PROCLIFE_UUID_BYTES];
	uint32_t stream_id; /* 0: there is one class of streams */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size; /* bits */
	uint64_t packet_size;  /* bits */
	uint64_t events_discarded; /* on this stream, so far, with gap_lost */
	uint64_t packet_seq_num;
	uint64_t gap_lost; /* the struct proclife_gap before the first record; all 0: no gap */
	uint64_t gap_from;
	uint64_t gap_to;
	uint64_t first_record; /* how many records are in the packets before this one */
	uint64_t checksum;     /* proclife_packet_checksum() */
	uint32_t cpu_id;       /* or PROCLIFE_CPU_SNAPSHOT, PROCLIFE_CPU_ALL */
	uint32_t reserved0;
	uint64_t reserved1;
};

_Static_assert(sizeof(struct proclife_packet) == sizeof(struct proclife_record),
	       "a packet's header takes the place of one record");

/* Does the packet have a gap? */
static inline bool proclife_packet_gap(const struct proclife_packet *packet)
{
	return packet->gap_lost | packet->gap_to;
}

/* The size of a packet without records, as CTF sees it. */
#define PROCLIFE_CTF_HEADER_BYTES offsetof(struct proclife_packet, reserved0)
#define PROCLIFE_CTF_RECORDS (PROCLIFE_CTF_PACKET / sizeof(struct proclife_record) - 1)

/* The checksum of all other words. */
static inline uint64_t proclife_packet_checksum(const struct proclife_packet *packet)
{
	uint64_t words[sizeof(*packet) / sizeof(uint64_t)];

	memcpy(words, packet, sizeof(words));
	words[offsetof(struct proclife_packet, checksum) / sizeof(uint64_t)] = 0;
	return proclife_checksum(words, sizeof(words) / sizeof(*words));
}

/* A stream of a complete recording. */
struct proclife_total {
	uint64_t first; /* the time of its first record or gap... */
	uint64_t last;	/* ... and of its last record */
	uint64_t records;
	uint64_t lost;
	uint64_t bytes;
	uint32_t cpu;
};

/* All that is in the metadata, about the kernel and about the run. */
struct proclife_metadata {
	uint64_t format;
	struct proclife_header header; /* the device's, when recording began */
	struct proclife_run_info run;
	uint64_t streams; /* how many files, and their bytes; once it is complete */
	uint64_t bytes;
	bool counted; /* there are totals of all streams; otherwise of none */
	struct proclife_total *totals; /* of each stream, in the order of their CPUs */
	struct proclife_daytime daytime; /* begins with header.to_realtime */
	struct proclife_daytime boottime; /* begins with header.to_boottime */
};

/* How many bytes of a record are declared for its type: the rest is padding. */
size_t proclife_metadata_declared(uint16_t type);

/*
 * The text, to be freed with free(). NULL: no memory. @synced_at is set to the place of the number
 * that proclife_metadata_synced() can overwrite.
 */
char *proclife_metadata_text(const struct proclife_metadata *metadata, size_t *size,
			     size_t *synced_at);

#define PROCLIFE_CTF_SYNCED_DIGITS 20

void proclife_metadata_synced(char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1], uint64_t synced);

/*
 * Parses a text. It understands only what proclife_metadata_text() writes, except that entries of
 * the env block can be missing, or new. Return: 0; -ENOEXEC if it is not ours; -EPROTO if it is of
 * another format or a later ABI; -EBADMSG if it is ours and damaged; then @fault says why. The
 * caller frees totals and daytime in any case.
 */
int proclife_metadata_parse(struct proclife_metadata *metadata, const char *text, size_t size,
			    struct proclife_fault *fault);

/* The total of this stream, or NULL. */
const struct proclife_total *proclife_metadata_total(const struct proclife_metadata *metadata,
						     uint32_t cpu);

/* Can the recording have this stream? */
static inline bool proclife_ctf_has(const struct proclife_metadata *metadata, uint32_t cpu)
{
	return cpu < metadata->header.cpus || cpu == PROCLIFE_CPU_SNAPSHOT || cpu == PROCLIFE_CPU_ALL;
}

static inline bool proclife_uuid_is_set(const uint8_t *uuid)
{
	static const uint8_t none[PROCLIFE_UUID_BYTES];

	return memcmp(uuid, none, sizeof(none));
}

/* Is the recording a part of another one? */
static inline bool proclife_is_slice(const struct proclife_run_info *run)
{
	return proclife_uuid_is_set(run->slice_of);
}

/* With its dashes; true if such a text stands here, and a quotation mark behind it. */
void proclife_uuid_write(void *file, const uint8_t *uuid);
bool proclife_uuid_parse(const char *s, const char *end, uint8_t *uuid);

/*
 * The numbers and texts of the env block (ctf_env.c); both go through one table.
 */
void proclife_env_write(const struct proclife_metadata *metadata, void *file);
int proclife_env_parse(struct proclife_metadata *metadata, const char *text, const char *end,
		       struct proclife_fault *fault);
/* Like proclife_take_struct(), for what a program says of its run; -EINVAL if a text has no NUL. */
int proclife_env_take(struct proclife_run_info *to, const struct proclife_run_info *from);

/*
 * ctf_name.c
 */

/* "cpu_12", "all_cpus" or "snapshot". */
void proclife_ctf_name(char name[PROCLIFE_CTF_NAME], uint32_t cpu);
/* The other way round; false if a stream has no such name. */
bool proclife_ctf_cpu(const char *name, uint32_t *cpu);
/* The same of a file: NAME, or NAME.zst, which is compressed. */
bool proclife_ctf_cpu_of_file(const char *file, uint32_t *cpu);
void proclife_ctf_compressed_name(char file[PROCLIFE_CTF_FILE], const char *name);

#endif
