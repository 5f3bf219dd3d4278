/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream of a recording, for the merge: its packets, and gaps where it is damaged. */
#ifndef PROCLIFE_CTF_READER_H
#define PROCLIFE_CTF_READER_H

#include "recording/ctf_packet.h"

struct proclife_ctf_reader {
	struct proclife_stream stream;
	struct proclife_ctf_known known;
	struct proclife_ctf_file file;
	struct proclife_ctf_place place; /* of the next packet */
	char name[PROCLIFE_CTF_NAME];
	uint64_t offset;   /* of the next packet */
	uint64_t at;	   /* if it is not there, the search is here */
	const char *wrong; /* what is wrong there, or NULL */
	uint64_t packet_end; /* no record of the packet is later */
	uint64_t packet;     /* where the packet begins that is being yielded */
	struct proclife_record *records; /* its records; there is room for any packet's */
	const struct proclife_record *next; /* [next, end) of them is still to come */
	const struct proclife_record *end;
	bool sieved; /* some of its records are bad; `kept` is valid */
	uint64_t kept[PROCLIFE_KEPT_WORDS]; /* a bit for each good record of the packet */
	struct proclife_damage damage;
	bool ended;
};

/* The refill() of struct proclife_stream. -EAGAIN: a search takes long; call it again. */
int proclife_ctf_reader_refill(struct proclife_stream *stream);

/* For a file that is missing, cannot be read at all, or must not be read. */
void proclife_ctf_reader_absent(struct proclife_ctf_reader *reader, const char *why);

#endif
