# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The emulator. Before qemu 8.1, an emulated CPU that translates a page while another one writes to
# it easily keeps the old translation; qemu commit deba78709ae8 made that rare, and --in-turn
# excludes it. A kernel that patches its own code on several busy CPUs, as tracepoints and kprobes
# make it do, then hangs or jumps into free memory. If the machine's qemu is that old, the
# one of Debian's backports is downloaded and unpacked in the cache, never installed; it runs with
# the libraries of the old one.

# qemu_get sets qemu_command, for guests that are emulated.
qemu_get() {
	local version reason='not found' dir=$cache/qemu/$qemu_release${arch_foreign:+-$arch}
	version=$("$arch_qemu" --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\.[0-9]*\).*/\1/p')
	if [[ $version ]]; then
		printf '%s\n' 8.1 "$version" | sort -CV && return
		reason="$version is too old to emulate several CPUs"
	fi
	cache_get "qemu/${dir##*/}" qemu_download "$dir" ||
		fail "$arch_qemu: $reason, and that of $qemu_release cannot be downloaded or does not run; see the\
 network" 125
	qemu_command=("$dir/usr/bin/$arch_qemu" -L "$dir/usr/share/qemu" -L "$dir/usr/share/seabios")
}

qemu_release=bookworm-backports

# qemu_download DIR: apt with lists and sources of its own, so that the machine's stay as they are.
qemu_download() {
	local new deb uri apt=()
	say "downloading qemu from $qemu_release (once, 10 s)"
	cache_new "qemu/${1##*/}" || return
	mkdir -p "$new/apt/lists/partial" "$new/apt/cache/archives/partial" "$new/root" || return
	# From the mirror that the machine uses for its release.
	# shellcheck disable=SC2016 # apt replaces these, not the shell
	uri=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		sed -n '/^bookworm main /{s///p;q}')
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]\
 ${uri:-http://deb.debian.org/debian} $qemu_release main" >"$new/apt/sources.list"
	apt=(apt-get -qq -o "Dir::Etc::sourcelist=$new/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$new/apt/lists" -o "Dir::Cache=$new/apt/cache" -o APT::Sandbox::User=)
	"${apt[@]}" update >&2 &&
		(cd "$new/apt" && "${apt[@]}" download qemu-system-common qemu-system-data "${arch_qemu_packages[@]}") >&2 ||
		return
	for deb in "$new"/apt/*.deb; do
		dpkg-deb -x "$deb" "$new/root" || return
	done
	"$new/root/usr/bin/$arch_qemu" --version >/dev/null || return
	mv -T "$new/root" "$1" && rm -rf "$new"
}
