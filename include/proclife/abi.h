/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * What the proclife module shows to user space: the records, the pages mapped from /dev/proclife,
 * and the ioctls.
 *
 * Everything is little-endian and naturally aligned, without implicit padding. Reserved fields are
 * zero when the kernel writes them and must be zero when user space does. Times are nanoseconds.
 *
 * The mapping
 * -----------
 * Offset 0 holds struct proclife_header. For each CPU c whose bit is set in the header's CPU map,
 * offset rings_offset + c * ring_stride holds struct proclife_ring_ctl; counts_offset and
 * suppressed_offset bytes from there, `types` counts each; and records_offset bytes from there,
 * records_per_ring records, record_bytes apart. Touching a ring that does not exist raises SIGBUS. A
 * reader takes every offset, size and number from the header: a later module may use others. The mapping is
 * read-only for all: no reader can hold up the writers, or change what another one reads. The
 * kernel bounds the work that a reader can cause: see struct proclife_watermark and
 * proclife_snapshot.
 *
 * The writer's contract
 * ---------------------
 * Only CPU c writes ring c, with interrupts off from reserving a position until committing it.
 * Positions are free-running 64-bit counts of records; position p lies in slot p modulo
 * records_per_ring. Time stamps never decrease along a ring. A writer never waits: it overwrites
 * the oldest records.
 *
 * The reader's contract
 * ---------------------
 * Each reader keeps a private position for each ring and follows the algorithm of ring.h: load
 * commit (acquire), copy the records below it, fence, load reserve. What was copied is valid for
 * positions at or above reserve - records_per_ring; the rest is an overrun, and the reader knows
 * how many records it lost. Records of different CPUs are ordered by (ts, cpu, position). A record
 * may be passed on once its ts lies below the horizon that ring.h describes.
 *
 * Identity
 * --------
 * `task` is an opaque handle that no two tasks share between fork and free. `group` is such a
 * handle of a thread group (process), from the fork of the first thread to the free of the last,
 * through exec by any thread. Pids are attributes: they are reused, and two threads exchange theirs
 * when one that is not the thread group leader execs. `mm` is such a handle of an address space, until
 * its PROCLIFE_MM_GONE. Handles of tasks, thread groups and address spaces differ, too. The module's are
 * hashes of 64 bits: two of a million objects that exist at once are equal with a probability of 3e-8.
 *
 * How this grows
 * --------------
 * A later module may have more types (up to 63), flags, values and ioctls, use reserved bytes, lengthen
 * the header and the records, and place rings, records and counts elsewhere. Reserved bytes are zero
 * until then, and a new field's 0 means "not known". So a reader takes each offset, size and number
 * from the header, skips what is beyond the structures that it knows, and ignores types, flags and
 * values that it does not know; and a newer reader understands an older module. Nothing that is here
 * changes its place in its structure, its size or its meaning without another PROCLIFE_ABI_COMPATIBLE.
 */
#ifndef PROCLIFE_ABI_H
#define PROCLIFE_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PROCLIFE_MAGIC 0x006566696c637270ULL /* "prclife\0" in memory */
#define PROCLIFE_ABI_VERSION 3
/* The oldest ABI whose readers can read this one: they ignore types and flags new to them. */
#define PROCLIFE_ABI_COMPATIBLE 3

#define PROCLIFE_COMM_LEN 16

enum proclife_type {
	PROCLIFE_NONE = 0,
	PROCLIFE_FORK = 1, /* the head is the child */
	PROCLIFE_EXEC = 2,
	PROCLIFE_ARGS = 3, /* belongs to the last EXEC of the same task */
	PROCLIFE_RENAME = 4, /* the head's comm is the old name */
	PROCLIFE_EXIT = 5,
	PROCLIFE_REAP = 6, /* the head is the task that is reaped */
	PROCLIFE_FREE = 7,
	PROCLIFE_WAIT = 8, /* the head is the task that begins to wait */
	PROCLIFE_HANG = 9,
	PROCLIFE_SIGNAL = 10, /* the head is the target */
	PROCLIFE_TASK = 11,   /* only in a snapshot */
	PROCLIFE_SUPPRESSED = 12, /* about no task: the head has only ts, type and cpu */
	PROCLIFE_EXITING = 13, /* the task enters do_exit(): its death begins */
	PROCLIFE_MM = 14,      /* about an address space; the head is the task that does it, if one does */
	PROCLIFE_COREDUMP = 15, /* a signal that dumps core ends the task; see its exit code's 0x80 */
	PROCLIFE_OOM = 16,	/* the OOM killer has chosen the task; the head is the victim */
	PROCLIFE_CGROUP = 17,	/* a cgroup got its first task or lost its last; head as SUPPRESSED */
	PROCLIFE_PAST = 18,	/* only in a recording; the head is the leader, or another task */
	PROCLIFE_NOTIFY = 19,	/* the end of a task is announced; the head is this task */
	PROCLIFE_BIRTH = 20,	/* a step on the way to a task, or to a program; the head does it */
	PROCLIFE_FAIL = 21,	/* a fork or an exec failed; the head is the task that tried */
	PROCLIFE_TIMES = 22,	/* what a task has used up to a mark of its life; the head is this task */
	PROCLIFE_PATH = 23, /* belongs to the last EXEC of the same task */
	PROCLIFE_TYPES = 32,
};

