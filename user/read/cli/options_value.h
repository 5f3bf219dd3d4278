/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing the values of options. Functions with a @state end the program with an error message if
 * the value is wrong.
 */
#ifndef READ_OPTIONS_VALUE_H
#define READ_OPTIONS_VALUE_H

#include "options.h"
#include <argp.h>

/* For values that have to be above 0: they return 0 if the value is not, or is not valid. */
uint64_t option_time_of(const char *s);
uint64_t option_number_of(const char *s, uint64_t max);
/* One that can be 0. */
void option_set_time(uint64_t *ns, const char *name, struct argp_state *state, const char *arg);
void option_add_word(struct words *words, const char *word);
/* A number, or a name of any machine. */
void option_add_user(struct filter *filter, const char *arg);
/* Looks up the names on this machine. */
void options_find_users(struct filter *filter, struct argp_state *state);
void option_add_cgroup(struct filter *filter, struct argp_state *state, const char *arg);
void option_add_status(struct options *options, struct argp_state *state, const char *arg);
void option_add_signal(struct filter *filter, struct argp_state *state, const char *arg);
void option_set_moment(struct moment *moment, const char *name, struct argp_state *state,
		       const char *arg);
void option_set_events(struct options *options, struct argp_state *state, const char *arg);
void option_set_metrics(struct options *options, struct argp_state *state, const char *arg);
/* SIZE, or SIZE,TIME. */
void option_set_keep(struct options *options, struct argp_state *state, const char *arg);
void option_set_by(struct options *options, struct argp_state *state, const char *arg);
void option_set_show(struct options *options, struct argp_state *state, const char *arg);
void option_set_export(struct options *options, struct argp_state *state, const char *arg);
void option_set_tracks(struct options *options, struct argp_state *state, const char *arg);
void option_set_color(struct options *options, struct argp_state *state, const char *arg);
void option_set_factor(struct options *options, struct argp_state *state, const char *arg);
void option_add_pid(struct options *options, struct argp_state *state, const char *arg);
void option_set_depth(struct options *options, struct argp_state *state, const char *arg);
void option_set_sort(struct options *options, struct argp_state *state, const char *arg);
void option_set_top(struct options *options, struct argp_state *state, const char *arg);
void option_add_condition(struct options *options, struct argp_state *state, const char *arg);
void option_add_expectation(struct options *options, struct argp_state *state, const char *arg);

#endif
