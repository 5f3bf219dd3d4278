/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libproclife: the exact story of every task's life, for programs.
 *
 * A source yields records in one order: by time stamp, then CPU, then position. struct
 * proclife_tasks turns them into the lives of tasks and processes, and reports the beginning and
 * the end of each. Trees, latencies and reapers are built on those reports.
 *
 * A structure is of one of three kinds, which libproclife(3), "Versions", names: what the program makes
 * and can grow has a size; what can neither grow nor change is copied at will; all else is the library's,
 * which hands out pointers to it, and grows.
 *
 * Unless stated otherwise: functions return 0 or a negative errno, and pointers must not be NULL. Times
 * are nanoseconds of CLOCK_MONOTONIC of the initial time namespace, 0 for "not seen", and at most
 * PROCLIFE_TIME_MAX. An object of a *_new() or *_open() is released by its *_free(), which takes NULL.
 * Nothing is thread-safe, but independent objects may be used by different threads.
 */
#ifndef PROCLIFE_H
#define PROCLIFE_H

/* Records have an unnamed union, which C99 does not. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <proclife/abi.h>
#pragma GCC diagnostic pop
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this header. PROCLIFE_VERSION_CODE is one number, for comparisons.
 */
#define PROCLIFE_VERSION_MAJOR 0
#define PROCLIFE_VERSION_MINOR 1
#define PROCLIFE_VERSION_PATCH 0
#define PROCLIFE_VERSION_OF(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define PROCLIFE_VERSION_CODE                                           \
	PROCLIFE_VERSION_OF(PROCLIFE_VERSION_MAJOR, PROCLIFE_VERSION_MINOR, \
			    PROCLIFE_VERSION_PATCH)

/* The format of what CTF does not define in recordings: the env block, a packet's gap. */
#define PROCLIFE_RECORDING_FORMAT 3

/* The PROCLIFE_VERSION_CODE of the library that the program runs with. */
uint32_t proclife_version(void);

/*
 * No source yields a later time, in a record, a gap or its facts, and proclife_tasks_feed() takes none: so
 * the difference of two times has a sign, and their sum does not wrap. It is 292 years.
 */
#define PROCLIFE_TIME_MAX ((uint64_t)INT64_MAX)

/* In place of a CPU's number: the gap is in the snapshot of a recording, or in what all CPUs recorded. */
#define PROCLIFE_CPU_SNAPSHOT UINT32_MAX
#define PROCLIFE_CPU_ALL (UINT32_MAX - 1)

/*
 * Sources
 */

struct proclife_source;

/*
 * Records that the writer overwrote in a CPU's ring before the reader came to them. If `lost` is 0,
 * they were written before the reader began, so they are not lost, but missing in the history that
 * it asked for. Then `from` is 0 where that CPU's history begins, at `to`.
 */
struct proclife_gap {
	uint64_t lost;	/* records */
	uint64_t from;	/* all of them lie between from and to */
	uint64_t to;	/* ts of the first record after them, or the clock if there is none yet */
	uint32_t cpu;	/* or PROCLIFE_CPU_SNAPSHOT; PROCLIFE_CPU_ALL: a part of the recording is missing */
};

struct proclife_event {
	const struct proclife_record *record; /* NULL: this is a gap */
	struct proclife_gap gap;	      /* set only if it is one */
};

/**
 * proclife_device_open - follow the running kernel
 * @source: set to the new source
 * @path: the device, NULL for PROCLIFE_DEVICE; or a plain file with the same layout
 *
 * The source begins with the first record after this call. If records are being suppressed then, a
 * PROCLIFE_SUPPRESSED comes first that the library makes, with `since` 0; or, while recording is stopped, with
 * the time since when. Errors: -ENOENT and
 * -EACCES of open(2); -EPROTO if this library does not know the device's ABI; -ENODEV if it is no
 * proclife device; -ENOTSUP if it is a plain file and this process is in a time namespace: the
 * process then has another clock than the records, and only a device gives the time by theirs. A
 * plain file must not be made shorter while it is open: it is mapped, and reading it is SIGBUS
 * then.
 */
int proclife_device_open(struct proclife_source **source, const char *path);

/* Descriptors of BPF programs that record what the module records, and of their maps: see proclife/bpf.h. */
struct proclife_bpf {
	int header;
	const int *rings; /* by CPU: the map of its rings; below 0: it has none */
	uint32_t cpus;
	int unringed;
	int snapshot; /* the link of the iterator; below 0: there is none, and proclife_source_snapshot() fails */
	const int *programs; /* what the kernel skipped is asked of these */
	size_t program_count;
};

/**
 * proclife_bpf_open - follow the running kernel by BPF programs, without the module
 * @source: set to the new source
 * @bpf: what has been loaded; the source has its own copies of the descriptors
 *
 * The source does what proclife_device_open()'s does. No record wakes it: its descriptor is readable every 10 ms. While
 * there is none for a second, the horizon moves every 100 ms. What the kernel skipped is a gap of PROCLIFE_CPU_ALL.
 * Errors: -EPROTO if another version has loaded them; -ENOTSUP in a time namespace.
 */
int proclife_bpf_open(struct proclife_source **source, const struct proclife_bpf *bpf);
/*
 * The same of what is pinned in a folder of bpffs; NULL: where proclife-read pins it. The programs go on until the source
 * is freed, even if their pins are removed. -ENOENT: nothing is pinned there; -EUCLEAN: some of the pins are missing;
 * -EPERM: a user who is neither root nor the caller could have pinned it.
 */
int proclife_bpf_open_pinned(struct proclife_source **source, const char *folder);
void proclife_source_free(struct proclife_source *source);

/**
 * proclife_source_rewind - begin with what the rings still hold
 *
 * Call this before the first proclife_source_next(); otherwise it fails with -EBUSY. Each CPU's
 * history begins at a time of its own. If a ring has wrapped, a gap with `lost` 0, before all
 * records, has that time: older records are not lost, but the lives that they touch are incomplete.
 * All records from before the first proclife_source_next() are history: those that are overwritten
 * before they are read leave another such gap. If records were being suppressed when the history
 * begins, it begins with a PROCLIFE_SUPPRESSED whose `since` is 0. A recording always begins at its
 * beginning: 0, and nothing changes.
 */
int proclife_source_rewind(struct proclife_source *source);

/**
 * proclife_source_snapshot - put a TASK record of each task that exists now into the stream
 *
 * Call this before the first proclife_source_next(); otherwise it fails with -EBUSY. It makes tasks
 * known that are older than the source. Errors: what the ioctl returns; -ENOTTY if it is a plain file.
 * A recording has the snapshot that was taken for it, or none: 0, and nothing changes.
 */
int proclife_source_snapshot(struct proclife_source *source);

/**
 * proclife_source_next - the next event in order
 * @event: set if the return value is 1; its record is valid until the next call for this source
 *
 * A record is yielded as soon as no earlier record can appear any more. Where a ring lost records,
 * there is a gap, at the earliest time that one of them can have.
 *
 * Return, for every source: 1: an event. 0: none for now, and this is not the end: call
 * proclife_source_wait(), then this again. -ENODATA: the end, now and from now on; a device has none.
 * Another negative errno: a failure, after which this can be called again.
 *
 * A recording returns 0 where it searches damaged files for what can be read, so that the program can do
 * something else meanwhile; its proclife_source_wait() returns 1 at once. So one loop serves all sources.
 */
int proclife_source_next(struct proclife_source *source, struct proclife_event *event);

/**
 * proclife_source_wait - sleep until there are records
 * @timeout_ms: at most this long; -1 for ever
 *
 * It does not sleep if there are at least as many unread records as the watermark, nor if the source is
 * a recording. Return: 1 if there are records, 0 after the timeout, -EINTR after a signal. After 1,
 * proclife_source_next() can still return 0: another CPU may be just writing.
 */
int proclife_source_wait(struct proclife_source *source, int timeout_ms);

/* How many new records end a proclife_source_wait(); 1 at first. */
int proclife_source_set_watermark(struct proclife_source *source, uint64_t records);

/*
 * A descriptor for poll(2), owned by the source. Once proclife_source_next() has returned 0, it
 * becomes readable with the next records. -EBADF if the source is a recording, which never waits.
 */
int proclife_source_fd(const struct proclife_source *source);

/*
 * The device's header; counts that change are up to date. Its offsets of the clocks are those of when the source
 * was opened: proclife_source_realtime() and proclife_source_boottime() know how they changed. Owned by the source.
 */
const struct proclife_header *proclife_source_header(struct proclife_source *source);

/*
 * A ring's positions, which go on changing. NULL: no such ring. Owned by the source. By BPF a CPU has several: these are
 * their sums, as they are now, until the next call.
 */
const struct proclife_ring_ctl *proclife_source_ring(struct proclife_source *source, uint32_t cpu);

