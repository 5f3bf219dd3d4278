// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/task.h>

#include "attach.h"
#include "budget.h"
#include "compat.h"
#include "failures.h"
#include "hooks.h"
#include "record.h"
#include "rings.h"

static bool reap = true;
module_param(reap, bool, 0444);
MODULE_PARM_DESC(reap, "record which process is notified of a task's end and which reaps it, with hooks of ftrace or kprobes (Y)");

static bool exiting = true;
module_param(exiting, bool, 0444);
MODULE_PARM_DESC(exiting, "record where an exit begins, and core dumps, with such hooks (Y)");

bool proclife_memory = true;
module_param_named(memory, proclife_memory, bool, 0444);
MODULE_PARM_DESC(memory, "record which task tears an address space down, and when, with such hooks (Y)");

bool proclife_births;
module_param_named(births, proclife_births, bool, 0444);
MODULE_PARM_DESC(births, "record where a fork and an exec begin, and the first run of a task, with such hooks (N)");

static bool times;
module_param(times, bool, 0444);
MODULE_PARM_DESC(times, "record how long a task has run and waited for a CPU, at the marks of its life (N)");

DEFINE_STATIC_KEY_FALSE(proclife_timing);

/* Those that each exit passes come first: proclife_hooks_on_ftrace() looks for them in this order. */
enum hook_id {
	HOOK_EXITING,
	HOOK_MM_RELEASE,
	HOOK_TEARDOWN,
	HOOK_NOTIFY,
	HOOK_REAP,
	HOOK_GONE,
	HOOK_ASYNC,
	HOOK_EARLY,
	HOOK_COREDUMP,
	HOOK_OOM,
	HOOK_FORKING,
	HOOK_STARTED,
	HOOK_EXECING,
	HOOKS,
};
static_assert(HOOKS <= ATTACH_MOST);

struct hook {
	/* A name, and those that it has in other kernels; none: this kernel does not need it. */
	const char *symbols[3];
	const bool *wanted; /* by a parameter */
	const char *without; /* what is recorded without it, for the log */
	u64 feature;
	u32 mm_mark;
	u32 birth_mark;
	bool tried; /* try_hooks() calls it */
};

static const struct hook hooks[HOOKS] = {
	/*
	 * do_exit() has no earlier part. It is before PTRACE_EVENT_EXIT, in which a tracer can hold
	 * the task for as long as it likes, and before io_uring is cancelled, which waits, too.
	 */
	[HOOK_EXITING] = {
		.symbols = { "do_exit" },
		.wanted = &exiting,
		.without = "EXITING",
		.feature = PROCLIFE_HAS(PROCLIFE_EXITING),
		.tried = true,
	},
	[HOOK_TEARDOWN] = {
		.symbols = { "exit_mmap" },
		.wanted = &proclife_memory,
		.without = "MM",
		.feature = PROCLIFE_HAS(PROCLIFE_MM),
		.mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN),
	},
	/*
	 * Linux 7.3 has one of the others, as the compiler inlines the second or not. An exec calls
	 * them, too: then the thread group lives.
	 */
	[HOOK_MM_RELEASE] = {
		.symbols = { "exit_mm_release", "mm_exit_exec_release", "futex_exit_exec_release" },
		.wanted = &proclife_memory,
		.without = "the LEFT of MM",
		.feature = PROCLIFE_HAS(PROCLIFE_MM),
		.mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_LEFT),
		.tried = true, /* tasks without an address space come through it, too */
	},
	/*
	 * Its first argument is the task that has ended, whichever task calls it: see struct proclife_notify.
	 * An untraced thread does not come through it.
	 */
	[HOOK_NOTIFY] = {
		.symbols = { "do_notify_parent" },
		.wanted = &reap,
		.without = "NOTIFY",
		.feature = PROCLIFE_HAS(PROCLIFE_NOTIFY),
		.tried = true,
	},
	/* Linux 6.19 and later have the first one. The caller is the reaper. */
	[HOOK_REAP] = {
		.symbols = { "cgroup_task_release", "cgroup_release" },
		.wanted = &reap,
		.without = "REAP",
		.feature = PROCLIFE_HAS(PROCLIFE_REAP),
		.tried = true,
	},
