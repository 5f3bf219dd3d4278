#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/guest/page_alone.sh, as root in a guest: reader.py, which was written by proclife(4) alone, finds the same forks,
# execs and exits as proclife-read does, to the nanosecond, and the same stop of the recording.
set -eu
cd "$(dirname "$0")/../.."
: "${B:=build}"
work=$(mktemp -d)
trap 'rm -rf "$work"; rmmod proclife 2>/dev/null || true' EXIT

fail() {
	printf '%s\n' "$*" >&2
	exit 1
}

modprobe proclife ring_kb=8192
"$B/proclife-read" --events --json >"$work/theirs" 2>"$work/errors" &
theirs=$!
mkfifo "$work/end"
tests/guest/reader.py <"$work/end" >"$work/ours" &
ours=$!
exec 3>"$work/end"
for ((tries = 0; tries < 300; tries++)); do
	/bin/true
	grep -q READY "$work/ours" && [ "$(grep -c '"type":"exec"' "$work/theirs")" -ge 3 ] && break
	sleep 0.1
done
/bin/true begin
for ((i = 0; i < 50; i++)); do
	bash -c '/bin/true; /bin/false & wait; (exit 3)' || true
done
python3 -c '
import threading
for _ in range(20):
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()'
echo 0 >/sys/module/proclife/parameters/recording
/bin/true unseen
echo 1 >/sys/module/proclife/parameters/recording
for ((i = 0; i < 20; i++)); do
	bash -c 'kill -9 $$' || true
done 2>/dev/null
/bin/true end
sleep 2
exec 3>&-
wait "$ours" || fail "reader.py: status $?"
kill -TERM "$theirs"
wait "$theirs" || true
python3 -B - "$work/ours" "$work/theirs" <<'END'
import json, sys
ours = [line.rstrip("\n") for line in open(sys.argv[1])][1:]
theirs, lost = [], 0
for each in map(json.loads, open(sys.argv[2])):
    kind = each["type"]
    begin = "%d %d " % (each.get("ts", 0), each.get("cpu") or 0)
    who = "%s %s %s" % (each.get("pid"), each.get("tid"), each.get("comm"))
    if kind == "fork":
        theirs.append(begin + "FORK %s by %d %d" % (who, each["creator_pid"], each["creator_tid"]))
    elif kind == "exec":
        path = each["path"] or ""
        theirs.append(begin + "EXEC %s path %d %s" % (who, each["path_len"], path))
    elif kind == "exit":
        theirs.append(begin + "EXIT %s status %d" % (who, each["wait_status"]))
    elif kind == "suppressed" and each["record"] == "all":
        theirs.append(begin + "STOP %s since %d" % ("ends" if each["ended"] else "begins", each["since"]))
    elif kind == "lost":
        sys.exit("proclife-read lost records")
if any(line.startswith("LOST") for line in ours):
    sys.exit("reader.py lost records")
time = lambda line: int(line.split()[0])
begin, end = max(time(ours[0]), time(theirs[0])), min(time(ours[-1]), time(theirs[-1]))
ours, theirs = ([line for line in lines if begin <= time(line) <= end] for lines in (ours, theirs))
for name, lines in (("reader.py", ours), ("proclife-read", theirs)):
    if [time(line) for line in lines] != sorted(map(time, lines)):
        sys.exit(name + ": not in the order of time")
different = set(ours) ^ set(theirs)
for line in sorted(different, key=time)[:20]:
    print(("only reader.py: " if line in ours else "only proclife-read: ") + line)
forks, stops = (sum(" %s " % word in line for line in ours) for word in ("FORK", "STOP"))
if different or ours != theirs or forks < 190 or stops < 3:
    sys.exit("%d differ; %d lines and %d, %d forks, %d of a stop" % (len(different), len(ours), len(theirs), forks, stops))
print("reader.py and proclife-read agree on %d lines, %d of them forks, %d of a stop" % (len(ours), forks, stops))
END
