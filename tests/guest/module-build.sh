#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module compiles with W=1 and not one warning, on this guest's kernel; so says sparse, where the
# kernel's headers let it run.
set -u
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
cp -r Kbuild dkms.conf module include "$tree"
if ! make -C "/lib/modules/$(uname -r)/build" M="$tree" W=1 C=2 >"$tree/log" 2>&1; then
	cat "$tree/log"
	exit 1
fi
# BTF of a module needs the vmlinux, which Debian does not ship: that is no warning of ours.
if grep -iE 'warning|error' "$tree/log"; then
	exit 1
fi
if grep -q '^ *CHECK ' "$tree/log"; then
	echo "W=1 C=2: no warnings on $(uname -r)"
else
	# Debian's headers of 7.2 lack scripts/checker-valid.sh, without which the kernel drops C=2.
	echo "W=1: no warnings on $(uname -r); sparse did not run"
fi
