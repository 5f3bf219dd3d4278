# shellcheck shell=bash disable=SC2034,SC2154 # a part of the benchmarks, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# Shared by the benchmarks: each starts itself again in a guest, and observes a forest there.

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
[[ ${B:=build} = /* ]] || B=$tree/$B
programs=$B/tests/bench
name=${0##*/} name=${name%.sh}

fail() {
	echo "$name: $1" >&2
	exit "${2:-1}"
}

# options NAMES ARG...: set the variable of each option; all but folders and lists are numbers.
options() {
	local names=" $1 smp " option
	shift
	while [[ ${1:-} ]]; do
		[[ $1 != --help ]] || { echo "$usage" && exit; }
		option=${1#--}
		[[ $1 = --* && $names = *" $option "* ]] || fail "$1: not an option; see --help" 129
		[[ $# -gt 1 ]] || fail "$1: needs an argument" 129
		[[ " keep use only rates readers suite " = *" $option "* || $2 =~ ^[1-9][0-9]*$ ]] ||
			fail "$1 $2: not a number above 0" 129
		printf -v "${option//-/_}" %s "$2"
		shift 2
	done
}
smp=4 suite=bookworm

share=
make_share() {
	[[ $share ]] || share=$(mktemp -d "${TMPDIR:-/tmp}/proclife-bench.XXXXXX") || exit 1
	trap 'rm -rf "$share"' EXIT
}

# With --keep, what the guest has left in it stays.
keep_share() {
	[[ ! $keep ]] || { mkdir -p "$keep" && cp -r "$share/." "$keep/"; } || exit 1
}

# boot SECONDS ARG...: run this script with these arguments in a guest; $share is its /mnt/share.
boot_options=()
boot() {
	local seconds=$1
	shift
	make_share
	"$tree/tests/vm/run" --kernel "$suite" --smp "$smp" "${boot_options[@]}" --timeout "$seconds" --share "$share" -- \
		env B="$B" "$0" --in-guest "$@" || exit
}

# Where the guest works.
work_in_memory() {
	[[ -d /mnt/share ]] || fail 'only for the guest'
	local work
	work=$(mktemp -d) && cd "$work" || exit
}

enter() {
	work_in_memory && modprobe proclife || exit 1
}

# fetch_packages NAME...: unpacks Debian packages into $share/NAME. They are not installed here, as they
# would start daemons or have dkms build modules for this machine.
fetch_packages() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/proclife/peers package
	for package; do
		if ! compgen -G "$cache/${package}_*.deb" >/dev/null; then
			mkdir -p "$cache" &&
				(cd "$cache" && apt-get -qq -o APT::Sandbox::User= download "$package") ||
				fail "$package: cannot be downloaded; without it: --only" 1
		fi
		dpkg-deb -x "$cache/$package"_*.deb "$share/$package" || exit 1
	done
}

# build_modules: builds the benchmarks' modules, and those of the peers whose sources are in $share, into
# $share/modules.
build_modules() {
	make_share
	"$tree/tests/vm/run" --kernel "$suite" --chroot --share "$share" -- "$tree/tests/bench/probe/build-modules" || exit
}

# awake COMMAND...: keeps an idle CPU busy meanwhile. Under -icount, time leaps while all are idle, and a
# process that waits for the disk or the host for a while finds that a year has passed.
awake() {
	local status=0 busy
	chrt --idle 0 bash -c 'while :; do :; done' &
	busy=$!
	"$@" || status=$?
	kill $busy
	wait $busy 2>/dev/null
	return $status
}

declare -A observer # jobs, by name
# Buffers that are large enough, a clock that others can read, and a command in front of the observer's.
trace_cmd_buffer=(-b 16384) perf_buffer=(-m 16M) perf_more=() wrap=()
trace_cmd_clock=(-C mono) perf_clock=(-k CLOCK_MONOTONIC)

# observe NAME COMMAND...: its output goes to NAME.log. The shell would have it ignore SIGINT.
observe() {
	env --default-signal=INT "${@:2}" >"$1.log" 2>&1 &
	observer[$1]=$!
}

# await NAME COMMAND...: until the command succeeds, as it will once the observer is at work.
await() {
	local name=$1 deadline=$((SECONDS + 120))
	shift
	until kill -0 "${observer[$name]}" 2>/dev/null && "$@"; do
		if ((SECONDS > deadline)) || ! kill -0 "${observer[$name]}" 2>/dev/null; then
			cat "$name.log" >&2
			fail "$name: does not start"
		fi
		sleep 0.5
	done
}

# has_perf_buffers NAME: as BPF's tools do once they observe, one for each CPU.
has_perf_buffers() {
	(($(find "/proc/${observer[$1]}/fd" -lname '*perf_event*' | wc -l) > $(nproc)))
}

# dismiss NAME: ends the observer. proclife-read exits with 3 if it lost records; perf ends by the signal
# that it was sent.
dismiss() {
	local status=0
	kill -INT "${observer[$1]}"
	wait "${observer[$1]}" || status=$?
	unset "observer[$1]"
	case $status in
	0 | 3 | 130) ;;
	*) cat "$1.log" >&2 && fail "$1: status $status" ;;
	esac
}

# The tracepoints of a process's life, and what perf needs of them: its own records have forks, names, execs and
# exits, and come with any event.
life=(sched:sched_process_{fork,exec,exit,free}) perf_life=(sched:sched_process_free)

# start_trace_cmd [-O OPTION] EVENT...
start_trace_cmd() {
	local event events=()
	[[ $1 != -O ]] || { events=(-O "$2") && shift 2; }
	for event; do
		events+=(-e "$event")
	done
	observe trace-cmd "${wrap[@]}" trace-cmd record "${trace_cmd_clock[@]}" "${trace_cmd_buffer[@]}" \
		"${events[@]}" -o trace.dat
	await trace-cmd tracing "${1/://}"
	sleep 2
}

# tracing SYSTEM/EVENT: true once trace-cmd has switched all its events on, since it switches tracing on last.
tracing() {
	local at=/sys/kernel/tracing
	[[ $(<"$at/events/$1/enable") = 1 && $(<$at/tracing_on) = 1 ]] 2>/dev/null
}

# start_perf EVENT...: as start_perf_as with the name perf.
start_perf() { start_perf_as perf "$@"; }

# start_perf_as NAME EVENT...: into NAME.data. Without collecting build ids, which no event
# here needs, and without records that it was not asked for, as far as they can be turned off: it
# cannot do without those of mappings, of which each exec has several.
start_perf_as() {
	local name=$1 control ack IFS=,
	shift
	rm -f "$name.control" "$name.ack"
	mkfifo "$name.control" "$name.ack" && exec {control}<>"$name.control" {ack}<>"$name.ack" || exit 1
	observe "$name" "${wrap[@]}" perf record -a "${perf_clock[@]}" "${perf_buffer[@]}" -e "$*" \
		-o "$name.data" "${perf_more[@]}" -B -N --no-bpf-event --synth=task --delay=-1 \
		"--control=fifo:$name.control,$name.ack"
	echo enable >&$control
	await "$name" read -r -t 2 <&$ack
	exec {control}>&- {ack}>&-
}