/*
 * How many records of a type this CPU has made since the module was loaded, and how many its budget has
 * suppressed. 0 if there is no such ring, or the module does not know the type.
 */
uint64_t proclife_source_count(struct proclife_source *source, uint32_t cpu, uint32_t type);
uint64_t proclife_source_suppressed(struct proclife_source *source, uint32_t cpu, uint32_t type);

/* Records lost so far, in all gaps yielded. */
uint64_t proclife_source_lost(const struct proclife_source *source);

/*
 * The time by the records' clock, to be compared with their times: clock_gettime(2) gives a
 * different one in a time namespace. For a recording: CLOCK_MONOTONIC.
 */
uint64_t proclife_source_now(const struct proclife_source *source);

/*
 * The time of day of a record, in nanoseconds since 1970, by CLOCK_REALTIME at that time. It takes
 * into account when that clock was set or the machine suspended: for a device, since the source was
 * opened; for a recording, always.
 */
uint64_t proclife_source_realtime(const struct proclife_source *source, uint64_t ts);

/* The same by CLOCK_BOOTTIME, the clock of a task's `start`: time for which the machine was suspended counts. */
uint64_t proclife_source_boottime(const struct proclife_source *source, uint64_t ts);

/* The first ts whose time of day is this, or a later one. */
uint64_t proclife_source_monotonic(const struct proclife_source *source, uint64_t realtime);

/*
 * The changes of CLOCK_REALTIME against CLOCK_MONOTONIC that the source knows, by index; false after
 * the last one. @since: the first ts for which it holds; @by: in nanoseconds, above 0 if the clock
 * was set forward or the machine suspended.
 */
bool proclife_source_clock_step(const struct proclife_source *source, size_t index,
				uint64_t *since, int64_t *by);

/* No event from before this time will be yielded any more, but events of this very time may be. */
uint64_t proclife_source_horizon(const struct proclife_source *source);

/*
 * The boot of the machine that the records are from, 16 bytes, as /proc/sys/kernel/random/boot_id shows
 * it. NULL if it is not known: for a plain file, and for a recording of an earlier version. Owned by the
 * source.
 */
const uint8_t *proclife_source_boot_id(const struct proclife_source *source);

/*
 * A number for a process, from its tgid, its `start` and the boot: never 0, the same in every trace of
 * that boot, and most likely no other process has it, on any machine. It is SipHash-1-3 of both as
 * little-endian bytes, 8 of the start and 4 of the tgid, with the boot id as the key; zeros if that is
 * not known.
 */
uint64_t proclife_source_identity(const struct proclife_source *source, uint32_t tgid, uint64_t start);

/*
 * Recordings
 */

/*
 * Why something cannot be read, for people. The path is as it was given and can have any bytes:
 * quote it before you show it. The text is the library's own, and ASCII.
 */
struct proclife_fault {
	char path[4352]; /* what; there is room for any path that can be opened */
	char text[320];	 /* why, and what to do about it */
};

#define PROCLIFE_HOST_LEN 72 /* longer than any host name, so it always ends with NULs */
#define PROCLIFE_REASON_LEN 16
#define PROCLIFE_RCU_LEN 64
#define PROCLIFE_UUID_BYTES 16

/*
 * What a recording keeps about the run that made it, so that a replay can show the same. The
 * library sets the members from `uuid` on.
 */
struct proclife_run_info {
	size_t size; /* sizeof(struct proclife_run_info), set by the caller */
	uint64_t began;
	uint64_t ended;		  /* later events do not belong to it; 0: it was cut off */
	uint32_t command;	  /* tgid of the command that was followed; 0: none */
	uint32_t command_creator; /* tgid of the process that forked it */
	int32_t command_status;	  /* -1: not known */
	char reason[PROCLIFE_REASON_LEN]; /* why it ended, in the recorder's words, with a NUL */
	uint8_t uuid[PROCLIFE_UUID_BYTES]; /* identifies a recording; copies have the same */
	bool complete;	 /* the recorder finished; otherwise the rest is missing... */
	bool running;	 /* ... or not there yet: it was still running when this was opened */
	uint64_t synced; /* nothing from before this time is missing */
	uint64_t records;
	uint64_t lost; /* in gaps */
	char hostname[PROCLIFE_HOST_LEN];
	char rcu[PROCLIFE_RCU_LEN]; /* how RCU callbacks were run, with a NUL */
	uint8_t slice_of[PROCLIFE_UUID_BYTES]; /* it is a part of this recording; zeros: it is none */
	/*
	 * The number of a part, from 1 on, as proclife_recorder_keep() makes them; 0: it is none. From the
	 * second on, a part also has the records of lives that were open at `began`: others from before
	 * that time are missing.
	 */
	uint32_t part;
	uint32_t parts; /* how many follow each other here, this one included; 0: it is none */
	uint8_t boot_id[PROCLIFE_UUID_BYTES]; /* of its machine; zeros: not known */
};

/**
 * proclife_recording_open - read what a recorder has written
 * @source: set to the new source
 * @path: the folder
 * @fault: says why, if the return value is negative; may be NULL
 *
 * Each stream's file stays open. Records are copied before they are checked, and the copy is
 * yielded. So the files may be changed or truncated meanwhile: that counts as damage. Errors: those
 * of open(2); -ENOEXEC if it is no recording of ours; -EPROTO if this library does not know its
 * version; -EBADMSG if its metadata is damaged.
 *
 * The source yields the events in the same order as the recorder's source, snapshot included, and
 * then -ENODATA. A recording that was cut off yields what is there. One that is still being
 * recorded yields what was there when it was opened, up to run.synced. Where a stream is damaged,
 * or missing, it yields a gap and goes on with the next good record; see
 * proclife_recording_damage().
 */
int proclife_recording_open(struct proclife_source **source, const char *path,
			    struct proclife_fault *fault);

/* NULL if the source is not a recording. Owned by the source. */
const struct proclife_run_info *proclife_recording_info(const struct proclife_source *source);

/* A stream of a recording that cannot be read as it was recorded. */
struct proclife_damage {
	char stream[24]; /* the name of its file */
	char what[96];	 /* what is wrong at the first damaged place */
	uint64_t at;	 /* that place, in bytes from the file's beginning */
	uint64_t places;
	uint64_t lost; /* in all places: records, and lost records of gaps, that are not yielded */
	uint64_t from; /* all between from and to; the gaps yielded have the times of each place */
	uint64_t to;
	bool estimated; /* lost is a guess: only a complete recording has its totals */
	bool unread;	/* there is no such file, or it cannot be read at all */
};

/*
 * The damage found so far, by stream: index 0, 1, ... up to the first NULL. All of it is found once
 * the source has returned -ENODATA. NULL if the source is not a recording. Owned by the source, and
 * changing.
 */
const struct proclife_damage *proclife_recording_damage(const struct proclife_source *source,
							size_t index);

/* Writes all events that a source yields, from the first one on, whatever is selected. */
struct proclife_recorder;

/**
 * proclife_recorder_new - record what a device yields
 * @dir: the folder: it is created, or has to be empty and the caller's own
 * @run: what is known so far; copied
 *
 * Call this before the first proclife_source_next(); otherwise it fails with -EBUSY. -EINVAL if the
 * size of @run is wrong or a text in it has no NUL, -E2BIG if it has something that this library
 * does not know; -ENOTSUP if the source is not a device; -ENOTEMPTY if the folder is not empty;
 * -EPERM if it belongs to another user than the caller or root, or others can write in it, or it is
 * a symbolic link in such a folder. Free the recorder before the source.
 */
int proclife_recorder_new(struct proclife_recorder **recorder, struct proclife_source *source,
			  const char *dir, const struct proclife_run_info *run);

struct proclife_keep {
	size_t size;	/* sizeof(struct proclife_keep), set by the caller */
	uint64_t bytes; /* of all files in the folder, at most */
	uint64_t age;	/* ns: what is older is not kept; 0: no matter how old */
};

/**
 * proclife_recorder_keep - record what a device yields, and keep the latest of it
 * @dir: the folder: it is created, or is the caller's own and has what earlier runs have left there
 *
 * As proclife_recorder_new(), but the recording consists of parts, each of which can be read alone, and the
 * oldest are removed: so the folder never has more than @keep->bytes, earlier runs included. Each
 * part begins with the records of all lives that are open then. If the disk is full, older parts are removed,
 * too. Parts that have ended are compressed by a thread of nice 19, which blocks all signals. Errors
 * besides: -ERANGE if @keep->bytes is less than proclife_keep_least(); -EBUSY also if another recorder is at work
 * in the folder; -ENOTEMPTY if it is a recording itself.
 */
int proclife_recorder_keep(struct proclife_recorder **recorder, struct proclife_source *source,
			   const char *dir, const struct proclife_run_info *run,
			   const struct proclife_keep *keep);

