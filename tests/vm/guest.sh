# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# One guest, from its start to its verdict.

# guest_start WORK LAYERS TIMEOUT [JOB-FILE...]: start a guest in the background, as $qemu. WORK is
# a new folder for its files; a layer is a name with its folder in the array layer_dir.
guest_start() {
	local work=$1 layers=$2 timeout=$3 name emulated='' options=() staller=()
	shift 3
	mkdir -p "$work/tree/job" || exit 125
	cp "$here/init" "$work/tree/" && cp "$here/guest-init" "$@" "$work/tree/job/" || exit 125
	printf '%s\n' "layers='$layers'" "share=${share:+yes}" >"$work/tree/job/guest"
	[[ $root_dir ]] || keep >"$work/tree/job/keep"
	[[ -z $root_dir ]] || echo "$tree" >"$work/tree/job/tree"
	[[ $layers != memory ]] || cp -a "$tmp/memory" "$work/tree/" || exit 125
	{ cat "$kernel_initramfs" && pack "$work/tree"; } >"$work/initramfs" || exit 125

	[[ $layers = @(probe|memory) ]] || for name in $layers; do
		offer "$name" "${layer_dir[$name]}" ,readonly=on
	done
	[[ -z $root_dir || $layers = probe ]] || offer tree "$tree" ,readonly=on
	[[ -z $share ]] || offer share "$share" ''
	if [[ -p $work/out ]]; then
		options+=(-device 'virtio-serial-pci,vectors=0')
		for name in out err end; do
			options+=(-chardev "file,id=$name,path=${work//,/,,}/$name,append=on"
				-device "virtserialport,chardev=$name,name=proclife.$name")
		done
	fi
	[[ $layers != memory ]] || wake "$work"
	# The guest ends with the first panic, and an oops is a panic, since nothing after it proves
	# anything; the log is complete then. An emulated TSC is the best clock, since reading
	# any other clock leaves the guest; an emulated CPU may stand still because the host is busy.
	[[ ! $stall || $layers = probe ]] ||
		staller=("$tmp/stall" "$work/stalls" "$work/console" "$command_begins")
	[[ $accel = *kvm* ]] || emulated=' watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60'
	[[ ! $emulated || $arch_foreign ]] || emulated+=' tsc=reliable clocksource=tsc'
	# shellcheck disable=SC2086 # accel is a list of words
	setpriv --pdeathsig KILL timeout -s KILL "$timeout" setpriv --pdeathsig KILL \
		"${staller[@]}" "${qemu_command[@]}" -name guest,debug-threads=on \
		-machine "$arch_machine" -nodefaults -no-user-config -display none -no-reboot \
		$accel -smp "$smp" -m "$mem" -serial "file:$work/console" \
		-kernel "$kernel_dir/vmlinux" -initrd "$work/initramfs" \
		-append "console=$arch_console loglevel=5 panic=-1 oops=panic$emulated $append" \
		"${options[@]}" </dev/null >"$work/qemu.log" 2>&1 &
	qemu=$!
}

# Built here, since stall runs on this machine and not in the guest.
stall_get() {
	gcc -O2 -Wall -o "$tmp/stall" "$here/stall.c" || fail "$here/stall.c does not build" 125
}

# stall_tell WORK: prints how often virtual CPUs stood still.
stall_tell() {
	awk '{ ms += $2 } END { print "tests/vm/run: virtual CPUs stood still " NR " times, for " ms " ms in all" }' \
		"$1/stalls" >&2
}

command_begins='proclife: the command begins'

# offer TAG DIR OPTION: lets the guest mount a folder of the host.
offer() {
	options+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap$3"
		-device "virtio-9p-pci,vectors=0,fsdev=$1,mount_tag=$1")
}

# Print the names in /tmp without which the guest would lack the current folder or the project.
keep() {
	printf '%s\n' "$(pwd -P)" "$tree" | sed -n 's,^/tmp/\([^/]*\).*,\1,p' | sort -u
}

