// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace for Perfetto: slices of lives and of the phases of their ends. perfetto_packets.c has its
 * messages, this file what is in them.
 */
#include "output/message.h"
#include "views/export/export.h"
#include "views/export/lanes.h"
#include "views/export/perfetto_packets.h"
#include "views/share/ended.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More arrows than these, and none can be found among them. */
#define MOST_FLOWS 1000
/* A chain of forks can have any length; Perfetto drops what is on a track with more than 98 above it. */
#define MOST_LEVELS 64

struct trace {
	const struct export *export;
	struct packets packets;
	struct lanes lanes;
	bool by_process; /* a track for each */
	uint64_t root;	 /* the track above all others */
	uint64_t counter;
	uint64_t living;
	uint64_t flows;
};

/* A number for a track: no process has the ID 0. */
static uint64_t own_uuid(const struct trace *trace, uint64_t number)
{
	return proclife_source_identity(trace->export->run->source, 0, number);
}

/* For what would cross the slices of the track itself: where slices cross, Perfetto ends the wrong one. */
static uint64_t lower_track(uint64_t uuid)
{
	return uuid ^ 0x6d656d6f7279;
}

enum {
	OWN_ROOT,
	OWN_COUNTER,
	OWN_LANES,
};

static void count(struct trace *trace, struct lane *lane, bool lives)
{
	if (!lane || lane->living == lives)
		return;
	lane->living = lives;
	trace->living += lives ? 1 : -1;
	packets_counter(&trace->packets, proclife_source_horizon(trace->export->run->source), trace->counter,
			trace->living);
	packets_write(&trace->packets);
}

/* Its track is to be below the track of @parent; or beside it, if that is deep. */
static void hang(const struct lanes *lanes, struct lane *lane, const struct proclife_process *parent)
{
	struct lane *above = parent ? lanes_get(lanes, parent->id) : NULL;
	bool beside = above && above->level == MOST_LEVELS;

	if (!above)
		return;
	lane->parent = beside ? above->parent : above->uuid;
	lane->above = beside ? above->above : above->id;
	lane->level = beside ? above->level : above->level + 1;
	above = beside ? lanes_get(lanes, above->above) : above;
	if (above)
		above->below++;
}

static void born(void *state, const struct proclife_process *process, const struct proclife_process *parent,
		 const struct proclife_process *creator)
{
	struct trace *trace = state;
	struct lane *lane;

	(void)creator;
	if (!process->selected || lanes_get(&trace->lanes, process->id))
		return;
	lane = lanes_add(&trace->lanes, process->id);
	hang(&trace->lanes, lane, parent);
	lane->uuid = trace->by_process ?
		proclife_source_identity(trace->export->run->source, process->tgid, process->start) :
		own_uuid(trace, OWN_LANES + lane->number);
	count(trace, lane, process->live);
}

/* It may be selected only now; or its parent was not known when it was born. */
static void linked(void *state, const struct proclife_process *process, const struct proclife_process *parent)
{
	struct trace *trace = state;
	struct lane *lane = lanes_get(&trace->lanes, process->id);

	if (!lane)
		born(state, process, parent, NULL);
	else if (!lane->shown && !lane->above)
		hang(&trace->lanes, lane, parent);
}

static void exited(void *state, const struct proclife_process *process)
{
	struct trace *trace = state;

	count(trace, lanes_get(&trace->lanes, process->id), false);
}

/* Before what is on it. Its own track has the name that it has then. */
static void put_track(struct trace *trace, struct lane *lane, const char *comm, uint32_t tgid)
{
	struct track track = { .uuid = lane->uuid, .parent = trace->root };

	if (trace->by_process ? lane->shown : !lanes_is_new(&trace->lanes, lane->number, false))
		return;
	lane->shown = true;
	if (trace->by_process) {
		track.parent = lane->parent ? lane->parent : trace->root;
		track.name = comm;
		track.number = tgid;
		track.order = ORDER_BY_TIME;
	} else {
		track.name = "slot";
		track.number = lane->number + 1;
		track.rank = (int)lane->number + 1;
	}
	packets_track(&trace->packets, &track);
}

