# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The module as dkms installs it: built once for given sources and kernel, in a chroot or, where
# that is not possible, in a guest.
#
# module_get sets module_dir, a cache entry with root/ (an overlay layer) and dkms/ (/var/lib/dkms).

module_get() {
	local sources="$tmp/module/sources.tar" key
	mkdir "$tmp/module" && module_sources >"$sources" ||
		fail "cannot read the module's sources: Kbuild Makefile dkms.conf module/ include/" 1
	key=$({ echo "$kernel_key ${root_dir##*/}" && cat "$sources" "$here/module.sh" "$here/dkms-build"; } |
		sha256sum)
	key=${key%% *}
	module_dir=$cache/module/$key
	cache_get "module/$key" module_make || exit 125
}

module_make() {
	local new
	say "building the module with dkms for $kernel_release (once, 10 s)"
	cache_new "module/$key" || return
	module_build >"$tmp/module/layer.tar" 2>"$tmp/module/log"
	[[ $guest_status = 0 ]] || cat "$tmp/module/log" >&2
	[[ ! -d $tmp/build ]] || guest_judge "$tmp/build"
	[[ $guest_status = 0 ]] || fail "the module does not build with dkms for $kernel_release" 1
	mkdir "$new/root" && tar -xf "$tmp/module/layer.tar" -C "$new/root" --no-same-owner &&
		mv "$new/root/var/lib/dkms" "$new/dkms" && rm -r "$new/root/var" &&
		module_depmod "$new" && mv -T "$new" "$module_dir" ||
		fail "cannot unpack the module in $cache/module" 125
}

module_build() {
	local smp=4 append='' share='' job_files=("$sources" "$here/dkms-build")
	local command=(/bin/bash /run/proclife/dkms-build "$kernel_release" "${arch_kbuild[@]}")
	if [[ $root_dir ]] || root_runs; then
		root_run kernel "${command[@]}"
		guest_status=$?
	else
		guest_run "$tmp/build" 'kernel base' 1200 / "${command[@]}"
	fi
}

# Print the sources as a tar file that depends only on them; files that a build in the tree left
# behind are left out.
module_sources() {
	tar -c -C "$tree" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude='.*.cmd' --exclude='*.order' --exclude='*.symvers' --exclude='*.a' \
		Kbuild Makefile dkms.conf module include
}

# Give the layer the lists of the kernel's modules and this one.
module_depmod() {
	local base=$1/depmod modules=lib/modules/$kernel_release
	local kernel=$kernel_dir/root/usr/$modules layer=$1/root/usr/$modules
	mkdir -p "$base/$modules" && cp -rl "$kernel/kernel" "$base/$modules/" &&
		cp -r "$kernel"/modules.{order,builtin,builtin.modinfo} "$layer/updates" "$base/$modules/" &&
		depmod -b "$base" "$kernel_release" &&
		cp "$base/$modules"/modules.* "$layer/" && rm -r "$base"
}
