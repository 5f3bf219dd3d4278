/* SPDX-License-Identifier: GPL-2.0-only */
/* The last deaths, with all that is known of them; what comes after an exit is added to it. */
#ifndef READ_DEATHS_H
#define READ_DEATHS_H

#include "views/share/alone.h"
#include "views/share/life.h"
#include "views/share/id_table.h"
#include "views/views.h"

#define MOST_DEATHS 5000
#define MOST_ANCESTORS 32

struct ancestor {
	uint32_t tgid;
	char comm[PROCLIFE_COMM_LEN];
};

/* One of them; kept as long as something holds it. */
struct kept_death {
	struct life *life;
	const struct proclife_process *process; /* NULL: no more will be known of it */
	char *cgroup; /* its path then, or NULL */
	struct ancestor *ancestors; /* the parent by birth first, as they were named then */
	unsigned int ancestor_count;
	unsigned int holders;
};

struct deaths {
	struct run *run;
	struct alone *alone;
	struct id_table dead; /* those that are not gone yet */
	struct kept_death *ring[MOST_DEATHS];
	uint64_t count; /* of all so far */
	uint64_t lost;	/* those whose end was lost: it is not known when they died */
};

/* Call it before the first event. Returns 0 or a negative errno. */
int deaths_begin(struct deaths *deaths, struct run *run);
void deaths_free(struct deaths *deaths);

/* The newest is 0; NULL after the oldest that is kept. */
struct kept_death *deaths_get(const struct deaths *deaths, uint64_t back);
/* Its life, with what is known by now. */
const struct life *death_life(struct kept_death *kept);
void death_hold(struct kept_death *kept);
void death_release(struct kept_death *kept);

#endif
