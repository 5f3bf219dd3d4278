// SPDX-License-Identifier: GPL-2.0-only
/*
 * The promise of libproclife(3) and the ABI to compiled programs: members stay where they are,
 * and structures grow at their ends, if at all. Once this is released, lines are only ever added
 * here, and only the sizes of structures that may grow become larger.
 */
#include "check.h"

#include <proclife.h>
#include <string.h>

#define AT(type, member, at) \
	{ #type "." #member, offsetof(struct proclife_##type, member), at }
#define SIZE(type, size) { "sizeof " #type, sizeof(struct proclife_##type), size }

struct place {
	const char *what;
	size_t is;
	size_t was;
};

/* Where pointers have 64 bits. */
static const struct place places[] = {
	AT(gap, lost, 0), AT(gap, from, 8), AT(gap, to, 16), AT(gap, cpu, 24),
	AT(event, record, 0), AT(event, gap, 8),
	AT(fault, path, 0), AT(fault, text, 4352),
	AT(run_info, size, 0), AT(run_info, began, 8), AT(run_info, ended, 16),
	AT(run_info, command, 24), AT(run_info, command_creator, 28),
	AT(run_info, command_status, 32), AT(run_info, reason, 36), AT(run_info, uuid, 52),
	AT(run_info, complete, 68), AT(run_info, running, 69), AT(run_info, synced, 72),
	AT(run_info, records, 80), AT(run_info, lost, 88), AT(run_info, hostname, 96),
	AT(run_info, rcu, 168), AT(run_info, slice_of, 232), AT(run_info, part, 248), AT(run_info, parts, 252),
	AT(run_info, boot_id, 256),
	AT(damage, stream, 0), AT(damage, what, 24), AT(damage, at, 120), AT(damage, places, 128),
	AT(damage, lost, 136), AT(damage, from, 144), AT(damage, to, 152),
	AT(damage, estimated, 160), AT(damage, unread, 161),
	AT(recorder_counts, records, 0), AT(recorder_counts, lost, 8),
	AT(recorder_counts, bytes, 16),
	AT(marks, born, 0), AT(marks, exited, 8), AT(marks, notified, 16), AT(marks, reaped, 24),
	AT(marks, freed, 32),
	AT(task, handle, 0), AT(task, start, 8), AT(task, process, 16), AT(task, pid, 24),
	AT(task, tgid, 28), AT(task, flags, 32), AT(task, exit_code, 36), AT(task, leader, 40),
	AT(task, incomplete, 41), AT(task, exit_cpu, 42), AT(task, free_cpu, 44),
	AT(task, marks, 48), AT(task, runtime, 88), AT(task, utime, 96), AT(task, stime, 104),
	AT(task, min_flt, 112), AT(task, maj_flt, 120), AT(task, nvcsw, 128),
	AT(task, nivcsw, 136), AT(task, comm, 144), AT(task, reaper_comm, 160),
	AT(task, reaper_pid, 176), AT(task, reaper_tgid, 180), AT(task, seen, 184),
	AT(task, waited, 192), AT(task, reaper_waited, 200), AT(task, exiting, 208),
	AT(process, handle, 0), AT(process, start, 8), AT(process, tgid, 16),
	AT(process, flags, 20), AT(process, exit_code, 24), AT(process, threads, 28),
	AT(process, live, 32), AT(process, open, 36), AT(process, selected, 40),
	AT(process, incomplete, 41), AT(process, args_cut, 42), AT(process, matches, 43),
	AT(process, outlives, 44), AT(process, exit_cpu, 46),
	AT(process, marks, 48), AT(process, seen, 88), AT(process, max_rss, 96),
	AT(process, leader, 104), AT(process, comm, 112), AT(process, reaper_comm, 128),
	AT(process, reaper_pid, 144), AT(process, reaper_tgid, 148), AT(process, path, 152),
	AT(process, args, 160), AT(process, execed, 168), AT(process, id, 176),
	AT(process, parent_id, 184), AT(process, parent_tgid, 192),
	AT(process, creator_tgid, 196), AT(process, parent_comm, 200), AT(process, ns_pid, 216),
	AT(process, ns_inum, 220), AT(process, cgroup, 224), AT(process, uid, 232),
	AT(process, execs, 236), AT(process, runtime, 240), AT(process, utime, 248),
	AT(process, stime, 256), AT(process, min_flt, 264), AT(process, maj_flt, 272),
	AT(process, nvcsw, 280), AT(process, nivcsw, 288), AT(process, user, 296),
	AT(process, real_parent_tgid, 304), AT(process, args_bytes, 308),
	AT(process, free_cpu, 310), AT(process, leader_exited, 312), AT(process, exiting, 320),
	AT(process, reaper_id, 328), AT(process, reaper_waited, 336), AT(process, waited, 344),
	AT(process, notified_id, 352), AT(process, notified_tgid, 360), AT(process, autoreaped, 364),
	AT(process, reaper_named, 372), AT(process, ended_with_parent, 373),
	AT(process, script, 374), AT(process, by_fd, 375),
	AT(tracer, ts, 0), AT(tracer, id, 8), AT(tracer, tgid, 16), AT(tracer, comm, 20),
	AT(killer, ts, 0), AT(killer, task, 8), AT(killer, signo, 16), AT(killer, code, 20),
	AT(killer, pid, 24), AT(killer, tgid, 28), AT(killer, comm, 32), AT(killer, blocked, 48),
	AT(killer, named, 50), AT(killer, thread_comm, 51), AT(killer, flags, 68), AT(killer, cause, 72),
	AT(killer, oom_scope, 76), AT(killer, oom_cgroup, 80),
	AT(reports, size, 0), AT(reports, process_born, 8), AT(reports, process_gone, 16),
	AT(reports, task_gone, 24), AT(reports, process_linked, 32),
	AT(reports, process_exiting, 40), AT(reports, process_exited, 48),
	AT(usage, runtime, 0), AT(usage, utime, 8), AT(usage, stime, 16), AT(usage, min_flt, 24),
	AT(usage, maj_flt, 32), AT(usage, nvcsw, 40), AT(usage, nivcsw, 48),
	AT(field, member, 0), AT(field, name, 8), AT(field, ctf_name, 16), AT(field, kind, 24),
	AT(field, offset, 28), AT(field, size, 30), AT(field, only, 32),
	AT(bucket, first, 0), AT(bucket, last, 8), AT(bucket, count, 16),
	AT(latency_counts, lives, 0), AT(latency_counts, alive, 8),
	AT(latency_counts, unreaped, 16), AT(latency_counts, unfreed, 24),
	AT(latency_counts, unknown, 32), AT(latency_counts, incomplete, 40),
	AT(latency_counts, partial, 48), AT(latency_counts, failed, 56),
	AT(group, known, 0), AT(group, name, 1), AT(group, number, 24),
	AT(reaper, id, 0), AT(reaper, tgid, 8), AT(reaper, gone, 12), AT(reaper, comm, 13),
	AT(reaper, named, 29), AT(reaper, init, 30), AT(reaper, reaped, 32),
	AT(reaper, adopted, 40), AT(reaper, awaited, 48), AT(reaper, belated, 56),
	AT(reaper, ignored, 64), AT(reaper, zombies, 72), AT(reaper, oldest, 80),
	AT(reaper, zombie, 88), AT(reaper, born, 96), AT(reaper, runtime, 104),
	AT(reaper, coalesced, 112), AT(reaper, since, 120), AT(reaper, until, 128),
	AT(reaper, ended_with, 136),
	AT(common, cgroup, 0), AT(common, killer, 8), AT(common, ns_pid, 16),
	AT(common, ns_inum, 20), AT(common, uid, 24), AT(common, threads, 28), AT(common, failed_exec, 32),
	AT(failed_exec, ts, 0), AT(failed_exec, error, 8), AT(failed_exec, by_fd, 12), AT(failed_exec, path, 13),
	AT(node, parent, 0), AT(node, child, 8), AT(node, next, 16), AT(node, id, 24),
	AT(node, began, 32), AT(node, marks, 40), AT(node, runtime, 80), AT(node, max_rss, 88),
	AT(node, tgid, 92), AT(node, parent_tgid, 96), AT(node, creator_tgid, 100),
	AT(node, reaper_tgid, 104), AT(node, exit_code, 108), AT(node, comm, 112),
	AT(node, path, 120), AT(node, args, 128), AT(node, common, 136),
	AT(node, args_bytes, 144), AT(node, execs, 146), AT(node, flags, 148),
	AT(node, start, 152),
	/* What the module writes. */
	AT(record, ts, 0), AT(record, type, 8), AT(record, cpu, 10), AT(record, flags, 12),
	AT(record, task, 16), AT(record, start, 24), AT(record, pid, 32), AT(record, tgid, 36),
	AT(record, comm, 40), AT(record, words, 56),
	AT(reap, cgroup, 40), AT(reap, reaper_group_comm, 48), AT(reap, uid, 64), AT(reap, euid, 68),
	AT(free, runtime, 0), AT(free, utime, 8), AT(free, stime, 16), AT(free, runner, 24),
	AT(free, runner_pid, 32), AT(free, users, 36), AT(free, runner_comm, 40), AT(free, read_bytes, 56), AT(free, write_bytes, 64),
	AT(path, what, 0), AT(path, total, 2), AT(path, offset, 4), AT(path, len, 6), AT(path, searched, 8), AT(path, text, 12),
	AT(wait, wanted, 0), AT(wait, what, 4),
	AT(signal, sender, 0), AT(signal, sender_pid, 8), AT(signal, sender_tgid, 12),
	AT(signal, sender_comm, 16), AT(signal, signo, 32), AT(signal, code, 36),
	AT(signal, result, 40), AT(signal, to_group, 44), AT(signal, blocked, 48),
	AT(signal, cause, 52), AT(signal, sender_flags, 54), AT(signal, sender_group_comm, 56),
	AT(exiting, parent, 0), AT(exiting, tracer, 8), AT(exiting, mm, 16), AT(exiting, cgroup, 24),
	AT(exiting, rss_anon, 32), AT(exiting, rss_file, 40), AT(exiting, rss_shmem, 48),
	AT(exiting, parent_tgid, 56), AT(exiting, tracer_tgid, 60), AT(exiting, exit_code, 64),
	AT(exiting, mm_users, 68),
	AT(mm, mm, 0), AT(mm, what, 8), AT(mm, users, 12), AT(mm, rss_anon, 16), AT(mm, rss_file, 24),
	AT(mm, rss_shmem, 32), AT(mm, swap, 40), AT(mm, tables, 48), AT(mm, peak, 56),
	AT(coredump, signo, 0),
	AT(oom, allocator, 0), AT(oom, allocator_pid, 8), AT(oom, allocator_tgid, 12),
	AT(oom, allocator_comm, 16), AT(oom, cgroup, 32), AT(oom, allocator_group_comm, 40), AT(oom, scope, 56),
	AT(cgroup, cgroup, 0), AT(cgroup, populated, 8),
	AT(ring_ctl, reserve, 0), AT(ring_ctl, commit, 8), AT(ring_ctl, suppressing, 16),
	AT(header, magic, 0), AT(header, abi_version, 8), AT(header, abi_compatible, 12),
	AT(header, header_bytes, 16), AT(header, record_bytes, 20), AT(header, map_bytes, 24),
	AT(header, rings_offset, 32), AT(header, ring_stride, 40), AT(header, records_offset, 48),
	AT(header, records_per_ring, 56), AT(header, cpus, 64), AT(header, cpu_map_offset, 68),
	AT(header, generation, 72), AT(header, features, 80), AT(header, exit_mark, 88),
	AT(header, reap_source, 92), AT(header, reap_missed, 96), AT(header, to_boottime, 104),
	AT(header, to_realtime, 112), AT(header, loaded, 120), AT(header, init_pid_ns, 128),
	AT(header, args_bytes, 132), AT(header, mm_marks, 136), AT(header, hz, 140),
	AT(header, release, 144), AT(header, version, 208), AT(header, cgroup_leave, 224),
	AT(header, birth_marks, 228), AT(header, rss_error, 232), AT(header, marks_missed, 240),
	AT(header, types, 248), AT(header, counts_offset, 252), AT(header, suppressed_offset, 256),
	AT(header, path_marks, 260), AT(header, stopped, 264), AT(header, source, 272),
};

/* A new member has to be listed above as well: the last one ends here. */
static const struct place sizes[] = {
	SIZE(gap, 32), SIZE(event, 40), SIZE(fault, 4672), SIZE(run_info, 272), SIZE(keep, 24), SIZE(held, 24), SIZE(damage, 168),
	SIZE(recorder_counts, 24), SIZE(marks, 40), SIZE(task, 216), SIZE(process, 376),
	SIZE(killer, 88), SIZE(reports, 64), SIZE(usage, 56), SIZE(field, 40), SIZE(bucket, 24),
	SIZE(latency_counts, 72), SIZE(group, 32), SIZE(reaper, 144), SIZE(common, 40), SIZE(failed_exec, 72),
	SIZE(node, 160), SIZE(record, 128), SIZE(ring_ctl, 64), SIZE(header, 304),
};

static unsigned int count_moved(const struct place *place, size_t count)
{
	unsigned int moved = 0;

	for (; count--; place++) {
		if (place->is == place->was)
			continue;
		print_error("%s was %zu, and is %zu\n", place->what, place->was, place->is);
		moved++;
	}
	return moved;
}

static void test_layout(void **state)
{
	(void)state;
	if (sizeof(void *) != 8)
		skip();
	assert_int_equal(count_moved(places, sizeof(places) / sizeof(places[0])), 0);
	assert_int_equal(count_moved(sizes, sizeof(sizes) / sizeof(sizes[0])), 0);
}

/* A new member must not lie in the padding of an older program's structure. */
static void test_ends(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct proclife_run_info),
			 offsetof(struct proclife_run_info, boot_id) + PROCLIFE_UUID_BYTES);
	assert_int_equal(sizeof(struct proclife_reports),
			 offsetof(struct proclife_reports, process_over) + sizeof(void *));
}

