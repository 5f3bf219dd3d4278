# shellcheck shell=bash disable=SC2154,SC2034 # a part of exact.sh and flood.sh, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The observers of a forest. Each has begin_NAME, which returns once it observes, end_NAME, which leaves
# all that it has in the current folder, and text_NAME, which prints that for the judge, in the format
# that `format` has for it, or else plain. What the tool reports as lost is part of the text.
#
# All record the same: fork, exec, changes of the name and exit, as far as they can, and on a clock that the
# truth has, too. Where a buffer can be set, it has 4 MiB for each CPU. Reapers, statuses and arguments are
# recorded where the tool has them without an own program or kprobe; bpftrace consists of programs.

declare -A title=(
	[proclife]=proclife [proclife_bpf]='proclife, BPF' [ftrace]='ftrace (trace-cmd)' [perf]='perf' [perf_sched]='perf, tracepoints'
	[lttng]='LTTng' [connector]='proc connector' [taskstats]='taskstats' [acct]='acct(2)'
	[bcc]='bcc' [bpftrace]='bpftrace' [auditd]='auditd' [sysdig]='sysdig' [strace]='strace -f'
)
declare -A format=(
	[proclife]=proclife [proclife_bpf]=proclife [ftrace]=trace-cmd [perf]=perf [perf_sched]=perf [acct]=acct [bcc]=bcc
	[taskstats]=taskstats
	[auditd]=audit [strace]=strace
)
tools='proclife proclife_bpf ftrace perf perf_sched lttng connector taskstats acct bcc bpftrace auditd sysdig strace'

# row TRUTH TOOL [MORE]: prints its row, with MORE behind its name.
row() {
	{ "text_$2" 2>errors || [[ $? = 141 ]]; } | "$programs/exact/judge" --row --format "${format[$2]:-plain}" \
		--name "${title[$2]}${3:-}" ${JUDGE_FAULTS:+--faults "$JUDGE_FAULTS"} "$1" || {
		cat errors >&2
		fail "$2: its output cannot be judged"
	}
}

# Cleans up the folder where tools have recorded.
clean_up() {
	rm -rf -- *.control *.ack audit
}