# guest_run WORK LAYERS TIMEOUT CWD COMMAND...: run the command in a guest. Sets guest_status, or
# else guest_lost to the reason why there is none. If that comes before the command has begun, and
# with it anything of ours, it tries again: the emulator itself may fail (seen: an assertion of qemu
# 10.0.2 while the guest sets up its devices), or a kernel on CPUs that a busy host hardly runs (seen:
# an interrupt in 6.1's setup_IO_APIC()).
guest_run() {
	local attempt
	for attempt in 1 2 3; do
		guest_try "$@"
		[[ $attempt != 3 && $guest_lost = *@('status 134: '|'Kernel panic')* ]] &&
			! grep -q "$command_begins" "$1/console" || return 0
		say "$guest_lost; the command has not begun: starting another guest"
		rm -rf "$1"
	done
}

guest_try() {
	local work=$1 layers=$2 timeout=$3 name pid status token waiting=()
	mkdir -p "$work" && mkfifo "$work/out" "$work/err" "$work/end" || exit 125
	token=$(od -An -v -t x1 -N 24 /dev/urandom | tr -d ' \n')
	local cwd=$4 command=("${@:5}")
	declare -p cwd command token build stall suspend >"$work/command"

	"$here/relay" "$token" <"$work/out" &
	waiting+=($!)
	"$here/relay" "$token" <"$work/err" >&2 &
	waiting+=($!)
	"$here/relay" "$token" <"$work/end" >"$work/log" &
	waiting+=($!)
	guest_start "$work" "$layers" "$timeout" "$work/command" "${job_files[@]}"

	guest_status='' guest_lost=''
	while ((${#waiting[@]})); do
		wait -n -p pid "${waiting[@]}"
		status=$?
		[[ $status = 0 ]] || break
		for name in "${!waiting[@]}"; do
			[[ ${waiting[name]} != "$pid" ]] || unset "waiting[name]"
		done
	done
	case $status in
	0) read -r guest_status <"$work/log" ;;
	1) # End of file before the token: the guest is gone.
		wait "$qemu"
		status=$?
		if [[ $status = 137 ]]; then
			guest_lost="no end after $timeout seconds (--timeout)"
		elif guest_lost=$(grep -a -o -m 1 'Kernel panic - not syncing.*' "$work/console"); then
			guest_lost=${guest_lost%$'\r'}
		else
			guest_lost=$(tail -n 1 "$work/qemu.log")
			guest_lost="qemu ended with status $status${guest_lost:+: $guest_lost}"
		fi
		;;
	*) exit "$status" ;; # Our output has no reader any more.
	esac
	guest_end
}

# The guest has no more output: the quickest power switch is SIGKILL, which qemu gets when its
# parent dies.
guest_end() {
	[[ -z $qemu ]] || kill -KILL "$qemu" 2>/dev/null
	wait "$qemu" 2>/dev/null
	[[ -z $waker ]] || kill "$waker" 2>/dev/null
	qemu='' waker=''
}

# guest_judge WORK: reports what is wrong with the guest and exits, or returns if it was sound.
guest_judge() {
	local log line
	for log in "$1/log" "$1/console"; do
		if [[ $suite_debug && -e $log ]]; then
			awk -f "$here/races" "$log" >"$log.ours" && mv "$log.ours" "$log" || exit 125
		fi
		line=$(grep -a -n -m 1 -E -f "$here/splats" "$log" 2>/dev/null) && break
	done
	line=${line%%:*}
	[[ $guest_lost || $line ]] || return 0
	# Shows the log from a little before the first complaint, or else its end.
	if [[ $line ]]; then
		tail -n +$((line > 5 ? line - 5 : 1)) "$log" | head -n 150
	else
		tail -n 40 "$log"
	fi | tr -d '\r' >&2
	tail -n +2 "$1/log" >"$cache/last-guest.log"
	cat "$1/console" >>"$cache/last-guest.log"
	if [[ $guest_lost ]]; then
		fail "guest lost: $guest_lost (whole log: $cache/last-guest.log)" 125
	fi
	fail "kernel splat: see above (whole log: $cache/last-guest.log)" 124
}