#define VALUE(name, value) { #name, (size_t)PROCLIFE_##name, value }

/* Enumerators keep their values. How many there are is no promise: PROCLIFE_PHASES and so on. */
static const struct place values[] = {
	VALUE(NONE, 0), VALUE(FORK, 1), VALUE(EXEC, 2), VALUE(ARGS, 3), VALUE(RENAME, 4),
	VALUE(EXIT, 5), VALUE(REAP, 6), VALUE(FREE, 7), VALUE(WAIT, 8), VALUE(HANG, 9),
	VALUE(SIGNAL, 10), VALUE(TASK, 11), VALUE(SUPPRESSED, 12), VALUE(EXITING, 13), VALUE(MM, 14),
	VALUE(COREDUMP, 15), VALUE(OOM, 16), VALUE(CGROUP, 17), VALUE(PAST, 18), VALUE(NOTIFY, 19), VALUE(BIRTH, 20),
	VALUE(BIRTH_FORKING, 1), VALUE(BIRTH_STARTED, 2), VALUE(BIRTH_EXECING, 3), VALUE(BIRTH_PAST, 4),
	VALUE(HAS_BIRTH(PROCLIFE_BIRTH_PAST), 16),
	VALUE(FAIL, 21), VALUE(FAIL_FORK, 1), VALUE(FAIL_EXEC, 2),
	VALUE(PATH, 23), VALUE(PATH_EXE, 1), VALUE(PATH_CWD, 2), VALUE(PATH_ENV, 3), VALUE(HAS_PATH(PROCLIFE_PATH_ENV), 8),
	VALUE(LIMIT_NPROC, 1), VALUE(LIMIT_PIDS_MAX, 2), VALUE(LIMIT_PID_MAX, 3),
	VALUE(LIMIT_NO_INIT, 4),
	VALUE(TYPES, 32), /* the size of a ring's counts */
	VALUE(F_THREAD, 1), VALUE(F_KTHREAD, 2), VALUE(F_WORKER, 4), VALUE(F_GROUP_DEAD, 8),
	VALUE(F_TRUNCATED, 16), VALUE(F_EXITING, 32), VALUE(F_ZOMBIE, 64), VALUE(F_GROUP_EXIT, 128),
	VALUE(F_EXECING, 256), VALUE(F_SOFTIRQ, 512), VALUE(F_SOLE, 1024), VALUE(F_SHARES, 2048), VALUE(F_PEAK, 32768),
	VALUE(F_SCRIPT, 4096), VALUE(F_BY_FD, 8192), VALUE(F_TRACER, 16384), VALUE(F_AUTOREAP, 65536),
	VALUE(F_IO, 131072), VALUE(F_USER, 262144), VALUE(CAUSE_PARENT, 1), VALUE(CAUSE_NAMESPACE, 2),
	VALUE(CAUSE_TRACER, 3), VALUE(CAUSE_TERMINAL, 4), VALUE(OOM_GLOBAL, 1), VALUE(OOM_CGROUP, 2),
	VALUE(AUTOREAP_IGNORED, 1), VALUE(AUTOREAP_NOCLDWAIT, 2), VALUE(AUTOREAP_CLONE, 3), VALUE(AUTOREAP_UNKNOWN, 255),
	VALUE(WAIT_ANY, 1), VALUE(WAIT_PID, 2), VALUE(WAIT_GROUP, 3),
	VALUE(MM_LEFT, 1), VALUE(MM_ASYNC, 2), VALUE(MM_EARLY, 3), VALUE(MM_TEARDOWN, 4),
	VALUE(MM_GONE, 5), VALUE(HAS_MM(PROCLIFE_MM_GONE), 32),
	VALUE(EXIT_AFTER_MM, 1), VALUE(EXIT_BEFORE_MM, 2), VALUE(REAP_CGROUP_RELEASE, 1),
	VALUE(REAP_CGROUP_TASK_RELEASE, 2), VALUE(CGROUP_LEAVE_EXIT, 1),
	VALUE(CGROUP_LEAVE_SWITCH, 2),
	VALUE(ABI_VERSION, 3), VALUE(ABI_COMPATIBLE, 3),
	VALUE(IS_ALIVE, 0), VALUE(IS_DYING, 1), VALUE(IS_ZOMBIE, 2), VALUE(IS_UNFREED, 3), VALUE(IS_FREED, 4),
	VALUE(IS_UNKNOWN, 5),
	VALUE(FIELD_UINT, 0), VALUE(FIELD_INT, 1), VALUE(FIELD_BOOL, 2), VALUE(FIELD_FLAGS, 3),
	VALUE(FIELD_HANDLE, 4), VALUE(FIELD_TEXT, 5), VALUE(FIELD_WAIT_STATUS, 6),
	VALUE(FIELD_SIGNAL, 7), VALUE(FIELD_UTIME, 8), VALUE(FIELD_STIME, 9),
	VALUE(LIFE, 0), VALUE(KILL, 1), VALUE(TEARDOWN, 2), VALUE(HELD, 3), VALUE(UNMAP, 4),
	VALUE(TRACED, 5), VALUE(ZOMBIE, 6), VALUE(RCU_FREE, 7), VALUE(EXIT_FREE, 8),
	VALUE(PHASE_FORK, 9), VALUE(PHASE_FIRST_RUN, 10), VALUE(PHASE_EXEC, 11), VALUE(PHASE_SPAWN, 12),
	VALUE(BY_NOTHING, 0), VALUE(BY_COMM, 1), VALUE(BY_PARENT, 2), VALUE(BY_REAPER, 3),
	VALUE(BY_CGROUP, 4), VALUE(BY_CPU, 5), VALUE(BY_UID, 6),
	VALUE(COMM_LEN, 16), VALUE(PATH_LEN, 48), VALUE(ARGS_LEN, 64), VALUE(RELEASE_LEN, 64),
	VALUE(VERSION_LEN, 16), VALUE(HOST_LEN, 72), VALUE(REASON_LEN, 16), VALUE(RCU_LEN, 64),
	VALUE(UUID_BYTES, 16), VALUE(FIELD_NAME_LEN, 28),
};

