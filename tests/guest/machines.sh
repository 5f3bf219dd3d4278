#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Machines that lack something: memory, the unified hierarchy of cgroups, the hook of REAP, or the
# permission to trace. It checks what the module does without it, and what the log, --status and the
# program report: name, reason and remedy. On the kernel `bare` of tests/vm/run, more is missing.
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
log_begins=$logged

# The last record of a life on every kernel but `bare`.
last=reap
grep -q ' register_kprobe$' /proc/kallsyms || last=free

# ten: counts the records of ten processes.
ten() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
	sleep 0.5
	proclife-read --history --events --duration 0.5
}

# missing: a line for each thing that --status finds missing, and why; its text and its JSON agree.
missing() {
	proclife-read --status >"$work/status" && proclife-read --status --json >"$work/json" || return
	sed -nE -e 's/^(cgroups) +without paths: (.*)/\1: \2/p' \
		-e 's/^([a-z]+) +- +(.*)/\1: \2/p' "$work/status" >"$work/missing"
	sed -nE -e 's/.*"type":"status".*"no_cgroup_paths":"([^"]*)".*/cgroups: \1/p' \
		-e 's/.*"type":"feature","record":"([a-z]+)","present":false.*"reason":"([^"]*)".*/\1: \2/p' \
		"$work/json" >"$work/missing.json"
	cat "$work/missing"
	cmp "$work/missing" "$work/missing.json"
}

# Memory is short when the module is loaded: no process is killed for it.
mib=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo) / 1024))
cpus=$(nproc)
ring_kb=4096
while ((ring_kb < 1048576 && ring_kb * cpus < mib * 1024)); do ring_kb=$((ring_kb * 2)); done
expect 'memory, load: modprobe' 1 'Cannot allocate memory' modprobe proclife "ring_kb=$ring_kb"
expect 'memory, load: log' 0 "proclife: ring_kb=$ring_kb: no memory for the rings of $cpus CPUs; load .* smaller" log
mkdir -p /etc/modprobe.d && echo "options proclife ring_kb=$ring_kb" >/etc/modprobe.d/proclife-test.conf
expect 'memory, load: --load' 1 "--load: not enough memory for the rings.*'modprobe proclife ring_kb=256'" \
	proclife-read --source=module --load --duration 0.1
rm /etc/modprobe.d/proclife-test.conf
expect 'memory, load: it is not loaded' 1 '^proclife-read: /dev/proclife: module not loaded; run' \
	proclife-read --source=module --status --json
expect 'memory, load: the log has no killing' 1 '' \
	eval "dmesg | tail -n +$((log_begins + 1)) | grep -i 'out of memory\\|oom-kill'"

# Memory is short when a CPU comes up: it comes up once there is memory.
cpu=/sys/devices/system/cpu/cpu$((cpus - 1))/online
if [[ -e $cpu ]]; then
	echo 0 >$cpu && modprobe proclife ring_kb=131072 || exit 1
	fill=$(mktemp -p /dev/shm)
	available=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo) / 1024))
	mount -o remount,size=100% /dev/shm
	fallocate -l "$((available - 90))M" "$fill" # without a write, of which an emulated CPU takes a minute
	log >/dev/null
	expect 'memory, CPU: it stays off' 1 'Cannot allocate memory' bash -c "echo 1 >$cpu"
	expect 'memory, CPU: log' 0 "proclife: no memory for the ring of CPU $((cpus - 1)), which stays off: " log
	expect 'memory, CPU: all else is recorded' 0 " $last +[0-9]+ true " ten
	expect 'memory, CPU: no ring' 1 '' eval \
		"proclife-read --status | grep -E '^ *$((cpus - 1)) .* 128 MiB ' ||
			proclife-read --status --json | grep '\"type\":\"ring\",\"cpu\":$((cpus - 1)),'"
	rm "$fill"
	expect 'memory, CPU: it comes up later' 0 '' bash -c "echo 1 >$cpu"
	expect 'memory, CPU: its ring' 0 "^ *$((cpus - 1)) .* 128 MiB " proclife-read --status
	expect 'memory, CPU: its ring in JSON' 0 "\"type\":\"ring\",\"cpu\":$((cpus - 1))," \
		proclife-read --status --json
	rmmod proclife || exit 1
