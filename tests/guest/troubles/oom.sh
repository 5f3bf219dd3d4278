# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # a part of troubles.sh, with which it shares variables
# The OOM killer of a cgroup ends the process that needs the memory, and with memory.oom.group a bystander. Views
# name the OOM killer, its cgroup, and the process that needed the memory.
unload
modprobe proclife cgroups=Y
find_cgroups
echo +memory >"$cgroups/cgroup.subtree_control"
mkdir "$cgroups/pods"
echo +memory >"$cgroups/pods/cgroup.subtree_control"
mkdir "$cgroups/pods/x"
echo 1 >"$cgroups/pods/x/memory.oom.group"
echo 50M >"$cgroups/pods/x/memory.max"
[[ ! -e $cgroups/pods/x/memory.swap.max ]] || echo 0 >"$cgroups/pods/x/memory.swap.max"

# The bystander waits until both are killed.
cat >"$here/pod" <<-'END'
	#!/bin/sh
	echo $$ >"$1/cgroup.procs"
	sleep 100 &
	echo "bystander $!"
	perl -e '$0 = "hog"; $x = "a" x 20_000_000; push @all, $x . $_ for 1 .. 100' &
	echo "hog $!"
	wait
END
chmod +x "$here/pod"
proclife-read --record "$here/oom" -- sh -c "'$here/pod' '$cgroups/pods/x'; sleep 1" >"$here/out" 2>&1
bystander=$(sed -n 's/^bystander //p' "$here/out") hog=$(sed -n 's/^hog //p' "$here/out")
in=(-i "$here/oom")
by="from the OOM killer of /pods/x, for hog \\($hog\\)"
expect 'OOM: --lives, the bystander' 0 " $bystander .*SIGKILL $by" proclife-read "${in[@]}" --lives
expect 'OOM: --lives, the one that needed it' 0 " $hog .*SIGKILL from the OOM killer of /pods/x\$" \
	proclife-read "${in[@]}" --lives
expect 'OOM: --tree' 0 " $bystander .*SIGKILL $by" proclife-read "${in[@]}" --tree --no-fold
expect 'OOM: JSON' 0 "\"pid\":$bystander,.*\"killer\":.*\"comm\":\"hog\",.*\"cause\":\"oom\",\"oom_scope\":\"cgroup\",\"oom_cgroup\":[1-9]" \
	proclife-read "${in[@]}" --lives --json
expect 'OOM: CSV' 0 ",oom,cgroup,[1-9][0-9]*," proclife-read "${in[@]}" --export csv
on_page_rows 'OOM: --html, the bystander' "^$bystander sleep  killed by SIGKILL $by\$" proclife-read "${in[@]}"
on_page_rows 'OOM: --html, the one that needed it' "^$hog .*  killed by SIGKILL from the OOM killer of /pods/x\$" \
	proclife-read "${in[@]}"
expect 'OOM: --events' 0 "chosen by the OOM killer, for hog $hog, limit of cgroup [1-9]" \
	proclife-read "${in[@]}" --events=oom
proclife-read "${in[@]}" --latency --by cgroup | grep -A 99 pods >"$here/ends"
expect 'OOM: the cgroup' 0 "first SIGKILL .*from the OOM killer of /pods/x" cat "$here/ends"
rmdir "$cgroups/pods/x" "$cgroups/pods"
