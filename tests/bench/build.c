// SPDX-License-Identifier: GPL-2.0-only
#include "build.h"

#include <tests/unit/support/check.h>

#include <stdio.h>

#define FILES_IN_FOLDER 200
#define MS 1000000

static void put(struct build *build, struct proclife_record record)
{
	build->now += 1000 + random_below(&build->random, 20000);
	record.ts = build->now;
	build->put(build->data, record);
}

static struct who begin(struct build *build, const struct who *parent, const char *comm,
			const char *path)
{
	struct who who;

	build->pid = build->pid == 32767 ? 300 : build->pid + 1;
	who = process_of_pid(build->pid, parent->comm);
	put(build, fork_record(0, &who, parent));
	who.comm = comm;
	put(build, exec_record(0, &who, who.pid, path));
	return who;
}

/* Works for about so long, and is gone. */
static void end(struct build *build, const struct who *who, const struct who *parent, int32_t code,
		uint64_t about)
{
	struct proclife_record record = exit_record(0, who, code, 0);
	uint64_t work = about / 2 + random_below(&build->random, about);

	build->now += work;
	record.exit.runtime = work;
	record.exit.utime = work * 3 / 4;
	record.exit.stime = work / 4;
	record.exit.max_rss = 1500 + work / 4000;
	put(build, record);
	put(build, reap_record(0, who, parent));
	record = free_record(0, who);
	record.free.runtime = work;
	put(build, record);
}

static void compile(struct build *build, const struct who *make)
{
	struct who sh = begin(build, make, "sh", "/bin/sh");
	struct who gcc = begin(build, &sh, "gcc", "/usr/bin/gcc"), tool;
	/* One file in a thousand does not compile, one in a hundred is large. */
	bool bad = !random_below(&build->random, 1000);
	bool large = !random_below(&build->random, 100);

	tool = begin(build, &gcc, "cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1");
	end(build, &tool, &gcc, bad ? 1 << 8 : 0, large ? 900 * MS : 40 * MS);
	if (!bad) {
		tool = begin(build, &gcc, "as", "/usr/bin/as");
		end(build, &tool, &gcc, 0, 5 * MS);
	}
	end(build, &gcc, &sh, bad ? 1 << 8 : 0, MS / 2);
	if (!bad) {
		tool = begin(build, &sh, "mv", "/usr/bin/mv");
		end(build, &tool, &sh, 0, MS / 4);
	}
	end(build, &sh, make, bad ? 1 << 8 : 0, MS / 2);
}

static void link_folder(struct build *build, const struct who *make)
{
	struct who gcc = begin(build, make, "gcc", "/usr/bin/gcc");
	struct who collect = begin(build, &gcc, "collect2",
				   "/usr/lib/gcc/x86_64-linux-gnu/12/collect2");
	struct who ld = begin(build, &collect, "ld", "/usr/bin/ld");

	end(build, &ld, &collect, 0, 400 * MS);
	end(build, &collect, &gcc, 0, MS);
	end(build, &gcc, make, 0, MS);
}

void build_run(struct build *build)
{
	struct who shell = process_of_pid(299, "bash");
	struct who top = begin(build, &shell, "make", "/usr/bin/make");
	uint64_t file = 0;

	while (file < build->files) {
		struct who make = begin(build, &top, "make", "/usr/bin/make");

		for (int i = 0; i < FILES_IN_FOLDER && file < build->files; i++, file++)
			compile(build, &make);
		link_folder(build, &make);
		end(build, &make, &top, 0, 2 * MS);
	}
	end(build, &top, &shell, 0, 5 * MS);
}
