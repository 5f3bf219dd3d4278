# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The root of a guest that can be suspended is part of its initramfs. A file system over 9p would not
# survive: virtio's 9p cannot be restored, and a device that cannot be restored stays reset.

# What guest-init runs, besides busybox, the command and the program that is tested.
memory_programs='bash chmod mkfifo rm setsid sleep uname'

# memory_get COMMAND: make the root in $tmp/memory. It needs the results of root_get and module_get.
memory_get() {
	local root=$tmp/memory name program files
	[[ -z $root_dir ]] || fail "--suspend: needs this machine's own root; use a kernel of it" 129
	program=$(realpath -e "$1" 2>/dev/null) && [[ -x $program ]] && ldd "$program" >/dev/null 2>&1 ||
		fail "--suspend: $1: not a program of this machine" 129
	files=("$program")
	for name in $memory_programs; do
		files+=("$(realpath -e "$(command -v "$name")")") || return
	done
	[[ ! -x $build/proclife-read ]] || files+=("$(realpath -e "$build/proclife-read")")
	mkdir -p "$root" && printf '%s\n' "${files[@]}" >"$tmp/memory.files" &&
		ldd "${files[@]}" | sed -nE 's,^.*\s(/\S+) \(0x.*$,\1,p' >>"$tmp/memory.files" || return
	sort -u "$tmp/memory.files" | xargs -d '\n' cp -L --parents -t "$root" || return
	cp -a "${layer_dir[module]}/root/." "$root/" && usrmerge "$root" || return
	mkdir -p "$root"/{dev,proc,sys,run,mnt,tmp,var,etc} "$root$PWD" || return
	for name in bin sbin lib lib64; do
		mkdir -p "$root/usr/$name" && ln -s "usr/$name" "$root/$name" || return
	done
	# By the name that was given.
	[[ -e $root$PWD/$1 || $1 = /* ]] || fail "--suspend: $1: a link; name what it links to" 129
}

# A character every five seconds, over a line of its own.
wake() {
	mkfifo "$1/wake.in" "$1/wake.out" || exit 125
	options+=(-chardev "pipe,id=wake,path=${1//,/,,}/wake" -serial chardev:wake)
	setpriv --pdeathsig KILL bash -c 'while sleep 5; do echo; done' 1<>"$1/wake.in" &
	waker=$!
}
