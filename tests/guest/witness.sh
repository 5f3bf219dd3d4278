#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/witness.sh [LOAD...] - do lives agree with other witnesses? Runs each load while process
# accounting and taskstats watch, and compares every process and thread of the whole machine with the
# recording; our own workload is compared with wait4(2) and its own clock, too. With
# loss, the rings are small and the reader is stopped again and again.
# Prints a line for each load, and keeps what was recorded in $KEEP, if that is set. Exit status: 0 if nothing differs, 1 if something does.
set -u
name=witness
# shellcheck source=tests/truth/observe.sh
. "$(dirname "${BASH_SOURCE[0]}")/../truth/observe.sh"
find_programs
folder=$(mktemp -d /tmp/witness.XXXXXX) && chmod 755 "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
selftests=build/selftests/$(uname -m)
failed=''

# How many threads each load has at least.
declare -A least=(
	[own]=97 [own_with_loss]=20 [orphans]=600 [stress_fork]=200 [stress_vfork]=200 [stress_exec]=40
	[stress_pthread]=40 [stress_clone]=100 [stress_kill]=4 [stress_wait]=6
	[stress_fork_with_loss]=20 [selftests]=60
)

# As a user ID that nothing else has, with root's rights.
own() {
	: >"$folder/told"
	TRUTH=$folder/told setpriv --ruid 30000 "$workloads/own" "$1" && rmdir /sys/fs/cgroup/witness
}
load_own() { own 96; }
load_own_with_loss() { own 240; }
load_orphans() { "$workloads/pairs" 300; }
stress() {
	stress-ng --quiet --oomable --temp-path "$folder" --timeout 20 --"$1" 2 --"$1"-ops "$2" "${@:3}"
}
load_stress_fork() { stress fork 200; }
load_stress_vfork() { stress vfork 200; }
# It must not be root.
load_stress_exec() {
	setpriv --reuid 65534 --regid 65534 --clear-groups stress-ng --quiet --oomable \
		--temp-path "$folder" --timeout 20 --exec 2 --exec-ops 40 --exec-max 8
}
load_stress_pthread() { stress pthread 60 --pthread-max 16; }
load_stress_clone() { stress clone 100 --clone-max 16; }
load_stress_kill() { stress kill 400; }
load_stress_wait() { stress wait 60; }
# Whether a kernel passes does not matter here; a selftest that hangs is killed.
load_selftests() {
	local test
	cp -a "$tree/$selftests" "$folder/selftests" || return
	while read -r test; do
		(cd "$folder/selftests/${test%/*}" && timeout -s KILL 10 "./${test##*/}")
	done <"$folder/selftests/list"
	return 0
}
load_stress_fork_with_loss() { stress fork 1500; }

# Stops the reader again and again, for longer than such small rings last on a slow machine.
disturb() {
	while sleep 1 && kill -STOP "$1" 2>/dev/null; do
		sleep 3
		kill -CONT "$1"
	done
}

run() {
	local name=$1 load="witness: $1" reader disturber status=0
	rm -rf "${folder:?}"/* && chmod 777 "$folder"
	modprobe -r proclife 2>/dev/null
	case $name in
	*_with_loss) modprobe proclife ring_kb=4 ;;
	*) modprobe proclife ;;
	esac || return
	# By default, accounting stops when less than a fiftieth of the disk is free.
	echo '1 0 30' >/proc/sys/kernel/acct
	listen taskstats acct || return
	proclife-read --record "$folder/recording" --quiet 2>"$folder/said" &
	reader=$!
	until [[ -s $folder/recording/metadata ]]; do
		kill -0 $reader || { cat "$folder/said"; return 1; }
		sleep 0.05
	done
	sleep 0.5
	if [[ $name = *_with_loss ]]; then
		disturb $reader &
		disturber=$!
	fi
	(cd "$folder" && "load_$name") >"$folder/load" 2>&1 </dev/null || status=$?
	if [[ $name = *_with_loss ]]; then
		kill $disturber
		wait $disturber 2>/dev/null
		kill -CONT $reader
	fi
	sleep 0.3 # RCU frees what is reaped
	kill $reader
	wait $reader
	hear || return
	[[ $status == 0 ]] || { echo "witness: $name: status $status" && cat "$folder/load" && return 1; }
	judge --least "${least[$name]}" || return
	[[ $name != own ]] || lies --least 1 || return
	# A run without a loss tests nothing about losses.
	[[ $name != *_with_loss ]] || proclife-read -i "$folder/recording" --expect 'lost>0' >/dev/null 2>&1
	[[ $? != 2 ]] || { echo "witness: $name: nothing was lost" && return 1; }
}

if [[ $# == 0 ]]; then
	mapfile -t loads < <(declare -F | sed -n 's/.* load_//p')
	set -- "${loads[@]}"
fi
type stress-ng >/dev/null || { echo 'witness: stress-ng is not installed' >&2 && exit 1; }
[[ " $* " != *' selftests '* || -e $tree/$selftests/list ]] ||
	{ echo "witness: $selftests: not built; run tests/scripts/selftests $(uname -m)" >&2 && exit 1; }
for name; do run "$name" || failed+=" $name"; done
modprobe -r proclife
echo "witness: $(($# - $(wc -w <<<"$failed"))) loads confirmed, $(wc -w <<<"$failed") not${failed:+:$failed}"
[[ ! $failed ]]
