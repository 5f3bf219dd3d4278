// SPDX-License-Identifier: GPL-2.0-only
/* What no load works without, asked of the kernel before anything is loaded. */
#include "origin/bpf_why.h"
#include "origin/lockdown.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BTF "/sys/kernel/btf/vmlinux"

/* What an exchange is in BPF, without a map. Linux 5.12 and later take it. */
static int try_exchange(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = -8 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = -8,
		  .imm = BPF_XCHG },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "proclife_try", "GPL", program,
			       sizeof(program) / sizeof(*program), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int bpf_check_kernel(char why[BPF_WHY])
{
	int err = try_exchange();
	char mode[32];

	if (err == -ENOSYS) {
		snprintf(why, BPF_WHY, "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
		return err;
	}
	if (err == -EINVAL || err == -ENOTSUP) {
		snprintf(why, BPF_WHY, "this kernel's BPF has no atomic exchange, which Linux 5.12 brought, later for some machines");
		return -ENOTSUP;
	}
	if (err) {
		bpf_explain(why, err, "");
		return err;
	}
	if (locked_down(mode) && !strcmp(mode, "confidentiality")) {
		snprintf(why, BPF_WHY,
			 "refused: the kernel is locked down (%s), so BPF programs must not read its memory; load the module, signed",
			 mode);
		return -ENOTSUP;
	}
	if (access("/proc/self", F_OK)) {
		snprintf(why, BPF_WHY, "no /proc is mounted here; 'mount -t proc proc /proc' does it");
		return -ENOENT;
	}
	if (access("/sys/kernel", F_OK)) {
		snprintf(why, BPF_WHY, "no /sys is mounted here; 'mount -t sysfs sysfs /sys' does it");
		return -ENOENT;
	}
	if (access(BTF, F_OK)) {
		snprintf(why, BPF_WHY, BTF ": no such file: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
		return -ENOTSUP;
	}
	return 0;
}
