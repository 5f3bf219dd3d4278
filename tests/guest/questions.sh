#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The questions that proclife answers: which process reaped and how late, which zombies there are, what has changed,
# also for only one user, name or cgroup. Each answer is known from what the workload does.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# late_parent NAME CHILDREN MILLISECONDS: a process with this name. Its children exit at once, and it
# calls wait() for each of them that much later.
cat >"$work/late_parent" <<-'END'
	$0 = shift; # this sets the name, too
	my ($children, $ms) = @ARGV;
	for (1 .. $children) {
		my $pid = fork;
		exit 3 unless $pid;
		select undef, undef, undef, $ms / 1000;
		waitpid $pid, 0;
	}
END
late_parent=(perl "$work/late_parent")

# Zombies from before and after the loading of the module, of parents that never reap them.
cat >"$work/careless" <<-'END'
	$0 = 'careless';
	$| = 1;
	my $pid = fork;
	exit 7 unless $pid;
	print "$pid\n";
	sleep 1000;
END
perl "$work/careless" >"$work/old" &
careless=($!)
until [[ -s $work/old ]]; do sleep 0.1; done
sleep 1
# begin_dying CASE [NAME]: a process that does not die; $work/NAME, or $work/CASE, has the PIDs.
dying=()
begin_dying() {
	"$B/tests/guest/workloads/dying" "$1" >"$work/${2:-$1}" &
	dying+=($!)
	until [[ -s $work/${2:-$1} ]]; do sleep 0.1; done
}
begin_dying killed older
modprobe proclife || exit 1
perl "$work/careless" >"$work/new" &
careless+=($!)
until [[ -s $work/new ]]; do sleep 0.1; done
sleep 1

# Which zombies are there?
expect 'zombies' 0 '^2 zombies$' proclife-read --zombies
cp "$work/output" "$work/said"
expect 'zombies: the newer one' 0 \
	"^ +[0-9.]+ m?s +$(<"$work/new")  careless +status 7 +careless \(${careless[1]}\)" cat "$work/said"
# It is known since the snapshot, which can be less than a millisecond ago.
expect 'zombies: the older one' 0 \
	"^> +[0-9.]+ [^ ]*s +$(<"$work/old")  careless +status 7 +careless \(${careless[0]}\)" cat "$work/said"
expect 'zombies: the oldest comes first' 0 "$(<"$work/old")" sed -n 3p "$work/said"
expect 'zombies: JSON' 0 "\"pid\":$(<"$work/new"),.*\"reaper_pid\":${careless[1]}," \
	proclife-read --zombies --json
expect 'zombies of somebody else' 0 '^0 zombies$' proclife-read --zombies --comm nobody
expect 'parents: open zombies' 0 "^careless +${careless[1]} .* 1 zombie for " \
	proclife-read --parents --no-fold --history --duration 0.1
kill "${careless[@]}"
wait "${careless[@]}"
expect 'no zombies' 0 '^0 zombies$' proclife-read --zombies

# Which processes do not die? Ends that began before the module was loaded are seen only in /proc.
expect 'dying: nobody' 0 '^No process is dying' proclife-read --dying --comm nobody
expect 'dying: no recording' 129 'looks at /proc as it is now .* it takes no --input' \
	proclife-read --dying -i "$work"
for each in leader killed held; do begin_dying "$each"; done
expect 'dying' 0 '' proclife-read --dying --comm dying
cp "$work/output" "$work/dying"
read -r pid _ <"$work/leader"
expect 'dying: its leader has exited' 0 \
	"^ +[0-9.]+ [a-z]+ +$pid +1  dying +leader exited, status 3\$" cat "$work/dying"
expect 'dying: a thread in a pipe' 0 '^ +[0-9]+  S sleeping +([a-z_]*pipe_read[a-z_.0-9]*|-)$' cat "$work/dying"
read -r pid tracer <"$work/killed"
expect 'dying: killed' 0 "^ +[0-9.]+ [a-z]+ +$pid +1  dying +SIGKILL from dying \($tracer\)\$" \
	cat "$work/dying"
