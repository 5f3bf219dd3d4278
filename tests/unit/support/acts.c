// SPDX-License-Identifier: GPL-2.0-only
#include "acts.h"

#include "check.h"
#include "story.h"

#include <signal.h>
#include <string.h>

#define MOST 4096

static struct proclife_record planned[MOST];
static size_t plans;
uint32_t cpu;

void at(uint64_t us, struct proclife_record record)
{
	assert_true(plans < MOST);
	record.ts = (1000000 + us) * 1000;
	record.cpu = cpu;
	planned[plans++] = record;
}

void happen(void)
{
	while (plans) {
		size_t first = 0;

		for (size_t i = 1; i < plans; i++)
			first = planned[i].ts < planned[first].ts ? i : first;
		if (planned[first].ts > machine->now)
			machine->now = planned[first].ts;
		story_put_on(planned[first].cpu, planned[first]);
		memmove(&planned[first], &planned[first + 1], (--plans - first) * sizeof(*planned));
	}
}

void happen_and_sync(void)
{
	happen();
	story_sync();
}

void exists(const struct who *who, const struct who *parent, uint32_t uid, uint64_t cgroup)
{
	struct proclife_record record = task_record(0, who, parent);

	record.state.uid = uid;
	record.state.cgroup = cgroup;
	record.state.runtime = who->pid * 1000000ULL;
	record.state.utime = who->pid * 600000ULL;
	record.state.stime = who->pid * 300000ULL;
	story_put(record);
}

struct who born(uint64_t us, uint32_t pid, const struct who *parent, uint32_t uid,
		 uint64_t cgroup)
{
	struct who who = process_of_pid(pid, parent->comm);
	struct proclife_record record = fork_record(0, &who, parent);

	record.fork.uid = uid;
	record.fork.cgroup = cgroup;
	at(us, record);
	return who;
}

void execs_as(uint64_t us, struct who *who, uint32_t uid, const char *comm, const char *path,
	      const char *line)
{
	struct proclife_record record;
	size_t size = strlen(line) + 1;

	who->comm = comm;
	record = exec_record(0, who, who->pid, path);
	record.exec.uid = record.exec.euid = uid;
	at(us, record);
	if (size == 1)
		return;
	record = record_of(0, PROCLIFE_ARGS, who);
	assert_true(size <= PROCLIFE_ARGS_LEN);
	record.args.total = (uint32_t)size;
	record.args.len = (uint16_t)size;
	for (size_t i = 0; i < size; i++)
		record.args.text[i] = line[i] == ' ' ? '\0' : line[i];
	at(us + 1, record);
}

void execs(uint64_t us, struct who *who, const char *comm, const char *path, const char *line)
{
	execs_as(us, who, 1000, comm, path, line);
}

struct proclife_record exit_of(const struct who *who, const struct who *parent, int32_t code,
				      uint32_t live)
{
	struct proclife_record record = exit_record(0, who, code, live);

	record.exit.parent_tgid = parent->tgid;
	record.exit.runtime = (who->pid - 100) * 130000ULL;
	record.exit.utime = (who->pid - 100) * 80000ULL;
	record.exit.stime = (who->pid - 100) * 40000ULL;
	record.exit.min_flt = who->pid * 7;
	record.exit.maj_flt = who->pid % 10;
	record.exit.nvcsw = who->pid * 3;
	record.exit.nivcsw = who->pid * 2 + 1;
	if (!live)
		record.exit.max_rss = who->pid * 100;
	return record;
}

void exits(uint64_t us, const struct who *who, const struct who *parent, int32_t code)
{
	at(us, exit_of(who, parent, code, 0));
	at(us + who->pid, notify_record(0, who, parent));
}

void reaped(uint64_t us, const struct who *who, const struct who *reaper)
{
	struct proclife_record record = reap_record(0, who, reaper);

	record.reap.cgroup = who->pid == 240 ? 31 : who->pid == 290 ? 1 : 30;
	at(us, record);
}

void freed(uint64_t us, const struct who *who)
{
	struct proclife_record record = free_record(0, who);

	record.free.runtime = (who->pid - 100) * 131000ULL;
	record.free.utime = (who->pid - 100) * 80000ULL;
	record.free.stime = (who->pid - 100) * 41000ULL;
	record.flags |= PROCLIFE_F_IO;
	record.free.read_bytes = who->pid * 40960ULL;
	record.free.write_bytes = who->pid % 10 * 409600ULL;
	at(us, record);
}

void dies(uint64_t us, const struct who *who, const struct who *parent, int32_t code,
		 uint64_t zombie, uint64_t rcu)
{
	exits(us, who, parent, code);
	reaped(us + who->pid + zombie, who, parent);
	freed(us + who->pid + zombie + rcu, who);
}

void signals(uint64_t us, const struct who *target, int signo, const struct who *sender,
		    int32_t result)
{
	struct proclife_record record = signal_record(0, target, signo, sender);

	record.signal.result = result;
	at(us, record);
}

void waits(uint64_t us, const struct who *who, uint32_t wanted)
{
	struct proclife_record record = wait_record(0, who);

	record.wait.wanted = wanted;
	record.wait.what = wanted ? PROCLIFE_WAIT_PID : PROCLIFE_WAIT_ANY;
	at(us, record);
}
