/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The running kernel as a source: device.c opens and maps the module's device, and sleeps; bpf.c does the same for the
 * rings of BPF programs; rings.c reads the rings of both; snapshot.c has what comes from elsewhere.
 */
#ifndef PROCLIFE_DEVICE_H
#define PROCLIFE_DEVICE_H

#include "source/source.h"

/* How many of a ring's records are copied at a time: the copy stays in the L1 or L2 cache. */
#define PROCLIFE_BATCH 256

#define PROCLIFE_MAX_CPUS 8192

/* The inodes of the first namespaces are constants. */
#define INITIAL_PID_NAMESPACE 0xeffffffc
#define INITIAL_TIME_NAMESPACE 0xeffffffa

/* The records' clock, or a test's replacement for it. The offsets are there: it changes them if they have changed. */
typedef void (*proclife_clock_fn)(struct proclife_clock *clock, void *arg);

struct proclife_device;
struct proclife_handles;

/* A ring, as this reader sees it. */
struct proclife_ring_stream {
	struct proclife_stream stream;
	struct proclife_device *device;
	uint32_t cpu;
	const struct proclife_ring_ctl *ctl;
	const char *records;
	uint64_t size;
	uint64_t stride; /* bytes from one record to the next: a later module's are longer */
	uint64_t pos;	/* the next one to copy */
	uint64_t limit; /* every record from before the horizon lies below this */
	uint64_t floor; /* no record at or above pos is older */
	uint64_t old;	/* records below this are history: overwritten, they do not count as lost */
	uint64_t suppressed; /* PROCLIFE_HAS() of those when its records begin; not yielded yet */
	struct proclife_record *room;	/* for those records, and then for a batch */
	struct proclife_record *buffer; /* the batch */
	uint32_t batch; /* how many records that is at most */
};

/*
 * The rings of a CPU that has several, one for each program: they are merged here, into one stream. The module has one,
 * whose stream goes to the source's merge as it is.
 */
struct proclife_cpu_stream {
	struct proclife_stream stream;
	struct proclife_device *device;
	struct proclife_merge merge;
	struct proclife_gap next_gap; /* comes after the span */
	struct proclife_record *buffer;
};

/* What a kind of device does in its own way. */
struct proclife_device_ops {
	/* Sets where a CPU's rings are. Returns 0 or a negative errno. */
	int (*find_rings)(struct proclife_device *device, uint32_t cpu, const char **base);
	/* Appends what has been lost since the last call, and no ring shows, to skips.gap; may be NULL. */
	void (*skipped)(struct proclife_device *device);
	int (*snapshot)(struct proclife_device *device, struct proclife_record **records, size_t *count);
	void (*free)(struct proclife_device *device);
};

/* Where a ring is among those of its CPU. */
struct proclife_ring_place {
	uint64_t offset; /* of its control page */
	uint64_t records_offset;
	uint64_t records; /* 0: there is no such ring */
};

struct proclife_device {
	struct proclife_source source;
	const struct proclife_device_ops *own;
	int fd;
	bool pollable;	   /* false: a plain file in place of the device */
	bool rewind;	   /* read the rings from their oldest records on */
	bool held;	   /* a write in flight holds the horizon back */
	bool ticks;	   /* the descriptor is readable now and then, whether there are records or not */
	uint64_t moved;	   /* with ticks: when there was something to read last... */
	uint64_t looked;   /* ... and when the clock and what was lost were asked last */
	uint64_t watermark;
	void *map;
	struct proclife_header header; /* as it was validated: sizes are taken from here only */
	uint64_t generation;	       /* of the CPU map that `cpus` follows */
	uint64_t margin;	       /* the horizon is that far behind the clock */
	const struct proclife_ring_place *places; /* of the rings of each CPU */
	struct proclife_ring_place only; /* the module's */
	uint32_t places_count;
	struct proclife_stream **cpus; /* the source's streams, by CPU; NULL where there is none */
	struct proclife_cpu_stream **merged; /* the same, if a CPU has several rings; otherwise NULL */
	struct proclife_ring_stream **rings; /* of all CPUs, one CPU after the other; rings_count of them */
	size_t rings_count;
	struct proclife_handles *handles; /* what makes handles of addresses; NULL: they are handles already */
	struct proclife_stream skips; /* has only gaps */
	struct proclife_ring_ctl sum; /* of the rings of a CPU, for who asks */
	proclife_clock_fn clock;
	void *clock_arg;
	struct proclife_clock read; /* as it was for the last horizon */
	uint64_t opened;
	struct proclife_stream snapshot; /* its records stay until the source is freed */
	struct proclife_record *snapshot_records;
	struct proclife_record *older; /* to be put before them, once it is known what the rings hold */
	size_t older_count;
};

/*
 * For tests: sets another clock. Call it right after opening the source.
 */
void proclife_device_set_clock(struct proclife_source *source, proclife_clock_fn clock, void *arg);

/* The time, and the offsets as they are now. */
struct proclife_clock proclife_device_clock(const struct proclife_device *device);

/* The device is all zeros. From then on, proclife_source_free() frees it, whatever of it is there. */
void proclife_device_init(struct proclife_device *device, const struct proclife_device_ops *own);
/* Begins to read, once its kind has set header, map, places, clock and fd. Returns 0 or a negative errno. */
int proclife_device_begin(struct proclife_device *device);

/* Notes the position of each ring: records from now on will be read. Returns 0 or -ENOMEM. */
int proclife_rings_begin(struct proclife_device *device);

/* Takes a new horizon, and the records of the rings below it. Returns 0 or -ENOMEM. */
int proclife_rings_round(struct proclife_device *device);

int proclife_device_snapshot(struct proclife_source *source);
int proclife_device_prepend(struct proclife_source *source, const struct proclife_record *records,
			    size_t count);
/* Does one of the rings have this record? */
typedef bool (*proclife_rings_hold_fn)(const struct proclife_device *device, const struct proclife_record *record);

/* Puts those records where they belong, as the rings' histories have just begun. 0 or -ENOMEM. */
int proclife_snapshot_prepend(struct proclife_device *device, proclife_rings_hold_fn hold);

/* How many records are committed, or lost, but not yet yielded. */
uint64_t proclife_rings_pending(const struct proclife_device *device);

/* The control page of a CPU's ring, or of its rings' sums. NULL if this CPU has no ring. */
const struct proclife_ring_ctl *proclife_rings_ctl(struct proclife_device *device, uint32_t cpu);

/* A count of a ring: @offset is that of the header, of all types. 0 if there is none. */
uint64_t proclife_rings_count(struct proclife_device *device, uint32_t cpu, uint32_t offset, uint32_t type);

void proclife_rings_free(struct proclife_device *device);

#endif
