/* SPDX-License-Identifier: GPL-2.0-only */
/* Between summary.c and summary_json.c. */
#ifndef READ_SUMMARY_H
#define READ_SUMMARY_H

#include "views/overtime.h"
#include "views/programs.h"

/* The titles, and the first @most lines. */
void summary_print_table(const struct run *run, const struct programs *programs, uint64_t most);

void summary_json_program(const struct run *run, const struct program *program);
void summary_json_overtime(struct json *json, const struct overtime *overtime);

#endif
