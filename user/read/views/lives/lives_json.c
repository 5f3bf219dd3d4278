// SPDX-License-Identifier: GPL-2.0-only
/* The deaths as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/lives/lives.h"
#include <string.h>

static void json_phases(struct json *json, const struct death *death)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const char *name = proclife_phase_info(phase)->name;

		if (death_phase(death, phase, &ns))
			json_uint(json, name, ns);
		else
			json_null(json, name);
	}
}

static void put_actor(struct json *json, const char *name, const struct proclife_actor *actor)
{
	if (!actor->pid) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	json_actor(json, actor);
	json_object_end(json);
}

static void json_memory(struct json *json, const struct proclife_memory *memory)
{
	if (!memory->left && !memory->teardown) {
		json_null(json, "memory");
		return;
	}
	json_object(json, "memory");
	json_uint_or_null(json, "left", memory->left);
	json_uint(json, "holders", memory->holders);
	json_uint_or_null(json, "early", memory->early);
	put_actor(json, "early_by", &memory->early_by);
	json_uint(json, "early_anon", memory->early_anon);
	json_uint_or_null(json, "teardown", memory->teardown);
	put_actor(json, "last", &memory->last);
	put_actor(json, "by", &memory->by);
	json_uint(json, "rss_anon", memory->rss_anon);
	json_uint(json, "rss_file", memory->rss_file);
	json_uint(json, "rss_shmem", memory->rss_shmem);
	json_uint(json, "swap", memory->swap);
	json_uint_or_null(json, "gone", memory->gone);
	json_object_end(json);
}

static void json_usage(struct json *json, const struct death *death)
{
	const struct proclife_usage *usage = &death->usage;
	uint64_t user, system;

	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	json_uint(json, "runtime", usage->runtime);
	json_uint(json, "utime", user);
	json_uint(json, "stime", system);
	json_uint_or_null(json, "max_rss", death->max_rss);
	json_uint(json, "min_flt", usage->min_flt);
	json_uint(json, "maj_flt", usage->maj_flt);
	json_uint(json, "nvcsw", usage->nvcsw);
	json_uint(json, "nivcsw", usage->nivcsw);
}

void lives_json_death(const struct death *death)
{
	const struct run *run = death->run;
	struct json *json = run->json;

	json_line(json, "life");
	json_recording(run);
	json_uint_or_null(json, "ts", death->when);
	json_uint(json, "id", death->id);
	json_uint(json, "pid", death->tgid);
	json_uint(json, "parent_pid", death->parent_tgid);
	json_uint(json, "creator_pid", death->creator_tgid);
	json_uint_if(json, "uid", death->has_uid, death->uid);
	json_string_or_null(json, "user",
			    death->has_uid ? proclife_users_name(run->users, death->uid) : NULL);
	json_uint_or_null(json, "start", death->start);
	json_uint(json, "cgroup", death->cgroup);
	json_string_or_null(json, "cgroup_path", proclife_cgroups_path(run->cgroups, death->cgroup));
	json_bytes(json, "comm", death->comm, PROCLIFE_COMM_LEN);
	json_string_or_null(json, "path", death->path);
	json_args(json, death->args, death->args_bytes, death->args_cut);
	json_bool(json, "kthread", death->flags & PROCLIFE_F_KTHREAD);
	json_uint(json, "threads", death->threads);
	json_uint(json, "execs", death->execs);
	json_bool(json, "script", death->script);
	json_bool(json, "by_fd", death->by_fd);
	json_uint_or_null(json, "born", death->marks.born);
	json_uint(json, "seen", death->seen);
	json_uint_or_null(json, "killed", death->killed);
	json_uint_or_null(json, "exited", death->marks.exited);
	json_tracer(json, death->tracer.tgid ? &death->tracer : NULL);
	json_uint_or_null(json, "notified", death->marks.notified);
	json_uint_or_null(json, "reaped", death->marks.reaped);
	json_uint_or_null(json, "freed", death->marks.freed);
	json_phases(json, death);
	if (death->alone_known)
		json_uint(json, "alone", death->alone);
	else
		json_null(json, "alone");
	json_memory(json, &death->memory);
	json_usage(json, death);
	json_wait_status(json, death->exited && death->exit_code >= 0, death->exit_code);
	json_killer(json, death->killer.signo ? &death->killer : NULL);
	json_bool(json, "autoreaped", death->autoreaped);
	json_uint(json, "reaper_pid", death->reaper_tgid);
	json_string(json, "state", proclife_state_name(death->state));
	json_bool(json, "incomplete", death->incomplete);
	json_bool(json, "partial", !death->marks.born);
	json_line_end(json);
}

void lives_json_end(const struct run *run, const struct lives_counts *counts, uint64_t shown)
{
	struct json *json = run->json;

	json_line(json, "deaths");
	json_uint(json, "deaths", counts->deaths);
	json_uint(json, "matched", counts->matched);
	json_uint(json, "shown", shown);
	json_uint(json, "alive", counts->states[PROCLIFE_IS_ALIVE]);
	json_uint(json, "dying", counts->states[PROCLIFE_IS_DYING]);
	json_uint(json, "zombies", counts->states[PROCLIFE_IS_ZOMBIE]);
	json_uint(json, "unfreed", counts->states[PROCLIFE_IS_UNFREED]);
	json_uint(json, "unknown", counts->states[PROCLIFE_IS_UNKNOWN]);
	json_uint(json, "ends_lost", counts->lost);
	json_line_end(json);
}
