#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Machines that lack something: memory, the unified hierarchy of cgroups, or the permission to trace.
# What the module does without it, what the log says, and what --status and the program then say: name,
# reason and remedy.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

[[ ! -e /sys/module/proclife ]] || rmmod proclife || exit 1

# The log since the last call.
log() {
	dmesg | tail -n "+$((logged + 1))"
	logged=$(dmesg | wc -l)
}
logged=0 && log >/dev/null

# ten: what is recorded of ten processes.
ten() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
	sleep 0.5
	proclife-read --history --events --duration 0.5
}

# Memory that is short as the module is loaded: nobody is killed for it.
mib=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo) / 1024))
cpus=$(nproc)
ring_kb=4096
while ((ring_kb < 1048576 && ring_kb * cpus < mib * 1024)); do ring_kb=$((ring_kb * 2)); done
expect 'memory, load: modprobe' 1 'Cannot allocate memory' modprobe proclife "ring_kb=$ring_kb"
expect 'memory, load: log' 0 "proclife: ring_kb=$ring_kb: no memory for the rings of $cpus CPUs; load .* smaller" log
mkdir -p /etc/modprobe.d && echo "options proclife ring_kb=$ring_kb" >/etc/modprobe.d/proclife-test.conf
expect 'memory, load: --load' 1 "--load: not enough memory for the rings.*'modprobe proclife ring_kb=256'" \
	proclife-read --load --duration 0.1
rm /etc/modprobe.d/proclife-test.conf
expect 'memory, load: the log has no killing' 1 '' eval 'dmesg | grep -i "out of memory\|oom-kill"'

# And as a CPU comes up, which it does once there is memory.
cpu=/sys/devices/system/cpu/cpu$((cpus - 1))/online
if [[ -e $cpu ]]; then
	echo 0 >$cpu && modprobe proclife ring_kb=131072 || exit 1
	fill=$(mktemp -p /dev/shm)
	available=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo) / 1024))
	mount -o remount,size=100% /dev/shm
	head -c "$((available - 90))M" /dev/zero >"$fill"
	log >/dev/null
	expect 'memory, CPU: it stays off' 1 'Cannot allocate memory' bash -c "echo 1 >$cpu"
	expect 'memory, CPU: log' 0 "proclife: no memory for the ring of CPU $((cpus - 1)), which stays off: " log
	expect 'memory, CPU: all else is recorded' 0 ' reap +[0-9]+ true ' ten
	rm "$fill"
	expect 'memory, CPU: it comes up later' 0 '' bash -c "echo 1 >$cpu"
	expect 'memory, CPU: its ring' 0 "^ *$((cpus - 1)) .* 128 MiB " proclife-read --status
	rmmod proclife || exit 1
fi

# No file system of the unified hierarchy.
modprobe proclife || exit 1
why="no cgroup2 file system is mounted here; 'mount -t cgroup2 cgroup2 DIR' does it"
umount /sys/fs/cgroup && mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/pids &&
	mount -t cgroup -o pids cgroup /sys/fs/cgroup/pids && mkdir /sys/fs/cgroup/pids/one || exit 1
expect 'cgroups: --status' 0 "^cgroups +without paths: $why" proclife-read --status
expect 'cgroups: --cgroup' 1 "--cgroup /one: cgroups have no paths here: $why" \
	proclife-read --cgroup /one --duration 0.1
expect 'cgroups: all else' 0 ' free +[0-9]+ true ' ten
umount /sys/fs/cgroup/pids /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 1
expect 'cgroups: --status of those who have them' 1 '' eval 'proclife-read --status | grep ^cgroups'

# Lockdown comes last: it stays.
lockdown=/sys/kernel/security/lockdown
if [[ -w $lockdown ]]; then
	echo confidentiality >$lockdown
	why='/dev/proclife: refused: the kernel is locked down \(confidentiality\); boot without'
	expect 'lockdown: events' 1 "$why" proclife-read --duration 0.1
	expect 'lockdown: --status' 1 "$why" proclife-read --status
	expect 'lockdown: log' 0 'Lockdown: proclife-read: .* restricted' log
	rmmod proclife || exit 1
	expect 'lockdown: --load' 1 '--load: refused: the kernel is locked down \(confidentiality\)' \
		proclife-read --load --duration 0.1
else
	rmmod proclife || exit 1
fi
expect_done
