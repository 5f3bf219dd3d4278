/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts: whether figures are as a lab expects them. */
#ifndef READ_EXPECT_H
#define READ_EXPECT_H

#include "cli/relation.h"
#include "output/percentiles.h"
#include <proclife.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expect_what { EXPECT_PHASE, EXPECT_LOST, EXPECT_ZOMBIES, EXPECT_FAILED, EXPECT_LEFT };

/* "exit_free.p99<50ms", "cc1.life.max<1s" */
struct expectation {
	const char *text;
	enum expect_what what;
	size_t program; /* the length of the program's name at its beginning; 0: all programs */
	enum proclife_phase phase; /* this and the next two: of EXPECT_PHASE */
	enum statistic_kind statistic;
	double percent; /* of STATISTIC_PERCENTILE */
	enum relation relation;
	uint64_t bound; /* ns if it is a time */
};

/* Returns NULL, or what is wrong with @text, which has to outlive the expectation. */
const char *expect_parse(struct expectation *expectation, const char *text);

/* Is the figure a time, and not a number? */
bool expect_is_time(const struct expectation *expectation);

struct judgement {
	bool ok;
	bool measured;	/* there is a figure; if not, the verdict is not ok */
	uint64_t value; /* ns if it is a time */
	bool is_max;	/* too few lives for the percentile: their maximum is judged */
	uint64_t count; /* how many lives it is from, for EXPECT_PHASE */
};

/* The measurements to judge. */
struct measured {
	const struct proclife_latency *latency;
	const struct proclife_latency *programs; /* by name; NULL if no expectation has a program */
	uint64_t lost;
	uint64_t failed; /* processes */
};

struct judgement expect_judge(const struct expectation *expectation,
			      const struct measured *measured);

#endif