/* flags of a record */
#define PROCLIFE_F_THREAD (1u << 0)	/* not the leader of its thread group: pid != tgid */
#define PROCLIFE_F_KTHREAD (1u << 1)	/* kernel thread */
#define PROCLIFE_F_WORKER (1u << 2)	/* kernel-made thread of a user process: io_uring, vhost */
#define PROCLIFE_F_GROUP_DEAD (1u << 3) /* EXIT, SIGNAL: no thread of the group is left alive; see NOTIFY */
#define PROCLIFE_F_TRUNCATED (1u << 4)	/* a text was cut: EXEC, FAIL have its tail, ARGS ends; see PAST */
#define PROCLIFE_F_EXITING (1u << 5)	/* TASK: has entered exit; its EXIT may be past */
#define PROCLIFE_F_ZOMBIE (1u << 6)	/* TASK: has exited and waits to be reaped */
/*
 * EXIT with GROUP_DEAD: the group ended as a whole, and exit_code is the group's, which wait(2)
 * gives its parent. Without this flag (only before Linux 5.18) wait(2) gives the leader's. EXITING,
 * TASK: the whole group is ending, and exit_code is the group's.
 */
#define PROCLIFE_F_GROUP_EXIT (1u << 7)
#define PROCLIFE_F_EXECING (1u << 8) /* MM: the task is in execve(2), which drops what it had */
#define PROCLIFE_F_SOFTIRQ (1u << 9) /* FREE: it ran in a softirq, on top of the task that it names */
#define PROCLIFE_F_SOLE (1u << 10) /* EXITING: its group has no other thread, and none that ran has ended */
#define PROCLIFE_F_SHARES (1u << 11) /* FORK of a process: it has its creator's memory, until it execs */
#define PROCLIFE_F_SCRIPT (1u << 12) /* EXEC: an interpreter runs the path; the first argument is its name */
#define PROCLIFE_F_BY_FD (1u << 13) /* EXEC: by a descriptor; the path is the file's name, FAIL has none */
#define PROCLIFE_F_TRACER (1u << 14) /* NOTIFY: to a tracer, of another process than the parent's */
#define PROCLIFE_F_PEAK (1u << 15) /* EXIT: max_rss is the peak of the address space that it has now */
#define PROCLIFE_F_AUTOREAP (1u << 16) /* NOTIFY: no process has to wait for it: it is released at once */
#define PROCLIFE_F_IO (1u << 17) /* FREE: read_bytes and write_bytes are known */
#define PROCLIFE_F_USER (1u << 18) /* REAP: uid and euid are known */

struct proclife_fork {
	__u64 parent;  /* handle of real_parent, the parent by birth */
	__u64 group;   /* handle of the child's thread group */
	__u64 creator; /* handle of the task that called fork: not the parent under CLONE_PARENT */
	__u64 cgroup;  /* id in the default hierarchy, as name_to_handle_at(2) gives it */
	__u32 parent_pid;
	__u32 parent_tgid;
	__u32 creator_pid;
	__u32 creator_tgid;
	__u32 uid;
	__u32 ns_pid;  /* the child's pid in its own pid namespace */
	__u32 ns_inum; /* inode of that namespace, as in /proc/PID/ns/pid */
	__u32 reserved0;
	__u64 reserved1;
};

/*
 * What a task does before its FORK of another one, or between its own FORK and EXEC: `what` of struct
 * proclife_birth.
 */
/* It begins to fork: nothing is allocated yet. If the fork succeeds, its next FORK as the creator follows. */
#define PROCLIFE_BIRTH_FORKING 1
#define PROCLIFE_BIRTH_STARTED 2 /* it runs for the first time, after its FORK */
/*
 * It begins to exec. If the exec succeeds, its next EXEC follows; a search of PATH fails several times
 * first.
 */
#define PROCLIFE_BIRTH_EXECING 3
/*
 * Only in a recording that keeps the latest, as PROCLIFE_PAST: what records that it lacks said of the head.
 */
#define PROCLIFE_BIRTH_PAST 4

/* Only with the parameter `births`. */
struct proclife_birth {
	/* PAST: ts of records; 0: there was none, or not known. With other `what` 0. */
	__u64 forking; /* its creator's FORKING */
	__u64 started; /* its STARTED */
	__u64 execing; /* of its process's first EXEC: the EXECING of that... */
	__u64 execed;  /* ... and itself */
	__u32 what; /* PROCLIFE_BIRTH_* */
	__u32 ran; /* PAST: 1: its process has run, whether it is known when it began to or not */
	__u64 reserved[4];
};

