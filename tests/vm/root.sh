# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The guest's root: this machine's own if it is of the suite; otherwise a debootstrap of the suite, made
# once. Programs for the root are built in a chroot on it: with the same compiler and dkms as in a guest,
# but without the emulation that turns seconds into minutes.

# What the guest tests are built with and run, besides what the kernel's headers need.
root_packages='gcc make libc6-dev pkgconf libkmod-dev kmod dkms libcmocka-dev sparse babeltrace2
	trace-cmd stress-ng strace procps psmisc util-linux perl-base tar xz-utils'

# root_get sets root_dir (empty for this machine's), layer_dir[base] and build, the folder in the
# tree for what is built for this root. It needs kernel_get's results.
root_get() {
	local key own
	# shellcheck source=/dev/null
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	root_dir='' layer_dir[base]=/ build=build
	[[ $own != "$suite_root" ]] || return 0

	# The kernel's needs have versions: a suite that moves gets a new root when its kernel wants it.
	key=$(echo "$root_packages" | cat - "$kernel_dir/needs" | sha256sum | cut -c 1-16)
	root_dir=$cache/root/$suite_root.$key
	[[ -d $root_dir ]] || root_make
	touch "$root_dir"
	layer_dir[base]=$root_dir build=build-$suite_root
}

root_make() {
	local new packages log=$tmp/debootstrap.log as_root=()
	"$here/../scripts/setup" suites || exit 125
	if [[ $EUID != 0 ]]; then
		command -v sudo >/dev/null ||
			fail "sudo: not found; only root can make a root of $suite_root: run this once as root" 125
		as_root=(sudo)
	fi
	say "making a root of $suite_root with debootstrap (once)"
	# shellcheck disable=SC2086 # a list of words
	packages=$(printf '%s\n' $root_packages "$(sed 's/[ (:].*//' "$kernel_dir/needs")" | sort -u |
		paste -sd ,)
	mkdir -p "$cache/root" && new=$(mktemp -d "$cache/root/.new.XXXXXX") || exit 125
	# Its mounts are its own, and gone with it.
	if ! "${as_root[@]}" unshare --mount /usr/sbin/debootstrap --variant=minbase --arch=amd64 \
		--keyring="$keyring" --include="$packages" "$suite_root" "$new" "$(mirror debian)" \
		>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		fail "cannot make a root of $suite_root: debootstrap fails" 125
	fi
	# shellcheck disable=SC2016 # the inner shell's
	# The runner's own, so that its guests can read it and anybody who made it can remove it.
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
	[[ $EUID = 0 ]] || namespaces+=(--user --map-root-user)
	"${namespaces[@]}" "$here/chroot" "$tmp/root/work" "${layers#:}" "${root_dir:-/}" "$tree" \
		"$root_out" "${@:2}"
}

# root_runs: is root_run possible? Not for root of a container that may not mount, for example, nor
# on this machine's own root for anybody else.
root_runs() {
	local job_files=()
	root_run kernel /bin/mkdir /usr/src/proclife-root-runs 2>/dev/null
}

# root_job COMMAND...: run the command there in the current folder, as in a guest.
root_job() {
	local status=0
	job_files=()
	[[ -z $share ]] || job_files=("$share/.")
	# shellcheck disable=SC2016 # for the shell in there
	root_run kernel /usr/bin/env "B=$build" "KERNEL=$kernel_release" /bin/sh -c '
		mkdir -p /mnt && ln -s /run/proclife /mnt/share && cd "$1" && shift && exec "$@"' \
		sh "$PWD" "$@" || status=$?
	[[ -z $share ]] || cp -r "$root_out/." "$share/" || fail "--share $share: cannot write there" 125
	return $status
}