fi

# Memory is short for a reader: for its mapping, or for the snapshot, an ioctl whose number is known.
modprobe proclife ring_kb=65536 || exit 1
why="/dev/proclife: not enough memory to map the rings; raise 'ulimit -v' .* 'modprobe proclife ring_kb=256'"
for json in '' --json; do
	expect "memory, reader: mapping $json" 1 "$why" \
		bash -c "ulimit -v 200000; exec proclife-read --status $json"
done
strace -o "$work/requests" -e trace=ioctl proclife-read --duration 0.1 >"$work/output" 2>&1 </dev/null
# strace also shows requests that it has no name for.
snapshot=$(grep '^ioctl(' "$work/requests" | grep -n ' 0xf7, 0x2, ' | sed -n '1s/:.*//p')
expect 'memory, reader: snapshot' 1 '/dev/proclife: not enough memory to follow all tasks; .*memory\.max' \
	strace -o "$work/requests" -e trace=ioctl -e "inject=ioctl:error=ENOMEM:when=${snapshot:-none}" \
	proclife-read --duration 0.1
rmmod proclife || exit 1

# No file system of the unified hierarchy.
modprobe proclife || exit 1
if [[ -e /proc/self/cgroup ]]; then
	expect 'cgroups: nothing is missing before' 1 '' eval 'missing | grep ^cgroups'
	why="no cgroup2 file system is mounted here; 'mount -t cgroup2 cgroup2 DIR' does it"
	umount /sys/fs/cgroup && mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir -p /sys/fs/cgroup/pids &&
		mount -t cgroup -o pids cgroup /sys/fs/cgroup/pids && mkdir -p /sys/fs/cgroup/pids/one || exit 1
else
	why='this kernel has no cgroups \(CONFIG_CGROUPS\)'
fi
expect 'cgroups: --status' 0 "^cgroups: $why\$" missing
expect 'cgroups: --cgroup' 1 "--cgroup /one: cgroups have no paths here: $why" \
	proclife-read --cgroup /one --duration 0.1
expect 'cgroups: all else' 0 ' free +[0-9]+ true ' ten
if [[ -e /proc/self/cgroup ]]; then
	umount /sys/fs/cgroup/pids /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 1
	expect 'cgroups: nothing is missing again' 1 '' eval 'missing | grep ^cgroups'
fi
rmmod proclife || exit 1

# without_reap NAME WHY LOG: the module loads; only what needs hooks is missing, and each view reports that.
without_reap() {
	local type
	log >/dev/null
	modprobe proclife || exit 1
	expect "$1: log" 0 "proclife: do_exit\(\), .*cgroup(_task)?_release\(\), .*(do|vfs)_coredump\(\)(, out_of_memory\(\))?: $3 \(-[0-9]+\), \
recording without EXITING, .*REAP, .*COREDUMP" log
	for type in reap exiting coredump; do
		expect "$1: --status: $type" 0 "^$type: $2\$" missing
	done
	expect "$1: --status has no source of REAP" 0 '"type":"status".*"reap_source":null' \
		proclife-read --status --json
	ten >"$work/ten"
	for type in exec exit free; do
		expect "$1: $type" 0 '' grep -E " $type +[0-9]+ true " "$work/ten"
	done
	expect "$1: fork" 0 '' grep -E ' fork +[0-9]+ ' "$work/ten"
	expect "$1: no REAP" 1 '' grep -E ' reap +[0-9]+ ' "$work/ten"
	expect "$1: --latency" 0 'zombie and rcu_free cannot be distinguished' \
		proclife-read --history --latency --duration 0.1
	expect "$1: --latency has no such phase" 1 '' eval 'proclife-read --history --latency --json \
		--duration 0.1 | grep -E "\"phase\":\"(zombie|rcu_free)\",\"count\":[1-9]"'
	expect "$1: exits begin at EXIT" 0 '^Exits begin (before|after) the address space is torn down' \
		proclife-read --history --latency --duration 0.1
	expect "$1: --latency has the others" 0 '"phase":"exit_free","count":[1-9]' \
		proclife-read --history --latency --json --duration 0.1
	expect "$1: --parents" 0 '^REAP is not recorded: which process reaps, and how soon, is not known' \
		proclife-read --history --parents --duration 0.1
	expect "$1: a verdict" 2 '^zombies==0 +not measured +FAILED$' \
		proclife-read --history --expect 'zombies==0' --duration 0.1
	expect "$1: --tree" 0 '─ true$' proclife-read --tree -- sh -c '/bin/true; /bin/true; :'
	expect "$1: --tree knows no reaper" 1 '' eval 'proclife-read --tree --json -- /bin/true |
		grep -E "\"reaped\":[1-9]|\"state\":\"zombie\""'
	rmmod proclife || exit 1
}