expect 'dying: stopped by a tracer' 0 "^ +$pid  t traced +([a-z_]*stop[a-z_.0-9]*|-)\$" cat "$work/dying"
expect 'dying: parent and cgroup' 0 "^ +parent dying \($tracer\), cgroup " cat "$work/dying"
expect 'dying: JSON' 0 "\"type\":\"dying\",\"pid\":$pid,.*\"killer\":\{\"signal\":\"SIGKILL\",.*\
\"pid\":$tracer,.*\"threads\":\[\{\"tid\":$pid,\"state\":\"t\"," \
	proclife-read --dying --json --comm dying
read -r pid tracer <"$work/held"
expect 'dying: not who is a zombie that a tracer holds' 1 '' grep -E "^ .* $pid +0  dying " "$work/dying"
expect 'zombies: held by a tracer' 0 \
	"^ .* $pid  dying +killed by SIGTERM.* dying \($tracer\), which traces it: its parent dying .* is not notified" \
	proclife-read --zombies --comm dying
read -r pid _ <"$work/older"
expect 'dying: killed before the trace' 0 "^> +[0-9.]+ [a-z]+ +$pid +1  dying +SIGKILL, not recorded" \
	cat "$work/dying"
expect 'dying: 80 columns' 0 ' dying ' env COLUMNS=80 proclife-read --dying --comm dying
expect 'dying: no line is longer' 0 '' test "$(wc -L <"$work/output")" -le 80
{ kill -KILL "${dying[@]}" && wait; } 2>/dev/null
expect 'dying: all gone' 0 '^No process is dying' proclife-read --dying --comm dying

# What just ran, and how did it end?
expect 'lives: the head' 3 '^ *TIME +PID +PPID USER +LIFE +CPU STATUS +COMMAND$' \
	proclife-read -- sh -c 'sleep 0.2; true | false; sleep 100 & kill -KILL $!; wait; exit 3'
cp "$work/output" "$work/said"
time='^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}'
expect 'lives: one that ended well' 0 "$time +[0-9]+ +[0-9]+ root +[0-9.]+ m?s +[0-9.]+ .s 0 +sleep 0.2\$" \
	cat "$work/said"
expect 'lives: one that was killed' 0 ' SIGKILL +(sleep 100|sh)  SIGKILL from sh \([0-9]+\)$' cat "$work/said"
expect 'lives: the last one' 0 " 3 +sh -c " cat "$work/said"
expect 'lives: a line a death' 0 "^$(grep -cE "$time" "$work/said") deaths\$" cat "$work/said"
# Each death appears as it happens: nothing ends this reader.
proclife-read >"$work/live" &
reader=$!
until [[ -s $work/live ]]; do sleep 0.1; done
setpriv --reuid 33 --clear-groups /bin/sleep 0.3
for ((n = 0; n < 50; n++)); do
	! grep -q 'sleep 0.3 ' "$work/live" || break
	sleep 0.1
done
expect 'lives: as they happen' 0 "$time +[0-9]+ +$$ www-data .* 0 +sleep 0.3  2 execs\$" cat "$work/live"
kill -TERM $reader
expect 'lives: until SIGTERM' 0 '' wait $reader
expect 'lives: how many' 0 '^[0-9,]+ deaths?; at the end [0-9,]+ alive' cat "$work/live"
expect 'lives: the longest zombies' 0 ' 3 +[34][0-9.]+ ms late$' \
	proclife-read --sort zombie --top 3 -- "${late_parent[@]}" late 3 350
cp "$work/output" "$work/said"
expect 'lives: the top' 0 '^4 deaths, 3 shown' cat "$work/said"

