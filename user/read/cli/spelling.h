/* SPDX-License-Identifier: GPL-2.0-only */
/* Options as they are spelled: whether they exist, are meant, and have the arguments that they need. */
#ifndef READ_SPELLING_H
#define READ_SPELLING_H

#include "view.h"

/*
 * Ends the program with an error message where getopt_long(3) would: its messages have the program's
 * path, "option requires an argument -- 'i'", and name neither the argument nor a remedy.
 */
void spelling_check(const struct request *const *requests, int argc, char **argv);

#endif
