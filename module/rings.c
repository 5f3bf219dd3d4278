// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/proc_ns.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "handle.h"
#include "readers.h"
#include "rings.h"

#define RING_KB_MIN 4
#define RING_KB_MAX (1024 * 1024)

static unsigned int ring_kb = 2048;
module_param(ring_kb, uint, 0444);
MODULE_PARM_DESC(ring_kb, "KiB of records per CPU: a power of two from 4 to 1048576 (2048)");

DEFINE_PER_CPU_ALIGNED(struct rings_cpu, proclife_rings);

static struct proclife_header *header;
static enum cpuhp_state hotplug_state;

/* All rings, in the order of their creation. */
static struct proclife_watched *all_rings;
static unsigned int ring_count;

struct proclife_header *proclife_rings_header(void)
{
	return header;
}

static u64 *cpu_map(void)
{
	return (void *)header + header->cpu_map_offset;
}

/* Runs in an interrupt that the writer's CPU sends itself; there, a wake-up is allowed. */
static void wake_readers(struct irq_work *work)
{
	proclife_readers_wake();
}

void compat_preserving proclife_rings_wake(struct rings_cpu *cpu)
{
	/* First: the work wakes a poller that armed before, and one that arms later stays armed. */
	proclife_ring_disarm(&cpu->ring);
	irq_work_queue(&cpu->wake);
}

/* Is there memory for this many pages? To look for the last ones would make the machine crawl. */
static bool have_memory(u64 pages)
{
	long available = si_mem_available();

	return available > 0 && pages < available;
}

static u64 pages_of(unsigned int rings)
{
	return rings * (u64)(header->ring_stride >> PAGE_SHIFT);
}

#define CHECK_EVERY 256 /* pages: others take memory, too, and the loading process may be killed */

/*
 * Page by page, as the kernel's own tracing buffers: that never calls the OOM killer. The page
 * tables of their mapping still can, which are a five-hundredth of it.
 */
static int alloc_pages_of(struct page **pages, unsigned int count, int node)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (i % CHECK_EVERY == 0) {
			if (fatal_signal_pending(current))
				return -EINTR;
			if (!have_memory(count - i))
				return -ENOMEM;
			cond_resched();
		}
		pages[i] = alloc_pages_node(node, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN |
						  __GFP_ZERO, 0);
		if (!pages[i])
			return -ENOMEM;
	}
	return 0;
}

