# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "It never ends, and its own zombie is never freed": children that proclife-read has not forked. A command makes
# it the parent of its siblings (CLONE_PARENT); it adopts orphans if it is a subreaper, or process 1 of a
# container; and it has some from before its execve(2). Each of `orphans` is freed soon after its end.
orphans=$PWD/$B/tests/guest/workloads/orphans

# The command's status, 7, is not lost among theirs; a sibling and an orphan end after the command.
# shellcheck disable=SC2016 # of sh
expect 'a command that leaves children' 7 '"comm":"sibling",.*"status":3' timeout 60 \
	sh -c 'echo $$ >"$0" && exec "$@"' "$here/reader" "$orphans" brings \
	proclife-read --quiet --lives --json --record "$here/left" -- "$orphans" leaves 7
cp "$work/output" "$here/told"
reader=$(<"$here/reader")
command=$(sed -nE 's/.*"pid":([0-9]+),.*"args":\[[^]]*"leaves","7"\].*/\1/p' "$here/told")
expect 'sibling: its parent is that of the command' 0 \
	"\"parent_pid\":$reader,\"creator_pid\":$command,.*\"comm\":\"sibling\"," cat "$here/told"
read=(proclife-read -i "$here/left")
expect 'sibling: in a tree' 0 "sibling  status 3, forked by $command$" "${read[@]}" --tree
expect 'orphan: in a tree' 0 "orphan  status 3, reaped by $reader$" "${read[@]}" --tree
"${read[@]}" --tree --json >"$here/tree"
for name in sibling orphan; do
	expect "$name: its reaper" 0 "\"comm\":\"$name\",.*\"reaper_pid\":$reader,\"state\":\"freed\"" cat "$here/tree"
	expect "$name: its reaper in CSV" 0 ",$name,.*,$reader,proclife-read,freed," "${read[@]}" --export csv
	on_screen "$name: on the screen" " 3 +$name$" 1 -i "$here/left"
done
# The command and the sibling are its children; it adopts the orphan, and reaps all three.
children="^proclife-read +$reader +2 .* 3 .* subreaper, adopted 1$"
expect 'the reaper of both' 0 "$children" "${read[@]}" --parents
on_screen 'the reaper of both: on the screen' "^proclife-read +$reader +2 .* 3 +[0-9.]+ m?s " 2 -i "$here/left"
on_page 'four ends' '"ended":4,"failed":3,"open":0,' "${read[@]}"
expect 'a command that leaves children: nothing is left' 0 '^zombies==0 +0 +ok$' timeout 60 \
	proclife-read --quiet --expect zombies==0 --expect zombie.max\<400ms -- "$orphans" leaves 7

# Without a command, for long: with each mode that goes on.
# stays NAME COMMAND...: COMMAND gets the children of `orphans`, and reaps them.
stays() {
	local name=$1 pid
	shift
	"$orphans" brings "$@" >"$here/out" 2>&1 &
	pid=$!
	sleep 3
	expect "$name: no children" 0 '' test ! -s "/proc/$pid/task/$pid/children"
	expect "$name: no zombies" 0 '^0 zombies$' proclife-read --zombies
	kill "$pid"
	wait "$pid"
}
stays lives proclife-read --lives
stays metrics proclife-read --metrics "$here/metrics.prom"
expect 'metrics: no zombies' 0 '^proclife_zombies 0$' cat "$here/metrics.prom"
stays record proclife-read --record "$here/recorded"
stays on proclife-read --on 'zombie>1s'
expect 'on: nothing' 1 '' grep -E '> *1s' "$here/out"

# As process 1 of a container.
unshare --pid --fork --mount-proc "$orphans" brings proclife-read --metrics "$here/contained.prom" --duration 5 &
sleep 3
expect 'process 1: no zombies' 0 '^0 zombies$' proclife-read --zombies
wait $!
expect 'process 1: metrics' 0 '^proclife_zombies 0$' cat "$here/contained.prom"

# A message in a log names the daemon that it waits for.
expect 'a daemon' 4 '; running: sleep \([0-9]+\); with --left-after 1s it waits no longer than that$' \
	proclife-read --tree -- sh -c 'sleep 13 >/dev/null & exit 4'
expect 'a daemon that is not waited for' 4 ' sleep 13  alive$' \
	timeout 8 proclife-read --tree --left-after 300ms -- sh -c 'sleep 13 >/dev/null & exit 4'
