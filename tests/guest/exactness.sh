#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Are proclife's records exact? Compares them with ftrace's, and with what each workload knows about
# itself. Runs in a guest, since it loads the module and changes kernel.pid_max.

usage='usage: tests/guest/exactness.sh [OPTION...] [WORKLOAD...]
  --build DIR      where the test programs are built (what B says, else build)
  --scale PERCENT  the size of the workloads (100)
  --pid-max N      the kernel.pid_max of the second round, in which pids are reused (400)
  --list           print the workloads
Runs the workloads (all of them) with plenty of pids, then again with few, and prints a line for each.
Exit status: 0 if all is exact, 1 if not, 129 usage.'

name=exactness
# shellcheck source=tests/truth/observe.sh
. "$(dirname "${BASH_SOURCE[0]}")/../truth/observe.sh"
scale=100 few=400
many=$(cat /proc/sys/kernel/pid_max)

say() { echo "exactness: $*"; }
fail() {
	echo "exactness: $1" >&2
	exit "$2"
}
is_number() { [[ $1 =~ ^[1-9][0-9]*$ ]]; }

# size N: N scaled, at least one.
size() { echo $((($1 * scale + 99) / 100)); }

# Each workload runs in a folder of its own, and sets the array `command`. Ours report how many
# processes and threads they made. For others, `least` is a lower bound: a stress-ng whose
# stressors die can end with status 0.
program() { command=("$workloads/$1" "${@:2}"); }

workload_build() {
	local i
	for ((i = 0; i < $(size 36); i++)); do
		printf '#include <stdio.h>\nint f%d(void);\nint f%d(void) { return puts("%d"); }\n' \
			"$i" "$i" "$i" >"f$i.c"
		printf 'int f%d(void);\n' "$i" >>main.c
	done
	{
		echo 'int main(void) { return'
		printf ' f%d() +' $(seq 0 $((i - 1)))
		echo ' 0; }'
	} >>main.c
	# shellcheck disable=SC2016 # make expands them
	printf '%s\n' 'OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))' \
		'program: $(OBJECTS)' '	gcc -o $@ $^' \
		'%.o: %.c' '	gcc -O1 -c -o $@ $<' >Makefile
	command=(make -s -j4)
	least=$((3 * i)) # gcc, cc1 and as
}

# stress STRESSOR OPERATIONS [ARG...]: each operation makes a process or thread, or more.
stress() {
	least=$(size "$2")
	command=(stress-ng --quiet --oomable --temp-path "$PWD" --timeout "$limit" --"$1" 2
		--"$1"-ops "$(size "$2")" "${@:3}")
}
workload_stress_fork() { stress fork 1500; }
workload_stress_vfork() { stress vfork 1500; }
workload_stress_clone() { stress clone 400 --clone-max 16; }
workload_stress_exec() {
	stress exec 100 --exec-max 8
	command=(setpriv --reuid 65534 --regid 65534 --clear-groups "${command[@]}") # not for root
}
workload_stress_pthread() { stress pthread 200 --pthread-max 24; }

workload_exec_thread() { program exec_thread "$(size 60)" 6; }
workload_exec_names() { program exec_names "$(size 40)"; }
workload_leader_first() { program leader_first "$(size 700)"; }
workload_sigchld_ignored() { program sigchld_ignored "$(size 2400)"; }
workload_daemon() { program daemon "$(size 1200)"; }
workload_clone_parent() { program clone_parent "$(size 900)"; }
workload_io_uring_worker() { program io_uring_worker "$(size 8)"; }
# As many at once as the pids allow.
workload_kill_many() {
	if [[ $(cat /proc/sys/kernel/pid_max) -gt 2000 ]]; then
		program kill_many "$(size 1000)" 1
	else
		program kill_many 50 "$(size 50)"
	fi
}

