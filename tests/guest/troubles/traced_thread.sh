# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "A zombie, and its parent is in wait() for it": a debugger traces a thread of it, which has ended, and does not
# wait for that thread. So no parent has been notified: it is no zombie of builder, which could do nothing about it.
notices=$PWD/$B/tests/guest/workloads/notices
pid() { awk -v name="$1" '$1 == name { print $2 }' "$here/pids"; }
"$notices" thread 24000 >"$here/pids" &
sleep 2
job=$(pid job)
expect 'the kernel has a zombie' 0 '^State:.*Z ' cat "/proc/$job/status"
expect 'no zombie' 0 '^0 zombies$' proclife-read --zombies
expect 'dying' 0 "\"pid\":$job,.*\"parent_pid\":$(pid builder),.*\"tracer_pid\":$(pid debugger)," proclife-read --dying --json
expect 'dying: text' 0 ", traced by debugger \\($(pid debugger)\\)$" proclife-read --dying
expect 'a verdict' 0 'ok|zombies' proclife-read --duration 0.5 --expect zombies==0
expect 'metrics' 0 '' proclife-read --metrics "$here/metrics.prom" --duration 1
expect 'metrics: dying' 0 '^proclife_dying 1$' cat "$here/metrics.prom"
expect 'metrics: zombies' 0 '^proclife_zombies 0$' cat "$here/metrics.prom"
for how in --from-now --history; do
	past=()
	[[ $how != --history ]] || past=(--history)
	expect "$how: recorded" 0 '' proclife-read "${past[@]}" --quiet --duration 0.5 --record "$here/part$how"
	expect "$how: the tree" 0 'job .*dying' proclife-read -i "$here/part$how" --tree --pid "$job"
	expect "$how: JSON" 0 "\"pid\":$job,.*\"state\":\"dying\"" proclife-read -i "$here/part$how" --tree --json --pid "$job"
	expect "$how: a verdict" 0 'ok|zombies' proclife-read -i "$here/part$how" --expect zombies==0
done
wait $!
expect 'recorded' 0 '' proclife-read --quiet --record "$here/all" -- "$notices" thread 1500
cp "$work/output" "$here/pids"
expect 'the parent is not to blame' 0 'ok|zombie' proclife-read -i "$here/all" --expect 'zombie.max<1s'
expect 'it is teardown' 0 "\"pid\":$(pid job),.*\"teardown\":1[0-9]{9}," proclife-read -i "$here/all" --lives --sort time --json
