/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder of a recording that keeps the latest of what is recorded:
 *
 *	DIR/000001-20261125T075502Z/00000001	a run of the recorder, and its parts, each a recording
 *	                            00000002
 *	DIR/000002-20261125T083000Z/00000001
 *
 * A part has another name while it is being made or removed: so a part that is found is whole. Until the next
 * one is found, the recorder holds the lock on the metadata of the one before.
 */
#ifndef PROCLIFE_PARTS_H
#define PROCLIFE_PARTS_H

#include "proclife.h"

#include <limits.h>

#define PROCLIFE_PART_NAME 11 /* with its NUL */
#define PROCLIFE_RUN_NAME 32

#define PROCLIFE_PART_REASON "part" /* why a part ended that another one follows */

/*
 * parts_find.c
 */

bool proclife_is_part_name(const char *name, uint32_t *number);
bool proclife_is_run_name(const char *name, uint32_t *number);
/* Which is earlier, RUN or RUN/PART? As strcmp(3). */
int proclife_parts_compare(const char *a, const char *b);

/*
 * The numbers of the parts in this folder, ascending, to be freed. 0 and *@count 0 if there are none; or a
 * negative errno.
 */
int proclife_parts_find(int dir, uint32_t **numbers, size_t *count);

/*
 * The parts in the folder @dir, named @name, or of the latest run in it, and the folder in which they are.
 * -ENOENT: it has none; it is a recording itself, or nothing of ours.
 */
int proclife_parts_locate(int dir, const char *name, char path[PATH_MAX], uint32_t **numbers, size_t *count);

/*
 * parts.c: for the recorder, which alone writes there, and keeps the bounds.
 */

struct proclife_parts;

/**
 * proclife_parts_open - take a folder, and what earlier runs have left in it
 *
 * It is made if it does not exist. Parts that were being made or removed when their recorder was
 * interrupted are removed. -EBUSY: another recorder is at work there; -ENOTEMPTY: it is a recording itself;
 * -EPERM: as proclife_secure_folder().
 */
int proclife_parts_open(struct proclife_parts **parts, const char *dir, const struct proclife_keep *keep);
void proclife_parts_free(struct proclife_parts *parts);

/*
 * Makes room for @bytes, and a folder for a new part, which proclife_parts_publish() gives its name. *@path is
 * owned by the parts.
 */
int proclife_parts_begin(struct proclife_parts *parts, uint64_t bytes, const char **path);
/* Opens that folder, which is not published yet: a descriptor, or a negative errno. */
int proclife_parts_made(const struct proclife_parts *parts);
int proclife_parts_publish(struct proclife_parts *parts, const char **path);
/* Nothing is added to it any more. It began at @began. */
void proclife_parts_end(struct proclife_parts *parts, uint64_t began);
/* Compresses them, one after the other, beside what is done here: to be called from time to time. */
void proclife_parts_compress(struct proclife_parts *parts);
/* The parts that have ended: the bytes of all, the number of this run's, and when the first one of this run began. */
void proclife_parts_held(const struct proclife_parts *parts, struct proclife_held *held);
/* The number of the latest part that the present run has begun. */
uint32_t proclife_parts_number(const struct proclife_parts *parts);

const char *proclife_parts_path(const struct proclife_parts *parts);
/* The age of struct proclife_keep. */
uint64_t proclife_parts_most_age(const struct proclife_parts *parts);

/* Removes the oldest part, for more room than was needed so far. False: there is none but the present one. */
bool proclife_parts_drop(struct proclife_parts *parts);
/* Those that have become too old. */
void proclife_parts_age(struct proclife_parts *parts);

#endif
