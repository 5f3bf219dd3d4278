// SPDX-License-Identifier: GPL-2.0-only
#include "runs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define RUNS 16

/* The next value of a number within a run. */
static uint32_t step(unsigned int how, uint32_t i, uint32_t of)
{
	switch (how & 3) {
	case 0:
		return 1;
	case 1:
		return 1 + i;
	case 2:
		return of - i;
	default:
		return 1 + i % 7;
	}
}

static void fill(struct proclife_record *record, const uint8_t run[8], uint32_t i, uint32_t of)
{
	uint32_t task = step(run[2], i, of), pid = step(run[2] >> 2, i, of);
	uint32_t start = step(run[2] >> 4, i, of), other = step(run[2] >> 6, i, of);
	uint64_t base = (uint64_t)(run[3] & 3) << 32; /* handles of another kind */

	record->task = base + task;
	record->start = 1000000 + start;
	record->tgid = 100 + (run[3] & 4 ? 0 : pid);
	record->pid = run[3] & 8 ? 1000000 + pid : record->tgid;
	snprintf(record->comm, sizeof(record->comm), "%u", run[3] & 16 ? pid : 1);
	switch (record->type) {
	case PROCLIFE_FORK:
		record->fork.parent = ((uint64_t)(run[4] & 3) << 32) + other;
		record->fork.parent_tgid = 100 + (run[4] & 4 ? 0 : other);
		record->fork.group = run[4] & 8 ? task : record->tgid;
		record->fork.creator = run[4] & 16 ? task + 1 : record->fork.parent;
		record->fork.creator_tgid = run[4] & 16 ? pid + 101 : record->fork.parent_tgid;
		record->fork.cgroup = run[4] & 32 ? 1 + task : 0;
		record->flags = run[4] & 64 ? PROCLIFE_F_THREAD : 0;
		break;
	case PROCLIFE_TASK:
		record->state.parent = ((uint64_t)(run[4] & 3) << 32) + other;
		record->state.parent_tgid = 100 + (run[4] & 4 ? 0 : other);
		record->state.group = run[4] & 8 ? task : record->tgid;
		record->flags = run[4] & 16 ? PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE : 0;
		break;
	case PROCLIFE_EXIT:
		record->exit.live = run[4] & 1;
		record->flags = run[4] & 1 ? 0 : PROCLIFE_F_GROUP_DEAD;
		record->exit.parent_tgid = 100 + other;
		record->exit.exit_code = (int32_t)(run[4] & 2 ? other : 0);
		break;
	case PROCLIFE_EXITING:
		record->exiting.mm = run[4] & 1 ? 1 + other : 1;
		record->exiting.parent_tgid = 100 + other;
		break;
	case PROCLIFE_RENAME:
		snprintf(record->rename.name, sizeof(record->rename.name), "%u", i);
		break;
	case PROCLIFE_REAP:
		record->reap.reaper = other;
		record->reap.reaper_tgid = 100 + (run[4] & 4 ? 0 : other);
		break;
	case PROCLIFE_SIGNAL:
		record->signal.signo = 1 + other % 64;
		record->signal.code = run[4] & 1 ? CLD_EXITED : (int32_t)i;
		record->signal.sender = other;
		record->signal.sender_tgid = 100 + pid;
		break;
	case PROCLIFE_ARGS:
		record->args.len = 1 + (run[4] & 31);
		record->args.offset = (uint16_t)(i * record->args.len);
		record->args.total = 60000;
		break;
	case PROCLIFE_PATH:
		record->path.what = 1 + (run[4] & 3);
		record->path.len = run[5] & 63;
		record->path.offset = (uint16_t)(run[4] & 64 ? i * record->path.len : 0);
		record->path.total = 60000;
		break;
	case PROCLIFE_EXEC:
		record->exec.group = run[4] & 8 ? task : record->tgid;
		snprintf(record->exec.path, sizeof(record->exec.path), "/%u", other);
		break;
	}
}

/* Fills what a short input lacks from its bytes, so that it makes many runs, too. */
static void complete(uint8_t runs[8 * RUNS], const uint8_t *data, size_t size)
{
	uint64_t random = size;

	for (size_t i = 0; i < 8 * RUNS; i++) {
		random = (random ^ (i < size ? data[i] : 0)) * 0xd6e8feb86659fd93ULL;
		random ^= random >> 32;
		runs[i] = i < size ? data[i] : (uint8_t)(random >> 24);
	}
}

size_t runs_make(struct proclife_record *records, size_t most, const uint8_t *from, size_t size)
{
	uint8_t all[8 * RUNS], *data = all;
	size_t runs = 1 + from[0] % RUNS, count = 0;

	complete(all, from + 1, size - 1);
	memset(records, 0, most * sizeof(*records));
	for (size_t n = 0; n < runs; n++, data += 8) {
		uint32_t of = (uint32_t)(most / runs);

		for (uint32_t i = 0; i < of; i++) {
			struct proclife_record *record = &records[count++];

			record->type = (uint16_t)(PROCLIFE_FORK + data[0] % (PROCLIFE_CGROUP - 1));
			record->type += record->type >= PROCLIFE_SUPPRESSED; /* of no task */
			fill(record, data, i, of);
		}
	}
	return count;
}

void runs_make_ordinary(struct proclife_record *records, size_t most)
{
	static const uint16_t types[] = { PROCLIFE_FORK, PROCLIFE_EXIT, PROCLIFE_REAP, PROCLIFE_FREE };

	memset(records, 0, most * sizeof(*records));
	for (size_t i = 0; i < most; i++) {
		struct proclife_record *record = &records[i];
		uint32_t life = (uint32_t)(i / 400 * 100 + i % 100);

		record->type = types[i / 100 % 4];
		record->task = 1 + life;
		record->start = 1 + life;
		record->pid = record->tgid = 100 + life % 30000;
		snprintf(record->comm, sizeof(record->comm), "comm-%u", life % 20);
		if (record->type == PROCLIFE_FORK) {
			record->fork.group = 1 + life;
			record->fork.parent = 1;
			record->fork.parent_tgid = 100;
		} else if (record->type == PROCLIFE_EXIT) {
			record->flags = PROCLIFE_F_GROUP_DEAD;
		}
	}
}
