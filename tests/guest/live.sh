#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/live.sh [SECONDS] - --live in a terminal of 80 columns and 24 lines, inside the guest, beside a
# storm of forks, for SECONDS (10). Its screens are printed.
set -u
seconds=${1:-10}
B=${B:-build}
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modprobe proclife || exit 1
export TMUX_TMPDIR=$work TERM=screen LC_ALL=C.UTF-8

screen() {
	tmux capture-pane -p >"$work/screen"
}

# see NAME PATTERN: waits until the screen has it, as long as a busy guest needs.
see() {
	for _ in {1..40}; do
		screen
		! grep -qE -e "$2" "$work/screen" || break
		sleep 0.5
	done
	expect "$1" 0 "$2" cat "$work/screen"
}

show() {
	screen
	printf -- '---- %s\n' "$1"
	cat "$work/screen"
	printf -- '----\n'
}

keys() {
	tmux send-keys "$@"
}

# A zombie that its parent will not reap.
sh -c '(exit 7) & exec sleep 100000' holder &
holder=$!
touch "$work/storm"
"$B/tests/guest/workloads/storm" "$work/storm" &
one=$!
"$B/tests/guest/workloads/storm" "$work/storm" &
two=$!

tmux -f /dev/null new-session -d -x 80 -y 24 'env TERM=screen PS1=ready: bash --norc --noprofile'
see 'a shell' ready:
cat >"$work/script" <<-END
	stty -g >$work/before
	proclife-read --live
	echo end \$?
	stty -g >$work/after
END
keys "clear; sh $work/script" Enter
see 'its first screen' '\[1 Deaths\]'
sleep "$seconds"
see 'deaths as they come' ' storm *$'
show 'deaths'
keys 2
see 'parents' '^storm .* [0-9]+'
show 'parents'
keys 3
see 'who cannot end' '3 '
keys 4
see 'zombies' "status 7 .* sleep .$holder."
show 'zombies'
keys 5
see 'programs' 'PROGRAM, and its longest run'
show 'programs'
keys Space
see 'it stands still' FROZEN
screen
cp "$work/screen" "$work/still"
sleep 3
screen
# Only the time of day goes on, if anything does.
expect 'frozen: the table is the same' 0 '' diff <(tail -n +5 "$work/still") <(tail -n +5 "$work/screen")
keys Space
tmux resize-window -x 50 -y 10
see 'smaller' '\[5 Progr'
expect 'no line is longer' 0 '' test "$(wc -L <"$work/screen")" -le 50
tmux resize-window -x 200 -y 50
see 'larger' 'PROGRAM, and its longest run'
tmux resize-window -x 80 -y 24
peak=$(sed -n 's/^VmHWM:[[:space:]]*//p' "/proc/$(pgrep -nx proclife-read)/status")
keys q
see 'it ends' '^end 0'
same 'the terminal is as it was' "$work/before" "$work/after"
keys 'clear; proclife-read --live' Enter
# Matches only the new screen, since the terminal was cleared.
see 'again' '\[1 Deaths\]'
keys C-z
see 'stopped' Stopped
keys 'clear; fg' Enter
see 'it goes on' ' storm *$'
keys q
see 'it ends, too' '^ready:'
rm "$work/storm"
wait $one $two
tmux kill-server
kill $holder
printf 'live: peak resident set %s\n' "$peak"
expect_done
