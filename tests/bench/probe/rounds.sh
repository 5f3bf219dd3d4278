# shellcheck shell=bash disable=SC2154,SC2034 # a part of the benchmarks, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# Measurements in rounds: cycles without an observer, with one, without, with the next, without ...

# shellcheck source=tests/bench/guest.sh
. "${BASH_SOURCE[0]%/*}/../guest.sh"
# shellcheck source=tests/bench/probe/observers.sh
. "${BASH_SOURCE[0]%/*}/observers.sh"

# By name, in the order of the tables.
observers='nobody=nobody, which is noise
life=proclife: fork exec rename exit free
empty_life=empty probes: of these
ftrace_life=ftrace *: fork exec rename exit free
lttng_life_snapshot=LTTng --snapshot: fork exec exit free
lttng_life=LTTng: fork exec exit free
tracepoints=proclife: all tracepoints
empty=empty probes: all tracepoints
bpf_tracepoints=proclife, BPF: all tracepoints
ftrace_bare=ftrace *: all tracepoints
ftrace_all=ftrace: all tracepoints
lttng_all_snapshot=LTTng --snapshot: all but rename
tracepoints_record=proclife-read --record: the same
trace_cmd_bare=trace-cmd record *: the same
trace_cmd_all=trace-cmd record: the same
perf_all=perf record: the same
perf_dummy=perf record: fork exec exit comm
lttng_all=LTTng: all but rename
module=proclife: and reap, exiting, args
bpf_module=proclife, BPF: and reap, exiting, args
without_exiting=proclife: and reap, args
one_attached=  1 reader has mapped its rings
eight_attached=  8 readers have
eight_asleep=  8 readers sleep in poll
ftrace_kprobes=ftrace *: and two kprobes
ftrace_functions=ftrace: and two functions
record=proclife-read --record: the same
latency=proclife-read --latency: the same
trace_cmd_hooks=trace-cmd record *: and two kprobes
perf_hooks=perf record: and two kprobes
lttng_hooks=LTTng: and two kprobes
loaded=proclife: as it loads, with memory
bpf_loaded=proclife, BPF: as it loads, with memory
births=proclife: as it loads, and births
bpf_births=proclife, BPF: and births
failures=proclife: as it loads, and failures
times=proclife: as it loads, and times
splits=proclife: as it loads, births and times
bpf_splits=proclife, BPF: births and times
death=proclife: everything
ftrace_death=ftrace *: and memory
ftrace_births=ftrace *: and memory, births
bpftrace_lives=bpftrace: lives, reap, args
bpftrace=bpftrace: histogram of exit to free
connector=proc connector, read each time
strace=strace -f'

# observer_names LIST: those of a list with commas, or all.
observer_names() {
	local name known
	known=$(cut -d = -f 1 <<<"$observers" | paste -sd ' ')
	for name in ${1//,/ }; do
		[[ " $known " = *" $name "* ]] || fail "--only $name: no such observer; there are: $known" 129
	done
	if [[ $1 ]]; then echo "${1//,/ }"; else echo "$known"; fi
}

# cycles LABEL: one measurement, as a line of the results.
cycles() {
	local took
	sleep 0.5 # until the start or end of the observer has settled
	# Always the same CPU, unless it uses all.
	took=$("${under[@]}" taskset -c "$cpus" "$programs/probe/cycle" "${cycle[@]}" ./leaf) || fail "cycle: status $?"
	echo "$round $1 $took" >>"$results/cycles"
}

# run_rounds ROUNDS NAMES CYCLE-ARG...: in the guest.
run_rounds() {
	local rounds=$1 names=$2 cycle=("${@:3}") round name written lost under=() cpus=0
	[[ $3 != all ]] || cpus=0-$(($(nproc) - 1))
	local results=/mnt/share modules=/mnt/share/modules
	work_in_memory && cp "$programs/forest/leaf" . || exit 1
	if [[ $names = *lttng* ]]; then
		cp -r $modules "/lib/modules/$KERNEL/updates/lttng" && depmod || exit 1
	fi
	for ((round = 1; round <= rounds; round++)); do
		cycles off
		for name in $names; do
			echo "round $round of $rounds: $name" >&2
			written=- lost=-
			awake "start_$name" || fail "$name: does not start"
			cycles "$name"
			awake "stop_$name" || fail "$name: does not stop"
			echo "$round $name $written $lost" >>"$results/written"
			cycles off
		done
	done
}

# build_all: the modules of the observers in $names, and the module that measures the pieces.
build_all() {
	make_share
	[[ $names != *lttng* ]] || fetch_packages lttng-modules-dkms
	build_modules
}

# The counts of the observers that leave this to the host.
count() {
	local name written lost
	cd "$share" || exit 1
	for name in $names; do
		written=- lost=-
		if [[ $(type -t "count_$name") ]]; then
			"count_$name"
			[[ $written = - ]] || set_count 3 "$written"
			[[ $lost = - ]] || set_count 4 "$lost"
		fi
	done
}

# set_count FIELD VALUE: for the last round, whose files are the only ones left.
set_count() {
	awk -v name="$name" -v last="$rounds" -v field="$1" -v value="$2" \
		'$1 == last && $2 == name { $field = value } { print }' written >written.new &&
		mv written.new written
}

# What the tables share: median(n) of d[1] to d[n], the lines of the results as took[line, field], and
# what is more with an observer, more(name, field), against before and after; n of these are in d.
# shellcheck disable=SC2016 # for awk
rounds_awk='
	function median(n,   i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && d[j] < d[j - 1]; j--) {
				t = d[j]; d[j] = d[j - 1]; d[j - 1] = t
			}
		return n % 2 ? d[(n + 1) / 2] : (d[n / 2] + d[n / 2 + 1]) / 2
	}
	function more(name, field,   l) {
		n = 0
		for (l = 1; l <= lines; l++)
			if (label[l] == name)
				d[++n] = took[l, field] - (took[l - 1, field] + took[l + 1, field]) / 2
		return n ? median(n) : 0
	}
	function bare(field,   l) {
		n = 0
		for (l = 1; l <= lines; l++)
			if (label[l] == "off")
				d[++n] = took[l, field]
		return median(n)
	}
	FILENAME == "written" { if ($1 == last) { written[$2] = $3; lost[$2] = $4 } next }
	{ lines++; label[lines] = $2; for (k = 3; k <= NF; k++) took[lines, k - 2] = $k }
'
