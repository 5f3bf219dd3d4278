/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the value of an option says. What takes a state ends the program if the value is wrong, with
 * a line that says why.
 */
#ifndef READ_OPTIONS_VALUE_H
#define READ_OPTIONS_VALUE_H

#include "options.h"
#include <argp.h>

/* What has to be above 0; 0 if it is not, or is no such thing. */
uint64_t option_time_of(const char *s);
uint64_t option_number_of(const char *s, uint64_t max);
void option_add_word(struct words *words, const char *word);
/* A number, or a name, of whichever machine. */
void option_add_user(struct filter *filter, const char *arg);
/* The names are this machine's. */
void options_find_users(struct filter *filter, struct argp_state *state);
void option_add_cgroup(struct filter *filter, struct argp_state *state, const char *arg);
void option_add_status(struct options *options, struct argp_state *state, const char *arg);
void option_add_signal(struct filter *filter, struct argp_state *state, const char *arg);
void option_set_moment(struct moment *moment, const char *name, struct argp_state *state,
		       const char *arg);
void option_set_events(struct options *options, struct argp_state *state, const char *arg);
void option_set_by(struct options *options, struct argp_state *state, const char *arg);
void option_set_show(struct options *options, struct argp_state *state, const char *arg);
void option_set_color(struct options *options, struct argp_state *state, const char *arg);
void option_set_factor(struct options *options, struct argp_state *state, const char *arg);
void option_add_pid(struct options *options, struct argp_state *state, const char *arg);
void option_set_depth(struct options *options, struct argp_state *state, const char *arg);
void option_set_sort(struct options *options, struct argp_state *state, const char *arg);
void option_set_top(struct options *options, struct argp_state *state, const char *arg);
void option_add_expectation(struct options *options, struct argp_state *state, const char *arg);

#endif
