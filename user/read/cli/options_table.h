/* SPDX-License-Identifier: GPL-2.0-only */
/* Every option with what --help says of it. The completions are made from it, too. */
#ifndef READ_OPTIONS_TABLE_H
#define READ_OPTIONS_TABLE_H

#include <argp.h>

/* Options without a short form; above every character. */
enum {
	OPTION_EVENTS = 256,
	OPTION_TREE,
	OPTION_LATENCY,
	OPTION_STATUS,
	OPTION_PARENTS,
	OPTION_ZOMBIES,
	OPTION_DIFF,
	OPTION_FACTOR,
	OPTION_FORCE,
	OPTION_COMM,
	OPTION_UID,
	OPTION_CGROUP,
	OPTION_BY,
	OPTION_SHOW,
	OPTION_FOLD,
	OPTION_NO_FOLD,
	OPTION_DEPTH,
	OPTION_MIN_LIFE,
	OPTION_TOP,
	OPTION_HISTORY,
	OPTION_EXPECT,
	OPTION_KTAP,
	OPTION_LAVA,
	OPTION_LOAD,
	OPTION_DEVICE,
	OPTION_RECORD,
	OPTION_COMPLETION,
};

extern const struct argp_option options_table[];

#endif