# The hook of REAP is switched off, or does not exist.
ftrace=/proc/sys/kernel/ftrace_enabled
# If hooks are kprobes without ftrace, as on arm64 before Linux 6.2, ftrace can be switched off at any time.
modprobe proclife || exit 1
plain_kprobes=''
[[ ! -e $ftrace ]] || ! echo 0 2>/dev/null >$ftrace || { plain_kprobes=yes && echo 1 >$ftrace; }
rmmod proclife || exit 1
if [[ $plain_kprobes ]]; then
	echo 'machines: skipped: the hooks are kprobes without ftrace'
elif [[ -e $ftrace ]] && echo 0 2>/dev/null >$ftrace; then
	why='kernel\.ftrace_enabled is 0; set it to 1 and load the module again'
	without_reap 'no ftrace' "$why" "$why"
	echo 1 >$ftrace
	modprobe proclife cgroups=1 births=1 failures=1 times=1 paths=1 env=PATH || exit 1
	expect 'ftrace again: nothing is missing' 1 '' eval 'missing | grep .'
	rmmod proclife || exit 1
elif [[ $last == free ]]; then
	without_reap 'no kprobes' 'no hook for it on this kernel, see dmesg' \
		'this kernel has no kprobes, CONFIG_KPROBES'
fi

modprobe proclife cgroups=1 births=1 failures=1 times=1 paths=1 env=PATH || exit 1
if [[ ! -e /proc/sys/kernel/hung_task_timeout_secs ]]; then
	expect 'no hung task detector: --status' 0 \
		'^hang: this kernel has no hung task detector \(CONFIG_DETECT_HUNG_TASK\)$' missing
fi

# Lockdown comes last, since it cannot be undone. Tracing is allowed until it is for confidentiality.
lockdown=/sys/kernel/security/lockdown
if [[ -w $lockdown ]]; then
	grep -q '\[none\]' $lockdown && echo integrity >$lockdown
	expect 'lockdown for integrity: --status' 1 '' eval 'missing | grep .'
	expect 'lockdown for integrity: all is recorded' 0 ' reap +[0-9]+ true ' ten
	log >/dev/null
	echo confidentiality >$lockdown
	why='/dev/proclife: refused: the kernel is locked down \(confidentiality\); boot without'
	expect 'lockdown: events' 1 "$why" proclife-read --duration 0.1
	expect 'lockdown: --status' 1 "$why" proclife-read --status
	expect 'lockdown: --status --json' 1 "$why" proclife-read --status --json
	expect 'lockdown: no JSON' 1 '' eval 'proclife-read --status --json 2>/dev/null | grep .'
	expect 'lockdown: log' 0 'Lockdown: proclife-read: .* restricted' log
	rmmod proclife || exit 1
	expect 'lockdown: --load' 1 '--load: refused: the kernel is locked down \(confidentiality\)' \
		proclife-read --source=module --load --duration 0.1
else
	rmmod proclife || exit 1
fi
expect_done
