/* SPDX-License-Identifier: GPL-2.0-only */
/* A copy of a recording that is damaged, and what can still be read of it. */
#ifndef UNIT_SALVAGE_H
#define UNIT_SALVAGE_H

#include "recorded.h"

#include <recording/ctf.h>

#define MOST_PACKETS 256

/* A stream as it was recorded. */
struct recorded_stream {
	struct proclife_packet packets[MOST_PACKETS];
	uint64_t at[MOST_PACKETS];
	uint64_t records[MOST_PACKETS];
	size_t count;
	off_t size;
	uint32_t cpu;
	const char *name;
};

extern struct recorded_stream stream; /* that was looked at last */
extern struct proclife_damage damages[4];
extern size_t damaged_files;

/* CPU 0 has full packets, CPU 1 is overrun now and then: it has gaps of its own. */
void record_streams(bool complete);
void look_at(const char *name);
/* All of the file as it was recorded; to be freed. */
char *load_stream(const char *name, off_t *size);

/* Patches the copy: the stream that was looked at last, or any file. */
void patch_stream(uint64_t at, const void *bytes, size_t size);
void zero_file(const char *name, uint64_t at, size_t size);

/* Reads what is left of the copy: to `again`, `damages` and `damaged_files`. */
void read_rest(void);
/*
 * The records that were read are some of the undamaged copy's, in order. Those that are missing
 * belong to damaged streams, lie in gaps, and are as many as the gaps say. Returns how many more
 * are lost than in the undamaged copy.
 */
uint64_t check_rest(void);
/* Only this file is damaged, @lost records of it are missing, and the first damage is at @at. */
void expect_damage(uint64_t lost, uint64_t at, const char *what);
/* The records and gaps in the first `size` bytes of a file. */
uint64_t there_of(uint64_t size);

#endif
