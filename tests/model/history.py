# SPDX-License-Identifier: GPL-2.0-only
"""
--history of rings that have wrapped. Records that were overwritten before the reader opened are not lost, and the
status is 0; lives that lack such records are incomplete, and no others.
"""
import json
import os
import random

import checks
import device
import machine
import recording
import session
import truth
import values
import views


def check_history(checker, seed):
    rng = random.Random("history %d" % seed)
    # Not later than the reader's own clock, even on a machine that has just been started.
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), now=10 ** 9,
                           pid_range=rng.choice([10, 40, 1000]))
    made.begin()
    made.snapshot.clear()  # a plain file has none
    made.run(rng.choice([60, 200]))
    size = rng.choice([16, 32, 64])
    first = rng.choice([0, 2 ** 32 - 20, 2 ** 63 + 5])
    if any(len(records) < size for records in made.records):
        first = 0  # the ring is not full, so it has begun at 0
    path = os.path.join(checker.path, "wrapped")
    device.write(path, made.records, size, dict(checks.HEADER, **made.header()), first)
    kept = os.path.join(checker.path, "history")
    words = ["--device", path, "--history", "--duration", "1ms"]
    code, out, errors = checker.call(*words, "--record", kept, "--events", "--json")
    checker.equal(words, "status (%s)" % errors, 0, code)
    got = [json.loads(line) for line in out.splitlines()]
    begins = {cpu: records[-size]["ts"] for cpu, records in enumerate(made.records)
              if len(records) > size or (first and len(records) == size)}
    checker.equal(words, "histories", begins,
                  {each["cpu"]: each["to"] for each in got if each["type"] == "history"})
    checker.equal(words, "lost", 0, got[-1]["lost"])
    there = [record for records in made.records for record in records[-size:]]
    there.sort(key=lambda record: (record["ts"], record["cpu"]))
    shown = [(each["ts"], each["cpu"], each["type"], each["tid"]) for each in got[1:-1]
             if each["type"] not in ("history", "args", *views.ABOUT_NOBODY)]
    checker.equal(words, "records", [
        (record["ts"], record["cpu"], record["type"], record["pid"]) for record in there
        if record["type"] not in ("args", *views.ABOUT_NOBODY)], shown)
    know_of(made, there)
    overwritten = [record for records in made.records for record in records[:-size]]
    latest = max(begins.values(), default=0)
    gaps = [{"from": 0, "to": latest}] if begins else []
    for source in (words, ["-i", kept]):
        more = source + ["--tree"]
        code, out, errors = checker.call(*more, "--json")
        checker.equal(more, "status", 0, code)
        objects = [json.loads(line) for line in out.splitlines()]
        truth.check(checker, more, made, objects, overwritten, gaps, partial=True)
        check_incomplete(checker, more, objects, latest)
        checker.equal(more, "what is said", bool(begins), "was overwritten" in errors)
        if latest:
            more = source + ["--tree", "--monotonic"]
            checker.equal(more, "when", True, values.seconds(latest) in checker.call(*more)[2])
        code = checker.call(*source, "--expect", "lost==0")[0]
        checker.equal(source, "status of lost==0", 0, code)
    check_text(checker, kept, begins)
    check_replay(checker, kept, with_suppressed(there, begins))


def with_suppressed(there, begins):
    """
    A history that begins while something is suppressed reports it first: the later end shows that.
    """
    types = {}
    for record in there:
        if record["type"] == "suppressed" and record["cpu"] in begins:
            types.setdefault(record["cpu"], {}).setdefault(record["what"], record["ended"])
    told = []
    for record in there:
        for what, ended in sorted(types.pop(record["cpu"], {}).items()):
            if ended:
                told.append({"ts": begins[record["cpu"]], "cpu": record["cpu"], "handle": 0,
                             "type": "suppressed", "flags": (), "what": what})
        told.append(record)
    return told


def know_of(made, there):
    """The tasks that the trace can know: a thread that was reaped before has only its FREE."""
    first = {}
    for record in there:
        if record["type"] != "free" or "thread" not in record["flags"]:
            first.setdefault(record["handle"], record["ts"])
    for process in made.processes:
        for task in process.tasks:
            task.seen = first.get(task.handle)


def check_incomplete(checker, words, objects, latest):
    """Lives that were there when the last history begins are incomplete, later ones are not."""
    for each in objects:
        if each["type"] != "process":
            continue
        if each["born"] is not None and each["born"] > latest and each["incomplete"]:
            checker.differ(words, "incomplete", "not, it was born later", each)
        if each["seen"] <= latest and not each["incomplete"]:
            checker.differ(words, "incomplete", "it was there by %d" % latest, each)


def check_text(checker, path, begins):
    words = ["-i", path, "--events", "--monotonic"]
    lines = checker.call(*words)[1].splitlines()
    for cpu, ts in begins.items():
        line = "-- the history of CPU %d begins at %s; what is older was overwritten --" % (
            cpu, values.seconds(ts))
        checker.equal(words, "lines on CPU %d" % cpu, 1, lines.count(line))


def check_replay(checker, path, there):
    """The recording holds exactly these records."""
    read = recording.Recording(path)
    checker.equal(["-i", path], "recorded", [recording.abi.pack(record) for record in there],
                  [recording.abi.pack(event) for event in read.events if event["type"] != "history"])
    seen = session.Session(read, session.Options(events=True))
    checker.equal(["-i", path], "lost", 0, seen.lost)
