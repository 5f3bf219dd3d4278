#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/flight.sh [SECONDS [KEEP]] - a recording that keeps the latest records, inside the guest: under a
# storm of forks for SECONDS (40), compared with a recording of everything; then with everything that can
# happen to it.
set -u
seconds=${1:-40} keep=${2:-12MiB}
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modprobe proclife args_bytes=512 || exit 1
flight=$work/flight
most=$(numfmt --from=iec-i --suffix=B "${keep%B}B" | tr -d B)

# taken FOLDER: the bytes that it takes on the disk.
taken() {
	du -s --block-size=1 "$1" 2>/dev/null | cut -f1
}

# within NAME FOLDER: it never takes more than it may.
within() {
	local now
	now=$(taken "$2")
	((now > largest)) && largest=$now
	((now <= most)) && return
	printf 'flight: %s: %d bytes\n' "$1" "$now"
	exceeded=yes
}
largest=0 exceeded=''

# Waits until the process is there and waits for records.
begins() {
	for _ in {1..100}; do
		[[ -e $1 ]] && return
		sleep 0.1
	done
	return 1
}

# removes FOLDER: waits until parts of it have been removed, which takes longer on a slow machine.
removes() {
	local i
	for ((i = 0; i < 10 * seconds; i++)); do
		proclife-read -i "$1" --info 2>/dev/null | grep -q '^whole since ' && return
		sleep 1
		within storm "$flight"
	done
}

storm_begins() {
	touch "$work/storm"
	"$B/tests/guest/workloads/storm" "$work/storm" &
	storms=$!
	"$B/tests/guest/workloads/storm" "$work/storm" &
	storms+=" $!"
	sleep 1
}

storm_ends() {
	rm "$work/storm"
	# shellcheck disable=SC2086 # several
	wait $storms
}

# record FOLDER [OPTION...]: in the background; $recorder is its pid.
record() {
	proclife-read --record "$@" >"$work/said" 2>&1 &
	recorder=$!
	begins "$1" || exit 1
}

# recorder_ends NAME STATUS PATTERN [SIGNAL]
recorder_ends() {
	kill "-${4:-TERM}" "$recorder" 2>/dev/null
	wait "$recorder"
	echo "status $?" >>"$work/said"
	expect "$1: status" 0 "^status $2\$" cat "$work/said"
	expect "$1" 0 "$3" cat "$work/said"
}

# A zombie that is older than the recording, and is never reaped.
sh -c '(exit 7) & exec sleep 100000' holder &
holder=$!
sleep 1
# Within this time a part has ended, but not all room is used: compressed, the storm would need twice as long for that.
record "$flight" --keep "$keep,25s"
flight_recorder=$recorder
proclife-read --record "$work/all" &
all=$!
begins "$work/all/metadata" || exit 1
# Lives longer than any part: a program with arguments, and another zombie.
sh -c 'sleep 100000; :' keeper 'two words' &
planted=$!
sh -c '(exit 9) & exec sleep 100000' 'later holder' &
later=$!
sleep 1
expect 'a second recorder' 1 'another proclife-read records there' \
	proclife-read --record "$flight" --keep "$keep"
storm_begins
for ((i = 0; i < seconds; i++)); do
	sleep 1
	within storm "$flight"
	((i % 10)) || expect "read while it is recorded, $i s" 0 '' proclife-read -i "$flight" --lives --top 1
done
removes "$flight"
storm_ends
recorder=$flight_recorder
recorder_ends 'it ends' 0 'records, .* bytes, 0 lost'
kill -TERM $all
wait $all
expect 'within its bounds' 0 '' test ! "$exceeded"
expect 'parts were removed' 0 '^whole since ' proclife-read -i "$flight" --info
expect 'complete' 0 '^state +complete' proclife-read -i "$flight" --info
expect 'nothing was lost' 0 '^lost +0' proclife-read -i "$flight" --info
run=$(find "$flight" -mindepth 1 -maxdepth 1 | sort | tail -n 1)
expect 'parts that have ended are compressed' 0 '' test "$(find "$run" -name '*.zst' | wc -l)" -gt \
	"$(find "$run" -name 'cpu_*' ! -name '*.zst' -size +4k | wc -l)"
expect 'the program that is older' 0 "sh -c 'sleep 100000; :' keeper 'two words'" \
	proclife-read -i "$flight" --tree --pid $planted
