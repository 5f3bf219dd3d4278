/* SPDX-License-Identifier: GPL-2.0-only */
/* What is added up for --summary: summary.c, and summary_json.c. */
#ifndef READ_SUMMARY_H
#define READ_SUMMARY_H

#include "views/share/overtime.h"
#include "views/summary/programs.h"

struct summary {
	struct run *run;
	enum summary_by by;
	struct programs programs;
	struct overtime overtime;
	bool began;
};

/* One more life, of a process that was reported gone; lives that are not shown do not count. */
void summary_count(struct summary *summary, const struct proclife_process *process);

/* The titles, and the first @most lines. */
void summary_print_table(const struct run *run, const struct programs *programs, uint64_t most);

void summary_json_program(const struct run *run, const struct program *program);
void summary_json_overhead(const struct run *run, const struct programs *programs);
void summary_json_overtime(struct json *json, const struct overtime *overtime);

#endif