/*
 * The mark to which a TIMES belongs, `what` of struct proclife_times: the record of that mark, of the same
 * task, is shortly before it.
 */
#define PROCLIFE_TIMES_EXECING 1 /* the EXECING of a BIRTH */
#define PROCLIFE_TIMES_EXEC 2
#define PROCLIFE_TIMES_EXITING 3
/*
 * The NOTIFY of its own end that it makes itself. A tracer, or the last thread of its process, can make it,
 * too.
 */
#define PROCLIFE_TIMES_NOTIFY 4
#define PROCLIFE_TIMES_FORKING 5 /* the FORKING of a BIRTH */
#define PROCLIFE_TIMES_FORK 6 /* a FORK whose creator is this task */
/*
 * Only in a recording that keeps the latest, as PROCLIFE_PAST: bytes, of threads of the process that are
 * freed.
 */
#define PROCLIFE_TIMES_PAST 7

/*
 * Only with the parameter `times`. The figures are sums since the task's fork: an exec changes nothing
 * here. A task that is not blocked is on a CPU or waits for one. Between two marks with the same nvcsw it
 * was never blocked.
 */
struct proclife_times {
	__u64 runtime; /* ns on a CPU, up to its last tick or switch */
	__u64 delay;   /* ns that it could run, but waited for a CPU, or for its cgroup's quota of it */
	__u64 nvcsw;   /* how often it gave up the CPU, to block */
	__u64 nivcsw;  /* how often it was taken away */
	__u64 read_bytes;  /* from storage; 0 on a kernel without CONFIG_TASK_IO_ACCOUNTING */
	/* to pages that go to storage; also if they were removed before they were written */
	__u64 write_bytes;
	__u32 what; /* PROCLIFE_TIMES_* */
	__u32 threads; /* PAST: how many these are */
	__u64 reserved[2];
};

#define PROCLIFE_PATH_LEN 48

struct proclife_exec {
	__u64 group;
	__u32 old_pid; /* pid before the exec; another one if a thread took over its leader's pid */
	__u32 uid;
	__u32 euid;
	__u32 path_len;		      /* of the whole path, without NUL */
	char path[PROCLIFE_PATH_LEN]; /* its tail; filled up with NULs, without one if it is full */
};

/* What failed: `what` of struct proclife_fail. */
#define PROCLIFE_FAIL_FORK 1
#define PROCLIFE_FAIL_EXEC 2

/* Which limit refused a fork. */
#define PROCLIFE_LIMIT_NPROC 1	  /* RLIMIT_NPROC: the user has as many processes as the task may have */
#define PROCLIFE_LIMIT_PIDS_MAX 2 /* pids.max of its cgroup, or of one above */
#define PROCLIFE_LIMIT_PID_MAX 3  /* no number is free in the pid namespace: pid_max */
#define PROCLIFE_LIMIT_NO_INIT 4  /* ENOMEM: the init of the pid namespace has ended */

/* Only with the parameter `failures`. */
struct proclife_fail {
	__u32 what;  /* PROCLIFE_FAIL_* */
	__u32 error; /* errno, such as ENOENT: positive */
	__u32 limit; /* FORK: PROCLIFE_LIMIT_*; 0: no limit did, or that is not known */
	__u32 path_len; /* EXEC: of the whole path, without NUL; 0: not known, or it has none */
	char path[PROCLIFE_PATH_LEN]; /* as in struct proclife_exec, as the task gave it */
	__u64 reserved;
};

#define PROCLIFE_ARGS_LEN 64

/*
 * A piece of the argument vector as it is in the memory of the task: each argument with a NUL at
 * its end. The pieces follow their EXEC in the order of their offsets. Other records can lie
 * between them. The task can migrate between two pieces, so they can lie in several rings. The last
 * piece ends at `total`, or has PROCLIFE_F_TRUNCATED: there is more than args_bytes, or it was not
 * in memory.
 */
struct proclife_args {
	__u32 total;  /* bytes of the whole vector, recorded or not */
	__u16 offset; /* of this piece in it */
	__u16 len;    /* of this piece */
	char text[PROCLIFE_ARGS_LEN]; /* filled up with NULs */
};

#define PROCLIFE_PATH_TEXT 60
#define PROCLIFE_PATH_ENV_NAME 128 /* the parameter `env` has no name this long */

/* Which text a PATH is a piece of: `what` of struct proclife_path. */
#define PROCLIFE_PATH_EXE 1 /* the path of the file that runs; of a script, its interpreter's */
#define PROCLIFE_PATH_CWD 2 /* the working directory */
/*
 * Variables of the environment whose names the parameter `env` has, as NAME=VALUE, each with a NUL at its
 * end.
 */
