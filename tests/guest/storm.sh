#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/storm.sh [SECONDS [KEEP]] - a flight recorder with a trigger in a storm of forks for SECONDS
# (1800), inside the guest. In the middle, a death is planted whose zombie waits for 5 s. Prints the size of
# the recording and the recorder's cost, once a minute; then what was saved of the death.
set -u
seconds=${1:-1800} keep=${2:-64MiB}
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modprobe proclife args_bytes=256 || exit 1
most=$(numfmt --from=iec-i --suffix=B "${keep%B}B" | tr -d B)
ticks=$(getconf CLK_TCK)

# plant: a process with ancestors that have arguments, whose zombie waits.
plant() {
	sh -c 'sh -c "(exit 5) & exec sleep 5" keeper "of a zombie"; :' grandparent 'of a zombie'
}

# cpu PID: its CPU time so far, in seconds.
cpu() {
	awk -v ticks="$ticks" '{ print ($14 + $15) / ticks }' "/proc/$1/stat"
}

proclife-read --record "$work/flight" --keep "$keep" --on 'zombie>2s' --save "$work/saved" --after 2s --quiet \
	>"$work/fires" 2>&1 &
recorder=$!
sleep 3
touch "$work/storm"
"$B/tests/guest/workloads/storm" "$work/storm" &
one=$!
"$B/tests/guest/workloads/storm" "$work/storm" &
two=$!
largest=0
printf '%6s %10s %6s %10s\n' s bytes parts 'CPU share'
began=$SECONDS told=-60 planted=''
while ((now = SECONDS - began, now <= seconds)); do
	bytes=$(du -s --block-size=1 "$work/flight" 2>/dev/null | cut -f1)
	((bytes > largest)) && largest=$bytes
	((now - told < 60)) || {
		told=$now
		printf '%6d %10d %6d %9.1f%%\n' $now "$bytes" \
			"$(find "$work/flight" -mindepth 2 -maxdepth 2 -name '0*' | wc -l)" \
			"$(awk -v cpu="$(cpu $recorder)" -v s=$((now + 3)) 'BEGIN { print 100 * cpu / s }')"
	}
	[[ $planted ]] || ((now < seconds / 2)) || { plant & planted=yes; }
	sleep 1
done
rm "$work/storm"
wait $one $two
kill -TERM $recorder
wait $recorder
expect 'the recorder ended well' 0 '' test $? = 0
expect 'never too much' 0 '' test "$largest" -le "$most"
cat "$work/fires"
expect 'nothing was lost' 0 '^lost +0' proclife-read -i "$work/flight" --info
head -n 14 "$work/output"
saved=$(find "$work/saved" -mindepth 1 -maxdepth 1 | head -n 1)
expect 'it was saved once' 0 '' test "$(find "$work/saved" -mindepth 1 -maxdepth 1 | wc -l)" = 1
expect 'the planted death' 0 'sleep 5' proclife-read -i "$saved" --tree --comm sleep
expect 'its ancestors, with arguments' 0 "sh -c .*grandparent 'of a zombie'" \
	proclife-read -i "$saved" --tree --comm sleep
head -n 20 "$work/output"
expect_done
