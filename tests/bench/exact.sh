#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Which tracer reports the exact story of a forest of processes? proclife and its peers observe the same one
# in a guest, each judged by what the forest itself knows.

usage='usage: tests/bench/exact.sh [OPTION...]
  --processes N  how many the forest has (100000)
  --apart N      how many it has for bcc (as many)
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

# All observe the same forest at the same time, but for two, which get forests of their own in the same
# guest. strace stops each process to look at it. exitsnoop's program returns 0, which makes the kernel skip
# the tracepoint for all others that use it through perf.
own_forest='bcc strace'

# grow TRUTH PROCESSES TOOL...: with pid_max scaled, so that pids are reused as often in a smaller forest. The
# first pids are never reused.
grow() {
	local truth=$1 n=$2 pids tool under=()
	shift 2
	for tool; do
		echo "starting $tool" >&2
		if [[ $tool = strace ]]; then
			under=("${strace[@]}")
		else
			"begin_$tool"
		fi
	done
	# Set after the observers have started, so that their threads have no pid that is reused.
	pids=$((300 + (pid_max - 300) * n / processes))
	echo $((pids > 500 ? pids : 500)) >/proc/sys/kernel/pid_max || exit 1
	echo "a forest of $n processes" >&2
	"${under[@]}" "$programs/forest/forest" --truth "$truth" --processes "$n" --progress ||
		fail "forest: status $?"
	# First, so that what starts from here on gets no pid of the forest's.
	echo 32768 >/proc/sys/kernel/pid_max
	sleep 3 # for the frees that are still to come
	for tool; do
		[[ $tool = strace ]] || "end_$tool"
	done
}

in_guest() {
	local processes=$1 pid_max=$4 tool together=()
	work_in_memory
	for tool in $5; do
		[[ " $own_forest " = *" $tool "* ]] || together+=("$tool")
	done
	[[ ${#together[@]} = 0 ]] || grow truth "$processes" "${together[@]}"
	[[ " $5 " != *' bcc '* ]] || grow truth.bcc "$2" bcc
	[[ " $5 " != *' strace '* ]] || grow truth.strace "$3" strace
	clean_up
	cp -r . /mnt/share/ || exit 1
}

show() {
	local tool mark='' notes=() truth
	cd "$share" && set -o pipefail || exit 1
	for truth in truth truth.bcc truth.strace; do
		[[ -e $truth ]] && break
	done
	"$programs/exact/judge" --head "$truth" || exit
	for tool in $chosen; do
		if [[ " $own_forest " = *" $tool "* && $truth != "truth.$tool" ]]; then
			mark+='*'
			row "truth.$tool" "$tool" " $mark"
			notes+=("$mark a forest of its own: $("$programs/exact/judge" --head "truth.$tool" |
				sed -n 1p)")
		else
			row "$truth" "$tool"
		fi
	done
	printf '\n'
	[[ ${#notes[@]} = 0 ]] || printf '%s\n' "${notes[@]}" ''
	"$programs/exact/judge" --legend
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=100000 apart='' traced=10000 pid_max=3000 only='' keep='' use=''
options 'processes apart traced pid-max only keep use' "$@"
chosen=$(tools_of "$only") || exit
if [[ $use ]]; then
	share=$use
else
	fetch_peers
	boot $((1800 + (processes + traced) / 10)) "$processes" "${apart:-$processes}" "$traced" "$pid_max" "$chosen"
	keep_share
fi
show
