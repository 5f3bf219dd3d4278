# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "builder does not reap": a debugger withholds job's end from it for 2.5 s, and then it reaps at once. strace does the
# same to every process under it, for a moment each.
notices=$PWD/$B/tests/guest/workloads/notices
expect 'traced: recorded' 0 '' proclife-read --quiet --record "$here/traced" -- "$notices" traced 2500
cp "$work/output" "$here/pids"
pid() { awk -v name="$1" '$1 == name { print $2 }' "$here/pids"; }
job=$(pid job) debugger=$(pid debugger)
again() { proclife-read -i "$here/traced" "$@"; }

expect 'traced: why' 0 "job.*debugger \($debugger\) traced it, and held it for 2\.[5-9][0-9]* s before its parent was notified" \
	again --latency
cp "$work/output" "$here/why"
expect 'traced: builder is not blamed' 1 '' grep -E 'builder .*(was not in wait|took [1-9][0-9.]* s)' "$here/why"
expect 'traced: the phase' 0 '^traced +[^ ]+ +1 +2\.[5-9]' again --latency
expect 'traced: zombies for less than a second' 0 'ok|zombie' again --expect 'zombie.max<1s'
expect 'traced: a verdict on the phase' 0 'ok|traced' again --expect 'traced.max>2s'
expect 'traced: JSON' 0 "\"pid\":$job,.*\"tracer\":\{\"pid\":$debugger,\"comm\":\"debugger\",\"notified\":[0-9]+\},.*\"traced\":2[5-9][0-9]{8}," \
	again --lives --sort time --json
expect 'traced: ranked' 0 "2\.[5-9].*job" again --lives --sort traced --top 1
expect 'traced: parents' 0 '"comm":"builder",.*"belated":0,' again --parents --json
expect 'traced: no trigger for zombies' 0 '' again --on 'zombie>1s'
cp "$work/output" "$here/fired"
expect 'traced: nothing fired' 1 '' grep job "$here/fired"
expect 'traced: a trigger for the phase' 0 'job.*debugger' again --on 'traced>1s'
expect 'traced: events' 0 "notify .*to its tracer debugger" again --events
expect 'traced: CSV' 0 ",$debugger,debugger," again --export csv
expect 'traced: OTLP' 0 '"proclife.tracer.comm"' again --export otlp
expect 'traced: Perfetto' 0 '' again --export perfetto --output "$here/perfetto"
expect 'traced: Perfetto has the phase' 0 '' grep -q traced "$here/perfetto"
expect 'traced: a page' 0 '' again --html "$here/page.html"
expect 'traced: a slice has it, too' 0 '"traced":2[5-9][0-9]{8},' \
	eval "proclife-read -i '$here/traced' --slice '$here/slice' --comm job && proclife-read -i '$here/slice' --lives --sort time --json"

# While job's end is withheld.
"$notices" traced 12000 >"$here/pids" &
sleep 2
expect 'traced: zombies' 0 "$(pid job) +job .*debugger \($(pid debugger)\), which traces it: its parent builder \($(pid builder)\) is not notified" \
	proclife-read --zombies
expect 'traced: zombies, JSON' 0 "\"pid\":$(pid job),.*\"tracer\":\{\"pid\":$(pid debugger),.*\"reaper_pid\":$(pid debugger)," \
	proclife-read --zombies --json
wait $!

# A tracer of all processes.
expect 'strace: recorded' 0 '' proclife-read --quiet --record "$here/strace" -- \
	strace -f -o /dev/null sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done; :'
expect 'strace: each of its shell, and that itself' 0 '"phase":"traced","count":8,' \
	proclife-read -i "$here/strace" --latency --json
expect 'strace: none is belated' 0 '"comm":"sh",.*"reaped":8,.*"belated":0,' proclife-read -i "$here/strace" --parents --json
