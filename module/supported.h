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

#ifndef CONFIG_TRACEPOINTS
#error "proclife: this kernel has no tracepoints to record from: build it with CONFIG_TRACEPOINTS=y"
#endif

#endif
