/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording as a source: recording.c opens its files, ctf_reader.c reads their packets,
 * ctf_packet.c judges them, ctf_sieve.c finds what can be used of one that is damaged.
 */
#ifndef PROCLIFE_CTF_READER_H
#define PROCLIFE_CTF_READER_H

#include "ctf.h"
#include "source.h"

#include <sys/types.h>

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

/* A stream's file. */
struct proclife_ctf_reader {
	struct proclife_stream stream;
	struct proclife_recording *recording;
	const struct proclife_total *total; /* NULL if it is not known */
	char name[PROCLIFE_CTF_NAME];
	int fd;		/* -1 if the file is not there */
	uint64_t bytes; /* that it has, as far as is known */
	uint64_t cut;	/* that it had when it was opened, and no longer has */
	uint64_t offset; /* of the next packet */
	uint64_t at;	 /* the packet is looked for here, if it is not there */
	const char *wrong; /* what is there instead, or NULL */
	uint64_t packets;
	uint64_t position; /* records before the next packet */
	uint64_t discarded;
	uint64_t types;	     /* PROCLIFE_HAS() of those that can be in it */
	uint32_t cpus;	     /* of the snapshot: its records can be of any CPU below this */
	uint64_t floor;	     /* the latest time so far */
	uint64_t packet_end; /* no record of the packet is later */
	uint64_t packet;     /* that is being yielded: where it begins */
	struct proclife_record *records; /* of it; there is room for those of any packet */
	const struct proclife_record *next; /* [next, end) of them is still to come */
	const struct proclife_record *end;
	bool sieved; /* something is wrong with it; `kept` is valid */
	uint64_t kept[PROCLIFE_KEPT_WORDS]; /* by record of the packet: it is good */
	struct proclife_damage damage;
	bool ended;
};

/* As of struct proclife_stream. -EAGAIN: something is looked for that takes long; call it again. */
int proclife_ctf_reader_refill(struct proclife_stream *stream);

/* The file is not there, or cannot be read at all, or is not to be read. */
void proclife_ctf_reader_absent(struct proclife_ctf_reader *reader, const char *why);

/*
 * Reads @size bytes of the file; fewer at its end, or before what cannot be read. Returns how many, or
 * a negative errno if there are none. If those that are missing were there once, reader->cut and
 * reader->bytes tell so from then on.
 */
ssize_t proclife_ctf_reader_read(struct proclife_ctf_reader *reader, void *to, size_t size,
				 uint64_t at);

/*
 * Takes a look at the packet that begins @at. NULL, or what is wrong with it. @records: as many of
 * its records are in the file.
 */
const char *proclife_packet_check(struct proclife_ctf_reader *reader, uint64_t at,
				  struct proclife_packet *packet, uint64_t *records);

/* When its last record was made, if that is known: no other one is later. */
static inline uint64_t proclife_ctf_reader_last(const struct proclife_ctf_reader *reader)
{
	return reader->total ? reader->total->last : UINT64_MAX - 1;
}

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