#if !COMPAT_HAS_EXIT_MMAP
	/*
	 * __mmput() calls it next after exit_mmap(), where that has no tracepoint at its end. What it
	 * calls after this is inlined.
	 */
	[HOOK_GONE] = {
		.symbols = { "mm_put_huge_zero_page" },
		.wanted = &proclife_memory,
		.without = "the GONE of MM",
		.feature = PROCLIFE_HAS(PROCLIFE_MM),
		.mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_GONE),
	},
#endif
	[HOOK_ASYNC] = {
		.symbols = { "mmput_async" },
		.wanted = &proclife_memory,
		.without = "the ASYNC of MM",
		.feature = PROCLIFE_HAS(PROCLIFE_MM),
		.mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_ASYNC),
	},
	[HOOK_EARLY] = {
		.symbols = { "__oom_reap_task_mm" },
		.wanted = &proclife_memory,
		.without = "the EARLY of MM",
		.feature = PROCLIFE_HAS(PROCLIFE_MM),
		.mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_EARLY),
	},
	/* Linux 6.18 and later have the first one. */
	[HOOK_COREDUMP] = {
		.symbols = { "vfs_coredump", "do_coredump" },
		.wanted = &exiting,
		.without = "COREDUMP",
		.feature = PROCLIFE_HAS(PROCLIFE_COREDUMP),
	},
	[HOOK_OOM] = {
		.symbols = { "out_of_memory" },
		.wanted = &proclife_memory,
		.without = "the cgroup of OOM",
	},
	/*
	 * Before it allocates anything. Not kernel_clone(), above it: workers of io_uring and vhost bypass
	 * that.
	 */
	[HOOK_FORKING] = {
		.symbols = { "copy_process" },
		.wanted = &proclife_births,
		.without = "the FORKING of BIRTH",
		.feature = PROCLIFE_HAS(PROCLIFE_BIRTH),
		.birth_mark = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING),
	},
	/* A new task calls it first of all. */
	[HOOK_STARTED] = {
		.symbols = { "schedule_tail" },
		.wanted = &proclife_births,
		.without = "the STARTED of BIRTH",
		.feature = PROCLIFE_HAS(PROCLIFE_BIRTH),
		.birth_mark = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED),
	},
	/* The compiler clones what calls it, and sched_prepare_exec comes when most of an exec is over. */
	[HOOK_EXECING] = {
		.symbols = { "alloc_bprm" },
		.wanted = &proclife_births,
		.without = "the EXECING of BIRTH",
		.feature = PROCLIFE_HAS(PROCLIFE_BIRTH),
		.birth_mark = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_EXECING),
	},
};

static struct attach_hook attached[HOOKS];
/* Where each is, close together; 0: what comes from there is ignored. */
static unsigned long addresses[HOOKS] __read_mostly;

/* On while try_hooks() finds out which hooks are called at all. Nothing is recorded until then. */
static DEFINE_STATIC_KEY_TRUE(trying);
static struct task_struct *tried;
static unsigned long tried_hits; /* BIT() of each hook; the tried task alone writes it */

static notrace void note_hit(enum hook_id id, const struct task_struct *p)
{
	if (p != READ_ONCE(tried))
		return;
	WRITE_ONCE(tried_hits, tried_hits | BIT(id));
	smp_wmb(); /* before it loses its pid; pairs with try_hooks() */
}

notrace void proclife_hooks_times(u32 what)
{
	struct rings_slot slot;

	record_times(rings_begin(&slot, PROCLIFE_TIMES), current, what);
	rings_end(&slot, PROCLIFE_TIMES);
}

/* Each is a function of its own, which is left by way of a jump, so that it saves only what it needs. */
static notrace noinline void probe_exiting(long code)
{
	struct rings_slot slot;

	hooks_times_begin();
	record_exiting(rings_begin(&slot, PROCLIFE_EXITING), current, code);
	rings_end(&slot, PROCLIFE_EXITING);
	hooks_times_end(PROCLIFE_TIMES_EXITING);
}

/*
 * What an exiting task does needs no budget: a fork was before it. Execs and forks that fail, and
 * process_mrelease(2), cost much less.
 */
