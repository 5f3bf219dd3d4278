#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/bench/kernels.sh [SUITE SUITE] - which phase of a life has changed from the kernel of one Debian suite to the
# other one's (bookworm, sid)? Runs loads of stress-ng on each, in a guest where 1 ns is 1 instruction, so that
# what else this machine does does not matter, and prints --diff of each load. $KEEP: a folder for the recordings.
# Exit status: 0 if all of it could be run.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
loads='vfork pthread clone zombie exec'

# load NAME: each operation makes a process or a thread, or more.
load() {
	local command=(stress-ng --quiet --oomable --temp-path /tmp --"$1" 1)
	case $1 in
	pthread) command+=(--pthread-ops 100 --pthread-max 8) ;;
	clone) command+=(--clone-ops 300 --clone-max 8) ;;
	zombie) command+=(--zombie-ops 300 --zombie-max 8) ;;
	exec) command=(setpriv --reuid 65534 --regid 65534 --clear-groups "${command[@]}" --exec-ops 100 --exec-max 1) ;;
	*) command+=(--"$1"-ops 500) ;;
	esac
	proclife-read --record "/mnt/share/$1" --quiet -- "${command[@]}" </dev/null
}

if [[ ${1-} == --in-guest ]]; then
	# What stress-ng runs writes there, not being root.
	chmod 1777 /tmp && modprobe proclife births=1 times=1 || exit 1
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
	tests/vm/run --kernel "$suite" --icount --share "$share/$suite" --timeout 3000 -- tests/bench/kernels.sh --in-guest || exit 1
done
for name in $loads; do
	printf '\n== %s\n' "$name"
	# Threads are what pthread makes.
	how=() && [[ $name != pthread ]] || how=(--threads)
	"${B:-build}/proclife-read" --diff "$share/$1/$name" "$share/$2/$name" "${how[@]}"
	# Has something changed? That is no error here.
	[[ $? == [02] ]] || exit 1
done
