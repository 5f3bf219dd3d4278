#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module compiles with W=1 and sparse and not one warning, on this guest's kernel.
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
echo "W=1 C=2: no warnings on $(uname -r)"
