# SPDX-License-Identifier: GPL-2.0-only
"""
--diff: what it has to find, what it must not claim, and its estimate of noise. If a figure is near
its limit, rounding decides: either answer is right.
"""
import json
import math
import random
import statistics

import checks
import machine
import session
import values
import views

FIGURES = ["alone", "life", "teardown", "held", "unmap", "traced", "zombie", "rcu_free", "exit_free",
           "fork", "first_run", "exec", "spawn", "wait"]
SUMS = ["teardown", "exit_free"]  # judged after their parts
PARTS = ["teardown", "traced", "zombie", "rcu_free"]
PERCENTS = [50, 90, 99, 99.9]
FACTOR = 1.1
SMALL = 10000  # ns, which are added to each time
CLAIMS = 0.01


class Ratio:
    """The ratio of two percentiles, or a combination of several."""

    def __init__(self, log, error):
        self.log, self.error = log, error

    def __eq__(self, other):
        return isinstance(other, (int, float)) and other > 0 and \
            abs(math.log(other) - self.log) <= self.error

    def __repr__(self):
        return "about %.4f" % math.exp(min(self.log, 99))


class Time:
    """A mean of percentiles, each of which can be too high."""

    def __init__(self, ns):
        self.ns = ns

    def __eq__(self, other):
        return isinstance(other, int) and self.ns * 0.999 - 2 <= other <= self.ns * values.LARGER * 1.001 + 2

    def __repr__(self):
        return "about %d" % self.ns


def rank(times, percent):
    """The time at a percentile of sorted times."""
    return times[min(max(math.ceil(len(times) * percent / 100 - 1e-9), 1), len(times)) - 1]


def tail(limit, freedom):
    """The probability that Student's t is beyond a limit, on either side: Simpson's rule over the part below."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / \
        math.sqrt(math.pi * freedom)
    # As an angle: t = sqrt(freedom) tan(x), whose density is a power of the cosine.
    end = math.atan(limit / math.sqrt(freedom))
    steps = 400
    points = [math.cos(end * i / steps) ** (freedom - 1) for i in range(steps + 1)]
    total = points[0] + points[-1] + 4 * sum(points[1:-1:2]) + 2 * sum(points[2:-1:2])
    return 1 - 2 * scale * math.sqrt(freedom) * total * end / steps / 3


def quantile(chance, freedom):
    low, high = 0, 1
    while tail(high, freedom) > chance and high < 1e9:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, freedom) > chance else (low, middle)
    return high


def nearest(changes):
    changes = sorted(changes)
    return min(changes[(len(changes) - 1) // 2], changes[len(changes) // 2], key=abs)


class Row:
    """A figure of a group: a logarithm for each run, and the variance that its lives give it."""

    def __init__(self, name, runs, percent, a):
        self.name = name
        self.logs = [math.log(rank(times, percent) + SMALL) for times in runs]
        self.counts = sum(map(len, runs[:a])), sum(map(len, runs[a:]))
        share = percent / 100
        self.variance = 0
        for times in runs:
            error = 2 * math.sqrt(share * (1 - share) / len(times)) * 100
            spread = math.log(rank(times, percent + error) + SMALL) - \
                math.log(rank(times, percent - error) + SMALL)
            self.variance += (spread / 4) ** 2 / len(runs)
        self.a, self.b = statistics.mean(self.logs[:a]), statistics.mean(self.logs[a:])

    def off(self, run, a):
        return self.logs[run] - (self.a if run < a else self.b)


def judge(rows, a, runs):
    """For several runs: the shared factor, each row's change, and the errors of both."""
    b, groups, freedom = runs - a, len(rows), runs - 2
    shared = nearest([row.b - row.a for row in rows])
    drifts = [statistics.median(row.off(run, a) for row in rows) for run in range(runs)]
    between = sum(drift ** 2 for drift in drifts) / freedom
    lives = statistics.mean(row.variance for row in rows)
    floor = lives * (math.pi / 2 / groups if groups > 1 else 1)
    shared_error = math.sqrt(max(between, floor) * (1 / a + 1 / b))
    rests = [sum((row.off(run, a) - drifts[run]) ** 2 for run in range(runs)) for row in rows]
    errors = []
    for row, rest in zip(rows, rests):
        if groups == 1:
            errors.append(0)
            continue
        pooled = sum(rests) / (groups - 1) / freedom
        own = rest / freedom * groups / (groups - 1)
        variance = max(pooled, own, max(pooled - lives, 0) + row.variance)
        errors.append(math.sqrt(variance * (1 / a + 1 / b) * (1 + math.pi / 2 / groups)))
    return shared, shared_error, [row.b - row.a - shared for row in rows], errors


