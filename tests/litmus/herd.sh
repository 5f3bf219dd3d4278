# shellcheck shell=bash disable=SC2154,SC2016 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# herd7 and the kernel's memory model, from Debian's sid: the first suite that has a herd7. It needs
# the C library of that suite, and the model of that kernel needs that herd7.

herd_packages='herdtools7 libc6 libgmp10 linux-source'

# herd_get sets herd_dir, an entry of the cache: root/ (herd7), model/, versions.
herd_get() {
	sid_get herd herd_make 'herd7 and the memory model' "$herd_packages"
	herd_dir=$sid_entry
}

herd_make() {
	local new deb source
	sid_update amd64 || return
	source=$(apt-cache "${apt_options[@]}" depends linux-source | sed -n 's/^ *Depends: //p')
	say "downloading herd7 and the memory model of $source (once)"
	cache_new "herd/${sid_entry##*/}" && mkdir "$new/deb" "$new/root" "$new/model" || return
	# shellcheck disable=SC2086 # a list of words
	sid_download "$new/deb" ${herd_packages/linux-source/$source} || return
	for deb in "$new"/deb/*.deb; do
		dpkg-deb -W --showformat '${Package} ${Version}\n' "$deb" >>"$new/versions" || return
		case ${deb##*/} in
		linux-source-*)
			dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/$source.tar.xz" | xz -dc |
				tar -x -C "$new/model" --strip-components=3 --wildcards \
					--no-wildcards-match-slash "$source/tools/memory-model/*.*"
			;;
		*) dpkg-deb -x "$deb" "$new/root" ;;
		esac || return
	done
	[[ -x $new/root/usr/bin/herd7 && -f $new/model/linux-kernel.cat ]] || return
	rm -r "$new/deb" && mv -T "$new" "$sid_entry"
}

# herd FILE: runs herd7 with the C library that it was built for. C is judged by the kernel's model, assembly by
# herd7's own of that architecture, or by what counter.sh makes of it.
herd() {
	local usr=$herd_dir/root/usr model=()
	if [[ $(head -n 1 "$1") = 'C '* ]]; then
		model=(-I "$herd_dir/model" -conf "$herd_dir/model/linux-kernel.cfg")
	elif grep -q '^ \* Model: counter$' "$1"; then
		model=(-I "$tmp/counter")
	fi
	counter_fences "$1" >"$tmp/fenced"
	"$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu" "$usr/bin/herd7" \
		-set-libdir "$usr/share/herdtools7/herd" "${model[@]}" "$tmp/fenced"
}
