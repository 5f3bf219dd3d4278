# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The guest's root: this machine's own if it is of the suite; otherwise a debootstrap of the suite, made
# once. Programs for the root are built in a chroot on it: with the same compiler and dkms as in a guest,
# but without the emulation that turns seconds into minutes. For another kind of machine they are
# cross-built in a chroot on a root of this kind; nothing of the guest's root can run here, so that
# its packages are only unpacked.

# Packages to build and run the guest tests, besides the needs of the kernel's headers.
root_packages='gcc make libc6-dev pkgconf libkmod-dev libncurses-dev libzstd-dev libbpf-dev kmod dkms libcmocka-dev sparse babeltrace2
	trace-cmd stress-ng strace tmux procps psmisc util-linux perl-base tar xz-utils'

# Packages that are unpacked, with those of any root; and the ones that cross-build for it.
root_unpacked="$root_packages base-files base-passwd bash coreutils dash diffutils findutils grep hostname
	libc-bin login mawk mount ncurses-base ncurses-bin passwd sed busybox-static"
root_cross='gcc libc6-dev make sparse pkgconf perl libc-bin pahole bash coreutils dash diffutils findutils
	grep kmod mawk sed tar xz-utils base-files ncurses-base ncurses-bin'

# root_get sets root_dir (empty for this machine's), root_build, the root in which it is built for
# (also empty for this machine's), layer_dir[base] and build, the folder in the tree for builds for this root. It
# needs kernel_get's results.
root_get() {
	local key own packages
	if [[ $bare ]]; then
		packages=$bare_packages
		[[ $chroot ]] || packages+=" linux-image-$kernel_release linux-headers-$kernel_release"
		key=$(echo "$packages" "$suite_archives" "$(date +%G-%V)" | sha256sum | cut -c 1-16)
		root_dir=$cache/root/$suite_root.bare.$key build=build
		cache_get "root/${root_dir##*/}" root_make '' "$packages" || exit 125
		root_build=$root_dir layer_dir[base]=$root_dir
		return
	fi
	# shellcheck source=/dev/null
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	root_dir='' root_build='' layer_dir[base]=/ build=build
	[[ ! $arch_foreign ]] || { root_foreign; return; }
	[[ $own != "$suite_root" ]] || return 0

	# The kernel's needs have versions: a suite that moves gets a new root when its kernel wants it.
	key=$(echo "$root_packages" | cat - "$kernel_dir/needs" | sha256sum | cut -c 1-16)
	root_dir=$cache/root/$suite_root.$key
	# shellcheck disable=SC2086 # a list of words
	cache_get "root/${root_dir##*/}" root_make "$(printf '%s\n' $root_packages \
		"$(sed 's/[ (:].*//' "$kernel_dir/needs")" | sort -u | paste -sd ,)" '' || exit 125
	root_build=$root_dir layer_dir[base]=$root_dir build=build-$suite_root
}

root_foreign() {
	local cross="$root_cross gcc-$arch_triplet"
	cross+=" libc6-dev:$arch libkmod-dev:$arch libncurses-dev:$arch libzstd-dev:$arch libbpf-dev:$arch libcmocka-dev:$arch"
	root_unpack "$suite_root-$arch" "$root_unpacked" "$arch" && root_dir=$unpacked || exit 125
	root_unpack "$suite_root-$arch-cross" "$cross" "amd64,$arch" && root_build=$unpacked || exit 125
	layer_dir[base]=$root_dir build=build-$suite_root-$arch
}

# root_unpack NAME PACKAGES ARCHITECTURES: a root of packages that are unpacked, once, as $unpacked.
root_unpack() {
	unpacked=$cache/root/$1.$(echo "$2" "$3" | sha256sum | cut -c 1-16)
	cache_get "root/${unpacked##*/}" root_extract "$@"
}

root_extract() {
	local new log=$tmp/unpack.log file as_root=()
	root_sudo
	say "unpacking a root of $1 (once)"
	cache_new "root/${unpacked##*/}" || return
	# shellcheck disable=SC2086 # a list of words
	"${as_root[@]}" mmdebstrap --quiet --mode=root --variant=extract \
		--architectures="$3" --include="$(printf '%s\n' $2 | paste -sd ,)" \
		--aptopt='Acquire::Check-Valid-Until "false"' --keyring="$keyring" \
		"$suite_root" - "$(mirror debian)" 2>"$log" | tar -x -C "$new" --no-same-owner --exclude='./dev/*'
	[[ ${PIPESTATUS[*]} = '0 0' ]] || { tail -n 20 "$log" >&2 && return 1; }
	usrmerge "$new" || return
	for file in bin sbin lib lib64; do
		[[ -e $new/$file ]] || ln -s "usr/$file" "$new/$file" || return
	done
	# Does what their scripts would have done.
	ln -sf mawk "$new/usr/bin/awk" && ln -sf gcc "$new/usr/bin/cc" || return
	for file in passwd group; do
		[[ ! -e $new/usr/share/base-passwd/$file.master ]] ||
			cp "$new/usr/share/base-passwd/$file.master" "$new/etc/$file" || return
	done
	mv -T "$new" "$unpacked"
}

