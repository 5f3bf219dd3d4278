/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libproclife: the exact story of every task's life, for programs.
 *
 * A source yields records in one order: by time stamp, then CPU, then position. struct
 * proclife_tasks turns them into the lives of tasks and processes, and reports each one as it
 * begins and ends; tree and latency results are built on those reports.
 *
 * Unless said otherwise: functions return 0 or a negative errno; times are nanoseconds of
 * CLOCK_MONOTONIC of the initial time namespace, 0 for "not seen"; what a *_new() or *_open() gives is released by its *_free(),
 * which takes NULL; nothing is thread-safe, and independent objects may live in different threads.
 */
#ifndef PROCLIFE_H
#define PROCLIFE_H

#include <proclife/abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this header; PROCLIFE_VERSION_CODE is one number, to be compared.
 */
#define PROCLIFE_VERSION_MAJOR 0
#define PROCLIFE_VERSION_MINOR 1
#define PROCLIFE_VERSION_PATCH 0
#define PROCLIFE_VERSION_OF(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define PROCLIFE_VERSION_CODE                                           \
	PROCLIFE_VERSION_OF(PROCLIFE_VERSION_MAJOR, PROCLIFE_VERSION_MINOR, \
			    PROCLIFE_VERSION_PATCH)

/* The PROCLIFE_VERSION_CODE of the library that the program runs with. */
uint32_t proclife_version(void);

/*
 * Sources
 */

struct proclife_source;

/*
 * Records that a CPU's ring lost before the reader came to them. If `lost` is 0, they are not lost
 * but too old for the history that the reader asked for: they were overwritten, and had been written
 * before it began. Then `from` is 0 where that CPU's history begins, at `to`.
 */
struct proclife_gap {
	uint64_t lost;	/* records */
	uint64_t from;	/* all of them lie between from and to */
	uint64_t to;	/* ts of the first record after them, or the clock if there is none yet */
	uint32_t cpu;	/* UINT32_MAX: they are of a recording's snapshot */
};

struct proclife_event {
	const struct proclife_record *record; /* NULL: this is a gap */
	struct proclife_gap gap;	      /* set only if it is one */
	/* One that comes soon, or NULL: so that proclife_tasks_feed() can fetch what it needs. */
	const struct proclife_record *ahead;
};

/**
 * proclife_device_open - follow the running kernel
 * @source: set to the new source
 * @path: the device, NULL for PROCLIFE_DEVICE; a plain file laid out as the device is will do
 *
 * The source begins with the first record after this call. Where records are being suppressed by then,
 * a record PROCLIFE_SUPPRESSED that the library makes comes first, with `since` 0. Errors: -ENOENT and -EACCES of open(2),
 * -EPROTO if the device speaks an ABI that this library does not, -ENODEV if it is no proclife
 * device, -ENOTSUP if it is a plain file and this process is in a time namespace: its clock is then
 * not the one that the records have, and only a device tells the time by that.
 */
int proclife_device_open(struct proclife_source **source, const char *path);
void proclife_source_free(struct proclife_source *source);

/**
 * proclife_source_rewind - begin with what the rings still hold
 *
 * Call before the first proclife_source_next(), else it is -EBUSY. Each CPU's history begins at a
 * time of its own. Of a ring that has been overwritten, a gap with `lost` 0 says when, before all
 * records: what is older is not lost, but the lives that it touches are incomplete. What is written
 * before the first proclife_source_next() is history; overwritten before it is read, it leaves
 * another such gap. Where records were being suppressed when it begins, it begins with a record
 * PROCLIFE_SUPPRESSED whose `since` is 0.
 */
int proclife_source_rewind(struct proclife_source *source);

/**
 * proclife_source_snapshot - put a TASK record of every task there is now into the stream
 *
 * Call before the first proclife_source_next(), else it is -EBUSY. Tasks that were there before the
 * source began are known from then on. Errors: those of the ioctl; -ENOTTY if it is a plain file.
 */
int proclife_source_snapshot(struct proclife_source *source);

/**
 * proclife_source_next - the next event in order
 * @event: set if the return value is 1; its record is valid until the next call for this source
 *
 * A record is yielded as soon as nothing that comes before it can appear any more. Where a ring
 * lost records, a gap stands at the earliest time at which one of them can lie.
 *
 * Return: 1; 0 if there is nothing more for now (proclife_source_wait()); -ENODATA at the end of a
 * source that ends; another negative errno.
 */
int proclife_source_next(struct proclife_source *source, struct proclife_event *event);

/**
 * proclife_source_wait - sleep until there are records
 * @timeout_ms: at most this long; -1 for ever
 *
 * It does not sleep while there are as many unread records as the watermark. Return: 1 if there are
 * records, 0 after the timeout, -EINTR after a signal. After 1, proclife_source_next() can still
 * have nothing to yield if another CPU is just writing.
 */
int proclife_source_wait(struct proclife_source *source, int timeout_ms);

/* How many new records end a proclife_source_wait(); 1 at first. */
int proclife_source_set_watermark(struct proclife_source *source, uint64_t records);