# A range in the past is shown at once; a range in the future, until its end.
sh -c 'sleep 0.1; exit 42'
expect 'range: the last seconds' 0 "$time .* 42 +sh -c " \
	timeout 30 proclife-read --history --from -20s --status 42
expect 'range: but not the last' 0 '^0 of [0-9,]+ deaths matched$' \
	eval 'sleep 1; timeout 30 proclife-read --history --from -0.5s --status 42'
expect 'range: to come' 0 '^[0-9,]+ of [0-9,]+ deaths matched' timeout 30 proclife-read --to +500ms
expect 'summary: one of three failed' 0 '^ +3 +1 .*  sh( |$)' \
	proclife-read --summary -- sh -c 'sh -c "sleep 0.1; exit 3"; sh -c "exit 0"; exit 0'

# What bounds a build of twelve files: the one that was made slow, by waiting and by working.
{
	echo 'all: f1 f2 f3 f4 f5 f6 slow f7 f8 f9 f10 f11'
	printf '\t@sleep 0.2; :\n'
	echo 'f%: ; @sleep 0.1; :'
	printf 'slow:\n\t@sleep 2; :\n'
	# shellcheck disable=SC2016 # for make and its shell
	printf 'busy: f1 f2 f3 f4\n\t@perl -e "1 for 1 .. 3e7"; :\n'
} >"$work/Makefile"
build=(make -C "$work" --no-print-directory)
expect 'critical path: the slow one' 0 ' [4-9][0-9]\.[0-9]% .*  sleep 2$' \
	env COLUMNS=80 proclife-read --critical-path -- "${build[@]}" -j4 all
expect 'critical path: what follows it' 0 '  sleep 0.2$' \
	env COLUMNS=80 proclife-read --critical-path --no-fold -- "${build[@]}" -j4 all
expect 'critical path: slots' 0 ' slots: while as many children lived as ever, up to 2, as with -j2\.$' \
	env COLUMNS=80 proclife-read --critical-path -- "${build[@]}" -j2 all
expect 'critical path: the busy one' 0 ' [4-9][0-9]\.[0-9]% .*  perl -e ' \
	env COLUMNS=80 proclife-read --critical-path -- "${build[@]}" -j4 busy
expect 'critical path: JSON' 0 '"type":"step",.*"comm":"sleep",.*"args":\["sleep","2"\],' \
	proclife-read --critical-path --json -- "${build[@]}" -j4 all
# shellcheck disable=SC2016 # for eval
expect 'critical path: of a recording' 0 '^make .* from fork to exit$' \
	eval 'proclife-read --record "$work/build.life" -- "${build[@]}" -j4 all &&
		COLUMNS=80 proclife-read -i "$work/build.life" --critical-path'
expect 'critical path: what is past' 0 '  sleep 0.7' \
	eval 'sh -c "sleep 0.7; :"; timeout 30 proclife-read --history --from -1s --critical-path --no-fold'

# Which process reaped, and how late?
expect 'late: why' 0 'late \([0-9]+\) was not in wait\(\): it came [34][0-9.]+ ms later' \
	proclife-read --latency -- "${late_parent[@]}" late 3 350
# shellcheck disable=SC2016 # for the inner shell
expect 'in time' 0 '^4 processes$' \
	proclife-read --latency -- sh -c 'for i in 1 2 3; do /bin/true; done; :'
cp "$work/output" "$work/said"
expect 'in time: no reproach' 1 '' grep -E '(perl|late).* was not in wait' "$work/said"
expect 'parents: late' 0 '^late +[0-9]+ +3 +[0-9.]+ +3 +[0-9.]+ [um]?s +[0-9]* +0 % +[34][0-9.]+ ms ' \
	proclife-read --parents -- "${late_parent[@]}" late 3 350
expect 'parents: JSON' 0 '"comm":"late",.*"born":3,"lived":[0-9]+,"reaped":3,"adopted":0,"awaited":0,"belated":3,' \
	proclife-read --parents --json -- "${late_parent[@]}" late 3 350
