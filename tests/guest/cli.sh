#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# proclife-read's output and exit status, as users see them, inside the guest.
set -u
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modules=/lib/modules/$(uname -r)/updates
release=$(uname -r | sed 's/[.+]/\\&/g') # as a pattern

# Why there is no device. Hides the kernel's own modules, which depmod takes a minute to read.
expect 'not loaded' 1 "/dev/proclife: module not loaded; run 'modprobe proclife'" proclife-read --source=module
mkdir "$work/index" && cp -a "${modules%/*}"/modules.* "$work/index/" || exit 1
mount -t tmpfs none "${modules%/*}/kernel" && mv "$modules" "$work/away" && depmod || exit 1
expect 'not installed' 1 '/dev/proclife: .*run .*dkms' proclife-read --source=module
mkdir -p /lib/modules/5.5.5 && cp -r "$work/away" /lib/modules/5.5.5/updates && depmod 5.5.5 2>/dev/null
expect 'other kernel' 1 "module built for 5\.5\.5, not for the running $release" \
	proclife-read --source=module
rm -r /lib/modules/5.5.5
mv "$work/away" "$modules" && umount "${modules%/*}/kernel" && cp -a "$work/index"/* "${modules%/*}/" || exit 1
expect 'bad parameter' 1 'Invalid argument' modprobe proclife ring_kb=3

# --load
expect '--load' 0 '1 process' proclife-read --load --unload --latency -- true
expect '--unload unloads' 1 '' grep -w ^proclife /proc/modules
expect 'nothing is left' 0 '' test ! -e /dev/proclife

modprobe proclife || exit 1
expect 'not root' 1 '/dev/proclife: permission denied; run as root' \
	setpriv --reuid 65534 --clear-groups proclife-read
chgrp daemon /dev/proclife && chmod 440 /dev/proclife || exit 1
expect 'not of the group' 1 '/dev/proclife: permission denied; run as root, or as a member of the group daemon$' \
	setpriv --reuid 65534 --clear-groups proclife-read

# Usage
expect '--pid x' 129 "\-\-pid x: not a process ID" proclife-read --pid x
expect '--pid of nobody' 1 '4194303' proclife-read --tree --pid 4194303
expect 'unknown option' 129 "--nonsense: there is no such option" proclife-read --nonsense
expect 'two views' 129 'only --lives, --tree, --summary, --critical-path, --latency, --parents and --html' proclife-read --events --tree
expect '--duration x' 129 '\-\-duration x' proclife-read --duration x
expect '--count 0' 129 '\-\-count 0' proclife-read --count 0

# A command's status is ours.
expect 'status 7' 7 'status 7' proclife-read --tree -- sh -c 'exit 7'
expect 'killed' 143 'SIGTERM' proclife-read --tree -- sh -c 'kill -TERM $$'
expect 'interrupted' 0 'deaths' timeout --preserve-status -s INT 1 proclife-read
expect 'terminated' 0 'exit_free' timeout --preserve-status -s TERM 1 proclife-read --latency
expect 'not found' 127 'nosuchcommand: command not found' proclife-read -- nosuchcommand
expect 'not executable' 126 '/etc/passwd: cannot execute' proclife-read -- /etc/passwd

# The views show what really happened.
expect 'tree' 0 '├─ true|└─ true' proclife-read --tree -- sh -c '/bin/true; /bin/true; :'
expect 'follows a daemon' 0 ' sleep 1  2 execs, reaped by 1$' \
	proclife-read --tree -- sh -c 'setsid /bin/sleep 1 & exit 0'
expect 'latency names the kernel' 0 "(^| )$release\\.$" proclife-read --latency -- true
expect 'latency names the mark' 0 'Exits begin where do_exit\(\) begins' proclife-read --latency -- true
expect 'arguments' 0 "args .* sh -c 'exit 0' 'two words'\$" \
	proclife-read --events -- sh -c 'exit 0' 'two words'
expect 'arguments in the tree' 0 " sleep 0.1\$" proclife-read --tree -- sh -c 'sleep 0.1; :'
expect 'the killer' 0 'SIGKILL from sh \([0-9]+\)$' \
	proclife-read --tree -- sh -c 'sleep 100 & kill -KILL $!; wait $!; :'
expect 'three phases' 0 '^teardown +exit→notified +1 ' proclife-read --latency -- true

# A page; tests/html tests it in a browser.
expect 'a page' 7 '' proclife-read --html "$work/page.html" -- sh -c 'exit 7'
expect 'it is nobody else'"'"'s' 0 '^600$' stat -c %a "$work/page.html"
expect 'it is whole' 0 '^</html>$' tail -n 1 "$work/page.html"

# Verdicts.
expect 'nothing is left' 0 '^left==0 +0 +ok' proclife-read --expect left==0 -- sh -c 'sleep 0.1 & wait'
expect 'something is left' 2 '^ +[0-9]+ +[0-9.]+ ms  (setsid )?sleep 3$' \
	proclife-read --expect left==0 --left-after 500ms -- sh -c 'setsid sleep 3 & exit 0'
expect 'failures' 2 'expected failed==0, but it is 1' proclife-read --expect failed==0 -- sh -c '/bin/false; true'
expect 'as expected' 0 'life.count==1 .* ok$' \
	proclife-read --expect life.count==1 --expect lost==0 --expect 'exit_free.max<1h' -- true
expect 'not as expected' 2 "expected 'life.count>1', but it is 1\$" \
	proclife-read --expect 'life.count>1' -- true
expect 'KTAP' 2 '^not ok 2 life.count>1$' \
	proclife-read --ktap --expect lost==0 --expect 'life.count>1' -- true
expect 'KTAP: passed' 0 '^ok 1 lost==0' proclife-read --ktap --expect lost==0 -- true
cp "$work/output" "$work/ktap"
expect 'prove takes the KTAP' 0 'Result: PASS' prove -e cat "$work/ktap"

source=$(sed -nE 's/.* [tT] (cgroup_(task_)?release)$/\1/p' /proc/kallsyms)
expect 'status' 0 "reap +[0-9,]+ +at $source\(\)" proclife-read --status
expect 'status: parameters' 0 '"parameters":\{.*"ring_kb":"[0-9]+"' proclife-read --status --json
expect '--threads' 0 '^zombie +exit→reap +5 ' \
	proclife-read --latency --threads -- "$B/tests/guest/workloads/leader_first" 1
expect '--count' 0 '^ *[0-9]+\.[0-9]{9} ' proclife-read --count 5 --history --events --monotonic
cp "$work/output" "$work/said"
expect '--count: that many' 0 '^5$' grep -cE '^ *[0-9]+\.[0-9]{9} ' "$work/said"
expect '--history' 0 'exit .*status 7' proclife-read --history --events --duration 0.1
expect '--pid' 0 ' 1 +bash' proclife-read --events --history --pid 1 --duration 0.1

# Each process has its marks, in order.
# shellcheck disable=SC2016 # for eval
expect 'kill_many' 0 '' eval \
	'proclife-read --tree --json -- "$B/tests/guest/workloads/kill_many" >"$work/json"'
sed -n 's/.*"type":"process".*"exited":\([0-9]*\),.*"reaped":\([0-9]*\),"freed":\([0-9]*\).*/\1 \2 \3/p' \
	"$work/json" >"$work/marks"
