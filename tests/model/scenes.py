# SPDX-License-Identifier: GPL-2.0-only
"""Recordings that are not whole, several of them, and devices."""
import json
import os
import random
import re
import subprocess

import budget
import abi
import checks
import critical
import deaths
import device
import ends
import fold
import harm
import history
import intervals
import info
import machine
import recording
import session
import slices
import triggers
import truth
import values
import versus
import views


def new_machine(rng, steps, **options):
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), **options)
    made.begin()
    made.run(steps)
    return made


def tell_of_ends(first, second):
    """Is one father involved in two notices at a time: his child's end, and another child's or his own?"""
    return first["type"] == second["type"] == "notify" and second["ts"] - first["ts"] < 2000


def check_gaps(checker, seed):
    """One or two CPUs lose a range each."""
    rng = random.Random("gaps %d" % seed)
    made = new_machine(rng, rng.choice([60, 150]), pid_range=rng.choice([10, 40, 1000]))
    gaps = []
    for cpu in rng.sample(range(made.cpus), min(made.cpus, rng.randrange(1, 3))):
        length = len(made.records[cpu])
        if length > 3:
            first = rng.randrange(1, length - 1)
            fathers = [number for number in range(1, length)
                       if tell_of_ends(*made.records[cpu][number - 1:number + 1])]
            if fathers and rng.random() < .7:
                first = rng.choice(fathers)
            gaps.append((cpu, first, rng.randrange(1, max(min(length - first, 40), 2))))
    path, read = checks.make(checker, "gaps", made, gaps)
    lost = [record for cpu, first, count in gaps for record in made.records[cpu][first:first + count]]
    words = ["-i", path, "--tree"]
    told = [event for event in read.events if event["type"] == "lost"]
    status = 3 if lost else 0
    code, out, _ = checker.call(*words, "--json")
    checker.equal(words, "status", status, code)
    objects = [json.loads(line) for line in out.splitlines()]
    truth.check(checker, words, made, objects, lost, told)
    checker.equal(words, "lost", len(lost), objects[-1]["lost"])
    check_deaths(checker, path, made)
    check_loss_is_said(checker, path, len(lost))
    check_event_gaps(checker, path, read, told, status, made)
    check_phases_of_lines(checker, path, objects, status)
    slices.check_lossy(checker, path, read, status)
    other = new_machine(rng, 10, lacks=made.lacks)
    other.exit_mark = made.exit_mark
    words = ["-i", checks.make(checker, "beside", other)[0], "-i", path]
    for view in (["--latency"], ["--expect", "lost==%d" % len(lost)]):
        code, out, _ = checker.call(*words, *view, "--json")
        checker.equal(words + view, "status", status, code)
        checker.equal(words + view, "lost", len(lost), json.loads(out.splitlines()[-1])["lost"])


def check_loss_is_said(checker, path, lost):
    """Every view reports how many records were lost, and the status shows it."""
    for view in (["--tree"], ["--latency"], ["--parents"], ["--zombies"], ["--events"],
                 ["--latency", "--threads"], ["--expect", "zombies>=0"], ["--latency", "--by", "comm"]):
        words = ["-i", path, *view]
        code, out, errors = checker.call(*words)
        checker.equal(words, "status", 3 if lost else 0, code)
        if lost:
            said = re.search(r"\b%d records? (?:was |were )?lost" % lost, out + errors)
            checker.equal(words, "loss is said", True, bool(said) or view == ["--events"])
            if view[0] in ("--tree", "--latency") and \
                    not re.search(r"\b%d (records? )?(was |were )?lost" % lost, out):
                checker.differ(words, "loss in the view", lost, "nothing")
    for figure, ok in (("lost==%d" % lost, True), ("lost<%d" % lost, False), ("lost>=1", lost > 0)):
        words = ["-i", path, "--expect", figure]
        code, _, _ = checker.call(*words)
        checker.equal(words, "status", (3 if lost else 0) if ok else 2, code)