# Another process's child can be a zombie just then.
expect 'zombies' 0 ' [2-9] zombies' proclife-read -i "$flight" --info
expect 'the tree has roots' 0 "^ +$later .* sleep 100000" proclife-read -i "$flight" --tree --pid $$
printf 'flight: %s\n' "$(proclife-read -i "$flight" --info | grep -E '^(whole since|parts|records|lived|ended)' | tr '\n' ';')"
printf 'flight: at most %d of %d bytes\n' "$largest" "$most"

# Compares every life that ended while the first part that is left was there, or later, to the last figure.
# `alone` is not known for older lives, since their children can be in parts that were removed; and each
# recording has its own snapshot, which sets where they were first seen.
lives() {
	proclife-read -i "$1" --lives --json | grep '"type":"life"' |
		sed -E 's/"(id|parent_id)":(null|[0-9]+),//g; s/"parent_comm":"[^"]*",?//
			s/"born":null,"seen":[0-9]+/"born":null/' |
		sort
}
lives "$flight" >"$work/latest"
lives "$work/all" >"$work/whole"
comm -23 "$work/latest" "$work/whole" >"$work/other"
grep -v '"alone":null' "$work/other" >"$work/differ"
sed 's/"alone":[0-9]*/"alone":null/' "$work/whole" | sort |
	comm -23 <(grep '"alone":null' "$work/other") - >>"$work/differ"
missing=$(wc -l <"$work/differ")
expect 'each life as in the whole recording' 0 '' test "$missing" = 0
head -n 3 "$work/differ"
printf 'flight: %d of %d deaths, %d differ\n' "$(wc -l <"$work/latest")" "$(wc -l <"$work/whole")" "$missing"
expect 'there are deaths' 0 '' test "$(wc -l <"$work/latest")" -gt 100

# A killed recorder: what it wrote can be read, and the next one goes on within the same bounds.
record "$flight" --keep "$keep"
storm_begins
sleep 5
recorder_ends 'killed' 137 '' KILL
expect 'after kill -9' 3 '' proclife-read -i "$flight" --lives --top 1
expect 'after kill -9, its state' 3 '^state +cut off' proclife-read -i "$flight" --info
record "$flight" --keep "$keep"
sleep 5
within 'after kill -9' "$flight"
recorder_ends 'the next one' 0 ' 0 lost$'
expect 'two runs' 0 '' test "$(find "$flight" -mindepth 1 -maxdepth 1 -name '0*' | wc -l)" -ge 2

# A disk with less room than it may take.
mkdir "$work/small"
mount -t tmpfs -o size=3M none "$work/small" || exit 1
record "$work/small/flight" --keep "$keep"
sleep $((seconds / 2))
removes "$work/small/flight"
expect 'the disk was full' 0 '' test "$(df --output=pcent "$work/small" | tail -n 1 | tr -dc 0-9)" -gt 50
recorder_ends 'on a full disk' 0 ' 0 lost$'
expect 'on a full disk, readable' 0 '^whole since ' proclife-read -i "$work/small/flight" --info
umount "$work/small"

# A CPU goes and comes, the clock is set back, and the module cannot be unloaded.
record "$flight" --keep "$keep,1h"
if [[ -e /sys/devices/system/cpu/cpu1/online ]]; then
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 2
	echo 1 >/sys/devices/system/cpu/cpu1/online
fi
date -s '-2 hours' >/dev/null
sleep 3
if [[ -v without ]]; then
	expect 'programs that are removed record on' 0 '' rmmod proclife
else
	expect 'the module stays' 1 'in use' rmmod proclife
fi
recorder_ends 'whatever happens' 0 ' 0 lost$'
date -s '+2 hours' >/dev/null
expect 'the clock was set' 0 '^clock +-' proclife-read -i "$flight" --info
storm_ends

# While nothing happens it sleeps, for a second at a time; its own calls are no reason to look. Programs do not wake
# it, so with them it looks a hundred times a second.
wakes() {
	awk '/^voluntary/ { print $2 }' "/proc/$recorder/status"
}
record "$work/idle" --keep "$keep"
if [[ ! -v without ]]; then
	sleep 3
	before=$(wakes)
	sleep 10
	woken=$(($(wakes) - before))
	# What asks is recorded: after it, the recorder looks ten times a second for a second or two.
	expect "idle, it woke $woken times in 10 s" 0 '' test "$woken" -ge 8 -a "$woken" -le 50
fi
recorder_ends 'idle' 0 ' 0 lost$'

expect 'too little' 1 'give at least [0-9]+MiB' proclife-read --record "$work/little" --keep 1MiB
expect 'a recording' 1 'it is a recording already' proclife-read --record "$work/all" --keep "$keep"
kill $planted $holder $later
expect_done
