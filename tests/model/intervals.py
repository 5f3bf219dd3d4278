# SPDX-License-Identifier: GPL-2.0-only
"""
--interval and --metrics: at the end of each interval is known what a session of that length has
seen, and what happened in it is the difference from the one before. So nothing here counts as it goes.
"""
import json
import os
import random
import re

import checks
import lives
import machine
import session
import summary
import views
from values import figures

PARTS = ("held", "unmap")  # of memory, which can come back after the process is gone
BOUNDS = [step * 10 ** power for power in range(4, 13) for step in (1, 2.5, 5)] + [10 ** 13]  # ns


def seen_by(read, options, end):
    """A session that ends then. What the snapshot finds was there in the first interval, too."""
    return session.Session(read, session.Options(duration=end - read.env["began"], snapshot=True,
                                                 **options))


def over(part):
    """{process: its phases} of gone processes, without open memory."""
    found = {}
    for each in part.told():
        if each.freed is None:
            continue
        phases = lives.process_phases(each)
        if each.memory and each.memory.open:
            phases = dict(phases, held=None, unmap=None)
        found[each.id] = phases
    return found


def ends_of(read, every):
    first = min((event["ts"] for event in read.events if event.get("ts") and event["type"] != "task"),
                default=read.env["began"])
    begin = min(first, read.env["began"])
    return [begin, *range(begin + every, read.env["ended"], every), read.env["ended"]]


def latency(before, part):
    """What is in `part` and was not in `before`."""
    old, new = over(before) if before else {}, over(part)
    gone = {number: phases for number, phases in new.items() if number not in old}
    found = []
    for phase in views.PHASES:
        values = [phases[phase] for number, phases in new.items() if phases[phase] is not None and
                  (number in gone or phase in PARTS and old[number][phase] is None)]
        found.append(dict(figures(values), v=1, type="latency", phase=phase, spent=views.spent(
            [each for each in part.told() if each.id in gone], phase)))
    states = [each.state for each in part.told()]
    found.append({
        "v": 1, "type": "lives", "of": "processes", "lives": len(gone), "alive": states.count("alive"),
        "dying": states.count("dying"), "zombies": states.count("zombie"), "unfreed": states.count("unfreed"),
        "unknown": states.count("unknown"), "incomplete": 0,
        "partial": sum(each.born is None for each in part.told() if each.id in gone)})
    return found if gone or any(each.get("count") for each in found) else []


def programs(before, part, by):
    old = {each.id for each in before.told() if each.freed is not None} if before else set()
    of = {}
    for each in part.told():
        if each.freed is not None and each.id not in old:
            of.setdefault(summary.key_of(each, by), []).append(each)
    return [summary.program(part, by, key, those) for key, those in of.items()] + \
        (summary.overhead(part, [each for those in of.values() for each in those]) if of else [])


def forks(before, part):
    """How many were born, were reaped, and are zombies."""
    known = {each.id for each in before.lives.processes} if before else set()
    freed = {each.id for each in before.told() if each.freed is not None} if before else set()
    gone = [each for each in part.told() if each.freed is not None and each.id not in freed]
    return {"born": sum(each.born is not None and bool(each.parent_pid) and each.id not in known
                        for each in part.told()),
            "reaped": sum(each.reaped is not None and not each.autoreaped for each in gone),
            "zombies": sum(each.state == "zombie" for each in part.told())}


def key(each):
    return (each["interval"]["from"] if "interval" in each else -1, each["type"] != "interval", each["type"],
            each.get("phase", ""), str(each.get("group")), each.get("group_hex", ""), each.get("cgroup", 0))