static __always_inline void probe_mm(struct mm_struct *mm, u32 what, u32 users)
{
	struct task_struct *p = current;
	struct rings_slot slot;

	if (!budget_begin(&slot, BUDGET_MM, likely(p->flags & PF_EXITING)))
		return;
	record_mm(rings_claim(&slot, PROCLIFE_MM), p, mm, what, users);
	rings_end(&slot, PROCLIFE_MM);
}

static notrace noinline void probe_teardown(struct mm_struct *mm)
{
	probe_mm(mm, PROCLIFE_MM_TEARDOWN, 0);
}

notrace void proclife_hooks_gone(struct mm_struct *mm)
{
	probe_mm(mm, PROCLIFE_MM_GONE, 0);
}

/* What few address spaces meet. */
static notrace noinline void probe_rare(struct mm_struct *mm, u32 what, u32 users)
{
	probe_mm(mm, what, users);
}

/* Hooks that an NMI came to, which recorded nothing. */
static atomic_t refused_nmis;

/*
 * mmput_async() may be called in an interrupt, and needs no lock. All other sources sleep, hold a lock that
 * an NMI cannot take, or are an RCU callback. So this one alone asks for NMIs: local_irq_save() does not
 * hold them off, one on top of a writer would publish that one's half-filled slot, and one on top of the
 * timekeeper would wait for it for ever.
 */
static notrace noinline void probe_async(struct mm_struct *mm)
{
	struct rings_slot slot;

	if (unlikely(in_nmi())) {
		atomic_inc(&refused_nmis);
		pr_err_once("mmput_async() was called in an NMI: not recorded; report it to the maker of the driver that calls it there\n");
		return;
	}
	/* Whether it is the last one is decided after this: another can come in between. */
	if (atomic_read(&mm->mm_users) != 1)
		return;
	if (task_acts()) {
		probe_mm(mm, PROCLIFE_MM_ASYNC, 0);
	} else if (budget_begin(&slot, BUDGET_MM, false)) {
		record_mm_of_interrupt(rings_claim(&slot, PROCLIFE_MM), mm, PROCLIFE_MM_ASYNC);
		rings_end(&slot, PROCLIFE_MM);
	}
}

/*
 * Each exiting task calls this. It is of interest if the address space stays, though all threads of
 * the process have begun to exit.
 */
static __always_inline void probe_mm_release(struct task_struct *p)
{
	struct mm_struct *mm = p->mm;
	int users;

	if (!mm || p != current)
		return;
	users = atomic_read(&mm->mm_users);
	if (unlikely(users > 1) && !atomic_read(&p->signal->live))
		probe_rare(mm, PROCLIFE_MM_LEFT, users - 1);
}

/*
 * A task's own exit, its reaper, and a detaching tracer cause one for each death. But an exiting
 * parent or tracer passes on all zombies that it has, and so does the next one that inherits them:
 * that needs budget.
 */
static notrace noinline void probe_notify(struct task_struct *p, int signo)
{
	bool exempt = same_thread_group(p, current) || !(current->flags & PF_EXITING);
	struct rings_slot slot;

	if (!budget_begin(&slot, BUDGET_NOTIFY, likely(exempt)))
		return;
	record_notify(rings_claim(&slot, PROCLIFE_NOTIFY), p, signo);
	rings_end(&slot, PROCLIFE_NOTIFY);
	/* The caller has tasklist_lock. */
	if (likely(p == current) && static_branch_unlikely(&proclife_timing))
		proclife_hooks_times(PROCLIFE_TIMES_NOTIFY);
}

static notrace noinline void probe_reap(struct task_struct *p)
{
	struct rings_slot slot;

	record_reap(rings_begin(&slot, PROCLIFE_REAP), p);
	rings_end(&slot, PROCLIFE_REAP);
}

static notrace noinline void probe_coredump(const struct kernel_siginfo *info)
{
	struct rings_slot slot;

	proclife_record_coredump(rings_begin(&slot, PROCLIFE_COREDUMP), current, info->si_signo);
	rings_end(&slot, PROCLIFE_COREDUMP);
}

