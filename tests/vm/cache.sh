# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run and of litmus, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# Each entry of the cache has its own lock, and is made by one run at a time: a kernel that is
# built for an hour does not delay runs that do not need it.

# locked NAME COMMAND...: run the command, a function, while no other run has this lock.
locked() {
	local lock status=0
	mkdir -p "$cache/locks" && exec {lock}>"$cache/locks/${1//\//.}" || exit 125
	flock -n "$lock" || { say "waiting for another run, which makes $1" && flock "$lock"; } || exit 125
	"${@:2}" || status=$?
	exec {lock}>&-
	return "$status"
}

# cache_get ENTRY MAKE [ARG...]: see to it that the cache has the entry, a folder FOLDER/NAME, and that it
# was used today. If it is not there, MAKE moves it to its place once it is complete.
cache_get() {
	locked "$1" cache_make "$@"
}

cache_make() {
	[[ -d $cache/$1 ]] || "${@:2}" || return
	touch "$cache/$1"
}

# cache_new ENTRY: set new to a folder in which the entry is made. Those of runs that were killed go.
cache_new() {
	rm -rf "$cache/${1%/*}/.part.${1##*/}".*
	mkdir -p "$cache/${1%/*}" && new=$(mktemp -d "$cache/${1%/*}/.part.${1##*/}.XXXXXX") && chmod 755 "$new"
}

# Removes entries that have not been used for long. An entry in use has a recent time.
cache_purge() {
	local entry
	cache_old "$cache" -mindepth 2 -maxdepth 2 | while read -r entry; do
		locked "${entry#"$cache/"}" cache_forget "$entry" </dev/null
	done
}

cache_old() {
	find "$@" -type d \( -mtime +60 -o -name '.part.*' -mtime +1 \)
}

cache_forget() {
	[[ ! $(cache_old "$1" -maxdepth 0 2>/dev/null) ]] || rm -rf "$1"
}
