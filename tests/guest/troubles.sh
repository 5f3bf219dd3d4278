#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/troubles.sh [NAME...] - the situations in tests/guest/troubles/NAME.sh, or all: what users
# found hard to explain on their machines. Each causes one, so that the right answer is
# known, and checks every view that speaks of it. They share this shell, begin with the module loaded
# and with $here, an empty folder, and may use what expect.sh has, and the functions below.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export TMUX_TMPDIR=$work LC_ALL=C.UTF-8

# A scenario can have unloaded the module.
unload() {
	local tries
	for ((tries = 0; tries < 300; tries++)); do
		[[ -d /sys/module/proclife ]] || return 0
		rmmod proclife 2>"$work/rmmod" || sleep 0.1
	done
	cat "$work/rmmod"
	return 1
}

# on_screen NAME PATTERN KEY ARGUMENT...: --live shows a line that matches after KEY. A recording is played to its end.
on_screen() {
	local name=$1 pattern=$2 key=$3 tries
	shift 3
	tmux -f /dev/null new-session -d -x 120 -y 30 "env TERM=screen $(printf '%q ' proclife-read --live "$@")"
	for ((tries = 0; tries < 60; tries++)); do
		sleep 0.5
		tmux capture-pane -p >"$work/screen" 2>&1
		! grep -qE -e "$pattern" "$work/screen" || break
		tmux send-keys "$key" End
	done
	tmux kill-server
	expect "$name" 0 "$pattern" cat "$work/screen"
}

# on_page NAME PATTERN COMMAND...: COMMAND --html writes a page whose facts match.
on_page() {
	local name=$1 pattern=$2
	shift 2
	write_page "$name" "$@"
	expect "$name" 0 "$pattern" page_part facts
}

# on_page_rows NAME PATTERN COMMAND...: the page has a row that matches: a PID, a name and an end.
on_page_rows() {
	local name=$1 pattern=$2 guest
	guest=$(dirname "${BASH_SOURCE[0]}")
	shift 2
	write_page "$name" "$@"
	page_part rows >"$work/rows"
	page_part texts >"$work/texts"
	expect "$name" 0 "$pattern" perl "$guest/page_rows.pl" "$guest/../../user/read/views/html/page_columns.c" \
		"$work/rows" "$work/texts"
}

write_page() {
	rm -f "$work/page"
	expect "$1: written" 0 '' "${@:2}" --html "$work/page"
}

page_part() {
	sed -n 's/.*id="'"$1"'">\([^<]*\)<.*/\1/p' "$work/page" | base64 -d
}

troubles=("$@")
[[ $# -gt 0 ]] || for each in "${BASH_SOURCE[0]%.sh}"/*.sh; do
	each=${each##*/} troubles+=("${each%.sh}")
done
for trouble in "${troubles[@]}"; do
	script=troubles/$trouble here=$work/$trouble
	[[ -r ${BASH_SOURCE[0]%.sh}/$trouble.sh ]] || { echo "troubles: there is no $trouble.sh" && exit 1; }
	mkdir -m 755 "$here" && modprobe proclife || exit 1
	# shellcheck source=/dev/null
	. "${BASH_SOURCE[0]%.sh}/$trouble.sh"
	unload || exit 1
done
script=troubles
expect_done
