# shellcheck shell=bash disable=SC2154,SC2034 # a part of probe.sh, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The observers of the cycles. start_NAME returns when everything is on; stop_NAME sets `written` and
# `lost` where they are known at once, or leaves a file in the folder of the round for count_NAME,
# which runs on the host. All have their default clocks.
trace_cmd_clock=() perf_clock=()

# The events of proclife's probes, as far as others have them. The first ones cannot be switched off.
life_events=("${life[@]}" task:task_rename)
all_events=("${life_events[@]}" sched:sched_process_wait signal:signal_generate)

start_nobody() { :; }
stop_nobody() { :; }

start_empty() { insmod "$modules/proclife_empty.ko"; }
stop_empty() { rmmod proclife_empty; }
start_empty_life() { insmod "$modules/proclife_empty.ko" life=Y; }
stop_empty_life() { stop_empty; }

# Memory only where a row says so: most others have no events for it.
start_module() { modprobe proclife memory=N "$@"; }
stop_module() {
	written=$(proclife-read --status --json |
		sed -n 's/.*"commit":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }') && rmmod proclife
}
start_life() { start_tracepoints signals=N waits=N; }
stop_life() { stop_module; }
# Records from tracepoints alone: nothing that takes a hook, and no arguments.
start_tracepoints() { start_module reap=N exiting=N args_bytes=0 "$@"; }
stop_tracepoints() { stop_module; }
start_without_exiting() { start_module exiting=N; }
stop_without_exiting() { stop_module; }
start_loaded() { modprobe proclife; }
stop_loaded() { stop_module; }
start_births() { modprobe proclife births=Y; }
stop_births() { stop_module; }
start_failures() { modprobe proclife failures=Y; }
stop_failures() { stop_module; }
start_times() { modprobe proclife times=Y; }
stop_times() { stop_module; }
start_splits() { modprobe proclife births=Y times=Y; }
stop_splits() { stop_module; }
start_death() { start_module memory=Y cgroups=Y; }
stop_death() { stop_module; }

# The same by BPF programs, without the module.
start_bpf() {
	local IFS=,
	proclife-read --load --source="bpf${*:+,$*}" --status >bpf.log
}
stop_bpf() {
	written=$(proclife-read --source=bpf --status --json |
		sed -n 's/.*"commit":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }') && proclife-read --unload
}
start_bpf_tracepoints() { start_bpf memory=N reap=N exiting=N args_bytes=0; }
stop_bpf_tracepoints() { stop_bpf; }
start_bpf_module() { start_bpf memory=N; }
stop_bpf_module() { stop_bpf; }
start_bpf_loaded() { start_bpf; }
stop_bpf_loaded() { stop_bpf; }
start_bpf_births() { start_bpf births; }
stop_bpf_births() { stop_bpf; }
start_bpf_splits() { start_bpf births times; }
stop_bpf_splits() { stop_bpf; }

start_attached() {
	start_module && observe attach "$programs/probe/attach" "$@" && await attach grep -q ready attach.log
}
stop_attached() {
	kill -INT "${observer[attach]}"
	wait "${observer[attach]}"
	unset 'observer[attach]'
	stop_module
}
start_one_attached() { start_attached 1; }
stop_one_attached() { stop_attached; }
start_eight_attached() { start_attached 8; }
stop_eight_attached() { stop_attached; }
start_eight_asleep() { start_attached 8 asleep; }
stop_eight_asleep() { stop_attached; }

# The views that read all of it and give their result at the end.
start_reader() {
	start_module && observe reader proclife-read "$@" && sleep 3
}
stop_reader() {
	dismiss reader
	stop_module
}
start_latency() { start_reader --latency --json; }
stop_latency() {
	stop_reader
	lost=$(sed -n 's/.*"type":"end".*"lost":\([0-9]*\).*/\1/p' reader.log)
}
start_tracepoints_record() {
	start_tracepoints && observe reader proclife-read --record recording && sleep 3
}
stop_tracepoints_record() { stop_record; }
start_record() { start_reader --record recording; }
stop_record() {
	stop_reader
	lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' reader.log)
	rm -r recording
}