# The time limit of the stressors, in seconds. Where pids are few, some never end.
limit=60 timeout=${EXACTNESS_TIMEOUT:-90}
ok=0 failed='' skipped='' reused=0
run() {
	local name=$1 label=$2 load="exactness: $2" command least=0 status said scarce=()
	rm -rf "${folder:?}"/* && mkdir -m 777 "$folder/work" && cd "$folder/work" || exit 1
	"workload_$name"
	# Where pids are few, a stressor counts failed attempts, too.
	[[ $label = "$name" ]] || least=$(((least + 9) / 10)) scarce=(--few "$pids")
	if [[ $least = 0 ]]; then set -- --told; else set -- --least "$least"; fi
	: >"$folder/told" && chmod 666 "$folder/told" && listen ftrace || exit 1
	# It ends once all descendants are freed; run kills a command that takes too long.
	TRUTH=$folder/told timeout -s INT $((timeout + 30)) proclife-read --record "$folder/recording" --quiet -- \
		"$workloads/run" "$timeout" "${command[@]}" </dev/null >"$folder/said" 2>&1
	status=$?
	cd / && hear || exit 1
	if [[ $status = 77 ]]; then
		echo "$load: skipped: it cannot run here"
		skipped+=" $label"
		return
	fi
	said=$(judge "$@" "${scarce[@]}")
	status=$?
	printf '%s\n' "$said"
	[[ $status != 0 || $label != exec_thread ]] || lies "$@" || status=1
	[[ $said != *' up to '* || $said = *' up to 1x'* ]] || reused=$((reused + 1))
	[[ $status = 0 ]] && ok=$((ok + 1)) && return
	tail -n 5 "$folder/said"
	failed+=" $label"
}

while [[ ${1:-} = --* ]]; do
	case $1 in
	--build | --scale | --pid-max) [[ $# -gt 1 ]] || fail "$1: needs an argument" 129 ;;
	esac
	case $1 in
	--build) build=$2 && shift 2 ;;
	--scale) is_number "$2" || fail "--scale $2: not a percentage" 129 && scale=$2 && shift 2 ;;
	--pid-max) is_number "$2" || fail "--pid-max $2: not a number" 129 && few=$2 && shift 2 ;;
	--list) declare -F | sed -n 's/.* workload_//p' && exit ;;
	--help) echo "$usage" && exit ;;
	*) fail "$1: not an option; see --help" 129 ;;
	esac
done

find_programs
# What ftrace sees of births are kprobes, which riscv64 refuses at the beginning of functions that it can trace.
births=1 && [[ $(uname -m) != riscv64 ]] || births=0
[[ -e /dev/proclife ]] || modprobe proclife "births=$births" || fail 'the module cannot be loaded' 1

if [[ $# = 0 ]]; then
	mapfile -t names < <(declare -F | sed -n 's/.* workload_//p')
else
	names=("$@")
	for name in "$@"; do
		declare -F "workload_$name" >/dev/null ||
			fail "$name: no such workload; see --list" 129
	done
fi

folder=$(mktemp -d /tmp/exactness.XXXXXX) && chmod 755 "$folder" || exit 1
trap 'echo "$many" >/proc/sys/kernel/pid_max; rm -rf "$folder"
	rmdir /sys/kernel/tracing/instances/proclife-truth' EXIT
for name in "${names[@]}"; do run "$name" "$name"; done
echo "$few" >/proc/sys/kernel/pid_max || fail "kernel.pid_max cannot be $few" 1
# The kernel does not reuse the first 300.
pids=$((few > 300 ? few - 300 : few))
reused=0 limit=20
for name in "${names[@]}"; do run "$name" "$name@$few"; done

say "$ok exact, $(wc -w <<<"$failed") not, $(wc -w <<<"$skipped") skipped${skipped:+:$skipped}"
[[ ! $failed ]] || fail "not exact:$failed" 1
[[ $ok != 0 ]] || fail 'none of them ran' 1
# A single workload can be too small for that.
[[ $reused != 0 || $# != 0 ]] || fail 'no pid was used again' 1
