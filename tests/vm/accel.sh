# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# How the guest's instructions are executed.

# One instruction is one nanosecond, and a string instruction does not count for each byte.
accel_icount='-accel tcg -icount shift=0,sleep=off -cpu max,+invtsc,-erms,-fsrm'

# One CPU after the other. Counted instructions end a turn soon, by the guest's next timer. Without, a CPU of
# riscv64 that waits for another one keeps its turn for 100 ms, several times in each load of a module.
accel_in_turn='-accel tcg,thread=single -icount shift=2'

# accel_get sets accel to qemu's options; it needs kernel_get's results.
accel_get() {
	local known
	accel=${PROCLIFE_VM_ACCEL:-}
	[[ ! $arch_foreign ]] || accel=tcg
	if [[ -z $accel ]]; then
		# A kernel update, here or there, may change the verdict.
		known=$cache/accel/$kernel_key.$(</proc/sys/kernel/random/boot_id)
		locked accel accel_find "$known"
		accel=$(<"$known")
	fi
	case $accel in
	kvm) accel='-accel kvm -cpu host' ;;
	tcg)
		accel="$([[ $in_turn ]] && echo "$accel_in_turn" || echo '-accel tcg,thread=multi') -cpu $arch_cpu"
		qemu_get
		;;
	*) fail "PROCLIFE_VM_ACCEL=$accel: must be kvm or tcg" 129 ;;
	esac
}

accel_find() {
	mkdir -p "$cache/accel" || exit 125
	[[ ! -s $1 ]] || return 0
	rm -f "$cache/accel/"*
	accel_probe >"$1.new" && mv "$1.new" "$1" || exit 125
}

# A /dev/kvm that opens is no proof: under some nested hypervisors a stock kernel hangs. Only
# a guest that comes up is one.
accel_probe() {
	local choice=tcg accel='-accel kvm -cpu host'
	if [[ -r /dev/kvm && -w /dev/kvm ]]; then
		say 'trying /dev/kvm, for up to 10 s'
		guest_start "$tmp/probe" probe 10 2>/dev/null
		wait "$qemu" 2>/dev/null
		! grep -q 'proclife: the guest is up' "$tmp/probe/console" || choice=kvm
		[[ $choice = kvm ]] || say '/dev/kvm: no guest comes up with it; emulating until the next boot'
	fi
	echo $choice
}
