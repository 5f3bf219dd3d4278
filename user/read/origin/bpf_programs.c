// SPDX-License-Identifier: GPL-2.0-only
#include "origin/bpf_programs.h"
#include <bpf/btf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct btf_type *proto_of(const struct btf *btf, const char *tracepoint)
{
	const struct btf_type *type;
	char name[128];
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type); /* a pointer to it */
	return btf__type_by_id(btf, type->type);
}

static bool has_member(const struct btf *btf, const char *name, const char *member)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	int i;

	for (i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member))
			return true;
	return false;
}

/* The first argument of the tracepoint, after the one that each has, is a task; in older kernels, its number. */
static bool victim_is_task(const struct btf *btf)
{
	const struct btf_type *proto = proto_of(btf, "mark_victim");

	return proto && btf_vlen(proto) > 1 &&
	       btf_is_ptr(btf__type_by_id(btf, btf_params(proto)[1].type));
}

static bool victim_is_number(const struct btf *btf)
{
	return !victim_is_task(btf);
}

static bool gone_has_no_tracepoint(const struct btf *btf)
{
	return !proto_of(btf, "exit_mmap");
}

#define WISH(name) .wanted = offsetof(struct source_options, name)
#define FEATURE(type) .feature = PROCLIFE_HAS(PROCLIFE_##type)
#define MM(what) FEATURE(MM), .mm_mark = PROCLIFE_HAS_MM(PROCLIFE_MM_##what), WISH(memory)
#define BIRTH(what) FEATURE(BIRTH), .birth_mark = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_##what), WISH(births)
#define SYSTEM_CALL(...) .functions = { __VA_ARGS__ }, .arguments = 1, FEATURE(FAIL), WISH(failures)
#define ROW(name_, ring_, ...) { .name = #name_, .ring = PROCLIFE_BPF_##ring_, __VA_ARGS__ }

static const struct bpf_row rows[] = {
	ROW(on_free, FREE, .tracepoint = "sched_process_free", FEATURE(FREE), .required = true),
	ROW(on_exit, EXIT, .tracepoint = "sched_process_exit", FEATURE(EXIT), .required = true),
	ROW(on_reap, REAP, .functions = { "cgroup_task_release", "cgroup_release" }, FEATURE(REAP), WISH(reap)),
	ROW(on_notify, NOTIFY, .functions = { "do_notify_parent" }, FEATURE(NOTIFY), WISH(reap)),
	ROW(on_gone, GONE, .tracepoint = "exit_mmap", MM(GONE)),
	ROW(on_gone_5, GONE, .functions = { "mm_put_huge_zero_page" }, MM(GONE), .fits = gone_has_no_tracepoint),
	ROW(on_teardown, TEARDOWN, .functions = { "exit_mmap" }, MM(TEARDOWN)),
	ROW(on_early, EARLY, .functions = { "__oom_reap_task_mm" }, MM(EARLY)),
	ROW(on_async, ASYNC, .functions = { "mmput_async" }, MM(ASYNC)),
	ROW(on_left, LEFT, .functions = { "exit_mm_release", "mm_exit_exec_release", "futex_exit_exec_release" },
	    MM(LEFT)),
	ROW(on_exiting, EXITING, .functions = { "do_exit" }, FEATURE(EXITING), WISH(exiting)),
	ROW(on_coredump, COREDUMP, .functions = { "vfs_coredump", "do_coredump" }, FEATURE(COREDUMP), WISH(exiting)),
	ROW(on_exec, EXEC, .tracepoint = "sched_process_exec", FEATURE(EXEC)),
	ROW(on_args, ARGS, .tracepoint = "sched_process_exec", FEATURE(ARGS)),
	ROW(on_paths, PATHS, .tracepoint = "sched_process_exec", FEATURE(PATH), WISH(paths),
	    .path_marks = PROCLIFE_HAS_PATH(PROCLIFE_PATH_EXE) | PROCLIFE_HAS_PATH(PROCLIFE_PATH_CWD)),
	ROW(on_env, ENV, .tracepoint = "sched_process_exec", FEATURE(PATH),
	    .path_marks = PROCLIFE_HAS_PATH(PROCLIFE_PATH_ENV)),
	ROW(on_execing, EXECING, .functions = { "alloc_bprm" }, BIRTH(EXECING)),
	ROW(on_rename, RENAME, .tracepoint = "task_rename", FEATURE(RENAME)),
	ROW(on_wait, WAIT, .tracepoint = "sched_process_wait", FEATURE(WAIT), WISH(waits)),
	ROW(on_out_of_memory, OOM, .functions = { "out_of_memory" }, WISH(memory)),
	ROW(on_victim, OOM, .tracepoint = "mark_victim", FEATURE(OOM), .fits = victim_is_task),
	ROW(on_victim_marked, OOM, .functions = { "mark_oom_victim" }, FEATURE(OOM), .fits = victim_is_number),
	ROW(on_cgroup, CGROUP, .tracepoint = "cgroup_notify_populated", FEATURE(CGROUP), WISH(cgroups)),
	ROW(on_hang, HANG, .tracepoint = "sched_process_hang", FEATURE(HANG)),
	ROW(on_signal, SIGNAL, .tracepoint = "signal_generate", FEATURE(SIGNAL), WISH(signals)),
	ROW(on_started, STARTED, .functions = { "schedule_tail" }, BIRTH(STARTED)),
	ROW(on_forking, FORKING, .functions = { "copy_process" }, BIRTH(FORKING)),
	ROW(on_no_pid, FAIL_FORK, .functions = { "alloc_pid" }, .arguments = 3, WISH(failures)),
	ROW(on_pids_refuse, FAIL_FORK, .functions = { "pids_can_fork" }, .arguments = 2, WISH(failures)),
	ROW(on_fork_failed, FAIL_FORK, .functions = { "copy_process" }, .arguments = 4, FEATURE(FAIL), WISH(failures)),
	ROW(on_execve_failed, FAIL_EXECVE, SYSTEM_CALL("__x64_sys_execve", "__arm64_sys_execve")),
	ROW(on_execveat_failed, FAIL_EXECVEAT, SYSTEM_CALL("__x64_sys_execveat", "__arm64_sys_execveat")),
	ROW(on_execve_32_failed, FAIL_EXECVE_32, SYSTEM_CALL("__ia32_compat_sys_execve", "__arm64_compat_sys_execve")),
	ROW(on_execveat_32_failed, FAIL_EXECVEAT_32,
	    SYSTEM_CALL("__ia32_compat_sys_execveat", "__arm64_compat_sys_execveat")),
	ROW(on_fork, FORK, .tracepoint = "task_newtask", FEATURE(FORK), .required = true),
};

