/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_LOCKDOWN_H
#define READ_LOCKDOWN_H

#include <stdbool.h>

/* The lockdown mode in force: the word in brackets; false if it is "none" or cannot be read. */
bool locked_down(char mode[32]);

#endif
