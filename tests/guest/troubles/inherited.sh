# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2016 # of troubles.sh; for other shells
# "Under it my job ends otherwise": a command runs as it would without proclife-read, however it is executed.
# Its caller has changed all that a process can pass on.
inherits=$PWD/$B/tests/guest/workloads/inherits
expect 'a file that grows too large kills' 153 '' \
	proclife-read --quiet -- sh -c "ulimit -f 1; head -c 100000 /dev/zero >$here/large; exit \$?"
expect 'SIGPIPE is ignored if it was' 1 'Broken pipe' \
	env --ignore-signal=PIPE proclife-read --quiet -- bash -c 'sleep 0.3 | { exec <&-; sleep 0.6; } | :; yes | :; exit ${PIPESTATUS[0]}'

# expect() gives the same standard streams to both.
expect 'told directly' 0 '' "$inherits" strange "$inherits" tell "$here/direct"
expect 'told by a command' 0 '' "$inherits" strange \
	proclife-read --record "$here/recording" --lives -- "$inherits" tell "$here/command"
same 'a command' "$here/direct" "$here/command"

# One that --exec starts is a shell's, reads /dev/null, and writes to standard error.
expect 'told by a shell' 0 '' "$inherits" strange sh -c "$inherits tell $here/shell </dev/null >&2; true"
expect 'told by --exec' 0 '' "$inherits" strange proclife-read --on failed \
	--exec "$inherits tell $here/exec; true" -- sh -c 'sh -c "exit 1"; exit 0'
same 'a command of --exec' "$here/shell" "$here/exec"

# Where --load has loaded the module; and what modprobe.d(5) runs in place of that.
unload
expect 'told after --load' 0 '' "$inherits" strange proclife-read --load -- "$inherits" tell "$here/load"
same 'a command after --load' "$here/direct" "$here/load"
expect 'told by a shell beside it' 0 '' "$inherits" strange sh -c "$inherits tell $here/shell; true"
echo "install proclife $inherits tell $here/install; modprobe --ignore-install proclife" \
	>/etc/modprobe.d/proclife-troubles.conf
expect 'told by an install command' 0 '' "$inherits" strange proclife-read --load -- true
same 'an install command of modprobe.d' "$here/shell" "$here/install"
echo 'install proclife exit 3' >/etc/modprobe.d/proclife-troubles.conf
expect 'an install command that fails' 1 "--load: modprobe.d: install 'exit 3': it ended with status 3" \
	proclife-read --load -- true
rm /etc/modprobe.d/proclife-troubles.conf
modprobe proclife
