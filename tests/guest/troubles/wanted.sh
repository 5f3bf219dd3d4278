# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of troubles.sh
# "keeper calls wait(), and its zombie stays": it waits for another child, by its PID, a pidfd or its process group.
notices=$PWD/$B/tests/guest/workloads/notices
pid() { awk -v name="$1" '$1 == name { print $2 }' "$here/pids"; }
for how in pid pidfd group; do
	"$notices" wanted 6000 $how >"$here/pids" &
	sleep 2
	busy=$(pid busy) keeper=$(pid keeper)
	text="for PID $busy, not for this one" what=pid
	[[ $how != group ]] || text="for process group $busy" what=group
	expect "$how: zombies" 0 "$(pid ended) +ended .*keeper \\($keeper\\), last called wait\\(\\) .* ago, $text\$" \
		proclife-read --zombies
	expect "$how: JSON" 0 "\"pid\":$(pid ended),.*\"reaper_pid\":$keeper,.*\"reaper_wait\":\"$what\",\"reaper_wanted\":$busy\\}" \
		proclife-read --zombies --json
	expect "$how: events" 0 "wait .* keeper +for (PID|process group) $busy\$" \
		proclife-read --history --events=wait --pid "$keeper" --duration 0.1
	wait $!
done
