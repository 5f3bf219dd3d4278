#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A million processes: recorded live, their tree built live, and all of it judged.

usage='usage: tests/bench/soak.sh [OPTION...]
  --processes N  how many the forest has (1000000)
  --pid-max N    kernel.pid_max of the guest (32768)
  --smp N        CPUs of the guest (4)
The ring is as large as it is by default. Prints what was recorded, what it cost and the verdict; the
exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

# cpu_ticks PID: user and system time of a process so far, in clock ticks.
cpu_ticks() {
	local stat
	stat=$(<"/proc/$1/stat")
	# shellcheck disable=SC2086 # a list of numbers, behind the name
	set -- ${stat##*)}
	echo $((${12} + ${13}))
}

in_guest() {
	local ticks peak began ended reader
	enter
	echo "$2" >/proc/sys/kernel/pid_max || exit 1
	observe proclife proclife-read --record /mnt/share/recording --tree --json
	reader=${observer[proclife]}
	await proclife test -s /mnt/share/recording/metadata
	sleep 1
	ticks=$(cpu_ticks "$reader")
	began=${EPOCHREALTIME/./}
	"$programs/forest/forest" --truth truth --processes "$1" --progress || fail "forest: status $?"
	ended=${EPOCHREALTIME/./}
	ticks=$(($(cpu_ticks "$reader") - ticks))
	peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$reader/status")
	sleep 3 # for the frees that are still to come
	echo 'printing the tree' >&2
	dismiss proclife
	cp truth /mnt/share/ && grep '^{' proclife.log >/mnt/share/tree.json || exit 1
	printf '%s\n' $((ended - began)) "$ticks" "$(getconf CLK_TCK)" "$(nproc)" "$peak" \
		"$(($(</sys/module/proclife/parameters/ring_kb)))" >/mnt/share/figures
}

show() {
	local figures lost bytes
	mapfile -t figures <"$share/figures"
	"$programs/exact/judge" --format proclife "$share/truth" "$share/tree.json" || exit
	echo
	bytes=$(cat "$share"/recording/* | wc -c)
	lost=$(sed -n 's/.*"lost":\([0-9]*\).*/\1/p' "$share/tree.json" | tail -n 1)
	awk -v us="${figures[0]}" -v ticks="${figures[1]}" -v hz="${figures[2]}" -v cpus="${figures[3]}" \
		-v peak="${figures[4]}" -v ring="${figures[5]}" -v bytes="$bytes" -v lost="$lost" '
		BEGIN {
			printf "%d CPUs with rings of %d KiB; %.0f s; %.1f MB recorded, %d records lost\n",
				cpus, ring, us / 1e6, bytes / 1e6, lost
			printf "the reader (--record and --tree): %.1f s of CPU time, %.2f %% of all CPUs; peak memory %.1f MiB\n",
				ticks / hz, 100 * ticks / hz / (us / 1e6 * cpus), peak / 1024
		}'
	if "$B/proclife-read" -i "$share/recording" --tree --json |
		cmp - "$share/tree.json"; then
		echo 'the tree of the recording is the one that was shown live, byte for byte'
	else
		echo 'the tree of the recording is NOT the one that was shown live'
	fi
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=1000000 pid_max=32768
options 'processes pid-max' "$@"
boot $((600 + processes / 50)) "$processes" "$pid_max"
show