/* A fork or an exec begins. That can fail, for less than it costs to fork. */
static notrace noinline void probe_birth(u32 what)
{
	struct rings_slot slot;

	if (!budget_begin(&slot, BUDGET_BIRTH, false))
		return;
	/* Its TIMES has no budget of its own: there is one with each of these that has. */
	hooks_times_begin();
	record_birth(rings_claim(&slot, PROCLIFE_BIRTH), current, what);
	rings_end(&slot, PROCLIFE_BIRTH);
	hooks_times_end(what == PROCLIFE_BIRTH_EXECING ? PROCLIFE_TIMES_EXECING : PROCLIFE_TIMES_FORKING);
}

/* The scheduler has the lock of its run queue. It needs no budget: a fork was before it. */
static notrace noinline void probe_started(void)
{
	struct rings_slot slot;

	/* As in probe_fork(). */
	if (unlikely(!current->pid))
		return;
	record_birth(rings_begin(&slot, PROCLIFE_BIRTH), current, PROCLIFE_BIRTH_STARTED);
	rings_end(&slot, PROCLIFE_BIRTH);
}

static __always_inline void probe(enum hook_id id, unsigned long first, unsigned long second)
{
	switch (id) {
	case HOOK_EXITING:
		probe_exiting(first);
		break;
	case HOOK_TEARDOWN:
		probe_teardown((void *)first);
		break;
	case HOOK_MM_RELEASE:
		probe_mm_release((void *)first);
		break;
	case HOOK_NOTIFY:
		probe_notify((void *)first, (int)second);
		break;
	case HOOK_REAP:
		probe_reap((void *)first);
		break;
	case HOOK_GONE:
		proclife_hooks_gone((void *)first);
		break;
	case HOOK_ASYNC:
		probe_async((void *)first);
		break;
	case HOOK_EARLY:
		probe_rare((void *)first, PROCLIFE_MM_EARLY, 0);
		break;
	case HOOK_COREDUMP:
		probe_coredump((void *)first);
		break;
	case HOOK_OOM:
		proclife_record_out_of_memory((void *)first);
		break;
	case HOOK_FORKING:
		probe_birth(PROCLIFE_BIRTH_FORKING);
		break;
	case HOOK_STARTED:
		probe_started();
		break;
	case HOOK_EXECING:
		probe_birth(PROCLIFE_BIRTH_EXECING);
		break;
	case HOOKS:
		break;
	}
}

static notrace noinline void probe_any(enum hook_id id, unsigned long first, unsigned long second)
{
	if (static_branch_unlikely(&trying))
		note_hit(id, id == HOOK_REAP ? (void *)first : current);
	else
		probe(id, first, second);
}

#if COMPAT_FTRACE_ARGS
/* Where each is as ftrace gives it, once something came from there while hooks record; 0: nothing yet. */
static unsigned long exact[HOOKS] __read_mostly;

/* A function's hook is this near its beginning, behind a landing pad for instance. */
#define NEAR 16

static notrace void note_exact(enum hook_id id, unsigned long ip)
{
	WRITE_ONCE(exact[id], ip);
	smp_mb(); /* a stop comes before the next line, or takes it back itself: pairs with the one there */
	if (!READ_ONCE(addresses[id]))
		WRITE_ONCE(exact[id], 0);
}

static void forget_exact(void)
{
	unsigned int id;

	smp_mb(); /* after the addresses; pairs with note_exact() */
	for (id = 0; id < HOOKS; id++)
		WRITE_ONCE(exact[id], 0);
}

/* The first time each, and the rare ones always. */
static notrace noinline void find_hook(unsigned long ip, unsigned long first, unsigned long second)
{
	unsigned int id;

	for (id = 0; id < HOOKS; id++) {
		if (ip - READ_ONCE(addresses[id]) >= NEAR)
			continue;
		/* From here on, addresses change only in a stop: see proclife_hooks_init(). */
		if (!static_branch_unlikely(&trying) && READ_ONCE(addresses[id]))
			note_exact(id, ip);
		probe_any(id, first, second);
		return;
	}
}

