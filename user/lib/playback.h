/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording as a source: recording.c opens its files, playback.c reads their packets. */
#ifndef PROCLIFE_PLAYBACK_H
#define PROCLIFE_PLAYBACK_H

#include "ctf.h"
#include "source.h"

struct proclife_recording {
	struct proclife_source source;
	struct proclife_metadata metadata;
	struct proclife_fault fault;
	bool faulty;
	bool began;
	char *path;
	int dir;
	struct proclife_playback **tapes;
	uint32_t count;
	uint64_t bytes; /* of all of them */
};

/* A stream's file. */
struct proclife_playback {
	struct proclife_stream stream;
	struct proclife_recording *recording;
	char name[PROCLIFE_CTF_NAME];
	const char *map; /* NULL if the file is empty */
	uint64_t bytes;
	uint64_t offset; /* of the next packet */
	uint64_t packets;
	uint64_t discarded;
	uint64_t floor; /* the latest time so far */
	uint64_t packet_end; /* no record of the packet is later */
	const struct proclife_record *next; /* [next, end) of the packet is still to come */
	const struct proclife_record *end;
};

/* As of struct proclife_stream. */
int proclife_playback_refill(struct proclife_stream *stream);

#endif
