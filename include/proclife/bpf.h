/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * The rings of the BPF programs, which record what the module records on a machine without it. The
 * programs, what loads them and what reads their rings are built from this.
 *
 * One ring for each program and CPU
 * ---------------------------------
 * ring.h needs a writer that nothing else can interrupt on its CPU. A BPF program cannot switch interrupts
 * off, and can be preempted: fentry programs always, those of tracepoints from Linux 7.0 on. But the kernel
 * lets each program run only once at a time on each CPU, and skips it otherwise (prog->active). So if each
 * program has a ring of its own on each CPU, each ring has one writer at a time, and the algorithm of
 * ring.h holds as it is: a preempted writer is one that takes long, and holds the horizon back. What the
 * kernel skips it counts (recursion_misses), and a reader takes it as records that were lost, of which it
 * knows no CPU.
 *
 * Before Linux 6.1, programs of tracepoints have no such guard. They cannot be preempted there, so only an
 * interrupt could run one inside itself. None does: signal_generate and cgroup_notify_populated come with
 * interrupts off, sched_process_free from RCU's callbacks, which never interrupt each other, and the others
 * from a task alone.
 *
 * The other steps of the argument of ring.h, for BPF:
 * W1, W2 and W4 are exchanges, which are full barriers in the kernel's memory model, and so in what the JITs
 *	emit: xchg on x86-64; SWPAL on arm64, or a loop with DMB ISH behind it. A store or a load-add would
 *	not do: the JITs are free to emit what orders nothing. tests/litmus has each of these, and what
 *	weaker ones break.
 * W3 reads bpf_ktime_get_ns(), and H1 CLOCK_MONOTONIC of the vDSO. Both are lines over the CPU's counter,
 *	of which the kernel changes the parameters now and then, those of the vDSO first; and nothing in a
 *	program orders the counter behind W2 on arm64. So W3 can give less than an H1 that it comes after: by
 *	the change of the rate times how long the kernel takes for the change, and by how early the CPU reads
 *	the counter. So the horizon is PROCLIFE_BPF_MARGIN before H1: enough for 500 ppm, which is the most
 *	that the kernel's own NTP slews, if a hypervisor stops the CPU for two seconds in the middle of the
 *	change; for a clock that adjtimex(2) sets to slew by 83,333 ppm, as chronyd may, 12 ms.
 * A program's time can be less than its last one on that CPU, for the same reason. Times never decrease
 *	along a ring: a program raises each to the last one.
 *
 * A map for each CPU has one element, with all rings of that CPU. It is mapped as it is. Where the rings
 * are, the map of the header says.
 */
#ifndef PROCLIFE_BPF_H
#define PROCLIFE_BPF_H

#include <proclife/abi.h>

#define PROCLIFE_BPF_MARGIN 1000000 /* ns */

/*
 * The rings of a CPU: name, how many records each has, in shares of 1/8 of the load's size. Those that a
 * life has one or two of have a whole, pieces of texts more, and what only a few lives meet has less.
 */
#define PROCLIFE_BPF_RINGS(row)	\
	row(FORK, 8)		\
	row(EXEC, 8)		\
	row(ARGS, 32)		\
	row(PATHS, 32)		\
	row(ENV, 16)		\
	row(RENAME, 8)		\
	row(SIGNAL, 8)		\
	row(EXIT, 8)		\
	row(FREE, 8)		\
	row(WAIT, 8)		\
	row(HANG, 1)		\
	row(OOM, 1)		\
	row(CGROUP, 4)		\
	row(GONE, 8)		\
	row(EXITING, 8)		\
	row(TEARDOWN, 8)	\
	row(LEFT, 2)		\
	row(ASYNC, 1)		\
	row(EARLY, 1)		\
	row(NOTIFY, 8)		\
	row(REAP, 8)		\
	row(COREDUMP, 1)	\
	row(FORKING, 8)		\
	row(STARTED, 8)		\
	row(EXECING, 8)		\
	row(FAIL_FORK, 2)	\
	row(FAIL_EXECVE, 2)	\
	row(FAIL_EXECVEAT, 1)	\
	row(FAIL_EXECVE_32, 1)	\
	row(FAIL_EXECVEAT_32, 1)

#define PROCLIFE_BPF_RING_ID(name, share) PROCLIFE_BPF_##name,
enum proclife_bpf_ring_id { PROCLIFE_BPF_RINGS(PROCLIFE_BPF_RING_ID) PROCLIFE_BPF_RING_COUNT };
#undef PROCLIFE_BPF_RING_ID

#define PROCLIFE_BPF_MOST_RINGS 64
/* The control page of a ring is the first that it has; its records follow. */
#define PROCLIFE_BPF_PAGE_BYTES 1024

/* How many variables the parameter `env` can name, as in the module. */
#define PROCLIFE_BPF_ENV_NAMES 16

/* Where a ring is in the element of each CPU's map. */
struct proclife_bpf_ring {
	__u64 offset;  /* of its control page; 0 records: this load has no such ring */
	__u64 records; /* a power of two */
};

/* Where a load is pinned, and the names there. */
#define PROCLIFE_BPF_FOLDER "/sys/fs/bpf/proclife"
#define PROCLIFE_BPF_HEADER "header"
#define PROCLIFE_BPF_CPUS "cpus" /* a folder, with the map of each CPU */
#define PROCLIFE_BPF_UNRINGED "unringed"
#define PROCLIFE_BPF_SNAPSHOT "snapshot"
#define PROCLIFE_BPF_PROGRAMS "programs" /* a folder */
#define PROCLIFE_BPF_LINKS "links"	 /* the same */

/*
 * The element of the header's map. The handles in the rings are addresses: a reader enciphers them with the
 * key.
 */
struct proclife_bpf_header {
	struct proclife_header header; /* where rings are, it does not say */
	__u32 layout; /* PROCLIFE_BPF_LAYOUT */
	__u32 links; /* how many programs are attached: a folder with fewer links is no whole load */
	__u64 key[2];
	__u64 ring_bytes; /* of the element of a CPU's map */
	__u32 rings;
	__u32 has_snapshot; /* 1 if the iterator is there */
	struct proclife_bpf_ring ring[PROCLIFE_BPF_MOST_RINGS];
	__u64 reserved[16];
};

/* It changes whenever this struct, the names of the pins or the order of a ring's page changes. */
#define PROCLIFE_BPF_LAYOUT 1

/* The header, and the bits of 8192 CPUs. */
#define PROCLIFE_BPF_HEADER_BYTES (sizeof(struct proclife_bpf_header) + 8192 / 8)

#endif