/* What the folder of a recorder that keeps the latest has. */
struct proclife_held {
	uint64_t bytes; /* of its earlier parts, and what has reached the disk of the present one */
	uint64_t since; /* nothing of this run that came later is missing */
	uint32_t parts; /* of this run */
};

/* What it holds now; valid until the next call. NULL: it keeps everything. Owned by the recorder. */
const struct proclife_held *proclife_recorder_held(struct proclife_recorder *recorder);

/* The least bytes of a struct proclife_keep, for a source with this many CPUs and tasks. */
uint64_t proclife_keep_least(struct proclife_source *source);

/**
 * proclife_recording_compress - compress a recording that has ended
 * @path: its folder; its parts, if it has some, are compressed by their recorder
 * @stop: called between blocks, with @data; if it returns true, the rest stays as it is. Can be NULL
 * @bytes: set to what the files of its streams have then; 0: none is compressed, since that is not worth it
 *
 * It is read as before. Each file is written aside, and replaces the other one once it is on the disk: whatever
 * interrupts this, the recording stays whole. Return: 0; -ECANCELED if it was stopped; -EBUSY if it is neither
 * complete nor a slice, or is being compressed already; -EPERM as proclife_recorder_new(); -ENOEXEC if it is no recording; or why it cannot be read or
 * written. @fault explains all but -ENOMEM and -ECANCELED; it may be NULL.
 */
int proclife_recording_compress(const char *path, bool (*stop)(void *data), void *data, uint64_t *bytes,
				struct proclife_fault *fault);

/**
 * proclife_recorder_slice - record a part of a recording
 * @source: that recording, of which nothing was yielded yet
 * @path: its folder, where the names of its cgroups and users are
 * @dir: as for proclife_recorder_new()
 * @run: what the part keeps of its run; copied
 *
 * What is given to proclife_recorder_add() goes into it; what is left out is not lost. The part has
 * its own uuid, and `slice_of` is the recording's. -ENOTSUP if the source is no recording.
 */
int proclife_recorder_slice(struct proclife_recorder **recorder, struct proclife_source *source,
			    const char *path, const char *dir, const struct proclife_run_info *run);

/*
 * The event that the source of a slice has yielded last. Return: 0, or the first error there was;
 * -ENOTSUP if the recorder is of a device.
 */
int proclife_recorder_add(struct proclife_recorder *recorder, const struct proclife_event *event);

/*
 * Writes all events that have been yielded so far. Without this call, each CPU's records are
 * written when they fill a packet of 64 KiB. Return: 0, or the first error so far: then nothing is
 * written any more, and what has been written stays readable. For a slice, it does nothing else.
 * -EINVAL after proclife_recorder_finish().
 */
int proclife_recorder_sync(struct proclife_recorder *recorder);

/* The first error so far, or 0. */
int proclife_recorder_error(const struct proclife_recorder *recorder);

/*
 * Writes the rest and marks the recording as complete. Events that were yielded last and are later
 * than @run->ended are left out. Without this call, a recording counts as cut off; the slice of one
 * that was cut off does so in any case, from the same time on, and ends at @run->ended. -EINVAL if
 * that is 0, or before an event that has been written: then nothing is changed, and this can be
 * called again; and -EINVAL after it has succeeded.
 */
int proclife_recorder_finish(struct proclife_recorder *recorder,
			     const struct proclife_run_info *run);

struct proclife_recorder_counts {
	uint64_t records; /* written */
	uint64_t lost;	  /* in gaps written */
	uint64_t bytes;	  /* of the streams' files */
};

/* Owned by the recorder, and changing. */
const struct proclife_recorder_counts *
proclife_recorder_counts(const struct proclife_recorder *recorder);
void proclife_recorder_free(struct proclife_recorder *recorder);

/*
 * Cgroups
 */

struct proclife_cgroups;

/**
 * proclife_cgroups_new - paths of cgroups, by the ids in records
 * @recording: the folder of a recording, which has the paths of its machine; NULL: this machine
 * @fault: its text is empty, or says why not all paths of the recording can be read; may be NULL
 *
 * It is no error if paths are not known, nor if the recording's paths cannot be read. Errors:
 * -ENOMEM.
 */
int proclife_cgroups_new(struct proclife_cgroups **cgroups, const char *recording,
			 struct proclife_fault *fault);
void proclife_cgroups_free(struct proclife_cgroups *cgroups);

/*
 * The path below the root of the hierarchy: "/system.slice/cron.service", "/" for the root itself.
 * NULL if it is not known: the cgroup has been removed, or CAP_DAC_READ_SEARCH is missing. On this
 * machine, a path that was asked for once stays known. Owned by the cgroups.
 */
const char *proclife_cgroups_path(struct proclife_cgroups *cgroups, uint64_t id);

/*
 * Looks up the cgroup in this record, if it has one. Call it with each record of a live source: when the
 * path is needed, the cgroup can be gone, and with it its path.
 */
void proclife_cgroups_note(struct proclife_cgroups *cgroups, const struct proclife_record *record);

/*
 * Forgets all cgroups but these, for programs that follow a machine for months. An id can occur more
 * than once. Paths that were returned before are freed. -ENOMEM leaves everything as it was.
 */
int proclife_cgroups_keep(struct proclife_cgroups *cgroups, const uint64_t *ids, size_t count);

/*
 * Users
 */

struct proclife_users;

/**
 * proclife_users_new - names of users, by the uids in records
 *
 * Like proclife_cgroups_new(): the names of this machine's users, or of those that occur in a
 * recording.
 */
int proclife_users_new(struct proclife_users **users, const char *recording,
		       struct proclife_fault *fault);
void proclife_users_free(struct proclife_users *users);

/*
 * NULL if the uid has no name, or it is not known. This machine is asked once for each uid, which
 * can take long. Owned by the users.
 */
const char *proclife_users_name(struct proclife_users *users, uint32_t uid);

/*
 * Lives
 *
 * Names, paths, arguments, and the paths of cgroups and names of users, are bytes that others have
 * chosen, in any encoding or none, with escape sequences: quote them before you show them.
 */

struct proclife_process;

/*
 * The marks of a life: the times of its events; 0: not seen. For a process, they are the last
 * thread's FREE, and the leader's REAP.
 *
 * `exited` is where the exit begins: for a task, its EXITING; for a process that ends as a whole, its
 * `exiting`; for one whose threads exit one by one, the latest EXITING. It is set once EXIT has been
 * seen, too. In a trace without EXITING, it is the EXIT, for a process the last one.
 */
struct proclife_marks {
	uint64_t born;	   /* FORK */
	uint64_t exited;
	uint64_t notified; /* the first NOTIFY to its parent; always 0 for a thread */
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
	bool reaper_named; /* reaper_comm is the name of the reaper's process */
	struct proclife_marks marks;
	uint64_t runtime; /* CPU time; final once freed */
	uint64_t utime;
	uint64_t stime;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	char comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN]; /* the process's name; if reaper_named is not set, the thread's */
	uint32_t reaper_pid;
	uint32_t reaper_tgid;
	uint64_t seen;		/* the time of its first record; marks.born, if that was seen */
	uint64_t waited;	/* when it last called wait(2), if it has reaped no task since */
	uint64_t reaper_waited; /* as in struct proclife_process */
	uint64_t exiting;	/* EXITING */
};

/*
 * One thread group; valid until the process_gone report has returned. It has exited when its last
 * thread has, is reaped with its leader, and is gone when all its tasks are freed. A copy can be
 * read, but not be given to a function: more belongs to a process than is seen here.
 *
 * Marks belong to one life by handle and start time. Each is exact, or 0 where a gap can hide
 * something else. PROCLIFE_F_GROUP_DEAD shows that the last thread has exited; if the whole life
 * was seen, counting does. Otherwise `exited` stays 0, and also if a gap can hide a later EXIT, or
 * an earlier beginning of the exit.
 * `freed` is 0 if the FREE of a thread is missing, or may be: a gap in the life before all threads
 * have exited can hide a thread that is freed later. Threads that were reaped before the trace
 * began do not count.
 */
