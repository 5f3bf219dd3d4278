/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream of a recording, for the merge: its packets, and gaps where it is damaged. */
#ifndef PROCLIFE_CTF_READER_H
#define PROCLIFE_CTF_READER_H

#include "ctf_packet.h"

struct proclife_ctf_reader {
	struct proclife_stream stream;
	struct proclife_ctf_known known;
	struct proclife_ctf_file file;
	struct proclife_ctf_place place; /* of the next packet */
	char name[PROCLIFE_CTF_NAME];
	uint64_t offset;   /* of the next packet */
	uint64_t at;	   /* the packet is looked for here, if it is not there */
	const char *wrong; /* what is there instead, or NULL */
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

#endif
