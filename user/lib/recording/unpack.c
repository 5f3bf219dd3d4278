// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/unpack.h"
#include "base/files.h"
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* What one thread needs. */
struct worker {
	ZSTD_DCtx *zstd;
	char packed[PROCLIFE_FRAME_PACKED];
};

struct proclife_unpacker {
	struct worker reader;
	struct worker helper;
	pthread_mutex_t lock; /* of the queue, and of each file's state */
	pthread_cond_t asked;
	pthread_cond_t done;
	pthread_t thread;
	bool alone; /* there is no thread */
	bool quit;
	struct proclife_unpack *first; /* in the order in which they were asked for */
	struct proclife_unpack **last;
};

/* Debian's libzstd also takes frames of formats before its first release. */
static bool is_frame(const struct worker *worker)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return !memcmp(worker->packed, magic, sizeof(magic));
}

static bool decompress(struct worker *worker, int fd, struct proclife_unpacked *to)
{
	const struct proclife_frame *frame = to->frame;

	return frame->packed >= 4 && frame->packed <= sizeof(worker->packed) &&
	       !proclife_read_all(fd, worker->packed, frame->packed, frame->offset) && is_frame(worker) &&
	       ZSTD_decompressDCtx(worker->zstd, to->bytes, PROCLIFE_FRAME, worker->packed,
				   frame->packed) == frame->plain;
}

static void *help(void *data)
{
	struct proclife_unpacker *unpacker = data;

	pthread_mutex_lock(&unpacker->lock);
	while (!unpacker->quit) {
		struct proclife_unpack *unpack = unpacker->first;

		if (!unpack) {
			pthread_cond_wait(&unpacker->asked, &unpacker->lock);
			continue;
		}
		unpacker->first = unpack->next;
		if (!unpacker->first)
			unpacker->last = &unpacker->first;
		unpack->queued = false;
		if (unpack->state != PROCLIFE_UNPACK_ASKED)
			continue;
		unpack->state = PROCLIFE_UNPACK_BUSY;
		pthread_mutex_unlock(&unpacker->lock);
		unpack->ahead.good = decompress(&unpacker->helper, unpack->fd, &unpack->ahead);
		pthread_mutex_lock(&unpacker->lock);
		unpack->state = PROCLIFE_UNPACK_DONE;
		pthread_cond_signal(&unpacker->done);
	}
	pthread_mutex_unlock(&unpacker->lock);
	return NULL;
}