struct proclife_process {
	uint64_t handle; /* of the group; 0 if unknown */
	uint64_t start;	 /* of the leader, as in the record; 0 if unknown */
	uint32_t tgid;
	uint32_t flags;	   /* of the leader */
	int32_t exit_code; /* as wait(2) gives it to the parent; -1: not known */
	uint32_t threads;  /* how many were ever seen */
	uint32_t live;	   /* seen and not yet exited; if it outlives the trace, at its end */
	uint32_t open;	   /* seen and not yet freed */
	bool selected;
	/* A gap touches this life; final up to its exit once reported exited, then once gone. */
	bool incomplete;
	bool args_cut;	 /* there are more arguments than the module records, or than were seen */
	bool matches;	 /* the filter certainly matches it as it is now; true without a filter */
	bool outlives;	 /* reported gone because the trace ended, not because the process did */
	bool notified_lost : 1; /* that its parent was notified was lost: it has no PROCLIFE_ZOMBIE */
	bool tracer_lost : 1;	/* a tracer can have been notified first, unseen: it has no PROCLIFE_TEARDOWN */
	uint16_t exit_cpu;  /* of the last EXIT */
	struct proclife_marks marks;
	uint64_t seen;	  /* the time of its first record; marks.born, if that was seen */
	/*
	 * KiB that it had in memory at most, since its last exec. 0: not known, as long as it has not ended, or
	 * if it was not seen how it let go of its address space.
	 */
	uint64_t max_rss;
	struct proclife_task *leader; /* NULL if it was not seen, or is gone */
	char comm[PROCLIFE_COMM_LEN];
	char reaper_comm[PROCLIFE_COMM_LEN]; /* the process's name; if reaper_named is not set, the thread's */
	uint32_t reaper_pid;
	uint32_t reaper_tgid;
	const char *path; /* of the last EXEC, or NULL; if cut, its tail after "..." */
	const char *args; /* of the last EXEC, each with a NUL; NULL if they are not recorded */
	uint64_t execed;  /* when it last called execve(2) */
	uint64_t id;		/* 1, 2, ... in the order in which they appear */
	uint64_t parent_id;	/* by birth, or from the snapshot; 0 if not known */
	uint32_t parent_tgid;	/* the same */
	uint32_t creator_tgid;	/* the process that forked it: not the parent under CLONE_PARENT */
	char parent_comm[PROCLIFE_COMM_LEN]; /* of the parent by birth, when parent_id became known */
	uint32_t ns_pid;
	uint32_t ns_inum;
	uint64_t cgroup;
	uint32_t uid; /* the real user, the last one that is known */
	uint32_t execs;
	uint64_t runtime; /* these seven are sums over its tasks that are gone */
	uint64_t utime;
	uint64_t stime;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	void *user; /* the caller's; NULL at first */
	uint32_t real_parent_tgid; /* at its EXIT (if that is lost, its NOTIFY) or the snapshot */
	uint16_t args_bytes; /* the size of args; another NUL follows that is not counted */
	uint16_t free_cpu;   /* of the last FREE: where the RCU callback ran */
	uint64_t leader_exited; /* since when its leader exits; 0: not seen */
	/*
	 * Since when it ends as a whole, whether its threads have exited or not: its first EXITING or
	 * COREDUMP of that end. 0: it does not, its threads exit one by one, or it was not seen.
	 */
	uint64_t exiting;
	uint64_t reaper_id;	/* the reaper's process; 0 if not known */
	uint64_t reaper_waited; /* when its reaper called the wait(2) for it; 0: not known */
	uint64_t waited; /* when a thread of it last called wait(2), as far as was recorded */
	uint64_t notified_id; /* the process notified as its parent, the last one if it was inherited; 0: not known */
	uint32_t notified_tgid; /* the same; 0: none was, or it was not recorded */
	uint8_t autoreaped; /* why no process had to reap it: PROCLIFE_AUTOREAP_*; 0: one had to. See ended_with_parent, too */
	uint32_t waited_what : 2; /* PROCLIFE_WAIT_* of the wait(2) at `waited`; 0: not known */
	uint32_t waited_for : 22; /* the pid or process group of that; 0: any child, no process had it, or not known */
	uint32_t going; /* of `live`, those that have not begun to exit */
	bool reaper_named; /* as in struct proclife_task */
	/* It is autoreaped because its parent, the init of a pid namespace, was exiting, and took it along. */
	bool ended_with_parent;
	bool script; /* of the last EXEC: an interpreter runs the path, and is the first of args */
	bool by_fd;  /* of the last EXEC: by a file descriptor; path is the file's name, without folder */
};

/* Why a signal was sent, if not by kill(2) or the like. */
enum proclife_cause {
	PROCLIFE_BY_ITSELF,	 /* nothing of the following is known */
	PROCLIFE_BY_PARENT_END,	 /* its parent, the sender, ended: PR_SET_PDEATHSIG of prctl(2) */
	PROCLIFE_BY_NAMESPACE_END, /* the init of its pid namespace, the sender, ended */
	PROCLIFE_BY_TRACER_END,	 /* its tracer, the sender, ended: PTRACE_O_EXITKILL of ptrace(2) */
	PROCLIFE_BY_TERMINAL,	 /* a key, or a hangup */
	PROCLIFE_BY_OOM,	 /* the OOM killer: the sender needed memory */
	PROCLIFE_CAUSES,
};

const char *proclife_cause_name(enum proclife_cause cause); /* "parent-end", ...; NULL for PROCLIFE_BY_ITSELF */
#define PROCLIFE_AUTOREAP_UNKNOWN 255 /* no record says why */

const char *proclife_autoreap_name(uint32_t why); /* "ignored", "nocldwait", "clone"; NULL if it is not known */
const char *proclife_wait_name(uint32_t what); /* "any", "pid", "group"; NULL if it is not known */
const char *proclife_oom_scope_name(uint32_t scope); /* "global", "cgroup"; NULL if it is not known */

/*
 * The signal that killed a process, and its sender: a process, by a thread of it. If the process's name is not known,
 * comm is the thread's, too.
 */
struct proclife_killer {
	uint64_t ts;
	uint64_t task; /* the sender's handle; 0: an interrupt, and pid, tgid and comm are empty */
	int32_t signo;
	int32_t code;  /* si_code: above 0 if the kernel sent it, on behalf of the sender or not */
	uint32_t pid;
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
	bool blocked; /* all that could take it blocked it then, so it ended no process until later */
	bool again; /* there was another one of its number before the end: see proclife_process_killed() */
	bool named; /* comm is the process's */
	char thread_comm[PROCLIFE_COMM_LEN];
	uint32_t flags; /* PROCLIFE_F_*, as sender_flags of struct proclife_signal */
	enum proclife_cause cause;
	uint32_t oom_scope;  /* of PROCLIFE_BY_OOM: PROCLIFE_OOM_*, 0 if that is not known */
	uint64_t oom_cgroup; /* PROCLIFE_OOM_CGROUP: the one at its limit, 0 if that is not known */
};

/*
 * The signal that killed this process, by its exit_code so far. NULL if no signal did, the SIGNAL
 * was not seen, or a thread of it is still alive. Owned by the process.
 */
const struct proclife_killer *proclife_process_killer(const struct proclife_process *process);

/*
 * When it was sent that signal. 0: no signal killed it, it was blocked at first, the SIGNAL was not
 * seen, a gap can hide an earlier one of this number, nothing in the trace shows that the process was
 * not exiting before, or there were several, and the first can have been held back, by a tracer for
 * instance. (If it is older than the trace, one from before that can be missing: a SIGKILL to a single
 * thread, after which another one was queued.)
 */
uint64_t proclife_process_killed(const struct proclife_process *process);

#define PROCLIFE_UIDS 3

/*
 * The real users that it had at its fork, after an exec and when it was reaped, in this order; of more than
 * PROCLIFE_UIDS, the first ones and the latest. The array is the process's.
 */
const uint32_t *proclife_process_uids(const struct proclife_process *process, unsigned int *count);

/* What PATH records say of the program that a process runs, since its last EXEC; NULL: not known, or not all of it. */
struct proclife_program {
	const char *exe; /* the path of the file; of a script, its interpreter's */
	const char *cwd; /* the working directory when it began */
	const char *env; /* variables that the module was asked for, NAME=VALUE, each with a NUL */
	uint32_t env_bytes; /* how long env is; another NUL follows that is not counted */
	uint32_t env_searched; /* bytes of the environment */
	bool env_whole; /* whatever else was asked for is not set; otherwise that is not known, and env can be cut */
};

/* NULL: nothing is known. Owned by the process, until it execs. */
const struct proclife_program *proclife_process_program(const struct proclife_process *process);

/* The marks of a birth: the times of its events; 0: not seen, or it is not certain that they are of this birth. */
struct proclife_births {
	uint64_t forking; /* the FORKING of its creator */
	uint64_t started; /* STARTED; both are of the leader with which a process began */
	/* These two are of a process: its first EXEC since its FORK, and the EXECING of that. Threads have none. */
	uint64_t execing;
	uint64_t execed;
};

/* NULL: the trace has no BIRTH. Owned by the process or task. */
const struct proclife_births *proclife_process_births(const struct proclife_process *process);
const struct proclife_births *proclife_task_births(const struct proclife_task *task);

/*
 * The last exec of a process that failed. If it stands in a search of PATH, behind a file that was there and could not
 * be executed, that one.
 */
struct proclife_failed_exec {
	uint64_t ts;
	uint32_t error; /* errno */
	bool by_fd;	/* a descriptor was to be executed: there is no path */
	char path[PROCLIFE_PATH_LEN + 4]; /* as the task gave it, "..." before its end if it is too long; empty: not known */
};

