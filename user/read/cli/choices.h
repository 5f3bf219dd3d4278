/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that an option can take, for help, errors and completions. */
#ifndef READ_CHOICES_H
#define READ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

/* The word of this number; NULL after the last one. */
typedef const char *choice_name(unsigned int number);

choice_name choice_by;		/* enum proclife_by, from 1 on */
choice_name choice_summary_by;	/* enum summary_by */
choice_name choice_top;		/* enum top_key */
choice_name choice_sort;	/* enum sort_key, from 1 on */
choice_name choice_show;	/* the bits SHOW_*, from 0 on */
choice_name choice_color;	/* enum color */
choice_name choice_tracks;	/* enum tracks */
choice_name choice_event;	/* enum proclife_type, from 1 on */
choice_name choice_phase;	/* enum proclife_phase */
choice_name choice_statistic;	/* enum statistic_kind, and some percentiles */

/* Sets the number of this word, of @length bytes; false if there is no such word. */
bool choice_find(choice_name *name, const char *word, size_t length, unsigned int *number);

/*
 * "comm, parent or uid", with @last before the last one; or all with the same @separator. It stays until
 * the second call after this one.
 */
const char *choice_list(choice_name *name, const char *separator, const char *last);

#endif
