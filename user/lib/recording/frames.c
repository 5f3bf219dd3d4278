// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/frames.h"
#include "base/array.h"
#include "base/checksum.h"
#include "base/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct proclife_frames {
	struct proclife_unpack unpack;
	struct proclife_frame *frames; /* in the order of both files */
	size_t count;
	size_t room;
	size_t last; /* the one that was read last: the next one is likely to follow */
};

/* A head's first bytes, which are searched for. */
static const uint32_t mark[] = { PROCLIFE_FRAME_MAGIC, sizeof(struct proclife_frame_head) - 2 * sizeof(uint32_t) };

uint64_t proclife_frame_check(const struct proclife_frame_head *head)
{
	const uint64_t words[] = { (uint64_t)head->packed << 32 | head->plain, head->at };

	return proclife_checksum(words, sizeof(words) / sizeof(*words));
}

static bool makes_sense(const struct proclife_frame_head *head, uint64_t from)
{
	return !memcmp(head, mark, sizeof(mark)) && head->check == proclife_frame_check(head) &&
	       head->packed <= PROCLIFE_FRAME_PACKED && head->plain && head->plain <= PROCLIFE_FRAME &&
	       head->at >= from && head->at < PROCLIFE_FRAMES_END;
}

/* Is the next head here, after the plain file's bytes up to @from? */
static bool read_head(int fd, struct proclife_frame_head *head, uint64_t offset, uint64_t from)
{
	return !proclife_read_all(fd, head, sizeof(*head), offset) && makes_sense(head, from);
}

/* Skips the holes of a file: there is nothing in them. */
static uint64_t skip_hole(int fd, uint64_t offset, uint64_t size)
{
	off_t data = lseek(fd, (off_t)offset, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? size : offset;
	return (uint64_t)data;
}

/* The first place in these bytes where the next head is, after the plain file's bytes up to @from; NULL: none. */
static const char *find_head(const char *bytes, size_t size, uint64_t from)
{
	const char *end = bytes + size;

	/* One word is searched several times as fast as two. */
	while ((bytes = memmem(bytes, (size_t)(end - bytes), mark, sizeof(mark[0])))) {
		struct proclife_frame_head head;

		if ((size_t)(end - bytes) < sizeof(head))
			return NULL;
		memcpy(&head, bytes, sizeof(head));
		if (makes_sense(&head, from))
			return bytes;
		bytes++;
	}
	return NULL;
}

/* The first place from @offset on where the next head is; or @size. */
static uint64_t search(int fd, uint64_t offset, uint64_t size, uint64_t from)
{
	char bytes[16384];

	while ((offset = skip_hole(fd, offset, size)) + sizeof(struct proclife_frame_head) <= size) {
		size_t some = size - offset < sizeof(bytes) ? (size_t)(size - offset) : sizeof(bytes);
		const char *found;

		if (proclife_read_all(fd, bytes, some, offset)) { /* the next block of the disk may be good */
			offset = (offset / 4096 + 1) * 4096;
			continue;
		}
		found = find_head(bytes, some, from);
		if (found)
			return offset + (uint64_t)(found - bytes);
		offset += some - sizeof(struct proclife_frame_head) + 1; /* one can begin in what is left */
	}
	return size;
}

static int find_frames(struct proclife_frames *frames, uint64_t size, uint64_t *plain)
{
	uint64_t offset = 0, behind = 0; /* the last head */
	int fd = frames->unpack.fd;

	*plain = 0;
	while (offset + sizeof(struct proclife_frame_head) <= size) {
		struct proclife_frame_head head;
		struct proclife_frame *frame;

		if (!read_head(fd, &head, offset, *plain)) {
			offset = search(fd, behind, size, *plain);
			if (offset == size || !read_head(fd, &head, offset, *plain))
				break;
		}
		if (PROCLIFE_ARRAY_RESERVE(frames->frames, frames->count, frames->room))
			return -ENOMEM;
		frame = &frames->frames[frames->count++];
		*frame = (struct proclife_frame){
			.at = head.at, .plain = head.plain, .packed = head.packed,
			.offset = offset + sizeof(head),
		};
		*plain = head.at + head.plain;
		behind = frame->offset;
		offset = frame->offset + frame->packed;
	}
	return 0;
}

int proclife_frames_open(struct proclife_frames **result, struct proclife_unpacker *unpacker, int fd,
			 uint64_t size, uint64_t *plain)
{
	struct proclife_frames *frames = calloc(1, sizeof(*frames));
	int err;

	if (!frames)
		return -ENOMEM;
	err = proclife_unpack_begin(&frames->unpack, unpacker, fd);
	if (err) {
		free(frames);
		return err;
	}
	err = find_frames(frames, size, plain);
	if (err) {
		proclife_frames_free(frames);
		return err;
	}
	*result = frames;
	return 0;
}

void proclife_frames_free(struct proclife_frames *frames)
{
	if (!frames)
		return;
	proclife_unpack_end(&frames->unpack);
	free(frames->frames);
	free(frames);
}

/* The first frame that ends behind @at; NULL: there is none. */
static const struct proclife_frame *find(struct proclife_frames *frames, uint64_t at)
{
	size_t from = 0, to = frames->count;

	for (size_t i = frames->last; i < frames->count && i < frames->last + 2; i++)
		if (at >= frames->frames[i].at && at - frames->frames[i].at < frames->frames[i].plain) {
			frames->last = i;
			return &frames->frames[i];
		}
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (frames->frames[middle].at + frames->frames[middle].plain > at)
			to = middle;
		else
			from = middle + 1;
	}
	if (from == frames->count)
		return NULL;
	frames->last = from;
	return &frames->frames[from];
}

ssize_t proclife_frames_read(struct proclife_frames *frames, void *to, size_t size, uint64_t at)
{
	const struct proclife_frame *frame = find(frames, at), *after;
	const char *bytes;
	int err;

	if (!frame)
		return 0;
	if (frame->at > at)
		return -EIO;
	after = frame + 1 < frames->frames + frames->count ? frame + 1 : NULL;
	err = proclife_unpack(&frames->unpack, frame, after, &bytes);
	if (err)
		return err;
	if (size > frame->plain - (at - frame->at))
		size = frame->plain - (size_t)(at - frame->at);
	memcpy(to, bytes + (at - frame->at), size);
	return (ssize_t)size;
}

uint64_t proclife_frames_from(struct proclife_frames *frames, uint64_t at)
{
	const struct proclife_frame *frame = find(frames, at);

	if (!frame)
		return UINT64_MAX;
	return frame->at > at ? frame->at : at;
}
