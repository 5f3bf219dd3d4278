#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # dracut's variables
# A module of dracut: the module that is loaded at each boot is loaded before init begins.

check() {
	local etc=${dracutsysrootdir-}/etc
	grep -qsx '[[:space:]]*proclife[[:space:]]*' "$etc"/modules-load.d/*.conf "$etc/modules" ||
		return 255
	# Not for kernels that it is not there for: it would be missed at boot.
	modinfo -k "$kernel" proclife >/dev/null 2>&1 || return 255
}

installkernel() {
	hostonly='' instmods proclife
}

install() {
	inst_hook pre-udev 01 "$moddir/load-proclife.sh"
	# Its parameters.
	inst_multiple -o /etc/modprobe.d/proclife.conf
}
