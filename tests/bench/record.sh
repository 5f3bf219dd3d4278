#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How much of the machine a reader takes while every CPU forks as fast as it can, and what it loses.

usage='usage: tests/bench/record.sh [OPTION...]
  --processes N  how many are forked for each row (50000)
  --smp N        CPUs of the guest (4)
All buffers have 4 MiB for each CPU. Prints a table; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
# shellcheck source=tests/bench/exact/tools.sh
. "$tree/tests/bench/exact/tools.sh"

# What the last observer took: wall, user and system time, peak memory.
show_row() {
	local label=$1 lost=$2 used
	read -ra used < <(tail -n 1 usage)
	awk -v label="$label" -v processes="$processes" -v us="$us" -v lost="$lost" \
		-v cpu="$((used[1] + used[2]))" -v peak="${used[3]}" -v cpus="$(nproc)" 'BEGIN {
			printf "%-26s %11.0f %9s", label, processes / (us / 1e6), lost
			if (cpu)
				printf " %9.2f %% %12.1f %9.1f", cpu / (us * 10 * cpus),
					cpu / 1e3 / processes, peak / 1024
			print ""
		}'
}

# A loop on each CPU that does nothing but fork, exit and wait.
fork_all() {
	local began=${EPOCHREALTIME/./}
	"$programs/forest/forest" --plain --truth truth --processes "$processes" ||
		fail "forest: status $?"
	us=$((${EPOCHREALTIME/./} - began))
	sleep 3
}

# Of proclife-read's views, those that give their result at the end.
proclife_row() {
	observe proclife "${wrap[@]}" proclife-read "$@"
	sleep 4
	fork_all
	dismiss proclife
}

in_guest() {
	processes=$1
	local us lost option
	work_in_memory
	modprobe proclife ring_kb=$buffer_kib || exit 1
	wrap=("$programs/usage" usage) lttng_events+=(sched_process_free)
	printf '%-26s %11s %9s %11s %12s %9s\n' '' processes/s lost 'of all CPUs' 'µs/process' 'peak MiB'
	echo 0 0 0 0 >usage
	fork_all
	show_row nobody -

	proclife_row --record recording
	lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' proclife.log)
	show_row 'proclife-read --record' "$lost"
	sed -n 's/^proclife-read: recording: /  /p' proclife.log
	rm -r recording
	for view in latency tree; do
		proclife_row --$view --json
		lost=$(sed -n 's/.*"type":"end".*"lost":\([0-9]*\).*/\1/p' proclife.log)
		show_row "proclife-read --$view" "$lost"
	done

	for option in norecord-cmd record-cmd; do
		start_trace_cmd -O $option "${life[@]}"
		fork_all
		dismiss trace-cmd
		lost=$(awk '/overrun:|dropped events:/ { n += $NF } END { print n + 0 }' trace-cmd.log)
		show_row "trace-cmd, $option" "$lost"
		rm trace.dat
	done

	start_perf "${perf_life[@]}"
	fork_all
	dismiss perf
	lost=$(perf script -i perf.data --show-lost-events 2>/dev/null |
		awk '/PERF_RECORD_LOST/ { n += $NF } END { print n + 0 }')
	show_row 'perf record' "$lost"
	rm perf.data

	begin_lttng
	fork_all
	end_lttng
	show_row LTTng "$(awk '/Discarded events:/ { n += $3 } END { print n + 0 }' lttng.log)"
	cat <<-'END'

	of all CPUs  user and system time of the reader, its end included, of the time of all CPUs while
	             they forked
	END
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=50000 chosen=' lttng '
options 'processes' "$@"
fetch_peers
boot $((900 + processes / 10)) "$processes"