static void test_values(void **state)
{
	(void)state;
	assert_int_equal(count_moved(values, sizeof(values) / sizeof(values[0])), 0);
}

static unsigned int bits_of(struct proclife_node node)
{
	uint16_t bits;

	memcpy(&bits, (char *)&node.flags + sizeof(node.flags), sizeof(bits));
	return bits;
}

static void test_bits(void **state)
{
	(void)state;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		skip();
	assert_int_equal(bits_of((struct proclife_node){ .args_cut = true }), 1);
	assert_int_equal(bits_of((struct proclife_node){ .older = true }), 2);
	assert_int_equal(bits_of((struct proclife_node){ .incomplete = true }), 4);
	assert_int_equal(bits_of((struct proclife_node){ .exited = true }), 8);
	assert_int_equal(bits_of((struct proclife_node){ .matches = true }), 16);
	assert_int_equal(bits_of((struct proclife_node){ .gone = true }), 32);
	assert_int_equal(bits_of((struct proclife_node){ .has_uid = true }), 64);
	assert_int_equal(bits_of((struct proclife_node){ .ended = true }), 128);
	assert_int_equal(bits_of((struct proclife_node){ .state = 15 }), 0xf00);
	assert_int_equal(bits_of((struct proclife_node){ .has_cpu = true }), 0x1000);
	assert_int_equal(bits_of((struct proclife_node){ .has_parent = true }), 0x2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
