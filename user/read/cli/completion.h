/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell completions, made from the table of options. */
#ifndef READ_COMPLETION_H
#define READ_COMPLETION_H

#include "view.h"
#include <stdbool.h>
#include <stdio.h>

/* Prints the script for "bash" or "zsh"; false if it is another shell. */
bool completion_print(FILE *out, const char *shell, const struct request *const *requests);

#endif
