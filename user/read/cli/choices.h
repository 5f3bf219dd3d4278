/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that an option can take, for help, errors and completions. */
#ifndef READ_CHOICES_H
#define READ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

enum choice {
	CHOICE_BY,	  /* enum proclife_by */
	CHOICE_SUMMARY_BY, /* enum summary_by */
	CHOICE_TOP,	  /* enum top_key */
	CHOICE_SORT,	  /* enum sort_key, from 1 on */
	CHOICE_SHOW,	  /* the bits SHOW_*, from 0 on */
	CHOICE_COLOR,	  /* enum color */
	CHOICE_EXPORT,	  /* enum export_as */
	CHOICE_TRACKS,	  /* enum tracks */
	CHOICE_EVENT,	  /* enum proclife_type, from 1 on */
	CHOICE_PHASE,	  /* enum proclife_phase */
	CHOICE_STATISTIC, /* enum statistic_kind, and some percentiles */
	CHOICES,
};

/* The word of this number; NULL after the last one. */
const char *choice_name(enum choice choice, unsigned int number);

/* Sets the number of this word, of @length bytes; false if there is no such word. */
bool choice_find(enum choice choice, const char *word, size_t length, unsigned int *number);

/* "comm, parent or uid", with @last before the last one; or all with the same @separator. */
const char *choice_list(enum choice choice, const char *separator, const char *last);

#endif