/*
 * A descriptor for poll(2), owned by the source. Once proclife_source_next() has returned 0, it
 * becomes readable with the next records.
 */
int proclife_source_fd(const struct proclife_source *source);

/* What the device says of itself; for counts that move, as of now. Owned by the source. */
const struct proclife_header *proclife_source_header(struct proclife_source *source);

/* A ring's positions and counts; NULL if this CPU has none. Owned by the source, and moving. */
const struct proclife_ring_ctl *proclife_source_ring(struct proclife_source *source, uint32_t cpu);

/* Records lost so far, in all gaps yielded. */
uint64_t proclife_source_lost(const struct proclife_source *source);

/*
 * The time by the clock of the records, to be compared with theirs: clock_gettime(2) gives another
 * one in a time namespace. Of a recording, CLOCK_MONOTONIC.
 */
uint64_t proclife_source_now(const struct proclife_source *source);

/*
 * The time of day of a record, in nanoseconds since 1970, as CLOCK_REALTIME had it then: when that
 * clock was set, or the machine suspended, is known of what the source has yielded since it was
 * opened, and of a recording.
 */
uint64_t proclife_source_realtime(const struct proclife_source *source, uint64_t ts);

/* The first ts whose time of day is this, or a later one. */
uint64_t proclife_source_monotonic(const struct proclife_source *source, uint64_t realtime);

/*
 * The changes of CLOCK_REALTIME against CLOCK_MONOTONIC that the source knows of, one after the other;
 * false from a number on. @since: the first ts that it holds for; @by: in nanoseconds, above 0 if the
 * clock was set forward or the machine suspended.
 */
bool proclife_source_clock_step(const struct proclife_source *source, size_t index,
				uint64_t *since, int64_t *by);

/* Nothing from before this time will be yielded any more; things of this very time may be. */
uint64_t proclife_source_horizon(const struct proclife_source *source);

/*
 * Recordings
 */

/*
 * Why something cannot be read, for people. The path is as it was given, bytes of any kind: whoever
 * shows it quotes it. The text is the library's own, and ASCII.
 */
struct proclife_fault {
	char path[4352]; /* what; any path that can be opened is there as a whole */
	char text[320];	 /* why, and what to do about it */
};

#define PROCLIFE_HOST_LEN 72 /* more than there can be, so that nothing is left at the end */
#define PROCLIFE_REASON_LEN 16
#define PROCLIFE_RCU_LEN 64
#define PROCLIFE_UUID_BYTES 16

/*
 * What a recording keeps of the run that made it, so that a replay can show the same. The members
 * from `uuid` on are set by the library.
 */
struct proclife_run_info {
	size_t size; /* sizeof(struct proclife_run_info), by whoever allocates it */
	uint64_t began;
	uint64_t ended;		  /* what is later does not belong to it; 0: it was cut off */
	uint32_t command;	  /* tgid of the command that was followed; 0: none */
	uint32_t command_creator; /* tgid of who forked it */
	int32_t command_status;	  /* -1: not known */
	char reason[PROCLIFE_REASON_LEN]; /* why it ended, in the recorder's words */
	uint8_t uuid[PROCLIFE_UUID_BYTES]; /* tells recordings apart; copies of one have the same */
	bool complete;	 /* the recorder came to its end; otherwise the rest is missing... */
	bool running;	 /* ... or not there yet: the recorder was at work when it was opened */
	uint64_t synced; /* nothing from before this time is missing */
	uint64_t records;
	uint64_t lost; /* in gaps */
	char hostname[PROCLIFE_HOST_LEN];
	char rcu[PROCLIFE_RCU_LEN]; /* how RCU callbacks were run, in the recorder's words */
};

/**
 * proclife_recording_open - read what a recorder has written
 * @source: set to the new source
 * @path: the folder
 * @fault: says why, if the return value is negative; may be NULL
 *
 * Each stream's file stays open. What is yielded is a copy of what was checked: the files can be
 * changed and made shorter meanwhile, and that is damage. Errors: those of open(2), -ENOEXEC if it is
 * no recording of ours, -EPROTO if it is of a version that this library does not know, -EBADMSG if its
 * metadata is damaged.
 *
 * The source yields the events in the order in which the recorder's source did, snapshot included,
 * and then -ENODATA. A recording that was cut off yields what is there; one whose recorder is at
 * work, what was there when it was opened, up to run.synced. Where a stream is damaged, or missing, it
 * yields a gap, and goes on with what can be read; see proclife_recording_damage(). Where it takes long
 * to find that, proclife_source_next() returns 0 now and then: just call it again.
 */
int proclife_recording_open(struct proclife_source **source, const char *path,
			    struct proclife_fault *fault);

/* NULL if the source is not a recording. Owned by the source. */
const struct proclife_run_info *proclife_recording_info(const struct proclife_source *source);

