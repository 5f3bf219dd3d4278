# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# A suite's kernel: its Debian packages downloaded and unpacked in the cache, never installed. Or one
# that is built from their sources: see debug-kernel.sh.
#
# kernel_get NAME sets
#   kernel_dir        the cache entry: root/ (an overlay layer), vmlinux, release, needs
#   kernel_release    the guest's uname -r
#   kernel_initramfs  its archive
#   kernel_busybox    the busybox that runs in it
#   kernel_key        the entry's name, for things built for this kernel

kernel_get() {
	local list="$cache/kernel/$1${arch_foreign:+-$arch}${suite_debug:+.$(debug_hash)}.packages"
	mkdir -p "$cache/kernel" || exit 125
	locked "kernel/${list##*/}" kernel_find "$1"
	read -r kernel_release <"$kernel_dir/release"
	kernel_busybox=$(command -v busybox)
	[[ ! $arch_foreign ]] || kernel_busybox=$kernel_dir/root/usr/bin/busybox
	kernel_initramfs=$kernel_dir/initramfs.$(cat "$here/initramfs.sh" "$kernel_busybox" | sha256sum | cut -c 1-16)
	locked "kernel/$kernel_key" kernel_complete
}

# The entry that the list names, or another one.
kernel_find() {
	local status=0
	# Asking apt takes seconds, so its answer holds for a day, and longer without network.
	if [[ -z $(find "$list" -mtime -1 2>/dev/null) ]] || ! kernel_cached "$list"; then
		kernel_download "$list" || status=$?
		if [[ $status != 0 ]]; then
			kernel_cached "$list" && say "using the cached kernel $kernel_key" ||
				kernel_lacking "$1" "$status"
		fi
	fi
	kernel_cached "$list" || fail "$list: names no kernel in the cache; remove the file" 125
	touch "$kernel_dir"
}

kernel_complete() {
	[[ ! -e $kernel_initramfs ]] || return 0
	initramfs "$kernel_dir" "$kernel_release" >"$kernel_initramfs.new" &&
		mv "$kernel_initramfs.new" "$kernel_initramfs" || fail "cannot make $kernel_initramfs" 125
}

kernel_lacking() {
	[[ $2 != 77 ]] || fail "skipped: the mirror has no kernel for '$1'" 77
	fail "no kernel for '$1': cannot download or unpack it; see above, and the network" 125
}

# The list's first line is the cache key, an entry only gets its name when it is complete.
kernel_cached() {
	read -r kernel_key 2>/dev/null <"$1" && kernel_dir="$cache/kernel/$kernel_key" && [[ -d $kernel_dir ]]
}

# Returns 77 if the mirror has no such kernel.
kernel_download() {
	local list=$1 packages key
	suite_locked kernel_choose && cache_get "kernel/$key" kernel_make "$key" "$packages" || return
	printf '%s\n' "$key" "$packages" >"$list.new" && mv "$list.new" "$list"
}

# Set key and packages to what the suite has now.
kernel_choose() {
	suite_update || return
	if [[ $suite_debug ]]; then
		packages=$debug_source
		key=$(debug_name) || return 77
	else
		packages=$(suite_packages)
		[[ $packages = linux-image-* ]] || return 77
		key=$(kernel_name "$packages") || return
		[[ ! $arch_foreign ]] || packages=$(kernel_cross <<<"$packages")
	fi
}

kernel_make() {
	local new
	say "making the kernel $1 (once, $([[ $suite_debug ]] && echo '20 min' || echo '30 s'))"
	cache_new "kernel/$1" || return
	if [[ $suite_debug ]]; then debug_build "$new"; else kernel_unpack "$new" "$2"; fi &&
		mv -T "$new" "$cache/kernel/$1"
}

# The image's package and version, and a number that changes with the contents of entries.
kernel_name() {
	local image version
	read -r image <<<"$1"
	version=$(apt-cache "${apt_options[@]}" show --no-all-versions "$image" 2>/dev/null |
		sed -n 's/^Version: //p') && [[ -n $version ]] && echo "${image#linux-image-}_$version.2"
}

# The programs that build modules for another machine are of this machine's kind; the guest has
# its own busybox.
kernel_cross() {
	sed 's/^linux-kbuild-.*/&:amd64/'
	echo busybox-static
}

kernel_unpack() {
	local dir=$1 deb release log=$tmp/apt-download.log
	mkdir "$dir/deb" "$dir/root" || return
	# shellcheck disable=SC2086 # a list of
	if ! (cd "$dir/deb" && apt-get -qq "${apt_options[@]}" download $2) >"$log" 2>&1; then
		cat "$log" >&2
		! grep -Eq ' 404 ' "$log" || return 77
		return 1
	fi
	for deb in "$dir"/deb/*.deb; do
		dpkg-deb -x "$deb" "$dir/root" || return
		case ${deb##*/} in
		linux-headers-* | linux-kbuild-* | linux-compiler-*) dpkg-deb -f "$deb" Depends ;;
		esac
	done | tr , '\n' | sed 's/^ *//; s/ *|.*//; s/-for-host$//' | grep -Ev '^linux-|^$' | sort -u >"$dir/needs"
	[[ ${PIPESTATUS[0]} = 0 ]] || return
	rm -r "$dir/deb"
	usrmerge "$dir/root" || return
	release=$(cd "$dir/root/usr/lib/modules" && echo *) || return
	depmod -b "$dir/root/usr" "$release" || return
	kernel_image "$dir" "$release" >"$dir/vmlinux" || return
	echo "$release" >"$dir/release"
}

# The image is in /boot (seen up to 6.12; vmlinux on riscv64) or with the modules (7.2); a bzImage on this kind
# of machine, and what qemu takes as it is on others.
kernel_image() {
	local image
	for image in "$1"/root/boot/vmlinu[xz]-"$2" "$1/root/usr/lib/modules/$2/vmlinuz"; do
		[[ -e $image ]] || continue
		if [[ $arch_foreign ]]; then cat "$image"; else vmlinux "$image"; fi && return
	done
	say "no kernel that can be unpacked in the packages of $2"
	return 1
}

# Print the ELF file inside a bzImage: it boots through its PVH entry, and unpacking itself would
# cost the emulated kernel three seconds at each start.
vmlinux() {
	local image=$1 start length
	start=$((($(number "$image" 0x1f1 1) + 1) * 512 + $(number "$image" 0x248 4)))
	# The payload's last four bytes are its unpacked size.
	length=$(($(number "$image" 0x24c 4) - 4))
	case $(tail -c +$((start + 1)) "$image" | od -An -t x1 -N 4 | tr -d ' ') in
	fd377a58) set -- xz -dc --single-stream ;;
	28b52ffd) set -- zstd -dc ;;
	02214c18) set -- lz4 -dc ;;
	1f8b*) set -- gzip -dc ;;
	*) return 1 ;;
	esac
	tail -c +$((start + 1)) "$image" 2>/dev/null | head -c $length | "$@"
}

# The little-endian number of $3 bytes at offset $2.
number() {
	od -An -v -t "u$3" -j $(($2)) -N "$3" "$1" | tr -d ' '
}
