#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does it cost a process that it is observed? Counted in instructions, in a guest under -icount.

usage='usage: tests/bench/probe.sh [OPTION...]
  --cycles N     of each kind in each measurement (500)
  --rounds N     measurements of each observer, between two without one (5)
  --only LIST    of these observers, with commas; they are named in tests/bench/probe/rounds.sh
  --keep DIR     leave what was measured in this folder
Prints a table; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/probe/rounds.sh
. "${BASH_SOURCE[0]%/*}/probe/rounds.sh"

in_guest() {
	local modules=/mnt/share/modules
	insmod $modules/proclife_pieces.ko && cat /sys/kernel/debug/proclife_pieces >/mnt/share/pieces &&
		rmmod proclife_pieces || exit 1
	run_rounds "$@"
}

show() {
	awk -v observers="$observers" -v last="$rounds" "$rounds_awk"'
	END {
		printf "%-38s %30s %21s %21s\n", "instructions", "fork, _exit, waitpid", "spawn, exec, exit",
			"thread, join"
		printf "%-38s %7s %5s %7s %8s %13s %7s %13s %7s %9s %6s\n", "", "median", "+-", "", "mean",
			"median", "", "median", "", "written", "lost"
		for (k = 1; k <= 5; k++)
			off[k] = bare(k)
		printf "%-38s %7d %13s %8d %13d %7s %13d\n", "a cycle without observer", off[1], "", off[2],
			off[3], "", off[5]
		count = split(observers, list, "\n")
		for (o = 1; o <= count; o++) {
			split(list[o], who, "=")
			fork = more(who[1], 1)
			spread = n ? (d[n] - d[1]) / 2 : 0
			if (!n)
				continue
			mean = more(who[1], 2)
			spawn = more(who[1], 3)
			thread = more(who[1], 5)
			printf "%-38s %+7d %5d %6.2f%% %+8d %+13d %6.2f%% %+13d %6.2f%% %9s %6s\n", who[2], fork,
				spread, fork * 100 / off[1], mean, spawn, spawn * 100 / off[3], thread,
				thread * 100 / off[5], written[who[1]], lost[who[1]]
		}
	}' written cycles
	cat <<-'END'

	median   of all cycles: what each process pays
	+-       half of the distance between the least and the most that a round said
	mean     of all cycles: also the share of what is done from time to time, such as by a reader
	written  records of the last round, each of about the same number of cycles
	END
}

# What the pieces of a record cost, which are instructions, too.
show_pieces() {
	printf '\n'
	awk 'BEGIN { printf "%-28s %12s\n", "one piece of it, in a loop", "instructions" }
		{ printf "%-28s %12.1f\n", $1, $2 / 1000 }' pieces
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
cycles=500 rounds=5 only='' keep=''
options 'cycles rounds only keep' "$@"
names=$(observer_names "$only") || exit
build_modules
boot_options=(--icount)
smp=1
boot 7200 "$rounds" "$names" "$cycles"
count
show
show_pieces
[[ ! $keep ]] || { mkdir -p "$keep" && cp -r "$share/." "$keep/"; } || exit 1