/* The memory of a ring, zeroed, for vfree(); or an error. */
static void *alloc_ring(int node)
{
	unsigned int count = pages_of(1), i;
	struct page **pages = kvcalloc(count, sizeof(*pages), GFP_KERNEL | __GFP_RETRY_MAYFAIL);
	void *ring = NULL;
	int ret;

	if (!pages)
		return ERR_PTR(-ENOMEM);
	ret = alloc_pages_of(pages, count, node);
	/* This takes over the pages and their array. */
	if (!ret)
		ring = vmap(pages, count, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (ring)
		return ring;
	for (i = 0; i < count && pages[i]; i++)
		__free_page(pages[i]);
	kvfree(pages);
	return ERR_PTR(ret ?: -ENOMEM);
}

/* A slot has the records of one CPU, so that a writer need not name it. */
static void set_cpu(struct proclife_ring *ring, unsigned int n)
{
	u64 i;

	for (i = 0; i <= ring->mask; i++)
		ring->records[i].cpu = n;
}

/*
 * Called before the CPU comes up, so no task ever runs on a CPU that has no ring. The ring stays when
 * the CPU goes offline, so that readers can finish, and is used again when it comes back.
 */
static int rings_prepare_cpu(unsigned int n)
{
	struct rings_cpu *cpu = per_cpu_ptr(&proclife_rings, n);
	void *pages;
	int ret;

	if (cpu->pages)
		return 0;

	ret = proclife_handle_prepare_cpu(n);
	if (ret)
		return ret;
	pages = alloc_ring(cpu_to_node(n));
	if (IS_ERR(pages))
		return PTR_ERR(pages);

	init_irq_work(&cpu->wake, wake_readers);
	cpu->ring.page = pages;
	cpu->ring.records = pages + header->records_offset;
	cpu->ring.mask = header->records_per_ring - 1;
	cpu->ring.pos = 0;
	cpu->ring.wake_at = 0; /* the first record of a new ring wakes the readers that sleep already */
	set_cpu(&cpu->ring, n);
	if (header->stopped)
		cpu->ring.page->ctl.suppressing = PROCLIFE_HAS(PROCLIFE_NONE);
	/* Pairs with the acquire in proclife_rings_page(). */
	smp_store_release(&cpu->pages, pages);

	/* CPUs come up one at a time. Pairs with the acquires of ring_count. */
	all_rings[ring_count].ring = &cpu->ring;
	smp_store_release(&ring_count, ring_count + 1);

	/* Readers load the generation first, then the map. */
	WRITE_ONCE(cpu_map()[n / 64], cpu_map()[n / 64] | BIT_ULL(n % 64));
	smp_store_release(&header->generation, header->generation + 1);
	return 0;
}

/* A CPU comes up later. */
static int rings_add_cpu(unsigned int n)
{
	int ret = rings_prepare_cpu(n);

	if (ret == -ENOMEM)
		pr_warn("no memory for the ring of CPU %u, which stays off: unload the module or load it with a ring_kb below %u\n",
			n, ring_kb);
	else if (ret)
		pr_warn("killed while the ring of CPU %u was made, which stays off: try again\n", n);
	return ret;
}

static void rings_free_all(void)
{
	unsigned int i;

	for (i = 0; i < ring_count; i++) {
		struct rings_cpu *cpu = container_of(all_rings[i].ring, struct rings_cpu, ring);

		irq_work_sync(&cpu->wake);
		vfree(cpu->pages);
		cpu->pages = NULL;
	}
	kfree(all_rings);
	free_page((unsigned long)header);
}

void proclife_rings_offsets(u64 *to_boottime, u64 *to_realtime)
{
	*to_boottime = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	*to_realtime = ktime_to_ns(ktime_mono_to_real(0));
}

void proclife_rings_refresh(void)
{
	u64 to_boottime, to_realtime;

	proclife_rings_offsets(&to_boottime, &to_realtime);
	WRITE_ONCE(header->to_boottime, to_boottime);
	WRITE_ONCE(header->to_realtime, to_realtime);
}

struct stop {
	u64 since;
	bool ended;
};

/* With interrupts off, on this CPU, or on any for one that is offline: nothing else writes its ring. */
static void say_stop(struct rings_cpu *cpu, const struct stop *stop)
{
	struct proclife_ring_ctl *ctl = &cpu->ring.page->ctl;
	struct proclife_record *r = proclife_ring_reserve(&cpu->ring);
	u64 suppressing = ctl->suppressing & ~PROCLIFE_HAS(PROCLIFE_NONE);

	*r = (struct proclife_record){ .type = PROCLIFE_SUPPRESSED, .cpu = r->cpu };
	clock_take(&r->ts);
	r->suppressed.what = PROCLIFE_NONE;
	r->suppressed.ended = stop->ended;
	r->suppressed.since = stop->since;
	if (unlikely(proclife_ring_commit(&cpu->ring, PROCLIFE_SUPPRESSED)))
		proclife_rings_wake(cpu);
	/* After the record, as the budget does it. */
	WRITE_ONCE(ctl->suppressing, suppressing | (stop->ended ? 0 : PROCLIFE_HAS(PROCLIFE_NONE)));
}

static void say_stop_here(void *stop)
{
	say_stop(this_cpu_ptr(&proclife_rings), stop);
}

/* No CPU comes or goes meanwhile. */
static void say_stop_everywhere(struct stop *stop)
{
	unsigned int n;

	on_each_cpu(say_stop_here, stop, true);
	for_each_possible_cpu(n) {
		struct rings_cpu *cpu = per_cpu_ptr(&proclife_rings, n);
		unsigned long irqflags;

		if (cpu_online(n) || !cpu->pages)
			continue;
		local_irq_save(irqflags);
		say_stop(cpu, stop);
		local_irq_restore(irqflags);
	}
}

u64 proclife_rings_stop(void)
{
	struct stop stop = { .since = proclife_clock_bound() };

	cpus_read_lock();
	WRITE_ONCE(header->stopped, stop.since);
	say_stop_everywhere(&stop);
	cpus_read_unlock();
	return stop.since;
}

void proclife_rings_stopped(u64 since)
{
	struct stop stop = { .since = since };

	cpus_read_lock();
	say_stop_everywhere(&stop);
	cpus_read_unlock();
}

void proclife_rings_start(void)
{
	struct stop stop = { .since = header->stopped, .ended = true };

	cpus_read_lock();
	say_stop_everywhere(&stop);
	WRITE_ONCE(header->stopped, 0);
	cpus_read_unlock();
}

static void fill_header(void)
{
	u64 ring_bytes = (u64)ring_kb * 1024;

	header->magic = PROCLIFE_MAGIC;
	header->abi_version = PROCLIFE_ABI_VERSION;
	header->abi_compatible = PROCLIFE_ABI_COMPATIBLE;
	header->header_bytes = sizeof(*header);
	header->record_bytes = sizeof(struct proclife_record);
	header->records_per_ring = ring_bytes / sizeof(struct proclife_record);
	header->rings_offset = PAGE_SIZE;
	header->records_offset = PAGE_SIZE;
	header->ring_stride = PAGE_SIZE + PAGE_ALIGN(ring_bytes);
	header->cpus = nr_cpu_ids;
	header->map_bytes = header->rings_offset + nr_cpu_ids * header->ring_stride;
	header->cpu_map_offset = sizeof(*header);
	header->exit_mark = COMPAT_EXIT_BEFORE_MM ? PROCLIFE_EXIT_BEFORE_MM :
						    PROCLIFE_EXIT_AFTER_MM;
	header->cgroup_leave = COMPAT_CGROUP_LEAVE_SWITCH ? PROCLIFE_CGROUP_LEAVE_SWITCH :
							    PROCLIFE_CGROUP_LEAVE_EXIT;
	header->rss_error = compat_rss_error();
	header->source = PROCLIFE_SOURCE_MODULE;
	header->types = PROCLIFE_TYPES;
	header->counts_offset = offsetof(struct proclife_ring_page, counts);
	header->suppressed_offset = offsetof(struct proclife_ring_page, suppressed);
	header->loaded = ktime_get_ns();
	header->init_pid_ns = PROC_PID_INIT_INO;
	header->hz = HZ;
	strscpy(header->release, init_utsname()->release, sizeof(header->release));
	strscpy(header->version, PROCLIFE_VERSION, sizeof(header->version));
	proclife_rings_refresh();
}

/*
 * A ring for each CPU that is up, and for those that come up later. Before Linux 6.10
 * (932d8476399f, which some stable kernels lack), cpuhp_setup_state() does not call the function
 * for CPUs that are up in this range of states. So this calls it for them.
 */
static int prepare_cpus(void)
{
	unsigned int n;
	int ret = 0;

	cpus_read_lock();
	if (!have_memory(pages_of(num_online_cpus())))
		ret = -ENOMEM;
	/* Tasks run on these CPUs, so the module does without none of these rings. */
	for_each_online_cpu(n)
		ret = ret ?: rings_prepare_cpu(n);
	if (ret == -ENOMEM)
		pr_err("ring_kb=%u: no memory for the rings of %u CPUs; load the module with a smaller ring_kb\n",
		       ring_kb, num_online_cpus());
	else if (ret)
		pr_err("killed while it made the rings of %u CPUs\n", num_online_cpus());
	if (ret)
		goto unlock;
	ret = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, "proclife:prepare",
						   rings_add_cpu, NULL);
	if (ret >= 0) {
		hotplug_state = ret;
		ret = 0;
	}
unlock:
	cpus_read_unlock();
	return ret;
}

