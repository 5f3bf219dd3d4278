#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does the module take besides time? Its code and data, the stack of each probe, and the layout of
# what a probe writes.

usage='usage: tests/bench/probe-size.sh
Prints what size(1), the compiler and pahole(1) say.'

# shellcheck source=tests/bench/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"

in_chroot() {
	local copy
	copy=$(mktemp -d) && cp -r Kbuild dkms.conf module include "$copy/" &&
		tests/vm/kbuild "$copy" KCFLAGS=-fstack-usage || exit 1
	cp "$copy/proclife.ko" "$copy"/module/*.su /mnt/share/
}

if [[ ${1:-} = --in-chroot ]]; then
	in_chroot
	exit
fi
options '' "$@"
make_share
"$tree/tests/vm/run" --chroot --share "$share" -- "$0" --in-chroot || exit
cd "$share" || exit 1
printf '%-24s %6s\n' section bytes
size -A proclife.ko | awk '$1 ~ /^\.(text|init\.text|exit\.text|rodata.*|data.*|bss)$/ && $2 {
	printf "%-24s %6d\n", $1, $2 }'
printf '\n%-24s %6s\n' 'stack of a probe' bytes
sed -n 's/^.*:\(probe_[a-z]*\|on_[a-z]*\)\t\([0-9]*\)\t.*/\1 \2/p' ./*.su | sort -k 2nr -k 1 |
	awk '{ printf "%-24s %6d\n", $1, $2 }'
printf '\n'
for struct in rings_cpu proclife_ring proclife_ring_page clock_parameters; do
	pahole -C $struct proclife.ko
done
