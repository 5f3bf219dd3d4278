#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/bpf.sh [--same] - recording without the module, inside the guest: loads that stay and their readers, and what
# bad surroundings get. At the end the kernel is locked down. --same: only whether the BPF programs record what the module,
# which has to be installed, records, but for times and amounts.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "$0")/expect.sh"
one=(proclife-read --tree -- true)
recorded='^1 process; .* no loss; by BPF$'
pins=/sys/fs/bpf/proclife

# The kernel frees programs a while after they are detached.
attached() { grep -q 'bpf_prog_[0-9a-f]*_on_exit' /proc/kallsyms; }
detached() {
	local tries
	for ((tries = 0; tries < 50; tries++)); do
		attached || return 0
		sleep 0.1
	done
	return 1
}
await_file() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[[ ! -e $1 ]] || return 0
		sleep 0.1
	done
	return 1
}

# A shell with children that end in several ways, processes of which threads call execve(2), and what fails.
few=$work/few
case $(uname -m) in aarch64) execve=221 execveat=281 ptrace=117 ;; *) execve=59 execveat=322 ptrace=101 ;; esac
# shellcheck disable=SC2016 # for the other shell
load='ulimit -c unlimited; for i in 1 2 3; do /bin/true; (exit 3); done; sh -c "kill -9 \$\$"; sh -c "kill -SEGV \$\$"
	"$B/tests/guest/workloads/exec_thread" 3
	/nonexistent/a; /tmp; /nonexistent/0123456789012345678901234567890123456789/x
	unshare --pid sh -c "/bin/true; /bin/true"
	setpriv --reuid 65534 --clear-groups --bounding-set -all sh -c "ulimit -p 1; (true)"
	(sleep 1; read -r all <"$work/threads"; echo $all >/proc/sys/kernel/threads-max) & sleep 0.3
	sh -c "echo 20 >/proc/sys/kernel/threads-max
		exec setpriv --reuid 65534 --clear-groups --inh-caps +sys_resource --ambient-caps +sys_resource sh -c \"ulimit -p 1; (true)\""; wait
	perl -e "syscall($execve, 1, 0, 0); \$empty = q(); syscall($execveat, 0, \$empty, 0, 0, 0x1000);"
	cd "$folder" && "$paths"
	printf "#!/bin/sh\nexit 4\n" >"$folder/script"; chmod +x "$folder/script"; "$folder/script"; perl -e "$tricks"
	[ ! -e "$few" ] || sh -c "echo \$\$ >\"$few/cgroup.procs\"; (true)"; :'
# Another user after an exec; a wait(2) for a group; a signal to another program; a traced child; one that nobody reaps.
# shellcheck disable=SC2016 # for perl
tricks='sub child { my $code = shift; my $pid = fork; return $pid if $pid; $code->(); exit 5 }
	sub pause { select(undef, undef, undef, 0.3) }
	waitpid(child(sub { $> = 65534; exec "/bin/true" }), 0);
	setpgrp; child(sub {}); waitpid(0, 0);
	my $pid = child(sub { exec "sleep", 60 }); pause; kill 9, $pid; waitpid($pid, 0);
	$pid = child(sub { syscall($ENV{ptrace}, 0, 0, 0, 0); exec "/bin/true" });
	waitpid($pid, 0); syscall($ENV{ptrace}, 7, $pid, 0, 0); waitpid($pid, 0);
	$SIG{CHLD} = "IGNORE"; child(sub {}); pause'
folder=$work/folder
cat /proc/sys/kernel/threads-max >"$work/threads"
paths=$(realpath "$B/tests/guest/workloads/paths")
variables=PATHS_A,PATHS_B,PATHS_C
# What records say beside times, amounts and what depends on who runs first; processes by their names.
# shellcheck disable=SC2016 # for perl
normal='next if !/"type":"(?!trace|end|gap|times)/;
	$name{$1} = $2 if /"tid":(\d+).*?"comm":"([^"]*)"/;
	s/"(ts|start|task|cpu|cgroup|softirq|runner\w*|result)":[^,}]+,?//g;
	s/"([a-z_]+)":"([0-9a-f]{16})"/"\"$1\":" . ($2 =~ "^0*\$" ? 0 : 1)/ge;
	s/"((?:[a-z]+_)?[pt]id)":(\d+)/"\"$1\":\"" . ($2 ? $name{$2} \/\/ "?" : 0) . "\""/ge;
	s/"wanted":[1-9]\d*/"wanted":1/; # it can have another name already
	s/"(?!wait_status|status|signo|code|error|e?uid|args_bytes|env_searched|path_len)[a-z_]+":\d{2,}[,}]//g;
	s/"(live|(mm_)?users|n(v|iv)csw|(min|maj)_flt|life|rss_\w+|swap|tables|peak|(read|write)_bytes|[usr]\w*time|waiting)":\d+,?//g;
	s/"pid":"[^"]*",// if /"type":"free"/; # the process can have another name now
	print'