#define PROCLIFE_PATH_ENV 3

/*
 * Only with the parameters `paths`, which EXE and CWD need, and `env`. Pieces follow their EXEC and its
 * ARGS, in that order and that of their offsets. The rest is as in ARGS. A path is that of /proc/PID/exe
 * and /proc/PID/cwd as the task itself sees them: from its root directory, or from that of its mounts if
 * the file is not below it. " (deleted)" follows one that is not there any more. With PROCLIFE_F_TRUNCATED,
 * a path is not known, and has no length; and of variables there are more bytes, or not all of the
 * environment was searched: only its first 32 KiB are, and only what is in memory.
 */
struct proclife_path {
	__u16 what;   /* PROCLIFE_PATH_* */
	__u16 total;  /* bytes of the whole text, recorded or not */
	__u16 offset; /* of this piece in it */
	__u16 len;    /* of this piece */
	__u32 searched; /* ENV: bytes of the environment, up to the end of the last variable */
	char text[PROCLIFE_PATH_TEXT]; /* filled up with NULs */
};

struct proclife_rename {
	char name[PROCLIFE_COMM_LEN]; /* the new one */
	__u64 cgroup; /* now: the task can have been moved since its fork */
	__u64 reserved[6];
};

struct proclife_exit {
	__s32 exit_code; /* as wait(2) gives it; the thread's, but see PROCLIFE_F_GROUP_EXIT */
	__u32 live;	 /* threads of the group that are still alive */
	/*
	 * The thread's, at the last tick or switch: FREE has the final figures. utime and stime
	 * are as the tick sampled them; proclife_cputime() of the library scales them to runtime.
	 */
	__u64 runtime;
	__u64 utime;
	__u64 stime;
	__u64 min_flt;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 max_rss;	/* KiB, with GROUP_DEAD. Without F_PEAK, ru_maxrss: before an exec, too */
	__u32 maj_flt;	/* stays at its maximum once there */
	__u32 parent_tgid; /* of real_parent now: the task may have been reparented */
};

/*
 * The task that reaps, sends, is notified, or asks for memory is a thread: its *_comm is the thread's name,
 * and its *_group_comm the process's, which is the name of the thread group leader. Empty: not known.
 */
struct proclife_reap {
	__u64 reaper;
	__u64 reaper_group;
	__u32 reaper_pid;
	__u32 reaper_tgid;
	char reaper_comm[PROCLIFE_COMM_LEN];
	__u64 cgroup; /* the last one that the reaped task was in */
	char reaper_group_comm[PROCLIFE_COMM_LEN];
	/* These two only with F_USER. The reaped task's, whatever it was at its last exec: see setuid(2). */
	__u32 uid;
	__u32 euid;
};

/* FREE is an RCU callback: the task it ran in, or on top of, had nothing to do with the life. */
struct proclife_free {
	__u64 runtime; /* final, the exit itself included */
	__u64 utime;
	__u64 stime;
	__u64 runner; /* handle of the task in which the callback ran; 0, and the next one: not known */
	__u32 runner_pid;
	__u32 users; /* how many still hold the task_struct: its memory stays until they let go */
	char runner_comm[PROCLIFE_COMM_LEN];
	/* These two only with F_IO. Since its fork: an exec changes nothing here. */
	__u64 read_bytes;  /* from storage */
	/* to pages that go to storage; also if they were removed before they were written */
	__u64 write_bytes;
};

struct proclife_wait {
	/* The pid or process group, in the initial namespace; 0: any child, or no process has it. */
	__u32 wanted;
	__u32 what;   /* PROCLIFE_WAIT_*; 0: not known, as from a 32-bit program on a 64-bit kernel */
	__u64 reserved[8];
};

#define PROCLIFE_WAIT_ANY 1   /* any child */
#define PROCLIFE_WAIT_PID 2   /* the process, or the thread, with this pid */
#define PROCLIFE_WAIT_GROUP 3 /* any child in this process group */

/*
 * A signal whose action in the target is the default one, and that is to terminate. So there is no
 * SIGCHLD: NOTIFY names the process that is notified of an end.
 */
struct proclife_signal {
	__u64 sender; /* the task that caused it; 0: an interrupt, and the next three are 0, too */
	__u32 sender_pid;
	__u32 sender_tgid;
	char sender_comm[PROCLIFE_COMM_LEN];
	__s32 signo;
	__s32 code;	/* si_code, as in sigaction(2) */
	__s32 result;	/* PROCLIFE_SIGNAL_* */
	__u32 to_group; /* 1: any thread of the group may take it; 0: this one */
	/* 1: all that may take it (64 are looked at) block or await it: it ends no task now. */
	__u32 blocked;
	__u16 cause;	/* PROCLIFE_CAUSE_*; 0: not known */
	/* PROCLIFE_F_KTHREAD, _WORKER; _EXITING if it exits, and _GROUP_DEAD if its whole process does */
	__u16 sender_flags;
	char sender_group_comm[PROCLIFE_COMM_LEN];
};

