/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing one stream of a recording: records become packets, packets reach the file. */
#ifndef PROCLIFE_CTF_WRITER_H
#define PROCLIFE_CTF_WRITER_H

#include "recording/ctf.h"

/* Makes room on a full disk, and returns whether there is some. */
struct proclife_room {
	bool (*make)(void *data); /* NULL: nothing makes room */
	void *data;
};

/* Should what ended like this be tried again? */
bool proclife_room_made(const struct proclife_room *room, int err);

/* A stream's file, and the packet at its end. */
struct proclife_ctf_writer {
	int fd;
	uint32_t count;	  /* how many records are in the packet */
	uint32_t written; /* how many of them are on disk */
	uint32_t on_disk; /* bytes of the packet on disk, 0 if it is not there yet */
	uint64_t offset;  /* of the packet in the file */
	uint64_t begin;	  /* the earliest time, UINT64_MAX if there is none yet */
	uint64_t end;	  /* the latest time so far */
	struct proclife_packet *packet; /* its records follow it */
	struct proclife_recorder_counts *counts; /* of all writers */
	const struct proclife_room *room;	 /* of all writers, too */
};

int proclife_ctf_writer_new(struct proclife_ctf_writer **to, int dir, uint32_t cpu,
			    const uint8_t *uuid, struct proclife_recorder_counts *counts,
			    const struct proclife_room *room);
void proclife_ctf_writer_free(struct proclife_ctf_writer *writer);

/* These add to the packet, and write it when it is full. */
int proclife_ctf_writer_gap(struct proclife_ctf_writer *writer, const struct proclife_gap *gap);
int proclife_ctf_writer_records(struct proclife_ctf_writer *writer,
				const struct proclife_record *records, uint64_t n);

/* Behind all that there is, a packet that says no more than how far it goes. */
int proclife_ctf_writer_end(struct proclife_ctf_writer *writer, uint64_t ended);

/* Brings the packet on disk up to date. */
int proclife_ctf_writer_write(struct proclife_ctf_writer *writer);

/* Until when these, or NULLs, have something: it cannot be taken back. */
uint64_t proclife_ctf_writers_end(struct proclife_ctf_writer *const *writers, uint32_t count);

/* The totals of the stream, once all is written. */
void proclife_ctf_writer_total(const struct proclife_ctf_writer *writer,
			       struct proclife_total *total);

#endif
