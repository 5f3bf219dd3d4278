# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # a part of troubles.sh, with which it shares variables
# What sent the signal? The process is named, whichever of its threads sent it; and the kernel's reason is shown:
# the end of the parent, of a pid namespace or of a tracer, a key of the terminal, a hangup, the OOM killer.
causes=$B/tests/guest/workloads/causes

# recorded NAME COMMAND...: records it in $here/NAME; its output is in $here/NAME.out
recorded() {
	local name=$1
	shift
	proclife-read --record "$here/$name" -- "$@" >"$here/$name.out" 2>"$here/$name.err" </dev/null
}

# views NAME PID TEXT: every view of that recording that shows what ended PID matches TEXT.
views() {
	local in=(-i "$here/$1")
	expect "$1: --lives" 0 " $2 .*$3" proclife-read "${in[@]}" --lives
	expect "$1: --tree" 0 " $2 .*$3" proclife-read "${in[@]}" --tree --no-fold
	on_page_rows "$1: --html" "^$2 .*  killed by $3" proclife-read "${in[@]}"
}

recorded thread "$causes" thread
read -r pid warden worker <"$here/thread.out"
views thread "$pid" "SIGKILL from warden \\($warden\\)"
expect 'thread: JSON' 0 "\"killer\":.*\"pid\":$warden,\"tid\":$worker,\"comm\":\"warden\",\"thread_comm\":\"worker\"" \
	proclife-read -i "$here/thread" --lives --json
expect 'thread: --events' 0 "SIGKILL from warden $worker/$warden \\(thread worker\\)" \
	proclife-read -i "$here/thread" --events=signal
expect 'thread: --events, reap' 0 "by warden $worker/$warden \\(thread worker\\)" proclife-read -i "$here/thread" --events=reap
expect 'thread: --events, JSON' 0 '"reaper_thread_comm":"worker",.*"reaper_comm":"warden"' \
	proclife-read -i "$here/thread" --events=reap --json
expect 'thread: --by reaper' 0 '"by":"reaper",.*"group":"warden"' proclife-read -i "$here/thread" --latency --by reaper --json
cp "$work/output" "$here/groups"
expect 'thread: no group of a thread' 1 '' grep '"group":"worker"' "$here/groups"
expect 'thread: --parents' 0 "^warden +$warden " proclife-read -i "$here/thread" --parents --no-fold
expect 'thread: --export csv' 0 ",SIGKILL,0,$warden,$worker,warden,worker,,,,,,false,$warden,warden," \
	proclife-read -i "$here/thread" --export csv
expect 'thread: --on' 0 "SIGKILL from warden \\([0-9]+\\)" proclife-read --on failed --duration 30 -- "$causes" thread

recorded parent "$causes" parent
read -r pid keeper <"$here/parent.out"
views parent "$pid" "SIGTERM, parent-death signal: its parent keeper \\($keeper\\) had ended"
expect 'parent: JSON' 0 "\"pid\":$pid,.*\"killer\":.*\"comm\":\"keeper\",.*\"cause\":\"parent-end\"" \
	proclife-read -i "$here/parent" --lives --json
expect 'parent: --events' 0 'SIGTERM from keeper .*, its parent, as it ended' proclife-read -i "$here/parent" --events=signal

recorded key "$causes" key sleep 100
read -r pid _ <"$here/key.out"
views key "$pid" 'SIGINT from the terminal'
expect 'key: JSON' 0 "\"pid\":$pid,.*\"cause\":\"terminal\"" proclife-read -i "$here/key" --lives --json
expect 'key: no kworker' 1 '' sh -c "proclife-read -i '$here/key' --lives | grep kworker"

recorded hangup "$causes" hangup sleep 100
read -r pid closer <"$here/hangup.out"
views hangup "$pid" "SIGHUP from the terminal, by causes \\($closer\\)"

recorded namespace unshare --pid --fork sh -c 'sleep 100 & sleep 0.5'
expect 'namespace: --lives' 0 'sleep 100 +SIGKILL from the kernel: the init of its pid namespace, sh \([0-9]+\), had ended' \
	proclife-read -i "$here/namespace" --lives
expect 'namespace: JSON' 0 '"killer":.*"cause":"namespace-end"' proclife-read -i "$here/namespace" --lives --json
expect 'namespace: nobody ignored that' 1 '' sh -c "proclife-read -i '$here/namespace' --parents --no-fold | grep ignored"
expect 'namespace: --parents' 0 '^sh .*ended its pid namespace, with 1' \
	proclife-read -i "$here/namespace" --parents --no-fold