/* A stream of a recording that cannot be read as it was recorded. */
struct proclife_damage {
	char stream[24]; /* its file */
	char what[96];	 /* is wrong with it, at the first damaged place */
	uint64_t at;	 /* that place, in bytes from the file's beginning */
	uint64_t places;
	uint64_t lost; /* in all of them: records that are not yielded, and those of gaps that are not */
	uint64_t from; /* between these times; the gaps yielded have those of each place */
	uint64_t to;
	bool estimated; /* lost is a guess: only a complete recording tells how it went on */
	bool unread;	/* there is no such file, or it cannot be read at all */
};

/*
 * What has been found damaged so far, for one stream after the other; NULL from a number on. All of
 * it is found once the source has returned -ENODATA. Owned by the source, and moving. NULL if the
 * source is not a recording.
 */
const struct proclife_damage *proclife_recording_damage(const struct proclife_source *source,
							size_t index);

/* Writes what a source yields, from the first event on; all of it, whatever is selected. */
struct proclife_recorder;

/**
 * proclife_recorder_new - record what a device yields
 * @dir: is created; a folder that is empty will do
 * @run: what is known by now; copied
 *
 * -EINVAL if the size of @run is none, -E2BIG if it has something that this library does not know.
 * Call before the first proclife_source_next(), else it is -EBUSY; -ENOTSUP if it is not a device;
 * -ENOTEMPTY if there is something in the folder. The recorder is to be freed before the source.
 */
int proclife_recorder_new(struct proclife_recorder **recorder, struct proclife_source *source,
			  const char *dir, const struct proclife_run_info *run);

/*
 * Writes out all that has been yielded so far. Without it, each CPU's records are written as soon
 * as they fill a packet of 64 KiB. Return: 0, or the first error there was: then nothing is written
 * any more, and what has been written stays readable.
 */
int proclife_recorder_sync(struct proclife_recorder *recorder);

/* The first error there was, or 0. */
int proclife_recorder_error(const struct proclife_recorder *recorder);

/*
 * Writes the rest and marks the recording as complete. What was yielded last and is later than
 * @run->ended does not go into it. Without this, a recording counts as cut off.
 */
int proclife_recorder_finish(struct proclife_recorder *recorder,
			     const struct proclife_run_info *run);

struct proclife_recorder_counts {
	uint64_t records; /* written */
	uint64_t lost;	  /* in gaps written */
	uint64_t bytes;	  /* of the streams' files */
};

/* Owned by the recorder, and moving. */
const struct proclife_recorder_counts *
proclife_recorder_counts(const struct proclife_recorder *recorder);
void proclife_recorder_free(struct proclife_recorder *recorder);

/*
 * Cgroups
 */

struct proclife_cgroups;

/**
 * proclife_cgroups_new - paths of cgroups, by the ids that records have
 * @recording: the folder of a recording, which keeps those of its machine; NULL: on this machine
 * @fault: its text is empty, or says why not all paths of the recording can be read; may be NULL
 *
 * What cannot be known has no path: this is no error, and neither is a recording whose paths cannot
 * be read. Errors: -ENOMEM.
 */
int proclife_cgroups_new(struct proclife_cgroups **cgroups, const char *recording,
			 struct proclife_fault *fault);
void proclife_cgroups_free(struct proclife_cgroups *cgroups);

/*
 * Below the root of the hierarchy: "/system.slice/cron.service", "/" for the root itself. NULL if it
 * is not known: that of a cgroup that has been removed, or without CAP_DAC_READ_SEARCH. On this
 * machine, what was asked for once stays known. Owned by the cgroups.
 */
const char *proclife_cgroups_path(struct proclife_cgroups *cgroups, uint64_t id);

/*
 * Users
 */

struct proclife_users;

/**
 * proclife_users_new - names of users, by the uids that records have
 *
 * Just as proclife_cgroups_new(): those of this machine, or of the one that a recording was made on,
 * as far as they occur in it.
 */
int proclife_users_new(struct proclife_users **users, const char *recording,
		       struct proclife_fault *fault);
void proclife_users_free(struct proclife_users *users);

/*
 * NULL if it has no name, or that is not known. This machine is asked once for each, which can take
 * long. Owned by the users.
 */
const char *proclife_users_name(struct proclife_users *users, uint32_t uid);

/*
 * Lives
 */

struct proclife_process;

/*
 * The marks of a life: when what happened to it; 0 if that was not seen. Of a process, it is the
 * last thread's EXIT and FREE, and the leader's REAP.
 */
struct proclife_marks {
	uint64_t born;	   /* FORK */
	uint64_t exited;   /* EXIT */
	uint64_t notified; /* SIGCHLD was sent for the end of a process; of a thread never */
	uint64_t reaped;   /* REAP */
	uint64_t freed;	   /* FREE */
};

