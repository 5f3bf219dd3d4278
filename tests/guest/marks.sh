#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/marks.sh - which marks of a birth and a death this kernel has, where they come from, and whether they
# agree with other witnesses. Runs the tests and witnesses that compare them, and prints a line for each mark: is
# it in the header, the function or tracepoint, the witnesses, how many comparisons there were and how
# many of them differ. ASYNC needs let_go.ko in /mnt/share: see tests/scripts/marks.
# Exit status: 0 if each mark is there and was compared, and nothing differs or fails.
set -u
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
build=${B:-build}
[[ $build = /* ]] || build=$tree/$build
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT || exit 1
export B=$build PROCLIFE_COMPARED=$folder/compared
: >"$PROCLIFE_COMPARED"
status=0

# By tests/guest/without_module, programs are pinned in place of the module.
unload() { [[ ! -e /sys/module/proclife && ! -e /sys/fs/bpf/proclife ]] || rmmod proclife; }

# try NAME COMMAND...: shows its output if it fails. It can then leave its processes and the module behind,
# which would be in the way of the next one.
try() {
	"${@:2}" >"$folder/said" 2>&1 && return
	echo "marks: $1 failed:" && cat "$folder/said" && status=1
	pkill -KILL -x "${1:0:15}"
	sleep 1
	unload
}

for name in memory rss early coredump marks cgroup births failures times; do
	try "test_$name" "$build/tests/guest/test_$name"
done
try witness "$tree/tests/guest/witness.sh" own orphans
try exactness "$tree/tests/guest/exactness.sh" --build "$build" --scale 20 stress_fork stress_vfork stress_exec exec_thread
if [[ -e /mnt/share/let_go.ko ]]; then
	try async "$tree/tests/hook/async"
else
	echo 'marks: /mnt/share/let_go.ko is not built: nothing is compared of ASYNC'
fi

unload || exit 1
modprobe proclife cgroups=1 births=1 failures=1 times=1 || exit 1
proclife-read --status --json >"$folder/status" || exit 1
# A kprobe is here if it is one of ftrace's, else in the other file.
hooked=" $(awk '{ print $1 }' /sys/kernel/tracing/enabled_functions | tr '\n' ' ')"
hooked+="$(awk '{ sub(/\+.*/, "", $3); print $3 }' /sys/kernel/debug/kprobes/list 2>/dev/null | tr '\n' ' ')"

# present RECORD [WHAT]: does the header have this type, and this kind of MM or BIRTH?
present() {
	grep -q "\"record\":\"$1\",\"present\":true" "$folder/status" || return
	[[ $# == 1 ]] || grep -q "\"$1_marks\":\[[^]]*\"$2\"" "$folder/status"
}

# where NAME...: the first one that this kernel has hooked, or that is a tracepoint (with a colon).
where() {
	local name
	for name; do
		case $name in
		*:*) [[ -e /sys/kernel/tracing/events/${name/://} ]] && echo "$name" && return ;;
		*) [[ $hooked = *" $name "* ]] && echo "$name()" && return ;;
		esac
	done
	echo nowhere
}

line() { printf '%-14s %-7s %-30s %-30s %8s %6s\n' "$@"; }

# row MARK 'RECORD [WHAT]' NAME...
row() {
	local present=yes where witnesses compared differ part
	where=$(where "${@:3}")
	# shellcheck disable=SC2086 # one word or two
	present $2 || present=no
	IFS=$'\t' read -r witnesses compared differ < <(awk -F '\t' -v "mark=$1" '
		$1 == mark {
			if ($3 && !seen[$2]++)
				witnesses = witnesses (witnesses ? ", " : "") $2
			compared += $3
			differ += $4
		}
		END { printf "%s\t%d\t%d\n", witnesses ? witnesses : "nobody", compared, differ }' \
		"$PROCLIFE_COMPARED")
	[[ $present == yes && $where != nowhere && $compared != 0 && $differ == 0 ]] || status=1
	mapfile -t witnesses < <(fold -s -w 30 <<<"$witnesses")
	line "$1" "$present" "$where" "${witnesses[0]}" "$compared" "$differ"
	for part in "${witnesses[@]:1}"; do printf '%-53s %s\n' '' "$part"; done
}

echo "marks: $(uname -r)"
line mark present where 'compared with' compared differ
row FORKING 'birth forking' copy_process
row STARTED 'birth started' schedule_tail
row EXECING 'birth execing' alloc_bprm
if [[ $(uname -m) == riscv64 ]]; then
	echo 'FAIL           no      this kernel lets no return of a function be hooked that it can trace'
else
	row 'FAIL, fork' fail copy_process
	row 'FAIL, exec' fail __x64_sys_execve __arm64_sys_execve sys_execve
fi
row TIMES times do_exit
row 'TIMES, waiting' times do_exit
row 'TIMES, blocked' times do_exit
row 'TIMES, on CPU' times do_exit
row EXITING exiting do_exit
row 'MM LEFT' 'mm left' exit_mm_release mm_exit_exec_release futex_exit_exec_release
row 'MM ASYNC' 'mm async' mmput_async
row 'MM EARLY' 'mm early' __oom_reap_task_mm
row 'MM TEARDOWN' 'mm teardown' exit_mmap
row 'MM GONE' 'mm gone' mm_put_huge_zero_page mmap:exit_mmap
row COREDUMP coredump vfs_coredump do_coredump
row OOM oom oom:mark_victim
row tracer exiting do_exit
row 'parent at exit' exiting do_exit
row FREE.runner free sched:sched_process_free
row FREE.softirq free sched:sched_process_free
row FREE.users free sched:sched_process_free
row CGROUP cgroup cgroup:cgroup_notify_populated
row SIGNAL.blocked signal signal:signal_generate
rmmod proclife || status=1
[[ $status == 0 ]] && echo 'marks: all there, all compared, nothing differs'
exit $status
