#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/static.sh [PROGRAM] - the one file of `make static`, inside the guest: on its root, and in roots that have
# nothing but this file, /proc and /sys, and one of them a shell. Where the guest has the module, that is loaded, too.
set -u
program=$(realpath -e "${1:-build/static/$(uname -m)/proclife-read}") || exit 1
# What is mounted here goes with this script.
[[ ${PROCLIFE_STATIC_NAMESPACE:-} ]] ||
	PROCLIFE_STATIC_NAMESPACE=yes exec unshare --mount --propagation private "$0" "$program"
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export TMUX_TMPDIR=$work
! mountpoint -q /sys/fs/bpf || umount /sys/fs/bpf || exit 1

# Two roots: one with the file alone, and one with a shell.
bare=$work/bare shell=$work/shell
mkdir -p "$bare"/{proc,sys} "$shell"/{proc,sys,bin,dev}
cp "$program" "$bare/" && cp "$program" "$shell/" && cp /run/proclife/busybox "$shell/bin/" || exit 1
for name in sh sleep true false; do ln -s busybox "$shell/bin/$name"; done
touch "$shell/dev/null" && mount --bind /dev/null "$shell/dev/null" || exit 1
for root in "$bare" "$shell"; do
	mount -t proc proc "$root/proc" && mount -t sysfs sysfs "$root/sys" || exit 1
done
trap 'cd / && umount -R "$work"/*/{proc,sys,dev/null} 2>/dev/null && rm -rf "$work"' EXIT

# Each takes what is typed after the name of the program.
bare() {
	# shellcheck disable=SC2086 # a list of words
	chroot "$bare" /proclife-read $1
}
within() {
	chroot "$shell" /bin/sh -c "export PATH=/bin; cd /; ./proclife-read $1"
}

# on_screen NAME TERM PATTERN COMMAND: --live in a terminal shows a line that matches, and the end of what follows q.
on_screen() {
	local name=$1 term=$2 pattern=$3 command=$4 tries
	tmux() { command tmux -L "$term" "$@"; } # a server of its own: the one before may not have ended
	tmux -f /dev/null new-session -d -x 80 -y 24 "env TERM=$term $command; echo end \$?; exec sleep 1000"
	for ((tries = 0; tries < 120; tries++)); do
		sleep 0.5
		tmux capture-pane -p >"$work/screen" 2>&1
		! grep -qE -e "$pattern" "$work/screen" || break
	done
	expect "$name" 0 "$pattern" cat "$work/screen"
	tmux send-keys q
	for ((tries = 0; tries < 40; tries++)); do
		tmux capture-pane -p >"$work/screen" 2>&1
		! grep -q '^end' "$work/screen" || break
		sleep 0.5
	done
	expect "$name: q" 0 '^end [01]' cat "$work/screen"
	tmux kill-server
}

if modinfo -n proclife >"$work/output" 2>&1; then
	expect 'the module: --load' 0 '^module +proclife' "$program" --load --status
	expect 'the module: read' 0 '^1 process; .* no loss$' "$program" --tree -- true
	expect 'the module: --unload' 0 '' "$program" --unload
	expect 'the module: it is gone' 1 '' test -e /sys/module/proclife
fi

# On the guest's root. Only the first one loads BPF programs; the others read a recording.
here=$work/recording
read=("$program" -i "$here")
expect 'here: --record' 0 '^3 processes, 1 failed; .* no loss; by BPF$' \
	"$program" --source=bpf --record "$here" --tree -- sh -c '/bin/false; /bin/true; :'
expect 'here: --latency' 0 '^exit_free' "${read[@]}" --latency
expect 'here: the name of a user' 0 '─ true$' "${read[@]}" --uid root --comm true --tree
expect 'here: no user of this name' 129 'neither a known user name' "$program" --uid nosuch --zombies
expect 'here: UTF-8' 0 '└─ ' env LC_ALL=C.UTF-8 "${read[@]}" --tree
expect 'here: no UTF-8' 0 '`- ' env LC_ALL=C "${read[@]}" --tree
expect 'here: a locale of other characters' 0 '`- ' env LC_ALL=de_DE.ISO-8859-1 "${read[@]}" --tree

# As it is typed in an initramfs, where /sys/fs/bpf is not mounted.
expect 'a shell: --tree' 0 '^ +[0-9]+ .*- false +status 1$' within "--tree -- sh -c '/bin/false; /bin/true; :'"
expect 'a shell: an exit status' 3 '' within "--latency -- sh -c 'exit 3'"
expect 'a shell: --load' 0 '^BPF +programs of proclife-read' within '--load --status'
expect 'a shell: --status' 0 '^loaded +pinned in /sys/fs/bpf/proclife$' within --status
expect 'a shell: --latency' 0 '^exit_free' within "--latency -- sh -c '/bin/sleep 0.1; :'"
for term in linux vt100 xterm-256color; do
	on_screen "a shell: --live on $term" $term '1 Deaths' "$(type -p chroot) $shell /proclife-read --live"
done
on_screen 'a shell: --live on an unknown terminal' nosuch 'TERM=nosuch: ' "$(type -p chroot) $shell /proclife-read --live"
expect 'a shell: --history' 0 ' free +[0-9]+ +sleep ' within '--history --events --duration 0.1'
expect 'a shell: --unload' 0 '' within --unload
expect 'a shell: --unload, again' 1 'neither the module is loaded, nor' within --unload

expect 'the file alone' 0 '^1 process; .* no loss; by BPF$' \
	env -C "$bare" chroot . ./proclife-read --record /recording --tree -- ./proclife-read --version
expect 'the file alone: -i' 0 'proclife-read --version$' bare '-i /recording --tree'
expect 'the file alone: --html' 0 '' bare '-i /recording --html /page.html'
expect 'the file alone: no user has a name' 129 'neither a known user name' bare '--uid root --zombies'

# alone NAME MESSAGE COMMAND...: it fails, and says this and no more.
alone() {
	expect "$1" 1 "^proclife-read: $2\$" "${@:3}"
	cp "$work/output" "$work/said"
	expect "$1: one line" 0 '' test "$(wc -l <"$work/said")" = 1
}

alone 'another user' 'cannot record: permission denied; run as root, or with CAP_BPF and CAP_PERFMON' \
	chroot --userspec 65534:65534 "$bare" /proclife-read --tree -- /proclife-read --version
umount "$bare/proc" || exit 1
alone 'no /proc' "cannot record: no /proc is mounted here; 'mount -t proc proc /proc' does it" \
	bare '--tree -- /proclife-read --version'
mount -t proc proc "$bare/proc" && umount -R "$bare/sys" || exit 1
alone 'no /sys' "cannot record: no /sys is mounted here; 'mount -t sysfs sysfs /sys' does it" \
	bare '--tree -- /proclife-read --version'
expect_done
