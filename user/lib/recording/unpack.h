/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decompressing the frames of a recording's files. A second thread, if there is a CPU for it, decompresses
 * the frame of each file that is read next. It touches nothing but these buffers.
 */
#ifndef PROCLIFE_UNPACK_H
#define PROCLIFE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#define PROCLIFE_FRAME 65536u /* the most bytes that are in one... */
#define PROCLIFE_FRAME_PACKED (PROCLIFE_FRAME + 1024u) /* ... and that it has itself */

struct proclife_frame {
	uint64_t at;	 /* the place of its bytes in the plain file... */
	uint32_t plain;	 /* ... and how many they are */
	uint32_t packed; /* how many bytes it has itself... */
	uint64_t offset; /* ... and where in the compressed file */
};

/* For all files of a folder. */
struct proclife_unpacker;

struct proclife_unpacked {
	const struct proclife_frame *frame; /* NULL: none */
	bool good;
	char *bytes;
};

enum proclife_unpack_state { PROCLIFE_UNPACK_NONE, PROCLIFE_UNPACK_ASKED, PROCLIFE_UNPACK_BUSY, PROCLIFE_UNPACK_DONE };

/* One file's: what is read, and what the other thread makes. */
struct proclife_unpack {
	struct proclife_unpacker *unpacker;
	int fd;
	struct proclife_unpacked now;
	struct proclife_unpacked ahead; /* the other thread's while BUSY */
	enum proclife_unpack_state state; /* of `ahead`; under the lock, as what follows */
	bool queued;
	struct proclife_unpack *next; /* in the queue */
};

/* NULL: no memory. */
struct proclife_unpacker *proclife_unpacker_new(void);
/* Nothing uses it any more. */
void proclife_unpacker_free(struct proclife_unpacker *unpacker);

/* For a file that is the caller's. 0 or -ENOMEM. */
int proclife_unpack_begin(struct proclife_unpack *unpack, struct proclife_unpacker *unpacker, int fd);
/*
 * The bytes of @frame, valid until the next call, which is likely to be for @after (NULL: there is none).
 * Returns 0, or -EIO if it is damaged or cannot be read.
 */
int proclife_unpack(struct proclife_unpack *unpack, const struct proclife_frame *frame,
		    const struct proclife_frame *after, const char **bytes);
/* Frees its buffers; the other thread is done with them. */
void proclife_unpack_end(struct proclife_unpack *unpack);

#endif