void notrace proclife_hooks_on_ftrace(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				      struct compat_ftrace_regs *regs)
{
	unsigned long first = compat_ftrace_argument(regs, 0);

	/* Plain reads, each of which is one comparison. Whatever they find, the right probe is called. */
	if (ip == data_race(exact[HOOK_EXITING]))
		probe(HOOK_EXITING, first, 0);
	else if (ip == data_race(exact[HOOK_MM_RELEASE]))
		probe(HOOK_MM_RELEASE, first, 0);
	else if (ip == data_race(exact[HOOK_TEARDOWN]))
		probe(HOOK_TEARDOWN, first, 0);
	else if (ip == data_race(exact[HOOK_NOTIFY]))
		probe(HOOK_NOTIFY, first, compat_ftrace_argument(regs, 1));
	else if (ip == data_race(exact[HOOK_REAP]))
		probe(HOOK_REAP, first, 0);
	else if (ip == data_race(exact[HOOK_FORKING]))
		probe(HOOK_FORKING, 0, 0);
	else if (ip == data_race(exact[HOOK_STARTED]))
		probe(HOOK_STARTED, 0, 0);
	else if (ip == data_race(exact[HOOK_EXECING]))
		probe(HOOK_EXECING, 0, 0);
	else
		find_hook(ip, first, compat_ftrace_argument(regs, 1));
}
#else
static void forget_exact(void)
{
}
#endif

void notrace proclife_hooks_on_kprobe(unsigned int id, unsigned long first, unsigned long second)
{
	if (READ_ONCE(addresses[id]))
		probe_any(id, first, second);
}

/* Looks for either of its names. The error is about the name that this kernel has, if it has one. */
static void locate(enum hook_id id)
{
	struct attach_hook *hook = &attached[id];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hooks[id].symbols) && hooks[id].symbols[i]; i++) {
		struct attach_hook found = { .symbol = hooks[id].symbols[i], .wanted = true };

		proclife_attach_find(&found);
		if (!found.error || !hook->error || hook->error == -ENOENT)
			*hook = found;
		if (!found.error)
			break;
	}
	WRITE_ONCE(addresses[id], hook->error ? 0 : hook->address);
}

static int not_run(void *unused)
{
	return 0;
}

static struct task_struct *create_thread(void)
{
	struct task_struct *thread = kthread_create(not_run, NULL, "proclife_reaped");

	if (thread == ERR_PTR(-ENOMEM)) /* again: memory may have been short for a moment only */
		thread = kthread_create(not_run, NULL, "proclife_reaped");
	return thread;
}

/*
 * Are the hooks called? The compiler may have inlined a function where it counts. So this creates a
 * kernel thread and stops it before it has run: it exits and reaps itself.
 */
static int try_hooks(void)
{
	unsigned long deadline = jiffies + 10 * HZ;
	struct task_struct *thread = create_thread();
	unsigned long hits;
	unsigned int id;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	WRITE_ONCE(tried_hits, 0);
	WRITE_ONCE(tried, thread);
	kthread_stop(thread);
	while (data_race(pid_alive(thread)) && time_before(jiffies, deadline))
		usleep_range(50, 200);
	smp_rmb(); /* pairs with note_hit() */
	hits = READ_ONCE(tried_hits);
	WRITE_ONCE(tried, NULL);
	/*
	 * The probes come next. The history would begin with its FREE, of a task about which nothing else is
	 * known. That is in an RCU callback, queued after its last context switch, which can be lazy.
	 */
	while (refcount_read(&thread->usage) > 1 && time_before(jiffies, deadline)) {
		rcu_barrier();
		usleep_range(50, 200);
	}
	put_task_struct(thread);
	for (id = 0; id < HOOKS; id++)
		if (hooks[id].tried && attached[id].wanted && !attached[id].error && !(hits & BIT(id)))
			attached[id].error = -ENXIO;
	return 0;
}

static const char *reason(int error)
{
	switch (error) {
	case -ENOENT:
		return "not in this kernel";
	case -EBUSY:
		return "kernel.ftrace_enabled is 0; set it to 1 and load the module again";
	case -EOPNOTSUPP:
	case -ENOSYS:
		return "this kernel has no kprobes, CONFIG_KPROBES";
	case -ENOMEM:
		return "not enough memory; load the module again";
	case -EAGAIN:
		return "no process could be made that tries it, as no PID is free; load the module again";
	case -EINTR:
		return "interrupted; load the module again";
	case -ENXIO:
		return "the thread that tries it did not come through it; the compiler may have inlined it";
	default:
		return "it cannot be hooked";
	}
}

