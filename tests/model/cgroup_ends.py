# SPDX-License-Identifier: GPL-2.0-only
"""How a cgroup ended, after proclife-views(7), --latency: for traces without a loss."""
import abi
from values import killer, named, texts

SIGKILL = 9


class Population:
    """What the CGROUP records show of one cgroup, and what may be missing since it got its first task."""

    def __init__(self, session, number):
        self.since, self.empty, self.lacks = 0, None, False
        for event in session.others:
            if event["type"] == "cgroup" and event["cgroup"] == number:
                # Empty twice: the first task in between was not recorded.
                self.since, self.empty = (event["ts"], None) if event["populated"] else \
                    (self.empty or self.since, event["ts"])
        for kind in ("signal", "cgroup"):
            cpus, until = set(), 0
            for event in session.others:
                if event["type"] == "suppressed" and event["what"] == abi.NUMBERS[kind]:
                    (cpus.discard if event["ended"] else cpus.add)(event["cpu"])
                    until = max(until, event["ts"]) if event["ended"] else until
            self.lacks |= bool(cpus) or bool(until and until >= self.since)


def left(process):
    """When its exit was over."""
    released = process.reaped is not None and (process.reaper["reaper_tgid"] == process.tgid or
                                               process.exited is None)
    return process.announced or (process.reaped if released else process.exited) or 0


def has_ended(session, population, lives):
    if population.empty is not None:
        return not lives or not population.lacks
    recorded = session.env["features"] >> abi.NUMBERS["cgroup"] & 1
    return not lives and session.has_snapshot and not session.env.get("slice_of") and \
        (not recorded or population.lacks)


def end(session, number):
    """The object of a cgroup; None if it has not ended, or had no processes."""
    population = Population(session, number)
    those = [each for each in session.lives.processes if each.cgroup == number]
    lives = [each for each in those if each.state in ("alive", "unknown") or
             (each.state == "dying" and each.last_exit is None)]
    began = lambda each: each.exited or left(each)
    dead = [each for each in those if each not in lives and began(each) >= population.since
            and (population.empty is None or began(each) <= population.empty)]
    if not dead or not has_ended(session, population, lives):
        return None
    killed = min((each for each in dead if SIGKILL in each.sent),
                 key=lambda each: (each.sent[SIGKILL]["ts"], each.id), default=None)
    last = max(dead, key=lambda each: (left(each), each.id))
    reaped = None
    if all(each.state not in ("zombie", "dying") for each in dead):
        reaped = max((each for each in dead if each.reaped is not None),
                     key=lambda each: (each.reaped, each.id), default=None)
    return {
        "v": 1, "type": "cgroup_end", **texts("group", session.recording.cgroups.get(number)),
        "cgroup": number, "processes": len(dead),
        "killed": killed and killed.sent[SIGKILL]["ts"], "killed_pid": killed.tgid if killed else 0,
        **texts("killed_comm", killed and killed.comm),
        "killer": killer(killed and killed.sent[SIGKILL]),
        "last_pid": last.tgid, **texts("last_comm", last.comm),
        "exited": last.exited, "notified": last.notified,
        "reaped": reaped and reaped.reaped, "reaped_pid": reaped.tgid if reaped else None,
        **texts("reaped_comm", reaped and reaped.comm),
        "reaper_pid": reaped.reaper["reaper_tgid"] if reaped else None,
        **texts("reaper_comm", reaped and named(reaped.reaper, "reaper")),
        "empty": population.empty, "incomplete": population.lacks}


def ends(session, numbers):
    return [found for found in (end(session, number) for number in numbers) if found]
