// SPDX-License-Identifier: GPL-2.0-only
#include "replay.h"
#include "quoted.h"
#include "say.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

int replay_open(struct proclife_source **source, const char *dir)
{
	struct proclife_fault fault;
	int ret = proclife_recording_open(source, dir, &fault);

	if (ret)
		say_fault(&fault);
	return ret;
}

bool is_same_recording(const struct proclife_recorded *a, const struct proclife_recorded *b)
{
	return !memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}

/* @runs has room for all of them. */
static int check_distinct(const struct words *dirs, struct proclife_recorded *runs)
{
	struct proclife_source *source;
	size_t i, other;
	int ret;

	for (i = 0; i < dirs->count; i++) {
		ret = replay_open(&source, dirs->all[i]);
		if (ret)
			return ret;
		runs[i] = *proclife_recording_info(source);
		proclife_source_free(source);
		for (other = 0; other < i; other++) {
			if (!is_same_recording(&runs[i], &runs[other]))
				continue;
			say("%s and %s are the same recording, which would count twice; leave one "
			    "of them out", quoted(dirs->all[other]), quoted(dirs->all[i]));
			return -EINVAL;
		}
	}
	return 0;
}

int replay_check_distinct(const struct words *dirs)
{
	struct proclife_recorded *runs = calloc(dirs->count + 1, sizeof(*runs));
	int ret;

	if (!runs)
		die_no_memory();
	ret = check_distinct(dirs, runs);
	free(runs);
	return ret;
}

int replay_cgroups(struct proclife_cgroups **cgroups, const char *dir)
{
	struct proclife_fault fault;
	int ret = proclife_cgroups_new(cgroups, dir, &fault);

	if (!ret && fault.text[0])
		say("%s: %s; paths of cgroups are not known without it", quoted(fault.path),
		    fault.text);
	return ret;
}

void replay_select(const struct proclife_recorded *replay, struct run *run)
{
	if (!replay->command || run->options->pid_count)
		return;
	run->command = replay->command;
	if (proclife_tasks_select_child(run->tasks, replay->command, replay->command_creator))
		die_no_memory();
}

int replay_verdict(const struct run *run, const struct proclife_recorded *replay, const char *dir,
		   bool cut)
{
	/* Between this and the end, some CPUs' records reached the disk and others' did not. */
	if (!replay->complete && run->ended >= replay->synced)
		cut = true;
	if (cut && replay->synced)
		say("%s: the recording was cut off: its recorder did not come to its end; from "
		    "%" PRIu64 ".%09" PRIu64 " on records are missing", quoted(dir),
		    (uint64_t)replay->synced / SECOND, (uint64_t)replay->synced % SECOND);
	else if (cut)
		say("%s: the recording was cut off: its recorder did not come to its end, and "
		    "records are missing", quoted(dir));
	return cut || run->lost ? STATUS_LOST : 0;
}
