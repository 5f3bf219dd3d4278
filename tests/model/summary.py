# SPDX-License-Identifier: GPL-2.0-only
"""--summary: what each program cost, and how many lived and how busy they were over time."""
import lives
import views
from values import Any, figures, text, texts, wait_status

BYS = ["comm", "path", "dir", "cgroup", "uid", "parent"]
SLICES = 240


class About:
    """A sum of parts that were rounded on the way."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return abs(other - self.value) <= 2 + self.value * 1e-6

    def __repr__(self):
        return "about %.1f" % self.value


def key_of(process, by):
    """The group that it belongs to; None if not known."""
    if by == "dir" and process.path is not None:
        folder, slash, _ = process.path.rpartition(b"/")
        return folder or b"/" if slash else process.path
    return {"comm": process.comm, "path": process.path, "dir": None, "cgroup": process.cgroup or None,
            "uid": process.uid, "parent": process.parent_comm if process.parent else None}[by]


def names(session, by, key):
    if by == "cgroup" and key is not None:
        return dict(texts("group", session.recording.cgroups.get(key)), cgroup=key)
    return texts("group", key) if isinstance(key, bytes) else {"group": key}


def longest(runs):
    """The first of them, by the end of its life; of equally long ones, any."""
    spans = [(lives.process_phases(each)["life"], each) for each in runs]
    spans = [(life, each) for life, each in spans if life is not None]
    if not spans:
        return None
    most = max(life for life, _ in spans)
    those = [each for life, each in spans if life == most]
    if len(those) > 1:
        return Any(dict)
    found = dict(wait_status(those[0].exit_code), pid=those[0].tgid, life=most)
    if those[0].args is not None:
        found.update(args=[text(word) for word in those[0].args], args_cut=those[0].args_cut)
    return found


def has_ended(each):
    """In the trace, and it is known how; the exit can have begun before."""
    if each.exited is not None or each.last_exit is not None and each.reaped is not None:
        return True
    zombie = each.announced is not None or each.shown_zombie
    return zombie and each.exit_code is not None and not each.ended_before


def program(session, by, key, of):
    runs = [each for each in of if has_ended(each)]
    waits = [wait for wait in (lives.process_phases(each)["wait"] for each in runs) if wait is not None]
    return dict(names(session, by, key), v=1, type="program", by=by, runs=len(runs),
                failed=sum(bool(each.exit_code) for each in runs), open=len(of) - len(runs),
                runtime=sum(each.runtime for each in runs), waiting=sum(waits) if waits else None, waits=len(waits),
                max_rss=max((each.max_rss or 0 for each in runs), default=0) or None,
                life=figures([life for life in (lives.process_phases(each)["life"] for each in runs)
                              if life is not None]), longest=longest(runs))


def cost(runs, phase):
    known = [ns for ns in (lives.process_phases(each)[phase] for each in runs) if ns is not None]
    return {"count": len(known), "sum": sum(known), "spent": views.spent(runs, phase)}


def overhead(session, of):
    """What births and deaths cost; nothing is said of a trace without births."""
    if not views.is_recorded(session.recording.env, "birth") or not views.is_recorded(session.recording.env, "BIRTH_FORKING"):
        return []
    runs = [each for each in of if has_ended(each)]
    return [dict({phase: cost(runs, phase) for phase in ("fork", "exec", "teardown")}, v=1, type="overhead",
                 runtime=sum(each.runtime for each in runs))]


def spans(session, of):
    """When each of them lived, and its known CPU time."""
    for each in of:
        born = each.born
        if born is None:
            born = max(each.start - session.env["to_boottime"], 1) if each.start else each.seen
        if each.exited is not None:
            yield born, each.exited, each.runtime
        elif each.freed is None:
            yield born, session.ended, 0


def overtime(session, of):
    begin = next(event.get("ts", event.get("from")) for event in session.recording.events)
    those = [(max(born, begin), exited, runtime / (exited - born) if exited > born else 0)
             for born, exited, runtime in spans(session, of) if exited > begin]
    end = max((exited for born, exited, _ in those if exited > born), default=begin)
    if end == begin:
        return []
    width = 1 << 20
    while (end - begin) // width >= SLICES:
        width *= 2
    slices = -(-(end - begin) // width)
    lived, busy = [0] * slices, [0] * slices
    for number in range(slices):
        low, high = begin + number * width, begin + (number + 1) * width
        for born, exited, rate in those:
            part = max(min(high, exited) - max(low, born), 0)
            lived[number] += part
            busy[number] += part * rate
    return [{"v": 1, "type": "overtime", "from": begin, "to": end, "slice": width,
             "lived": [About(value) for value in lived], "busy": [About(value) for value in busy]}]


def summary(session, by):
    of = {}
    for each in session.told():
        of.setdefault(key_of(each, by), []).append(each)
    those = [each for those in of.values() for each in those]
    return [program(session, by, key, those) for key, those in of.items()] + \
        overhead(session, those) + overtime(session, those)


def check(checker, words, session, by, status=0):
    words = words + ["--summary"] + (["--by", by] if by != "comm" else [])

    def key(each):
        return (each["type"] == "end", each["type"], str(each.get("group")), each.get("group_hex", ""),
                each.get("cgroup", 0))
    got = checker.objects(words, [views.trace(session.env), *summary(session, by), views.end(session, "all")],
                          status, key)
    costs = [each["runtime"] for each in got or [] if each["type"] == "program"]
    checker.equal(words, "order", sorted(costs, reverse=True), costs)
