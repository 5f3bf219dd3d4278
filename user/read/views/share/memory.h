/* SPDX-License-Identifier: GPL-2.0-only */
/* How the memory of a process came back, for those that keep it beyond the process. */
#ifndef READ_MEMORY_H
#define READ_MEMORY_H

#include "output/quote.h"
#include <proclife.h>

/* Zeros: not known. */
static inline struct proclife_memory memory_of(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return memory ? *memory : (struct proclife_memory){ 0 };
}

/* What let go of it last, after @title; nothing if that is not known. */
static inline void memory_put_last(struct text *text, const char *title,
				   const struct proclife_memory *memory)
{
	if (!memory->last.pid && !memory->async)
		return;
	text_string(text, title);
	if (memory->last.pid)
		text_actor(text, memory->last.comm, memory->last.named, memory->last.tgid);
	else
		text_string(text, "an interrupt");
}

/* What was unmapped. */
static inline uint64_t memory_kib(const struct proclife_memory *memory)
{
	uint64_t sum = memory->rss_anon;

	if (__builtin_add_overflow(sum, memory->rss_file, &sum) ||
	    __builtin_add_overflow(sum, memory->rss_shmem, &sum))
		return UINT64_MAX;
	return sum;
}

#endif
