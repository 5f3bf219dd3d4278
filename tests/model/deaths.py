# SPDX-License-Identifier: GPL-2.0-only
"""
--lives: each death as known at its last EXIT, after proclife-views(7) and proclife-read-json(5), and with
--sort all that was known of it at the end. `alone` comes from the lives of its children.
"""
import os
import random
import re

import checks
import lives
import machine
import session
import triggers
import views
from values import Near, OrNone, killer, short, text, texts, wait_status

USAGE = ["runtime", "utime", "stime", "min_flt", "maj_flt", "nvcsw", "nivcsw"]
USERS = {0: b"root", 33: b"www-data", 1000: b"al ice", 1001: b"bad\xff"}


class Deaths(session.Session):
    """deaths: (process, object) of each that matches, at its EXIT; all: how many there were."""

    def __init__(self, recording, options):
        self.deaths, self.all = [], 0
        super().__init__(recording, options)

    def note(self, event, task, process):
        if event["type"] in ("exit", "free") or (event["type"] == "task" and task.last_exit is None):
            task.usage = dict(getattr(task, "usage", {}), **{
                name: event[name] for name in USAGE if name in event})
        if event["type"] != "exit" or process.last_exit != event["ts"] or hasattr(process, "died"):
            return
        process.died = process.exited
        if not self.is_selected(process):
            return
        self.all += 1
        if self.matches(process):
            process.order = self.all
            process.usage = {name: sum(getattr(each, "usage", {}).get(name, 0) for each in process.tasks)
                             for name in USAGE}
            process.alone = self.alone(process)
            process.line = line(self, process)
            self.deaths.append((process, self.life(process)))

    def is_over(self, ts):
        count, self.options.count = self.options.count, None
        over = super().is_over(ts)
        self.options.count = count
        return over or (bool(count) and len(self.deaths) >= count and self.stop("count", ts))

    def stop(self, reason, when):
        super().stop(reason, when)
        for process, _ in self.deaths:
            # A child that is found later may have lived before.
            if process.alone is not None and not isinstance(process.alone, OrNone) and any(
                    each.parent is process and each.linked and each.linked >= process.died
                    for each in self.lives.processes):
                process.alone = OrNone(process.alone)
        return True

    def alone(self, process):
        """Its life as it was seen, minus the lives of its children."""
        if process.exited is None:
            return None
        left, at, sure, spans = process.exited - process.seen, process.seen, True, []
        shown = process.exited if process.ends else process.last_exit
        for child in [each for each in self.lives.processes if each.parent is process]:
            ended = child.exiting if child.ends else child.exited
            # If its threads exit one by one, their last EXITING counts only after they have exited.
            if not child.ends and child.last_exit is not None and child.last_exit > shown:
                ended = process.exited
            if (child.ends or child.last_exit is not None) and ended is None:
                sure = False  # it has ended, but not known when
            elif ended is not None or not all(
                    task.gone_before or task.last_exit is not None for task in child.tasks):
                spans.append((child.born if child.born is not None else process.seen,
                              ended if ended is not None else process.exited))
            # If it was found in its exit, it is not known whether that was over.
            if any(task.found_exiting for task in child.tasks) and \
                    (ended is None or ended > process.exited):
                sure = False
            # The beginning of an exit is known for a process that ends as a whole; for others, when they are gone.
            sure = sure and (child.ends or all(each.exiting is None for each in child.tasks)) and \
                child.linked < min(process.exited, ended if ended is not None else process.exited)
        for begin, end in sorted(spans):
            begin, end = max(begin, at), min(end, process.exited)
            if end > begin:
                left -= end - begin
                at = end
        sure = sure and (process.ends or not self.lives.with_exiting)
        return left if sure else OrNone(left)

    def life(self, process):
        ticks = process.usage["utime"] + process.usage["stime"]
        user = process.usage["runtime"] * process.usage["utime"] // ticks if ticks else \
            process.usage["runtime"]
        found = {
            "v": 1, "type": "life", "ts": process.died, "id": process.id, "pid": process.tgid,
            "parent_pid": process.known_parent(),
            "creator_pid": process.creator_pid or None if process.born else None, "uid": process.uid,
            "start": process.start, "cgroup": process.cgroup, "kthread": process.kthread,
            "threads": len(process.tasks), "execs": process.execs, "script": process.script, "by_fd": process.by_fd, "born": process.born,
            "seen": process.seen, "killed": lives.killed(process), "exited": process.exited,
            "tracer": lives.tracer(process), "notified": process.notified, "autoreaped": process.autoreaped,
            "reaped": process.reaped, "freed": process.freed, **lives.process_phases(process),
            "life": self.lifetime(process), "memory": lives.memory(process), "alone": process.alone, **process.usage, "utime": Near(user),
            "stime": Near(process.usage["runtime"] - user), "max_rss": process.max_rss,
            **wait_status(process.exit_code), "killer": killer(process.killer),
            "reaper_pid": process.reaper["reaper_tgid"] if process.reaper else None,
            "read_bytes": lives.io(process, "read_bytes"), "write_bytes": lives.io(process, "write_bytes"),
            "state": process.state, "incomplete": False, "partial": process.born is None, "exe": None, "cwd": None,
            **views.failed_exec(process)}
        found.update(texts("user", USERS.get(process.uid)))
        found.update(texts("comm", process.comm))
        found.update(texts("path", process.path))
        found.update(texts("cgroup_path", self.recording.cgroups.get(process.cgroup)))
        if process.args is not None:
            found.update(args=[text(word) for word in process.args], args_cut=process.args_cut)
        return found

    def summary(self, shown):
        states = [each.state for each in self.told() if each.freed is None]
        return {"v": 1, "type": "deaths", "deaths": self.all, "matched": len(self.deaths),
                "shown": shown, "alive": states.count("alive"), "dying": states.count("dying"), "zombies": states.count("zombie"),
                "unfreed": states.count("unfreed"), "unknown": states.count("unknown"),
                "ends_lost": 0}

    def figure(self, process, key):
        """The value by which it ranks; None if not known. A phase that goes on counts with its length so far."""
        phases = lives.process_phases(process)
        life = process.exited - process.seen + self.lived_before(process) if process.exited is not None else None
        if key in phases and key != "life":
            since = triggers.going_on(self, process).get(key) if phases[key] is None else None
            return phases[key] if since is None else self.ended - since
        return {"time": process.died, "life": life, "alone": process.alone,
                "cpu": process.usage["runtime"], "rss": process.max_rss, "read": lives.io(process, "read_bytes"),
                "written": lives.io(process, "write_bytes")}[key]

    def ranked(self, key, top):
        def order(process):
            figure = self.figure(process, key)
            return figure is None, -(figure or 0), process.order
        return sorted((process for process, _ in self.deaths), key=order)[:top]


