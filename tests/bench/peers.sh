#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What it costs to read a recording, in proclife's format and in those of its peers, all of the same
# processes: recorded in a guest at the same time, read here.

usage='usage: tests/bench/peers.sh [OPTION...]
  --processes N  how many are recorded (100000)
  --rounds N     how often each is read (5)
  --smp N        CPUs of the guest (4)
  --keep DIR     leave the recordings in this folder
  --use DIR      read what --keep has left, instead of recording
Prints a table of the best of all rounds; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
# shellcheck source=tests/bench/exact/tools.sh
. "$tree/tests/bench/exact/tools.sh"

in_guest() {
	enter
	# Without record-cmd, since the events have all names: see exact/tools.sh.
	start_trace_cmd -O norecord-cmd "${life[@]}"
	start_perf "${perf_life[@]}"
	lttng_events+=(sched_process_free)
	begin_lttng
	observe proclife proclife-read --record recording
	await proclife test -s recording/metadata
	sleep 1
	"$programs/forest/forest" --truth truth --processes "$1" --progress || fail "forest: status $?"
	sleep 3
	dismiss proclife
	end_lttng
	dismiss perf
	dismiss trace-cmd
	cp -r recording lttng trace.dat perf.data truth /mnt/share/ || exit 1
}

# The readers, each of which prints all that it has read. The counts are those of their events.
readers=(proclife proclife_tree proclife_latency babeltrace_dummy babeltrace babeltrace_lttng trace_cmd perf_script)
declare -A title=(
	[proclife]='proclife-read' [proclife_tree]='proclife-read --tree'
	[proclife_latency]='proclife-read --latency' [babeltrace_dummy]='babeltrace2 -o dummy'
	[babeltrace]='babeltrace2' [babeltrace_lttng]='babeltrace2, of LTTng'
	[trace_cmd]='trace-cmd report' [perf_script]='perf script'
)
proclife() { timed "$B/proclife-read" --events -i recording; }
proclife_tree() { timed "$B/proclife-read" -i recording --tree; }
proclife_latency() { timed "$B/proclife-read" -i recording --latency; }
babeltrace_dummy() { timed babeltrace2 recording --output-format=dummy; }
babeltrace() { timed babeltrace2 recording; }
babeltrace_lttng() { timed babeltrace2 lttng; }
trace_cmd() { timed trace-cmd report -i trace.dat; }
perf_script() { timed perf script -i perf.data --ns --show-task-events; }

timed() {
	"$programs/usage" "$log" "$@" 2>errors || {
		cat errors >&2
		fail "$*: status $?"
	}
}

measure() {
	local round reader log count made
	declare -A count
	cd "$share" && rm -f -- *.usage || exit 1
	# Each record that is read, also those that are not printed: proclife's snapshot, which only babeltrace2
	# prints, and what perf and trace-cmd have beside the events that they were asked for.
	log=/dev/null
	count[proclife]=$(babeltrace | wc -l)
	count[babeltrace_lttng]=$(babeltrace_lttng | wc -l)
	count[trace_cmd]=$(trace_cmd | grep -c ': ')
	count[perf_script]=$(perf report --stats -i perf.data 2>/dev/null | awk '/TOTAL events:/ { print $3; exit }')
	for reader in "${readers[@]}"; do
		: "${count[$reader]:=${count[proclife]}}"
	done
	made=$("$programs/exact/judge" --head truth | awk 'NR == 1 { print $1 }') || exit
	for ((round = 0; round < rounds; round++)); do
		for reader in "${readers[@]}"; do
			log=$reader.usage
			$reader >/dev/null
		done
	done
	printf '%-24s %10s %12s %12s %12s %12s %10s\n' '' '' wall CPU wall CPU ''
	printf '%-24s %10s %12s %12s %12s %12s %10s\n' '' records us/process us/process ns/record ns/record 'peak MiB'
	for reader in "${readers[@]}"; do
		awk -v title="${title[$reader]}" -v records="${count[$reader]}" -v made="$made" '
			NR == 1 || $1 < wall { wall = $1 }
			NR == 1 || $2 + $3 < cpu { cpu = $2 + $3 }
			$4 > peak { peak = $4 }
			END {
				printf "%-24s %10d %12.2f %12.2f %12.1f %12.1f %10.1f\n", title, records,
					wall / made / 1e3, cpu / made / 1e3, wall / records, cpu / records, peak / 1024
			}' "$reader.usage"
	done
	printf '\n%s processes; the best of %s rounds; all output goes to /dev/null\n' "$made" "$rounds"
	printf 'Only those per process compare: the formats have different records for the same.\n'
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=100000 rounds=5 keep='' use=''
options 'processes rounds keep use' "$@"
if [[ $use ]]; then
	share=$use
else
	chosen=' lttng '
	fetch_peers
	boot $((600 + processes / 20)) "$processes"
	keep_share
fi
measure
