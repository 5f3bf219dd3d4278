/* SPDX-License-Identifier: GPL-2.0-only */
/* --live: a screen of what ends on this machine, or in a recording, with keys. */
#ifndef READ_LIVE_H
#define READ_LIVE_H

#include "stage.h"
#include "views/views.h"

struct live;

/* What a moment is in a trace, or in a recording. */
typedef uint64_t live_moment(const struct run *run, const struct proclife_run_info *replay,
			     const struct moment *moment);

/* NULL after a message: there is no terminal for it. */
struct live *live_new(const struct options *options, live_moment *moment);
void live_free(struct live *live);
/* Where views print to for it. */
const struct screen *live_screen(const struct live *live);

/*
 * Another session begins: before its first event. @replay: its recording, or NULL. Returns 0 or a negative
 * errno.
 */
int live_attach(struct live *live, struct run *run, const struct proclife_run_info *replay);
/* Makes the terminal a screen, if it is none. False after a message. */
bool live_begin(struct live *live);

/* For a recording: has the time of this event come? */
bool live_is_due(struct live *live, uint64_t ts);
/* There is no more to read, up to this time. */
void live_at_end(struct live *live, uint64_t ts);
/* Takes keys, and draws if it is time to. False: it ends. */
bool live_poll(struct live *live);
/* For poll(2). */
void live_fds(const struct live *live, int fds[2]);
/* It ended in order to read the recording again, from an earlier time on. */
bool live_restarts(struct live *live);

extern const struct stage live_stage;

#endif
