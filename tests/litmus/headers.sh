# shellcheck shell=bash disable=SC2154,SC2034 # a part of emitted, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's headers for other architectures, of Debian's sid: downloaded and unpacked in the cache,
# never installed, as herd.sh does with herd7.

# headers_get sets headers, an entry of the cache: the headers' common part and those of each
# architecture.
headers_get() {
	local key lock
	key=$(declare -f headers_make | sha256sum | cut -c 1-16)
	headers=$cache/headers/sid.$key
	if [[ ! -d $headers ]]; then
		"$here/../scripts/setup" suites || exit 125
		mkdir -p "$cache/headers" && exec {lock}>"$cache/lock" && flock $lock || exit 125
		[[ -d $headers ]] || headers_make || fail "cannot get the kernel's headers; see above" 125
		exec {lock}>&-
	fi
	touch "$headers"
}

headers_make() {
	local new arch package status
	new=$(mktemp -d "$cache/headers/.new.XXXXXX") && mkdir "$new/deb" || return
	for arch in arm64 riscv64; do
		suite_set sid
		suite_apt=$tmp/apt/$arch
		apt_options=("${apt_options[@]/#"Dir::State::lists="*/Dir::State::lists=$suite_apt/lists}")
		apt_options=("${apt_options[@]/#"Dir::Etc::sourcelist="*/Dir::Etc::sourcelist=$suite_apt/sources.list}")
		apt_options=("${apt_options[@]/#"Dir::Cache="*/Dir::Cache=$suite_apt/cache}"
			-o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o Dir::State::status=/dev/null
			-o Acquire::Languages=none)
		suite_update || {
			status=$?
			[[ $status != 77 ]] || fail 'skipped: the mirror has no sid' 77
			return 1
		}
		package=$(apt-cache "${apt_options[@]}" depends "linux-headers-$arch" |
			sed -n 's/^ *Depends: \(linux-headers-.*\)/\1/p')
		say "downloading $package (once)"
		(cd "$new/deb" && apt-get -qq "${apt_options[@]}" download "$package" "${package%"$arch"}common") \
			>"$tmp/apt-download.log" 2>&1 || {
			cat "$tmp/apt-download.log" >&2
			return 1
		}
	done
	for package in "$new"/deb/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$new" --strip-components=3 ./usr/src || return
	done
	for package in "$new"/linux-headers-*; do
		mv "$package" "$new/${package##*-}" || return
	done
	[[ -d $new/common/arch/riscv/include && -d $new/arm64/include/generated ]] || return
	rm -r "$new/deb" && chmod 755 "$new" && mv -T "$new" "$headers"
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
