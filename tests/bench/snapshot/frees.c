// SPDX-License-Identifier: GPL-2.0-only
#include "frees.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"
#include "proclife.h"

#define SLOTS (1u << 18) /* for the tasks reaped in one measurement, by handle */
#define SETTLE 10000	 /* us: the last ones wait for RCU, too */
#define PATIENCE 1000	 /* times as long */

struct slot {
	uint64_t task;
	uint64_t reaped;
};

struct frees {
	struct proclife_source *source;
	struct slot *slots;
	uint64_t *took;
	size_t count;
	size_t open; /* reaped and not yet free */
};

struct frees *frees_begin(void)
{
	struct frees *frees = calloc(1, sizeof(*frees));
	int error;

	if (!frees)
		err(1, "calloc");
	frees->slots = calloc(SLOTS, sizeof(*frees->slots));
	frees->took = calloc(SLOTS, sizeof(*frees->took));
	if (!frees->slots || !frees->took)
		err(1, "calloc");
	error = proclife_device_open(&frees->source, NULL);
	if (error)
		errx(1, "%s: %s", PROCLIFE_DEVICE, strerror(-error));
	return frees;
}

/* The slot of the task, or an empty one. A task that is gone leaves its slot to the next of its handle. */
static struct slot *slot_of(struct frees *frees, uint64_t task)
{
	uint64_t at = task * 0x9e3779b97f4a7c15ULL >> 46;

	while (frees->slots[at].task && frees->slots[at].task != task)
		at = (at + 1) % SLOTS;
	return &frees->slots[at];
}

static void take(struct frees *frees, const struct proclife_record *r, pid_t reaper)
{
	struct slot *slot;

	if (r->type == PROCLIFE_REAP && r->reap.reaper_tgid == (uint32_t)reaper) {
		slot = slot_of(frees, r->task);
		slot->task = r->task;
		slot->reaped = r->ts;
		frees->open++;
	} else if (r->type == PROCLIFE_FREE) {
		slot = slot_of(frees, r->task);
		if (!slot->reaped)
			return;
		if (frees->count == SLOTS / 2)
			errx(1, "too many cycles: measure for less time");
		frees->took[frees->count++] = r->ts - slot->reaped;
		frees->open--;
		slot->reaped = 0;
	}
}

static void drain(struct frees *frees, pid_t reaper)
{
	struct proclife_event event;
	int ret;

	while ((ret = proclife_source_next(frees->source, &event)) == 1) {
		if (!event.record)
			errx(1, "records were lost: load the module with larger rings");
		take(frees, event.record, reaper);
	}
	if (ret)
		errx(1, "%s: %s", PROCLIFE_DEVICE, strerror(-ret));
}

uint64_t *frees_end(struct frees *frees, pid_t reaper, size_t *count)
{
	uint64_t *took = frees->took;
	int times = 0;

	do {
		usleep(SETTLE);
		drain(frees, reaper);
	} while (frees->open && times++ < PATIENCE);
	if (frees->open)
		errx(1, "%zu tasks are not freed", frees->open);
	*count = frees->count;
	if (!*count)
		errx(1, "no REAP is followed by a FREE");
	qsort(took, *count, sizeof(*took), order_u64);
	proclife_source_free(frees->source);
	free(frees->slots);
	free(frees);
	return took;
}
