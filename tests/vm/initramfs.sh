# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The initramfs is two archives: this one with busybox and the modules that reach the root, made
# once per kernel, and one with init and the run's job, made for each boot.

initramfs_modules='virtio_pci virtio_console 9pnet_virtio 9p overlay'

# initramfs KERNEL-DIR RELEASE: print the archive. Uncompressed, since the guest would have to unpack it.
initramfs() {
	local dir=$1 release=$2 tree module file
	tree=$(mktemp -d "$tmp/initramfs.XXXXXX") || return
	mkdir "$tree/bin" "$tree/modules" || return
	cp "$kernel_busybox" "$tree/bin/busybox" || return
	# shellcheck disable=SC2086 # a list of words
	for module in $initramfs_modules; do
		modprobe -d "$dir/root/usr" -S "$release" --show-depends $module || return
	done >"$tree/depends" || return
	awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$tree/depends" | while read -r file; do
		# busybox's insmod takes no compressed module.
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -qdc "$file" ;;
		*) cat "$file" ;;
		esac >"$tree/modules/$(basename "${file%.ko*}").ko" &&
			echo "$(basename "${file%.ko*}").ko" || return
	done >"$tree/modules/order" || return
	rm "$tree/depends"
	pack "$tree"
	rm -r "$tree"
}

# Print a folder as an archive of the initramfs.
pack() {
	(cd "$1" && find . | cpio -o -H newc -R 0:0 --quiet)
}
