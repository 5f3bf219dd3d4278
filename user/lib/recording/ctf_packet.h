/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks the contents of a stream's file against what is known about the stream: ctf_packet.c
 * checks packets, ctf_sieve.c the records of a damaged packet. Neither knows the reader, which goes
 * from packet to packet.
 */
#ifndef PROCLIFE_CTF_PACKET_H
#define PROCLIFE_CTF_PACKET_H

#include "recording/ctf.h"
#include "recording/frames.h"
#include "source/merge.h"

#include <sys/types.h>

#define PROCLIFE_KEPT_WORDS ((PROCLIFE_CTF_RECORDS + 63) / 64)

struct proclife_ctf_file {
	int fd;		/* -1 if the file is not there */
	struct proclife_frames *frames; /* NULL: it is not compressed */
	uint64_t bytes; /* its size, as far as is known; of the plain file */
	uint64_t cut;	/* how many bytes it has lost since it was opened */
};

/* What the metadata says about a stream. */
struct proclife_ctf_known {
	const struct proclife_metadata *metadata;
	const struct proclife_total *total; /* NULL if it is not known */
	uint64_t types; /* PROCLIFE_HAS() of the types that can be in it */
	uint32_t cpu;
	uint64_t since; /* the part before has what was before; 0: this is the first part, or no part */
	uint32_t cpus; /* for the snapshot: its records can have any CPU below this */
};

/* What came before a packet. */
struct proclife_ctf_place {
	uint64_t packets;
	uint64_t position; /* records */
	uint64_t discarded;
	uint64_t floor; /* the latest time so far */
};

/*
 * Reads @size bytes of the file; fewer at its end, or before bytes that cannot be read. Returns how
 * many, or a negative errno if there are none. If the file has become shorter, file->cut and
 * file->bytes are updated.
 */
ssize_t proclife_ctf_file_read(struct proclife_ctf_file *file, void *to, size_t size, uint64_t at);

/*
 * Checks the packet that begins @at, after @place. Returns NULL, or what is wrong with it. @records
 * is set to how many of its records are in the file.
 */
const char *proclife_packet_check(struct proclife_ctf_file *file,
				  const struct proclife_ctf_known *known,
				  const struct proclife_ctf_place *place, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records);

/* No record is later than this: the time of its last one, if that is known. */
static inline uint64_t proclife_ctf_last(const struct proclife_ctf_known *known)
{
	return known->total ? known->total->last : PROCLIFE_TIME_MAX;
}

/* Can this be a record of this stream, whatever its time? */
static inline bool proclife_ctf_fits(const struct proclife_ctf_known *known,
				     const struct proclife_record *record)
{
	/* Without a branch: this runs for each record. */
	return (record->type < 64) & (known->types >> (record->type & 63)) &
	       ((record->cpu == known->cpu) | (record->cpu < known->cpus));
}

/*
 * Which of a packet's records to keep: as many as are in order and between these times. @kept has a
 * bit for each of them.
 */
void proclife_ctf_sieve(const struct proclife_ctf_known *known,
			const struct proclife_record *records, uint64_t count, uint64_t floor,
			uint64_t end, uint64_t kept[PROCLIFE_KEPT_WORDS]);

#endif
