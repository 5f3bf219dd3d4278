/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording as a source: recording.c opens its files, playback.c reads their packets, packet.c
 * judges them, sieve.c finds what can be used of one that is damaged.
 */
#ifndef PROCLIFE_PLAYBACK_H
#define PROCLIFE_PLAYBACK_H

#include "ctf.h"
#include "source.h"

struct proclife_recording {
	struct proclife_source source;
	struct proclife_metadata metadata;
	struct proclife_fault fault; /* why it cannot be opened */
	bool began;
	char *path;
	int dir;
	struct proclife_playback **tapes;
	uint32_t count;
};

#define PROCLIFE_KNOWN_TYPES (PROCLIFE_HAS(PROCLIFE_SUPPRESSED + 1) - PROCLIFE_HAS(PROCLIFE_FORK))
#define PROCLIFE_KEPT_WORDS ((PROCLIFE_CTF_RECORDS + 63) / 64)

/*
 * Records that are copied and checked at once; measured: fewer cost calls, with more of them the merge
 * no longer finds in the L1 cache what has been looked at here. Populating the mapping ahead gains
 * nothing over the faults.
 */
#define PROCLIFE_PLAYBACK_BATCH 8

/* A stream's file. */
struct proclife_playback {
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
	struct proclife_record batch[PROCLIFE_PLAYBACK_BATCH]; /* what the merge is given */
	struct proclife_damage damage;
	bool ended;
};

/* As of struct proclife_stream. */
int proclife_playback_refill(struct proclife_stream *stream);

/* The file is not there, or cannot be read at all, or is not to be read. */
void proclife_playback_absent(struct proclife_playback *tape, const char *why);

/*
 * Takes a look at the packet that begins @at. NULL, or what is wrong with it. @records: as many of
 * its records are in the file.
 */
const char *proclife_packet_check(const struct proclife_playback *tape, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records);

/* Can it be one of this stream, whatever its time? */
static inline bool proclife_playback_fits(const struct proclife_playback *tape,
					  const struct proclife_record *record)
{
	/* Without a branch: it is asked of each record. */
	return (record->type < 64) & (tape->types >> (record->type & 63)) &
	       ((record->cpu == tape->stream.order) | (record->cpu < tape->cpus));
}

/* Which of [next, end) are kept: the most that are in order. */
void proclife_playback_sieve(struct proclife_playback *tape);

#endif
