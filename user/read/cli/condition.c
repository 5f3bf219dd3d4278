// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "cli/condition.h"
#include "cli/parse.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[CONDITION_FAILED] = "failed",
	[CONDITION_STATUS] = "status",
	[CONDITION_SIGNAL] = "signal",
	[CONDITION_FORKS] = "forks",
	[CONDITION_LOST] = "lost",
	[CONDITION_THREAD_EXIT] = "thread_exit",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *condition_figure(const struct condition *condition)
{
	return condition->what == CONDITION_PHASE ? proclife_phase_info(condition->phase)->name :
						    names[condition->what];
}

/* The last word of the @length bytes at @s; what is before it is a program, whose name can have dots. */
static bool find_figure(struct condition *c, const char *s, size_t length)
{
	const char *dot = memrchr(s, '.', length);
	const char *word = dot ? dot + 1 : s;
	size_t rest = length - (size_t)(word - s), i;
	unsigned int number;

	c->program = dot ? (size_t)(dot - s) : 0;
	if (dot == s)
		return false;
	if (choice_find(choice_phase, word, rest, &number)) {
		c->what = CONDITION_PHASE;
		c->phase = (enum proclife_phase)number;
		return true;
	}
	for (i = CONDITION_PHASE + 1; i < COUNT_OF(names); i++)
		if (strlen(names[i]) == rest && !strncmp(names[i], word, rest)) {
			c->what = (enum condition_what)i;
			return true;
		}
	return false;
}

/* "1000/s" */
static const char *parse_rate(struct condition *c, const char *s)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "m", 60000000000 }, { "min", 60000000000 }, { "h", 3600000000000 } };
	size_t digits = strcspn(s, "/"), i;
	char number[24] = "";

	if (digits < sizeof(number))
		memcpy(number, s, digits);
	if (s[digits] && parse_number(number, MOST_FORKS, &c->bound) && condition_least(c))
		for (i = 0; i < COUNT_OF(units); i++)
			if (!strcmp(s + digits + 1, units[i].name)) {
				c->per = units[i].ns;
				return NULL;
			}
	return "the bound has to be a number up to 1000000 and its time: 1000/s, 50/m or 9/h";
}

static const char *parse_bound(struct condition *c, const char *s)
{
	unsigned int signal;

	switch (c->what) {
	case CONDITION_PHASE:
		return parse_time(s, BARE_REFUSED, &c->bound) ? NULL :
		       c->bound == UINT64_MAX		       ? "the bound is " TIME_TOO_LARGE :
								 "the bound has to be a time with its unit: ns, us, ms, s, m or h";
	case CONDITION_STATUS:
		return parse_number(s, 255, &c->bound) ?
			       NULL : "the bound has to be an exit status from 0 to 255";
	case CONDITION_SIGNAL:
		if (c->relation != RELATION_EQUAL)
			return "a signal is the one or it is not: signal==KILL, or signal==any";
		if (!strcasecmp(s, "any"))
			return NULL;
		if (!parse_signal(s, &signal))
			return "the bound has to be a signal such as KILL, SIGSEGV or 9, or any";
		c->bound = signal;
		return NULL;
	case CONDITION_FORKS:
		return condition_grows(c) ? parse_rate(c, s) : "forks can only be too many: > or >=";
	case CONDITION_LOST:
		if (!condition_grows(c))
			return "records that are lost can only be too many: > or >=";
		return parse_number(s, UINT64_MAX - 1, &c->bound) ? NULL :
		       c->bound == UINT64_MAX ? "the bound is too large: the largest is 18446744073709551614" :
						"the bound has to be a whole number";
	case CONDITION_THREAD_EXIT:
		if (c->relation != RELATION_EQUAL)
			return "a thread is the one or it is not: thread_exit==4711, or thread_exit for each";
		return parse_number(s, INT_MAX, &c->bound) && c->bound ? NULL :
			"what ends has to be the ID of a thread; its name stands before: worker.thread_exit";
	case CONDITION_FAILED:
		break;
	}
	return NULL;
}

const char *condition_parse(struct condition *c, const char *text)
{
	static char wrong[200];
	size_t length = relation_find(text);
	const char *bound;

	memset(c, 0, sizeof(*c));
	c->text = text;
	if (!find_figure(c, text, length)) {
		snprintf(wrong, sizeof(wrong),
			 "the figure has to be failed, status, signal, forks, lost, thread_exit, or one of %s",
			 choice_list(choice_phase, ", ", " and "));
		return wrong;
	}
	if (c->program >= PROCLIFE_COMM_LEN)
		return "the name of a program or thread has at most 15 bytes: leave out the others";
	if (c->what == CONDITION_LOST && c->program)
		return "what is lost is of no program: lost>0";
	if (c->what == CONDITION_FAILED)
		return text[length] ? "failed stands alone: each process that fails meets it" : NULL;
	if (c->what == CONDITION_THREAD_EXIT && !text[length])
		return NULL;
	bound = relation_parse(text + length, &c->relation);
	return bound ? parse_bound(c, bound) : NO_RELATION;
}
