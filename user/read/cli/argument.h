/* SPDX-License-Identifier: GPL-2.0-only */
/* The argument of an option or of a view: what it has to be, and which member of struct options it fills. */
#ifndef READ_ARGUMENT_H
#define READ_ARGUMENT_H

#include "cli/choices.h"
#include "options.h"

/*
 * Each kind with the function of values.c that parses it, the type of what it fills, and whether that holds
 * the values of an option that is given repeatedly, all of them, or ONE.
 */
#define KINDS(x) \
	x(FLAG, flag, bool, ONE) \
	x(SETTING, setting, unsigned int, ONE) /* an enum: to `set` */ \
	x(TEXT, text, const char *, ONE) \
	x(WORD, word, struct words, ALL) \
	x(TIME, time, uint64_t, ONE) /* in nanoseconds */ \
	x(NUMBER, number, uint64_t, ONE) \
	x(CHOICE, choice, unsigned int, ONE) /* an enum */ \
	x(CHOICES, choices, uint64_t, ALL) /* a bit for each */ \
	x(MOMENT, moment, struct moment, ONE) \
	/* For one option each. */ \
	x(PID, pid, struct pids, ALL) \
	x(COMM, comm, struct words, ALL) \
	x(USER, user, struct filter, ALL) \
	x(CGROUP, cgroup, struct words, ALL) \
	x(STATUS, status, uint64_t[4], ALL) \
	x(SIGNAL, signal, uint64_t, ALL) \
	x(TOP, top, struct cut, ONE) \
	x(BY, by, enum proclife_by, ONE) \
	x(FACTOR, factor, double, ONE) \
	x(METRICS, metrics, const char *, ONE) \
	x(KEEP, keep, struct record_options, ONE) \
	x(SOURCE, source, struct source_options, ONE) \
	x(EXPECT, expectation, struct verdict_options, ALL) \
	x(CONDITION, condition, struct trigger_options, ALL)

#define KIND_AND_TYPE(kind, function, type, values) KIND_##kind,
enum kind { KIND_NONE, KINDS(KIND_AND_TYPE) }; /* KIND_NONE fills nothing */
#undef KIND_AND_TYPE
#define KIND_AND_TYPE(kind, function, type, values) typedef __typeof__(type) type_of_##kind;
KINDS(KIND_AND_TYPE)
#undef KIND_AND_TYPE

struct argument {
	const char *name; /* as --help has it; NULL: there is none */
	bool may_lack;
	bool takes_more;  /* the words that follow belong to it, too */
	enum kind kind;
	size_t place;	  /* in struct options */
	unsigned int set;
	uint64_t least;	  /* of a number or a time; what the first choice is */
	uint64_t most;	  /* of a number */
	choice_name *choice;
	const char *wrong; /* what is said of one that is not valid */
};

/* Which member it fills. It does not compile unless that has the type of the kind. */
#define FILLS(kind_, member) \
	.kind = KIND_##kind_, \
	.place = offsetof(struct options, member) + \
		 _Generic(&((struct options *)NULL)->member, type_of_##kind_ * : 0)

#endif
