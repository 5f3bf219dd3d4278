#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# coverage.sh FILE - how much of each of the module's functions the fuzzer has reached, by the FILE
# that it wrote; in the guest, of the module that it fuzzed.
set -euo pipefail
module=$(modinfo -n proclife)

# Each point is a call of the tracer, identified by its return address.
objdump -dr -j .text "$module" | awk '
	NR == FNR { reached[$1] = 1; next }
	/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
	/__sanitizer_cov_trace_pc/ { getline_pending = 1; points[name]++; total++; next }
	getline_pending {
		getline_pending = 0
		at = $1
		sub(/:.*/, "", at)
		if (at in reached) {
			hit[name]++
			hits++
		}
	}
	END {
		for (name in points)
			printf "%3d of %3d  %s\n", hit[name], points[name], name | "sort -k 4"
		close("sort -k 4")
		printf "%d of %d points of the module\n", hits, total
	}' "$1" -