/* One line for all hooks that failed in the same way. */
static void warn_of(int error)
{
	char names[256] = "", lacks[256] = "";
	unsigned int id;

	for (id = 0; id < HOOKS; id++) {
		if (!attached[id].wanted || attached[id].error != error)
			continue;
		scnprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s()",
			  *names ? ", " : "", attached[id].symbol);
		scnprintf(lacks + strlen(lacks), sizeof(lacks) - strlen(lacks), "%s%s",
			  *lacks ? ", " : "", hooks[id].without);
	}
	pr_warn("%s: %s (%d), recording without %s\n", names, reason(error), error, lacks);
}

static void set_features(void)
{
	struct proclife_header *header = proclife_rings_header();
	unsigned int id, before;

	for (id = 0; id < HOOKS; id++) {
		if (!attached[id].wanted)
			continue;
		if (!attached[id].error) {
			header->features |= hooks[id].feature;
			header->mm_marks |= hooks[id].mm_mark;
			header->birth_marks |= hooks[id].birth_mark;
			continue;
		}
		WRITE_ONCE(addresses[id], 0);
		for (before = 0; attached[before].error != attached[id].error; before++)
			;
		if (before == id)
			warn_of(attached[id].error);
	}
	if (header->features & PROCLIFE_HAS(PROCLIFE_REAP))
		header->reap_source = attached[HOOK_REAP].symbol == hooks[HOOK_REAP].symbols[0] ?
					      PROCLIFE_REAP_CGROUP_TASK_RELEASE :
					      PROCLIFE_REAP_CGROUP_RELEASE;
}

/* Without them, all the rest is still recorded. */
void proclife_hooks_init(void)
{
	unsigned int id;
	bool any;
	int ret;

	/* Before the first record of a mark. */
	if (times && COMPAT_HAS_RUN_DELAY) {
		static_branch_enable(&proclife_timing);
		proclife_rings_header()->features |= PROCLIFE_HAS(PROCLIFE_TIMES);
	} else if (times) {
		pr_warn("this kernel has no CONFIG_SCHED_INFO, recording without TIMES\n");
	}
	for (id = 0; id < HOOKS; id++)
		if (hooks[id].symbols[0] && *hooks[id].wanted)
			locate(id);
	any = proclife_attach(attached, HOOKS);
	ret = any ? try_hooks() : 0;
	if (ret) {
		for (id = 0; id < HOOKS; id++)
			if (attached[id].wanted)
				attached[id].error = attached[id].error ?: ret;
		proclife_detach();
	}
	set_features();
	if (any && !ret)
		static_branch_disable(&trying);
}

void proclife_hooks_exit(void)
{
	proclife_detach();
}

static unsigned long stopped_at[HOOKS]; /* what addresses were */

void proclife_hooks_stop(void)
{
	unsigned int id;

	for (id = 0; id < HOOKS; id++) {
		stopped_at[id] = addresses[id];
		WRITE_ONCE(addresses[id], 0);
	}
	forget_exact();
}

void proclife_hooks_start(void)
{
	unsigned int id;

	for (id = 0; id < HOOKS; id++)
		WRITE_ONCE(addresses[id], stopped_at[id]);
}

void proclife_hooks_refresh(void)
{
	struct proclife_header *header = proclife_rings_header();
	unsigned long missed = atomic_read(&refused_nmis);
	unsigned int id;

	for (id = 0; id < HOOKS; id++)
		if (id != HOOK_REAP)
			missed += proclife_attach_missed(id);
	missed += proclife_failures_missed();
	WRITE_ONCE(header->reap_missed, proclife_attach_missed(HOOK_REAP));
	WRITE_ONCE(header->marks_missed, missed);
}

const char *proclife_hooks_reap_source(void)
{
	return proclife_rings_header()->reap_source ? attached[HOOK_REAP].symbol : "none";
}