/*
 * The last one of a process that has ended, if it has not execed since: that may be why it ended. NULL: none, or not
 * known, since a record of a later one can be missing. Owned by the process.
 */
const struct proclife_failed_exec *proclife_process_failed_exec(const struct proclife_process *process);

/*
 * How a task spent a phase, in ns: the three are all of it. It could run, but waited for a CPU, or for its cgroup's
 * quota of it. @exact: it was never blocked, so nothing depends on CPU time, which lags by up to the scheduler's tick,
 * or by a second on a CPU without one, and leaves out interrupts and stolen time where the kernel accounts these.
 * Otherwise that much can be in @blocked that was not.
 */
struct proclife_split {
	uint64_t on_cpu;
	uint64_t waiting;
	uint64_t blocked;
	bool exact;
	bool known;
};

/* What a process had used when its exit began: sums of its threads. */
struct proclife_used {
	uint64_t waiting; /* ns for a CPU, or a quota */
};

/* NULL: not known. */
const struct proclife_used *proclife_process_used(const struct proclife_process *process);

/* What the threads of a process have read and written since its fork, whatever it execed. */
struct proclife_io {
	uint64_t read_bytes; /* from storage */
	uint64_t write_bytes; /* to pages that go there; also if they were removed before they were written */
};

/*
 * Final once all of it is freed. Until then, what it was when the exit of each thread began, in a trace with TIMES.
 * NULL: not known, as long as it has not ended, or if the figure of a thread is missing.
 */
const struct proclife_io *proclife_process_io(const struct proclife_process *process);

/* The first SIGKILL that it was sent: it has to end, whether it has or not. NULL: none was seen. */
const struct proclife_killer *proclife_process_sigkill(const struct proclife_process *process);

/* The tracer of a process when it ended, from another process than its parent, and so notified first. */
struct proclife_tracer {
	uint64_t ts; /* when it was notified; 0: not recorded, but the snapshot found it traced */
	uint64_t id; /* of its process; 0: not known */
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN]; /* empty if ts is 0 */
	bool released; /* a later snapshot found it without this tracer: a gap hides when that let go */
};

/* NULL: there was none, or it is not known. Owned by the process. */
const struct proclife_tracer *proclife_process_tracer(const struct proclife_process *process);

/* A process that did something, by a thread of it. */
struct proclife_actor {
	uint64_t id; /* of its process */
	uint32_t pid;
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN]; /* the process's name; the thread's if that is not known */
	char thread_comm[PROCLIFE_COMM_LEN];
	bool named; /* comm is the process's */
};

/*
 * How the memory of a process came back, its address space. Times are 0 if they are not known; each is
 * exact. A process that shares its creator's memory has none of its own, and one that was killed in an
 * exec that did not succeed has the memory of its old program.
 */
struct proclife_memory {
	uint64_t left;	/* its last thread let go of it, and others held it; 0: none did */
	uint64_t early; /* another task began to take its anonymous part, while it was held or unmapped */
	uint64_t teardown; /* nothing holds it any more, and its unmapping begins */
	uint64_t gone;	   /* it is unmapped */
	uint64_t early_anon; /* KiB of anonymous memory at `early` */
	uint64_t rss_anon;   /* KiB at `teardown`, as in struct proclife_mm */
	uint64_t rss_file;
	uint64_t rss_shmem;
	uint64_t swap;
	/* Which task let go of it last. Its pid is 0 if that is not known or, with `async`, an interrupt did. */
	struct proclife_actor last;
	struct proclife_actor by;   /* the task that unmaps it: the same, or a worker of the kernel, see `async` */
	struct proclife_actor early_by; /* the OOM reaper, or the caller of process_mrelease(2) */
	uint32_t holders; /* at `left`: how many held it */
	bool own;   /* the process itself let go of it last */
	bool async; /* a worker of the kernel unmaps it: the last one to let go of it left that to others */
	bool open;  /* it is not gone yet; false if that is not known */
};

/* NULL: no record shows its end, or the trace has no MM or no EXITING. Owned by the process. */
const struct proclife_memory *proclife_process_memory(const struct proclife_process *process);

/*
 * The lives of all tasks and processes. Results that are built on it (latency, tree, reapers) may
 * be freed before or after it; what they hold stays readable.
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
	 * The parent of a process was not known when it was reported born, and now it is: in a
	 * snapshot, children can precede their parents. Or the process became selected only now;
	 * then `parent` can still be NULL.
	 */
	void (*process_linked)(void *data, struct proclife_process *process,
			       struct proclife_process *parent);
	/*
	 * It ends as a whole: `exiting` is set, or that was lost and it is 0. Once for each process
	 * at most, and before it is reported exited; until then `exiting` can become 0 again, if it turns
	 * out that the EXITING of another thread was missed, which can have been before.
	 */
	void (*process_exiting)(void *data, struct proclife_process *process);
	/*
	 * The last thread of a process has exited. Once for each process, before it is gone; but if
	 * the last EXIT was not seen, it is only reported gone.
	 */
	void (*process_exited)(void *data, struct proclife_process *process);
	/*
	 * The last report of each process: nothing more will become known of it. It follows process_gone at
	 * once, or, if the memory is `open` then and the process did not outlive the trace, when that is
	 * gone, too, or what became of it is lost, or the trace ends. All but the memory is as it was when
	 * process_gone was reported.
	 */
	void (*process_over)(void *data, struct proclife_process *process);
};

/**
 * proclife_tasks_new - begin with lives
 * @source: where the events that will be fed come from; NULL: from no source
 *
 * The source's facts about its whole trace are taken here: whether it has REAPs, where exits begin, and
 * more. It has to live as long as the tasks are fed. A recording of a command selects that command and
 * what it creates, until something else is selected. Without a source, the trace counts as one that has
 * REAPs and no EXITINGs.
 */
int proclife_tasks_new(struct proclife_tasks **tasks, struct proclife_source *source);
/* Reports nothing: what is open is reported by proclife_tasks_close() alone. */
void proclife_tasks_free(struct proclife_tasks *tasks);

/*
 * Adds reports. They are called in the order in which they were added. -E2BIG if @reports has a
 * member that this library does not know. If they are added midway, there can be a `gone` of what
 * was born before.
 *
 * A report may call what looks and what selects, add other reports and results, which get the report
 * of the same life next, and free results. It must not feed, close or free the tasks, nor free the source.
 */
int proclife_tasks_report(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data);

/**
 * proclife_tasks_feed - process one event
 *
 * If a FREE was lost, the life is reported gone, with freed 0, when its handle or group is seen in
 * use again. Return: 1 if the event belongs to a selected process (a gap belongs to all), 0 if it
 * does not, or a negative errno: -EINVAL if it is later than PROCLIFE_TIME_MAX.
 */
int proclife_tasks_feed(struct proclife_tasks *tasks, const struct proclife_event *event);

/**
 * proclife_tasks_replay - feed the whole recording that the tasks were made for, and close
 * @each: called with each event before it is fed; returns 0 to go on, or a negative number, which
 *        ends the replay; may be NULL
 *
 * Afterwards, proclife_source_horizon() is the time of the end. Return: 0; 1 if the recording breaks
 * off because its recorder was interrupted or is still running: from run.synced on, ends can be
 * missing; -EINVAL if the source of the tasks is not a recording; -EBUSY if something has been fed or
 * yielded before; what @each has returned, or -EINVAL if that is above 0; or another negative errno.
 */
int proclife_tasks_replay(struct proclife_tasks *tasks,
			  int (*each)(void *data, const struct proclife_event *event), void *data);

/**
 * proclife_tasks_close - end the trace: report all processes that are still open as gone
 *
 * They are reported in the order in which they appeared, and their missing times stay 0. Until the last
 * one is reported, all of them are there: a report can look at any of them, such as the parent of its
 * zombie. Once a process is reported, its `user` is NULL. Nothing can be selected meanwhile.
 */
int proclife_tasks_close(struct proclife_tasks *tasks);

/*
 * Selection: everything is selected until one of these is called. A process that a selected one
 * creates is selected, too, whichever process becomes its parent. A process that is older than the trace is
 * selected if its parent is. select_pid() and select_child() select one process: another one that
 * gets the same pid later is not selected. While the tasks are being closed, it is too late: -EBUSY.
 *
 * The first call unselects everything else without a report. If that is midway, results keep what
 * they have: a tree its nodes, where unselected ones are never `gone`; a latency and
 * reapers the lives that had ended.
 */

/* Selects the process that has this tgid, now or as soon as there is one. */
int proclife_tasks_select_pid(struct proclife_tasks *tasks, uint32_t tgid);

/* Selects each process that has this tgid, now or later: in a recording, one after the other can. */
int proclife_tasks_select_holders(struct proclife_tasks *tasks, uint32_t tgid);

