/* SPDX-License-Identifier: GPL-2.0-only */
/* How the memory of a process came back, for those that keep it beyond the process. */
#ifndef READ_MEMORY_H
#define READ_MEMORY_H

#include <proclife.h>

/* Zeros: not known. */
static inline struct proclife_memory memory_of(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return memory ? *memory : (struct proclife_memory){ 0 };
}

/* What was unmapped. */
static inline uint64_t memory_kib(const struct proclife_memory *memory)
{
	return memory->rss_anon + memory->rss_file + memory->rss_shmem;
}

#endif