# tools_of LIST: its tools as words, or all.
tools_of() {
	local tool
	for tool in ${1//,/ }; do
		[[ " $tools " = *" $tool "* ]] || fail "--only $tool: no such tool; there are: $tools" 129
	done
	echo "${1:-$tools}" | tr , ' '
}

# fetch_peers: the packages that tools in $chosen need and that are not installed here.
fetch_peers() {
	make_share
	if [[ " $chosen " = *' auditd '* ]]; then
		fetch_packages auditd libauparse0 libwrap0
		# Without audit=1, the kernel silently drops what the daemon does not take in time.
		boot_options+=(--append audit=1)
	fi
	[[ " $chosen " != *' sysdig '* ]] || fetch_packages falcosecurity-scap-dkms
	[[ " $chosen " != *' lttng '* ]] || fetch_packages lttng-modules-dkms
	[[ " $chosen " != *' sysdig '* && " $chosen " != *' lttng '* ]] || build_modules
}

buffer_kib=4096
set_buffers() {
	trace_cmd_buffer=(-b "$buffer_kib") perf_buffer=(-m "${buffer_kib}K")
}
set_buffers
name_events=(sched:sched_process_{fork,exec,exit} task:task_rename)

# Records that the others have no events for are off, except reapers. Arguments are recorded by default.
begin_proclife() {
	modprobe proclife ring_kb=$buffer_kib signals=N waits=N exiting=N memory=N || exit 1
	observe proclife proclife-read --record proclife
	await proclife test -s proclife/metadata
}
end_proclife() { dismiss proclife && rmmod proclife; }
text_proclife() { "$B/proclife-read" -i proclife --tree --json; }

# Its rings together have as much.
begin_proclife_bpf() {
	observe proclife_bpf proclife-read --record proclife_bpf \
		--source=bpf,ring_kb="$buffer_kib",signals=N,waits=N,exiting=N,memory=N
	await proclife_bpf test -s proclife_bpf/metadata
}
end_proclife_bpf() { dismiss proclife_bpf; }
text_proclife_bpf() { "$B/proclife-read" -i proclife_bpf --tree --json; }

# Without record-cmd, from which trace-cmd knows the names of tasks that no event names: it is a third of
# its cost, and here the events have all names.
begin_ftrace() { start_trace_cmd -O norecord-cmd "${name_events[@]}"; }
end_ftrace() { dismiss trace-cmd; }
text_ftrace() { trace-cmd report -t -i trace.dat; }

# The kernel's own records of tasks, which come with any event: the dummy has none of its own.
begin_perf() { start_perf dummy:u; }
end_perf() { dismiss perf; }
text_perf() { perf script -i perf.data --ns --show-task-events --show-lost-events; }
# With its tracepoints it has the names of execs and renames from these, as ftrace does.
begin_perf_sched() { start_perf_as perf_sched "${name_events[@]}"; }
end_perf_sched() { dismiss perf_sched; }
text_perf_sched() { perf script -i perf_sched.data --ns --show-lost-events; }

# Four of its sub-buffers are as much as the others' buffers. Its modules have no event of renames, but the
# event of an exit has the name.
lttng_events=(sched_process_fork sched_process_exec sched_process_exit)
begin_lttng() {
	local IFS=,
	mkdir -p "/lib/modules/$KERNEL/updates/lttng"
	cp /mnt/share/modules/lttng*.ko "/lib/modules/$KERNEL/updates/lttng/" && depmod || exit 1
	observe lttng-sessiond "${wrap[@]}" lttng-sessiond --kmod-probes=sched
	await lttng-sessiond lttng --no-sessiond list >await.log 2>&1
	{
		lttng create forest --output="$PWD/lttng" &&
			lttng enable-channel -k --subbuf-size=$((buffer_kib / 4))K --num-subbuf=4 all &&
			lttng enable-event -k -c all "${lttng_events[*]}" && lttng start
	} >lttng.log 2>&1 || {
		cat lttng.log >&2
		fail 'LTTng does not start'
	}
}
end_lttng() {
	{ lttng stop && lttng list forest && lttng destroy; } >lttng.log 2>&1
	dismiss lttng-sessiond
}
# Its clock was compared with that of the day once, when LTTng began.
text_lttng() {
	printf '%s\n' 'clock realtime' 'rounding 0.01'
	babeltrace2 --clock-seconds lttng 2>lttng.errors | awk '
		function text(key,   at) {
			at = index($0, " " key " = ")
			return at ? substr($0, at + length(key) + 4) : ""
		}
		function name(key,   t) {
			t = substr(text(key), 2)
			t = substr(t, 1, index(t, "\"") - 1)
			gsub(/ /, "\\x20", t)
			return t
		}
		{ time = substr($1, 2, length($1) - 2) }
		/ sched_process_fork: / && text("child_tid") + 0 == text("child_pid") + 0 {
			print time, "fork", text("child_pid") + 0, text("parent_pid") + 0, name("child_comm")
		}
		/ sched_process_exec: / {
			path = name("filename")
			sub(/.*\//, "", path)
			print time, "exec", text("tid") + 0, path
		}
		/ sched_process_exit: / {
			print time, "name", text("tid") + 0, name("comm")
			print time, "exit", text("tid") + 0
		}'
	sed -n 's/.*Tracer discarded \([0-9]*\) event.*/\1/p' lttng.errors | awk '{ n += $1 } END { print "lost " n + 0 }'
}

# Their sockets hold as much as the rings of four CPUs.
begin_connector() {
	observe connector "$B/tests/truth/listen" connector connector.txt $((4 * buffer_kib))
	await connector grep -q ready connector.log
}
end_connector() { dismiss connector; }
text_connector() { cat connector.txt; }

begin_taskstats() {
	observe taskstats "$B/tests/truth/listen" taskstats taskstats $((4 * buffer_kib))
	await taskstats grep -q ready taskstats.log
}
end_taskstats() { dismiss taskstats; }
text_taskstats() { cat taskstats; }

begin_acct() {
	observe acct "$B/tests/truth/listen" acct acct
	await acct grep -q ready acct.log
}
end_acct() { dismiss acct; }
text_acct() { cat acct; }

# The only pair of its tools that reports whole lives. Their buffers cannot be set: 8 pages for each CPU.
# They are ready once they have opened one for each, which takes a minute for the compiler.
begin_bcc() {
	observe exitsnoop exitsnoop-bpfcc --utc --label exit
	TZ=UTC observe execsnoop execsnoop-bpfcc --time
	await exitsnoop has_perf_buffers exitsnoop
	await execsnoop has_perf_buffers execsnoop
}
end_bcc() {
	dismiss exitsnoop
	dismiss execsnoop
}
text_bcc() { cat exitsnoop.log execsnoop.log; }

# A string has 64 bytes by default, and 200 at most.
begin_bpftrace() {
	observe bpftrace env BPFTRACE_PERF_RB_PAGES=$((buffer_kib / 4)) BPFTRACE_STRLEN=200 \
		bpftrace -B full -o bpftrace.txt "$tree/tests/bench/exact/lives.bt"
	await bpftrace has_perf_buffers bpftrace
	sleep 2
}
end_bpftrace() { dismiss bpftrace; }
# Names come with their blanks, arguments with a \x00 behind each, times in ns; "Lost N events" is among its
# complaints.
text_bpftrace() {
	awk '
		$1 == "Lost" && $3 == "events" { lost += $2; next }
		$2 !~ /^(fork|exec|args|name|exit|reap)$/ { next }
		{ time = substr($1, 1, length($1) - 9) "." substr($1, length($1) - 8) }
		# The rest of the line as one word.
		function rest(   i, text) {
			for (i = 4; i <= NF; i++)
				text = text (i > 4 ? "\\x20" : "") $i
			return text
		}
		$2 == "exec" { name[$3] = rest(); print time, $2, $3, name[$3]; next }
		$2 == "name" { print time, $2, $3, rest(); next }
		$2 == "args" {
			text = rest()
			gsub(/\\x00/, " ", text)
			print time, "exec", $3, name[$3], text
			next
		}
		{ $1 = time; print }
		END { print "lost " lost + 0 }' bpftrace.log bpftrace.txt
}

# The rules that are in common use: a backlog of 8192 (CIS, Debian's examples), and one rule for several calls,
# since each rule is tried at each call. A process that exits by a signal makes no call, and no rule is for the
# sender of a signal, which may be the kernel. By default, the kernel makes a process that fills the backlog
# wait. The daemon only writes: no plugins, and no flushing.
begin_auditd() {
	PATH=/mnt/share/auditd/sbin:$PATH LD_LIBRARY_PATH=$(printf '%s:' /mnt/share/lib*/{,usr/}lib/*-linux-gnu)
	export LD_LIBRARY_PATH
	mkdir -p audit/plugins.d /var/run /var/log/audit || exit 1
	cat >audit/auditd.conf <<-END
		log_file = $PWD/audit.log
		log_format = RAW
		log_group = root
		flush = NONE
		max_log_file_action = IGNORE
		space_left = 2
		admin_space_left = 1
		space_left_action = IGNORE
		admin_space_left_action = IGNORE
		disk_full_action = IGNORE
		disk_error_action = IGNORE
		plugin_dir = $PWD/audit/plugins.d
	END
	chmod 750 audit && chmod 640 audit/auditd.conf
	observe auditd auditd -n -c "$PWD/audit"
	await auditd test -s audit.log
	{
		auditctl --reset-lost
		auditctl -D && auditctl -b 8192 &&
			auditctl -a always,exit -F arch=b64 -S fork,vfork,clone,clone3 -F success=1 -k fork &&
			auditctl -a always,exit -F arch=b64 -S execve,execveat -F success=1 -k exec &&
			auditctl -a always,exit -F arch=b64 -S exit,exit_group -k exit &&
			auditctl -a always,exit -F arch=b64 -S prctl -F a0=15 -k name && # PR_SET_NAME
			auditctl -a always,exclude -F msgtype=PATH && # which say nothing about these
			auditctl -a always,exclude -F msgtype=CWD &&
			auditctl -a always,exclude -F msgtype=PROCTITLE &&
			auditctl -e 1
	} >auditctl.log 2>&1 || {
		cat auditctl.log >&2
		fail 'auditctl: cannot set the rules'
	}
}
end_auditd() {
	auditctl -s | sed -n 's/^lost /lost /p' >audit.lost
	auditctl -D >auditctl.log 2>&1
	auditctl -e 0 >auditctl.log 2>&1
	# It writes what it has not read yet only until it gets the signal to end.
	local size=-1
	while [[ $(stat -c %s audit.log) != "$size" ]]; do
		size=$(stat -c %s audit.log)
		sleep 3
	done
	kill -TERM "${observer[auditd]}"
	wait "${observer[auditd]}"
	unset 'observer[auditd]'
}
text_auditd() { cat audit.log audit.lost; }

# Its driver's buffers have 8 MiB for each CPU; its filter applies behind them. It writes what it reads, and
# prints it later. With -v it reports at the end what its driver dropped.
begin_sysdig() {
	insmod /mnt/share/modules/scap.ko || exit 1
	observe sysdig sysdig -v -w sysdig.scap \
		'evt.type in (clone, clone3, fork, vfork, execve, execveat, procexit)'
	await sysdig test -s sysdig.scap
	sleep 2
}
end_sysdig() { dismiss sysdig && rmmod scap; }
# A child's own events can be earlier than the return of the call that made it.
text_sysdig() {
	printf '%s\n' 'clock realtime' 'early 1'
	sysdig -r sysdig.scap -p $'*%evt.rawtime\t%evt.dir\t%evt.type\t%evt.rawarg.res\t%proc.pid\t%thread.tid\t%evt.arg.flags\t%evt.arg.status\t%evt.arg.comm\t%proc.exeline' |
		awk -F '\t' '
			{ time = substr($1, 1, length($1) - 9) "." substr($1, length($1) - 8) }
			{ gsub(/ /, "\\x20", $9); sub(/ +$/, "", $10) }
			$2 != "<" { if ($3 == "procexit" && $5 == $6) print time, "exit", $5, $8; next }
			$3 ~ /clone|fork/ && $4 + 0 > 0 && $7 !~ /CLONE_THREAD/ { print time, "fork", $4, $5, $9 }
			$3 ~ /execve/ && $4 == 0 { print time, "exec", $5, $9, $10 }'
	sed -n 's/^Driver Drops: */lost /p' sysdig.log
}

# It has to stop each process to look at it; with --seccomp-bpf only at the calls that it wants to see.
strace=(strace -f --seccomp-bpf -ttt -e 'trace=%process,prctl' -e 'signal=!chld' -o strace.txt)
text_strace() { cat strace.txt; }
