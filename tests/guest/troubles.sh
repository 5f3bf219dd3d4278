#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/troubles.sh [NAME...] - the situations in tests/guest/troubles/NAME.sh, or all: what people
# reported to be hard to explain on their machines. Each brings one about, so that the right answer is
# known, and checks every view that speaks of it. They share this shell, begin with the module loaded
# and with $here, an empty folder, and may use what expect.sh has.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

troubles=("$@")
[[ $# -gt 0 ]] || for each in "${BASH_SOURCE[0]%.sh}"/*.sh; do
	each=${each##*/} troubles+=("${each%.sh}")
done
for trouble in "${troubles[@]}"; do
	script=troubles/$trouble here=$work/$trouble
	mkdir -m 755 "$here" && modprobe proclife || exit 1
	# shellcheck source=/dev/null
	. "${BASH_SOURCE[0]%.sh}/$trouble.sh"
	until rmmod proclife; do sleep 0.1; done
done
script=troubles
expect_done
