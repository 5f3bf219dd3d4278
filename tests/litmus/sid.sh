# shellcheck shell=bash disable=SC2154,SC2034 # a part of run and of emitted, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# What is downloaded from Debian's sid and unpacked in the cache, never installed; this takes no root.

# For tests/vm's parts: no kernel is built here.
debug_kernels=''
for part in cache arch suite; do
	# shellcheck source=/dev/null
	. "$here/../vm/$part.sh" || exit 125
done

# sid_get FOLDER MAKE WHAT ON...: set sid_entry to an entry of the cache's FOLDER, which the function
# MAKE moves there, once; another one if MAKE or what it depends ON changes.
sid_get() {
	sid_entry=$cache/$1/sid.$({ declare -f "$2" && echo "${@:4}"; } | sha256sum | cut -c 1-16)
	[[ -d $sid_entry ]] || "$here/../scripts/setup" suites || exit 125
	cache_get "$1/${sid_entry##*/}" "$2" || fail "cannot get $3; see above" 125
}

# sid_update ARCHITECTURE: sid's lists of packages, for apt with apt_options.
sid_update() {
	arch_set "$1"
	suite_set sid
	suite_locked suite_update || {
		[[ $? != 77 ]] || fail 'skipped: the mirror has no sid' 77
		return 1
	}
}

# sid_download FOLDER PACKAGE...: these packages of the last sid_update.
sid_download() {
	(cd "$1" && apt-get -qq "${apt_options[@]}" download "${@:2}") >"$tmp/apt-download.log" 2>&1 || {
		cat "$tmp/apt-download.log" >&2
		return 1
	}
}
