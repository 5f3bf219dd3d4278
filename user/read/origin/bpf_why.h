/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_BPF_WHY_H
#define READ_BPF_WHY_H

#include "origin/bpf_load.h"

/* Is there what no load works without? Returns 0, or a negative errno and why. Ask before anything else. */
int bpf_check_kernel(char why[BPF_WHY]);

/* Says why a load failed with this error; @complaint: what libbpf said last. */
void bpf_explain(char why[BPF_WHY], int error, const char *complaint);

#endif