/* Why the kernel sent a signal by itself, where that can be known. */
#define PROCLIFE_CAUSE_PARENT 1 /* the sender, its parent, ends: PR_SET_PDEATHSIG of prctl(2) */
#define PROCLIFE_CAUSE_NAMESPACE 2 /* the sender, the init of its pid namespace, ends */
#define PROCLIFE_CAUSE_TRACER 3 /* the sender, its tracer, ends: PTRACE_O_EXITKILL of ptrace(2) */
/*
 * A key of its terminal, or a hangup. The sender is a worker of the kernel, or, for instance, the task that
 * closed the other side of a pseudo-terminal.
 */
#define PROCLIFE_CAUSE_TERMINAL 4

#define PROCLIFE_SIGNAL_QUEUED 0
#define PROCLIFE_SIGNAL_IGNORED 1
#define PROCLIFE_SIGNAL_PENDING 2  /* the same signal was pending already: nothing changes */
#define PROCLIFE_SIGNAL_NO_ROOM 3  /* a real-time signal that could not be queued: lost */
#define PROCLIFE_SIGNAL_NO_INFO 4 /* pending, but the target will not learn its sender */

/*
 * The kernel announces the end of a task to its parent, or to its tracer as long as it is traced.
 * With GROUP_DEAD, the task is the leader and the last one of its group: the process has ended, and
 * is a zombie from now on. Otherwise it is a traced thread's end. A process has one with
 * F_TRACER, if another process traces it then, and after that one for its parent, once the tracer
 * has waited for it or is gone. It has another one for each parent that inherits it as a zombie.
 * The tracer and the parent can be one process: then there is one, without F_TRACER.
 *
 * Different tasks can call the kernel's function: the task itself, the last thread of its
 * process, a tracer, a parent that exits. So its name is not here.
 *
 * There is one even if no signal is sent. What becomes of the signal is as seen just before.
 */
struct proclife_notify {
	__u64 receiver; /* the task to which it is announced: the parent, or the tracer */
	__u64 receiver_group;
	__u32 receiver_pid;
	__u32 receiver_tgid;
	char receiver_comm[PROCLIFE_COMM_LEN];
	__s32 signo;  /* sent to its group; 0: none, since it is set to SIG_IGN or was not asked for */
	__s32 result; /* PROCLIFE_SIGNAL_*, if there is a signal */
	__u32 parent_tgid; /* of real_parent now */
	__u32 autoreap; /* PROCLIFE_AUTOREAP_*, with F_AUTOREAP: why no process has to wait for it */
	char receiver_group_comm[PROCLIFE_COMM_LEN];
};

#define PROCLIFE_AUTOREAP_IGNORED 1 /* the parent has SIG_IGN for SIGCHLD */
#define PROCLIFE_AUTOREAP_NOCLDWAIT 2 /* the parent has SA_NOCLDWAIT, and gets the signal */
#define PROCLIFE_AUTOREAP_CLONE 3 /* the process was made with CLONE_AUTOREAP */

struct proclife_state {
	__u64 parent; /* real_parent now, not by birth */
	__u64 group;
	__u64 cgroup;
	__u64 runtime;
	__u64 utime;
	__u64 stime;
	__u32 parent_tgid;
	__u32 uid;
	__u32 ns_pid;
	__u32 ns_inum;
	__s32 exit_code;
	__u32 tracer_tgid; /* with ZOMBIE: the tracer that holds it, and its parent waits for that; 0: none */
};

/*
 * Any process could cause some records as often as it likes, and so overwrite the rings. These have
 * a budget on each CPU: WAIT, RENAME, CGROUP, SIGNAL except for what comes with a death, MM except for
 * what an exiting task does, NOTIFY of what an exiting task hands on, BIRTH except for STARTED, and FAIL.
 * This record begins or ends a time in which the CPU makes no records of such a type. No reader lost
 * them: they were never made.
 *
 * With PROCLIFE_NONE it is about all types: root stops recording, by the parameter `recording`, or starts it
 * again. What happens in between is not known. There is one in each ring as the stop begins, another one once
 * no record comes any more, and one when all come again. Between these, some come.
 */
struct proclife_suppressed {
	__u32 what;  /* enum proclife_type */
	__u32 ended; /* 0: from here on; 1: up to here */
	/*
	 * ts of the record that began it, which can be this one. NONE: when the stop began, the same on all
	 * CPUs.
	 */
	__u64 since;
	__u64 count; /* records that were not made; 0 if it begins */
	__u64 reserved[6];
};

