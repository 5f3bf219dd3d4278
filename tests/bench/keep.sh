#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does it cost to keep the latest records for months: while nothing happens, and while much does?

usage='usage: tests/bench/keep.sh [OPTION...]
  --rate N      processes a second (2000)
  --seconds N   for which they come (20)
  --idle N      seconds in which nothing happens (60)
  --rounds N    of both (3)
  --only LIST   of proclife, triggers, perf
Each recorder keeps the latest 64 MiB on a memory file system, in pieces of which the oldest are removed.
"triggers" is proclife with two conditions and --save. perf record has the four tracepoints of a life and
removes its oldest files of 8 MiB. Under -icount, 1 ns of CPU time is one instruction, of user and kernel, by
the recorder and the processes that it starts; the cost of its probes elsewhere is not (see make bench-probe). The
exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

keep=(--keep 64MiB)

# there GLOB: a file has this name.
there() {
	compgen -G "$1" >/dev/null
}

start_proclife() {
	modprobe proclife || exit 1
	observe recorder proclife-read --record kept "${keep[@]}" --quiet "$@"
	await recorder there 'kept/0*/0*/metadata'
}

start_triggers() {
	start_proclife --on 'zombie>1s' --on 'signal==KILL' --save saved
}

# Rings of proclife's size.
start_perf_recorder() {
	perf_more=("$@")
	mkdir kept && cd kept || exit 1
	start_perf "${perf_life[@]}"
	cd ..
	observer[recorder]=${observer[perf]}
	unset 'observer[perf]'
}
start_perf_files() {
	perf_buffer=(-m 2M)
	start_perf_recorder --switch-output=32M --switch-max-files=2
}
start_perf_overwrite() {
	perf_buffer=(-m 64M)
	start_perf_recorder --switch-output --overwrite
}

# ns PID: CPU time of a process so far.
ns() {
	cut -d ' ' -f 1 "/proc/$1/schedstat"
}

# others PID: that of its other threads: of proclife's, which compresses parts that have ended.
others() {
	cat /proc/"$1"/task/*/schedstat | awk -v main="$(ns "$1")" '{ sum += $1 } END { printf "%d\n", sum - main }'
}

# measure NAME: prints the recorder's CPU time while nothing happens, and while processes come and go.
measure() {
	local pid=${observer[recorder]} before after took beside
	before=$(ns "$pid")
	sleep "$idle"
	after=$(ns "$pid")
	printf '%s idle %s %s\n' "$1" $((after - before)) "${idle}000000000"
	before=$after beside=$(others "$pid")
	took=$("$programs/pace" "$rate" "$seconds") || fail "pace: status $?"
	sleep 1 # what has not been read
	after=$(ns "$pid")
	printf '%s busy %s %s\n' "$1" $((after - before)) "$took"
	printf '%s beside %s %s\n' "$1" $(($(others "$pid") - beside)) "$took"
}

in_guest() {
	local name round
	rate=$1 seconds=$2 idle=$3
	work_in_memory
	mount -t tmpfs none . && cd "$PWD" || exit 1
	for ((round = 1; round <= $4; round++)); do
		for name in "${@:5}"; do
			echo "round $round of $4: $name" >&2
			awake "start_$name"
			sleep 5 # what there was before
			measure "$name" >>/mnt/share/figures
			dismiss recorder
			rm -rf kept saved
			! grep -q ^proclife /proc/modules || rmmod proclife || exit 1
		done
	done
}

# The least of the rounds, since disturbances only add.
show() {
	awk '
		$2 == "idle" { value = 1000 * $3 / $4; key = $1 " idle" }
		$2 == "beside" { value = $3 / $4; key = $1 " beside" }
		$2 == "busy" { value = $3 / $4; key = $1 " fork"; share[$1] = 100 * $3 / $5 }
		{
			if (!(key in least) || value < least[key])
				least[key] = value
			if (!($1 in seen)) { seen[$1] = 1; names[++n] = $1 }
		}
		END {
			printf "%-15s %22s %24s %14s\n", "", "idle, instructions/s", "instructions a process", "to compress"
			for (i = 1; i <= n; i++)
				printf "%-15s %22.0f %24.0f %14.0f\n", names[i], 1e6 * least[names[i] " idle"],
					least[names[i] " fork"], least[names[i] " beside"]
		}' "$share/figures"
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
rate=2000 seconds=20 idle=60 rounds=3 only=proclife,triggers,perf_files,perf_overwrite
options 'rate seconds idle rounds only' "$@"
smp=1 boot_options=(--icount)
boot 7200 "$rate" "$seconds" "$idle" "$rounds" ${only//,/ }
show
