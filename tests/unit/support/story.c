// SPDX-License-Identifier: GPL-2.0-only
#include "marks.h"
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_device *machine;
uint64_t story_ring = STORY_RING;
uint32_t story_cpus = 2;
uint64_t story_features = WITHOUT_EXITING;

static struct proclife_source *source;
static struct proclife_recorder *recorder;
static struct log passed;

void story_begin(const char *path)
{
	story_begin_on(path, "6.18", PROCLIFE_EXIT_BEFORE_MM);
}

void story_begin_on(const char *path, const char *release, uint32_t exit_mark)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1, .command_status = -1 };

	machine = fake_device_new(story_cpus, story_ring);
	fake_device_add_rings(machine);
	machine->header->features = story_features;
	machine->header->reap_source = PROCLIFE_REAP_CGROUP_RELEASE;
	machine->header->exit_mark = exit_mark;
	machine->header->mm_marks = PROCLIFE_HAS_MM(PROCLIFE_MM_LEFT) |
				    PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN) |
				    PROCLIFE_HAS_MM(PROCLIFE_MM_GONE);
	if (story_features & PROCLIFE_HAS(PROCLIFE_BIRTH))
		machine->header->birth_marks = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING) |
					       PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED) |
					       PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_EXECING);
	if (story_features & PROCLIFE_HAS(PROCLIFE_PATH))
		machine->header->path_marks = PROCLIFE_HAS_PATH(PROCLIFE_PATH_EXE) |
					      PROCLIFE_HAS_PATH(PROCLIFE_PATH_CWD) |
					      PROCLIFE_HAS_PATH(PROCLIFE_PATH_ENV);
	machine->header->cgroup_leave = PROCLIFE_CGROUP_LEAVE_EXIT;
	machine->header->rss_error = 256;
	memset(machine->header->release, 0, PROCLIFE_RELEASE_LEN);
	strcpy(machine->header->release, release);
	machine->now = 1000 * MS;
	source = fake_device_open(machine);
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), 0);
}

void story_sync(void)
{
	machine->now++;
	assert_int_equal(log_source(&passed, source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
}

void story_abandon(void)
{
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(machine);
	log_free(&passed);
	recorder = NULL;
	source = NULL;
	machine = NULL;
}

void story_end(void)
{
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 1, .command_status = -1, .reason = "signal",
	};

	if (!machine)
		return;
	run.ended = ++machine->now;
	assert_int_equal(log_source(&passed, source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	story_abandon();
}

int story_setup(void **state)
{
	recorded_setup(state);
	story_begin(folder.path);
	return 0;
}

int story_setup_exiting(void **state)
{
	int ret;

	story_features = PROCLIFE_KNOWN_TYPES;
	ret = story_setup(state);
	story_features = WITHOUT_EXITING;
	return ret;
}

int story_teardown(void **state)
{
	story_end();
	return recorded_teardown(state);
}

void story_put_on(uint32_t cpu, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(machine, cpu);

	record.ts = machine->now++;
	record.cpu = cpu;
	*slot = record;
	proclife_ring_commit(&machine->rings[cpu], record.type);
}

void story_put(struct proclife_record record)
{
	story_put_on(0, record);
}

struct who story_fork(const struct who *parent, uint32_t pid, const char *comm)
{
	struct who who = process_of_pid(pid, comm);

	story_put(fork_record(0, &who, parent));
	return who;
}

void story_exit(const struct who *who, const struct who *parent, int32_t code)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	record.exit.parent_tgid = parent->tgid;
	story_put(record);
	story_put(notify_record(0, who, parent));
}

void story_wait(const struct who *who)
{
	story_put(wait_record(0, who));
}

void story_reap(const struct who *who, const struct who *reaper)
{
	story_put(reap_record(0, who, reaper));
}

void story_live(const struct who *who, const struct who *parent, uint64_t life, uint64_t zombie,
		uint64_t rcu)
{
	story_put(fork_record(0, who, parent));
	machine->now += life;
	story_exit(who, parent, 0);
	machine->now += zombie;
	story_wait(parent);
	story_reap(who, parent);
	machine->now += rcu;
	story_put(free_record(0, who));
}

static void write_file(const char *path, const char *base, const char *lines)
{
	char name[2 * PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", path, base);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(lines, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

void story_args(const struct who *who, const char *text, size_t size)
{
	uint64_t offset;

	for (offset = 0; offset < size; offset += PROCLIFE_ARGS_LEN) {
		struct proclife_record record = record_of(0, PROCLIFE_ARGS, who);

		record.args.offset = (uint16_t)offset;
		record.args.total = (uint16_t)size;
		record.args.len = (uint16_t)(size - offset < PROCLIFE_ARGS_LEN ? size - offset :
					     PROCLIFE_ARGS_LEN);
		memcpy(record.args.text, text + offset, record.args.len);
		story_put(record);
	}
}

void story_at(uint64_t ms)
{
	machine->now = (1000 + ms) * MS;
}

void story_mm(uint64_t ms, const struct who *who, uint32_t what, const struct who *owner)
{
	struct proclife_record r = mm_record(0, who, what, owner);

	if (what == PROCLIFE_MM_LEFT)
		r.mm.users = 2;
	story_at(ms);
	story_put(r);
}

void story_die(const struct who *who, const struct who *parent, int32_t code, uint64_t cpu,
		uint32_t rss)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	record.exit.runtime = cpu;
	record.exit.max_rss = rss;
	record.exit.parent_tgid = parent->tgid;
	story_put(record);
	story_put(notify_record(0, who, parent));
}

void story_bury(const struct who *who, const struct who *parent)
{
	struct proclife_record record;

	story_put(reap_record(0, who, parent));
	record = free_record(0, who);
	record.free.runtime = 900 * MS; /* EXIT lacks what it uses afterwards */
	story_put(record);
}

void story_cgroups(const char *path, const char *lines)
{
	write_file(path, ".cgroups", lines);
}

void story_users(const char *path, const char *lines)
{
	write_file(path, ".users", lines);
}

void expect_output(bool errors, int status, const char *line, const char *text)
{
	struct output out = run_program(errors, 0, "%s", line);

	if (out.status != status || strcmp(out.text, text))
		fail_msg("%s: status %d:\n%s\ninstead of %d:\n%s", line, out.status, out.text,
			 status, text);
	free(out.text);
}
