# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2016 # of troubles.sh; for other shells
# "My job ends differently under it": a command runs as it would without proclife-read, however it is executed.
# Its caller has changed all that a process can pass on.
inherits=$PWD/$B/tests/guest/workloads/inherits
expect 'a file that grows too large kills' 153 '' \
	proclife-read --quiet -- sh -c "ulimit -f 1; head -c 100000 /dev/zero >$here/large; exit \$?"
expect 'SIGPIPE is ignored if it was' 1 'Broken pipe' \
	env --ignore-signal=PIPE proclife-read --quiet -- bash -c 'sleep 0.3 | { exec <&-; sleep 0.6; } | :; yes | :; exit ${PIPESTATUS[0]}'

# expect() gives the same standard streams to both.
expect 'executed directly' 0 '' "$inherits" strange "$inherits" tell "$here/direct"
expect 'executed as the command' 0 '' "$inherits" strange \
	proclife-read --record "$here/recording" --lives -- "$inherits" tell "$here/command"
same 'a command' "$here/direct" "$here/command"

# A command of --exec is run by a shell, reads /dev/null, and writes to standard error.
expect 'executed by a shell' 0 '' "$inherits" strange sh -c "$inherits tell $here/shell </dev/null >&2; true"
expect 'executed by --exec' 0 '' "$inherits" strange proclife-read --on failed \
	--exec "$inherits tell $here/exec; true" -- sh -c 'sh -c "exit 1"; exit 0'
same 'a command of --exec' "$here/shell" "$here/exec"

# After --load has loaded the module; and what modprobe.d(5) runs instead.
unload
expect 'executed after --load' 0 '' "$inherits" strange proclife-read --load --unload -- "$inherits" tell "$here/load"
same 'a command after --load' "$here/direct" "$here/load"
expect 'executed by a shell beside it' 0 '' "$inherits" strange sh -c "$inherits tell $here/shell; true"
echo "install proclife $inherits tell $here/install; modprobe --ignore-install proclife" \
	>/etc/modprobe.d/proclife-troubles.conf
expect 'executed by an install command' 0 '' "$inherits" strange proclife-read --load --unload -- true
same 'an install command of modprobe.d' "$here/shell" "$here/install"
echo 'install proclife exit 3' >/etc/modprobe.d/proclife-troubles.conf
expect 'an install command that fails' 1 "--load: modprobe.d: install 'exit 3': it ended with status 3" \
	proclife-read --source=module --load -- true
rm /etc/modprobe.d/proclife-troubles.conf
modprobe proclife