/* One task from fork to free; valid until the task_gone report has returned. */
struct proclife_task {
	uint64_t handle;
	uint64_t start; /* as in the record */
	struct proclife_process *process;
	uint32_t pid;
	uint32_t tgid;
	uint32_t flags; /* PROCLIFE_F_* */
	int32_t exit_code; /* -1: not known */
	bool leader;	 /* of its thread group, now */
	bool incomplete; /* a gap touches this life; certain once it is reported gone */
	uint16_t exit_cpu;
	uint16_t free_cpu;
	struct proclife_marks marks;
	uint64_t runtime; /* CPU time; final once freed */
	uint64_t utime;
	uint64_t stime;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	char comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN];
	uint32_t reaper_pid;
	uint32_t reaper_tgid;
	uint64_t seen;		/* the first record of this life; marks.born, if that was seen */
	uint64_t waited;	/* when it last called wait(2), if it has reaped nobody since */
	uint64_t reaper_waited; /* as in struct proclife_process */
};

/*
 * One thread group; valid until the process_gone report has returned. It has exited when its last
 * thread has, is reaped with its leader, and gone when all its tasks are freed.
 *
 * Marks belong together by handle and start time; each of them is exact or, where a gap can hide
 * something else, 0. That the last thread has exited is taken from PROCLIFE_F_GROUP_DEAD, or counted
 * if all of the process's life was seen; otherwise `exited` stays 0, and so it does if a gap can hide
 * a later EXIT. `freed` is 0 if the FREE of a thread is missing, or may be: if a gap touches the life
 * before all threads have exited, it can hide a thread that is freed later. Threads that were reaped
 * before the trace began are none of the process's.
 */
struct proclife_process {
	uint64_t handle; /* of the group; 0 if unknown */
	uint64_t start;	 /* of the leader, as in the record; 0 if unknown */
	uint32_t tgid;
	uint32_t flags;	   /* of the leader */
	int32_t exit_code; /* as its parent's wait(2) gives it; -1: not known */
	uint32_t threads;  /* ever seen */
	uint32_t live;	   /* seen and not yet exited; at the end, if it outlives the trace */
	uint32_t open;	   /* seen and not yet freed */
	bool selected;
	/* A gap touches this life; certain once it is reported gone, or up to there as exited. */
	bool incomplete;
	bool args_cut;	 /* there are more: than the module records, or than were seen */
	bool matches;	 /* the filter lets it pass, as it is now; true if there is none */
	bool outlives;	 /* reported gone because the trace has ended, not because it had */
	bool notified_lost; /* its SIGCHLD can be lost: there is no phase zombie */
	uint16_t exit_cpu;  /* of the last EXIT */
	struct proclife_marks marks;
	uint64_t seen;	  /* the first record of this life; marks.born, if that was seen */
	uint64_t max_rss; /* KiB, as of the last EXIT; 0 until exited */
	struct proclife_task *leader; /* NULL if it was not seen, or is gone */
	char comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN];
	uint32_t reaper_pid;
	uint32_t reaper_tgid;
	const char *path; /* of the last EXEC, or NULL; if cut, its tail after "..." */
	const char *args; /* of the last EXEC, each with its NUL; NULL if they are not recorded */
	uint64_t execed;  /* the last EXEC */
	uint64_t id;		/* 1, 2, ... in the order in which they appear */
	uint64_t parent_id;	/* by birth, or as the snapshot found it; 0 if not known */
	uint32_t parent_tgid;	/* likewise */
	uint32_t creator_tgid;	/* who called fork: not the parent under CLONE_PARENT */
	char parent_comm[PROCLIFE_COMM_LEN]; /* of the parent by birth, when parent_id became known */
	uint32_t ns_pid;
	uint32_t ns_inum;
	uint64_t cgroup;
	uint32_t uid;
	uint32_t execs;
	uint64_t runtime; /* these seven: sums over the tasks that are gone */
	uint64_t utime;
	uint64_t stime;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	void *user; /* the caller's; NULL at first */
	uint32_t real_parent_tgid; /* as of its EXIT or of the snapshot, whichever came later */
	uint16_t args_bytes; /* of args; a NUL that is not counted follows */
	uint16_t free_cpu;   /* of the last FREE: where the RCU callback ran */
	uint64_t leader_exited;
	uint64_t reaper_id;	/* the reaper's process; 0 if not known */
	uint64_t reaper_waited; /* when the reaper called the wait(2) that got it; 0: not known */
	uint64_t waited; /* when a thread of it last called wait(2), as far as was recorded */
};

/* A signal that ended a process, and who sent it. */
struct proclife_killer {
	uint64_t ts;
	uint64_t task; /* handle of the sender; 0: an interrupt, and the sender's names are empty */
	int32_t signo;
	int32_t code;  /* si_code: above 0 if the kernel sent it, on behalf of the sender or not */
	uint32_t pid;
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
};

/*
 * What ended this process, by its exit_code so far; NULL if no signal did, its SIGNAL was not seen,
 * or a thread of it is still alive. Owned by the process.
 */
const struct proclife_killer *proclife_process_killer(const struct proclife_process *process);

/*
 * The lives of all tasks and processes. Results built on it (latency, tree) may be freed before or
 * after it; what they hold stays readable.
 */
struct proclife_tasks;