# types SOURCE: how many records of each type the load has made, what failed, all paths and variables, and what records say.
types() {
	mkdir "$folder" || return
	proclife-read --source="$1" --record "$work/$1" --quiet -- env work="$work" few="$few" execve=$execve execveat=$execveat \
		ptrace=$ptrace tricks="$tricks" \
		folder="$folder" paths="$paths" sh -c "$load" >"$work/$1.log" 2>&1
	rm -rf "$folder"
	proclife-read -i "$work/$1" --events --json >"$work/$1.json"
	sed -nE 's/.*"type":"([a-z]+)".*/\1/p' "$work/$1.json" | grep -vxE 'trace|end' | sort | uniq -c >"$work/$1.types"
	perl -ne "$normal" "$work/$1.json" | sort | uniq -c >"$work/$1.contents"
	sed -nE '/"type":"path"/s/"(ts|cpu|task|start|tid|pid)":[^,]+,//gp' "$work/$1.json" | sort >"$work/$1.paths"
	proclife-read -i "$work/$1" --events | sed -nE 's/^[^ ]+ +[0-9]+ fail +[0-9]+ +//p' | sort >"$work/$1.failures"
}
if [[ ${1-} == --same ]]; then
	find_cgroups && echo +pids >"$cgroups/cgroup.subtree_control" && mkdir "$cgroups/few" &&
		echo 1 >"$cgroups/few/pids.max" && few=$cgroups/few
	modprobe proclife births=1 times=1 cgroups=1 failures=1 paths=1 env="$variables" && types module &&
		rmmod proclife || exit 1
	proclife-read --load --source=bpf,births,times,cgroups,failures,paths,env="${variables//,/:}" --status >/dev/null &&
		types bpf && proclife-read --unload || exit 1
	for what in types failures paths contents; do
		same "$what, by the module and by BPF" "$work/module.$what" "$work/bpf.$what"
		diff "$work/module.$what" "$work/bpf.$what" | awk '{ print length($0), substr($0, 1, 150), substr($0, length($0) - 100) }'
	done
	expect 'all types' 0 '^1[6-9]$' grep -c . "$work/bpf.types"
	expect 'the workload of paths' 1 '' grep '^paths: case' "$work/bpf.log"
	expect 'paths' 0 '^1[1-9][0-9]$' grep -c '"path":"/' "$work/bpf.paths"
	for what in '"/memfd:a name \(deleted\)"' '/inner \(deleted\)"' '/mounted/x/program"' '"comm":"true".*"exe".*/usr/bin/true"' \
		'"path":null' '"env":\["PATHS_B=","PATHS_A=1","PATHS_C=3"\]' '"env_searched":32763'; do
		expect "a path or variable: $what" 0 '' grep -E "$what" "$work/bpf.paths"
	done
	for what in ': ENOENT' 'EACCES, by descriptor' EFAULT RLIMIT_NPROC 'init of its PID namespace' pids.max; do
		expect "a failure: $what" 0 '' grep "$what" "$work/bpf.failures"
	done
	# Another test can have the controller in another hierarchy.
	rmdir "$few" && echo -pids >"$cgroups/cgroup.subtree_control" && sleep 0.5
	expect_done
	exit
fi

expect 'a run' 0 "$recorded" "${one[@]}"
expect 'a run leaves nothing' 0 '' detached

# as_user CAPABILITIES COMMAND...: another user, with these.
as_user() {
	setpriv --reuid 65534 --clear-groups --inh-caps "-all$1" --ambient-caps "-all$1" "${@:2}"
}
expect 'CAP_BPF and CAP_PERFMON' 0 "$recorded" as_user ,+bpf,+perfmon "${one[@]}"
denied='^proclife-read: cannot record: permission denied; run as root, or with CAP_BPF and CAP_PERFMON$'
expect 'no capability' 1 "$denied" as_user '' "${one[@]}"
expect 'CAP_BPF alone' 1 "$denied" as_user ,+bpf "${one[@]}"
expect 'CAP_PERFMON alone' 1 "$denied" as_user ,+perfmon "${one[@]}"
expect 'a user namespace' 1 'in a user namespace, as in a rootless container; run outside of it$' unshare -Ur "${one[@]}"
expect 'a PID namespace' 1 'process IDs differ here from' unshare --pid --fork --mount-proc "${one[@]}"

