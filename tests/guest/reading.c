// SPDX-License-Identifier: GPL-2.0-only
#include "module.h"
#include "reading.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A record from after the @end of next_until(): it is for the next call. */
struct held {
	struct held *next;
	struct proclife_source *source;
	struct proclife_record record;
	bool told;
};

static struct held *all_held;

static struct held **held_of(struct proclife_source *source)
{
	struct held **at = &all_held;

	while (*at && (*at)->source != source)
		at = &(*at)->next;
	return at;
}

static void let_go(struct held **at)
{
	struct held *held = *at;

	*at = held->next;
	free(held);
}

static void hold(struct proclife_source *source, const struct proclife_record *record)
{
	struct held *held = malloc(sizeof(*held));

	assert_non_null(held);
	*held = (struct held){ all_held, source, *record, false };
	all_held = held;
}

/* proclife_source_next(), after what is held. */
static int next(struct proclife_source *source, struct proclife_event *event)
{
	struct held **held = held_of(source);

	if (*held && !(*held)->told) {
		(*held)->told = true;
		*event = (struct proclife_event){ .record = &(*held)->record };
		return 1;
	}
	if (*held)
		let_go(held);
	return proclife_source_next(source, event);
}

int try_open_source(struct proclife_source **source)
{
	int ret = module_is_bpf() ? proclife_bpf_open_pinned(source, NULL) : proclife_device_open(source, NULL);
	struct held **at;

	if (ret)
		return ret;
	/* Drops what is held for a freed source that had the same address. */
	at = held_of(*source);
	if (*at)
		let_go(at);
	return 0;
}

struct proclife_source *open_source(void)
{
	struct proclife_source *source;

	assert_int_equal(try_open_source(&source), 0);
	return source;
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

bool next_until(struct proclife_source *source, uint64_t end, struct proclife_event *event)
{
	const struct held *held = *held_of(source);

	if (held && !held->told && held->record.ts >= end)
		return false;
	for (;;) {
		int ret = next(source, event);

		assert_true(ret >= 0);
		if (ret && event->record && event->record->ts >= end) {
			hold(source, event->record);
			return false;
		}
		if (ret)
			return true;
		if (proclife_source_horizon(source) >= end)
			return false;
		proclife_source_wait(source, 50);
	}
}

uint64_t read_in_order(struct proclife_source *source, unsigned int most, uint64_t *last)
{
	struct proclife_event event;
	uint64_t frees = 0, end = now();
	unsigned int i;

	for (i = 0; i < most && *last < end; i++) {
		int ret = next(source, &event);

		assert_true(ret >= 0);
		if (!ret)
			break;
		assert_non_null(event.record);
		assert_true(event.record->ts >= *last);
		*last = event.record->ts;
		frees += event.record->type == PROCLIFE_FREE;
	}
	return frees;
}

void read_until_freed(struct proclife_source *source, uint64_t freed, uint64_t wanted, uint64_t *last)
{
	unsigned int i;

	for (i = 0; i < 300 && freed < wanted; i++) {
		usleep(100000);
		freed += read_in_order(source, UINT_MAX, last);
	}
	assert_true(freed >= wanted);
	assert_int_equal(proclife_source_lost(source), 0);
}

uint64_t records_of_a_child(void)
{
	struct proclife_source *source = open_source();
	struct proclife_event event;
	uint64_t seen = 0, handle = 0;
	unsigned int i;
	int pid = fork();

	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (i = 0; i < 1000 && !(seen & PROCLIFE_HAS(PROCLIFE_FREE)); i++) {
		while (proclife_source_next(source, &event) == 1) {
			const struct proclife_record *r = event.record;

			if (!r)
				continue;
			if (r->type == PROCLIFE_FORK && r->pid == (uint32_t)pid)
				handle = r->task;
			if (handle && r->task == handle)
				seen |= PROCLIFE_HAS(r->type);
		}
		usleep(10000);
	}
	proclife_source_free(source);
	return seen;
}
