#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does being observed cost a process, by the wall clock? All CPUs of a
# guest fork, exit and wait as fast as they can.

usage='usage: tests/bench/probe-wall.sh [OPTION...]
  --cycles N     of each CPU in each measurement (300)
  --rounds N     measurements of each observer, between two without one (9)
  --smp N        CPUs of the guest (4)
  --only LIST    of these observers, with commas; they are named in tests/bench/probe/rounds.sh
  --keep DIR     leave what was measured in this folder
Prints a table of ratios; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/probe/rounds.sh
. "${BASH_SOURCE[0]%/*}/probe/rounds.sh"

show() {
	awk -v observers="$observers" -v last="$rounds" "$rounds_awk"'
	END {
		printf "%-38s %9s %9s %9s %9s %7s\n", "ratio to none", "median", "least", "most", "written", "lost"
		count = split(observers, list, "\n")
		for (o = 1; o <= count; o++) {
			split(list[o], who, "=")
			n = 0
			for (l = 1; l <= lines; l++)
				if (label[l] == who[1])
					d[++n] = 2 * took[l, 1] / (took[l - 1, 1] + took[l + 1, 1])
			if (n) {
				ratio = median(n)
				printf "%-38s %9.3f %9.3f %9.3f %9s %7s\n", who[2], ratio, d[1], d[n], written[who[1]],
					lost[who[1]]
			}
		}
	}' written cycles
}

if [[ ${1:-} = --in-guest ]]; then
	run_rounds "${@:2}"
	exit
fi
cycles=300 rounds=9 only='' keep=''
options 'cycles rounds only keep' "$@"
names=$(observer_names "$only") || exit
build_all
boot 7200 "$rounds" "$names" all "$cycles"
count
show
keep_share
