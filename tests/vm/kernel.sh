# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# A suite's kernel: its Debian packages downloaded and unpacked in the cache, never installed.
#
# kernel_get SUITE sets
#   kernel_dir        the cache entry: root/ (an overlay layer), vmlinux, release
#   kernel_release    what uname -r says in the guest
#   kernel_initramfs  the archive that goes with it
#   kernel_key        the entry's name, for what is built for this kernel

# A suite is a function that prints the packages its kernel, headers and kbuild are in.
suite_bookworm() {
	local headers
	apt_depends linux-image-amd64 | grep '^linux-image-6\.1\.' &&
		headers=$(apt_depends linux-headers-amd64 | grep '^linux-headers-6\.1\.') &&
		echo "$headers" &&
		apt_depends "$headers" | grep -E '^linux-(headers|kbuild)-'
}

kernel_get() {
	local suite=$1 list="$cache/kernel/$1.packages"
	mkdir -p "$cache/kernel" || exit 125
	# Asking apt takes half a second, so its answer holds for a day, and longer without network.
	if [[ -z $(find "$list" -mtime -1 2>/dev/null) ]] || ! kernel_cached "$list"; then
		kernel_download "$suite" "$list" ||
			{ kernel_cached "$list" && say "using the cached kernel $kernel_key"; } ||
			fail "no kernel for '$suite': apt has none of that suite or cannot download it; see\
 /etc/apt/sources.list and the network" 125
	fi
	kernel_cached "$list" || fail "$list: names no kernel in the cache; remove the file" 125
	read -r kernel_release <"$kernel_dir/release"
	touch "$kernel_dir"
	kernel_initramfs=$kernel_dir/initramfs.$(cat "$here/initramfs.sh" "$(command -v busybox)" | sha256sum | cut -c 1-16)
	if [[ ! -e $kernel_initramfs ]]; then
		initramfs "$kernel_dir" "$kernel_release" >"$kernel_initramfs.new" &&
			mv "$kernel_initramfs.new" "$kernel_initramfs" || fail "cannot make $kernel_initramfs" 125
	fi
}

# The list's first line is the cache key, an entry only gets its name when it is complete.
kernel_cached() {
	read -r kernel_key 2>/dev/null <"$1" && kernel_dir="$cache/kernel/$kernel_key" && [[ -d $kernel_dir ]]
}

kernel_download() {
	local suite=$1 list=$2 packages key new
	packages=$("suite_$suite") || { apt_update && packages=$("suite_$suite"); } || return
	key=$(kernel_name "$packages") || return
	if [[ ! -d $cache/kernel/$key ]]; then
		say "downloading and unpacking the kernel $key (once)"
		new=$(mktemp -d "$cache/kernel/.new.XXXXXX") && chmod 755 "$new" || return
		# Old lists name packages that the mirror no longer has.
		kernel_unpack "$new" "$packages" || {
			apt_update && packages=$("suite_$suite") && key=$(kernel_name "$packages") &&
				rm -rf "$new" && mkdir "$new" && kernel_unpack "$new" "$packages"
		} || return
		mv -T "$new" "$cache/kernel/$key" || return
	fi
	printf '%s\n' "$key" "$packages" >"$list.new" && mv "$list.new" "$list"
}

# The image's package and version, and a number that changes with what an entry holds.
kernel_name() {
	local image version
	read -r image <<<"$1"
	version=$(apt-cache show --no-all-versions "$image" 2>/dev/null | sed -n 's/^Version: //p') &&
		[[ -n $version ]] && echo "${image#linux-image-}_$version.1"
}

kernel_unpack() {
	local dir=$1 deb release
	mkdir "$dir/deb" "$dir/root" || return
	# shellcheck disable=SC2086 # a list of
	(cd "$dir/deb" && apt-get -qq -o APT::Sandbox::User=root download $2) >&2 || return
	for deb in "$dir"/deb/*.deb; do
		dpkg-deb -x "$deb" "$dir/root" || return
	done
	rm -r "$dir/deb"
	usrmerge "$dir/root" || return
	release=$(cd "$dir/root/usr/lib/modules" && echo *) || return
	depmod -b "$dir/root/usr" "$release" || return
	vmlinux "$dir/root/boot/vmlinuz-$release" >"$dir/vmlinux" || return
	echo "$release" >"$dir/release"
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

apt_depends() {
	apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: //p'
}

apt_update() {
	local root=
	[[ $EUID = 0 ]] || root=sudo
	say 'updating the package lists'
	$root apt-get -qq update >&2
}
