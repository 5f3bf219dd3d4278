// SPDX-License-Identifier: GPL-2.0-only
/* The deaths as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/lives/lives.h"
#include <string.h>

static void json_phases(struct json *json, const struct life *life)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const char *name = proclife_phase_info(phase)->name;

		if (life_phase(life, phase, &ns))
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

static void json_usage(struct json *json, const struct life *life)
{
	const struct proclife_usage *usage = &life->usage;
	uint64_t user, system;

	proclife_cputime(usage->runtime, usage->utime, usage->stime, &user, &system);
	json_uint(json, "runtime", usage->runtime);
	json_uint(json, "utime", user);
	json_uint(json, "stime", system);
	json_uint_or_null(json, "max_rss", life->max_rss);
	json_uint(json, "min_flt", usage->min_flt);
	json_uint(json, "maj_flt", usage->maj_flt);
	json_uint(json, "nvcsw", usage->nvcsw);
	json_uint(json, "nivcsw", usage->nivcsw);
}

void lives_json_life(const struct life *life)
{
	const struct run *run = life->run;
	struct json *json = run->json;

	json_line(json, "life");
	json_recording(run);
	json_uint_or_null(json, "ts", life->when);
	json_uint(json, "id", life->id);
	json_uint(json, "pid", life->tgid);
	json_uint(json, "parent_pid", life->parent_tgid);
	json_uint(json, "creator_pid", life->creator_tgid);
	json_uint_if(json, "uid", life->has_uid, life->uid);
	json_string_or_null(json, "user",
			    life->has_uid ? proclife_users_name(run->users, life->uid) : NULL);
	json_uint_or_null(json, "start", life->start);
	json_uint(json, "cgroup", life->cgroup);
	json_string_or_null(json, "cgroup_path", proclife_cgroups_path(run->cgroups, life->cgroup));
	json_bytes(json, "comm", life->comm, PROCLIFE_COMM_LEN);
	json_string_or_null(json, "path", life->path);
	json_args(json, life->args, life->args_bytes, life->args_cut);
	json_bool(json, "kthread", life->flags & PROCLIFE_F_KTHREAD);
	json_uint(json, "threads", life->threads);
	json_uint(json, "execs", life->execs);
	json_bool(json, "script", life->script);
	json_bool(json, "by_fd", life->by_fd);
	json_uint_or_null(json, "born", life->marks.born);
	json_uint(json, "seen", life->seen);
	json_uint_or_null(json, "killed", life->killed);
	json_uint_or_null(json, "exited", life->marks.exited);
	json_tracer(json, life->tracer.tgid ? &life->tracer : NULL);
	json_uint_or_null(json, "notified", life->marks.notified);
	json_uint_or_null(json, "reaped", life->marks.reaped);
	json_uint_or_null(json, "freed", life->marks.freed);
	json_phases(json, life);
	if (life->alone_known)
		json_uint(json, "alone", life->alone);
	else
		json_null(json, "alone");
	json_memory(json, &life->memory);
	json_usage(json, life);
	json_wait_status(json, life->exited && life->exit_code >= 0, life->exit_code);
	json_killer(json, life->killer.signo ? &life->killer : NULL);
	json_bool(json, "autoreaped", life->autoreaped);
	json_uint(json, "reaper_pid", life->reaper_tgid);
	json_string(json, "state", proclife_state_name(life->state));
	json_bool(json, "incomplete", life->incomplete);
	json_bool(json, "partial", !life->marks.born);
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
