# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# Three processes have the same ID, one after the other.
cat >"$here/reuse" <<-'END'
	for status in 3 4 5; do
		until [ "$pid" = 20000 ]; do
			echo 19999 >/proc/sys/kernel/ns_last_pid
			sh -c "sleep 0.2; exit $status" & pid=$!
			wait "$pid"
		done
		pid=
	done
END
expect 'recorded' 0 '' proclife-read --record "$here/recording" -- bash "$here/reuse"
read=(proclife-read -i "$here/recording" --pid 20000)
ends() { sed -nE 's/.*"type":"(life|process)".*"pid":20000,.*"wait_status":([0-9]+),.*/\2/p' "$1" | paste -sd' '; }
each='^768 1024 1280$'
for view in lives tree; do
	"${read[@]}" --$view --json >"$here/$view"
	expect "all three: --$view" 0 "$each" ends "$here/$view"
done
"${read[@]}" --lives >"$here/lives.text"
"${read[@]}" --tree >"$here/tree.text"
for status in 3 4 5; do
	expect "all three: status $status" 0 "^[^ ]+ +20000 .* $status +sh -c 'sleep 0.2; exit $status'$" cat "$here/lives.text"
	expect "the tree: status $status" 0 "^ +20000 .*exit $status'  status $status," cat "$here/tree.text"
	on_screen "the screen: status $status" "^[^ ]+ +20000 .* $status +sh -c" 1 -i "$here/recording" --pid 20000
done
on_page 'all three: a page' '"ended":6,"failed":3,' "${read[@]}"
expect 'all three: --parents' 0 '^sh +×3 +3 .* 3 ' "${read[@]}" --parents
"${read[@]}" --on failed >"$here/failed"
expect 'all three: --on' 0 '^3$' grep -c ' failed: sh (20000), status [345]' "$here/failed"
expect 'all three: metrics' 0 '' "${read[@]}" --metrics "$here/metrics.prom"
expect 'all three: metrics count them' 0 '^proclife_exits_total\{status="failed"\} 3$' cat "$here/metrics.prom"
expect 'all three: --summary' 0 '"group":"sh","runs":3,' "${read[@]}" --summary --json
expect 'all three: --latency' 0 '^6 processes$' "${read[@]}" --latency
expect 'all three: --events' 0 '^3$' sh -c "'${read[0]}' -i '$here/recording' --pid 20000 --events exit | grep -c ' 20000 '"
"${read[@]}" --export csv >"$here/lives.csv"
expect 'all three: CSV' 0 '^3$' grep -cE '^([^,]*,){4}20000,' "$here/lives.csv"
"${read[@]}" --export otlp | grep -o '"process.pid","value":{"intValue":"20000"}' >"$here/otlp"
expect 'all three: OTLP' 0 '^3 ' wc -l "$here/otlp"
expect 'all three: --expect' 0 '' "${read[@]}" --expect 'life.count==6'
expect 'all three: a slice' 0 '' "${read[@]}" --slice "$here/slice"
proclife-read -i "$here/slice" --lives --json >"$here/sliced"
expect 'all three: in the slice' 0 "$each" ends "$here/sliced"
third=$(sed -nE 's/.*"pid":20000,.*"born":([0-9]+),.*"wait_status":1280,.*/\1/p' "$here/lives")
"${read[@]}" --lives --json --from "${third:0:-9}.${third: -9}" >"$here/late"
expect 'the third alone' 0 '^1280$' ends "$here/late"
proclife-read --history --pid 20000 --lives --json >"$here/live"
expect 'all three: the history' 0 "$each" ends "$here/live"
expect 'nobody has had it' 0 'no process matched --pid 19998' proclife-read -i "$here/recording" --lives --pid 19998