def check_event_gaps(checker, path, read, told, status, made):
    """All records are there, and each gap is ordered by its beginning."""
    words = ["-i", path, "--events"]
    code, out, _ = checker.call(*words, "--json")
    checker.equal(words, "status", status, code)
    got = [json.loads(line) for line in out.splitlines()]
    checker.equal(words, "gaps", sorted(map(str, told)),
                  sorted(str({"type": "lost", "cpu": each["cpu"], "lost": each["lost"],
                              "from": each["from"], "to": each["to"]})
                         for each in got if each["type"] == "lost"))
    records = [(event["ts"], event["cpu"], event["type"], event["tgid"])
               for event in read.events if event["type"] != "lost"
               if event["type"] not in ("args", *views.ABOUT_NOBODY)]
    checker.equal(words, "records", records,
                  [(each["ts"], each["cpu"], each["type"], each["pid"]) for each in got[1:-1]
                   if each["type"] not in ("lost", "args", *views.ABOUT_NOBODY)])
    last = 0
    for each in got[1:-1]:
        ts = each["from"] if each["type"] == "lost" else each["ts"]
        if ts < last:
            checker.differ(words, "order", last, each)
        last = ts
    check_reaps(checker, words, made, got)
    for option, show in (("--monotonic", values.seconds),
                         ("--utc", lambda ns: values.daytime(ns, read.env["to_realtime"]))):
        check_times(checker, words + [option], got, told, show)


def check_reaps(checker, words, made, objects):
    """The phases of each reap are true, or left out."""
    ends = {(process.tgid, process.reaped): process for process in made.processes}
    for each in objects:
        process = ends.get((each.get("pid"), each.get("ts")))
        if each["type"] != "reap" or each["thread"] or not process:
            continue
        notified = process.notified if "notify" not in made.lacks else None
        first = (process.traced if "notify" not in made.lacks else None) or notified
        mine = {"zombie": process.reaped - (notified if notified is not None else process.exited),
                "traced": process.traced and notified and notified - process.traced,
                "teardown": first and first - process.exited}
        its = {phase: each[phase] for phase in mine if phase in each}
        checker.equal(words, "phases of %s" % each, {phase: mine[phase] for phase in its}, its)


def check_times(checker, words, objects, told, show):
    """Each record has a line with its time, and each gap one with its beginning and its end."""
    lines = checker.call(*words)[1].splitlines()
    mine = [show(each["ts"]).split()[-1] for each in objects[1:-1]
            if each["type"] not in ("lost", "task", *views.ABOUT_NOBODY)]  # which the text leaves out
    checker.equal(words, "times", mine, [line.split()[0] for line in lines if line[:2] != "--"])
    for gap in told:
        line = "-- %d record%s lost on CPU %d between %s and %s --" % (
            gap["lost"], "" if gap["lost"] == 1 else "s", gap["cpu"],
            show(gap["from"]), show(gap["to"]))
        checker.equal(words, "line of the gap", True, line in lines)


def check_phases_of_lines(checker, path, objects, status):
    """--latency is made of the lives that --tree shows."""
    words = ["-i", path, "--latency"]
    code, out, _ = checker.call(*words, "--json")
    got = [json.loads(line) for line in out.splitlines()]
    lines = [each for each in objects if each["type"] == "process"]
    for said in got:
        if said["type"] == "latency" and said["phase"] == "life":
            lives = [each["exited"] - each["born"] for each in lines
                     if each["exited"] is not None and each["born"] is not None]
            mine = dict(views.figures(lives), v=1, type="latency", phase="life", spent=said["spent"])
            if mine != said:
                checker.differ(words, "life", mine, said)
        if said["type"] == "lives":
            checker.equal(words, "lives", len(lines), said["lives"])
            checker.equal(words, "incomplete", sum(each["incomplete"] for each in lines),
                          said["incomplete"])
            checker.equal(words, "partial", sum(each["born"] is None for each in lines),
                          said["partial"])


def check_cut(checker, seed):
    """The recorder did not finish: what is there is shown, and status 3 means that it is not all."""
    rng = random.Random("cut %d" % seed)
    made = new_machine(rng, 60)
    path, read = checks.make(checker, "cut", made, complete=0, ended=0, reason=b"", records=0,
                             lost=0, streams=0, bytes=0, synced=made.now)
    words = ["-i", path, "--events"]
    code, out, errors = checker.call(*words, "--json")
    checker.equal(words, "status", 3, code)
    got = [json.loads(line) for line in out.splitlines()]
    seen = session.Session(read, session.Options(events=True))
    checker.equal(words, "records", len(views.events(seen)), len(got) - 2)
    checker.equal(words, "reason", "cut", got[-1]["reason"])
    info.check(checker, path, read, status=3)
    for view in ("--tree", "--latency", "--parents", "--zombies"):
        checker.equal(["-i", path, view], "status", 3, checker.call("-i", path, view)[0])
    for figure, status in (("lost==0", 3), ("lost>0", 2)):
        words = ["-i", path, "--expect", figure]
        checker.equal(words, "status", status, checker.call(*words)[0])