# A path that never was is not recorded, while its first and its last folder are renamed in turn.
mkdir "$work/renamed" && (cd "$work/renamed" && proclife-read --source=bpf,paths --record "$work/renames" --quiet -- \
	"$paths" --renamed 1000 >/dev/null 2>&1)
proclife-read -i "$work/renames" --events | sed -nE 's,.* cwd .*/renamed/([PQ])/(s/)+([xyz])$,\1\3,p' >"$work/cwds"
expect 'folders that are renamed: known' 0 '^[1-9][0-9]{2}' grep -c . "$work/cwds"
# shellcheck disable=SC2016 # for the other shell
expect 'folders that are renamed: more than one path' 0 '^[2-5]$' sh -c 'sort -u "$1" | grep -c .' sh "$work/cwds"
expect 'folders that are renamed: none that never was' 1 '' grep -v '^P[xyz]$\|^Q[yz]$' "$work/cwds"

# Several at once, all of them need the same pins.
for name in 1 2 3; do
	proclife-read --load --status >"$work/load$name" 2>&1 || echo "status $?" >>"$work/load$name" &
done
wait
for name in 1 2 3; do
	expect "$name of three that load at once" 0 '^loaded +pinned in /sys/fs/bpf/proclife$' cat "$work/load$name"
done
expect 'a load stays' 0 '' attached

# What is read goes on without its pins.
proclife-read --record "$work/reader" --duration 60 >"$work/reader.log" 2>&1 &
reader=$!
await_file "$work/reader/metadata" && sleep 1
expect 'unload, while one reads' 0 '' proclife-read --unload
expect 'the pins are gone' 1 '' test -e $pins
sh -c 'exit 42' && exit 1
sleep 1
kill -INT $reader
wait $reader
expect 'the reader ends well' 0 ' 0 lost$' cat "$work/reader.log"
expect 'the reader saw who came later' 0 ' 42 +sh -c ' proclife-read -i "$work/reader" --status 42
expect 'all goes with the last reader' 0 '' detached

# A loader that is killed while it pins: what it left goes with the next load, or with --unload.
strace -o "$work/calls" -e trace=bpf proclife-read --load --status >/dev/null 2>&1
first=$(grep -n BPF_OBJ_PIN "$work/calls" | sed -n '1s/:.*//p')
last=$(grep -n BPF_OBJ_PIN "$work/calls" | sed -n '$s/:.*//p')
proclife-read --unload
[[ $first ]] && ((last > first + 8)) || { echo 'bpf: no pins were seen' && exit 1; }
for at in $((first + 3)) "$last"; do
	strace -o /dev/null -e trace=bpf -e inject=bpf:signal=KILL:when="$at" proclife-read --load --status >/dev/null 2>&1
	expect "killed at call $at: some pins" 0 '' test -e $pins
	expect "killed at call $at: no header" 1 '' test -e $pins/header
	expect "killed at call $at: a run" 0 "$recorded" "${one[@]}"
	expect "killed at call $at: a load" 0 '^loaded +pinned' proclife-read --load --status
	expect "killed at call $at: an unload" 0 '' proclife-read --unload
	expect "killed at call $at: nothing is left" 0 '' detached
done

# A load of which pins were removed is no load.
for pin in links/on_exit cpus/0; do
	proclife-read --load && rm "$pins/$pin"
	expect "without $pin: a run" 1 "some pins are missing; 'proclife-read --load', as root, replaces the others$" "${one[@]}"
	expect "without $pin: a load" 0 'some pins are missing: replacing the others$' proclife-read --load
	expect "without $pin: a run after that" 0 "$recorded" "${one[@]}"
	expect "without $pin: an unload" 0 '' proclife-read --unload
done

# Somebody's folder among the pins stays, and is named; all else goes.
proclife-read --load && mkdir $pins/stray
expect 'a stray folder: an unload' 1 'proclife: something is in it that proclife did not make: remove that, then --unload again$' \
	proclife-read --unload
expect 'a stray folder: nothing is left' 0 '' detached
expect 'a stray folder: it is left' 0 '^stray$' ls $pins
rmdir $pins/stray
expect 'a stray folder: another unload' 0 '' proclife-read --unload