/* Selects the process that @creator_tgid forks with this tgid; call before its FORK is fed. */
int proclife_tasks_select_child(struct proclife_tasks *tasks, uint32_t tgid, uint32_t creator_tgid);

/* What a filter says of a process. */
enum proclife_match {
	PROCLIFE_MATCHES_NOT,
	PROCLIFE_MATCHES,
	PROCLIFE_MATCH_UNKNOWN, /* what the filter asks for is not known of it */
};

/**
 * proclife_tasks_select_matching - select each process that is of some kind, now or later
 * @match: asked about a process as that of proclife_tasks_filter() is, whether it is selected or not; what it
 *         said PROCLIFE_MATCHES of stays selected; NULL: no more are selected
 *
 * The next call takes the place of this one. What is selected stays so.
 */
int proclife_tasks_select_matching(struct proclife_tasks *tasks,
				   enum proclife_match (*match)(void *data, const struct proclife_process *process),
				   void *data);

/**
 * proclife_tasks_filter - show only some of the selected processes
 * @match: asked about a process when it begins, when its name, uid, cgroup or arguments have
 *         changed, when its last thread has exited, and before it is reported gone; NULL: all of
 *         them match
 *
 * From now on: it is asked about all that are open at once. A process that does not match is still
 * selected, and so are those that it creates. But proclife_tasks_feed() returns 0 for it, and
 * latency and reapers leave it out if it does not match at its end. A tree keeps it, with `matches`
 * unset. The same holds for one of which it is not known whether it matches.
 */
void proclife_tasks_filter(struct proclife_tasks *tasks,
			   enum proclife_match (*match)(void *data, const struct proclife_process *process),
			   void *data);

/* As it is now, whether it matches cannot be known. */
bool proclife_process_unjudged(const struct proclife_process *process);

/* The tgids of select_pid() and select_holders() that no process has had yet, by index; 0 after the last one. */
uint32_t proclife_tasks_missing(const struct proclife_tasks *tasks, size_t index);

/* How many selected processes have appeared, and how many of them are not gone yet. */
uint64_t proclife_tasks_selected(const struct proclife_tasks *tasks);
uint64_t proclife_tasks_selected_open(const struct proclife_tasks *tasks);

/* The task with this handle, or NULL. */
struct proclife_task *proclife_tasks_find(struct proclife_tasks *tasks, uint64_t handle);

/* The process that has this pid now, or NULL: when a process is reaped, it loses its pid. */
struct proclife_process *proclife_tasks_holder(const struct proclife_tasks *tasks, uint32_t tgid);

/* Has its end been announced to a tracer alone, which has to wait for it before its parent can? */
bool proclife_process_is_held(const struct proclife_process *process);

/*
 * The process that has to call wait(2) for it next: that tracer, or the one that was notified last, or
 * without that its parent at its EXIT. 0: not known.
 */
uint32_t proclife_process_awaits(const struct proclife_process *zombie);

/*
 * That process, which should reap it. NULL if it has exited since, or is not known. Good in each report,
 * also at the end of the trace.
 */
struct proclife_process *proclife_process_reaper(const struct proclife_process *zombie);

/*
 * Iterates over the processes that are not gone, in the order in which they appeared: returns the
 * one after @process, or the first one if that is NULL; NULL at the end.
 */
struct proclife_process *proclife_tasks_next(const struct proclife_tasks *tasks,
					     const struct proclife_process *process);

/*
 * Iterates over the tasks of a process that are not gone, in no particular order: returns the one after
 * @task, or the first one if that is NULL; NULL at the end.
 */
struct proclife_task *proclife_process_next_task(const struct proclife_process *process,
						const struct proclife_task *task);

/*
 * The state of a process or task now, or at the end of the trace. A process is a thread group: it
 * is alive as long as one thread is, and a zombie once all have exited until it is reaped. A
 * thread is a zombie from its exit until it is released; so is a leader while other threads live.
 */
enum proclife_life_state {
	PROCLIFE_IS_ALIVE,
	PROCLIFE_IS_DYING, /* it ends as a whole, or all its threads have exited; no process was notified */
	PROCLIFE_IS_ZOMBIE, /* a tracer or its parent was notified, and it is not reaped */
	PROCLIFE_IS_UNFREED, /* reaped, but not freed yet */
	PROCLIFE_IS_FREED,   /* the leader, and all other threads that were seen */
	PROCLIFE_IS_UNKNOWN, /* a gap can hide what became of it, or only a thread's end was seen */
	PROCLIFE_STATES,
};

const char *proclife_state_name(enum proclife_life_state state); /* "alive", "zombie", ... */
enum proclife_life_state proclife_process_state(const struct proclife_process *process);
enum proclife_life_state proclife_task_state(const struct proclife_task *task);

/*
 * Is the whole life in the trace, from FORK to FREE, with nothing missing? Once it is reported gone;
 * before, it is false. Otherwise `marks.born` 0 shows that it is older than the trace, `outlives` that
 * it is not over, and `incomplete` that records were lost.
 */
bool proclife_process_complete(const struct proclife_process *process);

/* Is its parent_tgid known? That of init is 0. Until then, that member is 0. */
bool proclife_process_has_parent(const struct proclife_process *process);

/* Is its uid known? Until then, that member is 0. */
bool proclife_process_has_uid(const struct proclife_process *process);

/* Was it reported as exited? If a gap can hide a later EXIT, marks.exited can become 0 again. */
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
 * What all threads of a process that were seen have used, as far as it is known: for each thread as
 * of its FREE, its EXIT or the snapshot, whichever is the latest. It looks at each thread that is
 * not gone.
 */
void proclife_process_usage(const struct proclife_process *process, struct proclife_usage *usage);

/*
 * CPU time as wait4(2) and /proc show it. The tick samples utime and stime; the scheduler counts
 * runtime exactly. This divides runtime in the proportion of the samples.
 */
void proclife_cputime(uint64_t runtime, uint64_t utime, uint64_t stime, uint64_t *user,
		      uint64_t *system);

/*
 * The fields of a record, for programs that print or store them one by one
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
	uint32_t only; /* if not 0: it has a meaning only with one of these flags */
};

/*
 * The fields of a type's records, by index, in their order after the head; with PROCLIFE_NONE,
 * the fields of the head itself. NULL after the last one, and for a type that is not known.
 */
const struct proclife_field *proclife_field(uint16_t type, unsigned int index);

/* "fork", "exec", ...; NULL for a type that this library does not know. */
const char *proclife_type_name(unsigned int type);

/*
 * Latency
 */

/* Phases: each lies between two marks of a life. proclife_phase_info() describes them. */
enum proclife_phase {
	PROCLIFE_LIFE,	    /* fork to exit; what `exit` is: see struct proclife_marks */
	/*
	 * From the signal that ends it to the exit: until it runs, and takes the signal. None if the
	 * signal was blocked at first. Threads have none.
	 */
	PROCLIFE_KILL,
	/*
	 * exit to the first notice: the address space is torn down and files are closed. In a trace without
	 * EXITING, the address space counts only if EXIT is recorded before that. Threads have none.
	 * In a trace without NOTIFY, it is part of PROCLIFE_ZOMBIE.
	 */
	PROCLIFE_TEARDOWN,
	/*
	 * Parts of the teardown of a process's memory, which can end later than the process; see struct
	 * proclife_memory. Threads have none.
	 */
	PROCLIFE_HELD,	    /* from its last thread's letting go until nothing holds it; none if nothing did */
	PROCLIFE_UNMAP,	    /* from when nothing holds it until it is unmapped */
	/*
	 * A tracer is notified first, and the parent once that has waited for it, or is gone. None
	 * without a tracer of another process, and of threads.
	 */
	PROCLIFE_TRACED,
	/* Its parent is notified to reap; of threads, and in a trace without NOTIFY, exit to reap. */
	PROCLIFE_ZOMBIE,
	PROCLIFE_RCU_FREE,  /* reap to free */
	PROCLIFE_EXIT_FREE, /* exit to free: the sum of teardown, traced, zombie and rcu_free */
	/* A trace without BIRTH has none of these. Threads have the first two. */
	PROCLIFE_PHASE_FORK,  /* from where its creator begins to fork, to fork */
	PROCLIFE_PHASE_FIRST_RUN, /* fork to its first run */
	PROCLIFE_PHASE_EXEC,  /* of its first exec: from where that begins, to EXEC */
	PROCLIFE_PHASE_SPAWN, /* from where its creator begins to fork, to its first EXEC */
	/*
	 * No time between two marks: how long its threads waited for a CPU, in all; see struct proclife_used. As with
	 * PROCLIFE_LIFE, what was born before the trace has none.
	 */
	PROCLIFE_PHASE_WAIT,
	PROCLIFE_PHASES,
};