static bool has_another_cpu(void)
{
	cpu_set_t set;

	/* With more CPUs than the set has, this fails: then there are enough. */
	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

struct proclife_unpacker *proclife_unpacker_new(void)
{
	struct proclife_unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (!unpacker)
		return NULL;
	unpacker->reader.zstd = ZSTD_createDCtx();
	unpacker->helper.zstd = ZSTD_createDCtx();
	if (!unpacker->reader.zstd || !unpacker->helper.zstd) {
		ZSTD_freeDCtx(unpacker->reader.zstd);
		ZSTD_freeDCtx(unpacker->helper.zstd);
		free(unpacker);
		return NULL;
	}
	pthread_mutex_init(&unpacker->lock, NULL);
	pthread_cond_init(&unpacker->asked, NULL);
	pthread_cond_init(&unpacker->done, NULL);
	unpacker->last = &unpacker->first;
	unpacker->alone = !has_another_cpu() || proclife_thread_start(&unpacker->thread, help, unpacker);
	return unpacker;
}

void proclife_unpacker_free(struct proclife_unpacker *unpacker)
{
	if (!unpacker)
		return;
	if (!unpacker->alone) {
		pthread_mutex_lock(&unpacker->lock);
		unpacker->quit = true;
		pthread_cond_signal(&unpacker->asked);
		pthread_mutex_unlock(&unpacker->lock);
		pthread_join(unpacker->thread, NULL);
	}
	pthread_cond_destroy(&unpacker->done);
	pthread_cond_destroy(&unpacker->asked);
	pthread_mutex_destroy(&unpacker->lock);
	ZSTD_freeDCtx(unpacker->reader.zstd);
	ZSTD_freeDCtx(unpacker->helper.zstd);
	free(unpacker);
}

/* Waits until the other thread does not use this one. What it has not begun, it will not begin. */
static void withdraw(struct proclife_unpack *unpack)
{
	while (unpack->state == PROCLIFE_UNPACK_BUSY)
		pthread_cond_wait(&unpack->unpacker->done, &unpack->unpacker->lock);
	if (unpack->state == PROCLIFE_UNPACK_ASKED)
		unpack->state = PROCLIFE_UNPACK_NONE;
}

static void ask(struct proclife_unpack *unpack, const struct proclife_frame *after)
{
	struct proclife_unpacker *unpacker = unpack->unpacker;

	unpack->ahead.frame = after;
	unpack->state = after ? PROCLIFE_UNPACK_ASKED : PROCLIFE_UNPACK_NONE;
	if (!after || unpack->queued)
		return;
	unpack->queued = true;
	unpack->next = NULL;
	*unpacker->last = unpack;
	unpacker->last = &unpack->next;
	pthread_cond_signal(&unpacker->asked);
}

/* Takes what the other thread has made if it is this frame, and asks it for the one after. */
static bool take_ahead(struct proclife_unpack *unpack, const struct proclife_frame *frame,
		       const struct proclife_frame *after)
{
	struct proclife_unpacker *unpacker = unpack->unpacker;
	bool made;

	if (unpacker->alone)
		return false;
	pthread_mutex_lock(&unpacker->lock);
	withdraw(unpack);
	made = unpack->state == PROCLIFE_UNPACK_DONE && unpack->ahead.frame == frame;
	if (made) {
		struct proclife_unpacked now = unpack->now;

		unpack->now = unpack->ahead;
		unpack->ahead = now;
	}
	ask(unpack, after);
	pthread_mutex_unlock(&unpacker->lock);
	return made;
}

int proclife_unpack_begin(struct proclife_unpack *unpack, struct proclife_unpacker *unpacker, int fd)
{
	*unpack = (struct proclife_unpack){ .unpacker = unpacker, .fd = fd };
	unpack->now.bytes = malloc(PROCLIFE_FRAME);
	if (!unpacker->alone)
		unpack->ahead.bytes = malloc(PROCLIFE_FRAME);
	if (unpack->now.bytes && (unpack->ahead.bytes || unpacker->alone))
		return 0;
	proclife_unpack_end(unpack);
	return -ENOMEM;
}

int proclife_unpack(struct proclife_unpack *unpack, const struct proclife_frame *frame,
		    const struct proclife_frame *after, const char **bytes)
{
	struct proclife_unpacked *now = &unpack->now;

	if (now->frame != frame && !take_ahead(unpack, frame, after)) {
		now->frame = frame;
		now->good = decompress(&unpack->unpacker->reader, unpack->fd, now);
	}
	*bytes = now->bytes;
	return now->good ? 0 : -EIO;
}

static void leave_queue(struct proclife_unpack *unpack)
{
	struct proclife_unpacker *unpacker = unpack->unpacker;
	struct proclife_unpack **link = &unpacker->first;

	while (unpack->queued && *link != unpack)
		link = &(*link)->next;
	if (!unpack->queued)
		return;
	*link = unpack->next;
	if (!*link)
		unpacker->last = link;
	unpack->queued = false;
}

void proclife_unpack_end(struct proclife_unpack *unpack)
{
	struct proclife_unpacker *unpacker = unpack->unpacker;

	pthread_mutex_lock(&unpacker->lock);
	withdraw(unpack);
	leave_queue(unpack);
	pthread_mutex_unlock(&unpacker->lock);
	free(unpack->now.bytes);
	free(unpack->ahead.bytes);
}
