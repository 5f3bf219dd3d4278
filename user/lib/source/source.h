/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kinds of sources have in common: a merge over their streams, and these operations. */
#ifndef PROCLIFE_SOURCE_H
#define PROCLIFE_SOURCE_H

#include "source/daytime.h"
#include "source/merge.h"

struct proclife_source_ops {
	/*
	 * Nothing is left below the horizon: raises it if possible. Returns 1 if there may be
	 * events now, 0 if there are none for now, -ENODATA at the end.
	 */
	int (*more)(struct proclife_source *source);
	int (*rewind)(struct proclife_source *source);
	int (*snapshot)(struct proclife_source *source);
	int (*prepend)(struct proclife_source *source, const struct proclife_record *records, size_t count);
	int (*wait)(struct proclife_source *source, int timeout_ms);
	int (*set_watermark)(struct proclife_source *source, uint64_t records);
	int (*fd)(const struct proclife_source *source);
	uint64_t (*now)(const struct proclife_source *source);
	const struct proclife_header *(*header)(struct proclife_source *source);
	const struct proclife_ring_ctl *(*ring)(struct proclife_source *source, uint32_t cpu);
	uint64_t (*count)(struct proclife_source *source, uint32_t cpu, uint32_t type, bool suppressed);
	const struct proclife_run_info *(*info)(const struct proclife_source *source);
	const struct proclife_damage *(*damage)(const struct proclife_source *source, size_t index);
	void (*free)(struct proclife_source *source); /* all except the merge's own memory */
};

/* Gets what a source has yielded: a recorder. */
struct proclife_listener {
	/* Takes what this stream has yielded since the last call. */
	void (*take)(struct proclife_listener *listener, struct proclife_stream *stream);
};

/* A kind of source has this as its first member. */
struct proclife_source {
	struct proclife_merge merge;
	const struct proclife_source_ops *ops;
	struct proclife_daytime daytime;
	struct proclife_daytime boottime; /* the same for CLOCK_BOOTTIME, by which tasks have their start */
	uint64_t lost;	/* in gaps yielded */
	bool started;	/* proclife_source_next() has been called */
	bool exhausted; /* nothing below the horizon is left */
	uint8_t boot_id[16]; /* of a device; zeros: not known */
	bool can_record; /* its streams report to a recorder what was yielded */
	struct proclife_listener *listener; /* NULL if there is none */
};

/* Sets it, of this machine, if it can be read. */
void proclife_boot_id_read(uint8_t *id);

/* CLOCK_MONOTONIC in the time namespace of this process. */
uint64_t proclife_monotonic(void);

/* A stream calls this before it drops its span... */
static inline void proclife_stream_tell(const struct proclife_source *source,
					struct proclife_stream *stream)
{
	if (proclife_unlikely(source->listener != NULL))
		source->listener->take(source->listener, stream);
}

/* ... and this once it has the next one, or has dropped something from its beginning. */
static inline void proclife_stream_begin(struct proclife_stream *stream)
{
	stream->told = stream->cur;
	stream->told_gap = stream->gap;
}

#endif
