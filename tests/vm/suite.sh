# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# A Debian suite, with its own lists and sources: the machine's stay unchanged, and it takes
# no root to read or update these.

suites='bullseye bookworm trixie sid trixie-backports experimental'

# suite_set NAME: NAME is a suite, or a suite and -rt or -16k. Sets
#   suite_archives  the sources of the suite's packages: each a repository/release
#   suite_flavour   of its kernels
#   suite_root      the suite that its kernels are built for and run on
#   suite_debug     the name of the kernel that is built from the suite's sources, or empty
suite_set() {
	local name=${1%-rt}
	name=${name%-16k}
	suite_debug=''
	[[ " $debug_kernels " != *" $1 "* ]] || suite_debug=$1 name=bookworm
	[[ " $suites " = *" $name "* ]] ||
		fail "--kernel $1: no such suite; there are: $suites, each of them with -rt, $debug_kernels" 129
	[[ ! $suite_debug || ! $arch_foreign ]] || fail "--kernel $1: built for this kind of machine only" 129
	[[ $1 != *-16k || $arch = arm64 ]] || fail "--kernel $1: only arm64 has pages of 16 KiB" 129
	suite_flavour=$arch
	case $1 in
	*-rt) suite_flavour=rt-$arch ;;
	*-16k) suite_flavour=$arch-16k ;;
	esac
	case $name in
	sid) suite_root=sid suite_archives=debian/sid ;;
	experimental) suite_root=sid suite_archives=debian/experimental ;;
	*-backports) suite_root=${name%-backports} suite_archives=debian/$name ;;
	*) suite_root=$name suite_archives="debian/$name debian-security/$name-security" ;;
	esac
	suite_apt=$cache/apt/$name${arch_foreign:+-$arch}
	apt_options=(-o "Dir::Etc::sourcelist=$suite_apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$suite_apt/lists" -o "Dir::Cache=$suite_apt/cache" -o APT::Sandbox::User=
		-o Acquire::Check-Valid-Until=false "${arch_apt[@]}")
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirror REPOSITORY: print the address from which this machine gets its own release.
mirror() {
	local label=Debian uri
	[[ $1 = debian ]] || label=Debian-Security
	# shellcheck disable=SC2016 # apt replaces these, not the shell
	uri=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n "/^$label /{s///p;q}")
	echo "${uri:-http://deb.debian.org/$1/}"
}

# suite_lists LOG ARCHIVE...: get the lists. An expired release is still good for a test, if it is
# signed.
suite_lists() {
	local archive
	for archive in "${@:2}"; do
		echo "deb [signed-by=$keyring] $(mirror "${archive%/*}") ${archive#*/} main"
	done >"$suite_apt/sources.list" || return
	apt-get -q "${apt_options[@]}" update >"$1" 2>&1
}

# suite_locked COMMAND...: run it with the suite's lists, which other runs may be updating.
suite_locked() {
	locked "apt/${suite_apt##*/}" "$@"
}

# suite_update: get the lists of the suite. A mirror whose updates are broken, as while it is being
# synchronized, still has the release. Returns 77 if the mirror does not have the suite.
suite_update() {
	local log=$tmp/apt-update.log
	mkdir -p "$suite_apt/lists/partial" "$suite_apt/cache/archives/partial" || return
	say "updating the package lists of ${suite_apt##*/}"
	# shellcheck disable=SC2086 # a list of words
	suite_lists "$log" $suite_archives && return
	cat "$log" >&2
	! grep -Eq ' 404 ' "$log" || return 77
	[[ $suite_archives = *' '* ]] || return
	say "going on without ${suite_archives#* }, whose lists cannot be had; see above"
	suite_lists "$log" "${suite_archives%% *}" || { cat "$log" >&2 && return 1; }
}

# suite_packages: print the packages of the newest kernel, its modules and everything that modules are
# built with; the image is the first.
suite_packages() {
	local queue=("linux-image-$suite_flavour" "linux-headers-$suite_flavour") seen=' ' name
	local parts='^linux-(image|binary|modules|base|headers|kbuild)-[0-9]|^linux-compiler-'
	while ((${#queue[@]})); do
		name=${queue[0]}
		queue=("${queue[@]:1}")
		[[ $seen != *" $name "* ]] || continue
		seen+="$name "
		[[ ! $name =~ $parts ]] || echo "$name"
		while read -r name; do
			# As an alternative to the signed image.
			[[ ! $name =~ $parts || $name = *-unsigned ]] || queue+=("$name")
		done < <(apt-cache "${apt_options[@]}" depends "$name" 2>/dev/null |
			sed -n 's/^ *Depends: <*\([^<>]*\).*/\1/p')
	done
}
