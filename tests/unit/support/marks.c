// SPDX-License-Identifier: GPL-2.0-only
#include "marks.h"

#include <string.h>

/* The address space of this process. */
static uint64_t mm_of(const struct who *who)
{
	return who->group + 0x1000;
}

struct proclife_record exiting_record(uint64_t ts, const struct who *who, const struct who *parent,
				      const struct who *tracer, int32_t code)
{
	struct proclife_record record = record_of(ts, PROCLIFE_EXITING, who);

	record.exiting = (struct proclife_exiting){
		.parent = parent->task,
		.tracer = tracer ? tracer->task : 0,
		.cgroup = 100 + who->pid,
		.parent_tgid = parent->tgid,
		.tracer_tgid = tracer ? tracer->tgid : 0,
		.exit_code = code,
	};
	if (who->flags & PROCLIFE_F_KTHREAD)
		return record;
	record.exiting.mm = mm_of(who);
	record.exiting.rss_anon = 100 * who->pid;
	record.exiting.rss_file = 10 * who->pid;
	record.exiting.rss_shmem = 7 * who->pid;
	record.exiting.mm_users = 1 + who->pid % 5;
	return record;
}

struct proclife_record mm_record(uint64_t ts, const struct who *who, uint32_t what,
				 const struct who *owner)
{
	struct proclife_record record = record_of(ts, PROCLIFE_MM, who);

	record.mm = (struct proclife_mm){ .mm = mm_of(owner), .what = what };
	if (what == PROCLIFE_MM_LEFT)
		record.mm.users = 1 + who->pid % 5;
	if (what == PROCLIFE_MM_GONE)
		return record;
	record.mm.rss_anon = 101 * owner->pid;
	record.mm.rss_file = 11 * owner->pid;
	record.mm.rss_shmem = 6 * owner->pid;
	record.mm.swap = 3 * owner->pid;
	record.mm.tables = owner->pid;
	record.mm.peak = 200 * owner->pid;
	return record;
}

struct proclife_record times_record(uint64_t ts, const struct who *who, uint32_t what, uint64_t runtime, uint64_t delay,
				    uint64_t nvcsw)
{
	struct proclife_record record = record_of(ts, PROCLIFE_TIMES, who);

	record.times = (struct proclife_times){
		.runtime = runtime, .delay = delay, .nvcsw = nvcsw, .nivcsw = nvcsw / 2,
		.read_bytes = 1000 * who->pid, .write_bytes = 10 * who->pid, .what = what,
	};
	return record;
}

struct proclife_record birth_record(uint64_t ts, const struct who *who, uint32_t what)
{
	struct proclife_record record = record_of(ts, PROCLIFE_BIRTH, who);

	record.birth.what = what;
	return record;
}

struct proclife_record failed_fork_record(uint64_t ts, const struct who *who, uint32_t error, uint32_t limit)
{
	struct proclife_record record = record_of(ts, PROCLIFE_FAIL, who);

	record.fail.what = PROCLIFE_FAIL_FORK;
	record.fail.error = error;
	record.fail.limit = limit;
	return record;
}

struct proclife_record failed_exec_record(uint64_t ts, const struct who *who, uint32_t error, const char *path)
{
	struct proclife_record record = record_of(ts, PROCLIFE_FAIL, who);
	size_t len = strlen(path), skipped = len > PROCLIFE_PATH_LEN ? len - PROCLIFE_PATH_LEN : 0;

	record.fail.what = PROCLIFE_FAIL_EXEC;
	record.fail.error = error;
	record.fail.path_len = (uint32_t)len;
	memcpy(record.fail.path, path + skipped, len - skipped);
	if (skipped)
		record.flags |= PROCLIFE_F_TRUNCATED;
	return record;
}

struct proclife_record coredump_record(uint64_t ts, const struct who *who, int signo)
{
	struct proclife_record record = record_of(ts, PROCLIFE_COREDUMP, who);

	record.coredump.signo = signo;
	return record;
}

struct proclife_record oom_record(uint64_t ts, const struct who *victim,
				  const struct who *allocator)
{
	struct proclife_record record = record_of(ts, PROCLIFE_OOM, victim);

	record.oom.allocator = allocator->task;
	record.oom.allocator_pid = allocator->pid;
	record.oom.allocator_tgid = allocator->tgid;
	strncpy(record.oom.allocator_comm, allocator->comm, PROCLIFE_COMM_LEN - 1);
	if (allocator->pid == allocator->tgid)
		strncpy(record.oom.allocator_group_comm, allocator->comm, PROCLIFE_COMM_LEN - 1);
	return record;
}

struct proclife_record cgroup_record(uint64_t ts, uint64_t cgroup, bool populated)
{
	return (struct proclife_record){
		.ts = ts,
		.type = PROCLIFE_CGROUP,
		.cgroup = { .cgroup = cgroup, .populated = populated },
	};
}

struct proclife_record freed_record(uint64_t ts, const struct who *who, const struct who *runner)
{
	struct proclife_record record = free_record(ts, who);

	record.flags |= PROCLIFE_F_IO;
	record.free.read_bytes = 1100 * who->pid;
	record.free.write_bytes = 11 * who->pid;
	record.free.runner = runner->task;
	record.free.runner_pid = runner->pid;
	record.free.users = 1 + runner->pid % 5;
	strncpy(record.free.runner_comm, runner->comm, PROCLIFE_COMM_LEN - 1);
	return record;
}

bool path_record(struct proclife_record *record, const struct who *who, uint32_t what, const char *text, uint32_t size)
{
	bool begins = record->type != PROCLIFE_PATH;
	uint32_t offset = begins ? 0 : record->path.offset + PROCLIFE_PATH_TEXT, left = size - offset;

	*record = record_of(0, PROCLIFE_PATH, who);
	record->path.what = (uint16_t)what;
	record->path.total = (uint16_t)size;
	record->path.offset = (uint16_t)offset;
	record->path.len = (uint16_t)(left < PROCLIFE_PATH_TEXT ? left : PROCLIFE_PATH_TEXT);
	record->path.searched = what == PROCLIFE_PATH_ENV ? 1000 : 0;
	if (record->path.len)
		memcpy(record->path.text, text + offset, record->path.len);
	return offset + record->path.len < size;
}

struct proclife_record suppressed_record(uint32_t what, uint64_t since, uint64_t count)
{
	return (struct proclife_record){
		.type = PROCLIFE_SUPPRESSED,
		.suppressed = { .what = what, .ended = count != 0, .since = since, .count = count },
	};
}
