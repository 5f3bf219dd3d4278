#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a record cost more where there are more CPUs? Counted in instructions, in guests under -icount
# whose CPUs are emulated in turn: one of them forks and makes threads, and the others have been online
# long enough to have a ring, a wake-up and a place in the header each.

usage='usage: tests/bench/probe-scale.sh [OPTION...]
  --cycles N     of each kind in each measurement (500)
  --rounds N     measurements with the module, between two without it (3)
  --most N       CPUs of the largest guest, from 1 in powers of two (16)
Prints a table; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/probe/rounds.sh
. "${BASH_SOURCE[0]%/*}/probe/rounds.sh"

row() {
	awk -v cpus="$smp" -v last="$rounds" "$rounds_awk"'
	END { printf "%4d %12d %+8d %12d %+8d %9s\n", cpus, bare(1), more("module", 1), bare(5),
		more("module", 5), written["module"] }' written cycles
}

if [[ ${1:-} = --in-guest ]]; then
	run_rounds "${@:2}"
	exit
fi
cycles=500 rounds=3 most=16
options 'cycles rounds most' "$@"
printf '%4s %21s %21s\n' '' 'fork, _exit, waitpid' 'thread, join'
printf '%4s %12s %8s %12s %8s %9s\n' CPUs bare module bare module written
for ((smp = 1; smp <= most; smp *= 2)); do
	boot_options=(--icount)
	(
		boot 7200 "$rounds" module "$cycles"
		cd "$share" && row
	) || exit
done
