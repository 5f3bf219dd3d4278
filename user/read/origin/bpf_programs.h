/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_BPF_PROGRAMS_H
#define READ_BPF_PROGRAMS_H

#include "origin/bpf_load.h"

struct btf;

/* A program, and what it is for. */
struct bpf_row {
	const char *name; /* as bpf/proclife.bpf.c has it */
	/* A tracepoint; or functions, one of which the kernel has. */
	const char *tracepoint;
	const char *functions[3];
	uint32_t arguments; /* of the function, where the program finds what it returns behind them; 0: does not matter */
	uint32_t ring; /* enum proclife_bpf_ring_id */
	uint64_t feature;
	uint32_t mm_mark;
	uint32_t birth_mark;
	uint32_t path_marks;
	size_t wanted; /* offset of a bool of struct source_options; 0: always */
	bool required;
	/* Has the kernel what this needs beyond that? NULL: always. */
	bool (*fits)(const struct btf *btf);
};

/* In the order of attaching: FORK last, so that no life with a FORK lacks its later records. NULL after the last. */
const struct bpf_row *bpf_row(unsigned int index);

/* What the programs have to know of the running kernel. */
struct bpf_kernel {
	bool exit_has_group_dead;
	bool leaves_cgroup_at_switch;
	bool has_user_workers;
	bool rss_is_percpu;
	bool counts_disabling; /* from 7.3 on, the preemption count has 8 bits for disabled interrupts */
	bool has_run_delay;
};

void bpf_ask_kernel(struct bpf_kernel *kernel, const struct btf *btf);

/* The function of a row that this kernel has, or NULL. */
const char *bpf_function(const struct bpf_row *row, const struct btf *btf);
/* Has the kernel what this row needs? */
bool bpf_row_fits(const struct bpf_row *row, const struct btf *btf);

#endif
