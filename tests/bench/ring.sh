#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does a record cost its writer on this CPU? The module's code, compiled for a kernel, runs in a program.

usage='usage: tests/bench/ring.sh [--suite SUITE]
Prints the cycles and nanoseconds of each record, in a loop and after other work has used the cache. SUITE is that of
Debian whose kernel headers are taken (bookworm).'

# shellcheck source=tests/bench/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"

in_chroot() {
	local copy
	copy=$(mktemp -d) && mkdir -p "$copy/tests/bench" && cp -r include module "$copy/" &&
		cp -r tests/bench/ring "$copy/tests/bench/" &&
		tests/vm/kbuild "$copy/tests/bench/ring/kernel" && cp "$copy/tests/bench/ring/kernel/writer.o" /mnt/share/
}

if [[ ${1:-} = --in-chroot ]]; then
	in_chroot
	exit
fi
options 'suite' "$@"
make_share
"$tree/tests/vm/run" --kernel "$suite" --chroot --share "$share" -- "$0" --in-chroot || exit
# What the kernel would link stays without an address: nothing here calls it.
gcc -O2 -Wall -Werror -static -no-pie -I "$tree/tests/bench/ring" -o "$share/ring" "$tree/tests/bench/ring/main.c" \
	"$share/writer.o" -Wl,--unresolved-symbols=ignore-all || exit
taskset -c 1 "$share/ring" || exit
taskset -c 1 "$share/ring" read
