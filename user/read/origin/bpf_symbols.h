/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_BPF_SYMBOLS_H
#define READ_BPF_SYMBOLS_H

#include <stdint.h>

/*
 * Addresses of the kernel itself, which BTF does not have. 0: this kernel has no such symbol, does not list it
 * (CONFIG_KALLSYMS_ALL), or hides it.
 */
struct bpf_symbols {
	uint64_t preempt_count;
	uint64_t pcpu_hot; /* Linux 6.2 to 6.14 have the count in it */
	uint64_t per_cpu_offset;
	uint64_t simple_dname;
};

/* libbpf would refuse to load anything if a module, or a live patch, has a symbol of the same name. */
void bpf_find_symbols(struct bpf_symbols *symbols);

#endif
