# shellcheck shell=bash disable=SC2034,SC2154 # a part of exactness.sh and witness.sh, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# What both do around a load: other witnesses leave in $folder what they see, for the judge.

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
: "${build:=${B:-build}}"

# find_programs: once $build is known.
find_programs() {
	[[ $build = /* ]] || build=$tree/$build
	workloads=$build/tests/guest/workloads judge=$build/tests/truth/judge
	[[ -x $judge ]] && return
	echo "$name: $judge: not built; run 'make B=$build guest-tests'" >&2
	exit 1
}

declare -A witness # jobs, by name
# listen NAME...: returns once they do.
listen() {
	local one
	for one; do
		"$build/tests/truth/listen" "$one" "$folder/$one" >"$folder/$one.said" &
		witness[$one]=$!
		until grep -q ready "$folder/$one.said"; do
			kill -0 "${witness[$one]}" || return
			sleep 0.05
		done
	done
}

# hear: they have written all that they saw.
hear() {
	local one status=0
	for one in "${!witness[@]}"; do
		kill "${witness[$one]}"
		wait "${witness[$one]}" || status=$?
		unset "witness[$one]"
	done
	return $status
}

# judge OPTION...: of what is in $folder. With $KEEP, that is left in $KEEP/LOAD, where it can be judged again.
judge() {
	[[ ! ${KEEP-} ]] || cp -r "$folder" "$KEEP/${load##* }" || return
	"$judge" "$@" "$load" "$folder"
}

# lies OPTION...: the judge must notice each lie in what the witnesses say.
lies() {
	local one what n lies=0 status=0
	mkdir "$folder/true" || return
	for one in acct ftrace taskstats told; do
		[[ -e $folder/$one ]] || continue
		mv "$folder/$one" "$folder/true/"
		for ((n = 0; ; n++, lies++)); do
			what=$("$build/tests/truth/lie" $n "$folder/true/$one" "$folder/$one") || break
			env -u PROCLIFE_COMPARED "$judge" "$@" lie "$folder" >/dev/null || continue
			echo "$load: the judge does not notice a lie: $one: $what"
			status=1
		done
		mv "$folder/true/$one" "$folder/"
	done
	[[ $status != 0 || $lies = 0 ]] || echo "$load: the judge notices each of $lies lies"
	return $status
}