/* It has a track, too, if a filter leaves it out and not those below: Perfetto drops what hangs on none. */
static void put_above(struct trace *trace, struct lane *lane, const struct proclife_process *process)
{
	struct lane *above = lane->above ? lanes_get(&trace->lanes, lane->above) : NULL;

	if (lane->below || lane->wanted)
		put_track(trace, lane, process->comm, process->tgid);
	if (!above)
		return;
	above->below--;
	above->wanted |= lane->shown;
}

static void forget(void *state, const struct proclife_process *process)
{
	struct trace *trace = state;
	struct lane *lane = lanes_get(&trace->lanes, process->id);

	if (!lane)
		return;
	if (!process->outlives)
		count(trace, lane, false);
	if (trace->by_process)
		put_above(trace, lane, process);
	packets_write(&trace->packets);
	lanes_remove(&trace->lanes, lane);
}

static void put_slice(struct trace *trace, uint64_t track, const char *name, uint64_t begin, uint64_t end)
{
	packets_begin(&trace->packets, begin, track, name, "phase");
	packets_end_event(&trace->packets);
	if (end)
		packets_end_slice(&trace->packets, end, track);
}

/* Its reaper has an arrow from its time as a zombie, if it is there, and there are few. */
static uint64_t flow_of(struct trace *trace, const struct proclife_process *process, struct lane **reaper)
{
	const struct run *run = trace->export->run;

	*reaper = lanes_get(&trace->lanes, process->reaper_id);
	if (!*reaper || process->reaper_id == process->id || trace->flows == MOST_FLOWS ||
	    filter_is_set(&run->options->filter) || run->from || run->to != UINT64_MAX)
		return 0;
	trace->flows++;
	return proclife_source_identity(run->source, process->tgid, process->start);
}

/* Since when a phase goes on at the end of the trace; 0: it does not. */
static uint64_t since(const struct life *life, enum proclife_phase phase)
{
	return life->known[phase] == PHASE_OPEN ? life->phases[phase] : 0;
}

/* If it is over, from @begin to @end. */
static void put_phase(struct trace *trace, const struct life *life, uint64_t track, enum proclife_phase phase,
		      uint64_t begin, uint64_t end)
{
	const char *name = proclife_phase_info(phase)->name;
	uint64_t ns;

	if (life_phase(life, phase, &ns))
		put_slice(trace, track, name, begin, end);
	else if (since(life, phase))
		put_slice(trace, track, name, since(life, phase), 0);
}

static void put_zombie(struct trace *trace, const struct life *life, const struct proclife_process *process,
		       uint64_t track)
{
	const struct proclife_marks *marks = &process->marks;
	struct lane *reaper = NULL;
	uint64_t ns, begin = since(life, PROCLIFE_ZOMBIE), flow;
	bool known = life_phase(life, PROCLIFE_ZOMBIE, &ns);

	if (!known && !begin)
		return;
	flow = known ? flow_of(trace, process, &reaper) : 0;
	packets_begin(&trace->packets, known ? marks->reaped - ns : begin, track, "zombie", "phase");
	if (flow)
		packets_flow(&trace->packets, flow, false);
	packets_end_event(&trace->packets);
	if (known)
		packets_end_slice(&trace->packets, marks->reaped, track);
	if (!flow)
		return;
	put_track(trace, reaper, process->reaper_comm, process->reaper_tgid);
	packets_instant(&trace->packets, marks->reaped, reaper->uuid, "reap", "reap");
	packets_flow(&trace->packets, flow, true);
	packets_note_uint(&trace->packets, "pid", process->tgid);
	packets_end_event(&trace->packets);
}