int proclife_rings_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct proclife_record) != 128);
	BUILD_BUG_ON(sizeof(struct proclife_ring_page) > PAGE_SIZE);
	BUILD_BUG_ON(sizeof(struct proclife_header) + DIV_ROUND_UP(NR_CPUS, 64) * 8 > PAGE_SIZE);

	if (ring_kb < RING_KB_MIN || ring_kb > RING_KB_MAX || !is_power_of_2(ring_kb)) {
		pr_err("ring_kb=%u: must be a power of two from %d to %d\n", ring_kb, RING_KB_MIN,
		       RING_KB_MAX);
		return -EINVAL;
	}

	header = (void *)get_zeroed_page(GFP_KERNEL);
	if (!header)
		return -ENOMEM;
	fill_header();

	all_rings = kcalloc(nr_cpu_ids, sizeof(*all_rings), GFP_KERNEL);
	ret = all_rings ? prepare_cpus() : -ENOMEM;
	if (ret)
		rings_free_all();
	return ret;
}

void proclife_rings_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	rings_free_all();
}

struct page *proclife_rings_page(unsigned long pgoff)
{
	unsigned long stride = header->ring_stride >> PAGE_SHIFT;
	unsigned long n;
	void *pages;

	if (pgoff == 0)
		return virt_to_page(header);