expect 'parents: in time' 0 '^sh +[0-9]+ +3 +[0-9.]+ +3 +[0-9.]+ [um]?s +[0-9]* +100 % ' \
	proclife-read --parents -- sh -c 'sleep 0.2; sleep 0.2; sleep 0.2; :'
expect 'parents: init' 0 '^[^ ]+ +1 +0 +1 .* init, adopted 1$' \
	proclife-read --parents -- sh -c 'setsid sleep 1 & exit 0'
cat >"$work/blocked" <<-'END'
	use POSIX;
	$0 = 'blocked';
	sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGCHLD));
	for (1 .. 5) { fork or POSIX::_exit(0) }
	sleep 1;
	1 while wait != -1;
END
expect 'parents: SIGCHLD while one is pending' 0 '"comm":"blocked",.*"reaped":5,.*"coalesced":4,' \
	proclife-read --parents --json -- perl "$work/blocked"
expect 'parents: at 80 columns' 0 '^blocked +[0-9]+ +5 +[0-9.]+ +5 +[0-9.]+ [um]?s +4 +[0-9.]+ m?s$' \
	env COLUMNS=80 proclife-read --parents -- perl "$work/blocked"
# shellcheck disable=SC2016 # for the inner shell
expect 'parents: of one program' 0 '^sh +(×|x)3 +4 ' \
	proclife-read --parents -- sh -c 'for i in 1 2; do sh -c "sleep 0.1; :"; done'
expect 'by comm' 0 '^  zombie +4 .* [234][0-9.]+ ms' \
	proclife-read --latency --by comm -- "${late_parent[@]}" late 3 350
expect 'by reaper' 0 '"by":"reaper","group":"late","phase":"zombie","count":3,"min":[23][0-9]{8},' \
	proclife-read --latency --by reaper --json -- "${late_parent[@]}" late 3 350

# Only the processes of one user, name or cgroup.
expect 'comm' 0 '^2 processes$' proclife-read --latency --comm 'tru*' -- sh -c '/bin/true; /bin/true; sleep 0.1'
expect 'comm: the tree shows who started them' 0 'sh -c .*  context' \
	proclife-read --tree --comm true -- sh -c '/bin/true; sleep 0.1; :'
cp "$work/output" "$work/said"
expect 'comm: and not the others' 1 '' grep '─ sleep' "$work/said"
expect 'uid' 0 '^1 process$' proclife-read --latency --uid nobody -- \
	sh -c '/bin/true; setpriv --reuid nobody --clear-groups /bin/true'
expect 'uid and comm' 0 '^0 processes$' proclife-read --latency --uid nobody --comm sleep -- \
	sh -c 'sleep 0.1; setpriv --reuid nobody --clear-groups /bin/true'
find_cgroups
mkdir -p "$cgroups/proclife/inner"
# A process is moved to another cgroup between fork and exec, as service managers do.
cat >"$work/move" <<-END
	for group in proclife proclife/inner; do
		(echo 0 >$cgroups/\$group/cgroup.procs && exec /bin/true)
	done
	/bin/false
	sleep 0.1
END
expect 'cgroup' 0 '^2 processes$' proclife-read --latency --cgroup /proclife -- sh "$work/move"
expect 'cgroup: one below' 0 '^1 process$' \
	proclife-read --latency --cgroup /proclife/inner -- sh "$work/move"
expect 'by cgroup' 0 '^/proclife/inner$' proclife-read --latency --by cgroup -- sh "$work/move"
expect 'show cgroup' 0 ' true  /proclife$' proclife-read --tree --show cgroup -- sh "$work/move"
expect 'a recording knows the cgroups' 0 '' \
	proclife-read --record "$work/cgroups.recording" -- sh "$work/move"
rmdir "$cgroups/proclife/inner" "$cgroups/proclife"
expect 'a replay finds them' 0 '^/proclife/inner$' \
	proclife-read -i "$work/cgroups.recording" --latency --by cgroup
