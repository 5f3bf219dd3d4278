#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Who tells the exact story of a forest of processes? proclife and its peers, observing the same one
# in a guest, each judged by what the forest itself knows.

usage='usage: tests/bench/exact.sh [OPTION...]
  --processes N  how many the forest has (100000)
  --traced N     how many it has under strace (10000)
  --pid-max N    kernel.pid_max of the guest, so that pids are reused (3000)
  --smp N        CPUs of the guest (4)
  --only LIST    of these tools, with commas; they are named in tests/bench/exact/tools.sh
  --keep DIR     leave what was recorded in this folder
  --use DIR      judge what --keep has left, instead of recording
Prints a table; the exit status is 0 unless something cannot be run. JUDGE_FAULTS=N shows the first N
faults of each on standard error.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
# shellcheck source=tests/bench/exact/tools.sh
. "$tree/tests/bench/exact/tools.sh"

# All observe the same forest at the same time, but for strace: it stops each process, so it gets a
# forest of its own, in the same guest, which is smaller; and as many pids fewer, so that they are used
# as often. The first pids are never used again.
in_guest() {
	local processes=$1 traced=$2 pid_max=$3 tool at_once
	work_in_memory
	at_once=$(tr ' ' '\n' <<<"$4" | grep -vx strace)
	for tool in $at_once; do
		echo "starting $tool" >&2
		"begin_$tool"
	done
	# Only now, so that what they have for threads is none of the pids that are used again.
	echo "$pid_max" >/proc/sys/kernel/pid_max || exit 1
	echo "recording a forest of $processes processes" >&2
	"$programs/forest/forest" --truth truth --processes "$processes" --progress ||
		fail "forest: status $?"
	sleep 3 # for the frees that are still to come
	for tool in $at_once; do
		"end_$tool"
	done

	if [[ " $4 " = *' strace '* ]]; then
		pid_max=$((300 + (pid_max - 300) * traced / processes))
		echo $((pid_max > 500 ? pid_max : 500)) >/proc/sys/kernel/pid_max || exit 1
		echo "strace of a forest of $traced processes" >&2
		"${strace[@]}" "$programs/forest/forest" --truth truth.strace --processes "$traced" --progress ||
			fail "strace: status $?"
	fi
	clean_up
	cp -r . /mnt/share/ || exit 1
}

show() {
	local tool
	cd "$share" && set -o pipefail || exit 1
	"$programs/exact/judge" --head truth || exit
	for tool in $chosen; do
		[[ $tool = strace ]] || row truth "$tool"
	done
	if [[ " $chosen " = *' strace '* ]]; then
		row truth.strace strace ' *'
		printf '\n* of a forest of its own: '
		"$programs/exact/judge" --head truth.strace | sed -n '1p'
	fi
	printf '\n'
	"$programs/exact/judge" --legend
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=100000 traced=10000 pid_max=3000 only='' keep='' use=''
options 'processes traced pid-max only keep use' "$@"
chosen=$(tools_of "$only") || exit
if [[ $use ]]; then
	share=$use
else
	fetch_peers
	boot $((900 + (processes + traced) / 10)) "$processes" "$traced" "$pid_max" "$chosen"
	keep_share
fi
show
