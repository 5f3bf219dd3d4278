/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Forks and execs that fail: as module/failures.c and the FAIL of module/record.c. A program at the return of a function
 * has its arguments and what it returned.
 */
#ifndef PROCLIFE_BPF_FAILURES_H
#define PROCLIFE_BPF_FAILURES_H

#include "signals.h"

#define EAGAIN 11
#define ENOMEM 12
#define EFAULT 14
#define AT_EMPTY_PATH 0x1000
#define RLIMIT_NPROC 6
#define PIDNS_ADDING (1u << 31)

/* A signal is handled first, and then the kernel mostly makes the call again: ERESTARTSYS to ERESTART_RESTARTBLOCK. */
static __always_inline bool is_failure(long error)
{
	return error < 0 && error >= -4095 && !(error <= -512 && error >= -516 && error != -515);
}

/*
 * Which limit has refused a task's fork, between where that was decided and where copy_process() returns: the task's
 * address and, in the low bits, the limit. Two tasks in one slot, at that moment: one limit is not known.
 */
#define REFUSALS 64
static __u64 refusals[REFUSALS];

static __always_inline __u64 *refusal_of(__u64 task)
{
	return &refusals[task / 64 * 0x9e3779b97f4a7c15ULL >> 58 & (REFUSALS - 1)];
}

static __always_inline void note_refusal(__u32 limit)
{
	__u64 task = bpf_get_current_task();

	*refusal_of(task) = task | limit;
}

static __always_inline __u32 take_refusal(void)
{
	__u64 task = bpf_get_current_task(), *slot = refusal_of(task), noted = *slot ^ task;

	if (noted > PROCLIFE_LIMIT_NO_INIT)
		return 0;
	*slot = 0;
	return noted;
}

#define CAP_SYS_ADMIN 21
#define CAP_SYS_RESOURCE 24

/* The kernel lets these through, whatever the limit. */
static __always_inline bool may_exceed_nproc(struct task_struct *p)
{
	struct cred___caps *cred = (void *)p->cred;
	unsigned long caps = read_pointer(&cred->cap_effective);

	return !cred->user_ns->level && caps & (1ul << CAP_SYS_ADMIN | 1ul << CAP_SYS_RESOURCE);
}

/* As proclife's module asks it; of the user's own namespace only, and not before Linux 6.1. */
static __always_inline bool nproc_refuses(struct task_struct *p)
{
	struct cred___counts *cred = (void *)p->cred;
	unsigned long counts;

	if (!bpf_core_field_exists(((struct ucounts *)0)->rlimit) || !p->cred->uid.val ||
	    may_exceed_nproc(p))
		return false;
	/* The verifier knows no way through an array of atomic_long_t. */
	counts = read_pointer(&cred->ucounts) + bpf_core_field_offset(struct ucounts, rlimit) +
		 8 * bpf_core_enum_value(enum rlimit_type, UCOUNT_RLIMIT_NPROC);
	return read_pointer((void *)counts) >= p->signal->rlim[RLIMIT_NPROC].rlim_cur;
}

/* A process that a limit did not refuse has none to be blamed for the error. */
static __always_inline __u32 fork_limit(struct task_struct *p, long error)
{
	__u32 limit = take_refusal();

	if (error != -EAGAIN && !(error == -ENOMEM && limit == PROCLIFE_LIMIT_NO_INIT))
		return 0;
	return limit || !nproc_refuses(p) ? limit : PROCLIFE_LIMIT_NPROC;
}

static __always_inline void record_fail(struct proclife_record *r, __u32 what, long error, __u32 limit)
{
	take_head(r, current_task());
	take_nothing(r->words);
	r->fail.what = what;
	r->fail.error = -error;
	r->fail.limit = limit;
}

/* Room to measure a path: one for each program, since one can preempt the other. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, char[4096]);
} measured_paths SEC(".maps");

/* The tail of a text of the user's. Returns how long the text is; 0: it is empty, or not known. */
static __always_inline __u32 take_user_text(char to[PROCLIFE_PATH_LEN], const char *from, __u32 index)
{
	char *room = bpf_map_lookup_elem(&measured_paths, &index);
	long len = room ? bpf_probe_read_user_str(room, 4096, from) : 0;
	__u32 skipped;

	if (len < 2)
		return 0;
	len--;
	skipped = len > PROCLIFE_PATH_LEN ? len - PROCLIFE_PATH_LEN : 0;
	if (bpf_probe_read_user_str(to, PROCLIFE_PATH_LEN, from + skipped) < 0)
		return 0;
	/* The helper ends the text with a NUL, in place of the last byte if it is as long as the room. */
	if (len >= PROCLIFE_PATH_LEN)
		bpf_probe_read_user(to, PROCLIFE_PATH_LEN, from + skipped);
	return len;
}

/*
 * The kernel has just read the path, so that it is in memory, but for EFAULT. An exec that fails late has replaced the
 * memory that it was in; then the task dies of a signal of the kernel.
 */
static __always_inline bool has_path(struct task_struct *p, long error)
{
	return error != -EFAULT && !(p->pending.signal.sig[0] & (SIG_BIT(SIGKILL) | SIG_BIT(SIGSEGV)));
}

static __always_inline void record_fail_exec(struct proclife_record *r, long error, const char *path, bool by_fd,
					     __u32 index)
{
	struct task_struct *p = current_task();

	record_fail(r, PROCLIFE_FAIL_EXEC, error, 0);
	if (!has_path(p, error))
		return;
	r->fail.path_len = take_user_text(r->fail.path, path, index);
	if (r->fail.path_len > PROCLIFE_PATH_LEN)
		r->flags |= PROCLIFE_F_TRUNCATED;
	if (by_fd && !r->fail.path_len)
		r->flags |= PROCLIFE_F_BY_FD;
}

#endif