expect 'kill_many: 1001 lives' 0 '^1001$' awk 'END { print NR }' "$work/marks"
# shellcheck disable=SC2016 # awk expands them
expect 'kill_many: exit, then reap, then free' 0 '^0$' \
	awk '!($1 > 0 && $2 > $1 && $3 > $2) { bad++ } END { print bad + 0 }' "$work/marks"

# A recording shows what the live run showed, byte for byte, and other programs read it as a CTF trace.
# replays NAME LINES VIEW...: a view has at least LINES lines: two empty ones would be equal, too.
replays() {
	# shellcheck disable=SC2034 # for eval
	local dir=$work/recording.$1 view=("${@:3}")
	# shellcheck disable=SC2016 # for eval
	expect "$1: live" 0 '' eval 'proclife-read --record "$dir" "${view[@]}" \
		-- stress-ng --quiet --fork 4 --fork-ops 200 >"$work/live" 2>/dev/null'
	expect "$1: nothing is lost" 0 '^lost==0 +0 +ok$' proclife-read -i "$dir" --expect lost==0
	expect "$1: replay" 0 '' proclife-read -i "$dir" "${view[@]}"
	same "$1: live and replayed" "$work/live" "$work/output"
	expect "$1: how much" 0 '' test "$(wc -l <"$work/output")" -ge "$2"
	expect "$1: babeltrace2" 0 '' babeltrace2 -o dummy "$dir"
}
replays tree 10 --tree --latency
replays events 800 --events
replays json 200 --tree --json
replays lives 200 --lives
replays ranked 10 --lives --sort zombie --json
expect 'named as LTTng names them' 0 'sched_process_fork: .* child_comm = "stress-ng"' \
	babeltrace2 "$work/recording.tree"
