#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# --on in the guest: each match is reported once, saved with its ancestors, and a command is executed.
set -u
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# Makes a zombie once the file is there; its parent never reaps it, and has lost its own parent.
cat >"$work/careless" <<-'END'
	$0 = 'careless';
	$| = 1;
	my $pid = fork;
	if (!$pid) {
		select undef, undef, undef, 0.1 until -e $ARGV[0];
		exit 7;
	}
	print "$pid $$\n";
	sleep 1000;
END

# Rings so small that they soon hold nothing of processes from before.
modprobe proclife ring_kb=64 || exit 1
proclife-read --on 'careless.zombie>2s' --on 'dying.teardown>1s' --on false.failed --calm 0 \
	--save "$work/saved" --after 1s \
	--exec "echo \"\$PROCLIFE_CONDITION \$PROCLIFE_PID \$PROCLIFE_SAVED\" >>$work/executed; /bin/false" \
	>"$work/told" 2>"$work/errors" </dev/null &
reader=$!
sleep 2

# told COUNT PATTERN: waits until COUNT lines match.
told() {
	local n=0
	until (($(grep -cE -e "$2" "$work/told") >= $1)) || ((++n > 600)); do sleep 0.1; done
}

# shellcheck disable=SC2016 # for sh
setsid sh -c 'perl "$0" "$1" >"$2" & exit 0' "$work/careless" "$work/go" "$work/pids"
until [[ -s $work/pids ]]; do sleep 0.1; done
read -r zombie parent <"$work/pids"
rings_reach_back() {
	proclife-read --history --events=fork --json --duration 10ms | grep "\"pid\":$zombie,"
}
for _ in {1..10}; do
	for ((i = 0; i < 400; i++)); do /bin/true; done
	rings_reach_back >/dev/null || break
done
expect 'the rings do not reach back so far' 1 '' rings_reach_back
touch "$work/go"
told 1 ' saved '
expect 'a zombie' 0 " careless.zombie>2s: careless \($zombie\), zombie for 2\.00 s so far, parent careless \($parent\)" \
	cat "$work/told"
dir=$(echo "$work"/saved/*-careless.zombie-2s-pid"$zombie")
expect 'it is saved' 0 'because --on had it saved' proclife-read -i "$dir" --info
expect 'nothing of it is lost' 0 'ok' proclife-read -i "$dir" --expect lost==0
expect 'its tree' 0 " +$zombie .* careless +status 7, zombie" proclife-read -i "$dir" --tree
cp "$work/output" "$work/tree"
expect 'its parent, with arguments' 0 " +$parent .* perl \(careless\) $work/careless $work/go" cat "$work/tree"
expect 'its grandparent, which is gone' 0 " sh -c 'perl " cat "$work/tree"
expect 'babeltrace2' 0 '' babeltrace2 -o dummy "$dir"

# A tracer holds the process where it begins to exit.
"$B/tests/guest/workloads/dying" killed >"$work/dying" &
dying=$!
told 2 ' saved '
slow=$(cut -d' ' -f1 "$work/dying")
expect 'a slow death' 0 " dying.teardown>1s: dying \($slow\), teardown for 1\.00 s so far" cat "$work/told"
expect 'it is saved, too' 0 " +$slow .*dying" proclife-read -i "$(echo "$work"/saved/*-pid"$slow")" --tree
kill $dying

# Processes that the command starts never match, but ours do.
/bin/false
told 3 ' saved '
sleep 2
kill -TERM $reader
expect 'it ends' 0 '' wait $reader
expect 'each is reported once' 0 '^3$' grep -vc ' saved ' "$work/told"
expect 'each is saved once' 0 '^3$' sh -c "ls '$work/saved' | wc -l"
expect 'executed: the zombie' 0 "^careless.zombie>2s $zombie $dir\$" cat "$work/executed"
expect 'executed: the slow death' 0 "^dying.teardown>1s $slow $work/saved/" cat "$work/executed"
expect 'executed: three times' 0 '^3$' sh -c "wc -l <'$work/executed'"
expect 'executed: it failed' 0 '^proclife-read: --exec .*: it ended with status 1$' cat "$work/errors"
rmmod proclife || failed=$((failed + 1))

expect_done