def keys(parts, of):
    """The sort keys by which the order of lives is certain."""
    unsure = any(isinstance(each.alone, OrNone) for part in parts for each, _ in part.deaths)
    return [key for key in of if key != "alone" or not unsure]


def check_json(checker, path, read, options, rng):
    words = ["-i", path, "--lives", *options.words()]
    seen = Deaths(read, options)
    rim = lambda objects: [views.trace(read.env), *objects, views.end(seen)]
    checker.objects(words, rim([said for _, said in seen.deaths] + [seen.summary(len(seen.deaths))]))
    for key in rng.sample(keys([seen], ["time", "life", "alone", "cpu", "rss", "read", "written", "kill",
                                        "teardown", "held", "unmap", "traced", "zombie", "rcu_free", "exit_free", "fork", "first_run", "exec", "spawn", "wait"]), 4):
        top = rng.choice([None, 1, 3, 1000])
        ranked = seen.ranked(key, top)
        checker.objects(words + ["--sort", key] + (["--top=%d" % top] if top else []),
                        rim([seen.life(each) for each in ranked] + [seen.summary(len(ranked))]))
    return seen


def line(seen, process):
    """All but the command."""
    if process.died is None:
        return ""
    before = seen.lived_before(process)
    life = short(process.exited - process.seen + before)
    code = process.exit_code
    status = "?" if code is None else wait_status(code)["signal"] or str(code >> 8 & 0xff)
    user = "?" if process.uid is None else \
        USERS.get(process.uid, b"%d" % process.uid).replace(b"\xff", b"\\xff").decode()
    parent = process.known_parent()
    return "%5d.%09d %7d %7s %-8s %9s %8s %-8s " % (
        *divmod(process.died, 10 ** 9), process.tgid, "?" if parent is None else parent, user,
        life if process.born is not None or before else ">" + life, short(process.usage["runtime"]),
        status + (" core" if code & 0x80 else ""))