/* Any member may be NULL. `parent` and `creator` are NULL if they are not known. */
struct proclife_reports {
	size_t size; /* sizeof(struct proclife_reports) */
	void (*process_born)(void *data, struct proclife_process *process,
			     struct proclife_process *parent, struct proclife_process *creator);
	void (*process_gone)(void *data, struct proclife_process *process);
	void (*task_gone)(void *data, struct proclife_task *task);
	/*
	 * The process was born before its parent was known (in a snapshot, children can precede
	 * their parents), and now it is; or the process has become selected only now. `parent` is
	 * NULL if it still is not known.
	 */
	void (*process_linked)(void *data, struct proclife_process *process,
			       struct proclife_process *parent);
	/*
	 * Its last thread has exited; once for each process, before it is gone. Not of one whose
	 * last EXIT was not seen: that is only reported gone.
	 */
	void (*process_exited)(void *data, struct proclife_process *process);
};

int proclife_tasks_new(struct proclife_tasks **tasks);
void proclife_tasks_free(struct proclife_tasks *tasks);

/*
 * Adds reports, which are called in the order in which they were added. They feed nothing. -E2BIG
 * if @reports has a member that this library does not know.
 */
int proclife_tasks_report(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data);

/**
 * proclife_tasks_feed - take one event into account
 *
 * A life whose FREE was lost is reported gone when its handle or group is seen in use again, with
 * freed 0. Return: 1 if the event belongs to a selected process (a gap belongs to all), 0 if it
 * does not, a negative errno.
 */
int proclife_tasks_feed(struct proclife_tasks *tasks, const struct proclife_event *event);

/*
 * Can there have been one of these since then that the module did not record, as it was too much for
 * its budget? See PROCLIFE_SUPPRESSED; it can be of any CPU.
 */
bool proclife_tasks_may_lack(const struct proclife_tasks *tasks, enum proclife_type type,
			     uint64_t since);

/**
 * proclife_tasks_begin - take from a source what it says of its whole trace
 *
 * Call before the first proclife_tasks_feed(). Where the trace has no REAPs, the lives know
 * (proclife_tasks_without_reap()); of a recording, the command that was followed is selected, unless
 * something has been selected already.
 */
int proclife_tasks_begin(struct proclife_tasks *tasks, struct proclife_source *source);

/**
 * proclife_tasks_replay - feed a whole recording, and close
 * @tasks: with its reports and results; nothing was fed yet
 * @source: a recording; nothing was yielded yet
 * @each: called with each event before it is fed; what is not 0 ends the replay; may be NULL
 *
 * As proclife_tasks_begin(), then all events, then proclife_tasks_close(): at the end,
 * proclife_source_horizon() says when that was. Return: 0; 1 if the recording breaks off, as its
 * recorder was interrupted or is still at work: ends can be missing from run.synced on; -EINVAL if
 * the source is not a recording; what @each has returned; another negative errno.
 */
int proclife_tasks_replay(struct proclife_tasks *tasks, struct proclife_source *source,
			  int (*each)(void *data, const struct proclife_event *event), void *data);

/**
 * proclife_tasks_close - the trace ends here: report what is still open as gone
 *
 * In the order in which the processes appeared. Their missing times stay 0.
 */
int proclife_tasks_close(struct proclife_tasks *tasks);

/*
 * Selection: everything is selected until one of these is called. A process that a selected one
 * creates is selected too, whoever becomes its parent; of processes older than the trace, those
 * whose parent is selected. Each call selects one process: another that gets the same pid later is
 * not selected.
 */

/* Selects the process that has this tgid, now or as soon as there is one. */
int proclife_tasks_select_pid(struct proclife_tasks *tasks, uint32_t tgid);

/* Selects the process that @creator_tgid forks with this tgid; call before its FORK is fed. */
int proclife_tasks_select_child(struct proclife_tasks *tasks, uint32_t tgid, uint32_t creator_tgid);

/**
 * proclife_tasks_filter - of what is selected, tell only of some
 * @match: asked about a process when it begins, when its name, uid, cgroup or arguments have changed,
 *         when its last thread has exited, and before it is reported gone; NULL: all of them match
 *
 * Call before the first proclife_tasks_feed(). A process that does not match is still selected, and
 * so are those that it creates; but proclife_tasks_feed() returns 0 for it, and the results built on
 * the tasks leave it out: latency and reapers by what it was like at its end. In a tree it is there
 * all the same, with `matches` unset.
 */
void proclife_tasks_filter(struct proclife_tasks *tasks,
			   bool (*match)(void *data, const struct proclife_process *process),
			   void *data);

/* Those of the first kind that no process has had yet, one after the other; 0 from a number on. */
uint32_t proclife_tasks_missing(const struct proclife_tasks *tasks, size_t index);

/* Selected processes that have appeared, and those of them that are not gone yet. */
uint64_t proclife_tasks_selected(const struct proclife_tasks *tasks);
uint64_t proclife_tasks_selected_open(const struct proclife_tasks *tasks);

