// SPDX-License-Identifier: GPL-2.0-only
/* In place of the other files bpf_*, in a program that is built without BPF: make BPF=0. */
#include "origin/bpf_load.h"
#include <errno.h>
#include <stdio.h>

static int absent(char why[BPF_WHY])
{
	snprintf(why, BPF_WHY, "this program was built without BPF programs (make BPF=0)");
	return -ENOSYS;
}

int bpf_load(struct bpf_load **load, const struct source_options *wishes, char why[BPF_WHY])
{
	(void)wishes;
	*load = NULL;
	return absent(why);
}

const struct proclife_bpf *bpf_descriptors(const struct bpf_load *load)
{
	(void)load;
	return NULL;
}

void bpf_load_free(struct bpf_load *load)
{
	(void)load;
}

int bpf_pin(const struct source_options *wishes, char why[BPF_WHY])
{
	(void)wishes;
	return absent(why);
}

int bpf_unpin(char why[BPF_WHY])
{
	(void)why;
	return -ENOENT;
}
