# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by scripts that run programs in the guest and check their output. $work is a folder for
# their files.
script=$(basename "$0" .sh)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
passed=0
failed=0

# expect NAME STATUS PATTERN COMMAND...: COMMAND exits with STATUS, and its output (both streams) has a
# line that matches PATTERN; an empty pattern accepts any output.
expect() {
	local name=$1 want=$2 pattern=$3 status
	shift 3
	"$@" >"$work/output" 2>&1 </dev/null
	status=$?
	if [[ $status == "$want" ]] && { [[ ! $pattern ]] || grep -qE -e "$pattern" "$work/output"; }; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	printf '%s: %s: exit status %d instead of %d, or no line like "%s" in:\n' "$script" "$name" \
		"$status" "$want" "$pattern"
	head -n 20 "$work/output"
}

# same NAME FILE FILE: both files are equal and not empty.
same() {
	if [[ -s $2 ]] && cmp "$2" "$3"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	printf '%s: %s: differ, or nothing there: %d and %d lines\n' "$script" "$1" "$(wc -l <"$2")" "$(wc -l <"$3")"
}

# find_cgroups: sets $cgroups to where the cgroup2 hierarchy is mounted, and mounts it if it is not.
find_cgroups() {
	cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[[ ! $cgroups ]] || return 0
	cgroups=$work/hierarchy
	mkdir -p "$cgroups" && mount -t cgroup2 none "$cgroups"
}

# The script's last line: its exit status.
expect_done() {
	printf '%s: %d passed, %d failed\n' "$script" "$passed" "$failed"
	[[ $failed == 0 ]]
}
