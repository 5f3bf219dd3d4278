// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's writer, with the kernel's headers and compiler flags, for a program: there it runs on a real CPU,
 * without a module, and barriers, cache lines and mispredictions cost what they cost. What is different:
 * interrupts stay on, as a program cannot switch them off; the time stamp counter is read as the kernel patches
 * it at boot; and tasks are as large and as far apart as the kernel's, but made up.
 *
 * A per-CPU variable is at its own address here, as GS is 0 in a program.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <asm/msr.h>

#undef local_irq_save
#undef local_irq_restore
#define local_irq_save(flags) ((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))

static __always_inline u64 ordered_tsc(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}
#define rdtsc_ordered ordered_tsc

#include "handle.c"
#include "record.c"
#include "rings.h"
#include "writer.h"

/* As lib/siphash.c makes it of the same macros. */
u64 siphash_1u64(const u64 first, const siphash_key_t *key)
{
	u64 v0 = SIPHASH_CONST_0 ^ key->key[0], v1 = SIPHASH_CONST_1 ^ key->key[1];
	u64 v2 = SIPHASH_CONST_2 ^ key->key[0], v3 = SIPHASH_CONST_3 ^ key->key[1], b = 8ULL << 56;

	v3 ^= first;
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	v0 ^= first;
	v3 ^= b;
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	v0 ^= b;
	v2 ^= 0xff;
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	SIPHASH_PERMUTATION(v0, v1, v2, v3);
	return v0 ^ v1 ^ v2 ^ v3;
}

DEFINE_PER_CPU_ALIGNED(struct rings_cpu, proclife_rings);
struct clock_parameters proclife_clock_parameters;

void compat_preserving proclife_rings_wake(struct rings_cpu *cpu)
{
}

/* The counter left its line: the figures are void. */
void compat_preserving proclife_clock_ask(u64 *ns)
{
	__builtin_trap();
}

static void *(*zeroed)(unsigned long bytes);
static struct cgroup *cgroup;
static struct css_set *css_set;
static struct cred *cred;
static struct pid_namespace *pid_ns;

static void make_shared(void)
{
	cgroup = zeroed(sizeof(*cgroup));
	cgroup->kn = zeroed(sizeof(*cgroup->kn));
	css_set = zeroed(sizeof(*css_set));
	css_set->dfl_cgrp = cgroup;
	cred = zeroed(sizeof(*cred));
	pid_ns = zeroed(sizeof(*pid_ns));
}

void writer_begin(const struct writer_setup *setup)
{
	struct clock_parameters *clock = &proclife_clock_parameters;
	struct rings_cpu *cpu = &proclife_rings;

	zeroed = setup->zeroed;
	make_shared();
	proclife_handle_slots = zeroed(PAGE_SIZE);
	cpu->ring.page = setup->ring;
	cpu->ring.records = setup->ring + PAGE_SIZE;
	cpu->ring.mask = setup->records - 1;
	cpu->ring.wake_at = PROCLIFE_RING_NEVER;
	cpu->ring.is_read = setup->is_read;
	clock->cycles = ordered_tsc();
	clock->cycles_max = U64_MAX;
	clock->ns_per_cycle = setup->ns_per_cycle;
}

static struct signal_struct *new_signal(void)
{
	struct signal_struct *signal = zeroed(sizeof(*signal));

	atomic_set(&signal->live, 1);
	signal->nr_threads = 1;
	return signal;
}

void *writer_task(void *parent)
{
	struct task_struct *p = zeroed(sizeof(*p));
	struct pid *pid = zeroed(sizeof(*pid) + sizeof(struct upid));

	pid->numbers[0].ns = pid_ns;
	p->thread_pid = pid;
	p->pid = 1000;
	p->tgid = 1000;
	p->signal = new_signal();
	p->sighand = zeroed(sizeof(*p->sighand));
	p->mm = zeroed(sizeof(*p->mm));
	p->stack = zeroed(THREAD_SIZE); /* has the registers of its system call */
	p->group_leader = p;
	INIT_LIST_HEAD(&p->thread_group);
	rcu_assign_pointer(p->real_parent, parent ? parent : p);
	rcu_assign_pointer(p->parent, parent ? parent : p);
	rcu_assign_pointer(p->real_cred, cred);
	RCU_INIT_POINTER(p->cgroups, css_set);
	return p;
}

static __always_inline void act_as(struct task_struct *p)
{
	this_cpu_write(current_task, p);
}

#define PIECE(name, type, ...)						\
	static void name(struct task_struct *p, struct task_struct *parent) \
	{								\
		struct rings_slot slot;					\
									\
		__VA_ARGS__;						\
		rings_end(&slot, type);					\
	}

PIECE(bare, PROCLIFE_HANG, rings_begin(&slot, PROCLIFE_HANG))
PIECE(head, PROCLIFE_HANG, take_head(rings_begin(&slot, PROCLIFE_HANG), p))
PIECE(at_fork, PROCLIFE_FORK, act_as(parent); record_fork(rings_begin(&slot, PROCLIFE_FORK), p, 0))
PIECE(at_exiting, PROCLIFE_EXITING, act_as(p); record_exiting(rings_begin(&slot, PROCLIFE_EXITING), p, 0))
PIECE(at_teardown, PROCLIFE_MM, act_as(p);
      record_mm(rings_begin(&slot, PROCLIFE_MM), p, p->mm, PROCLIFE_MM_TEARDOWN, 0))
PIECE(at_gone, PROCLIFE_MM, act_as(p); record_mm(rings_begin(&slot, PROCLIFE_MM), p, p->mm, PROCLIFE_MM_GONE, 0))
PIECE(at_exit, PROCLIFE_EXIT, act_as(p); record_exit(rings_begin(&slot, PROCLIFE_EXIT), p, true))
PIECE(at_notify, PROCLIFE_NOTIFY, act_as(p); record_notify(rings_begin(&slot, PROCLIFE_NOTIFY), p, SIGCHLD))
PIECE(at_wait, PROCLIFE_WAIT, act_as(parent); record_wait(rings_begin(&slot, PROCLIFE_WAIT), NULL))
PIECE(at_reap, PROCLIFE_REAP, act_as(parent); record_reap(rings_begin(&slot, PROCLIFE_REAP), p))
PIECE(at_free, PROCLIFE_FREE, act_as(parent); record_free(rings_begin(&slot, PROCLIFE_FREE), p))

static void nothing(struct task_struct *p, struct task_struct *parent)
{
}

#define ROW(name, function) { name, (writer_function)(function) }
const struct writer_piece writer_pieces[] = {
	ROW("nothing", nothing),
	ROW("record without fields", bare),
	ROW("head", head),
	ROW("FORK", at_fork),
	ROW("EXITING", at_exiting),
	ROW("MM teardown", at_teardown),
	ROW("MM gone", at_gone),
	ROW("EXIT", at_exit),
	ROW("NOTIFY", at_notify),
	ROW("WAIT", at_wait),
	ROW("REAP", at_reap),
	ROW("FREE", at_free),
	{ },
};

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The writer, for a program");
