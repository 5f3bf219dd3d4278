/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording as a source: recording.c opens its files, ctf_reader.c reads their packets,
 * ctf_packet.c judges them, ctf_sieve.c finds what can be used of one that is damaged.
 */
#ifndef PROCLIFE_CTF_READER_H
#define PROCLIFE_CTF_READER_H

#include "ctf.h"
#include "source.h"

struct proclife_recording {
	struct proclife_source source;
	struct proclife_metadata metadata;
	struct proclife_fault fault; /* why it cannot be opened */
	bool began;
	char *path;
	int dir;
	struct proclife_ctf_reader **readers;
	uint32_t count;
};

#define PROCLIFE_KNOWN_TYPES (PROCLIFE_HAS(PROCLIFE_SUPPRESSED + 1) - PROCLIFE_HAS(PROCLIFE_FORK))
#define PROCLIFE_KEPT_WORDS ((PROCLIFE_CTF_RECORDS + 63) / 64)

/*
 * Records that are copied and checked at once; measured: fewer cost calls, with more of them the merge
 * no longer finds in the L1 cache what has been looked at here. Populating the mapping ahead gains
 * nothing over the faults.
 */
#define PROCLIFE_CTF_READER_BATCH 8

/* A stream's file. */
struct proclife_ctf_reader {
	struct proclife_stream stream;
	struct proclife_recording *recording;
	const struct proclife_total *total; /* NULL if it is not known */
	char name[PROCLIFE_CTF_NAME];
	const char *map; /* NULL if the file is empty, or not there */
	uint64_t bytes;
	uint64_t offset; /* of the next packet */
	uint64_t packets;
	uint64_t position; /* records before the next packet */
	uint64_t discarded;
	uint64_t types;	     /* PROCLIFE_HAS() of those that can be in it */
	uint32_t cpus;	     /* of the snapshot: its records can be of any CPU below this */
	uint64_t floor;	     /* the latest time so far */
	uint64_t packet_end; /* no record of the packet is later */
	const struct proclife_record *next; /* [next, end) of the packet is still to come */
	const struct proclife_record *end;
	const struct proclife_record *sieved; /* kept's first one; NULL: nothing is wrong so far */
	uint64_t kept[PROCLIFE_KEPT_WORDS];   /* by record of the packet: it is good */
	struct proclife_record batch[PROCLIFE_CTF_READER_BATCH]; /* what the merge is given */
	struct proclife_damage damage;
	bool ended;
};

/* As of struct proclife_stream. */
int proclife_ctf_reader_refill(struct proclife_stream *stream);

/* The file is not there, or cannot be read at all, or is not to be read. */
void proclife_ctf_reader_absent(struct proclife_ctf_reader *reader, const char *why);

/*
 * Takes a look at the packet that begins @at. NULL, or what is wrong with it. @records: as many of
 * its records are in the file.
 */
const char *proclife_packet_check(const struct proclife_ctf_reader *reader, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records);

/* Can it be one of this stream, whatever its time? */
static inline bool proclife_ctf_reader_fits(const struct proclife_ctf_reader *reader,
					  const struct proclife_record *record)
{
	/* Without a branch: it is asked of each record. */
	return (record->type < 64) & (reader->types >> (record->type & 63)) &
	       ((record->cpu == reader->stream.order) | (record->cpu < reader->cpus));
}

/* Which of [next, end) are kept: the most that are in order. */
void proclife_ctf_reader_sieve(struct proclife_ctf_reader *reader);

#endif
