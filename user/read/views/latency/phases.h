/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of phases, as --latency shows them. */
#ifndef READ_PHASES_H
#define READ_PHASES_H

#include "output/json.h"
#include <proclife.h>

/* @row: below PROCLIFE_PHASES */
enum proclife_phase phase_of_row(unsigned int row);

/* NULL: null. */
void latency_json_spent(struct json *json, const struct proclife_spent *spent);

#endif