# What happens at functions is not recorded while that is switched off: it is not said to be nothing.
proclife-read --load && sysctl -qw kernel.ftrace_enabled=0
expect 'functions off: a run' 3 'kernel.ftrace_enabled is 0: .*: the result is incomplete; set it to 1$' "${one[@]}"
expect 'functions off: the status' 0 'kernel.ftrace_enabled is 0; set it to 1' proclife-read --status
expect 'functions off: an unload' 0 '' proclife-read --unload
expect 'functions off: a load' 0 'kernel.ftrace_enabled is 0; set it to 1' proclife-read --source=bpf --status
expect 'functions off: a run that loads' 0 "$recorded" "${one[@]}"
sysctl -qw kernel.ftrace_enabled=1

# Anybody may make folders in a bpffs that was mounted without options.
mkdir $pins && chmod 777 $pins || exit 1
expect 'pins of anybody: a load' 1 'another user can change what is there; remove it$' \
	proclife-read --source=bpf --load --status
expect 'pins of anybody: a run' 0 "$recorded" "${one[@]}"
rmdir $pins
mkdir "$work/victim" && touch "$work/victim/file" && mkdir $pins && chown 65534 $pins && ln -s "$work/victim" $pins/links
expect 'a link among the pins: an unload' 1 'another user can change what is there; remove it$' proclife-read --unload
rm $pins/links && rmdir $pins && ln -s "$work/victim" $pins
expect 'a link in place of the pins: an unload' 1 'another user can change' proclife-read --unload
expect 'a link in place of the pins: a load' 1 'another user can change' proclife-read --source=bpf --load
expect 'no link is followed' 0 '' test -e "$work/victim/file"
rm $pins

# A lock that others can hold.
setpriv --reuid 65534 --clear-groups flock -x /sys/fs sleep 60 &
holder=$!
sleep 0.5
expect 'another user holds a lock: a load' 0 '' timeout 30 proclife-read --load
expect 'another user holds a lock: an unload' 0 '' timeout 30 proclife-read --unload
kill $holder

# Refusals, each in a line.
expect 'few open files' 1 "too many open files: .* raise the limit of open files \('ulimit -n'\)$" \
	bash -c 'ulimit -n 40; "$@"' bash "${one[@]}"
without() { strace -f -o /dev/null -e trace=bpf -e inject=bpf:error="$1" "${one[@]}"; }
expect 'seccomp refuses bpf(2)' 1 'bpf\(2\) is refused, though we are root; in a container, add CAP_BPF' without EPERM
expect 'no bpf(2)' 1 'this kernel has no BPF \(CONFIG_BPF_SYSCALL\)$' without ENOSYS
mkdir "$work/empty"
expect 'no BTF' 1 '/sys/kernel/btf/vmlinux: no such file: this kernel has no BTF' \
	unshare --mount sh -c "mount --bind '$work/empty' /sys/kernel/btf && exec proclife-read --tree -- true"
expect 'a time namespace' 1 'in a time namespace, in which the records. clock is another one' \
	unshare --time --boottime 1000 --fork "${one[@]}"

# CPUs that go and come back have their rings all the time.
if [[ -w /sys/devices/system/cpu/cpu1/online ]]; then
	# shellcheck disable=SC2016 # for the other shell
	expect 'a CPU that goes and comes' 0 '^41 processes; .* no loss; by BPF$' proclife-read --tree -- sh -c '
		at() { for i in 1 2 3 4 5 6 7 8 9 10; do taskset "$1" /bin/true; done; }
		at 2; echo 0 >/sys/devices/system/cpu/cpu1/online; at 1; echo 1 >/sys/devices/system/cpu/cpu1/online
		at 2; at 1'
fi

# A memory cgroup that is too small for the rings.
if find_cgroups && mkdir "$cgroups/small" && [[ -e $cgroups/small/memory.max ]]; then
	echo 6M >"$cgroups/small/memory.max"
	# shellcheck disable=SC2016 # for the other shell
	expect 'a small memory cgroup' 1 'not enough memory for the rings; raise the cgroup' \
		sh -c 'echo $$ >"$1/cgroup.procs" && exec proclife-read --source=bpf,ring_kb=65536 --tree -- true' sh "$cgroups/small"
	rmdir "$cgroups/small"
fi

if [[ -w /sys/kernel/security/lockdown ]] || mount -t securityfs securityfs /sys/kernel/security; then
	echo integrity >/sys/kernel/security/lockdown
	expect 'lockdown: integrity' 0 "$recorded" "${one[@]}"
	echo confidentiality >/sys/kernel/security/lockdown
	expect 'lockdown: confidentiality' 1 \
		'refused: the kernel is locked down \(confidentiality\), .*; load the module, signed' "${one[@]}"
fi
expect_done
