/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts: what a lab expects of a figure, and whether it is so. */
#ifndef READ_EXPECT_H
#define READ_EXPECT_H

#include "output/percentiles.h"
#include <proclife.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expect_what { EXPECT_PHASE, EXPECT_LOST, EXPECT_ZOMBIES, EXPECT_FAILED, EXPECT_LEFT };
enum expect_relation { EXPECT_BELOW, EXPECT_AT_MOST, EXPECT_EQUAL, EXPECT_AT_LEAST, EXPECT_ABOVE };

/* "exit_free.p99<50ms", "cc1.life.max<1s" */
struct expectation {
	const char *text;
	enum expect_what what;
	size_t program; /* bytes of the name that it begins with; 0: it is about all */
	enum proclife_phase phase; /* of EXPECT_PHASE, and the next two too */
	enum statistic_kind statistic;
	double percent; /* of STATISTIC_PERCENTILE */
	enum expect_relation relation;
	uint64_t bound; /* ns where it is a time */
};

/* Returns NULL, or what is wrong with @text, which has to outlive the expectation. */
const char *expect_parse(struct expectation *expectation, const char *text);

/* Is the figure a time? Otherwise it is a number. */
bool expect_is_time(const struct expectation *expectation);

struct judgement {
	bool ok;
	bool measured;	/* there is a figure: otherwise it is not ok */
	uint64_t value; /* ns where it is a time */
	bool is_max;	/* a percentile of so few lives that their maximum is judged */
	uint64_t count; /* lives that it is made of, if it is of a phase */
};

/* What it is judged by. */
struct measured {
	const struct proclife_latency *latency;
	const struct proclife_latency *programs; /* by name; NULL if no expectation is about one */
	uint64_t lost;
	uint64_t failed; /* processes */
};

struct judgement expect_judge(const struct expectation *expectation,
			      const struct measured *measured);

#endif
