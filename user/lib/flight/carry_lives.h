/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept of lives while a part is read (carry.c), from which carry_choose.c takes what is carried. */
#ifndef PROCLIFE_CARRY_LIVES_H
#define PROCLIFE_CARRY_LIVES_H

#include "flight/carry.h"
#include "lives/tasks.h"

struct proclife_kept {
	struct proclife_kept *next; /* the one before, in a list of a task or process */
	uint64_t place;		    /* in the part: what has the same time stays in order */
	bool needed;		    /* of a name of before: a child was born with it */
	bool of_reaper;		    /* the WAIT of the reaper of the task in whose list it is */
	struct proclife_record record;
};

struct proclife_kept_life;

struct proclife_kept_task {
	struct proclife_kept_task *next; /* the next freed task of its process */
	struct proclife_kept_task *same; /* another one that is freed, and had the same handle; see proclife_kept_index() */
	const struct proclife_kept_life *life; /* its process's */
	struct proclife_kept *records;
	struct proclife_past past; /* its figures, once it is freed */
	struct proclife_times io; /* the same, of a TIMES of the past */
	uint64_t types; /* PROCLIFE_HAS() of those that it has, or had, in records */
	uint64_t handle;
	uint64_t start;	  /* once it is freed */
	uint64_t exiting; /* its EXITING, or EXIT where there is none; 0: none so far */
	char comm[PROCLIFE_COMM_LEN]; /* from its latest record */
	bool ended;	  /* its EXIT ended the process, or may have */
	bool led;	  /* it was the thread group leader once */
	bool needed;	  /* whatever follows; otherwise only as the last one that has begun to exit */
};

/* How much of a life's arguments is carried. */
enum proclife_carry_arguments { PROCLIFE_NO_ARGUMENTS, PROCLIFE_FIRST_PIECE, PROCLIFE_ALL_PIECES };

#define PROCLIFE_CARRY_SIZES 3

/* As `user` of a process. */
struct proclife_kept_life {
	/* Freed tasks without which the life would look different; one that is not needed comes first. */
	struct proclife_kept_task *freed;
	const struct proclife_kept *first; /* of all its records; see proclife_kept_index() */
	const struct proclife_kept_task *oldest; /* of the open tasks; NULL: none has a record */
	struct proclife_kept *signals;	  /* fatal ones, whichever task they were sent to */
	struct proclife_kept *memory;	  /* MM, whichever task has made them */
	struct proclife_kept *names; /* EXEC and RENAME that were replaced, and may be its children's parent's */
	bool outlived;			    /* one of those that are freed shows that its leader ended before the process */
	bool unknown;			    /* a gap hides how it goes on: it is not carried */
	uint64_t last_child;	     /* when the latest was born */
	size_t sizes[PROCLIFE_CARRY_SIZES]; /* how many records it has with each amount of its arguments */
	struct proclife_past past;	  /* of all its other records */
	struct proclife_times io;
};

#define PROCLIFE_CARRY_EARLY 16

struct proclife_carry {
	struct proclife_tasks *tasks;
	struct proclife_bygone *bygone; /* lives that are not followed; NULL: all are */
	struct proclife_map by_handle;	 /* struct proclife_kept_task of each open task */
	struct proclife_map freed;	 /* and of those in lists of freed ones; see proclife_kept_index() */
	struct proclife_map by_id;	 /* the processes that share their pid with a newer one; as above */
	struct proclife_map suppressed;	 /* struct proclife_kept: the last begin and end, by CPU and type */
	struct proclife_slab kept_slab;
	struct proclife_slab task_slab;
	struct proclife_slab life_slab;
	struct proclife_kept *early[PROCLIFE_CARRY_EARLY]; /* of memory whose process is not known yet */
	uint64_t records; /* that were read */
	uint64_t latest;  /* when the last of them was made */
	const struct proclife_record *fed; /* the one that is being fed */
	struct proclife_process *owner;	   /* of the memory that it is about, unless that is gone */
	struct proclife_memory memory;	   /* that memory as it was before; zeros if it was not known */
	struct proclife_gap gaps[PROCLIFE_CARRY_GAPS];
	size_t gap_count;
	int error; /* of a report */
	/* What was chosen. */
	struct proclife_kept *chosen;
	size_t chosen_size;
	struct proclife_record *carried;
};

#define PROCLIFE_NAMES (PROCLIFE_HAS(PROCLIFE_EXEC) | PROCLIFE_HAS(PROCLIFE_RENAME))

/* 0 of a type of a later ABI. */
static inline uint64_t proclife_has_type(const struct proclife_record *record)
{
	return record->type < PROCLIFE_TYPES ? PROCLIFE_HAS(record->type) : 0;
}

/*
 * carry_kept.c
 */

/* Functions that return a pointer return NULL if there is no memory; those that return an int, -ENOMEM. */
struct proclife_kept *proclife_keep(struct proclife_carry *carry, struct proclife_kept *next,
				    const struct proclife_record *record);
int proclife_kept_add(struct proclife_carry *carry, struct proclife_kept **list,
		      const struct proclife_record *record);
/* Takes the records of these types out of the list. Returns how many EXECs were among them. */
uint32_t proclife_kept_take_out(struct proclife_carry *carry, struct proclife_kept **list, uint64_t types);
/*
 * A leader gets another name. A child that is there knows the one that its parent had when it was born, so
 * those that are replaced may be needed: carry_choose.c finds out.
 */
void proclife_kept_names(struct proclife_kept_life *life, struct proclife_kept **list, uint64_t types);
void proclife_kept_free(struct proclife_carry *carry, struct proclife_kept **list);
struct proclife_kept_life *proclife_kept_life(struct proclife_carry *carry, struct proclife_process *process);
struct proclife_kept_task *proclife_kept_task(struct proclife_carry *carry, uint64_t handle);
void proclife_past_add(struct proclife_past *to, const struct proclife_past *past);
void proclife_past_add_io(struct proclife_times *to, const struct proclife_times *io);

extern const struct proclife_reports proclife_carry_reports; /* to a carry */

/* carry_names.c: marks names as needed. 0 or -ENOMEM. */
int proclife_kept_need_names(struct proclife_carry *carry);

/*
 * carry_relatives.c
 */

/*
 * Once all is kept, so that what follows looks tasks up: a process can have any number of them, and each of
 * its children, names and signals asks for one. 0 or -ENOMEM.
 */
int proclife_kept_index(struct proclife_carry *carry);

struct proclife_kept_task *proclife_kept_of(const struct proclife_carry *carry,
					    const struct proclife_priv_task *task);
/* The one to which the process's first record belongs, or NULL. */
const struct proclife_kept *proclife_kept_first(const struct proclife_process *process);
const struct proclife_process *proclife_kept_process(const struct proclife_carry *carry, uint32_t tgid,
						     uint64_t id);
/* Does the process have the task of this record then? */
bool proclife_kept_has(const struct proclife_carry *carry, const struct proclife_process *process,
		       const struct proclife_kept *kept);
/* Sets the tasks that the record of a birth names: a thread that forked can be gone while its process is there. */
void proclife_kept_relatives(const struct proclife_carry *carry, const struct proclife_process *child,
			     uint64_t place, struct proclife_record *record);

#endif
