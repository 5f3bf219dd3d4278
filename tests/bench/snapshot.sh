#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What do a snapshot of many tasks and eager readers do to the observed processes? One CPU of a guest
# forks, exits and waits as fast as it can; what disturbs it is on the others.

usage='usage: tests/bench/snapshot.sh [OPTION...]
  --tasks N      that sleep (30000)
  --shots N      snapshots that are timed (100)
  --rounds N     of the load, beside each of those who may disturb it (7)
  --ms N         how long the load runs each time (2000)
  --smp N        CPUs of the guest (2)
  --only LIST    of instructions, wall
Prints three tables for each of two guests. In the first, under -icount, 1 us is 1000 instructions of all
CPUs together, and the load runs for a tenth of the time. In the second it is the clock on the wall: only
ratios within a round count there, as the times of an emulated guest are not those of a machine. The
exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"

# 30,000 tasks are more than a kernel allows by default.
in_guest() {
	work_in_memory && modprobe proclife ring_kb=16384 || exit 1
	echo $(($1 * 2 + 32768)) | tee /proc/sys/kernel/pid_max >/proc/sys/kernel/threads-max || exit 1
	"$programs/snapshot/snapshot" "$@"
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
tasks=30000 shots=100 rounds=7 ms=2000 smp=2 only=instructions,wall
options 'tasks shots rounds ms only' "$@"
if [[ $only = *instructions* ]]; then
	echo 'IN INSTRUCTIONS'
	boot_options=(--icount)
	boot 3600 "$tasks" "$shots" "$rounds" $((ms / 10 + 1))
fi
[[ $only = *wall* ]] || exit 0
[[ $only = wall ]] || echo
echo 'BY THE CLOCK ON THE WALL'
boot_options=()
boot 3600 "$tasks" "$shots" "$rounds" "$ms"
