# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "Who reaps them?" No process has to, if the parent ignores SIGCHLD or has SA_NOCLDWAIT; the latter still sends it.
notices=$PWD/$B/tests/guest/workloads/notices
expect 'ignored: recorded' 0 '' proclife-read --quiet --record "$here/ignored" -- "$notices" ignored
again() { proclife-read -i "$here/ignored" "$@"; }
expect 'ignored: of the parent' 0 '"comm":"notices",.*"reaped":0,.*"ignored":500,' again --parents --json
expect 'ignored: notices without a signal' 0 'notify .*to notices .*, without a signal, nobody has to reap it' again --events
expect 'ignored: notices with one' 0 'notify .*to notices .*, SIGCHLD.*, nobody has to reap it' again --events
expect 'ignored: all' 0 '^500$' eval "proclife-read -i '$here/ignored' --lives --sort time --json | grep -c '\"autoreaped\":true'"
expect 'ignored: nobody is left' 0 'ok|zombies' again --expect zombies==0

# Whose zombie is it? Its parent ends, and another process adopts it.
expect 'inherited: recorded' 0 '' proclife-read --quiet --record "$here/inherited" -- "$notices" inherited 400
cp "$work/output" "$here/pids"
pid() { awk -v name="$1" '$1 == name { print $2 }' "$here/pids"; }
later() { proclife-read -i "$here/inherited" "$@"; }
expect 'inherited: a zombie since its end' 0 "\"pid\":$(pid left),.*\"zombie\":([6-9][0-9]{8}|1[0-9]{9}),.*\"reaper_pid\":$(pid heir)," \
	later --lives --sort time --json
expect 'inherited: notified twice' 0 '^2$' eval "proclife-read -i '$here/inherited' --events --json |
	grep -c '\"type\":\"notify\",.*\"pid\":$(pid left),'"
expect 'inherited: the parent of it was no zombie' 0 "\"pid\":$(pid parent),.*\"zombie\":[0-9]{1,8}," later --lives --sort time --json
"$notices" inherited 4000 >"$here/pids" &
sleep 2
expect 'inherited: zombies' 0 "$(pid left) +left .*heir \($(pid heir)\), by adoption from $(pid parent)" proclife-read --zombies
wait $!
