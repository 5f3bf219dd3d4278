# shellcheck shell=bash disable=SC2154 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The counter of the tests with "Model: counter". herd7 knows no counter: it is a word of memory
# there, which another process advances, and is read by the first half of a load-exclusive (LDXR,
# lr.w), which the models' set X names. As a load it would be ordered by barriers that need not order
# the reading of a counter. So these models are herd7's own, but for this: barriers do not order X,
# unless the manual says so.
#   arm64: a counter is read after an ISB that comes after a branch on a load or after a DSB, and
#	before what depends on its value; DMB and DSB alone do not order it (Arm ARM, DDI 0487,
#	CNTVCT_EL0 and CNTVCTSS_EL0, and the examples of ordering reads of the counter).
#   riscv64: FENCE orders it as a device input, i (The RISC-V Instruction Set Manual, volume I,
#	"CSR Access Ordering" in Zicsr). herd7 knows no i and o either: fences that have them stand
#	under the names of others that nothing here uses.
# That the counters of all CPUs agree with the order in which memory is observed is an assumption of
# these tests: the counter has one order of its values, and each CPU reads the latest or an older one
# as far as its reads are not ordered. See ring.h.

# counter_models: make them, in $tmp/counter. herd7's own are changed, not copied: it fails if they
# are not as expected.
counter_models() {
	local from=$herd_dir/root/usr/share/herdtools7/herd to=$tmp/counter
	mkdir "$to"
	sed -e '/^(\* IFB-ordered-before \*)$/i let DSB-ob = [~X]; DSB-ob; [~X]' \
		-e '/^let po-scl-ob =$/i let bob = [~X]; bob; [~X]' \
		"$from/aarch64hwreqs.cat" >"$to/aarch64hwreqs.cat"
	sed -e '/^let po-loc-no-w =/i let fence = [~X]; fence; [~X] \
			| [M \\ X]; fencerel(Fence.tso); [M] (* rw,irw *) \
			| [R]; fencerel(Fence.i); [R] (* ir,ir *) \
			| [M]; fencerel(Fence.w.r); [M \\ X] (* irw,rw *) \
			| [M]; fencerel(Fence.r.w); [M] (* iorw,iorw *)' \
		"$from/riscv-defs.cat" >"$to/riscv-defs.cat"
	[[ $(grep -c '\[~X\]' "$to/aarch64hwreqs.cat") = 2 && $(grep -c '\[~X\]' "$to/riscv-defs.cat") = 1 ]] ||
		fail "herd7's models have changed: counter.sh does not know how to change them" 125
}

# counter_fences FILE: print it with fences that herd7 knows.
counter_fences() {
	if grep -q '^ \* Model: counter$' "$1"; then
		! grep -E '^ .*fence (tso|w,r|r,w)\b' "$1" || fail "$1: these fences are other ones here" 125
		sed -e 's/fence rw,irw/fence.tso/; s/fence ir,ir/fence.i/' \
			-e 's/fence irw,rw/fence w,r/; s/fence iorw,iorw/fence r,w/' "$1"
	else
		sed -E 's/fence [io]*([rw]+),[io]*([rw]+)/fence \1,\2/' "$1"
	fi
}
