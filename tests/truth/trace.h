/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own tracepoints of tasks, in the text that ftrace, trace-cmd and perf print of them. */
#ifndef TRUTH_TRACE_H
#define TRUTH_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum trace_kind {
	TRACE_NEWTASK,
	TRACE_FORK,
	TRACE_EXEC,
	TRACE_EXIT,
	TRACE_FREE,
	/* These are probes of our own: see trace_probes. */
	TRACE_FORKING,
	TRACE_STARTED,
	TRACE_EXECING,
	TRACE_RENAME,
	TRACE_KINDS,
};

extern const char *const trace_names[TRACE_KINDS]; /* "sched/sched_process_fork", ... */
extern const char *const trace_probes[TRACE_KINDS]; /* the function at whose entry it is; NULL: a tracepoint */

struct trace_event {
	enum trace_kind kind;
	uint32_t pid;	  /* of the child for a fork; 0: the caller's, or a rename of a kernel from 2026 on, which lacks it */
	uint32_t other;	  /* fork: pid of the creator; exec: pid before */
	const char *text; /* the name, of the child for a fork; exec: the path */
};

/*
 * @event: its name, without its system. @text: its fields, which this changes, and `text` points into. False if
 * they make no sense, or there is no such event.
 */
bool trace_parse(struct trace_event *parsed, const char *event, char *text);

#endif
