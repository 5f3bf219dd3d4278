/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_BPF_PINS_H
#define READ_BPF_PINS_H

#include "origin/bpf_load.h"

/* One thing that is to be pinned, and its name in the folder. */
struct bpf_pin {
	char name[64];
	int fd;
};

/* The pins of a load, by index. False after the last one. */
bool bpf_load_pin(const struct bpf_load *load, unsigned int index, struct bpf_pin *pin);

#endif