/* What all views say of a phase; the texts are static. */
struct proclife_phase_info {
	const char *name; /* "exit_free" */
	const char *from; /* "exit" */
	const char *to;	  /* "free" */
	const char *span; /* a few words about both: "exit to freed" */
	const char *help; /* a sentence: "From exit to the free." */
	enum proclife_phase part_of; /* the sum to which it belongs; PROCLIFE_PHASES: none */
	bool of_memory; /* of the address space, which can outlive the process */
	bool optional;	/* a life of a complete trace can be without it */
};

/* NULL for what is no phase. */
const struct proclife_phase_info *proclife_phase_info(enum proclife_phase phase);
/*
 * Why a phase cannot be known of anything in a trace with this header: the first type of records, or the type of
 * some, that it needs and the trace does not have; PROCLIFE_NONE: it can be known. NULL as the header: it has FORK,
 * EXIT and FREE.
 */
enum proclife_type proclife_phase_lacks(enum proclife_phase phase, const struct proclife_header *header);

/* When the first process, a tracer or its parent, was notified; 0: none was, or it is not known. */
uint64_t proclife_process_announced(const struct proclife_process *process);

/* By when a NOTIFY or the snapshot shows that it was a zombie, whatever is lost; 0: nothing shows it. */
uint64_t proclife_process_shown_zombie(const struct proclife_process *process);

/*
 * Has it certainly ended, by its EXIT, its REAP, or what shows that it was a zombie? Then exit_code, if that is
 * known, is what wait(2) gives.
 */
bool proclife_process_has_ended(const struct proclife_process *process);

/*
 * Is its CPU time known? An EXIT has it up to the last tick or switch: not known, if there was none; and a FREE has all.
 * Before them, it is what the snapshot found, and what threads used that have ended: a part, if an EXIT can be lost.
 */
bool proclife_process_has_cpu(const struct proclife_process *process);

/* Had it, before anything else is recorded of it? It was a zombie when the snapshot found it. */
bool proclife_process_ended_before(const struct proclife_process *process);

/*
 * Since when the process that is to reap it knows of it: its tracer, as long as that holds it, or its
 * parent. In a trace without NOTIFY, since its exit. 0: not known.
 */
uint64_t proclife_process_zombie_since(const struct proclife_process *process);

/*
 * Since when a process has been in a phase that goes on. 0: it is in none, that is not known, or a record that is
 * missing can have ended it. @at_least is set if it was in it before, for an unknown time.
 */
uint64_t proclife_process_phase_since(const struct proclife_process *process, enum proclife_phase phase,
				      bool *at_least);

/*
 * How long a phase was; false if one of its marks was not seen, or may be of another life: the
 * phases of an incomplete life are exact. The first function takes the marks as they are, and has
 * no PROCLIFE_KILL, PROCLIFE_HELD and PROCLIFE_UNMAP, nor a birth's; the second returns false for PROCLIFE_ZOMBIE
 * if `notified_lost` is set, and for PROCLIFE_TEARDOWN if `tracer_lost` is.
 */
bool proclife_marks_phase(const struct proclife_marks *marks, enum proclife_phase phase,
			  uint64_t *ns);
bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns);

/*
 * It is known of PROCLIFE_PHASE_FORK, whose time is the creator's, of PROCLIFE_TEARDOWN, of PROCLIFE_PHASE_EXEC and, for a process that had one thread, of PROCLIFE_LIFE.
 * NULL: it is not; the module records TIMES only with its parameter `times`.
 */
const struct proclife_split *proclife_process_split(const struct proclife_process *process, enum proclife_phase phase);
bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns);

/*
 * A histogram of times with a bounded relative error: count, sum, min and max are exact; a
 * percentile is at most 1/128 above the true value. All that look at one take NULL for an empty one:
 * its count and all its values are 0.
 */
struct proclife_histogram;

int proclife_histogram_new(struct proclife_histogram **histogram);
void proclife_histogram_free(struct proclife_histogram *histogram);
/* -ENOMEM leaves it as it was... */
int proclife_histogram_add(struct proclife_histogram *histogram, uint64_t ns);
/* ... but here, with a part of the other one. */
int proclife_histogram_merge(struct proclife_histogram *into,
			     const struct proclife_histogram *from);
uint64_t proclife_histogram_count(const struct proclife_histogram *histogram);
uint64_t proclife_histogram_min(const struct proclife_histogram *histogram);
uint64_t proclife_histogram_max(const struct proclife_histogram *histogram);
/* UINT64_MAX if it is more than that. */
uint64_t proclife_histogram_sum(const struct proclife_histogram *histogram);
double proclife_histogram_mean(const struct proclife_histogram *histogram);
/* The smallest value that at least @percent of all values do not exceed; at most the maximum. */
uint64_t proclife_histogram_percentile(const struct proclife_histogram *histogram, double percent);
/*
 * How many values lie in [from, to). This is exact if both are borders of buckets: powers of two
 * are, and all values below 128. Otherwise a whole bucket counts if its lower border lies in the
 * range.
 */
uint64_t proclife_histogram_between(const struct proclife_histogram *histogram, uint64_t from,
				    uint64_t to);

/* How many values lie in [first, last]. */
struct proclife_bucket {
	uint64_t first;
	uint64_t last;
	uint64_t count;
};

/*
 * Sets *@bucket to the next bucket that is not empty, in ascending order: to the first one if its
 * count is 0. False at the end.
 */
bool proclife_histogram_next(const struct proclife_histogram *histogram,
			     struct proclife_bucket *bucket);

/* The phases of all selected processes or tasks that were reported gone. */
struct proclife_latency;

int proclife_latency_new(struct proclife_latency **latency, struct proclife_tasks *tasks,
			 bool threads);
void proclife_latency_free(struct proclife_latency *latency);
const struct proclife_histogram *proclife_latency_phase(const struct proclife_latency *latency,
							enum proclife_phase phase);

struct proclife_latency_counts {
	uint64_t lives;	     /* reported gone */
	uint64_t alive;	     /* these four, and `dying`: open at the end, by their state then */
	uint64_t unreaped;   /* zombies */
	uint64_t unfreed;
	uint64_t unknown;
	uint64_t incomplete; /* a gap touches them: only phases with both marks are counted */
	uint64_t partial;    /* began before the trace: without their PROCLIFE_LIFE */
	uint64_t failed;     /* exited with another status than 0, or were killed */
	uint64_t dying;
};

/* Owned by the latency, and changing. */
const struct proclife_latency_counts *
proclife_latency_counts(const struct proclife_latency *latency);

/* What lives can have in common. */
enum proclife_by {
	PROCLIFE_BY_NOTHING,
	PROCLIFE_BY_COMM,   /* the last name; for a thread, its own */
	PROCLIFE_BY_PARENT, /* the name of the parent by birth */
	PROCLIFE_BY_REAPER, /* the name of the reaper's process; "(itself)" if it released itself */
	PROCLIFE_BY_CGROUP, /* the last one of the process */
	PROCLIFE_BY_CPU,    /* the CPU on which it exited */
	PROCLIFE_BY_UID,    /* at the last fork or exec */
	PROCLIFE_BYS,
};

const char *proclife_by_name(enum proclife_by by); /* "comm", "parent", ... */

struct proclife_group {
	bool known; /* false: these are the lives with an unknown group */
	char name[PROCLIFE_COMM_LEN]; /* by comm, parent and reaper */
	uint64_t number;	      /* by cgroup, cpu and uid */
};

/**
 * proclife_latency_group_by - also keep the phases of each group
 *
 * Call this before the first life is reported gone; otherwise it fails with -EBUSY.
 */
int proclife_latency_group_by(struct proclife_latency *latency, enum proclife_by by);

/* The groups, by index, in no particular order; NULL after the last one. Owned by the latency. */
const struct proclife_group *proclife_latency_group(const struct proclife_latency *latency,
						    size_t index);

/* Like the histograms of the whole latency; NULL, an empty one, for a phase that no life of the group has. */
const struct proclife_latency_counts *proclife_group_counts(const struct proclife_group *group);
const struct proclife_histogram *proclife_group_phase(const struct proclife_group *group,
						      enum proclife_phase phase);

/* How lives spent a phase, in all, in ns: those of which that is known. */
struct proclife_spent {
	uint64_t count; /* lives */
	uint64_t exact; /* how many of these were never blocked */
	uint64_t on_cpu;
	uint64_t waiting;
	uint64_t blocked;
};

/* As with histograms. NULL: it is known of none. */
const struct proclife_spent *proclife_latency_spent(const struct proclife_latency *latency, enum proclife_phase phase);
const struct proclife_spent *proclife_group_spent(const struct proclife_group *group, enum proclife_phase phase);