def check_text(checker, path, seen, options):
    words = ["-i", path, "--monotonic", *options.words()]
    code, out, _ = checker.call(*words)
    checker.equal(words, "status", 0, code)
    head, *lines = out.splitlines()
    checker.equal(words, "head", ["TIME", "PID", "PPID", "USER", "LIFE", "CPU", "STATUS", "COMMAND"],
                  head.split())
    checker.equal(words, "lines", len(seen.deaths), lines.index(""))
    for (process, _), its in zip(seen.deaths, lines):
        mine = process.line
        if process.died is None:
            continue
        checker.equal(words, "line", mine, its[:len(mine)])
        if process.kthread:
            checker.equal(words, "brackets", "[", its[len(mine):][:1])
        elif process.path is None and process.comm.isalnum():
            checker.equal(words, "name", process.comm.decode(), its[len(mine):].split("  ")[0])
    said = "%d death%s" % (seen.all, "" if seen.all == 1 else "s")
    if options.filters():
        said = "%d of %s matched" % (len(seen.deaths), said)
    checker.equal(words, "deaths", said, re.split("[;,]", lines[-1])[0])


def make(checker, rng, name, **env):
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([10, 40, 1000]))
    made.begin()
    made.run(rng.choice([60, 200]))
    path, read = checks.make(checker, name, made, **env)
    with open(os.path.join(path, ".users"), "wb") as file:
        file.write(b"".join(b"%d %s\n" % each for each in USERS.items()))
    return path, read


def check_several(checker, seed):
    """Several recordings: one after the other, or ranked together, each line with its recording."""
    rng = random.Random("several deaths %d" % seed)
    made = [make(checker, rng, "deaths%d" % n, to_realtime=10 ** 18 - n * rng.randrange(10 ** 9))
            for n in range(rng.choice([2, 3]))]
    words = [word for path, _ in made for word in ("-i", path)] + ["--lives"]
    for options in ({}, {"comms": ("c*",)}, {"uids": (1000,)}):
        parts = [Deaths(read, session.Options(**options)) for _, read in made]
        more = words + list(parts[0].options.words())
        traces = [dict(views.trace(read.env), recording=path) for path, read in made]
        summary = parts[0].summary(0)
        for part in parts[1:]:
            for name, value in part.summary(0).items():
                summary[name] = value if name in ("v", "type") else summary[name] + value
        last = dict(views.end(parts[0]), lost=sum(part.lost for part in parts), suppressed={
            name: sum(part.suppressed[name] for part in parts) for name in parts[0].suppressed})
        if "unjudged" in last:
            last["unjudged"] = sum(part.unjudged("ended") for part in parts)
        expected = []
        for trace, (path, _), part in zip(traces, made, parts):
            expected += [trace] + [dict(said, recording=path) for _, said in part.deaths]
        checker.objects(more, expected + [dict(summary, shown=summary["matched"]), last])
        for key in ("time", rng.choice(keys(parts, ["life", "alone", "cpu", "rss", "held", "unmap", "traced", "zombie", "exit_free"]))):
            check_ranked(checker, more, key, rng.choice([None, 2, 50]), traces, summary, last,
                         [(path, part) for (path, _), part in zip(made, parts)])


BY_EXITS = ("life", "alone", "kill", "teardown", "exit_free")  # these depend on where exits begin


def check_ranked(checker, words, key, top, traces, summary, last, parts):
    zombies = {part.lives.with_notify or trace["exit_mark"] for trace, (_, part) in zip(traces, parts)}
    if key in BY_EXITS and len({trace["exit_mark"] for trace in traces}) > 1 or key == "zombie" and len(zombies) > 1:
        words = words + ["--sort", key]
        checker.equal(words, "status", 1, checker.call(*words)[0])
        return
    found = []
    for number, (path, part) in enumerate(parts):
        for each, _ in part.deaths:
            figure = part.figure(each, key)
            if key == "time" and figure is not None:
                figure += part.recording.env["to_realtime"]
            found.append((figure is None, -(figure or 0), number, each.order,
                          dict(part.life(each), recording=path)))
    found = [said for *_, said in sorted(found, key=lambda each: each[:4])][:top]
    checker.objects(words + ["--sort", key] + (["--top=%d" % top] if top else []),
                    traces + found + [dict(summary, shown=len(found)), last])


def check_deaths(checker, seed):
    check_several(checker, seed)
    rng = random.Random("deaths %d" % seed)
    path, read = make(checker, rng, "deaths")
    for number, options in enumerate(checks.choices(rng, read)):
        if options.get("threads") or (number and rng.random() < .5):
            continue
        options = session.Options(**options)
        seen = check_json(checker, path, read, options, rng)
        check_text(checker, path, seen, options)
