# shellcheck shell=bash disable=SC2154,SC2034 # a part of emitted, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's headers for other architectures, from Debian's sid.

# headers_get sets headers, an entry of the cache: the headers' common part and those of each
# architecture.
headers_get() {
	sid_get headers headers_make "the kernel's headers"
	headers=$sid_entry
}

headers_make() {
	local new name package
	cache_new "headers/${sid_entry##*/}" && mkdir "$new/deb" || return
	for name in arm64 riscv64; do
		sid_update $name || return
		package=$(apt-cache "${apt_options[@]}" depends "linux-headers-$name" |
			sed -n 's/^ *Depends: \(linux-headers-.*\)/\1/p')
		say "downloading $package (once)"
		sid_download "$new/deb" "$package" "${package%"$name"}common" || return
	done
	for package in "$new"/deb/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$new" --strip-components=3 ./usr/src || return
	done
	for package in "$new"/linux-headers-*; do
		mv "$package" "$new/${package##*-}" || return
	done
	[[ -d $new/common/arch/riscv/include && -d $new/arm64/include/generated ]] || return
	rm -r "$new/deb" && mv -T "$new" "$sid_entry"
}

# kernel_cc ARCHITECTURE ARGUMENT...: compile as the kernel's build does, as far as this matters here.
kernel_cc() {
	local arch=$1 name=$1 cc=$1-linux-gnu-gcc flags=() common=$headers/common own=$headers/$1 dir
	shift
	case $arch in
	arm64) cc=aarch64-linux-gnu-gcc flags=(-mgeneral-regs-only) ;;
	riscv64) name=riscv flags=(-march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany) ;;
	esac
	for dir in arch/$name/include{,/generated,/uapi,/generated/uapi} include{,/uapi,/generated/uapi}; do
		flags+=("-I$common/$dir" "-I$own/$dir")
	done
	"$cc" -nostdinc -isystem "$("$cc" -print-file-name=include)" "${flags[@]}" \
		-include "$common/include/linux/compiler-version.h" -include "$common/include/linux/kconfig.h" \
		-include "$common/include/linux/compiler_types.h" -D__KERNEL__ -DMODULE -DKBUILD_MODNAME='"proclife"' \
		-DKBUILD_BASENAME='"proclife"' -D__KBUILD_MODNAME=proclife -DPROCLIFE_VERSION='""' -std=gnu11 \
		-fms-extensions -fshort-wchar -funsigned-char -fno-strict-aliasing -fno-PIE -fno-stack-protector \
		-fno-asynchronous-unwind-tables -O2 -w -I"$source/include" -I"$source/module" "$@"
}