/* The task with this handle, or NULL. */
struct proclife_task *proclife_tasks_find(struct proclife_tasks *tasks, uint64_t handle);

/* The process that has this pid now, or NULL. Once it is reaped, it has it no more. */
struct proclife_process *proclife_tasks_holder(const struct proclife_tasks *tasks, uint32_t tgid);

/* Who is to reap it: its parent as of its EXIT. NULL if that has exited, whoever has its pid now. */
struct proclife_process *proclife_tasks_reaper(const struct proclife_tasks *tasks,
					       const struct proclife_process *zombie);

/*
 * Those that are not gone, in the order in which they appeared: the one behind @process, the first
 * one if that is NULL; NULL at the end.
 */
struct proclife_process *proclife_tasks_next(const struct proclife_tasks *tasks,
					     const struct proclife_process *process);

/*
 * In what state something is, or was left by the trace. A process is a thread group: it is alive
 * while one thread is, and a zombie once all have exited and nobody has reaped it. A thread is a
 * zombie from its exit until it is released, and so is a leader while other threads live.
 */
enum proclife_life_state {
	PROCLIFE_IS_ALIVE,
	PROCLIFE_IS_ZOMBIE,
	PROCLIFE_IS_UNFREED, /* reaped, and not freed yet */
	PROCLIFE_IS_FREED,   /* the leader, and all other threads that were seen */
	PROCLIFE_IS_UNKNOWN, /* a gap can hide what became of it, or only a thread's end was seen */
	PROCLIFE_STATES,
};

const char *proclife_state_name(enum proclife_life_state state); /* "alive", "zombie", ... */
enum proclife_life_state proclife_process_state(const struct proclife_tasks *tasks,
					   const struct proclife_process *process);
enum proclife_life_state proclife_task_state(const struct proclife_tasks *tasks,
					const struct proclife_task *task);

/*
 * The trace has no REAPs: who exits in it is unfreed from then on, and a zombie is only who was one
 * in the snapshot. Call before the first proclife_tasks_feed().
 */
void proclife_tasks_without_reap(struct proclife_tasks *tasks);

/* Its uid has been told; until then, that member is 0. */
bool proclife_process_has_uid(const struct proclife_process *process);

/* It has been reported as exited. Where a gap can hide a later EXIT, marks.exited can be 0 again. */
bool proclife_process_has_exited(const struct proclife_process *process);

struct proclife_usage {
	uint64_t runtime; /* CPU time; these three are for proclife_cputime() */
	uint64_t utime;
	uint64_t stime;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
};

/*
 * What all threads of a process that were seen have used, as far as it is known: of each as of its
 * FREE, its EXIT or the snapshot, whichever came last. It looks at each thread that is not gone.
 */
void proclife_process_usage(const struct proclife_process *process, struct proclife_usage *usage);

/*
 * CPU time as wait4(2) and /proc show it: the tick samples utime and stime, the scheduler counts
 * runtime exactly; this divides runtime in the proportion of the samples.
 */
void proclife_cputime(uint64_t runtime, uint64_t utime, uint64_t stime, uint64_t *user,
		      uint64_t *system);

/*
 * The fields of a record, for who prints or stores them one after the other
 */

enum proclife_field_kind {
	PROCLIFE_FIELD_UINT, /* of 2, 4 or 8 bytes */
	PROCLIFE_FIELD_INT,  /* of 4, like the next two */
	PROCLIFE_FIELD_BOOL,
	PROCLIFE_FIELD_FLAGS,
	PROCLIFE_FIELD_HANDLE,
	PROCLIFE_FIELD_TEXT,	    /* ends with a NUL, or is as long as the field */
	PROCLIFE_FIELD_WAIT_STATUS, /* as wait(2) gives it */
	PROCLIFE_FIELD_SIGNAL,	    /* its number */
	PROCLIFE_FIELD_UTIME,	    /* as the tick sampled it: see proclife_cputime() */
	PROCLIFE_FIELD_STIME,
};

/* The size of the longest name that a field can have in JSON, with its NUL. */
#define PROCLIFE_FIELD_NAME_LEN 28

struct proclife_field {
	const char *member;   /* of struct proclife_record, as abi.h has it */
	const char *name;     /* in JSON; NULL where that shows it in another form */
	const char *ctf_name; /* in a recording */
	enum proclife_field_kind kind;
	uint16_t offset; /* in the record, in bytes */
	uint16_t size;
	uint32_t only; /* if not 0: it means something with one of these flags alone */
};

/*
 * Of the records of a type, one after the other, as they lie behind the head; of the head itself
 * with PROCLIFE_NONE. NULL from a number on, and for a type that is not known.
 */
const struct proclife_field *proclife_field(uint16_t type, unsigned int index);

/*
 * Latency
 */