const struct bpf_row *bpf_row(unsigned int index)
{
	return index < sizeof(rows) / sizeof(*rows) ? &rows[index] : NULL;
}

const char *bpf_function(const struct bpf_row *row, const struct btf *btf)
{
	unsigned int i;

	for (i = 0; i < 3 && row->functions[i]; i++)
		if (btf__find_by_name_kind(btf, row->functions[i], BTF_KIND_FUNC) > 0)
			return row->functions[i];
	return NULL;
}

/* Otherwise the program would take an argument for what the function returns. */
static bool has_arguments(const struct btf *btf, const char *function, uint32_t count)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	return btf_vlen(btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type)) == count;
}

bool bpf_row_fits(const struct bpf_row *row, const struct btf *btf)
{
	const char *function;

	if (row->fits && !row->fits(btf))
		return false;
	if (row->tracepoint)
		return proto_of(btf, row->tracepoint) != NULL;
	function = bpf_function(row, btf);
	return function && (!row->arguments || has_arguments(btf, function, row->arguments));
}

void bpf_ask_kernel(struct bpf_kernel *kernel, const struct btf *btf)
{
	const struct btf_type *exits = proto_of(btf, "sched_process_exit");
	int id = btf__find_by_name_kind(btf, "mm_rss_stat", BTF_KIND_STRUCT);

	*kernel = (struct bpf_kernel){
		.exit_has_group_dead = exits && btf_vlen(exits) > 2,
		.leaves_cgroup_at_switch = btf__find_by_name_kind(btf, "cgroup_task_release", BTF_KIND_FUNC) > 0,
		.has_user_workers = has_member(btf, "kernel_clone_args", "user_worker"),
		.rss_is_percpu = id < 0,
		/* The function is inline, and BTF has it only if the compiler kept a copy; the variable is with it. */
		.counts_disabling = btf__find_by_name_kind(btf, "local_interrupt_disable", BTF_KIND_FUNC) > 0 ||
				    btf__find_by_name_kind(btf, "local_interrupt_disable_state", BTF_KIND_VAR) > 0,
		.has_run_delay = has_member(btf, "sched_info", "run_delay"),
	};
}