expect 'babeltrace2 passes over their file' 0 '' babeltrace2 -o dummy "$work/cgroups.recording"
expect 'show pidns' 0 ' true  pid 1 in namespace 40265[0-9]+' \
	proclife-read --tree --show pidns -- unshare --pid --fork /bin/true

# What has changed between runs? A delay is planted in the reaps of one name. Other load of the
# machine that emulates this one can make a factor of 3: one run a side proves nothing.
run() {
	"${late_parent[@]}" slow 25 "$1"
	for name in steady second third; do
		"${late_parent[@]}" $name 25 40
	done
}
for name in a b c planted1 planted2 planted3; do
	ms=40
	[[ $name != planted* ]] || ms=200
	expect "record $name" 0 ' 0 lost$' proclife-read --record "$work/$name" -- \
		bash -c "late_parent=(${late_parent[*]}); $(declare -f run); run $ms"
done
expect 'record delayed' 0 ' 0 lost$' proclife-read --record "$work/delayed" -- \
	bash -c "late_parent=(${late_parent[*]}); $(declare -f run); run 600"
expect 'diff: a delay is found' 2 '^slow +zombie +p50 .* (5|6|7)[0-9]{2} ms +[0-9.]+( |$)' \
	proclife-read --factor 4 --diff "$work/a" "$work/delayed"
cp "$work/output" "$work/found"
expect 'diff: where none was planted there is none' 1 '' grep -E '^(steady|second|third) +(zombie|exit_free)' "$work/found"
expect 'diff: nothing' 0 '^Nothing has changed' proclife-read --factor 4 --diff "$work/a" "$work/b"
expect 'diff: JSON' 2 '"by":"comm","group":"slow","phase":"zombie","statistic":"p50"' \
	proclife-read --json --factor 4 --diff "$work/a" "$work/delayed"
expect 'diff: five times as long, of three runs a side' 2 '^slow +zombie +p50 ' proclife-read \
	--diff "$work/a" "$work/b" "$work/c" --against "$work/planted1" "$work/planted2" "$work/planted3" \
	--junit "$work/verdicts.xml"
cp "$work/output" "$work/found"
expect 'diff: and nothing else' 1 '' grep -E '^(steady|second|third|all) ' "$work/found"
expect 'junit: the same' 0 '<failure message="p50 .* times' grep -A1 '"slow: zombie"' "$work/verdicts.xml"
expect 'diff: nothing, of several' 0 '^Nothing has changed' \
	proclife-read --diff "$work/a" "$work/b" --against "$work/c"
cp -r "$work/a" "$work/elsewhere"
# As if there had been no EXITING.
features=$(sed -n 's/^\tfeatures = "\(0x[0-9a-f]*\)";$/\1/p' "$work/elsewhere/metadata")
sed -i "s/^\tfeatures = \"$features\";/\tfeatures = \"$(printf 0x%x $((features & ~(1 << 13))))\";/" \
	"$work/elsewhere/metadata"
expect 'diff: not comparable' 1 '\-\-diff: not comparable: .* --force compares' \
	proclife-read --diff "$work/a" "$work/elsewhere"
# Up to Linux 6.15, that phase lacks the teardown of the address space.
# shellcheck disable=SC2016 # the inner shell's
expect 'diff: without EXITING' 0 '^zombie +A +[0-9]' \
	bash -c 'proclife-read --force --diff "$1" "$2" || (($? == 2))' bash "$work/a" "$work/elsewhere"

# Runs add up.
# count NAME RECORDING...: its variable is the number of lives in these.
count() {
	local names=("${@:2}")
	expect "several recordings: $1" 0 '"lives":[1-9]' proclife-read --latency --json "${names[@]/#/-i$work/}"
	printf -v "$1" %d "$(sed -n 's/.*"lives":\([0-9]*\).*/\1/p' "$work/output")"
}
one='' other='' both=''
count one a
count other b
count both a b
expect 'several recordings add up' 0 '' test "$both" -eq $((one + other))