def check_intervals(checker, path, read, rng, options):
    span = read.env["ended"] - read.env["began"]
    every = max(span // rng.randrange(1, 30) + rng.randrange(2), 10 ** 6)
    by = rng.choice(summary.BYS)
    words = ["-i", path, *session.Options(**options).words(), "--interval=%dns" % every]
    ends = ends_of(read, every)
    parts = [seen_by(read, options, end) for end in ends[1:]]
    for view, told in ((["--latency"], latency),
                       (["--summary"] + (["--by", by] if by != "comm" else []),
                        lambda before, part: programs(before, part, by))):
        expected = []
        for number, part in enumerate(parts):
            about = {"from": ends[number], "to": ends[number + 1]}
            old = parts[number - 1].suppressed if number else dict.fromkeys(part.suppressed, 0)
            expected.append({"v": 1, "type": "interval", "interval": about, "intervals": 1, "lost": 0,
                             "incomplete": False,
                             "suppressed": {name: n - old[name] for name, n in part.suppressed.items()}})
            expected += [dict(each, interval=about)
                         for each in told(parts[number - 1] if number else None, part)]
        code, out, errors = checker.call(*words, *view, "--json")
        got = [json.loads(line) for line in out.splitlines()]
        got = [each for each in got if each["type"] not in ("trace", "end", "slowest")]
        checker.equal(words + view, "status (%s)" % errors.strip(), 0, code)
        checker.equal(words + view, "order", sorted(got, key=lambda each: each["interval"]["from"]), got)
        for mine, its in zip(sorted(expected, key=key), sorted(got, key=key)):
            if mine != its:
                checker.differ(words + view, "object", mine, its)
                break
        else:
            checker.equal(words + view, "objects", len(expected), len(got))
    if not options:
        check_parents(checker, words, ends, parts)


def check_parents(checker, words, ends, parts):
    out = checker.call(*words, "--parents", "--json")[1]
    got = [each for each in map(json.loads, out.splitlines()) if each["type"] == "parent"]
    for number, part in enumerate(parts):
        mine = forks(parts[number - 1] if number else None, part)
        those = [each for each in got if each["interval"]["from"] == ends[number]]
        its = {name: sum(each[name] for each in those) for name in mine}
        checker.equal(words + ["--parents"], "interval %d" % number, mine, its)


def exit_class(code):
    if code is None:
        return "unknown"
    return "core" if code & 0x80 else "signal" if code & 0x7f else "failed" if code else "ok"


def samples(read, options):
    """{series: value} of the counters."""
    part = session.Session(read, session.Options(**options))
    told, gone = part.told(), over(part)
    found = {"proclife_exits_total{status=\"%s\"}" % name: 0
             for name in ("ok", "failed", "signal", "core", "unknown")}
    for each in told:
        if each.last_exit is not None or each.freed is not None and each.exit_code is None:
            found["proclife_exits_total{status=\"%s\"}" % exit_class(each.exit_code)] += 1
    found["proclife_forks_total"] = sum(each.born is not None for each in told)
    found["proclife_execs_total"] = sum(event["type"] == "exec" for event, _ in part.shown)
    found["proclife_records_lost_total"] = part.lost
    for name, n in part.suppressed.items():
        found["proclife_records_suppressed_total{type=\"%s\"}" % name] = n
    found["proclife_dying"] = sum(each.state == "dying" for each in told)
    found["proclife_processes"] = sum(each.state == "alive" for each in told)
    zombies = [each for each in told if each.state == "zombie"]
    since = [each.zombie_since or read.env["began"] for each in zombies]
    found["proclife_zombies"] = len(zombies)
    found["proclife_unknown"] = sum(each.state == "unknown" for each in told)
    found["proclife_oldest_zombie_seconds"] = (part.ended - min(since)) / 1e9 if since else 0
    for phase in views.PHASES:
        if phase in views.BIRTH_PHASES and not read.env["birth_marks"] or \
                phase == "wait" and not all(views.is_recorded(read.env, what) for what in views.NEEDS["wait"]):
            continue
        values = [phases[phase] for phases in gone.values() if phases[phase] is not None]
        name = "proclife_%s_seconds" % phase
        for bound in BOUNDS:
            found["%s_bucket{le=\"%g\"}" % (name, bound / 1e9)] = sum(value <= bound for value in values)
        found[name + "_bucket{le=\"+Inf\"}"] = found[name + "_count"] = len(values)
        found[name + "_sum"] = sum(values) / 1e9
    return found


def check_metrics(checker, path, read):
    file = os.path.join(checker.path, "m.prom")
    words = ["-i", path, "--metrics", file]
    code, out, _ = checker.call(*words)
    checker.equal(words, "status", (0, ""), (code, out))
    with open(file, encoding="ascii") as text:
        got = {series: float(n) for series, n in re.findall(r"^(proclife_\S+) (\S+)$", text.read(), re.M)}
    for series, n in samples(read, {}).items():
        if series not in got or abs(got.pop(series) - n) > 1e-6:
            checker.differ(words, series, n, "another one, or none")
    checker.equal(words, "others", ["proclife_build_info{version=\"0.1.0\"}", "proclife_incomplete_lives_total",
                                    "proclife_marks_missed_total", "proclife_start_time_seconds",
                                    "proclife_unjudged_processes_total"],
                  sorted(got))


def check(checker, seed):
    rng = random.Random("intervals %d" % seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([5, 40, 1000]))
    made.begin()
    made.run(rng.choice([20, 120]))
    path, read = checks.make(checker, "intervals", made)
    for options in ({}, {"uids": (rng.choice([0, 33, 1000]),)}, {"ends": ("failed",)}):
        check_intervals(checker, path, read, rng, options)
    check_metrics(checker, path, read)