# root_sudo sets as_root to what makes a command run as root.
root_sudo() {
	[[ $EUID != 0 ]] || return 0
	command -v sudo >/dev/null ||
		fail "sudo: not found; only root can make a root of $suite_root: run this once as root" 125
	as_root=(sudo)
}

# root_make PACKAGES INSTALLED: a root with these packages, and with those that its own apt installs; it
# keeps apt's sources if the first are none.
root_make() {
	local new log=$tmp/debootstrap.log as_root=()
	"$here/../scripts/setup" suites || exit 125
	root_sudo
	say "making a root of $suite_root with debootstrap (once)"
	cache_new "root/${root_dir##*/}" || exit 125
	# Its mounts are private, and disappear with it.
	# shellcheck disable=SC2016,SC2086 # the inner shell's; a list of words
	if ! "${as_root[@]}" unshare --mount /bin/bash -e -c '
		/usr/sbin/debootstrap --variant=minbase --arch=amd64 --keyring="$2" ${3:+"--include=$3"} "$4" "$1" "$5"
		[[ $3 ]] && exit
		cp "$6" "$1/etc/apt/sources.list"
		printf "%s \"false\";\n" Acquire::Check-Valid-Until Acquire::Check-Date Dpkg::Use-Pty >"$1/etc/apt/apt.conf.d/90test"
		mount -t proc proc "$1/proc"
		export DEBIAN_FRONTEND=noninteractive
		chroot "$1" apt-get -q update
		chroot "$1" apt-get -qy dist-upgrade
		[[ ! ${*:7} ]] || chroot "$1" apt-get -qy --no-install-recommends install "${@:7}"' bash \
		"$new" "$keyring" "$1" "$suite_root" "$(mirror debian)" "$suite_apt/sources.list" $2 \
		</dev/null >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		fail "cannot make a root of $suite_root: debootstrap fails" 125
	fi
	# shellcheck disable=SC2016 # the inner shell's
	# Owned by the runner, so that its guests can read it and the user who made it can remove it.
	"${as_root[@]}" sh -c 'rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/dev/* &&
		{ [ "$2" = 0 ] || chown -hR "$2:$3" "$1"; } && chmod 755 "$1"' \
		sh "$new" "$EUID" "$(id -g)" && mv -T "$new" "$root_dir" || exit 125
}

# root_run LAYERS COMMAND...: run COMMAND as root in a chroot on the base and these layers that has
# the tree, writable, and in /run/proclife the folder root_out, with the job_files.
root_run() {
	local name layers='' namespaces=(unshare --mount --pid --fork --kill-child)
	root_out=$tmp/root/out
	rm -rf "$tmp/root" && mkdir -p "$root_out" "$tmp/root/work" || exit 125
	[[ ${#job_files[@]} = 0 ]] || cp -r "${job_files[@]}" "$root_out/" || exit 125
	for name in $1; do layers+=:${layer_dir[$name]}/root; done
	# apt needs more than one user.
	case $EUID$bare in
	0*) ;;
	*yes) namespaces=(sudo "${namespaces[@]}") ;;
	*) namespaces+=(--user --map-root-user) ;;
	esac
	"${namespaces[@]}" "$here/chroot" "$tmp/root/work" "${layers#:}" "${root_build:-/}" "$tree" \
		"$root_out" "${@:2}"
}

# root_runs: is root_run possible? Not for a container's root that may not mount, for example, nor
# on this machine's own root for other users.
root_runs() {
	local job_files=()
	root_run kernel /bin/mkdir /usr/src/proclife-root-runs 2>/dev/null
}

# root_job COMMAND...: runs the command there in the current folder, as in a guest.
root_job() {
	local status=0 layer=''
	job_files=()
	[[ -z $share ]] || job_files=("$share/.")
	[[ $bare ]] || layer=kernel
	# shellcheck disable=SC2016 # for the shell in there
	root_run "$layer" /usr/bin/env "B=$build" "KERNEL=$kernel_release" "${arch_kbuild[@]}" /bin/sh -c '
		mkdir -p /mnt && ln -s /run/proclife /mnt/share && cd "$1" && shift && exec "$@"' \
		sh "$PWD" "$@" || status=$?
	[[ -z $share ]] || cp -r "$root_out/." "$share/" || fail "--share $share: cannot write there" 125
	return $status
}