at=/sys/kernel/tracing
start_ftrace() {
	local event
	echo 0 >$at/tracing_on
	echo >$at/trace
	for event; do
		echo 1 >"$at/events/${event/://}/enable"
	done
	echo 1 >$at/tracing_on
}
stop_ftrace() {
	echo 0 >$at/tracing_on
	# Without a reader, overwritten records are not lost.
	written=$(awk '/^(entries|overrun):/ { n += $2 } END { print n }' $at/per_cpu/cpu*/stats)
	echo 0 >$at/events/enable
	echo 1 >$at/options/record-cmd
	echo >$at/trace
	echo 1 >$at/tracing_on
}
start_ftrace_life() { echo 0 >$at/options/record-cmd && start_ftrace "${life_events[@]}"; }
stop_ftrace_life() { stop_ftrace; }
start_ftrace_bare() { echo 0 >$at/options/record-cmd && start_ftrace "${all_events[@]}"; }
stop_ftrace_bare() { stop_ftrace; }
# Kprobes for proclife's hooks that each exit passes, on those of these functions that this kernel has.
hooked=(do_exit cgroup_release cgroup_task_release)
functions_of() {
	local function
	for function; do
		! grep -qx "$function" $at/available_filter_functions || echo "$function"
	done
}
# set_kprobes FUNCTION...: sets `kprobes` to their events.
set_kprobes() {
	local function
	kprobes=()
	for function in $(functions_of "$@"); do
		echo "p:hooked/$function $function" >>$at/kprobe_events
		kprobes+=("hooked:$function")
	done
}
unset_kprobes() { echo >$at/kprobe_events; }
start_ftrace_kprobes() {
	set_kprobes "${hooked[@]}"
	echo 0 >$at/options/record-cmd && start_ftrace "${all_events[@]}" "${kprobes[@]}"
}
stop_ftrace_kprobes() {
	stop_ftrace
	unset_kprobes
}
start_ftrace_death() {
	set_kprobes "${hooked[@]}" exit_mm_release exit_mmap
	echo 0 >$at/options/record-cmd && start_ftrace "${all_events[@]}" "${kprobes[@]}" mmap:exit_mmap \
		oom:mark_victim cgroup:cgroup_notify_populated
}
stop_ftrace_death() { stop_ftrace_kprobes; }
start_ftrace_births() {
	set_kprobes "${hooked[@]}" exit_mm_release exit_mmap copy_process schedule_tail alloc_bprm
	echo 0 >$at/options/record-cmd && start_ftrace "${all_events[@]}" "${kprobes[@]}" mmap:exit_mmap \
		oom:mark_victim cgroup:cgroup_notify_populated
}
stop_ftrace_births() { stop_ftrace_kprobes; }
# The same by the function tracer, which records names, too, with record-cmd or without.
start_ftrace_functions() {
	functions_of "${hooked[@]}" >$at/set_ftrace_filter
	start_ftrace "${all_events[@]}" && echo function >$at/current_tracer
}
stop_ftrace_functions() {
	stop_ftrace # first: another tracer would empty the buffers
	echo nop >$at/current_tracer
	echo >$at/set_ftrace_filter
}
start_ftrace_all() { start_ftrace "${all_events[@]}"; }
stop_ftrace_all() { stop_ftrace; }

start_trace_cmd_all() { start_trace_cmd "${all_events[@]}"; }
stop_trace_cmd_all() {
	dismiss trace-cmd
	lost=$(awk '/overrun:|dropped events:/ { n += $NF } END { print n + 0 }' trace-cmd.log)
	mv trace.dat "$results/$name.dat"
}
count_trace_cmd_all() { written=$(trace-cmd report -i "${1:-trace_cmd_all}.dat" 2>/dev/null | grep -c ': '); }
start_trace_cmd_bare() { start_trace_cmd -O norecord-cmd "${all_events[@]}"; }
stop_trace_cmd_bare() { stop_trace_cmd_all; }
start_trace_cmd_hooks() {
	set_kprobes "${hooked[@]}"
	start_trace_cmd -O norecord-cmd "${all_events[@]}" "${kprobes[@]}"
}
stop_trace_cmd_hooks() {
	stop_trace_cmd_all
	unset_kprobes
}
count_trace_cmd_hooks() { count_trace_cmd_all trace_cmd_hooks; }
count_trace_cmd_bare() { count_trace_cmd_all trace_cmd_bare; }

# Its own records have forks, names, execs and exits, and come with any event.
perf_events=(sched:sched_process_free sched:sched_process_wait signal:signal_generate)
start_perf_all() { start_perf "${perf_events[@]}"; }
stop_perf_all() {
	dismiss perf
	rm perf.control perf.ack
	mv perf.data "$results/$name.data"
}
count_perf_all() {
	local file=${1:-perf_all}.data
	written=$(perf report --stats -i "$file" 2>/dev/null | awk '/(SAMPLE|FORK|EXIT|COMM) events:/ { n += $3 } END { print n }')
	lost=$(perf script -i "$file" --show-lost-events 2>/dev/null |
		awk '/PERF_RECORD_LOST/ { n += $NF } END { print n + 0 }')
}
start_perf_hooks() {
	set_kprobes "${hooked[@]}"
	start_perf "${perf_events[@]}" "${kprobes[@]}"
}
stop_perf_hooks() {
	stop_perf_all
	unset_kprobes
}
count_perf_hooks() { count_perf_all perf_hooks; }
start_perf_dummy() { start_perf dummy:u; }
stop_perf_dummy() { stop_perf_all; }
count_perf_dummy() { count_perf_all perf_dummy; }

