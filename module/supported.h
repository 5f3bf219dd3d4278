/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the module does not build, the first error says so. Kbuild includes this ahead of everything else
 * of ours, since headers that such a kernel lacks are errors, too. dkms.conf names the same kernels, so
 * that dkms leaves the others out.
 */
#ifndef PROCLIFE_SUPPORTED_H
#define PROCLIFE_SUPPORTED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "proclife: this kernel is too old, the module needs Linux 5.10 or newer: build for a newer one"
#endif

#if !defined(CONFIG_64BIT) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "proclife: this kernel is 32-bit or big-endian, the records are not: use a 64-bit LE kernel"
#endif

/*
 * The counter that the time is taken from is no memory: include/proclife/ring.h argues from the manuals of
 * these that it is read in order. User-mode Linux has CONFIG_X86_64, too, but the clock of another kernel.
 */
#if !defined(CONFIG_ARM64) && !defined(CONFIG_RISCV) && (!defined(CONFIG_X86_64) || defined(CONFIG_UML))
#error "proclife: x86-64, arm64 or riscv64 only: elsewhere the order of clock and ring is not proven"
#endif

#ifndef CONFIG_TRACEPOINTS
#error "proclife: this kernel has no tracepoints to record from: build it with CONFIG_TRACEPOINTS=y"
#endif

#endif
