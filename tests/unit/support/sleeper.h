/* SPDX-License-Identifier: GPL-2.0-only */
/* A real process, as a task for records: /proc knows it. */
#ifndef UNIT_SLEEPER_H
#define UNIT_SLEEPER_H

#include "records.h"

/* Starts a process that sleeps until sleeper_end(), or until this program ends. */
struct who sleeper_begin(const char *comm);
void sleeper_end(const struct who *sleeper);

#endif