class Versus:
    """The expected output of --diff for sessions on two sides."""

    def __init__(self, sides):
        self.a, self.runs = len(sides[0]), len(sides[0]) + len(sides[1])
        self.names = sorted({each.comm for side in sides for run in side
                             for each in run.lives.processes})
        self.table = {name: [{figure: [] for figure in FIGURES} for _ in range(self.runs)]
                      for name in self.names}
        self.lives = {name: [0] * self.runs for name in self.names}
        for number, run in enumerate(run for side in sides for run in side):
            for phases, _, each in views.counted(run):
                self.lives[each.comm][number] += 1
                # Groups with many lives have no children here.
                for figure, ns in dict(phases, alone=phases["life"]).items():
                    if ns is not None:
                        self.table[each.comm][number][figure].append(ns)
        for cells in self.table.values():
            for cell in cells:
                for times in cell.values():
                    times.sort()
        self.sure, self.maybe, self.noise = {}, set(), []
        self.changed = {name: set() for name in self.names}
        self.open = {name: set() for name in self.names}  # whether it has changed is not certain
        self.shared = set()

    def rows(self, figure, percent):
        found = []
        for name in self.names:
            runs = [cell[figure] for cell in self.table[name]]
            if min(map(len, runs)) >= 20 and min(map(len, runs)) * (100 - percent) >= 1000 - 1e-6:
                found.append(Row(name, runs, percent, self.a))
        return found

    def comparisons(self):
        counts = [len(self.rows(figure, percent)) for figure in FIGURES for percent in PERCENTS]
        counts.append(sum(min(runs[:self.a]) >= 20 and sum(runs[self.a:]) > 0 or
                          min(runs[self.a:]) >= 20 and sum(runs[:self.a]) > 0
                          for runs in self.lives.values()))
        return sum(count + 1 for count in counts if count)

    def is_known(self, changed, figure):
        return figure in changed or figure == "exit_free" and bool(changed & set(PARTS)) or \
            figure == "teardown" and "unmap" in changed

    def claim(self, row, figure, percent, shared, strength):
        """Strength: how far beyond all limits it is; 1 is exactly at the nearest."""
        if self.is_known(self.changed[row.name], figure) or strength < 0.85:
            return
        key = (row.name, figure, percent)
        if self.is_known(self.open[row.name], figure) or strength < 1.18:
            self.maybe.add(key)
            self.open[row.name].add(figure)
            return
        self.changed[row.name].add(figure)
        self.sure[key] = {
            "v": 1, "type": "change", "by": "comm", "group": values.text(row.name), "phase": figure,
            "statistic": "p%g" % percent, "a": Time(math.exp(row.a) - SMALL),
            "b": Time(math.exp(row.b) - SMALL), "ratio": Ratio(math.log(
                (math.exp(row.b) - SMALL) / (math.exp(row.a) - SMALL)), 0.009),
            # Percentiles that are too high move the weights of the groups, too.
            "others": Ratio(shared, 0.02) if shared else None,
            "count_a": row.counts[0], "count_b": row.counts[1]}

    def several(self):
        comparisons = self.comparisons()
        chance = CLAIMS / comparisons
        for figure in sorted(FIGURES, key=SUMS.__contains__):
            for percent in PERCENTS:
                rows = self.rows(figure, percent)
                if figure == "life":  # a change of alone is not reported again
                    rows = [row for row in rows if "alone" not in self.changed[row.name]]
                if not rows:
                    continue
                shared, shared_error, changes, errors = judge(rows, self.a, self.runs)
                limit = quantile(chance, self.runs - 2)
                freedom = (len(rows) - 1) * (self.runs - 2)
                group_limit = quantile(chance, freedom) if freedom else math.inf
                if percent == 50:
                    # Each percentile can be too high by this factor, and so can a deviation.
                    slack = (values.LARGER - 1) * math.sqrt(1 / self.a + 1 / (self.runs - self.a))
                    # Whether these are left out depends on it.
                    doubtful = figure == "life" and any("alone" in self.open[row.name] for row in rows)
                    self.noise.append((figure, len(rows), group_limit * max(errors) if freedom else None,
                                       group_limit * slack * 1.5, limit * shared_error, limit * slack, doubtful))
                if len(rows) == 1:  # the shared factor is its own
                    self.claim(rows[0], figure, percent, 0, min(
                        abs(shared) / math.log(FACTOR), abs(shared) / (limit * shared_error or 1)))
                    continue
                # The shared factor is hardly ever beyond noise, or near it: then the rest depends on that.
                if abs(shared) >= 0.85 * max(limit * shared_error, math.log(FACTOR)):
                    return False
                for row, change, error in zip(rows, changes, errors):
                    felt = abs(math.exp(row.b) - math.exp(row.a + shared)) / 10000
                    self.claim(row, figure, percent, shared, min(
                        abs(change) / math.log(FACTOR), felt,
                        abs(change) / (group_limit * error) if error and freedom else 0))
        return True

    def check(self, checker, words, sides, paths):
        if not self.several():
            return
        code, out, errors = checker.call(*words, "--json")
        got = [json.loads(line) for line in out.splitlines()]
        of = lambda kind: [each for each in got if each["type"] == kind]
        checker.equal(words, "recordings", [path for side in paths for path in side],
                      [each["name"] for each in of("compared")])
        checker.equal(words, "lives", [len(views.counted(run)) for side in sides for run in side],
                      [each["lives"] for each in of("compared")])
        found = {(each["group"].encode(), each["phase"], float(each["statistic"][1:])): each
                 for each in of("change")}
        for key, mine in self.sure.items():
            checker.equal(words, "change", mine, found.get(key))
        for key, its in found.items():
            if key not in self.sure and key not in self.maybe:
                checker.differ(words, "change", "none", its)
        checker.equal(words, "shared", [], of("shared"))
        if not self.maybe:
            checker.equal(words, "status", 2 if found else 0, code)
        checker.equal(words, "noise", [
            {"v": 1, "type": "noise", "phase": figure, "statistic": "p50", "groups": groups,
             "group": None if group is None else Ratio(group, 0.02 + 0.15 * group + slack),
             "all": Ratio(shared, 0.02 + 0.15 * shared + all_slack),
             **({name: values.Any(int, float, type(None)) for name in ("groups", "group", "all")} if doubtful else {})}
            for figure, groups, group, slack, shared, all_slack, doubtful in sorted(self.noise, key=lambda noise: FIGURES.index(noise[0]))],
                      of("noise")[:len(self.noise)])
        last = {"v": 1, "type": "diff", "changes": len(found), "compared": len(self.rows("alone", 50)),
                "too_few": len(self.names) - len(self.rows("alone", 50)), "forced": []}
        checker.equal(words, "last", last, got[-1])