	pgoff -= header->rings_offset >> PAGE_SHIFT;
	n = pgoff / stride;
	if (n >= nr_cpu_ids || !cpu_possible(n))
		return NULL;
	/* Pairs with the release in rings_prepare_cpu(): the pages are zeroed. */
	pages = smp_load_acquire(&per_cpu_ptr(&proclife_rings, n)->pages);
	if (!pages)
		return NULL;
	return vmalloc_to_page(pages + ((pgoff % stride) << PAGE_SHIFT));
}

static DEFINE_MUTEX(readers_lock);
static unsigned int readers;

/* Also of CPUs that are still to come. */
static void set_is_read(bool is_read)
{
	unsigned int n;

	for_each_possible_cpu(n)
		WRITE_ONCE(per_cpu(proclife_rings, n).ring.is_read, is_read);
}

void proclife_rings_get(void)
{
	mutex_lock(&readers_lock);
	if (!readers++) {
		set_is_read(true); /* O1 of ring.h */
		kick_all_cpus_sync(); /* O2 */
	}
	mutex_unlock(&readers_lock);
}

void proclife_rings_put(void)
{
	mutex_lock(&readers_lock);
	if (!--readers)
		set_is_read(false);
	mutex_unlock(&readers_lock);
}

u64 proclife_rings_committed(void)
{
	unsigned int i, count = smp_load_acquire(&ring_count);
	u64 sum = 0;

	for (i = 0; i < count; i++)
		sum += proclife_ring_committed(&all_rings[i].ring->page->ctl);
	return sum;
}

/*
 * A record counts a moment before it is committed. If what is reserved after the counts were read is
 * committed, all that they count is. Returns 1 if one may not be: a ring has one writer.
 */
static u64 add_counts(const struct proclife_ring_page *page, u64 types[PROCLIFE_TYPES])
{
	u64 found[PROCLIFE_TYPES], reserved, open;
	/* A writer takes far less, unless the machine's host has stopped its CPU. */
	unsigned int tries = 100, type;

	do {
		for (type = 0; type < PROCLIFE_TYPES; type++)
			found[type] = READ_ONCE(page->counts[type]);
		smp_rmb(); /* pairs with W1 of ring.h: a record is reserved before it counts */
		reserved = READ_ONCE(page->ctl.reserve);
		open = (s64)(reserved - proclife_ring_committed(&page->ctl)) > 0;
		if (open)
			cpu_relax();
	} while (open && --tries);
	for (type = 0; type < PROCLIFE_TYPES; type++)
		types[type] += found[type];
	return open;
}

void proclife_rings_count(struct rings_counts *counts)
{
	unsigned int i, count = smp_load_acquire(&ring_count);

	*counts = (struct rings_counts){};
	for (i = 0; i < count; i++)
		counts->open += add_counts(all_rings[i].ring->page, counts->types);
}

u64 proclife_rings_sum(void)
{
	return proclife_ring_sum(all_rings, smp_load_acquire(&ring_count));
}

/* A ring that was created after the sum has wake_at 0: its first record wakes. */
bool proclife_rings_arm(u64 more)
{
	return proclife_ring_arm_all(all_rings, smp_load_acquire(&ring_count), more);
}
