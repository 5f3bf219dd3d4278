#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: processes are selected by their PID in a PID namespace, and threads that end are reported.
set -u
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modprobe proclife || exit 1

# In a namespace of its own: PID 1, and one that fails and has a child, which has PIDs of the machine, too.
cat >"$work/inside" <<-'END'
	readlink /proc/self/ns/pid >"$0.ns"
	sh -c 'echo $$ >"$0.pid"; /bin/true; exit 9' "$0"
	sh -c 'exit 8'
	: a last command, lest sh execs the one before
END
expect 'in a namespace' 0 '' proclife-read --record "$work/life" -- \
	unshare -pf --mount-proc sh "$work/inside"
ns=$(tr -cd 0-9 <"$work/inside.ns")
pid=$(<"$work/inside.pid")
selected=(proclife-read -i "$work/life" --tree --pid)
expect 'by the number' 0 '^2 processes, 1 failed' "${selected[@]}" "$pid@$ns"
expect 'it is the one' 0 " pid $pid in namespace $ns, status 9" "${selected[@]}" "$pid@$ns" --show pidns
expect 'as the link reads' 0 '^2 processes, 1 failed' "${selected[@]}" "$pid@$(<"$work/inside.ns")"
expect 'its init, with all of it' 0 ' pid 1 in namespace ' "${selected[@]}" "1@$ns" --show pidns
expect 'not there' 0 "no process matched --pid 999@$ns: seen in there: 1, 2" "${selected[@]}" "999@$ns"
expect 'no such namespace' 0 'no process matched --pid 1@17: none was seen' "${selected[@]}" 1@17
tgid=$("${selected[@]}" "$pid@$ns" --json | sed -n 's/.*"type":"process".*"pid":\([0-9]*\),.*"status":9.*/\1/p')
expect 'by the initial one' 0 '^2 processes, 1 failed' "${selected[@]}" "$tgid@$(readlink /proc/self/ns/pid)"
expect 'the PID of the machine' 0 "process $tgid had PID $pid in there; use --pid $tgid" "${selected[@]}" "$tgid@$ns"

# Those that are there now.
# shellcheck disable=SC2016 # for sh
unshare -pf --mount-proc sh -c 'echo >"$0"; sleep 1000; :' "$work/ready" 2>/dev/null &
until [[ -e $work/ready ]]; do sleep 0.1; done
init=$(pgrep -P $!)
ns=$(readlink "/proc/$init/ns/pid" | tr -cd 0-9)
expect 'live: an init' 0 " $init .*pid 1 in namespace" \
	proclife-read --tree --show pidns --pid "1@$ns" --duration 0.2
expect 'live: nobody' 1 "--pid 999@$ns: no process has it now; in there are 1 and 2" \
	proclife-read --pid "999@$ns"
expect 'live: no such namespace' 1 "no process has this as its own PID namespace now; 'lsns -t pid'" \
	proclife-read --pid 1@17
expect 'live: lsns shows it' 0 "^$ns\$" lsns -n -o NS -t pid

# The same by its cgroup, into which it is moved.
if find_cgroups; then
	mkdir "$cgroups/web" && echo "$init" >"$cgroups/web/cgroup.procs"
	expect 'live: by the cgroup' 0 "^ +$init .*sh" proclife-read --tree --pid 1@/web --duration 0.2
	expect 'live: not in the cgroup' 1 'no process has it now; in there are 1' proclife-read --pid 2@/web
	expect 'live: no such cgroup' 1 'no process is in this cgroup now' proclife-read --pid 1@/mail
	expect 'history: by the cgroup' 0 "^ +$init .*sh" \
		proclife-read --history --tree --pid 1@/web --duration 0.2
fi
kill -KILL "$init"
wait

# Threads. All but the last of each process end alone, but where the process ends as a whole.
expect 'threads that end alone' 0 'leader \([0-9]+\) of leader \([0-9]+\), status 7, 3 threads live on$' \
	proclife-read --on thread_exit -- "$B/tests/guest/workloads/leader_first" 4
# The leader of each of four; two of three threads of the one whose threads return; and as many of the one whose leader
# calls pthread_exit(), unless the thread that glibc finds to be the last one has it end as a whole before.
cp "$work/output" "$work/told"
expect 'each leader' 0 '^4$' grep -cE 'thread_exit: leader \(([0-9]+)\) of leader \(\1\)' "$work/told"
expect 'each of them' 0 '^[678]$' grep -c 'thread_exit: ' "$work/told"
proclife-read --on thread_exit -- "$B/tests/guest/workloads/leader_first" 1 >"$work/told" 2>&1
expect 'of one whose threads return' 0 '^3$' grep -c 'thread_exit: ' "$work/told"
expect 'by its name' 0 '' proclife-read --on nobody.thread_exit -- "$B/tests/guest/workloads/leader_first" 4
cp "$work/output" "$work/told"
expect 'no line' 1 '' grep thread_exit "$work/told"

# What is followed ends while recording is stopped, so that no record says so.
switch=/sys/module/proclife/parameters/recording
export switch
# shellcheck disable=SC2016 # for the inner shell
expect 'a child ends in a stop' 0 'recording was stopped from .* to ' timeout 60 \
	proclife-read --tree -- sh -c 'sleep 0.5 & echo 0 >$switch; sleep 1; echo 1 >$switch; (exit 0); wait'
(sleep 3 && echo 1 >$switch) &
# shellcheck disable=SC2016
expect 'the command ends in a stop' 3 'recording was stopped ' timeout 60 \
	proclife-read --tree -- sh -c 'echo 0 >$switch; exit 3'
wait
sleep 2 &
ends=$!
(sleep 1 && echo 0 >$switch && sleep 2 && echo 1 >$switch) &
expect '--pid ends in a stop' 0 'recording was stopped ' timeout 60 proclife-read --tree --pid $ends
wait
rmmod proclife || failed=$((failed + 1))

expect_done