/*
 * The first instant of a death, of each task: before a tracer can hold it, before its io_uring is
 * cancelled, before its address space and files are let go. EXIT comes later: see the header's
 * exit_mark.
 */
struct proclife_exiting {
	__u64 parent; /* handle of real_parent now, which the kernel may have replaced since birth */
	__u64 tracer; /* handle of the task that traces it, and reaps it first; 0: none */
	__u64 mm;     /* handle of its address space; 0: it has none, as kernel threads */
	__u64 cgroup;
	/* KiB that the address space has in memory; wrong by up to rss_error of the header, each. */
	__u64 rss_anon;
	__u64 rss_file;
	__u64 rss_shmem;
	__u32 parent_tgid;
	__u32 tracer_tgid;
	__s32 exit_code; /* as wait(2) gives it; the thread's, but see PROCLIFE_F_GROUP_EXIT */
	__u32 mm_users;	 /* how many hold the address space: tasks, and others for a moment */
};

/* What happens to an address space: `what` of struct proclife_mm. */
/*
 * A thread lets go while others hold it, and all threads of its process have begun to exit. The
 * others can be threads of this process: its last LEFT shows how many hold it from then on.
 */
#define PROCLIFE_MM_LEFT 1
/*
 * The last holder lets go; a worker of the kernel will tear it down. In an interrupt, or if it is not
 * known whether it is in one, the head is as SUPPRESSED.
 */
#define PROCLIFE_MM_ASYNC 2
/*
 * Its anonymous memory is taken for its sake: by the OOM reaper, or process_mrelease(2), while others
 * hold it or even while it is torn down. So this can come after TEARDOWN, but not after GONE.
 */
#define PROCLIFE_MM_EARLY 3
#define PROCLIFE_MM_TEARDOWN 4 /* nothing holds it any more: its teardown begins */
#define PROCLIFE_MM_GONE 5 /* its pages are unmapped. The handle can be used again */

/*
 * A task that execs drops its old address space, too: see PROCLIFE_F_EXECING. An exec or a fork that
 * fails tears down one that no task ever had. Where there is nothing to unmap, there is no GONE from
 * Linux 6.1 on.
 */
struct proclife_mm {
	__u64 mm;   /* handle */
	__u32 what; /* PROCLIFE_MM_* */
	__u32 users; /* LEFT: how many others hold it; otherwise 0 */
	/*
	 * KiB mapped now; 0 with GONE. Unmapped is not freed: pages of files stay in the page cache,
	 * and shared ones with the processes that share them.
	 */
	__u64 rss_anon;
	__u64 rss_file;
	__u64 rss_shmem;
	__u64 swap;
	__u64 tables; /* page tables */
	__u64 peak; /* KiB that it had in memory at most, so far; 0 with GONE */
	__u64 reserved;
};

struct proclife_coredump {
	__s32 signo;
	__u32 reserved0;
	__u64 reserved1[8];
};

/*
 * The task that asked for memory; the victim's SIGKILL names it as its sender. If it is the victim
 * and ends already, there is no SIGKILL.
 */
struct proclife_oom {
	__u64 allocator; /* handle */
	__u32 allocator_pid;
	__u32 allocator_tgid;
	char allocator_comm[PROCLIFE_COMM_LEN];
	__u64 cgroup; /* PROCLIFE_OOM_CGROUP: the one at its limit; 0: it is not of the default hierarchy */
	char allocator_group_comm[PROCLIFE_COMM_LEN];
	__u32 scope; /* PROCLIFE_OOM_*; 0: not known */
	__u32 reserved0;
	__u64 reserved1;
};

/* No cgroup's limit: the machine's memory, or its nodes' that the allocator may use. */
#define PROCLIFE_OOM_GLOBAL 1
#define PROCLIFE_OOM_CGROUP 2 /* the limit of a cgroup */

/*
 * For each cgroup above it, too, if that changes with it. Up to Linux 6.18, an exiting task leaves
 * its cgroup before its parent is notified; later, after its last switch: see cgroup_leave of the
 * header. So whose doing it was is not known here.
 */
struct proclife_cgroup {
	__u64 cgroup;	 /* id in the default hierarchy */
	__u32 populated; /* 1: it has tasks now, itself or below; 0: none */
	__u32 reserved0;
	__u64 reserved1[7];
};

/*
 * A recording that keeps only the latest of what was recorded begins with records of the lives that were
 * open then. This is about the process's other records before it: no device has it. With
 * PROCLIFE_F_TRUNCATED a gap touches its life: that and those records were lost.
 */
struct proclife_past {
	__u64 runtime; /* these are sums, of threads that were freed */
	__u64 utime;
	__u64 stime;
	__u64 min_flt;
	__u64 maj_flt;
	__u64 nvcsw;
	__u64 nivcsw;
	__u32 threads; /* how many these were */
	__u32 execs;   /* EXECs that are left out */
	__u64 waited;  /* ts of the last WAIT of a thread of it, if that is left out; 0: it is not */
};

