# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# Short jobs, whose cgroups are removed at once, and arguments that the module cut: a filter cannot judge
# what is not known, and has to say so.
find_cgroups

# Loading the module leaves no process in its history of which nothing is known.
unload
modprobe proclife
proclife-read --history --duration 1 --record "$here/loaded"
expect 'loaded: nobody is doubtful' 0 '"unjudged":0' proclife-read -i "$here/loaded" --cgroup /pods --lives --json
proclife-read -i "$here/loaded" --events >"$here/events"
expect 'loaded: it has records' 0 ' modprobe ' cat "$here/events"
expect 'loaded: none of its own thread' 1 '' grep proclife_reaped "$here/events"

mkdir -p "$cgroups/pods"
cat >"$here/jobs" <<-END
	for n in 1 2 3 4 5 6 7 8 9 10; do
		mkdir $cgroups/pods/\$n
		(echo 0 >$cgroups/pods/\$n/cgroup.procs && exec /bin/true)
		sleep \$1
		until rmdir $cgroups/pods/\$n 2>/dev/null; do sleep 0.01; done
	done
END
# Without a reader meanwhile. Processes whose move is known are in no doubt.
sh "$here/jobs" 0
said='10 processes may match, but are left out: not known: path of the cgroup$'
expect 'gone: the history' 0 "$said" proclife-read --history --duration 0.1 --cgroup /pods --comm true --lives
expect 'gone: recorded' 0 '' proclife-read --history --duration 0.1 --record "$here/gone"
# Without --comm, there are also processes of which the history has only the FREE: their cgroup is not known, either.
gone=(proclife-read -i "$here/gone" --cgroup /pods)
true=("${gone[@]}" --comm true)
for view in lives tree summary latency parents; do
	expect "gone: --$view" 0 "$said" "${true[@]}" --$view
	expect "gone: --$view in JSON" 0 '"type":"end",.*"unjudged":10' "${true[@]}" --$view --json
done
expect 'gone: --events' 0 "$said" "${true[@]}" --events exit
expect 'gone: --html' 0 "$said" "${true[@]}" --html "$here/page.html"
expect 'gone: --export' 0 "$said" "${true[@]}" --export csv
expect 'gone: --on' 0 "$said" "${true[@]}" --on 'life>1h'
expect 'gone: metrics' 0 '' "${true[@]}" --metrics "$here/metrics.prom"
expect 'gone: metrics count them' 0 '^proclife_unjudged_processes_total 10$' cat "$here/metrics.prom"
expect 'gone: those elsewhere are in no doubt' 0 '"unjudged":0' "${gone[@]}" --comm sh --comm sleep --lives --json
expect 'gone: a filter that excludes them' 0 '"unjudged":0' "${gone[@]}" --comm nobody --lives --json
expect 'gone: the root has all' 0 '"unjudged":0' proclife-read -i "$here/gone" --cgroup / --lives --json
expect 'gone: a slice' 0 '10 processes may match, and are kept: not known: path of the cgroup$' \
	"${true[@]}" --slice "$here/slice"
expect 'gone: the slice has them' 0 '"matched":10,' proclife-read -i "$here/slice" --comm true --lives --json

# With a reader, which looks each path up while it is there. The result is shown only at the end.
expect 'there: --lives' 0 '^10 processes$' proclife-read --latency --cgroup /pods -- sh "$here/jobs" 0.5
expect 'there: recorded' 0 '' proclife-read --record "$here/recording" -- sh "$here/jobs" 0.5
expect 'there: the recording' 0 '^10 processes$' proclife-read -i "$here/recording" --latency --cgroup /pods
expect 'there: nobody is doubtful' 0 '"unjudged":0' proclife-read -i "$here/recording" --lives --cgroup /pods --json
rmdir "$cgroups/pods"

# 512 bytes of arguments are recorded.
cut=$(printf '%700s' '' | tr ' ' x)
expect 'arguments: recorded' 0 '' proclife-read --record "$here/args" -- sh -c "/bin/true $cut needle.c; /bin/true other.c"
read=(proclife-read -i "$here/args" --comm true)
expect 'arguments: one may match' 0 '1 process may match, but is left out: not known: all arguments$' \
	"${read[@]}" --lives --args '*needle.c*'
expect 'arguments: none does' 0 'no process matched' "${read[@]}" --lives --args '*needle.c*'
expect 'arguments: in JSON' 0 '"unjudged":1' "${read[@]}" --lives --json --args '*needle.c*'
expect 'arguments: what is known suffices' 0 '"matched":1,.*' "${read[@]}" --lives --json --args '*xxx*'
expect 'arguments: the other one, and a doubt' 0 '"unjudged":1' "${read[@]}" --lives --json --args 'other.c'