def check_command(checker, seed):
    """A recording of a command: it and its descendants are selected again."""
    rng = random.Random("command %d" % seed)
    made = machine.Machine(rng, cpus=2)
    made.begin()
    users = [task for task in made.running() if "kthread" not in task.kind]
    child = made.fork(users[-1] if users else made.init.leader)
    made.run(150)
    parent = child.creator
    code = rng.choice([0, 3])
    path, read = checks.make(checker, "command", made, command=child.tgid,
                             command_creator=parent.tgid, command_status=code, reason=b"gone")
    checks.check_views(checker, path, read, session.Options())
    info.check(checker, path, read)
    checks.check_events(checker, path, read, session.Options(events=True))
    checks.check_views(checker, path, read, session.Options(comms=("*h*",)))


def check_several(checker, seed):
    """-i several times: the figures are added up, with cgroups by their paths."""
    rng = random.Random("several %d" % seed)
    runs = [checks.make(checker, "part%d" % n, new_machine(rng, 60)) for n in range(3)]
    by_mark = {}
    for path, read in runs:
        by_mark.setdefault((views.exit_mark(read.env), read.env["features"] >> abi.NUMBERS["notify"] & 1), []).append((path, read))
    runs = max(by_mark.values(), key=len)
    options = session.Options(threads=rng.random() < .3)
    parts = [session.Session(read, options) for path, read in runs]
    words = [word for path, read in runs for word in ("-i", path)] + list(options.words())
    several = views.Several(parts) if len(parts) > 1 else parts[0]
    last = dict(views.end(parts[0]), lost=sum(part.lost for part in parts),
                suppressed={name: sum(part.suppressed[name] for part in parts)
                            for name in parts[0].suppressed})
    slowest = views.slowest(parts[0]) if len(parts) == 1 else []
    traces = [dict(views.trace(read.env), **({"recording": path} if len(runs) > 1 else {}))
              for path, read in runs]
    for by in (None, "comm", "cgroup", rng.choice(["uid", "cpu", "parent", "reaper"])):
        more = ["--by", by] if by else []
        expected = views.latency(several) + (views.groups(several, by) if by else []) + slowest
        checker.objects(words + ["--latency"] + more,
                        traces + [*expected, last], 0, checks.group_key)
    checks.check_expect(checker, words, several, rng)


def check_device(checker, seed):
    """--history of a device, and what --record makes of it: for the model and for babeltrace2."""
    rng = random.Random("device %d" % seed)
    # A reader takes nothing later than its own clock, which on a machine that has just
    # been started is near 0.
    made = new_machine(rng, 40, now=10 ** 9)
    path = os.path.join(checker.path, "device")
    device.write(path, made.records, 1 << 12, dict(checks.HEADER, **made.header(),
                                                   to_realtime=17 * 10 ** 17 + 987654321))
    kept = os.path.join(checker.path, "recorded")
    words = ["--device", path, "--history", "--duration", "1ms"]
    code, out, errors = checker.call(*words, "--record", kept, "--events", "--json")
    checker.equal(words, "status (%s)" % errors, 0, code)
    read = recording.Recording(kept)
    written = [(record["ts"], cpu, recording.abi.pack(record))
               for cpu, records in enumerate(made.records) for record in records]
    checker.equal(words, "records", [data for _, _, data in sorted(written, key=lambda each: each[:2])],
                  [recording.abi.pack(record) for record in read.events])
    seen = session.Session(read, session.Options(events=True))
    got = [json.loads(line) for line in out.splitlines()][1:-1]
    for mine, its in zip(views.events(seen), got):
        for phase in views.PHASES:
            if phase not in its:
                mine.pop(phase, None)  # not everything can be known of older lives
        if mine != its:
            checker.differ(words, "history", mine, its)
            break
    checker.equal(words, "events", len(views.events(seen)), len(got))
    words = ["-i", kept, "--tree"]
    objects = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
    truth.check(checker, words, made, objects, partial=True)
    check_ctf(checker, kept, read)


