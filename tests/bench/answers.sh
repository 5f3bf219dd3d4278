#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What users ask, each as they would type it, and what they then read: of a Debian package that a guest
# builds with make -j4, of that guest itself, and of a generated build with a million processes.

usage='usage: tests/bench/answers.sh [OPTION...]
  --processes N  of the generated build (1000000)
  --runs N       recordings on each side of --diff --against (3)
  --smp N        CPUs of the guest (4)
  --only LIST    of guest, package, million
  --keep DIR     where the recordings are left
Prints each question, the command and its answer, cut at --lines; every line of an answer fits 80
columns, or that is said below it. The exit status is 0 unless something cannot be run.'

# shellcheck source=tests/bench/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"
export LANG=C.UTF-8 COLUMNS=80 TERM=dumb

# A package of some thirty files in C that needs nothing but a compiler, as Debian has it.
source=pool/main/l/lua5.4/lua5.4_5.4.4.orig.tar.gz
sha256=164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61

# Prints what it unpacks to.
get_source() {
	local file="${XDG_CACHE_HOME:-$HOME/.cache}/proclife/source/${source##*/}" uri
	if [[ ! -e $file ]]; then
		# shellcheck disable=SC2016 # apt replaces these, not the shell
		uri=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' |
			sed -n '/^Debian /{s///p;q}')
		mkdir -p "${file%/*}" && /usr/lib/apt/apt-helper download-file \
			"${uri:-http://deb.debian.org/debian/}$source" "$file.new" "SHA256:$sha256" >&2 &&
			mv "$file.new" "$file" || fail "$source: cannot be downloaded"
	fi
	tar -xf "$file" -C "$1" && mv "$1"/lua-* "$1/lua"
}

# ask QUESTION COMMAND...: what is too wide is counted, and so is the time.
ask() {
	local began wide lines
	printf '\n## %s\n\n    $ %s\n' "$1" "$(shown "${@:2}")"
	began=${EPOCHREALTIME/./}
	"${@:2}" >answer 2>&1
	status=$?
	began=$(((${EPOCHREALTIME/./} - began) / 1000))
	lines=$(wc -l <answer)
	sed 's/^/    /' answer
	wide=$(grep -cE '^.{81,}' answer)
	echo
	echo "Status $status, $lines lines, $((began / 1000)).$(printf %03d $((began % 1000))) s."
	[[ $wide = 0 ]] || echo "**$wide lines are wider than 80 columns.**"
}

# As it would be typed: the shell quotes what it has to.
shown() {
	local word
	for word; do
		if [[ $word =~ ^[A-Za-z0-9_./:=,+%@-]+$ ]]; then printf '%s ' "$word"; else printf "'%s' " "$word"; fi
	done | sed 's/ $//'
}

# of RECORDING: the questions that a recording answers.
of() {
	ask 'What just ran, and how did it end?' proclife-read -i "$1" --lives --count 10
	ask 'Which took longest?' proclife-read -i "$1" --lives --sort life --top 10
	ask 'Which failed?' proclife-read -i "$1" --lives --failed --top 10
	ask 'Which were killed?' proclife-read -i "$1" --lives --signal KILL --top 10
	ask 'What did my build do?' proclife-read -i "$1" --tree
	ask 'Which program costs what?' proclife-read -i "$1" --summary
	ask 'What bounds it?' proclife-read -i "$1" --critical-path
	ask 'Who forks?' proclife-read -i "$1" --parents
	ask 'What is this recording?' proclife-read -i "$1" --info
	ask 'Where does the time from exit to free go?' proclife-read -i "$1" --latency
}

in_guest() {
	work_in_memory && modprobe proclife || exit 1
	cp -r /mnt/share/lua lua || exit 1
	echo '# In the guest'
	ask 'What did my build do?' proclife-read --record /mnt/share/build.life --tree -- \
		make -s -C lua/src -j4 linux
	cp -r lua lua.again && touch lua.again/src/lvm.c
	printf '%s\n' '#!/bin/sh' 'sleep 5 & sh -c "sleep 0.1; exit 127"' >job && chmod +x job
	ask 'What did the job leave behind?' proclife-read --expect left==0 --left-after 200ms -- ./job
	setpriv --reuid 1000 --clear-groups sh -c 'exit 3'
	ask 'What ran as uid 1000 in the last minute?' proclife-read --history --lives --uid 1000 --from -1m
	ask 'Which failed in the last minute?' proclife-read --history --lives --failed --from -1m
	dying &
	sleep 3
	ask 'Who will not die?' proclife-read --dying
	kill -KILL $! 2>/dev/null
	local side run
	cp /bin/bash steady && cp /bin/bash slowed || exit 1
	for ((run = 1; run <= $1; run++)); do
		for side in a b same; do
			proclife-read --record "/mnt/share/$side$run.life" -- bash -c \
				"$(declare -f jobs); jobs $([[ $side = b ]] && echo 2 || echo 1)" >/dev/null 2>&1
		done
	done
}

# Its leader has exited, a thread of it lives.
dying() {
	exec python3 -c 'import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).pthread_exit(None)'
}

# jobs FACTOR: of two programs; one of them works FACTOR times as long.
jobs() {
	local i
	for i in {1..60}; do
		./steady -c 'for ((i = 0; i < 20000; i++)); do :; done' &
		./slowed -c "for ((i = 0; i < 20000 * $1; i++)); do :; done" &
		wait
	done
}

if [[ ${1:-} = --in-guest ]]; then
	in_guest "${@:2}"
	exit
fi
processes=1000000 runs=3 only=guest,package,million keep=
options 'processes runs only keep' "$@"
make_share
get_source "$share" || exit
PATH=$B:$PATH
if [[ $only = *guest* ]]; then
	boot 3600 "$runs"
	keep_share
fi
cd "$share" || exit 1
if [[ $only = *package* && -d build.life ]]; then
	echo
	echo '# Of the package'
	of build.life
	a=() b=() same=()
	for ((i = 1; i <= runs; i++)); do a+=("a$i.life") b+=("b$i.life") same+=("same$i.life"); done
	ask 'What has changed, if one program takes twice as long?' \
		proclife-read --diff "${a[@]}" --against "${b[@]}"
	ask 'And if nothing has?' proclife-read --diff "${a[@]}" --against "${same[@]}"
fi
if [[ $only = *million* ]]; then
	"$programs/record" -B -c 8 -J 8 -p "$processes" million.life >/dev/null || fail "record: status $?"
	echo
	echo "# Of a build of $processes processes"
	of million.life
fi
