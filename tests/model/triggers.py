# SPDX-License-Identifier: GPL-2.0-only
"""
--on: whether a life meets a condition follows from the whole life. The time of the report
is only bounded: not before the condition holds, and the lines are in the order of time.
"""
import json
import operator
import random

import checks
import lives
import machine
import session
import views

RELATIONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq}


def going_on(read, each):
    """{phase: since when it goes on at the end of the trace}"""
    over = each.last_exit is not None or each.ends or each.reaped is not None or each.freed is not None
    dead = each.last_exit is not None
    found = {}
    if not over:
        found["life"] = each.born
        if read.env["birth_marks"] and each.started is None and not each.execs and not each.ran:
            found["first_run"] = each.born
        found["kill"] = each.sent[lives.SIGKILL]["ts"] if lives.SIGKILL in each.sent else None
    if each.announced is None and each.reaped is None and each.freed is None and each.with_notify:
        found["teardown"] = each.exited if dead else each.exiting if each.ends else None
    if each.is_held:
        found["traced"] = each.traced if each.traced is not None else each.first_shown_zombie
    elif each.state == "zombie":
        found["zombie"] = each.zombie_since if each.zombie_since is not None else each.first_shown_zombie
    if each.freed is None:
        found["rcu_free"] = each.reaped
        found["exit_free"] = each.exited if dead else each.exiting if each.ends else None
    memory = each.memory
    if memory and memory.open:
        if memory.left and not memory.teardown:
            found["held"] = memory.left["ts"]
        # If nothing was mapped, no record need show that it is over.
        if memory.teardown and not memory.gone and any(memory.teardown[name] for name in lives.RSS):
            found["unmap"] = memory.teardown["ts"]
    return {phase: since for phase, since in found.items() if since is not None}


def phase_met(read, each, phase, relation, bound):
    """Whether it is met; None if it is open to doubt."""
    value = lives.process_phases(each)[phase]
    if relation in ("<", "<=", "=="):
        return each.freed is not None and value is not None and RELATIONS[relation](value, bound)
    if phase == "teardown" and value is None and each.reaped is not None:
        return None  # it was not known that no process would be notified
    if phase == "wait" and each.last_exit is None:
        return None  # it is known before the EXIT, by which it is judged
    if phase == "kill" and lives.SIGKILL in each.sent and each.exited is None:
        return None
    if phase in ("held", "unmap") and value is None and not (each.its_memory and each.its_memory.open):
        return None  # what seemed to hold turned out to be something else
    if phase == "zombie" and each.leader and each.leader.gone_before and (
            each.last_exit is not None or each.state == "alive"):
        return None  # the snapshot found its leader dead, and a thread exiting, or only later a living one
    if phase == "traced" and value is None and each.tracer and each.traced is None and each.notified is not None:
        value = each.notified - each.found_zombie  # the snapshot found that it was held
    if phase == "life" and value is None and each.born is not None and each.exiting is not None:
        value = each.exiting - each.born
    if phase == "zombie" and each.exited is None and each.reaped is not None:
        return None if each.notified is None else RELATIONS[relation](each.reaped - each.notified, bound)
    if value is None and phase in going_on(read, each):
        value = read.env["ended"] - going_on(read, each)[phase]
    return value is not None and RELATIONS[relation](value, bound)


def met(read, each, condition):
    figure, relation, bound = condition
    if figure in views.PHASES:
        return phase_met(read, each, figure, relation, bound)
    if each.last_exit is None or each.exit_code is None:
        return False
    signal, status = each.exit_code & 0x7f, each.exit_code >> 8 & 0xff
    if figure == "failed":
        return each.exit_code != 0
    if figure == "signal":
        return signal == bound
    return not signal and RELATIONS[relation](status, bound)


def choose(rng, seen):
    """A random condition, whose bound is near the actual values."""
    figure = rng.choice(views.PHASES + ["failed", "status", "signal"])
    if figure == "failed":
        return figure, "", 0
    if figure == "signal":
        return figure, "==", rng.choice([9, 15, 11])
    if figure == "status":
        return figure, rng.choice(sorted(RELATIONS)), rng.choice([0, 1, 3])
    values = [lives.process_phases(each)[figure] for each in seen.lives.processes]
    values = [value for value in values if value is not None] or [1000]
    return figure, rng.choice([">", ">", ">=", ">=", "<", "<=", "=="]), \
        max(rng.choice(values) + rng.randrange(-1, 2), 0)


def text_of(condition):
    figure, relation, bound = condition
    return "%s%s%s%s" % (figure, relation, bound if relation else "", "ns" if figure in views.PHASES else "")


def check_conditions(checker, path, read, rng):
    seen = session.Session(read, session.Options())
    conditions = [choose(rng, seen) for _ in range(rng.randrange(1, 6))]
    words = ["-i", path]
    for condition in conditions:
        words += ["--on", text_of(condition)]
    code, out, errors = checker.call(*words, "--json")
    got = [each for each in map(json.loads, out.splitlines()) if each["type"] == "fired"]
    checker.equal(words, "status (%s)" % errors.strip(), 0, code)
    checker.equal(words, "order", sorted(each["ts"] for each in got), [each["ts"] for each in got])
    for condition in dict.fromkeys(conditions):
        text = text_of(condition)
        those = [(each["pid"], each["process"]["start"]) for each in got if each["condition"] == text]
        told = {(each.tgid, each.start): met(read, each, condition) for each in seen.told()}
        doubtful = {who for who, is_met in told.items() if is_met is None}
        mine = [who for who, is_met in told.items() if is_met] * conditions.count(condition)
        checker.equal(words, text, sorted(mine), sorted(who for who in those if who not in doubtful))


def check(checker, seed):
    rng = random.Random("triggers %d" % seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([5, 40, 1000]))
    made.begin()
    made.run(rng.choice([20, 120, 250]))
    path, read = checks.make(checker, "triggers", made)
    for _ in range(4):
        check_conditions(checker, path, read, rng)
