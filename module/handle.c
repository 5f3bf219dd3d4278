// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/topology.h>

#include "handle.h"

static siphash_key_t key __ro_after_init;
DEFINE_PER_CPU(struct handle_cached *, proclife_handle_slots);

static u64 hash(unsigned long object)
{
	return siphash_1u64(object, &key) ?: 1;
}

u64 proclife_handle_of(enum handle_kind kind, const void *object)
{
	return hash((unsigned long)object + kind);
}

void compat_preserving proclife_handle_fill(struct handle_cached *slot, unsigned long object)
{
	*handle_other(slot) = *slot;
	slot->object = object;
	slot->handle = hash(object);
}

int proclife_handle_prepare_cpu(unsigned int n)
{
	struct handle_cached **slots = per_cpu_ptr(&proclife_handle_slots, n);
	struct page *page;

	BUILD_BUG_ON(sizeof(**slots) << HANDLE_CACHE_BITS > PAGE_SIZE);
	if (*slots)
		return 0;
	page = alloc_pages_node(cpu_to_node(n), GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN, 0);
	if (!page)
		return -ENOMEM;
	*slots = page_address(page);
	return 0;
}

/* In an initramfs, the kernel may not have anything random yet, and a guessed key reveals all addresses. */
int proclife_handle_init(void)
{
	int ret;

	if (!rng_is_initialized())
		pr_info("waiting until the kernel has random numbers, for the key of the handles\n");
	ret = get_random_bytes_wait(&key, sizeof(key));
	if (!ret)
		return 0;
	pr_err("interrupted while it waited for random numbers (%d); load the module again\n", ret);
	return -EINTR;
}

void proclife_handle_exit(void)
{
	unsigned int n;

	for_each_possible_cpu(n)
		free_page((unsigned long)per_cpu(proclife_handle_slots, n));
}
