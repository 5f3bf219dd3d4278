// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "attach.h"

#if COMPAT_FTRACE_ARGS
/*
 * This costs a fifth of a kprobe: it does not save all registers, and needs no lookup by address.
 * One for all functions: to unregister one takes the kernel about a second. Permanent:
 * kernel.ftrace_enabled must not disable it.
 */
static struct ftrace_ops ftrace_ops = {
	.func = proclife_hooks_on_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_FLAGS,
};

/* Not by name: without memory, that leaves an empty filter, which means every function. */
static int filter_ftrace(unsigned long address, bool first)
{
	int ret = ftrace_set_filter_ip(&ftrace_ops, address, 0, first);

	/* Try once more: memory may have been short for a moment only. */
	if (ret == -ENOMEM)
		ret = ftrace_set_filter_ip(&ftrace_ops, address, 0, first);
	return ret;
}

static void free_filter(void)
{
	ftrace_set_filter(&ftrace_ops, NULL, 0, 1);
}

static int register_ftrace(void)
{
	int ret = register_ftrace_function(&ftrace_ops);

	if (ret == -ENOMEM) /* as in filter_ftrace() */
		ret = register_ftrace_function(&ftrace_ops);
	return ret;
}

static int unregister_ftrace(void)
{
	int ret = unregister_ftrace_function(&ftrace_ops);

	if (!ret)
		free_filter();
	return ret;
}
#else
/* The same error as for a function that ftrace cannot hook. */
static int filter_ftrace(unsigned long address, bool first)
{
	return -EINVAL;
}

static void free_filter(void)
{
}

static int register_ftrace(void)
{
	return -EINVAL;
}

static int unregister_ftrace(void)
{
	return 0;
}
#endif

static struct kprobe kprobes[ATTACH_MOST];

static int on_kprobe(struct kprobe *hit, struct pt_regs *regs)
{
	proclife_hooks_on_kprobe(hit - kprobes, compat_argument(regs, 0), compat_argument(regs, 1));
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

static int register_probe(unsigned int id, const char *symbol)
{
	kprobes[id] = (struct kprobe){
		.symbol_name = symbol,
		.pre_handler = on_kprobe,
	};
	return register_kprobe(&kprobes[id]);
}

static int unregister_probe(unsigned int id)
{
	kprobe_opcode_t *address = kprobes[id].addr;

	unregister_kprobe(&kprobes[id]);
	if (kprobes[id].addr)
		return 0;
	/* The kprobe uses ftrace, which did not release it. A cleared address is the only sign. */
	kprobes[id].addr = address;
	return -EBUSY;
}

unsigned long proclife_attach_missed(unsigned int id)
{
	/* Kprobes count their misses without a lock. */
	return data_race(READ_ONCE(kprobes[id].nmissed));
}

/* Only kprobes give a module the address of a function. This one is never armed. */
static int find(const char *symbol, unsigned int offset, unsigned long *address)
{
	struct kprobe probe = {
		.symbol_name = symbol,
		.offset = offset,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	*address = (unsigned long)probe.addr - offset;
	unregister_kprobe(&probe);
	return 0;
}

void proclife_attach_find(struct attach_hook *hook)
{
	hook->error = find(hook->symbol, 0, &hook->address);
	if (hook->error == -ENOMEM) /* again */
		hook->error = find(hook->symbol, 0, &hook->address);
	/*
	 * Without CONFIG_KPROBES_ON_FTRACE, a kprobe must not be where ftrace's call is. On riscv64 that
	 * is the first instruction of the function, and one of four bytes; in newer kernels the second.
	 */
	if (hook->error == -EINVAL)
		hook->error = find(hook->symbol, 4, &hook->address);
}

static unsigned long by_ftrace, by_kprobe; /* BIT() of each hook */

/* With ftrace where it knows the function: a kprobe would use ftrace, too, but can be disabled. */
bool proclife_attach(struct attach_hook *hooks, unsigned int count)
{
	unsigned int id;
	int ret;

	for (id = 0; id < count; id++) {
		if (!hooks[id].wanted || hooks[id].error)
			continue;
		ret = filter_ftrace(hooks[id].address, !by_ftrace);
		if (!ret)
			by_ftrace |= BIT(id);
		else if (ret == -EINVAL)
			by_kprobe |= BIT(id);
		else
			hooks[id].error = ret;
	}
	ret = by_ftrace ? register_ftrace() : 0;
	if (ret) {
		for (id = 0; id < count; id++)
			if (by_ftrace & BIT(id))
				hooks[id].error = ret;
		by_ftrace = 0;
	}
	if (!by_ftrace)
		free_filter();
	for (id = 0; id < count; id++) {
		if (!(by_kprobe & BIT(id)))
			continue;
		hooks[id].error = register_probe(id, hooks[id].symbol);
		if (hooks[id].error)
			by_kprobe &= ~BIT(id);
	}
	return by_ftrace || by_kprobe;
}

void proclife_detach(void)
{
	unsigned int id;
	int ret = 0;

	while (by_ftrace || by_kprobe) {
		if (by_ftrace) {
			ret = unregister_ftrace();
			if (!ret)
				by_ftrace = 0;
		}
		for (id = 0; id < ATTACH_MOST; id++) {
			if (!(by_kprobe & BIT(id)))
				continue;
			ret = unregister_probe(id);
			if (!ret)
				by_kprobe &= ~BIT(id);
		}
		if (!by_ftrace && !by_kprobe)
			break;
		pr_crit_once("ftrace does not remove the hook (%d), as after an internal fault; the module cannot be unloaded until the next boot\n",
			     ret);
		schedule_timeout_idle(HZ);
	}
}