def check_several(checker, seed):
    """Runs that drift by a fifth, of groups with their own noise; one of them is slow on side B, or none."""
    rng = random.Random("versus %d" % seed)
    counts = [rng.randrange(25, 130) for _ in range(rng.randrange(3, 7))]
    factor, phase = rng.choice([1, 1.25, 2, 4]), rng.choice(["zombie", "life"])
    sides, paths = [[], []], [[], []]
    for number in range(rng.choice([4, 6, 6, 7])):
        side = number % 2
        drift = rng.uniform(0.8, 1.2)
        made = machine.Machine(rng, cpus=2, older=0, lacks=())
        made.exit_mark = 1
        made.begin(calm=True)
        for group, count in enumerate(counts):
            zombie, life = drift * rng.gauss(1, 0.02), drift * rng.gauss(1, 0.02)
            if side and not group:
                zombie *= factor if phase == "zombie" else 1
                life *= factor if phase == "life" else 1
            made.crowd(b"group%d" % group, count, int(2 * 10 ** 7 * zombie), int(10 ** 7 * life))
        path, read = checks.make(checker, "run%d" % number, made)
        sides[side].append(session.Session(read, session.Options()))
        paths[side].append(path)
    words = ["--diff", *paths[0], "--against", *paths[1]]
    Versus(sides).check(checker, words, sides, paths)


def check_two(checker, seed):
    """What has changed, and nothing else: the zombies of one of three groups, the other way round, too."""
    rng = random.Random("diff %d" % seed)
    factor, sides = rng.choice([4, 8]), []
    for number, slow in enumerate((1, factor)):
        made = machine.Machine(rng, cpus=2, older=0, lacks=())
        made.exit_mark = 1
        made.begin(calm=True)
        for name, count, times in ((b"slow", 60, slow), (b"same", 45, 1), (b"few", 12, slow)):
            made.crowd(name, count, 2 * 10 ** 7 * times)
        path, read = checks.make(checker, "side%d" % number, made)
        sides.append((path, session.Session(read, session.Options())))
    for (a, before), (b, after) in (sides, sides[::-1], sides[:1] + [sides[0]]):
        if a == b:
            checker.equal(["--diff", a, b], "status", 1, checker.call("--diff", a, b)[0])
            continue
        for limit in (factor - 1, 3 * factor):
            recordings = [{"v": 1, "type": "compared", "side": side, "name": path,
                           "kernel": '6.1"model', "exit_mark": "do_exit", "complete": True,
                           "lives": len(views.counted(of)), "failed": 0} for side, path, of in (("a", a, before), ("b", b, after))]
            changes = []
            slow = [[phases["zombie"] for phases, _, each in views.counted(side)
                     if each.comm == b"slow"] for side in (before, after)]
            if limit < factor:
                p50 = [views.Percentile(each, 50) for each in slow]
                ratio = math.log(p50[1].exact / p50[0].exact)
                changes = [{"v": 1, "type": "change", "by": "comm", "group": "slow",
                            "phase": "zombie", "statistic": "p50", "a": p50[0], "b": p50[1],
                            "ratio": Ratio(ratio, 0.009), "others": None,
                            "count_a": len(slow[0]), "count_b": len(slow[1])}]
            names = {each.comm for side in (before, after) for each in side.lives.processes}
            last = {"v": 1, "type": "diff", "changes": len(changes), "compared": 2,
                    "too_few": len(names) - 2, "forced": []}
            words = ["--diff", a, b, "--factor=%d" % limit]
            checker.objects(words, recordings + changes + [last], 2 if changes else 0)


def check_diff(checker, seed):
    check_two(checker, seed)
    check_several(checker, seed)