expect 'no recording' 1 'not a recording' proclife-read -i /etc

# A slice of a recording shows the same of the lives it has, and says that it is a slice.
part=$work/part recorded=$work/recording.tree
expect 'slice' 0 'part: [0-9,]+ process' \
	proclife-read -i "$recorded" --comm stress-ng --slice "$part"
expect 'slice: what it is cut out of' 0 '' proclife-read -i "$recorded" --latency --comm stress-ng
cp "$work/output" "$work/whole"
expect 'slice: its latencies' 0 '' proclife-read -i "$part" --latency --comm stress-ng
same 'slice: the same latencies' "$work/whole" "$work/output"
expect 'slice: nothing is lost' 0 'ok' proclife-read -i "$part" --expect lost==0
expect 'slice: babeltrace2' 0 '' babeltrace2 -o dummy "$part"
# Both compressed: they are read as they are, and a slice of one is plain.
seq 100 >"$work/numbers"
expect 'compressed' 0 '' proclife-read --record "$work/compressed" --compress --summary -- \
	xargs -a "$work/numbers" -n 1 true
grep '  true ' "$work/output" >"$work/whole"
expect 'compressed: no file is left as it was' 0 '' test -z "$(find "$work/compressed" -name 'cpu_*' -size +4k ! -name '*.zst')"
expect 'compressed: its files' 0 '' test -n "$(find "$work/compressed" -name 'cpu_*.zst')"
expect 'compressed: the same' 0 '' proclife-read -i "$work/compressed" --summary
grep '  true ' "$work/output" >"$work/again"
same 'compressed: the same line' "$work/whole" "$work/again"
expect 'compressed: a slice' 0 'compressed to [0-9]+ bytes' \
	proclife-read -i "$work/compressed" --comm true --slice "$work/compressed.part" --compress
expect 'compressed: plain again' 0 '' proclife-read -i "$work/compressed" --slice "$work/plain.part"
expect 'compressed: plain again: babeltrace2' 0 '' babeltrace2 -o dummy "$work/plain.part"
expect 'info: the recording' 0 '^command +[0-9]+, status 0: stress-ng' proclife-read -i "$recorded" --info
uuid=$(awk '$1 == "uuid" { print $2 }' "$work/output")
expect 'info: the slice' 0 "^slice of +$uuid" proclife-read -i "$part" --info

# A full disk ends the recording, but not the view. The recording can be read up to its last whole
# packet, by us and by other programs.
full_disk() {
	local small=$work/small dir=$work/small/recording others
	mkdir -p "$small" && mount -t tmpfs -o size=512k none "$small" || return
	expect 'full disk' 1 \
		'recording: No space left on device; the recording ends here, .*make room and record again$' \
		proclife-read --record "$dir" --tree -- stress-ng --quiet --fork 4 --fork-ops 1000
	cp "$work/output" "$work/said"
	# Less than a packet of 64 KiB may be free.
	expect 'full disk: no room is left' 0 '' test "$(stat -f -c %f "$small")" -lt 32
	expect 'full disk: replay' 3 'the recording was cut off: .* from [0-9]+\.[0-9]{9} on records' \
		proclife-read -i "$dir" --tree --monotonic
	expect 'full disk: events' 3 ' fork .* by stress-ng' \
		proclife-read -i "$dir" --events --monotonic
	grep -cE '^ *[0-9]+\.[0-9]{9} ' "$work/output" >"$work/count"
	# The view ends where the first CPU's packets end, which can be long before the others'.
	expect 'full disk: much of it is shown' 0 '' test "$(<"$work/count")" -gt 500
	expect 'full disk: babeltrace2' 0 '' babeltrace2 "$dir"
	others=$(grep -c '^\[' "$work/output")
	expect 'full disk: most of it is there' 0 '' test "$others" -gt 2000
	# Other programs also see processes that do not descend from the command.
	expect 'full disk: babeltrace2 finds as much' 0 '' test "$others" -ge "$(<"$work/count")"
	umount "$small"
}
full_disk
expect 'full disk: the view goes on' 0 '^[0-9,]+ processes.* no loss$' cat "$work/said"