/**
 * proclife_latency_merge - add the measurements of another run
 * @cgroups: the paths of @into's cgroups; those that only @others has are added
 * @others: the paths of @from's
 *
 * A cgroup gets another number at each boot. So two cgroups are the same if they have the same
 * path, or the same number and neither has a path. If only the one in @into has a path, they may be
 * the same or not: the other one counts as unknown. A cgroup that is new to @into keeps its number,
 * or gets another one if that is taken. If @cgroups or @others is NULL, only the numbers are
 * compared.
 *
 * -EINVAL if one is of threads and the other of processes, or if they are grouped differently.
 * After -ENOMEM, @into has a part of @from.
 */
int proclife_latency_merge(struct proclife_latency *into, struct proclife_cgroups *cgroups,
			   const struct proclife_latency *from, struct proclife_cgroups *others);

/*
 * Ends of cgroups
 */

struct proclife_who {
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN]; /* the last one known */
	bool named; /* comm is its own, not a thread's */
};

/*
 * How the processes of a cgroup ended, since it last got its first task. A process belongs to the
 * last cgroup that is known of it. All count, selected or not.
 */
struct proclife_cgroup_end {
	uint64_t cgroup;
	uint64_t processes;
	const struct proclife_killer *killer; /* the first SIGKILL that one was sent; NULL: none was seen */
	struct proclife_who killed;    /* the one that it was sent to, if there is a killer */
	struct proclife_who last;      /* whose exit was over last: its marks are the next two */
	uint64_t exited;
	uint64_t notified;
	uint64_t reaped; /* the last one; 0: not all have been reaped, or that was not seen */
	struct proclife_who last_reaped;
	struct proclife_who reaper;
	/* The last task has left it. 0: not recorded, see PROCLIFE_CGROUP. */
	uint64_t empty;
	bool ended;
	bool incomplete; /* records that are missing can make any of this wrong */
};

struct proclife_cgroup_ends;

int proclife_cgroup_ends_new(struct proclife_cgroup_ends **ends, struct proclife_tasks *tasks);
void proclife_cgroup_ends_free(struct proclife_cgroup_ends *ends);
/*
 * Once the tasks are closed. NULL if the cgroup had no processes, has not ended, or that is not
 * known: without CGROUP records, all tasks have to be known, by a snapshot. Owned by the ends.
 */
const struct proclife_cgroup_end *proclife_cgroup_ends_get(const struct proclife_cgroup_ends *ends,
							   uint64_t cgroup);

/*
 * Reapers
 */

/*
 * A process that is the parent of others by birth, has reaped others, or should reap zombies at the
 * end. If a filter matches none of these, it can be there with all counts 0.
 */
struct proclife_reaper {
	uint64_t id; /* of the process; 0 if it is not known */
	uint32_t tgid;
	bool gone;  /* it was gone before the end of the trace */
	char comm[PROCLIFE_COMM_LEN]; /* the last one known */
	bool named;	   /* comm is known: it can be empty */
	bool init;	   /* the init of the machine, or of its pid namespace */
	uint64_t reaped;   /* how many processes it has reaped */
	uint64_t adopted;  /* of `reaped`: another process was the parent by birth */
	uint64_t awaited;  /* of `reaped`: it was in wait(2) when they became zombies */
	uint64_t belated;  /* of `reaped`: it called wait(2) only after that */
	uint64_t ignored;  /* released at once, as it ignores SIGCHLD; not in `reaped`, as the next */
	uint64_t zombies;  /* at the end; they have outlived it if it is gone */
	uint64_t oldest;   /* since when the oldest of these is one; 0: of one it is not known */
	struct proclife_histogram *zombie; /* how long those it reaped were zombies; NULL: none */
	uint64_t born;	    /* how many forked in the trace have it as the parent by birth */
	uint64_t runtime;   /* CPU time of those in `reaped`, `ignored` and `ended_with` */
	uint64_t coalesced; /* of `reaped` and `zombies`: their SIGCHLD met one that was pending */
	uint64_t since;	    /* its own FORK; 0: before the trace, or not seen */
	uint64_t until;	    /* its own last EXIT; 0: none was seen */
	uint64_t ended_with; /* released at once as it ended, with its pid namespace */
};

/* The processes that reaped the selected ones. */
struct proclife_reapers;

int proclife_reapers_new(struct proclife_reapers **reapers, struct proclife_tasks *tasks);
void proclife_reapers_free(struct proclife_reapers *reapers);
/*
 * Births count when they happen, if the filter matches then: for results of a part of a trace. Otherwise
 * they count once the child is reported gone, if the filter matches at its end. -EBUSY once
 * a process was reported whose birth counts.
 */
int proclife_reapers_at_birth(struct proclife_reapers *reapers);
/*
 * Sets what is known only once a parent is gone or the trace ends, as it is now: names, births and
 * exits of those that live, and zombies. For a result in the middle of a trace, which can go on.
 * -EINVAL if the tasks are freed.
 */
int proclife_reapers_update(struct proclife_reapers *reapers);
/* The reapers, by index, in no particular order; NULL after the last one. Owned by the reapers. */
const struct proclife_reaper *proclife_reapers_get(const struct proclife_reapers *reapers,
						   size_t index);

/*
 * Trees
 */

/* Facts that many processes share, or that few have: the tree keeps each combination once. */
struct proclife_common {
	uint64_t cgroup;
	const struct proclife_killer *killer; /* with ts 0; or NULL */
	uint32_t ns_pid; /* the pid in its own pid namespace; 0: the tgid */
	uint32_t ns_inum;
	uint32_t uid;
	uint32_t threads;
	const struct proclife_failed_exec *failed_exec; /* with ts 0; or NULL */
};

/* A process in the tree; kept, unlike struct proclife_process, until the tree is freed. */
struct proclife_node {
	struct proclife_node *parent;
	struct proclife_node *child; /* the first one; in the order of birth */
	struct proclife_node *next;  /* sibling */
	uint64_t id;
	uint64_t began; /* its birth; if it is older than the trace, when it was first seen */
	struct proclife_marks marks;
	uint64_t runtime;
	uint32_t max_rss; /* KiB, as in struct proclife_process; 0: not known */
	uint32_t tgid;
	uint32_t parent_tgid;
	uint32_t creator_tgid;
	uint32_t reaper_tgid;
	int32_t exit_code; /* -1: not known */
	const char *comm; /* interned: owned by the tree */
	const char *path; /* interned, or NULL */
	const char *args; /* interned, or NULL: the arguments, each with a NUL */
	const struct proclife_common *common; /* interned; all zeros until it is gone */
	uint16_t args_bytes;
	uint16_t execs; /* saturates */
	uint16_t flags; /* of the leader; PROCLIFE_F_SCRIPT and _BY_FD of the last EXEC */
	bool args_cut : 1;
	bool older : 1; /* it existed before the trace */
	bool incomplete : 1;
	bool exited : 1; /* it was reported so: marks.exited can be 0 all the same */
	bool matches : 1; /* the filter matched it as it was at its end */
	bool gone : 1; /* all members except the texts are final */
	bool has_uid : 1; /* once it is gone: common->uid is known */
	bool ended : 1; /* once it is gone: as proclife_process_has_ended() says */
	uint8_t state : 4; /* enum proclife_life_state, once it is gone */
	bool has_cpu : 1; /* the same of proclife_process_has_cpu() */
	bool has_parent : 1; /* parent_tgid is known */
	uint64_t start; /* as in struct proclife_process */
};

struct proclife_tree;

/*
 * Collects all selected processes from now on. Those that exist already have to come in as TASK
 * records.
 */
int proclife_tree_new(struct proclife_tree **tree, struct proclife_tasks *tasks);
void proclife_tree_free(struct proclife_tree *tree);
/*
 * The first root; the others follow by `next`. A root's parent is not selected or not known. The
 * links between nodes are set by this call.
 */
const struct proclife_node *proclife_tree_roots(struct proclife_tree *tree);
uint64_t proclife_tree_size(const struct proclife_tree *tree);

/*
 * What proclife-read needs, and others hardly will: it is as stable as the rest
 */

/**
 * proclife_source_prepend - begin with records that the rings do not hold any more
 * @records: in the order of time; copied
 *
 * For what another source of this device has yielded before. Call this after proclife_source_rewind() and
 * before the first proclife_source_next(). For each CPU, only what is older than its history is yielded, so
 * that nothing comes twice; TASKs are always. Errors: -EBUSY if it is too late; -ENOTSUP if the source is
 * not a device that begins with its history; -EINVAL if the records are not in order, or of a CPU that the
 * device does not have; -ENOMEM.
 */
int proclife_source_prepend(struct proclife_source *source, const struct proclife_record *records,
			    size_t count);

/*
 * May a record of this type be missing since then, on any CPU: lost, or suppressed by the module because
 * its budget was used up? See PROCLIFE_SUPPRESSED.
 */
bool proclife_tasks_may_lack(const struct proclife_tasks *tasks, enum proclife_type type,
			     uint64_t since);

#ifdef __cplusplus
}
#endif

#endif
