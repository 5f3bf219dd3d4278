/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the kernel's types that the programs read. libbpf finds each by its name in the running kernel's BTF
 * when it loads them, so neither the order nor what is missing here matters. A name that ends in ___ and something is a
 * type as only some kernels have it.
 */
#ifndef PROCLIFE_BPF_TYPES_H
#define PROCLIFE_BPF_TYPES_H

#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	__s64 counter;
} atomic_long_t;

typedef struct {
	atomic_t refs;
} refcount_t;

typedef struct {
	unsigned int val;
} kuid_t;

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct list_head {
	struct list_head *next;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
};

struct oom_control {
	struct mem_cgroup *memcg;
	int order;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
	unsigned int pid_allocated;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct cred {
	kuid_t uid;
	kuid_t euid;
};

enum rlimit_type {
	UCOUNT_RLIMIT_NPROC,
};

struct ucounts {
	atomic_long_t rlimit[4];
};

struct cred___counts {
	struct ucounts *ucounts;
};

struct user_namespace {
	int level;
};

/* Two words up to Linux 6.2, one since then: the same bits. */
struct cred___caps {
	struct user_namespace *user_ns;
	struct {
		__u64 val;
	} cap_effective;
};

struct rlimit {
	__u64 rlim_cur;
};

struct percpu_counter {
	__s64 count;
};

struct mm_struct {
	unsigned long env_start;
	unsigned long env_end;
	atomic_t mm_users;
	atomic_long_t pgtables_bytes;
	unsigned long hiwater_rss;
	unsigned long arg_start;
	unsigned long arg_end;
};

/* Linux 6.2 (f1a7941243c1) and later. */
struct mm_struct___percpu {
	struct percpu_counter rss_stat[4];
};

struct mm_rss_stat___words {
	atomic_long_t count[4];
};

struct mm_struct___words {
	struct mm_rss_stat___words rss_stat;
};

struct tty_struct;

struct sigpending {
	sigset_t signal;
};

struct signal_struct {
	atomic_t live;
	int nr_threads;
	struct list_head thread_head;
	struct sigpending shared_pending;
	int group_exit_code;
	unsigned int flags;
	struct pid *pids[4];
	struct tty_struct *tty;
	__u64 sum_sched_runtime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	unsigned long maxrss;
	struct rlimit rlim[16];
};

/* Linux 7.1 and later. */
struct signal_struct___autoreap {
	unsigned int autoreap : 1;
};

struct sigaction {
	void *sa_handler;
	unsigned long sa_flags;
};

struct k_sigaction {
	struct sigaction sa;
};

struct sighand_struct {
	struct k_sigaction action[64];
};

struct kernel_siginfo {
	int si_signo;
	int si_code;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct sched_info {
	unsigned long long run_delay;
};

struct task_io_accounting {
	__u64 read_bytes;
	__u64 write_bytes;
};

struct nsproxy {
	struct pid_namespace *pid_ns_for_children;
};

struct fs_struct;

struct thread_info {
	unsigned long flags;
};

struct thread_info___x86 {
	__u32 status;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	unsigned int ptrace;
	struct sched_entity se;
	struct sched_info sched_info;
	struct mm_struct *mm;
	int exit_state;
	int exit_code;
	int exit_signal;
	int pdeath_signal;
	unsigned int in_execve : 1;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct list_head thread_node;
	__u64 utime;
	__u64 stime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	__u64 start_boottime;
	unsigned long min_flt;
	unsigned long maj_flt;
	const struct cred *real_cred;
	const struct cred *cred;
	char comm[16];
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct sighand_struct *sighand;
	sigset_t blocked;
	sigset_t real_blocked;
	struct sigpending pending;
	__u64 parent_exec_id;
	__u64 self_exec_id;
	struct task_io_accounting ioac;
	struct css_set *cgroups;
	refcount_t usage;
};

/* With CONFIG_PREEMPT_RT. */
struct task_struct___rt {
	int softirq_disable_cnt;
};

struct thread_info___arm64 {
	__u64 preempt_count;
};

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
};

struct task_struct___x86 {
	struct thread_info___x86 thread_info;
};

struct qstr {
	unsigned int len;
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct dentry_operations {
	void *d_dname;
};

/* Several typedefs are such a count, each with this at its beginning. */
struct seqcount {
	unsigned int sequence;
};

struct dentry {
	struct seqcount d_seq;
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	const struct dentry_operations *d_op;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct seqcount seq;
	struct path root;
	struct path pwd;
};

struct file {
	struct path f_path;
};

struct linux_binprm {
	struct file *file;
	const char *filename;
	const char *interp;
};

/* Linux 6.2 to 6.14 have the count of preemption in it. */
struct pcpu_hot {
	int preempt_count;
};

/* The registers of user space, as x86 and arm64 have them; libbpf has a struct pt_regs___arm64. */
struct pt_regs___of_x86 {
	unsigned long bx;
	unsigned long cx;
	unsigned long si;
	unsigned long di;
	unsigned long r8;
	unsigned long orig_ax;
};

struct pt_regs___of_arm64 {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
