#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does being observed cost a process? Counted in instructions, in a guest under -icount.

usage='usage: tests/bench/probe.sh [OPTION...]
  --cycles N     of each kind in each measurement (500)
  --rounds N     measurements of each observer, between two without one (5)
  --suite SUITE  of Debian, whose kernel it is (bookworm)
  --only LIST    of these observers, with commas; they are named in tests/bench/probe/rounds.sh
  --keep DIR     leave what was measured in this folder
Prints a table; the exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/probe/rounds.sh
. "${BASH_SOURCE[0]%/*}/probe/rounds.sh"

# Which observers record the same as which row of proclife, with a reader or without; LTTng lacks renames.
same='life=ftrace_life lttng_life_snapshot
tracepoints=ftrace_bare lttng_all_snapshot
tracepoints_record=trace_cmd_bare perf_all lttng_all
module=ftrace_kprobes ftrace_functions
record=trace_cmd_hooks perf_hooks lttng_hooks
loaded=ftrace_death
births=ftrace_births
splits=ftrace_births
bpf_tracepoints=tracepoints
bpf_module=module
bpf_loaded=loaded
bpf_births=births
bpf_splits=splits
bpf_tracepoints=ftrace_bare lttng_all_snapshot
bpf_module=ftrace_kprobes ftrace_functions
bpf_loaded=ftrace_death
bpf_births=ftrace_births
bpf_splits=ftrace_births'

in_guest() {
	local modules=/mnt/share/modules
	insmod $modules/proclife_pieces.ko && cat /sys/kernel/debug/proclife_pieces >/mnt/share/pieces &&
		rmmod proclife_pieces || exit 1
	run_rounds "$@"
}

show() {
	awk -v observers="$observers" -v same="$same" -v last="$rounds" "$rounds_awk"'
	END {
		printf "%-36s %28s %8s %8s\n", "", "fork, _exit, waitpid", "spawn,", "thread,"
		printf "%-36s %7s %4s %8s %6s %8s %8s %8s %6s\n", "instructions", "median", "+-", "", "mean", "exec",
			"join", "written", "lost"
		for (k = 1; k <= 5; k++)
			off[k] = bare(k)
		printf "%-36s %7d %4s %8s %6d %8d %8d\n", "a cycle that nobody observes", off[1], "", "", off[2],
			off[3], off[5]
		count = split(observers, list, "\n")
		for (o = 1; o <= count; o++) {
			split(list[o], who, "=")
			fork = more(who[1], 1)
			spread = n > 1 ? sprintf("%.0f", (d[n] - d[1]) / 2) : "-"
			if (n)
				printf "%-36s %+7d %4s %+7.2f%% %+6d %+8d %+8d %8s %6s\n", who[2], fork, spread,
					fork * 100 / off[1], more(who[1], 2), more(who[1], 3), more(who[1], 5),
					written[who[1]], lost[who[1]]
			title[who[1]] = who[2]
		}
		kinds = split("1 3 5", kind, " ")
		rows = split(same, list, "\n")
		for (r = 1; r <= rows; r++) {
			split(list[r], who, "=")
			own = more(who[1], 1)
			peers = n ? split(who[2], peer, " ") : 0
			for (p = 1; p <= peers; p++)
				if (more(peer[p], 1) && n)
					for (k = 1; k <= kinds; k++) {
						cost = more(peer[p], kind[k])
						if (!((r, k) in cheapest) || cost < cheapest[r, k]) {
							cheapest[r, k] = cost
							of[r, k] = peer[p]
						}
					}
			if (!((r, 1) in of))
				continue
			if (!headed++)
				printf "\n%-36s %8s %8s %8s   %s\n", "of the cheapest that records the same", "fork",
					"spawn", "thread", "which is, for fork"
			printf "%-36s ", title[who[1]]
			for (k = 1; k <= kinds; k++)
				printf " %8.2f", more(who[1], kind[k]) / cheapest[r, k]
			printf "   %s\n", title[of[r, 1]]
		}
	}' written cycles
	cat <<-'END'

	median   of all cycles: what each process pays; of the spawns and threads, too
	+-       half of the distance between the least and the most that a round said, if there are several
	mean     of all cycles: also the share of what is done from time to time, such as by a reader
	written  records of the last round, each of about the same number of cycles
	*        with its option record-cmd off, which is a third of its price
	all      fork, exec, rename, exit, free, wait and signals
	"and"    what is above, too. Two kprobes: where proclife has hooks, for exiting and reap
	END
}

# The costs of the pieces of a record, in instructions, too.
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
options 'cycles rounds suite only keep' "$@"
names=$(observer_names "$only") || exit
build_all
boot_options=(--icount)
smp=1
boot 7200 "$rounds" "$names" "$cycles"
count
show
show_pieces
keep_share
