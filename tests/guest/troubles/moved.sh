# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# A process that runs is moved to another cgroup, and killed there: no fork, exec or rename shows that.
find_cgroups
mkdir -p "$cgroups/pods/web"
cat >"$here/move" <<-END
	sleep 100 & pid=\$!
	sleep 0.5
	echo \$pid >$cgroups/pods/web/cgroup.procs
	kill -KILL \$pid
	wait \$pid
	exit 0
END
expect 'recorded' 0 '' proclife-read --record "$here/recording" -- bash "$here/move"
read=(proclife-read -i "$here/recording" --cgroup /pods/web)
expect 'deaths' 0 ' SIGKILL .*sleep 100' "${read[@]}" --lives
expect 'deaths in JSON' 0 '"cgroup_path":"/pods/web","comm":"sleep",' "${read[@]}" --lives --json
expect 'deaths: nobody is doubtful' 0 '"unjudged":0' "${read[@]}" --lives --json
on_screen 'the screen' ' SIGKILL +sleep 100' 1 -i "$here/recording" --cgroup /pods/web
on_page 'a page' '"ended":1,"failed":1,' "${read[@]}"
expect 'a condition' 0 ' signal==KILL: sleep \([0-9]+\), killed by SIGKILL from bash' "${read[@]}" --on signal==KILL
expect 'the tree' 0 'sleep 100  SIGKILL' "${read[@]}" --tree
expect 'the summary' 0 '"group":"sleep","runs":1,' "${read[@]}" --summary --json
expect 'latencies' 0 '^1 process$' "${read[@]}" --latency
expect 'events' 0 'sleep .*SIGKILL' "${read[@]}" --events exit
expect 'an expectation' 0 '' "${read[@]}" --expect 'life.count==1'
expect 'metrics' 0 '' "${read[@]}" --metrics "$here/metrics.prom"
expect 'metrics: it was killed' 0 '^proclife_exits_total\{status="signal"\} 1$' cat "$here/metrics.prom"
expect 'CSV' 0 ',/pods/web,.*,sleep,' "${read[@]}" --export csv
expect 'OTLP' 0 '"0::/pods/web"' "${read[@]}" --export otlp
expect 'as it happens' 0 ' SIGKILL .*sleep 100' proclife-read --lives --cgroup /pods/web -- bash "$here/move"
expect 'a condition as it happens' 0 ' signal==KILL: sleep ' \
	proclife-read --cgroup /pods/web --on signal==KILL -- bash "$here/move"
expect 'metrics as it happens' 0 '' \
	proclife-read --cgroup /pods/web --metrics "$here/live.prom" --latency -- bash "$here/move"
expect 'metrics as it happens: it was killed' 0 '^proclife_exits_total\{status="signal"\} 1$' cat "$here/live.prom"
rmdir "$cgroups/pods/web" "$cgroups/pods"
