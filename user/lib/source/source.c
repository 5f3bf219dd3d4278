// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

uint64_t proclife_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void proclife_source_free(struct proclife_source *source)
{
	if (!source)
		return;
	proclife_merge_free(&source->merge);
	proclife_daytime_free(&source->daytime);
	proclife_daytime_free(&source->boottime);
	source->ops->free(source);
}

int proclife_source_rewind(struct proclife_source *source)
{
	if (source->started)
		return -EBUSY;
	return source->ops->rewind ? source->ops->rewind(source) : 0;
}

int proclife_source_snapshot(struct proclife_source *source)
{
	if (source->started)
		return -EBUSY;
	return source->ops->snapshot ? source->ops->snapshot(source) : 0;
}

int proclife_source_prepend(struct proclife_source *source, const struct proclife_record *records,
			    size_t count)
{
	if (source->started)
		return -EBUSY;
	return source->ops->prepend ? source->ops->prepend(source, records, count) : -ENOTSUP;
}

int proclife_source_next(struct proclife_source *source, struct proclife_event *event)
{
	for (;;) {
		int ret = proclife_merge_next(&source->merge, event);

		if (proclife_likely(ret > 0)) {
			if (proclife_unlikely(!event->record))
				source->lost += event->gap.lost;
			return 1;
		}
		if (ret < 0) /* -EAGAIN: a stream needs more time, so nothing for now */
			return ret == -EAGAIN ? 0 : ret;
		source->started = true;
		/* While there is more, a listener can ask: the new horizon is the time of what is still to come. */
		if (source->exhausted && source->merge.yielded < source->merge.horizon)
			source->merge.yielded = source->merge.horizon;
		source->exhausted = false;
		ret = source->ops->more(source);
		source->exhausted = ret <= 0;
		if (ret <= 0)
			return ret;
	}
}

int proclife_source_wait(struct proclife_source *source, int timeout_ms)
{
	return source->ops->wait ? source->ops->wait(source, timeout_ms) : 1;
}

int proclife_source_set_watermark(struct proclife_source *source, uint64_t records)
{
	if (!records)
		return -EINVAL;
	return source->ops->set_watermark ? source->ops->set_watermark(source, records) : 0;
}

int proclife_source_fd(const struct proclife_source *source)
{
	return source->ops->fd ? source->ops->fd(source) : -EBADF;
}

uint64_t proclife_source_now(const struct proclife_source *source)
{
	return source->ops->now ? source->ops->now(source) : proclife_monotonic();
}

const struct proclife_header *proclife_source_header(struct proclife_source *source)
{
	return source->ops->header(source);
}

const struct proclife_ring_ctl *proclife_source_ring(struct proclife_source *source, uint32_t cpu)
{
	return source->ops->ring ? source->ops->ring(source, cpu) : NULL;
}

uint64_t proclife_source_count(struct proclife_source *source, uint32_t cpu, uint32_t type)
{
	return source->ops->count ? source->ops->count(source, cpu, type, false) : 0;
}

uint64_t proclife_source_suppressed(struct proclife_source *source, uint32_t cpu, uint32_t type)
{
	return source->ops->count ? source->ops->count(source, cpu, type, true) : 0;
}

const struct proclife_run_info *proclife_recording_info(const struct proclife_source *source)
{
	return source->ops->info ? source->ops->info(source) : NULL;
}

const struct proclife_damage *proclife_recording_damage(const struct proclife_source *source,
							size_t index)
{
	return source->ops->damage ? source->ops->damage(source, index) : NULL;
}

uint64_t proclife_source_lost(const struct proclife_source *source)
{
	return source->lost;
}

uint64_t proclife_source_horizon(const struct proclife_source *source)
{
	return source->exhausted ? source->merge.horizon : source->merge.yielded;
}
