/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording on disk: a CTF 1.8 trace, that is a folder with a text, `metadata`, and a file of
 * packets for each stream: cpu_N for a ring, `snapshot` for the tasks that were there first.
 *
 * A packet is one struct proclife_packet and then records as the ring had them. CTF takes each one
 * for an event, because its event header is declared with an alignment of 128 bytes: what a type's
 * payload leaves unused is padding before the next event. So content_size, in bits as CTF wants it,
 * ends with the last event's declared fields; where the record ends follows from that.
 *
 * Packets are multiples of 4096 bytes. The last one of a stream grows in place: its new records are
 * written first, its header after them, so that whatever interrupts the recorder, what the header
 * says is there. Nothing else that has been written is ever written again.
 *
 * Where bytes of a stream are damaged, the rest can be read, and what is missing can be counted: a
 * header has a checksum, and tells how many records and how many lost ones come before it; a
 * complete recording's metadata tells how many each stream has.
 *
 * As long as a recorder works, it holds a lock on the metadata (F_OFD_SETLK), which tells a recording
 * that is still running from one that was cut off.
 */
#ifndef PROCLIFE_CTF_H
#define PROCLIFE_CTF_H

#include "daytime.h"
#include "plain.h"

#include <string.h>

#define PROCLIFE_CTF_FORMAT 1 /* of what is not CTF's: the env block, the gap in a packet */
#define PROCLIFE_CTF_OLDEST 1 /* the first format that is still read */
#define PROCLIFE_CTF_MAGIC 0xc1fc1fc1u
#define PROCLIFE_CTF_ALIGN 4096u	/* of packets */
#define PROCLIFE_CTF_PACKET 65536u	/* the largest that is written */
#define PROCLIFE_CTF_METADATA_MAX (2 << 20) /* more than that is not ours */
#define PROCLIFE_CTF_NAME 24		/* room for a stream's file name */
#define PROCLIFE_CTF_SNAPSHOT UINT32_MAX /* in the place of a CPU */
#define PROCLIFE_CTF_CPUS 8192		/* more are refused */
#define PROCLIFE_CTF_MOST (1ULL << 48)	/* records of a stream, and lost ones: no run has as many */

/* PROCLIFE_HAS() of all types of records that there are so far. */
#define PROCLIFE_KNOWN_TYPES (PROCLIFE_HAS(PROCLIFE_SUPPRESSED + 1) - PROCLIFE_HAS(PROCLIFE_FORK))

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
	uint64_t gap_lost; /* struct proclife_gap, before the first record; none: all 0 */
	uint64_t gap_from;
	uint64_t gap_to;
	uint64_t first_record; /* as many are in the packets before this one */
	uint64_t checksum;     /* proclife_packet_checksum() */
	uint32_t cpu_id;       /* or PROCLIFE_CTF_SNAPSHOT */
	uint32_t reserved0;
	uint64_t reserved1;
};

_Static_assert(sizeof(struct proclife_packet) == sizeof(struct proclife_record),
	       "a packet's header takes the place of one record");

/* Whether it has a gap. */
static inline bool proclife_packet_gap(const struct proclife_packet *packet)
{
	return packet->gap_lost | packet->gap_to;
}

/* What CTF sees of a packet without records. */
#define PROCLIFE_CTF_HEADER_BYTES offsetof(struct proclife_packet, reserved0)
#define PROCLIFE_CTF_RECORDS (PROCLIFE_CTF_PACKET / sizeof(struct proclife_record) - 1)

/* Of all words but itself. Whatever happens to one of them, it is noticed. */
static inline uint64_t proclife_packet_checksum(const struct proclife_packet *packet)
{
	uint64_t words[sizeof(*packet) / sizeof(uint64_t)], sum = 0xcbf29ce484222325;

	memcpy(words, packet, sizeof(words));
	words[offsetof(struct proclife_packet, checksum) / sizeof(uint64_t)] = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		sum = (sum ^ words[i]) * 0x100000001b3;
	return sum;
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

/* All that the metadata says, of the kernel and of the run. */
struct proclife_metadata {
	uint64_t format;
	struct proclife_header header; /* as the device showed it when recording began */
	struct proclife_run_info run;
	uint64_t streams; /* files, and bytes in them; once it is complete */
	uint64_t bytes;
	bool counted; /* the totals are all streams; otherwise nothing is known of them */
	struct proclife_total *totals; /* of each stream, in the order of their CPUs */
	struct proclife_daytime daytime; /* its first is header.to_realtime */
};

/* The bytes of a record that are declared for its type: what follows is padding. */
size_t proclife_metadata_declared(uint16_t type);

/*
 * The text; to be freed with free(). NULL without memory. @synced_at: set to the place of the
 * number in it that can be overwritten with proclife_metadata_synced().
 */
char *proclife_metadata_text(const struct proclife_metadata *metadata, size_t *size,
			     size_t *synced_at);

#define PROCLIFE_CTF_SYNCED_DIGITS 20

void proclife_metadata_synced(char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1], uint64_t synced);

/*
 * Takes a text apart; nothing but what proclife_metadata_text() writes is understood, except that
 * entries of the env block can be missing, or new. Return: 0,
 * -ENOEXEC if it is not ours, -EPROTO if it is of another format or a later ABI, -EBADMSG if it is ours and
 * damaged; then @fault says why. Totals and daytime are to be freed, whatever it
 * returns.
 */
int proclife_metadata_parse(struct proclife_metadata *metadata, const char *text, size_t size,
			    struct proclife_fault *fault);

/* The total of this stream, or NULL. */
const struct proclife_total *proclife_metadata_total(const struct proclife_metadata *metadata,
						     uint32_t cpu);

/*
 * The numbers and texts of the env block (ctf_env.c); both go through one table.
 */
void proclife_env_write(const struct proclife_metadata *metadata, void *file);
int proclife_env_parse(struct proclife_metadata *metadata, const char *text, const char *end,
		       struct proclife_fault *fault);

/*
 * ctf_name.c
 */

/* "cpu_12" or "snapshot". */
void proclife_ctf_name(char name[PROCLIFE_CTF_NAME], uint32_t cpu);
/* The other way round; false if a stream has no such name. */
bool proclife_ctf_cpu(const char *name, uint32_t *cpu);

#endif