struct proclife_record {
	__u64 ts;   /* CLOCK_MONOTONIC of the initial time namespace; see PROCLIFE_IOC_CLOCK */
	__u16 type; /* enum proclife_type */
	__u16 cpu;
	__u32 flags; /* PROCLIFE_F_* */
	__u64 task;  /* handle */
	__u64 start; /* CLOCK_BOOTTIME of the fork: what /proc/PID/stat shows in ticks */
	__u32 pid;   /* pid and tgid are in the initial namespace */
	__u32 tgid;
	char comm[PROCLIFE_COMM_LEN]; /* can be torn by a rename at that moment, never unterminated */
	union {
		struct proclife_fork fork;
		struct proclife_birth birth;
		struct proclife_fail fail;
		struct proclife_times times;
		struct proclife_exec exec;
		struct proclife_args args;
		struct proclife_path path;
		struct proclife_rename rename;
		struct proclife_exit exit;
		struct proclife_reap reap;
		struct proclife_free free;
		struct proclife_wait wait;
		struct proclife_signal signal;
		struct proclife_state state;
		struct proclife_suppressed suppressed;
		struct proclife_exiting exiting;
		struct proclife_mm mm;
		struct proclife_coredump coredump;
		struct proclife_oom oom;
		struct proclife_cgroup cgroup;
		struct proclife_past past;
		struct proclife_notify notify;
		__u64 words[9];
	};
};

/*
 * The control page of a ring begins with this. Its CPU alone writes it. Where its counts are, and of how many
 * types, is in the header: counts_offset, suppressed_offset, types.
 */
struct proclife_ring_ctl {
	__u64 reserve; /* positions below it are written or being written */
	__u64 commit;  /* positions below it are complete */
	__u64 suppressing; /* PROCLIFE_HAS() of each type that is being suppressed now */
	__u64 last; /* ts of the last record, in a ring of BPF; 0 in one of the module */
	__u64 reserved[4];
};

/* features */
#define PROCLIFE_HAS(type) (1ULL << (type)) /* records of that enum proclife_type can appear */

/* where EXIT stands */
#define PROCLIFE_EXIT_AFTER_MM 1  /* the address space is gone already (Linux up to 6.15) */
#define PROCLIFE_EXIT_BEFORE_MM 2 /* it is torn down after EXIT (Linux 6.16 and later) */

/* where REAP comes from */
#define PROCLIFE_REAP_NONE 0
#define PROCLIFE_REAP_CGROUP_RELEASE 1	    /* cgroup_release() begins */
#define PROCLIFE_REAP_CGROUP_TASK_RELEASE 2 /* cgroup_task_release() begins */

/* Which MM records the module makes, if the kernel calls its hooks: bits of the header's mm_marks. */
#define PROCLIFE_HAS_MM(what) (1u << (what))
/* The same of BIRTH records: bits of birth_marks. */
#define PROCLIFE_HAS_BIRTH(what) (1u << (what))

/* The same of PATH records: bits of path_marks. */
#define PROCLIFE_HAS_PATH(what) (1u << (what))

/* when an exiting task leaves its cgroup */
#define PROCLIFE_CGROUP_LEAVE_EXIT 1 /* in its exit, before its parent is notified (up to Linux 6.18) */
#define PROCLIFE_CGROUP_LEAVE_SWITCH 2 /* after its last context switch (Linux 6.19 and later) */

/* what makes the records */
#define PROCLIFE_SOURCE_MODULE 1
#define PROCLIFE_SOURCE_BPF 2 /* the programs of proclife/bpf.h, and no device */

#define PROCLIFE_RELEASE_LEN 64
#define PROCLIFE_VERSION_LEN 16

