/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording without the module, by the BPF programs that are in this program. bpf_load.c has libbpf, bpf_programs.c the
 * table of the programs and what each needs of the kernel, bpf_check.c what all need, bpf_pin.c how a load stays, and
 * bpf_why.c the words for what is in the way.
 */
#ifndef READ_BPF_LOAD_H
#define READ_BPF_LOAD_H

#include "options.h"
#include <proclife.h>
#include <proclife/bpf.h>

#define BPF_WHY 512 /* room for a reason with its remedy */
#define BPF_OTHER_VERSION \
	PROCLIFE_BPF_FOLDER ": pinned by another version of this program; 'proclife-read --load', as root, replaces it"
#define BPF_NOT_OURS PROCLIFE_BPF_FOLDER ": another user can change what is there; remove it"
#define BPF_NOT_WHOLE PROCLIFE_BPF_FOLDER ": some pins are missing; 'proclife-read --load', as root, replaces the others"

struct bpf_load;

/*
 * Loads and attaches the programs. They go with the process, unless they are pinned. Returns 0 or a negative errno, and
 * then why, for people.
 */
int bpf_load(struct bpf_load **load, const struct source_options *wishes, char why[BPF_WHY]);
/* The descriptors are the load's. */
const struct proclife_bpf *bpf_descriptors(const struct bpf_load *load);
void bpf_load_free(struct bpf_load *load);

/*
 * Loads the programs and pins all of them, so that they stay and others can read them. Returns 0; 1: others are pinned
 * already, and stay; or a negative errno and why.
 */
int bpf_pin(const struct source_options *wishes, char why[BPF_WHY]);
/* Removes what is pinned: it goes on until nobody reads it. Returns 0; -ENOENT: nothing is; or another negative errno and why. */
int bpf_unpin(char why[BPF_WHY]);

#endif
