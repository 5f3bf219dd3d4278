# SPDX-License-Identifier: GPL-2.0-only
"""
--slice: which records go into it, by the selected lives and the lives that they need; and the views
show the same for the slice as for the recording.
"""
import json
import os
import random

import checks
import info
import recording
import scenes
import session

GLOBAL = ("lost", "history", "suppressed")
# Assigned again, or counted over everything.
OWN = ("id", "parent_id", "process_id", "creator_id", "reaper_id", "alone", "descendants", "hidden",
       "hidden_failed", "hidden_runtime", "lived")


class Chosen(info.Whole):
    """records: the process of each; kept: the processes that go into the slice."""

    def __init__(self, read, options, span=(0, 2 ** 64 - 1)):
        self.records, self.died, self.span = [], set(), span
        super().__init__(read, options)
        chosen = [each for each in self.lives.processes if self.is_selected(each)
                  and (each in self.died or self.matches(each) is not False)]  # what may match is kept
        self.kept = set()
        while chosen:
            each = chosen.pop()
            if each not in self.kept:
                self.kept.add(each)
                chosen += [other for other in (
                    each.parent, each.creator, each.reaper_process if each.reaped is not None else None,
                    each.told, each.tracer_process if each.freed is not None else self.lives.tracer_of(each),
                    *self.lives.at_memory(each)) if other]

    def matches(self, process):
        over = (process.exited, process.announced, process.reaped, process.freed)
        lived_to = next((mark for mark in over if mark is not None), 2 ** 64)
        return session.every([super().matches(process), (process.born or 0) <= self.span[1] and
                              lived_to >= self.span[0]])

    def note(self, event, task, process):
        self.records.append((event, process))
        if event["type"] == "exit" and process.last_exit == event["ts"] and self.is_selected(process) \
                and self.matches(process) is not False:
            self.died.add(process)

    def events(self):
        whose = {id(event): process for event, process in self.records}
        return [event for event in self.recording.events
                if event["type"] in GLOBAL or whose.get(id(event)) in self.kept]


def cut(checker, path, words, status=0):
    """Slices the recording, and returns the slice's."""
    checker.slices = getattr(checker, "slices", 0) + 1
    to = os.path.join(checker.path, "slice-%d" % checker.slices)
    code, out, errors = checker.call("-i", path, *words, "--slice", to)
    checker.equal(words, "status of the slice (%s)" % errors, status, code)
    checker.equal(words, "output", "", out)
    return to, recording.Recording(to)


def is_beside(each):
    """A process is listed for its descendants; so is an older one without a record."""
    return each["type"] == "process" and (each.get("context") or each["born"] is None and all(
        each[mark] is None for mark in ("exited", "reaped", "freed")))


def show(checker, path, words):
    code, out, _ = checker.call("-i", path, *words, "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    return code, [{name: value for name, value in each.items() if name not in OWN}
                  for each in objects if each["type"] not in ("deaths", "hidden", "overtime")
                  and not is_beside(each)]


VIEWS = (["--tree", "--threads"], ["--tree"], ["--lives"], ["--lives", "--sort", "zombie"], ["--latency"],
         ["--latency", "--by", "parent"], ["--parents"], ["--zombies"], ["--events"], ["--summary"])


def check_whole(checker, path, read, status=0):
    """With nothing left out, all views print the same, byte for byte."""
    to, got = cut(checker, path, [], status)
    checker.equal(["-i", path], "records of the slice", read.events, got.events)
    if not read.env["command"]:
        for view in VIEWS:
            mine, its = (checker.call("-i", each, *view, "--json")[:2] for each in (path, to))
            checker.equal(["-i", path, *view], "the slice's", mine, its)
    check_metadata(checker, path, read, to, got)
    return to, got


