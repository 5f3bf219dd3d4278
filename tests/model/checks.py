# SPDX-License-Identifier: GPL-2.0-only
"""Makes recordings, runs the program on them, and compares what it prints with the views."""
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback

import device
import info
import machine
import page
import recording
import scenes
import session
import summary
import views

HEADER = {"features": 0xFFFFE, "mm_marks": 0x3E, "cgroup_leave": 1, "rss_error": 252,
          "release": b"6.1-model", "version": b"0.1", "hz": 250, "loaded": 10,
          "exit_mark": 1, "reap_source": 1, "to_realtime": 1700000000123456789,
          "to_boottime": 3 * 10 ** 9, "init_pid_ns": machine.INIT_NS, "args_bytes": 256}


class Enough(Exception):
    """True after enough differences."""


class Checker:
    """Runs the program, and keeps the differences."""

    def __init__(self, build, most):
        self.most = most
        self.program = os.path.abspath(os.path.join(build, "proclife-read"))
        self.keep = os.path.join(build, "model")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(build), LC_ALL="C")
        self.environment.pop("COLUMNS", None)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="proclife-model-",
                                       dir=os.environ.get("TMPDIR", memory))
        self.different = []
        self.runs = 0
        path = os.path.join(self.folder, "pattern")
        device.write(path + ".device", [[]], 16, HEADER)
        code, _, errors = self.call("--device", path + ".device", "--record", path, "--duration", "1ms")
        if code:
            shutil.rmtree(self.folder)
            sys.exit("no recording can be made: %s" % errors)
        with open(os.path.join(path, "metadata"), encoding="ascii") as file:
            self.pattern = recording.Metadata(file.read())

    def begin(self, seed):
        self.seed, self.kept = seed, False
        self.path = os.path.join(self.folder, "seed-%d" % seed)
        os.mkdir(self.path)

    def finish(self):
        if self.kept:
            to = os.path.join(self.keep, os.path.basename(self.path))
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(self.path, to, symlinks=True, ignore=lambda folder, names: [
                name for name in names
                if stat.S_ISFIFO(os.lstat(os.path.join(folder, name)).st_mode)])
            print("seed %d: its recordings are in %s" % (self.seed, to), flush=True)
        shutil.rmtree(self.path)

    def end(self):
        shutil.rmtree(self.folder)

    def call(self, *words):
        self.runs += 1
        run = subprocess.run([self.program, *map(str, words)], env=self.environment, timeout=60,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return run.returncode, run.stdout.decode(errors="surrogateescape"), run.stderr.decode(
            errors="replace")

    def differ(self, words, what, expected, got):
        self.kept = True
        self.different.append(what)
        if len(self.different) > self.most:
            raise Enough
        print("seed %d: %s" % (self.seed, " ".join(map(str, words))))
        print("  %s: expected %s\n  %sgot      %s" %
              (what, expected, " " * (len(what) + 2), got), flush=True)

    def equal(self, words, what, expected, got):
        if expected != got:
            self.differ(words, what, expected, got)

    def objects(self, words, expected, status=0, key=None):
        """JSON: every object, in this order, or with a key in any order."""
        code, out, errors = self.call(*words, "--json")
        self.equal(words, "status" + (" (%s)" % errors.strip() if errors else ""), status, code)
        try:
            got = [json.loads(line) for line in out.splitlines()]
        except ValueError as error:
            return self.differ(words, "JSON", "valid", error)
        raw = got
        if key:
            expected, got = sorted(expected, key=key), sorted(got, key=key)
        for mine, its in zip(expected, got):
            if mine != its:
                names = [name for name in {**mine, **its}
                         if name not in mine or name not in its or mine[name] != its[name]]
                self.differ(words, ", ".join(sorted(names)), mine, its)
                return raw
        self.equal(words, "objects", len(expected), len(got))
        return raw


def make(checker, name, made, gaps=None, **env):
    """Writes the recording of a machine; returns its path, and what the model reads from it."""
    path = os.path.join(checker.path, name)
    streams = {cpu: [(None, records)] for cpu, records in enumerate(made.records)}
    for cpu, first, count in gaps or []:
        records = made.records[cpu]
        lost = records[first:first + count]
        gap = {"lost": len(lost), "to": (records[first + count:] or [{"ts": made.now}])[0]["ts"],
               "from": records[first - 1]["ts"] if first else made.began}
        streams[cpu] = [(None, records[:first]), (gap, records[first + count:])]
        streams[cpu] = streams[cpu][0 if first else 1:]
    streams[recording.SNAPSHOT] = [(None, made.snapshot)]
    values = {"cpus": made.cpus, "began": made.began, "ended": made.now + 1000, "reason": b"signal",
              "complete": 1, "synced": made.now + 1000, "to_realtime": 10 ** 18 + 123456789,
              **made.header(), "reap_source": 1, "args_bytes": 256, "hz": 250,
              "kernel_release": b'6.1"model', "tracer_version": b"0.1", "abi_version": recording.abi.CONSTANTS["ABI_VERSION"],
              "rss_error": 252,
              "to_boottime": 3 * 10 ** 9, "init_pid_ns": machine.INIT_NS, **env}
    recording.write(path, checker.pattern, random.Random(name).randbytes(16), values, streams,
                    made.cgroups, most=made.random.choice([3, 20, 500]))
    return path, recording.Recording(path)


def tree_key(each):
    return (each["type"] not in ("process", "thread"), each.get("id", each.get("process_id", 0)),
            each["type"], each.get("tid", 0), each.get("seen", 0))


def group_key(each):
    return (each["type"] == "end", each["type"], each.get("phase", ""), str(each.get("group")),
            each.get("group_hex", ""), "cgroup" in each, each.get("took", 0),
            each.get("count", 0), each.get("max", 0),
            each["cgroup"] if isinstance(each.get("cgroup"), int) else 0)


def check_views(checker, path, read, options, status=0):
    """Every view of one session."""
    seen = session.Session(read, options)
    words = ["-i", path, *options.words()]
    rim = lambda objects, *shown: [views.trace(read.env), *objects, views.end(seen, *shown)]
    rng = random.Random(checker.seed)
    got = checker.objects(words + ["--tree"], rim(
        views.cut_tree(seen) if options.filters() else views.tree(seen), "all"), status, tree_key)
    check_order(checker, words, got)
    checker.objects(words + ["--latency"], rim(views.latency(seen) + views.slowest(seen)), status,
                    group_key)
    for by in rng.sample(["comm", "parent", "reaper", "cgroup", "cpu", "uid"], 3):
        expected = views.latency(seen) + views.groups(seen, by) + views.slowest(seen)
        checker.objects(words + ["--latency", "--by", by], rim(expected), status, group_key)
    if not options.threads:
        for by in rng.sample(summary.BYS, 2):
            summary.check(checker, words, seen, by, status)
        page.check(checker, words, seen, status)
        checker.objects(words + ["--parents"], rim(views.parents(seen)), status,
                        lambda each: (each["type"], each.get("id", 0), each.get("pid", 0)))
        if not options.count and not options.duration and not options.pids:
            checker.objects(words + ["--zombies"], rim(views.zombies(seen), "zombies"), status)
    check_expect(checker, words, seen, rng, status)
    return seen


def check_order(checker, words, got):
    """Parents come before their children, and siblings in the order of their birth."""
    born = {}
    for each in got or []:
        if each["type"] == "process":
            if each["parent_id"] is not None and each["parent_id"] not in born:
                checker.differ(words, "order", "the parent of %d before it" % each["id"], "not")
            born[each["id"]] = each


def check_events(checker, path, read, options, status=0):
    seen = session.Session(read, options)
    checker.objects(["-i", path, "--events", *options.words()],
                    [views.trace(read.env), *views.events(seen), views.end(seen, "all")], status)


FIGURES = ["lost", "zombies"] + [
    "%s.%s" % (phase, statistic) for phase in views.PHASES
    for statistic in ("count", "min", "mean", "max", "p50", "p90", "p99", "p99.9", "p12.5", "p100")]


def check_expect(checker, words, seen, rng, status=0):
    """Several figures, in any order: each verdict, and the resulting status."""
    figures = rng.sample(FIGURES, 4)
    for _ in range(2):
        rng.shuffle(figures)
        expected, options, failed = [], [], False
        for figure in figures:
            value, count = views.measure(seen, figure)
            exact = value if isinstance(value, int) else value.about() if value else 0
            relation = rng.choice(sorted(views.RELATIONS))
            bound = max(exact + rng.choice([-1, 0, 1, -exact // 2, exact + 100]), 0)
            unit = "1" if figure in ("lost", "zombies") or figure.endswith(".count") else "ns"
            text = "%s%s%d%s" % (figure, relation, bound, "" if unit == "1" else "ns")
            options.append("--expect=" + text)
            expected.append((text, relation, value, bound, unit, count))
        code, out, _ = checker.call(*words, *options, "--json")
        got = [json.loads(line) for line in out.splitlines()]
        got = [each for each in got if each["type"] == "expect"]
        checker.equal(words + options, "verdicts", len(expected), len(got))
        for (text, relation, value, bound, unit, count), its in zip(expected, got):
            ok = its["measured"] is not None and views.RELATIONS[relation](its["measured"], bound)
            mine = {"v": 1, "type": "expect", "expected": text, "ok": ok, "measured": value,
                    "bound": bound, "unit": unit}
            if count is not None:
                mine["count"] = count
            if mine != its:
                checker.differ(words + options, "expect", mine, its)
            failed |= not ok
        checker.equal(words + options, "status", 2 if failed else status, code)
        for style in ("--ktap", "--lava"):
            check_style(checker, words + options, style, got, 2 if failed else status)


def check_style(checker, words, style, verdicts, status):
    code, out, _ = checker.call(*words, style)
    checker.equal(words + [style], "status", status, code)
    if style == "--ktap":
        lines = [line for line in out.splitlines() if line[:1] not in "#K1"]
        mine = ["%s %d %s" % ("ok" if each["ok"] else "not ok", number, each["expected"])
                for number, each in enumerate(verdicts, 1)]
        checker.equal(words, "plan", True, "1..%d\n" % len(verdicts) in out)
        checker.equal(words, "ktap", mine, lines)
    else:
        for each, line in zip(verdicts, out.splitlines()):
            mine = "RESULT=%s" % ("pass" if each["ok"] else "fail")
            if each["measured"] is not None:
                mine += " UNITS=%s MEASUREMENT=%d" % (
                    "ns" if each["unit"] == "ns" else "items", each["measured"])
            checker.equal(words + [style], "lava", mine + ">", line.split(" ", 2)[2])


def check_cuts(checker, path, read, rng):
    seen = session.Session(read, session.Options())
    known = [views.life(seen, each) for each in seen.lives.processes]
    known = [span for span, whole in known if whole] or [1]
    for _ in range(4):
        cut, words = {}, []
        if rng.random() < .5:
            cut["depth"] = rng.randrange(4)
            words.append("--depth=%d" % cut["depth"])
        if rng.random() < .4:
            cut["min_life"] = max(rng.choice(known) + rng.randrange(2), 1)
            words.append("--min-life=%dns" % cut["min_life"])
        if rng.random() < .6 or not words:
            cut["top"], cut["key"] = rng.randrange(1, 12), rng.choice(["cpu", "life", "rss", "count"])
            words.append("--top=%d:%s" % (cut["top"], cut["key"]))
        checker.objects(["-i", path, "--tree", *words],
                        [views.trace(read.env), *views.cut_tree(seen, **cut), views.end(seen, "all")],
                        0, tree_key)


def choices(rng, read):
    """Command lines that select something that is there."""
    lives = session.Session(read, session.Options()).lives.processes
    names = [each.comm.decode() for each in lives if each.comm.isalnum()] + ["sh"]
    globs = [rng.choice(names), "*", "c*", "[ms]*", "?" * 4, "none"]
    users = [0, 33, 1000, 1001]
    paths = ["/", "/system.slice", "/user.slice", "/system.slice/a.service", "/user.slice/x\\y z"]
    pid = rng.choice([each.tgid for each in lives])
    length = rng.randrange(1, read.env["ended"] - read.env["began"])
    yield dict()
    yield dict(threads=True)
    yield dict(pids=(pid,))
    yield dict(comms=(rng.choice(globs),))
    yield dict(uids=(rng.choice(users),))
    yield dict(uids=tuple(rng.sample(users, 2)), threads=rng.random() < .5)
    yield dict(comms=tuple(rng.sample(globs[:5], 2)), cgroups=(rng.choice(paths),))
    yield dict(cgroups=tuple(rng.sample(paths, 2)))
    ends = ["failed", "status=0", "status=1", "status=3", "signal=9", "signal=15", "signal=any"]
    yield dict(ends=tuple(rng.sample(ends, 1)))
    yield dict(ends=tuple(rng.sample(ends, 2)), uids=(rng.choice(users),))
    yield dict(args=(rng.choice(["*", "-*", "*c*", "* *", "?*[a-z]", "none"]),))
    yield dict(duration=length)
    yield dict(count=rng.randrange(1, 12))
    yield dict(count=rng.randrange(1, 6), comms=(rng.choice(names),))
    yield dict(pids=(pid,), uids=(rng.choice(users),))


def check_complete(checker, seed):
    rng = random.Random(seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4, 7]), pid_range=rng.choice([5, 40, 1000]))
    made.begin()
    made.run(rng.choice([20, 120, 250]))
    path, read = make(checker, "whole", made)
    for number, options in enumerate(choices(rng, read)):
        if number < 2 or rng.random() < .5:
            check_views(checker, path, read, session.Options(**options))
        if not options.get("threads") and (number < 1 or rng.random() < .4):
            check_events(checker, path, read, session.Options(events=True, **options))
    check_events(checker, path, read, session.Options(events=True, count=rng.randrange(1, 50)))
    info.check(checker, path, read)
    scenes.check_truth(checker, path, made)
    scenes.check_text(checker, path, read)
    check_cuts(checker, path, read, rng)


def check_seed(checker, seed):
    checker.begin(seed)
    try:
        check_complete(checker, seed)
        scenes.check_all(checker, seed)
    except Enough:
        pass
    except Exception:  # pylint: disable=broad-except
        checker.different.append("exception")
        checker.kept = True
        print("seed %d: %s" % (seed, traceback.format_exc()), flush=True)
    finally:
        checker.finish()
