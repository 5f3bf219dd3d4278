# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# Kernels that are built here from Debian's sources of the bookworm kernel, the default
# guest's; they share its root and compiler. Two watch themselves: `debug` (memory, locking, context,
# faults to inject) and `kcsan` (data races), which exclude each other. `bare` lacks everything that the
# module can do without.

debug_kernels='debug kcsan bare'
debug_source=linux-source-6.1
# The packages that build the sources, for root_get.
debug_needs='bc bison flex libelf-dev lz4'

# debug_hash: print what distinguishes builds, except the version of the sources.
debug_hash() {
	cat "$here/kernel-build" "$here/guest.config" "$here/$suite_debug.config" | sha256sum | cut -c 1-16
}

# debug_name: as kernel_name.
debug_name() {
	local version
	version=$(apt-cache "${apt_options[@]}" show --no-all-versions $debug_source 2>/dev/null |
		sed -n 's/^Version: //p') && [[ -n $version ]] &&
		echo "${suite_debug}_$version.$(debug_hash)"
}

# debug_base: print guest.config without the lines that the kernel's own fragment overrides.
debug_base() {
	grep -vwF -f <(grep -oE 'CONFIG_[A-Z0-9_]+' "$here/$suite_debug.config") "$here/guest.config"
}

# debug_build DIR: as kernel_unpack.
debug_build() {
	local dir=$1 log=$tmp/kernel-build.log job_files=() status=0 out
	mkdir -p "$dir/deb" "$tmp/build/out" || return
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $debug_needs >"$dir/needs"
	if ! (cd "$dir/deb" && apt-get -qq "${apt_options[@]}" download $debug_source) >"$log" 2>&1; then
		cat "$log" >&2
		! grep -Eq ' 404 ' "$log" || return 77
		return 1
	fi
	dpkg-deb -x "$dir"/deb/*.deb "$dir/deb/root" || return
	kernel_dir=$dir root_get
	debug_base >"$tmp/build/guest.config" || return
	local build=("$here/kernel-build" SOURCE "$suite_debug" OUT "$tmp/build/guest.config"
		"$here/$suite_debug.config")
	if [[ $root_dir ]]; then
		job_files=("$dir/deb/root/usr/src/$debug_source.tar.xz" "$tmp/build/guest.config")
		build[1]=/run/proclife/$debug_source.tar.xz build[3]=/run/proclife build[4]=/run/proclife/guest.config
		root_run '' "${build[@]}" >"$log" 2>&1 || status=$?
		out=$root_out
	else
		build[1]=$dir/deb/root/usr/src/$debug_source.tar.xz build[3]=$tmp/build/out
		"${build[@]}" >"$log" 2>&1 || status=$?
		out=$tmp/build/out
	fi
	[[ $status = 0 ]] || { tail -n 40 "$log" >&2 && return 1; }
	rm -r "$dir/deb" && mv "$out/root" "$out/vmlinux" "$out/release" "$dir/"
}