/* Between two marks of a life; see proclife_phase_name(). */
enum proclife_phase {
	PROCLIFE_LIFE,	    /* fork to exit */
	/*
	 * exit to SIGCHLD: files, and the address space if EXIT stands before that, are given up.
	 * Not of threads; absent where no SIGCHLD was seen, and then part of PROCLIFE_ZOMBIE.
	 */
	PROCLIFE_TEARDOWN,
	PROCLIFE_ZOMBIE,    /* SIGCHLD to reap; exit to reap where there is no PROCLIFE_TEARDOWN */
	PROCLIFE_RCU_FREE,  /* reap to free */
	PROCLIFE_EXIT_FREE, /* exit to free: the sum of the three */
	PROCLIFE_PHASES,
};

const char *proclife_phase_name(enum proclife_phase phase); /* "life", "zombie", ... */

/* Since when it was a zombie: it was notified, or has exited where no SIGCHLD was seen. */
uint64_t proclife_marks_zombie_since(const struct proclife_marks *marks);

/*
 * Between these marks; false if one of them was not seen, or can be another one's: what there is of
 * an incomplete life is exact. The first takes the marks as they are; the second has no
 * PROCLIFE_ZOMBIE where `notified_lost` is set.
 */
bool proclife_marks_phase(const struct proclife_marks *marks, enum proclife_phase phase,
			  uint64_t *ns);
bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns);
bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns);

/*
 * A histogram of times with bounded relative error: count, sum, min and max are exact, a percentile
 * is at most 1/128 above the true value.
 */
struct proclife_histogram;

int proclife_histogram_new(struct proclife_histogram **histogram);
void proclife_histogram_free(struct proclife_histogram *histogram);
/* -ENOMEM leaves it as it was... */
int proclife_histogram_add(struct proclife_histogram *histogram, uint64_t ns);
/* ... but here with a part of the other. */
int proclife_histogram_merge(struct proclife_histogram *into,
			     const struct proclife_histogram *from);
uint64_t proclife_histogram_count(const struct proclife_histogram *histogram);
uint64_t proclife_histogram_min(const struct proclife_histogram *histogram);
uint64_t proclife_histogram_max(const struct proclife_histogram *histogram);
double proclife_histogram_mean(const struct proclife_histogram *histogram);
/* The smallest value that at least @percent of all are at or below; never above the maximum. */
uint64_t proclife_histogram_percentile(const struct proclife_histogram *histogram, double percent);
/*
 * How many lie in [from, to); exact where both are bucket borders: powers of two are, and all below
 * 128. Otherwise a bucket belongs where its lower border does.
 */
uint64_t proclife_histogram_between(const struct proclife_histogram *histogram, uint64_t from,
				    uint64_t to);

/* The phases of all selected processes, or tasks, that are reported gone. */
struct proclife_latency;

int proclife_latency_new(struct proclife_latency **latency, struct proclife_tasks *tasks,
			 bool threads);
void proclife_latency_free(struct proclife_latency *latency);
const struct proclife_histogram *proclife_latency_phase(const struct proclife_latency *latency,
							enum proclife_phase phase);

struct proclife_latency_counts {
	uint64_t lives;	     /* reported gone */
	uint64_t alive;	     /* these four by their state at the end, if they were open then */
	uint64_t unreaped;   /* zombies */
	uint64_t unfreed;
	uint64_t unknown;
	uint64_t incomplete; /* a gap touches them: in the histograms as far as marks were seen */
	uint64_t partial;    /* began before the trace: their life phase is not in the histogram */
};

/* Owned by the latency, and moving. */
const struct proclife_latency_counts *
proclife_latency_counts(const struct proclife_latency *latency);

/* What lives can have in common. */
enum proclife_by {
	PROCLIFE_BY_NOTHING,
	PROCLIFE_BY_COMM,   /* the last name, of a thread its own */
	PROCLIFE_BY_PARENT, /* the name of the parent by birth */
	PROCLIFE_BY_REAPER, /* the reaper's name; "(itself)" if it had none */
	PROCLIFE_BY_CGROUP, /* the last one of the process */
	PROCLIFE_BY_CPU,    /* on which it exited */
	PROCLIFE_BY_UID,    /* as of the last fork or exec */
	PROCLIFE_BYS,
};

const char *proclife_by_name(enum proclife_by by); /* "comm", "parent", ... */

struct proclife_group {
	bool known; /* otherwise these are the lives of which it is not known */
	char name[PROCLIFE_COMM_LEN]; /* by comm, parent and reaper */
	uint64_t number;	      /* by cgroup, cpu and uid */
};

/**
 * proclife_latency_group_by - keep the phases of each group, too
 *
 * Call before the first life is reported gone, else it is -EBUSY.
 */
int proclife_latency_group_by(struct proclife_latency *latency, enum proclife_by by);

/* Any one of the groups, in no order; NULL from a number on. Owned by the latency. */
const struct proclife_group *proclife_latency_group(const struct proclife_latency *latency,
						    size_t index);

/* As those of the whole latency; of a phase that no life of the group has, NULL. */
const struct proclife_latency_counts *proclife_group_counts(const struct proclife_group *group);
const struct proclife_histogram *proclife_group_phase(const struct proclife_group *group,
						      enum proclife_phase phase);