def check_metadata(checker, path, read, to, got):
    uuid = read.metadata.uuid.hex()
    of = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:])).encode()
    changed = ("records", "lost", "streams", "bytes", "slice_of")
    same = lambda env: {name: value for name, value in env.items()
                        if name not in changed and not name.startswith("total_")}
    checker.equal(["-i", to], "env", same(read.env), same(got.env))
    checker.equal(["-i", to], "slice_of", of, got.env["slice_of"])
    checker.equal(["-i", to], "its own uuid", True, got.metadata.uuid != read.metadata.uuid)
    there = {event["cgroup"] for event in got.events if "cgroup" in event}
    checker.equal(["-i", to], "cgroups", {number: path for number, path in read.cgroups.items()
                                          if number in there}, got.cgroups)


def check_part(checker, path, read, options, span=None):
    words = [*options.words()]
    if span:
        words += ["--%s=%d.%09d" % (name, ns // 10 ** 9, ns % 10 ** 9)
                  for name, ns in zip(("from", "to"), span)]
    chosen = Chosen(read, options, span) if span else Chosen(read, options)
    to, got = cut(checker, path, words)
    checker.equal(words, "records of the slice", chosen.events(), got.events)
    check_same(checker, path, to, words)
    info.check(checker, to, got)
    return to, got, words


def options_of(words):
    return {"pid" if word.startswith("--pid") else "more" for word in words}


def check_same(checker, path, to, words, views=VIEWS[1:]):
    for view in views:
        # --events filters at each record: a slice has whole lives, by their final state.
        if view == ["--events"] and not all(word.startswith("--pid") for word in words):
            continue
        mine, its = (show(checker, each, words + view) for each in (path, to))
        if view in (["--summary"], ["--parents"]):  # equal lines are in any order
            mine, its = ((code, sorted(objects, key=str)) for code, objects in (mine, its))
        checker.equal(["-i", path, *words, *view], "status of the slice's", mine[0], its[0])
        checker.equal(["-i", path, *words, *view], "objects of the slice's", len(mine[1]), len(its[1]))
        for one, other in zip(mine[1], its[1]):
            # All processes of --pid can be gone earlier.
            if one != other and not (one["type"] == "end" and options_of(words) == {"pid", "more"}):
                checker.differ(["-i", path, *words, *view], "the slice's", one, other)
                break


def check_slices(checker, seed):
    rng = random.Random("slice %d" % seed)
    made = scenes.new_machine(rng, rng.choice([30, 150]), pid_range=rng.choice([5, 40, 1000]))
    path, read = checks.make(checker, "to-slice", made)
    whole, all_of_it = check_whole(checker, path, read)
    scenes.check_ctf(checker, whole, all_of_it)
    begin, end = sorted(rng.randrange(read.env["began"], read.env["ended"]) for _ in range(2))
    for options in list(checks.choices(rng, read))[2:8] + [{}]:
        if options.pop("threads", None) is not None and not options:
            continue
        span = (begin, end) if not options or rng.random() < .4 else None
        to, got, words = check_part(checker, path, read, session.Options(**options), span)
    # A slice of a slice is the same, and other readers of CTF read it.
    again = cut(checker, to, words)[1]
    checker.equal(words, "a slice of a slice", got.events, again.events)
    if got.events:
        scenes.check_ctf(checker, to, got)
    path, read = checks.make(checker, "cut-to-slice", made, complete=0, ended=0, reason=b"", records=0,
                             lost=0, streams=0, bytes=0, synced=made.now)
    check_whole(checker, path, read, status=3)


def check_lossy(checker, path, read, status):
    """Where records were lost, a slice has lost as many, and its lives are as incomplete."""
    to, got = check_whole(checker, path, read, status)
    for words in (["--comm=c*"], ["--uid=0"], ["--failed"]):
        to, got = cut(checker, path, words, status)
        checker.equal(words, "gaps of the slice", [event for event in read.events if event["type"] == "lost"],
                      [event for event in got.events if event["type"] == "lost"])
        check_same(checker, path, to, words, (["--lives"],))