/* Parts of its birth, and of the end of its memory: one comes behind the other. */
static void put_lower(struct trace *trace, const struct life *life, const struct proclife_process *process,
		      const struct lane *lane)
{
	uint64_t track = lower_track(lane->uuid);
	const struct proclife_births *births = proclife_process_births(process);
	const struct proclife_memory *memory = &life->memory;
	const uint8_t *known = life->known;

	if (!(known[PROCLIFE_PHASE_FIRST_RUN] | known[PROCLIFE_PHASE_EXEC] | known[PROCLIFE_HELD] | known[PROCLIFE_UNMAP]))
		return;
	if (trace->by_process || lanes_is_new(&trace->lanes, lane->number, true))
		packets_track(&trace->packets, &(struct track){
			.uuid = track, .parent = lane->uuid, .name = "birth and memory",
		});
	if (births) {
		put_phase(trace, life, track, PROCLIFE_PHASE_FIRST_RUN, process->marks.born, births->started);
		put_phase(trace, life, track, PROCLIFE_PHASE_EXEC, births->execing, births->execed);
	}
	put_phase(trace, life, track, PROCLIFE_HELD, memory->left, memory->teardown);
	put_phase(trace, life, track, PROCLIFE_UNMAP, memory->teardown, memory->gone);
}

/* What comes after its life. */
static void put_phases(struct trace *trace, const struct life *life, const struct proclife_process *process,
		       const struct lane *lane)
{
	const struct proclife_marks *marks = &process->marks;
	uint64_t track = lane->uuid;

	put_phase(trace, life, track, PROCLIFE_TEARDOWN, marks->exited, proclife_process_announced(process));
	put_phase(trace, life, track, PROCLIFE_TRACED, life->tracer.ts, marks->notified);
	put_zombie(trace, life, process, track);
	put_phase(trace, life, track, PROCLIFE_RCU_FREE, marks->reaped, marks->freed);
}

/* The end of its slice; 0: it goes on. */
static uint64_t end_of(const struct trace *trace, const struct proclife_process *process)
{
	uint64_t end = process_last_lived(process);

	if (end)
		return end;
	return process->outlives ? 0 : proclife_source_horizon(trace->export->run->source);
}

static void add_life(void *state, const struct life *life, const struct proclife_process *process)
{
	struct trace *trace = state;
	struct lane *lane = lanes_get(&trace->lanes, process->id);
	uint64_t end = end_of(trace, process);
	struct packets *packets = &trace->packets;

	if (!lane)
		return;
	put_track(trace, lane, process->comm, process->tgid);
	packets_begin(packets, process->seen, lane->uuid, process->comm, "process");
	if (!life->ended || life_failed(life))
		packets_category(packets, life->ended ? "failed" : "open");
	perfetto_notes(packets, life);
	packets_end_event(packets);
	put_phase(trace, life, lane->uuid, PROCLIFE_KILL, life->killed, end);
	if (end)
		packets_end_slice(packets, end, lane->uuid);
	put_phases(trace, life, process, lane);
	put_lower(trace, life, process, lane);
	packets_write(packets);
}

static int begin(const struct export *export, void **state)
{
	const struct run *run = export->run;
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return -ENOMEM;
	*state = trace;
	trace->export = export;
	lanes_init(&trace->lanes);
	packets_init(&trace->packets, export->out);
	if (!run->options->export.output && isatty(STDOUT_FILENO)) {
		message("--export perfetto is not for a terminal: add --output FILE");
		return -ESRCH;
	}
	trace->by_process = run->options->export.tracks == TRACKS_PROCESSES;
	trace->root = own_uuid(trace, OWN_ROOT);
	trace->counter = own_uuid(trace, OWN_COUNTER);
	packets_clocks(&trace->packets, run);
	packets_track(&trace->packets, &(struct track){
		.uuid = trace->root, .name = "proclife",
		.order = trace->by_process ? ORDER_BY_TIME : ORDER_BY_RANK,
	});
	packets_track(&trace->packets, &(struct track){
		.uuid = trace->counter, .parent = trace->root, .name = "living processes", .counts = true,
	});
	packets_write(&trace->packets);
	return 0;
}

static void free_all(void *state)
{
	struct trace *trace = state;

	if (!trace)
		return;
	lanes_free(&trace->lanes);
	packets_free(&trace->packets);
	free(trace);
}

const struct export_format export_perfetto = {
	.format = { .name = "perfetto", .takes = GIVEN(TRACKS) },
	.begin = begin,
	.born = born,
	.linked = linked,
	.exited = exited,
	.life = add_life,
	.forget = forget,
	.free = free_all,
};