# How does a container end? One of three processes is killed first and one last. The workload knows their
# PIDs, between which readings of the clock each was killed, and when the cgroup was empty at the latest.
cat >"$work/container" <<-'END'
	use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);
	my ($group, $to) = @ARGV;
	sub now { sprintf '%d', 1e9 * clock_gettime CLOCK_MONOTONIC }
	sub populated { open my $file, '<', "$group/cgroup.events"; grep /^populated 1/, <$file> }
	my @pids = map {
		my $pid = fork;
		unless ($pid) {
			open my $procs, '>', "$group/cgroup.procs" or exit 99;
			print $procs 0;
			close $procs;
			exec 'sleep', 1000;
		}
		$pid
	} 1 .. 3;
	sleep 0.5;
	my @times;
	for my $pid (@pids[1, 0, 2]) {
		push @times, now;
		kill KILL => $pid;
		push @times, now;
		sleep 0.2;
		waitpid $pid, 0;
	}
	sleep 0.01 while populated;
	open my $file, '>', $to;
	print $file join(' ', @pids[1, 2], @times[0, 1, 4, 5], now), "\n";
END
rmmod proclife || failed=$((failed + 1))
modprobe proclife cgroups=Y || exit 1
mkdir "$cgroups/proclife"
expect 'a container ends' 0 '"type":"cgroup_end","group":"/proclife",.*"processes":3,.*"incomplete":false' \
	proclife-read --latency --by cgroup --json --record "$work/container.recording" -- \
	perl "$work/container" "$cgroups/proclife" "$work/knows"
read -r first last before after last_before last_after by <"$work/knows"
# member NAME: a number of that line
member() {
	sed -nE "/\"cgroup_end\"/s/.*\"$1\":([0-9]+).*/\1/p" "$work/told"
}
cp "$work/output" "$work/told"
expect 'a container: who was killed first' 0 '' test "$(member killed_pid)" -eq "$first"
expect 'a container: when' 0 '' test "$before" -le "$(member killed)" -a "$(member killed)" -le "$after"
expect 'a container: who was last' 0 '' test "$(member last_pid)" -eq "$last" -a "$(member reaped_pid)" -eq "$last"
expect 'a container: its exit' 0 '' \
	test "$last_before" -le "$(member exited)" -a "$(member exited)" -le "$(member notified)"
expect 'a container: its reap, which waited' 0 '' test "$(member reaped)" -gt $((last_after + 150000000))
expect 'a container: empty' 0 '' \
	test "$(member exited)" -lt "$(member empty)" -a "$(member empty)" -le "$by"
expect 'a container: as text' 0 '^  first SIGKILL +[0-9:.]+  sleep \([0-9]+\), from perl \([0-9]+\)$' \
	env COLUMNS=80 proclife-read -i "$work/container.recording" --latency --by cgroup
cp "$work/output" "$work/said"
expect 'a container: and the rest' 0 '^  empty +\+[0-9.]+ m?s$' cat "$work/said"
expect 'a container: no record of a process' 129 'is about no task' \
	proclife-read -i "$work/container.recording" --events=cgroup --comm sleep
rmdir "$cgroups/proclife"

# A lab's whole procedure in one line: load, run, judge, unload.
rmmod proclife || failed=$((failed + 1))
expect 'a lab' 0 'ok 2 zombie.p99<1s' proclife-read --load --unload --ktap --expect lost==0 --expect 'zombie.p99<1s' \
	-- sh -c '/bin/true; /bin/true'
expect 'a lab: late' 2 'not ok 1 zombie.p50<100ms' proclife-read --load --unload --ktap --expect 'zombie.p50<100ms' \
	-- "${late_parent[@]}" late 3 350
expect 'nothing stays loaded' 1 '' grep -w ^proclife /proc/modules
expect_done
