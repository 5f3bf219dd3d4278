/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lies in a stream's file, judged by what is known of the stream: ctf_packet.c judges packets,
 * ctf_sieve.c the records of one in which something is wrong. Neither knows the reader, which goes
 * from packet to packet.
 */
#ifndef PROCLIFE_CTF_PACKET_H
#define PROCLIFE_CTF_PACKET_H

#include "ctf.h"
#include "merge.h"

#include <sys/types.h>

#define PROCLIFE_KEPT_WORDS ((PROCLIFE_CTF_RECORDS + 63) / 64)

struct proclife_ctf_file {
	int fd;		/* -1 if the file is not there */
	uint64_t bytes; /* that it has, as far as is known */
	uint64_t cut;	/* that it had when it was opened, and no longer has */
};

/* What the metadata tells of a stream. */
struct proclife_ctf_known {
	const struct proclife_metadata *metadata;
	const struct proclife_total *total; /* NULL if it is not known */
	uint64_t types; /* PROCLIFE_HAS() of those that can be in it */
	uint32_t cpu;
	uint32_t cpus; /* of the snapshot: its records can be of any CPU below this */
};

/* What comes before a packet. */
struct proclife_ctf_place {
	uint64_t packets;
	uint64_t position; /* records */
	uint64_t discarded;
	uint64_t floor; /* the latest time so far */
};

/*
 * Reads @size bytes of the file; fewer at its end, or before what cannot be read. Returns how many,
 * or a negative errno if there are none. If those that are missing were there once, file->cut and
 * file->bytes tell so from then on.
 */
ssize_t proclife_ctf_file_read(struct proclife_ctf_file *file, void *to, size_t size, uint64_t at);

/*
 * Takes a look at the packet that begins @at, behind @place. NULL, or what is wrong with it.
 * @records: as many of its records are in the file.
 */
const char *proclife_packet_check(struct proclife_ctf_file *file,
				  const struct proclife_ctf_known *known,
				  const struct proclife_ctf_place *place, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records);

/* When its last record was made, if that is known: no other one is later. */
static inline uint64_t proclife_ctf_last(const struct proclife_ctf_known *known)
{
	return known->total ? known->total->last : UINT64_MAX - 1;
}

/* Can it be one of this stream, whatever its time? */
static inline bool proclife_ctf_fits(const struct proclife_ctf_known *known,
				     const struct proclife_record *record)
{
	/* Without a branch: it is asked of each record. */
	return (record->type < 64) & (known->types >> (record->type & 63)) &
	       ((record->cpu == known->cpu) | (record->cpu < known->cpus));
}

/*
 * Which of a packet's records are to be kept: the most that are in order, and between these times.
 * A bit for each of them in @kept.
 */
void proclife_ctf_sieve(const struct proclife_ctf_known *known,
			const struct proclife_record *records, uint64_t count, uint64_t floor,
			uint64_t end, uint64_t kept[PROCLIFE_KEPT_WORDS]);

#endif