# The manual's example that waits for records and its input in one epoll.
coproc asked { exec "$B/tests/examples/libproclife.3-3" 2>&1; }
asked_pid=$! asked_in=${asked[1]}
ask() {
	local answer
	echo >&"$asked_in"
	read -r -t 30 answer <&"${asked[0]}"
	echo "$answer"
}
naps() {
	sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$asked_pid/status"
}
ask >"$work/answers"
before=$(naps)
stress-ng --quiet --fork 4 --fork-ops 500
after=$(naps)
ask >>"$work/answers"
expect 'epoll: it answers' 0 '^2$' grep -cE '^[0-9]+ processes, 0 records lost$' "$work/answers"
# shellcheck disable=SC2016 # awk expands them
expect 'epoll: it has counted them' 0 '^many$' \
	awk '{ n = $1 - last; last = $1 } END { print (n >= 500 ? "many" : n) }' "$work/answers"
expect 'epoll: records wake it' 0 '' test "$after" -gt "$before"
exec {asked_in}>&-
wait "$asked_pid"
expect 'epoll: the end of the input ends it' 0 '' test $? = 0

# Two readers at once see the same records in the same order.
readers=()
for reader in 1 2; do
	proclife-read --events --json >"$work/$reader" 2>/dev/null &
	readers+=($!)
done
until [[ -s $work/1 && -s $work/2 ]]; do
	sleep 0.1
done
stress-ng --fork 4 --fork-ops 500 >/dev/null 2>&1
kill -TERM "${readers[@]}"
for reader in 1 2; do
	expect "two readers: $reader has lost nothing" 0 '' wait "${readers[reader - 1]}"
	sed -n '/"type":"\(trace\|end\|task\)"/!s/^{"v":1,"type":"[a-z]*","ts":\([0-9]*\),.*"start":\([0-9]*\),.*/\1 \2 &/p' \
		"$work/$reader" >"$work/$reader.records"
done
# They started, and stopped, a moment apart. The later one has not seen the whole life of a task from before
# it, so it does not show that task's phases.
from=$(for reader in 1 2; do head -n 1 "$work/$reader.records"; done | sort -n | tail -n 1 | cut -d' ' -f1)
to=$(for reader in 1 2; do tail -n 1 "$work/$reader.records"; done | sort -n | head -n 1 | cut -d' ' -f1)
for reader in 1 2; do
	awk -v from="$from" -v to="$to" '$2 >= from && $1 <= to' "$work/$reader.records" >"$work/$reader.common"
done
same 'two readers' "$work/1.common" "$work/2.common"
expect 'two readers had something to read' 0 '' test "$(wc -l <"$work/1.common")" -gt 1500
# Two CPUs can write in the same nanosecond.
expect 'in order' 0 '' sort -c -s -n -k1,1 "$work/1.common"
rmmod proclife || failed=$((failed + 1))

# Losses are reported, with an exit status of their own: a reader is stopped while a small ring wraps.
modprobe proclife ring_kb=4
stalled_reader() {
	proclife-read "$@" &
	local reader=$!
	sleep 1
	kill -STOP $reader
	stress-ng --fork 4 --fork-ops 100 >/dev/null 2>&1
	kill -CONT $reader
	sleep 1
	kill -TERM $reader
	wait $reader
}
expect 'loss in the latencies' 3 'records were lost' stalled_reader --latency
expect 'loss in the events' 3 '^-- [0-9,]+ records lost on CPU [0-9]+ between ' stalled_reader --events
expect 'loss in the tree' 3 'lost' stalled_reader --tree
expect 'loss in JSON' 3 '"type":"(gap|lost)"' stalled_reader --events --json
rmmod proclife || failed=$((failed + 1))

expect_done