struct proclife_header {
	__u64 magic;
	__u32 abi_version;
	__u32 abi_compatible;
	__u32 header_bytes; /* of this struct, without the CPU map */
	__u32 record_bytes;
	__u64 map_bytes; /* of the whole device: the largest useful mapping */
	__u64 rings_offset;
	__u64 ring_stride;
	__u64 records_offset; /* within a ring */
	__u64 records_per_ring;
	__u32 cpus;	      /* how many rings can exist; CPU numbers are below this */
	__u32 cpu_map_offset; /* of the CPU map: 64-bit words, bit c % 64 of word c / 64 */
	__u64 generation;     /* grows when a ring appears; load it before the CPU map */
	__u64 features;	      /* PROCLIFE_HAS() of each type */
	__u32 exit_mark;      /* PROCLIFE_EXIT_* */
	__u32 reap_source;    /* PROCLIFE_REAP_* */
	__u64 reap_missed;    /* REAPs that a kprobe could not take, at the last open or read */
	/* To be added to a record's ts, at the last open by any process; see PROCLIFE_IOC_CLOCK. */
	__u64 to_boottime;
	__u64 to_realtime;
	__u64 loaded;	    /* CLOCK_MONOTONIC when recording began */
	__u32 init_pid_ns;  /* inode of the initial pid namespace */
	__u32 args_bytes;   /* the module's parameter; 0: no ARGS */
	__u32 mm_marks;	    /* PROCLIFE_HAS_MM() of each PROCLIFE_MM_* that can appear */
	__u32 hz;	    /* the tick by which utime and stime are sampled */
	char release[PROCLIFE_RELEASE_LEN]; /* uname -r */
	char version[PROCLIFE_VERSION_LEN]; /* of the module */
	__u32 cgroup_leave; /* PROCLIFE_CGROUP_LEAVE_* */
	__u32 birth_marks;  /* PROCLIFE_HAS_BIRTH() of each PROCLIFE_BIRTH_* that can appear */
	/*
	 * KiB by which an rss_* of EXITING and MM can be wrong, thrice that the peak; up to Linux 6.1, for
	 * each of its threads.
	 */
	__u64 rss_error;
	/*
	 * The same as reap_missed, of EXITING, MM, COREDUMP, NOTIFY, BIRTH, FAIL and an OOM's cgroup; NMIs,
	 * too.
	 */
	__u64 marks_missed;
	/*
	 * How many types a control page has counts of: each is an array of this many __u64. A reader that
	 * knows fewer types ignores the rest, and one that knows more takes the missing ones as 0.
	 */
	__u32 types;
	__u32 counts_offset;	 /* within a control page: records committed, by type */
	__u32 suppressed_offset; /* the same: records not made, by type; see PROCLIFE_SUPPRESSED */
	__u32 path_marks; /* PROCLIFE_HAS_PATH() of each PROCLIFE_PATH_* that can appear */
	__u64 stopped; /* CLOCK_MONOTONIC since when recording is stopped; 0: it is not */
	__u32 source; /* PROCLIFE_SOURCE_*; 0: not known */
	__u32 reserved0;
	__u64 reserved1[3];
};

/*
 * However low it is, and however many files are open: sleepers are woken at most once a
 * millisecond, and no CPU is interrupted more often for that.
 */
struct proclife_watermark {
	__u64 records; /* poll and read wait for this many unacknowledged records; at least 1 */
	/*
	 * PROCLIFE_HAS() of each type of which records count; 0: all. Others do not wake then, but go on to
	 * overwrite the rings. What is recorded when this changes counts as acknowledged. A file can be
	 * ready one record too early for each CPU that was in the middle of one as it acknowledged.
	 */
	__u64 types;
	__u64 reserved;
};

/*
 * All tasks, zombies included, as TASK records in the order of their time stamps: by pid, first the
 * threads that are not thread group leaders, then the leaders. The machine goes on meanwhile: each
 * record shows its task at the record's own time. A task that is forked or released meanwhile may
 * be in it or not; it has records in the rings. A thread that execs meanwhile, and so takes over
 * its leader's pid, may be in it with both pids. A reader that notes its ring positions before it
 * takes the snapshot misses no task. An RCU grace period waits for 64 tasks of it at most.
 */
struct proclife_snapshot {
	__u64 records;	/* in: address of room for `capacity` records */
	__u32 capacity; /* in: at least the number of tasks, else ENOSPC */
	__u32 count;	/* out: how many were written; with ENOSPC, how many tasks there were */
	/*
	 * in: how many bytes apart the records are in the buffer, at least sizeof(struct proclife_record)
	 * of ABI 3 and a multiple of 8. The module cuts a record that is longer, and fills up one that is
	 * shorter with 0.
	 */
	__u32 record_bytes;
	__u32 reserved;
};

/*
 * The time by the records' clock: no time that is taken later, on any CPU, is earlier than it. Where
 * the counters of two CPUs may be a tick apart, as on riscv64, it is that much earlier.
 */
struct proclife_clock {
	__u64 now; /* CLOCK_MONOTONIC of the initial time namespace, not of the caller's */
	/*
	 * To be added to a ts of this time, modulo 2^64. All three are of one moment: both offsets held
	 * when the time was `now`. They change when the machine was suspended, and the second when
	 * CLOCK_REALTIME is set.
	 */
	__u64 to_boottime;
	__u64 to_realtime;
	__u64 reserved;
};

#define PROCLIFE_IOC 0xF7
#define PROCLIFE_IOC_WATERMARK _IOW(PROCLIFE_IOC, 1, struct proclife_watermark)
#define PROCLIFE_IOC_SNAPSHOT _IOWR(PROCLIFE_IOC, 2, struct proclife_snapshot)
#define PROCLIFE_IOC_CLOCK _IOR(PROCLIFE_IOC, 3, struct proclife_clock)

#define PROCLIFE_DEVICE "/dev/proclife"

#endif
