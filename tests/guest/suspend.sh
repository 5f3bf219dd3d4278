#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/suspend.sh - suspends the guest to memory while processes come and go, and judges what
# the device tells of that: in a guest of its own, as it is of no use afterwards. The folders of the
# host do not survive (the kernel's 9p over virtio cannot suspend), so all that is needed from here
# on has to be in memory.
set -u
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
build=${B:-build}
[[ $build = /* ]] || build=$tree/$build
program=$build/tests/guest/test_disturbed
root=/run/suspend

mkdir -p $root/{dev,proc,sys,tmp} || exit 1
cp "$program" $root/ || exit 1
ldd "$program" | grep -o '/[^ ]*' | while read -r file; do cp -L --parents "$file" $root/ || exit 1; done || exit 1
for folder in dev proc sys; do mount --rbind /$folder $root/$folder || exit 1; done
modprobe proclife ring_kb=16384 || exit 1

# The programs that are running, whole: they run on, and nothing of them can be read later.
cat /proc/[0-9]*/maps | awk '$6 ~ "^/" && $6 !~ "^/dev/" { print $6 }' | sort -u | xargs cat >/dev/null 2>&1
PROCLIFE_SUSPEND=yes exec chroot $root /test_disturbed
