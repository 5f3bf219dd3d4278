/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stream's file that is compressed: NAME.zst instead of NAME. Each 64 KiB of the plain file are one zstd
 * frame. Before each of them stands a frame that zstd(1) skips, with the place of these bytes in the plain
 * file. So all frames are found without decompressing them, also behind a damaged place; and
 * `zstd -d` makes the plain file.
 */
#ifndef PROCLIFE_FRAMES_H
#define PROCLIFE_FRAMES_H

#include "recording/unpack.h"

#include "proclife.h"

#include <stddef.h>
#include <sys/types.h>

#define PROCLIFE_FRAMES_SUFFIX ".zst"
#define PROCLIFE_FRAMES_DRAFT ".compressing" /* NAME.zst until it is whole */

#define PROCLIFE_FRAMES_END (1ULL << 48) /* no plain file is longer */
#define PROCLIFE_FRAME_MAGIC 0x184d2a5eu /* one of those that are skipped */

struct proclife_frame_head {
	uint32_t magic;
	uint32_t size;	 /* of the rest of this */
	uint32_t packed; /* as in struct proclife_frame */
	uint32_t plain;
	uint64_t at;
	uint64_t check; /* proclife_frame_check() */
};

/* It detects any change of the members above it. */
uint64_t proclife_frame_check(const struct proclife_frame_head *head);

struct proclife_frames;

/*
 * Finds the frames of a file of @size bytes, which stays the caller's. @plain is set to the size of the plain
 * file, as far as frames are there. Returns 0 or -ENOMEM.
 */
int proclife_frames_open(struct proclife_frames **frames, struct proclife_unpacker *unpacker, int fd,
			 uint64_t size, uint64_t *plain);
void proclife_frames_free(struct proclife_frames *frames);

/* As pread(2) of the plain file; -EIO where a frame is damaged or missing. */
ssize_t proclife_frames_read(struct proclife_frames *frames, void *to, size_t size, uint64_t at);
/* The first place from @at on that is in a frame; UINT64_MAX: there is none. */
uint64_t proclife_frames_from(struct proclife_frames *frames, uint64_t at);

/*
 * frames_write.c: compresses the streams of the folder, each into a file that replaces it once it is whole
 * and on the disk. Those that would not become half as large stay as they are. @stop can be NULL. Returns 0;
 * -ECANCELED once @stop has returned true; -EBUSY if this is done there already; -ENOMEM; or why a stream
 * cannot be read or written: it and the others stay, and @fault, unless it is NULL, names it in @folder.
 */
int proclife_frames_write(int dir, bool (*stop)(void *data), void *data, const char *folder,
			  struct proclife_fault *fault);

#endif
