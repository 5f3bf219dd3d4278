# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # a part of troubles.sh, with which it shares variables
# What was typed, and what ran: another name as the first argument, a login shell, a script, a file descriptor, and
# how many programs one process executed.
causes=$B/tests/guest/workloads/causes
printf '#!/bin/bash -e\nsleep 0.1\n' >"$here/deploy.sh"
chmod 755 "$here/deploy.sh"
sleep=$(readlink -f "$(command -v sleep)")
mkdir "$here/fd"
cp "$sleep" "$here/fd/7"
proclife-read --record "$here/all" -- bash -c "
	bash -c 'exec -a nightly-backup sleep 0.1'
	bash -c 'exec -a -bash bash -c true'
	'$here/deploy.sh' x
	'$causes' descriptor '$sleep' 0.1
	bash -c 'exec 5<$sleep && exec /proc/self/fd/5 0.2'
	'$here/fd/7' 0.3
	'$causes' chain 200
	true" >"$here/out" 2>&1
{ read -r descriptor && read -r chain; } <"$here/out"
in=(-i "$here/all")
for view in --lives '--tree --no-fold'; do
	# shellcheck disable=SC2086 # words
	proclife-read "${in[@]}" $view >"$here/said"
	expect "$view: another name" 0 'nightly-backup \[sleep\] 0.1' cat "$here/said"
	expect "$view: a login shell" 0 ' -bash -c true' cat "$here/said"
	expect "$view: a script" 0 'deploy.sh \[bash -e\] x' cat "$here/said"
	expect "$view: a descriptor" 0 " $descriptor .* sleep 0.1" cat "$here/said"
	expect "$view: 201 execs" 0 " $chain .*201 execs" cat "$here/said"
done
expect 'JSON: execs' 0 "\"pid\":$chain,.*\"execs\":201," proclife-read "${in[@]}" --lives --json
expect 'JSON: a script' 0 '"path":"[^"]*/deploy.sh","args":\["/bin/bash","-e","[^"]*/deploy.sh","x"\],.*"script":true' \
	proclife-read "${in[@]}" --lives --json
expect 'JSON: a descriptor' 0 "\"pid\":$descriptor,.*\"path\":\"sleep\",.*\"by_fd\":true" \
	proclife-read "${in[@]}" --lives --json
expect 'JSON: a descriptor in /proc' 0 '"path":"sleep","args":\["/proc/self/fd/5","0.2"\],.*"by_fd":true' \
	proclife-read "${in[@]}" --lives --json
expect 'JSON: a file in a folder called fd' 0 '"path":"[^"]*/fd/7","args":\["[^"]*/fd/7","0.3"\],.*"by_fd":false' \
	proclife-read "${in[@]}" --lives --json
expect 'events: a script' 0 'deploy.sh, a script' proclife-read "${in[@]}" --events=exec
expect 'events: a descriptor' 0 'sleep, by descriptor' proclife-read "${in[@]}" --events=exec
expect 'CSV: execs' 0 ',201,' proclife-read "${in[@]}" --export csv
