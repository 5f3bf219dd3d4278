#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Who tells the exact story of a forest of processes? proclife and its peers, observing the same one
# in a guest, each judged by what the forest itself knows.

usage='usage: tests/bench/exact.sh [OPTION...]
  --processes N  how many the forest has (100000)
  --traced N     how many it has under strace (10000)
  --pid-max N    kernel.pid_max of the guest, so that pids are reused (3000)
  --smp N        CPUs of the guest (4)
  --keep DIR     leave what was recorded in this folder
Prints a table; the exit status is 0 unless something cannot be run. JUDGE_FAULTS=1 shows the first
faults of each on standard error.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

# ftrace, perf and the proc connector observe the same forest as proclife does, at the same time.
# strace has to stop each process to look at it, so it gets a forest of its own, in the same guest,
# which is smaller; and as many pids fewer, so that they are used as often. The first pids are never
# used again.
in_guest() {
	local processes=$1 traced=$2 pid_max=$3
	enter
	echo "$pid_max" >/proc/sys/kernel/pid_max || exit 1

	start_trace_cmd "${life[@]}" task:task_rename
	start_perf dummy:u
	observe connector "$programs/exact/connector" connector.txt
	sleep 1
	echo "recording a forest of $processes processes" >&2
	proclife-read --tree --json -- "$programs/forest/forest" --truth truth \
		--processes "$processes" --progress >proclife.json || fail "proclife-read: status $?"
	sleep 3 # for the frees that are still to come
	dismiss connector
	dismiss perf
	dismiss trace-cmd

	pid_max=$((300 + (pid_max - 300) * traced / processes))
	echo $((pid_max > 500 ? pid_max : 500)) >/proc/sys/kernel/pid_max || exit 1
	echo "strace of a forest of $traced processes" >&2
	strace -f --seccomp-bpf -ttt -e trace=%process,prctl -e 'signal=!chld' -o strace.txt \
		"$programs/forest/forest" --truth truth.strace --processes "$traced" --progress ||
		fail "strace: status $?"
	cp truth truth.strace proclife.json connector.txt strace.txt trace.dat perf.data /mnt/share/ ||
		exit 1
}

# row TRUTH NAME FORMAT COMMAND...: the command prints what was observed.
row() {
	"${@:4}" 2>errors | "$programs/exact/judge" "$1" "$2" "$3" || {
		cat errors >&2
		fail "$4: its output cannot be judged"
	}
}

show() {
	cd "$share" && set -o pipefail || exit 1
	"$programs/exact/judge" truth || exit
	row truth proclife proclife cat proclife.json
	row truth ftrace trace-cmd trace-cmd report -t -i trace.dat
	row truth perf perf perf script -i perf.data --ns --show-task-events --show-lost-events
	row truth 'proc connector' connector cat connector.txt
	row truth.strace 'strace -f *' strace cat strace.txt
	printf '\n* of a forest of its own: '
	"$programs/exact/judge" truth.strace | sed -n '1p'
	cat <<-'END'

	processes  those of the forest that it tells of, and extra ones
	missed     processes of the forest that it does not tell of
	extra      processes that it tells of as the forest's and that there were not
	orphans    processes whose parent it does not know
	names      that are not the last one that the process had
	exits      processes of which it lacks the beginning or the end
	lost       events, by its own count
	-          it does not tell
	END
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=100000 traced=10000 pid_max=3000 keep=''
options 'processes traced pid-max keep' "$@"
boot $((600 + (processes + traced) / 20)) "$processes" "$traced" "$pid_max"
keep_share
show
