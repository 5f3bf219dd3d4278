/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorder from inside: recorder.c takes what a device yields, slice.c what it is given of a
 * recording; recorder_names.c writes what goes with numbers.
 */
#ifndef PROCLIFE_RECORDER_H
#define PROCLIFE_RECORDER_H

#include "recording/ctf.h"
#include "recording/ctf_writer.h"
#include "base/map.h"
#include "recording/parts.h"
#include "source/source.h"

struct proclife_recorder {
	struct proclife_listener listener; /* first */
	struct proclife_source *source;
	struct proclife_metadata metadata;
	int dir;
	int text; /* the metadata's descriptor, for updating `synced` in it */
	size_t synced_at;
	uint64_t daytime; /* the version of the clocks in the metadata */
	int error;
	uint64_t limit; /* later records are left out */
	uint32_t cpus;
	uint32_t writer_count; /* of each CPU, all CPUs, the snapshot: the order of totals */
	/* By CPU, then the snapshot's; NULL until there is something to write. */
	struct proclife_ctf_writer **writers;
	struct proclife_recorder_counts counts;
	struct proclife_cgroups *cgroups;
	uint64_t cgroup; /* the last one seen */
	uint64_t cgroups_end; /* of the cgroups' file */
	int cgroups_fd;
	struct proclife_users *users;
	uint32_t *new_uids; /* their names are not written yet; in the order in which they were seen */
	size_t new_uid_count;
	size_t new_uid_size;
	uint64_t uid; /* the last one seen, plus 1 */
	uint64_t users_end; /* of the users' file */
	int users_fd;
	bool slice; /* the source is a recording... */
	bool cut;   /* ... that was cut off */
	struct proclife_map known_cgroups; /* of a slice or a part: those that it has */
	struct proclife_map known_uids;	   /* plus 1 */
	struct proclife_parts *parts; /* NULL: it is one folder */
	/* Parts look at what was written of a stream: a gap, unless @gap is NULL, then records. */
	void (*written)(struct proclife_recorder *recorder, const struct proclife_gap *gap,
			const struct proclife_record *from, const struct proclife_record *end);
	void (*release)(struct proclife_recorder *recorder); /* frees the next one, which parts have */
	struct proclife_bygone *bygone; /* which of the part's lives are over; NULL: no memory for that */
	int (*sync)(struct proclife_recorder *recorder); /* of parts: what time brings about. 0 or an error */
	uint64_t part_bytes;	      /* of what a part records, at most */
	uint64_t carried_bytes;	      /* of what it begins with, at most */
	uint64_t names_bytes;	      /* of each file of names, at most; a part begins with half of that */
	uint64_t names_room;	      /* where it is used up, numbers have no names */
	struct proclife_room room;    /* for its writers */
	size_t text_size;	      /* of the metadata */
	struct proclife_recorder_counts before; /* of parts that have ended */
	struct proclife_recorder_counts total;	/* of all parts; set when it is asked for */
	struct proclife_held held;		/* set when it is asked for, too */
};

/*
 * recorder.c: the steps of a recorder, for recorder_parts.c
 */

int proclife_recorder_new_here(struct proclife_recorder **recorder, struct proclife_source *source,
			       const struct proclife_run_info *run);
/* Makes the files in this folder, which is made, or has to be empty; with parts, in the folder of the next one. */
int proclife_recorder_begin(struct proclife_recorder *recorder, const char *dir);
void proclife_recorder_take(struct proclife_listener *listener, struct proclife_stream *stream);
int proclife_recorder_take_all(struct proclife_recorder *recorder);
/* All is written: marks it as complete. */
int proclife_recorder_complete(struct proclife_recorder *recorder);
int proclife_recorder_write_metadata(struct proclife_recorder *recorder);
/* Closes its files: another folder can follow. */
void proclife_recorder_close(struct proclife_recorder *recorder);

/* @path: the recording that it is a slice of, or NULL. */
int proclife_recorder_make(struct proclife_recorder **recorder, struct proclife_source *source,
			   const char *path, const char *dir, const struct proclife_run_info *run);

/* The writer of the stream that has this order. */
int proclife_recorder_writer(struct proclife_recorder *recorder, uint32_t order,
			     struct proclife_ctf_writer **writer);

/*
 * Creates the files of names, and what knows them: this machine, or the recording @path. 0 or a negative
 * errno.
 */
int proclife_recorder_open_names(struct proclife_recorder *recorder, const char *path);
/*
 * Notes what these records have numbers of. A replay cannot look them up on this machine: cgroups are looked
 * up while they exist.
 */
int proclife_recorder_note(struct proclife_recorder *recorder, const struct proclife_record *from,
			   const struct proclife_record *end);
/*
 * The names of users that have been noted, which can wait: as many as can be looked up in a short time. The
 * next call goes on; what is left when the recording or the part ends has no name in it.
 */
int proclife_recorder_write_users(struct proclife_recorder *recorder);
/* Other files, for a part. */
int proclife_recorder_next_names(struct proclife_recorder *recorder);
/* It has begun with these records: only what it has names of is still known. */
int proclife_recorder_keep_names(struct proclife_recorder *recorder, const struct proclife_record *records,
				 size_t count);
void proclife_recorder_close_names(struct proclife_recorder *recorder);
void proclife_recorder_free_names(struct proclife_recorder *recorder);

#endif