# start_lttng CREATE-OPTION EVENT...: with a kprobe on each function of $probed.
probed=()
enable_kprobes() {
	local function
	for function in "${probed[@]}"; do
		lttng enable-event -k -c all --probe="$function" "$function" || return
	done
}
start_lttng() {
	local create=$1 IFS=,
	shift
	{
		lttng-sessiond --daemonize --kmod-probes=sched,signal &&
			lttng create bench "$create" && lttng enable-channel -k all &&
			lttng enable-event -k -c all "$*" &&
			enable_kprobes && lttng start
	} >lttng.log 2>&1 || {
		cat lttng.log >&2
		fail 'LTTng does not start'
	}
}
stop_lttng() {
	{ lttng stop && { [[ $name != *snapshot ]] || lttng snapshot record "$PWD/lttng"; } && lttng destroy; } >lttng.log 2>&1
	pkill -TERM -x lttng-sessiond
	while pidof lttng-sessiond lttng-consumerd >pidof.log; do sleep 0.2; done
	rm -rf "${results:?}/$name" && mv lttng "$results/$name"
}
start_lttng_life() { start_lttng "--output=$PWD/lttng" "${life[@]#*:}"; }
stop_lttng_life() { stop_lttng; }
# It has no task_rename.
start_lttng_all() { start_lttng "--output=$PWD/lttng" "${life[@]#*:}" sched_process_wait signal_generate; }
stop_lttng_all() { stop_lttng; }
# A flight recorder: without a reader, and the oldest are overwritten.
start_lttng_life_snapshot() { start_lttng --snapshot "${life[@]#*:}"; }
stop_lttng_life_snapshot() { stop_lttng; }
start_lttng_all_snapshot() { start_lttng --snapshot "${life[@]#*:}" sched_process_wait signal_generate; }
stop_lttng_all_snapshot() { stop_lttng; }
start_lttng_hooks() {
	local probed
	mapfile -t probed < <(functions_of "${hooked[@]}")
	start_lttng_all
}
stop_lttng_hooks() { stop_lttng; }
count_lttng_hooks() { count_lttng_all lttng_hooks; }
count_lttng_life() { count_lttng_all lttng_life; }
count_lttng_life_snapshot() { count_lttng_all lttng_life_snapshot; }
count_lttng_all_snapshot() { count_lttng_all lttng_all_snapshot; }
count_lttng_all() {
	written=$(babeltrace2 "${1:-lttng_all}" 2>errors | wc -l)
	lost=$(sed -n 's/.*Tracer discarded \([0-9]*\) event.*/\1/p' errors | awk '{ n += $1 } END { print n + 0 }')
}

# A bpftrace of 0.17 cannot attach to raw tracepoints, which are cheaper.
start_bpftrace() {
	# shellcheck disable=SC2016 # of bpftrace
	observe bpftrace bpftrace -e '
		tracepoint:sched:sched_process_exit { @began[args->pid] = nsecs; }
		tracepoint:sched:sched_process_free {
			$began = @began[args->pid];
			if ($began) { @ns = hist(nsecs - $began); delete(@began[args->pid]); } }
		BEGIN { printf("ready\n"); } END { clear(@began); }'
	await bpftrace grep -q ready bpftrace.log
}
# It counts the pairs: a count of events would need one more update of a map for each.
stop_bpftrace() {
	dismiss bpftrace
	written=$(awk '/^[[(].*\|/ { sub(/^[[(][^])]*[])] */, ""); n += $1 } END { print 2 * n }' bpftrace.log)
}

# It writes what it sees as text.
start_bpftrace_lives() {
	observe bpftrace env BPFTRACE_PERF_RB_PAGES=4096 BPFTRACE_STRLEN=200 bpftrace -B full -o bpftrace.txt \
		"$tree/tests/bench/exact/lives.bt"
	await bpftrace has_perf_buffers bpftrace
	sleep 2
}
stop_bpftrace_lives() {
	dismiss bpftrace
	written=$(grep -c '^[0-9]' bpftrace.txt)
	lost=$(awk '$1 == "Lost" && $3 == "events" { n += $2 } END { print n + 0 }' bpftrace.log bpftrace.txt)
}

start_connector() {
	observe connector "$B/tests/truth/listen" connector connector.txt
	sleep 2
}
stop_connector() {
	dismiss connector
	written=$(grep -vc ^lost connector.txt)
	lost=$(sed -n 's/^lost //p' connector.txt)
}

# It runs the cycles itself; with --seccomp-bpf they stop only at the calls that it wants to see.
start_strace() { under=(strace -f --seccomp-bpf -e trace=%process -o strace.txt); }
stop_strace() {
	under=()
	written=$(wc -l <strace.txt)
}
