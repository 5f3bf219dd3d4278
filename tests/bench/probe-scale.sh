#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a record cost more where there are more CPUs? In guests under -icount, whose CPUs are emulated
# in turn, so that the time that passes is the number of instructions of all of them. All CPUs fork,
# exit and wait.

usage='usage: tests/bench/probe-scale.sh [OPTION...]
  --cycles N     of all CPUs together in each measurement (800)
  --rounds N     measurements with the module, between two without it (5)
  --most N       CPUs of the largest guest, from 1 in powers of two (16)
Prints a table; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/probe/rounds.sh
. "${BASH_SOURCE[0]%/*}/probe/rounds.sh"

row() {
	awk -v cpus="$smp" -v last="$rounds" "$rounds_awk"'
	END {
		off = bare(1) / cpus
		added = more("module", 1) / cpus
		printf "%4d %12d %+8d %6d %12.1f\n", cpus, off, added, (d[n] - d[1]) / 2 / cpus,
			written["module"] / ('"$cycles"' * 1.1)
	}' written cycles
}

if [[ ${1:-} = --in-guest ]]; then
	run_rounds "${@:2}"
	exit
fi
cycles=800 rounds=5 most=16
options 'cycles rounds most' "$@"
printf '%4s %12s %8s %6s %12s\n' CPUs 'bare cycle' module +- records
for ((smp = 1; smp <= most; smp *= 2)); do
	boot_options=(--icount)
	(
		boot 7200 "$rounds" module all $((cycles / smp)) 2>/dev/null
		cd "$share" && row
	) || exit
done
