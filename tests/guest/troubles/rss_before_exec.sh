# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# A program of 300 MiB starts a small one. The kernel's ru_maxrss of the small one is 300 MiB, too: the
# address space that it had between fork and exec.
# shellcheck disable=SC2016 # of perl
big=(perl -e '$x = "a" x (150 << 20); system("sleep", "0.1")')
small='([1-9][0-9]{2} KiB|[1-9](\.[0-9]+)? MiB)'
expect 'recorded' 0 '' proclife-read --record "$here/recording" -- "${big[@]}"
read=(proclife-read -i "$here/recording")
expect 'the tree' 0 " $small  .*sleep 0\.1" "${read[@]}" --tree
expect 'the tree: the big one' 0 ' [1-3][0-9]{2} MiB  .*perl -e' "${read[@]}" --tree
expect 'the tree: the largest' 0 ' 1 of 2 processes.* --top 1:rss|perl -e' "${read[@]}" --tree --top 1:rss
if grep -q 'sleep 0\.1' "$work/output"; then expect 'the largest is not sleep' 0 '' false; fi
expect 'the summary' 0 " $small .* sleep( |\$)" "${read[@]}" --summary
expect 'the summary in JSON' 0 '"group":"sleep",.*"max_rss":[1-9][0-9]{2,3},' "${read[@]}" --summary --json
expect 'deaths in JSON' 0 '"comm":"sleep",.*"max_rss":[1-9][0-9]{2,3},' "${read[@]}" --lives --json
"${read[@]}" --lives --sort rss >"$here/ranked"
expect 'by RSS, the big one comes first' 0 ' [1-3][0-9]{2} MiB perl -e' sed -n 3p "$here/ranked"
expect 'by RSS, then the small one' 0 " $small sleep 0\.1$" sed -n 4p "$here/ranked"
on_screen 'the screen: programs' "^ +1 .* $small .* sleep +0\.1$" 5 -i "$here/recording"
on_page 'a page: programs' '"rss":[1-9][0-9]{2,3},"max":[0-9]+,"pid":[0-9]+,"argument":"0\.1"' "${read[@]}"
expect 'the tree in JSON' 0 '"comm":"sleep",.*"max_rss":[1-9][0-9]{2,3},' "${read[@]}" --tree --json
expect 'events' 0 " sleep .*, rss $small," "${read[@]}" --events exit
expect 'events in JSON' 0 '"comm":"sleep",.*"max_rss":[1-9][0-9]{2,3},' "${read[@]}" --events exit --json
"${read[@]}" --export csv >"$here/lives.csv"
column=$(head -n 1 "$here/lives.csv" | tr , '\n' | grep -n '^max_rss$' | cut -d: -f1)
expect 'CSV' 0 '^[1-9][0-9]{2,3}$' sh -c "grep ',sleep,' '$here/lives.csv' | tail -n 1 | cut -d, -f'$column'"
expect 'OTLP' 0 '"proclife.max_rss","value":\{"intValue":"[1-9][0-9]{2,3}"' "${read[@]}" --export otlp
expect 'a slice' 0 '' "${read[@]}" --comm sleep --slice "$here/slice"
expect 'a slice: its figure' 0 '"comm":"sleep",.*"max_rss":[1-9][0-9]{2,3},' \
	proclife-read -i "$here/slice" --lives --json
expect 'as it happens' 0 '"comm":"sleep",.*"max_rss":[1-9][0-9]{2,3},' proclife-read --lives --json -- "${big[@]}"

# If the module does not record address spaces, it is unknown on old kernels; it is never the kernel's figure.
unload
modprobe proclife memory=0
expect 'without MM' 0 '"comm":"sleep",.*"max_rss":(null|[1-9][0-9]{2,3}),' proclife-read --lives --json -- "${big[@]}"
