#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Which tool loses what in a flood of processes, and reports it? Each tool alone, with one forest per rate.

usage='usage: tests/bench/flood.sh [OPTION...]
  --processes N  how many each forest has (20000)
  --rates LIST   of these rates, in processes a second, with commas (500,1000,2000,100000)
  --buffer N     KiB that each CPU has for those whose buffers can be set (4096)
  --readers HOW  which CPU time the tools get: "normal", or "idle": what the forest leaves, and a loop of nice
                 10 on each CPU, so that some always has something to do (normal)
  --smp N        CPUs of the guest (4)
  --only LIST    of these tools, with commas; they are named in tests/bench/exact/tools.sh
  --keep DIR     leave what was recorded in this folder
  --use DIR      judge what --keep has left, instead of recording
Prints a table, with the rate that was reached: no machine reaches the last one, and a tool that makes
processes wait holds it down. The exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
# shellcheck source=tests/bench/exact/tools.sh
. "$tree/tests/bench/exact/tools.sh"

loops=()
# From now on, all that the tool has started in user space runs at idle priority.
make_idle() {
	local pids=("${observer[@]}") pid cpu
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu nice -n 10 bash -c 'while :; do :; done' &
		loops+=($!)
	done
	for pid in "${observer[@]}"; do
		mapfile -t -O ${#pids[@]} pids < <(pgrep --parent "$pid")
	done
	for pid in "${pids[@]}" $(pidof lttng-consumerd); do
		chrt --all-tasks --idle --pid 0 "$pid" || exit 1
	done
}

in_guest() {
	local processes=$1 rates=$2 readers=$4 chosen=$5 work tool rate
	buffer_kib=$3
	set_buffers
	work_in_memory
	work=$PWD
	for tool in $chosen; do
		for rate in ${rates//,/ }; do
			mkdir "$tool.$rate" && cd "$tool.$rate" || exit 1
			echo "$tool: $processes processes, $rate a second" >&2
			[[ $tool = strace ]] || "begin_$tool"
			[[ $readers = normal || $tool = strace ]] || make_idle
			if [[ $tool = strace ]]; then
				"${strace[@]}" "$programs/forest/forest" --truth truth --processes "$processes" \
					--rate "$rate"
			else
				"$programs/forest/forest" --truth truth --processes "$processes" --rate "$rate"
			fi || fail "forest: status $?"
			[[ ${#loops[@]} = 0 ]] || { kill "${loops[@]}" && loops=(); }
			sleep 3 # for the frees that are still to come
			[[ $tool = strace ]] || "end_$tool"
			clean_up
			cd "$work" && cp -r "$tool.$rate" /mnt/share/ && rm -r "$tool.$rate" || exit 1
		done
	done
}

show() {
	local tool rate head reached
	cd "$share" && set -o pipefail || exit 1
	for tool in $chosen; do
		for rate in ${rates//,/ }; do
			cd "$share/$tool.$rate" || exit 1
			head=$("$programs/exact/judge" --head truth) || exit
			[[ $tool.$rate != "${chosen%% *}.${rates%%,*}" ]] || sed -n '3,4p' <<<"$head"
			reached=$(awk 'NR == 1 { printf "%.0f", $1 / $4 }' <<<"$head")
			row truth "$tool" " $reached/s"
		done
	done
	printf '\n%s processes for each row. N/s is the rate that was reached; those that were asked for: %s\n' \
		"$processes" "${rates//,/, }"
	"$programs/exact/judge" --legend
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=20000 rates=500,1000,2000,100000 buffer=4096 readers=normal only='' keep='' use=''
options 'processes rates buffer readers only keep use' "$@"
[[ $readers = normal || $readers = idle ]] || fail "--readers $readers: neither normal nor idle" 129
[[ $rates =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || fail "--rates $rates: not a list of numbers" 129
chosen=$(tools_of "$only") || exit
if [[ $use ]]; then
	share=$use
else
	fetch_peers
	boot 7200 "$processes" "$rates" "$buffer" "$readers" "$chosen"
	keep_share
fi
show
