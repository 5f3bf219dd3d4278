# SPDX-License-Identifier: GPL-2.0-only
"""
Records that the module suppresses because they exceed its budget are not lost. Each view reports how
many there were, claims nothing that it cannot know, and is right in everything else.
"""
import json
import os
import random
import re

import checks
import device
import info
import machine
import session
import truth

TYPES = ("wait", "rename", "signal", "cgroup", "mm", "notify", "birth", "fail")
HAD = "%s, %s and %s were suppressed by the module's budget; see proclife(4)"
OTHERS = "%d %s record%s suppressed by the module's budget; see proclife(4)"
OPEN = "%s records were still being suppressed on %d CPU%s at the end, and are not counted"


def check_budget(checker, seed):
    rng = random.Random("budget %d" % seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), now=10 ** 9, budget=True,
                           pid_range=rng.choice([10, 40, 1000]))
    made.begin()
    made.run(rng.choice([100, 250]))
    path, read = checks.make(checker, "budget", made)
    for options in (session.Options(), session.Options(threads=True)):
        seen = checks.check_views(checker, path, read, options)
        check_messages(checker, ["-i", path, *options.words()], made, seen)
    checks.check_events(checker, path, read, session.Options(events=True))
    info.check(checker, path, read)
    check_lives(checker, path, made)
    check_waits(checker, path, made)
    check_status(checker, made)


def still(made):
    """On how many CPUs each type is suppressed at the end."""
    return [sum(kind == each for _, kind in made.suppressing) for each in TYPES]


def check_messages(checker, words, made, seen):
    had = [seen.suppressed[kind] for kind in TYPES]
    mine = [HAD % tuple("%d %s%s" % (n, name, "" if n == 1 else "s")
                       for n, name in zip(had, ("wait", "rename", "signal")))] if any(had[:3]) else []
    mine += [OTHERS % (count, kind, " was" if count == 1 else "s were")
             for kind, count in zip(TYPES[3:], had[3:]) if count]
    mine += [OPEN % (kind, cpus, "" if cpus == 1 else "s")
             for kind, cpus in zip(TYPES, still(made)) if cpus]
    for view in ("--tree", "--latency", "--parents", "--zombies", "--events", "--expect=lost==0"):
        if view in ("--parents", "--zombies", "--events") and seen.options.threads:
            continue
        code, _, errors = checker.call(*words, view)
        checker.equal(words + [view], "status", 0, code)
        lines = [line.split(": ", 1)[1] for line in errors.splitlines() if "suppressed" in line]
        checker.equal(words + [view], "what is said", sorted(mine), sorted(lines))


def check_lives(checker, path, made):
    """No life becomes incomplete by it. Only the sender of a signal is not known if that was suppressed."""
    words = ["-i", path, "--tree"]
    objects = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
    truth.check(checker, words, made, objects)


def check_waits(checker, path, made):
    """A reaper never gets another time than its own since which it has waited."""
    words = ["-i", path, "--latency", "--top=1000"]
    out = checker.call(*words, "--json")[1]
    for each in map(json.loads, out.splitlines()):
        if each["type"] == "slowest" and each["reaper_waited"] is not None:
            true = [process.reaper_waited for process in made.processes
                    if (process.tgid, process.exited) == (each["pid"], each["exited"])]
            checker.equal(words, "reaper_waited of %d" % each["pid"], true, [each["reaper_waited"]])


def check_status(checker, made):
    """--status: how many of each type were suppressed, and on how many CPUs they are now."""
    path = os.path.join(checker.path, "budget.device")
    device.write(path, made.records, 1 << 12, dict(checks.HEADER, **made.header()), 0, made.unrecorded, made.suppressing)
    words = ["--device", path, "--status"]
    code, out, _ = checker.call(*words, "--json")
    checker.equal(words, "status", 0, code)
    features = {each["record"]: each for each in map(json.loads, out.splitlines())
                if each["type"] == "feature"}
    text = checker.call(*words)[1]
    for kind, cpus in zip(TYPES, still(made)):
        count = sum(many for (_, each), many in made.unrecorded.items() if each == kind)
        checker.equal(words, kind, (count, cpus),
                      (features[kind]["suppressed"], features[kind]["suppressing"]))
        line = re.search(r"^%s .*" % kind, text, flags=re.M)[0]
        mine = ""
        if count:
            mine = "  and suppressed, over the module's budget, %d" % count
            mine += "; now, too, on %d CPU%s" % (cpus, "" if cpus == 1 else "s") if cpus else ""
            checker.equal(words, "line of " + kind, True, line.endswith(mine))
        else:
            checker.equal(words, "line of " + kind, False, "over the module's budget" in line)
