#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/bench/kernels.sh [SUITE SUITE] - which phase of a life has changed from the kernel of one Debian suite to the
# other one's (bookworm, sid)? Runs the loads of which labs report regressions on each, in a guest where 1 ns is 1
# instruction, so that what else this machine does does not matter, and prints --diff of each load. stress-ng's own
# zombie and exec differ from version to version: one makes no zombies, and one does not end on an emulated CPU.
# $KEEP: a folder for the recordings. $LOADS: some of the loads.
# Exit status: 0 if all of it could be run.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
loads=${LOADS:-vfork pthread clone zombie exec}
# Eight at a time, all dead before the first is reaped.
# shellcheck disable=SC2016 # of Perl
zombies='for (1 .. 40) {
	for (1 .. 8) { fork or exit }
	select undef, undef, undef, 0.05;
	1 while wait > 0;
}'
# shellcheck disable=SC2016 # of the other shell
execs='for ((i = 0; i < 300; i++)); do "$files/ld.so" --library-path "$files" "$files/true"; done'

# load NAME: each operation makes a process or a thread, or more.
load() {
	local command=(stress-ng --quiet --oomable --temp-path /tmp --"$1" 1)
	case $1 in
	pthread) command+=(--pthread-ops 100 --pthread-max 8) ;;
	clone) command+=(--clone-ops 300 --clone-max 8) ;;
	vfork) command+=(--vfork-ops 500) ;;
	zombie) command=(perl -e "$zombies") ;;
	exec) command=(bash -c "$execs") ;;
	esac
	proclife-read --record "/mnt/share/$1" --quiet -- "${command[@]}" </dev/null
}

if [[ ${1-} == --in-guest ]]; then
	modprobe proclife births=1 times=1 || exit 1
	# The root is a folder of this machine, whose answers take its time.
	files=$(mktemp -d) && export files && cp -L /bin/true /lib/x86_64-linux-gnu/libc.so.6 "$files" &&
		cp -L /lib64/ld-linux-x86-64.so.2 "$files/ld.so" || exit 1
	for name in $loads; do
		load "$name" || { echo "kernels: $name: status $?" >&2 && exit 1; }
	done
	exit
fi
[[ $# != 0 ]] || set -- bookworm sid
[[ $# == 2 ]] || { sed -n '3,6s/^# //p' "$0" >&2 && exit 129; }
share=${KEEP:-$(mktemp -d)} && mkdir -p "$share" || exit 1
[[ ${KEEP-} ]] || trap 'rm -rf "$share"' EXIT
for suite; do
	rm -rf "${share:?}/$suite" && mkdir "$share/$suite" || exit 1
	tests/vm/run --kernel "$suite" --icount --share "$share/$suite" --timeout 3000 -- \
		env LOADS="$loads" tests/bench/kernels.sh --in-guest || exit 1
done
for name in $loads; do
	printf '\n== %s\n' "$name"
	# Threads are what pthread makes.
	how=() && [[ $name != pthread ]] || how=(--threads)
	"${B:-build}/proclife-read" --diff "$share/$1/$name" "$share/$2/$name" "${how[@]}"
	# Has something changed? That is no error here.
	[[ $? == [02] ]] || exit 1
done
