/* SPDX-License-Identifier: GPL-2.0-only */
/* The argument of an option or of a view: what it has to be, and which member of struct options it fills. */
#ifndef READ_ARGUMENT_H
#define READ_ARGUMENT_H

#include "cli/choices.h"
#include "options.h"

/* Each kind with the function of values.c that parses it, and the type of what it fills. */
#define KINDS(x) \
	x(FLAG, flag, bool) \
	x(SETTING, setting, unsigned int) /* an enum: to `set` */ \
	x(TEXT, text, const char *) \
	x(WORD, word, struct words) \
	x(TIME, time, uint64_t) /* in nanoseconds */ \
	x(NUMBER, number, uint64_t) \
	x(ID, id, struct ids) \
	x(CHOICE, choice, unsigned int) /* an enum */ \
	x(CHOICES, choices, uint64_t) /* a bit for each */ \
	x(MOMENT, moment, struct moment) \
	/* For one option each. */ \
	x(USER, user, struct filter) \
	x(CGROUP, cgroup, struct words) \
	x(STATUS, status, uint64_t[4]) \
	x(SIGNAL, signal, uint64_t) \
	x(TOP, top, struct cut) \
	x(BY, by, enum proclife_by) \
	x(FACTOR, factor, double) \
	x(METRICS, metrics, const char *) \
	x(KEEP, keep, struct record_options) \
	x(EXPECT, expectation, struct verdict_options) \
	x(CONDITION, condition, struct trigger_options)

#define KIND_AND_TYPE(kind, function, type) KIND_##kind,
enum kind { KIND_NONE, KINDS(KIND_AND_TYPE) }; /* KIND_NONE fills nothing */
#undef KIND_AND_TYPE
#define KIND_AND_TYPE(kind, function, type) typedef __typeof__(type) type_of_##kind;
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
	/* What is said of one that is not valid. KIND_CHOICES: of none; then one is needed, and the last counts. */
	const char *wrong;
};

/* Which member it fills. It does not compile unless that has the type of the kind. */
#define FILLS(kind_, member) \
	.kind = KIND_##kind_, \
	.place = offsetof(struct options, member) + \
		 _Generic(&((struct options *)NULL)->member, type_of_##kind_ * : 0)

#endif