def check_ctf(checker, path, read):
    """The metadata has the fields of abi.h by name, and babeltrace2 reads the same."""
    lines = subprocess.run(
        ["babeltrace2", path], capture_output=True, check=False, env=checker.environment).stdout
    lines = re.split(r"\n(?=\[\d\d:)", lines.decode(errors="replace"))
    checker.equal([path], "events for babeltrace2", len(read.events), len(lines))
    for event, line in zip(read.events, lines):
        name, declared = read.declared(event)
        if " %s: " % name not in line and not line.startswith(name):
            checker.differ([path], "babeltrace2", name, line)
            return
        for key, value in declared.items():
            if key in event and isinstance(event[key], int) and event[key] != value:
                checker.differ([path], "metadata: %s of %s" % (key, name), event[key], value)
                return
        layout = read.metadata.events[recording.abi.NUMBERS[event["type"]]][1]
        for key, value in layout.unpack(recording.abi.pack(event)).items():
            shown = re.findall(r"\b%s = (-?(?:0x)?[0-9A-F]+)\b" % key, line)
            if isinstance(value, int) and shown and key not in ("id", "timestamp", "cpu", "pid", "tid") \
                    and int(shown[-1], 0) != value:
                checker.differ([path], "babeltrace2: %s of %s" % (key, name), value, shown)
                return


def check_text(checker, path, read):
    """The numbers in the text equal the JSON's."""
    objects = [json.loads(line) for line in
               checker.call("-i", path, "--tree", "--json")[1].splitlines()]
    processes = [each for each in objects if each["type"] == "process"]
    words = ["-i", path, "--tree", "--no-fold"]
    out = checker.call(*words)[1].splitlines()
    body = out[1:out.index("")] if "" in out else out[1:]
    pids = [int(line.split()[0]) for line in body]
    seen = session.Session(read, session.Options())
    shown = [each["pid"] for each in views.cut_tree(seen) if each["type"] == "process"]
    checker.equal(words, "pids", sorted(shown), sorted(pids))
    failed = sum(bool(each["wait_status"]) for each in processes if each["pid"] in shown)
    summary = out[-1] if out[-1].strip() else out[-2]
    said = re.search(r"(\d+) failed", "\n".join(out[-3:]))
    checker.equal(words, "failed", failed, int(said[1]) if said else 0)
    checker.equal(words, "processes", True, "%d process" % len(shown) in "\n".join(out[-3:]))
    for each in processes:
        if each["pid"] in shown and each["wait_status"] and each["wait_status"] & 0x80:
            checker.equal(words, "core dumped", True, "core dumped" in "\n".join(out))
    words = ["-i", path, "--latency"]
    text = checker.call(*words)[1]
    for each in map(json.loads, checker.call(*words, "--json")[1].splitlines()):
        if each["type"] == "latency":
            row = re.search(r"^%s +(?:let )?\S+ +(\d+)(.*)$" % each["phase"], text, flags=re.M)
            if row:
                checker.equal(words, each["phase"], each["count"], int(row[1]))
                if each["count"]:
                    figures = [each[name] for name in ("min", "p50", "p90", "p99", "p99.9", "max")]
                    checker.equal(words, each["phase"], [values.short(ns) for ns in figures if ns is not None],
                                  re.findall(r"[\d.]+ [^\d\s]+", row[2]))


def check_deaths(checker, path, made):
    for words in (["-i", path, "--lives"], ["-i", path, "--lives", "--sort", "kill"],
                  ["-i", path, "--lives", "--sort", "held"]):
        objects = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
        truth.check_deaths(checker, words, made, objects)


def check_truth(checker, path, made):
    check_deaths(checker, path, made)
    words = ["-i", path, "--tree"]
    objects = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
    truth.check(checker, words, made, objects)


def check_all(checker, seed):
    for scene in (check_gaps, check_cut, check_command, check_several, versus.check_diff, check_device,
                  harm.check_damage, harm.check_unfinished, history.check_history,
                  budget.check_budget, fold.check_fold, ends.check_ends, deaths.check_deaths,
                  critical.check, slices.check_slices, intervals.check, triggers.check):
        scene(checker, seed)
