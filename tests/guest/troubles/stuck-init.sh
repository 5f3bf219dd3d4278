# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "The container does not go away": its process 1 has exited, and waits in the kernel until all others of its PID
# namespace are reaped. One of these is a zombie of shim, outside: its child, or one that it traces.
notices=$PWD/$B/tests/guest/workloads/notices
pid() { awk -v name="$1" '$1 == name { print $2 }' "$here/pids"; }
# ends SHIM INIT: without it, the zombie is reaped, and then the init is.
ends() {
	kill "$1"
	{ wait "$1"; } 2>/dev/null
	for _ in {1..100}; do
		[[ -e /proc/$2 ]] || return
		sleep 0.1
	done
}

for kind in parent tracer; do
	"$notices" stuck 60000 $kind >"$here/pids" &
	sleep 2
	init=$(pid stuck-init) blocker=$(pid blocker) shim=$(pid shim)
	expect "$kind: one zombie" 0 "^ .* $blocker +blocker .*shim \($shim\)" proclife-read --zombies
	cp "$work/output" "$here/zombies"
	expect "$kind: and not the init" 0 '^1 zombie$' cat "$here/zombies"
	expect "$kind: dying" 0 " $init +[0-9]+ +stuck-init" proclife-read --dying
	cp "$work/output" "$here/dying"
	expect "$kind: what it waits for" 0 "waits for .*blocker \($blocker\), a zombie that shim \($shim\)" cat "$here/dying"
	expect "$kind: dying, JSON" 0 "\"pid\":$init,.*\"waits_for\":\[\{\"pid\":$blocker,\"comm\":\"blocker\",.*\"reaper_pid\":$shim," \
		proclife-read --dying --json
	expect "$kind: metrics" 0 '' proclife-read --metrics "$here/metrics.prom" --duration 1
	expect "$kind: metrics: dying" 0 '^proclife_dying 1$' cat "$here/metrics.prom"
	expect "$kind: metrics: zombies" 0 '^proclife_zombies 1$' cat "$here/metrics.prom"
	left=0
	[[ $kind == parent ]] || left=1 # what is traced is a child of the init, and selected with it
	expect "$kind: verdict" 0 'ok|zombies' proclife-read --duration 0.5 --expect "zombies==$left" --pid "$init"
	ends $! "$init"
	expect "$kind: recorded" 0 '' proclife-read --quiet --record "$here/$kind" --duration 3 -- "$notices" stuck 60000 $kind
	cp "$work/output" "$here/pids"
	init=$(pid stuck-init)
	expect "$kind: in the tree" 0 "^[^0-9]*$init .*stuck-init.*dying" proclife-read -i "$here/$kind" --tree --no-fold
	expect "$kind: state" 0 "\"pid\":$init,.*\"state\":\"dying\"" proclife-read -i "$here/$kind" --tree --json
	expect "$kind: sums" 0 '"dying":1,"zombies":1,' proclife-read -i "$here/$kind" --latency --json
	ends "$(pid shim)" "$init"
done
