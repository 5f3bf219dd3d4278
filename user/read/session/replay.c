// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/replay.h"
#include "views/share/when.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define SECOND UINT64_C(1000000000)

/* A recording has a file for each CPU, and they stay open. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit); /* if this fails, the open that fails reports it */
}

/* Where the service proclife-recorder records. */
static const char flight[] = "/var/lib/proclife/flight";

int replay_open(struct proclife_source **source, const char *dir)
{
	struct proclife_fault fault;
	int ret;

	allow_many_files();
	ret = proclife_recording_open(source, dir, &fault);
	if (ret == -ENOENT && !strcmp(fault.path, flight))
		message("%s: %s; the service proclife-recorder makes it: 'systemctl enable --now proclife-recorder' as root",
			quoted(fault.path), fault.text);
	else if (ret)
		say_fault(&fault);
	return ret;
}

bool is_same_recording(const struct proclife_run_info *a, const struct proclife_run_info *b)
{
	return !memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}

/* @runs has room for all the recordings. */
static int check_distinct(const struct words *dirs, struct proclife_run_info *runs)
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
			message("%s and %s are the same recording, which would count twice; leave one of them out",
				quoted(dirs->all[other]), quoted(dirs->all[i]));
			return -EINVAL;
		}
	}
	return 0;
}

int replay_check_distinct(const struct words *dirs)
{
	struct proclife_run_info *runs = calloc(dirs->count + 1, sizeof(*runs));
	int ret;

	if (!runs)
		die_no_memory();
	ret = check_distinct(dirs, runs);
	free(runs);
	return ret;
}

static void say_missing(const struct proclife_fault *fault, const char *what)
{
	if (fault->text[0])
		message("%s: %s; %s are not known without it", quoted(fault->path), fault->text, what);
}

int replay_texts(struct run *run, const char *dir)
{
	struct proclife_fault fault;
	int ret = proclife_cgroups_new(&run->cgroups, dir, &fault);

	if (ret)
		return ret;
	say_missing(&fault, "paths of cgroups");
	ret = proclife_users_new(&run->users, dir, &fault);
	if (!ret)
		say_missing(&fault, "names of users");
	return ret;
}

#define MOST_SAID 8 /* damaged streams that get a message; the others are counted */

static void say_damage(const struct run *run, const struct proclife_damage *damage, const char *dir)
{
	char from[WHEN_SIZE], to[WHEN_SIZE], lost[160] = "nothing is lost", places[64] = "";

	when_text(run, damage->from, from);
	when_text(run, damage->to, to);
	if (damage->lost)
		snprintf(lost, sizeof(lost), "%s%" PRIu64 " %s lost between %s and %s",
			 damage->estimated ? "about " : "", damage->lost,
			 plural(damage->lost, "record is", "records are"), from, to);
	else if (damage->estimated)
		snprintf(lost, sizeof(lost), "how much is lost is not known");
	if (damage->places > 1)
		snprintf(places, sizeof(places), " and at %" PRIu64 " more %s",
			 damage->places - 1, plural(damage->places - 1, "place", "places"));
	if (damage->unread)
		message("%s/%s: %s; %s; copy the recording again from where it was made", quoted(dir),
			damage->stream, damage->what, lost);
	else
		message("%s/%s: damaged at byte %" PRIu64 "%s: %s; %s; copy the recording again from where it was made",
			quoted(dir), damage->stream, damage->at, places, damage->what, lost);
}

/* How many records were lost in damaged places; @any: there are such places. */
static uint64_t sum_up_damage(const struct run *run, const char *dir, bool *any)
{
	const struct proclife_damage *damage;
	uint64_t lost = 0, others = 0, said = 0;
	size_t i;

	for (i = 0; (damage = proclife_recording_damage(run->source, i)); i++) {
		if (damage->lost && !overlaps_range(run, damage->from, damage->to))
			continue;
		*any = true;
		lost += damage->lost;
		if (said++ < MOST_SAID)
			say_damage(run, damage, dir);
		else
			others += damage->lost;
	}
	if (said > MOST_SAID)
		message("%s: %" PRIu64 " more %s damaged; %" PRIu64 " %s lost", quoted(dir), said - MOST_SAID,
			plural(said - MOST_SAID, "file is", "files are"), others,
			plural(others, "record of them is", "records of them are"));
	return lost;
}

static void say_cut(const struct run *run, const struct proclife_run_info *replay, const char *dir)
{
	char synced[WHEN_SIZE];

	when_text(run, replay->synced, synced);
	if (replay->running && replay->synced)
		message("%s: still running: this is what is there so far, up to %s",
			quoted(dir), synced);
	else if (replay->running)
		message("%s: still running: there is nothing in it yet", quoted(dir));
	else if (replay->synced)
		message("%s: the recording was cut off: its recorder did not finish; from %s on records are missing",
			quoted(dir), synced);
	else
		message("%s: the recording was cut off: its recorder did not finish, and records are missing",
			quoted(dir));
}

/* What a reader of the view cannot know: it shows the lives that it has as if all were there. */
static void say_whole(const struct run *run, const char *dir)
{
	uint64_t whole = whole_since(run->source);
	char since[WHEN_SIZE];

	/* A saved recording says this by the histories of its CPUs. */
	if (whole && !info_is_saved(proclife_recording_info(run->source)) && overlaps_range(run, 0, whole - 1))
		message("%s: whole since %s; lives that ended before that are no longer in it", quoted(dir),
			when_text(run, whole, since));
}

int replay_verdict(struct run *run, const struct proclife_run_info *replay, const char *dir,
		   bool cut)
{
	bool damaged = false;

	say_whole(run, dir);
	run->damaged = sum_up_damage(run, dir, &damaged);
	/* After this time, records of some CPUs reached the disk, and records of others did not. */
	if (!replay->complete && run->ended >= replay->synced)
		cut = true;
	if (run->to < replay->synced)
		cut = false;
	if (cut)
		say_cut(run, replay, dir);
	return (cut && !replay->running) || damaged || run->lost ? STATUS_LOST : 0;
}