/**
 * proclife_latency_merge - add what another run has measured
 * @cgroups: the paths of @into's cgroups; gets those that only @others has
 * @others: the paths of @from's
 *
 * A cgroup has another number after each boot: groups by cgroup are the same if they have the same
 * path, or the same number and neither has a path. One without a path, of a number that has a path
 * in @into, may be that or another: it is counted as unknown. One that is new to @into keeps its
 * number, or gets another if that is taken. With NULL for either, all go by number.
 *
 * -EINVAL if one is of threads and the other of processes, or if they are not grouped alike. -ENOMEM
 * leaves a part of it.
 */
int proclife_latency_merge(struct proclife_latency *into, struct proclife_cgroups *cgroups,
			   const struct proclife_latency *from, struct proclife_cgroups *others);

/*
 * Reapers
 */

/*
 * A process to which others were born, that has reaped others, or is to reap those that are zombies
 * at the end. Where a filter lets none of these pass, it can be there with nothing but zeros.
 */
struct proclife_reaper {
	uint64_t id; /* of the process; 0 if it is not known, or zombies have outlived it */
	uint32_t tgid;
	bool gone;  /* before the end of the trace */
	char comm[PROCLIFE_COMM_LEN]; /* the last one known */
	bool named;	   /* comm is known: it can be empty */
	bool init;	   /* of the machine, or of its pid namespace */
	uint64_t reaped;   /* processes */
	uint64_t adopted;  /* of them, those that another one was the parent of by birth */
	uint64_t awaited;  /* of them, those that it was in wait(2) for when they became zombies */
	uint64_t belated;  /* of them, those that it called wait(2) for only later */
	uint64_t ignored;  /* that were released at once, as it ignores SIGCHLD; not in `reaped` */
	uint64_t zombies;  /* at the end */
	uint64_t oldest;   /* since when the first of these is one; 0: from before the trace */
	struct proclife_histogram *zombie; /* how long they were; NULL: none */
	uint64_t born;	    /* processes that were forked in the trace, and it is their parent by birth */
	uint64_t runtime;   /* CPU time of those in `reaped` and `ignored` */
	uint64_t coalesced; /* of `reaped` and `zombies`: their SIGCHLD met one that was pending */
	uint64_t since;	    /* its own FORK; 0: before the trace, or not seen */
	uint64_t until;	    /* its own last EXIT; 0: none was seen */
};

/* Who reaped the selected processes. */
struct proclife_reapers;

int proclife_reapers_new(struct proclife_reapers **reapers, struct proclife_tasks *tasks);
void proclife_reapers_free(struct proclife_reapers *reapers);
/* Any one of them, in no order; NULL from a number on. Owned by the reapers. */
const struct proclife_reaper *proclife_reapers_get(const struct proclife_reapers *reapers,
						   size_t index);

/*
 * Trees
 */

/* What many processes have in common, or few have at all: the tree keeps each combination once. */
struct proclife_common {
	uint64_t cgroup;
	const struct proclife_killer *killer; /* with ts 0; or NULL */
	uint32_t ns_pid; /* in its own pid namespace; 0: it is the tgid */
	uint32_t ns_inum;
	uint32_t uid;
	uint32_t threads;
};

/* A process in the tree; kept, unlike struct proclife_process, until the tree is freed. */
struct proclife_node {
	struct proclife_node *parent;
	struct proclife_node *child; /* the first one; in the order of birth */
	struct proclife_node *next;  /* sibling */
	uint64_t id;
	uint64_t began; /* its birth; when it was first seen, if it is older */
	struct proclife_marks marks;
	uint64_t runtime;
	uint32_t max_rss; /* KiB */
	uint32_t tgid;
	uint32_t parent_tgid;
	uint32_t creator_tgid;
	uint32_t reaper_tgid;
	int32_t exit_code; /* -1: not known */
	const char *comm; /* interned: owned by the tree */
	const char *path; /* interned, or NULL */
	const char *args; /* interned, or NULL: the arguments, each with its NUL */
	const struct proclife_common *common; /* interned; all zeros until it is gone */
	uint16_t args_bytes;
	uint16_t execs; /* stays at its maximum once there */
	uint16_t flags; /* of the leader */
	bool args_cut : 1;
	bool older : 1; /* it was there before the trace */
	bool incomplete : 1;
	bool matches : 1; /* the filter lets it pass, as it was at its end */
	bool gone : 1; /* all but the texts is final */
	uint8_t state; /* enum proclife_life_state, once it is gone */
};

struct proclife_tree;

/* Collects all selected processes from now on; those that are there when it begins have to come in
 * as TASK records. */
int proclife_tree_new(struct proclife_tree **tree, struct proclife_tasks *tasks);
void proclife_tree_free(struct proclife_tree *tree);
/*
 * The first root; the others follow by next. A root's parent is not selected or not known. What
 * nodes have of each other is as of this call.
 */
const struct proclife_node *proclife_tree_roots(struct proclife_tree *tree);
uint64_t proclife_tree_size(const struct proclife_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
