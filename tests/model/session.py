# SPDX-License-Identifier: GPL-2.0-only
"""One run of the program over a recording: what is selected, what matches, where it ends."""
import fnmatch

import abi
import lives


class Options:
    """The options of the command line that select lives and events."""

    def __init__(self, pids=(), comms=(), uids=(), cgroups=(), ends=(), args=(), threads=False,
                 duration=None, count=None, events=False, snapshot=False):
        self.pids, self.comms, self.uids, self.cgroups = pids, comms, uids, cgroups
        self.ends, self.args = ends, args  # ends: "failed", "status=1", "signal=9"
        self.threads, self.duration, self.count, self.events = threads, duration, count, events
        self.snapshot = snapshot  # what was there before is shown, though it was found after the end

    def filters(self):
        return bool(self.comms or self.uids or self.cgroups or self.ends or self.args)

    def words(self):
        for name, values in (("comm", self.comms), ("uid", self.uids), ("cgroup", self.cgroups),
                             ("pid", self.pids), ("args", self.args)):
            for value in values:
                yield "--%s=%s" % (name, value)
        for end in self.ends:
            yield "--" + end
        if self.threads:
            yield "--threads"
        if self.duration:
            yield "--duration=%dns" % self.duration
        if self.count:
            yield "--count=%d" % self.count


# The results of filters: True, False, or None if not known.

def every(answers):
    return False if False in answers else None if None in answers else True


def some(answers):
    return True if True in answers else None if None in answers else False


def below(path, wanted):
    if wanted == b"/":
        return True
    return None if path is None else path == wanted or path.startswith(wanted + b"/")


def ended_so(process, ends):
    """In one of these ways, as far as its end is known."""
    if process.last_exit is None and not process.shown_zombie or process.exit_code is None:
        over = process.reaped is not None or process.freed is not None
        return None if over or process.shown_zombie else False
    signal, status = process.exit_code & 0x7f, process.exit_code >> 8 & 0xff
    return (process.exit_code != 0 and "failed" in ends) or bool(signal and "signal=any" in ends) or \
        ("signal=%d" % signal if signal else "status=%d" % status) in ends


def has_args(process, globs):
    """One argument, or all of them as a line."""
    if process.matched_args is None:
        return False if process.kthread or process.born is not None and not process.execs else None
    line = b" ".join(process.matched_args).rstrip(b" ")
    cut = process.args_cut and bool(process.pieces) and not process.pieces.endswith(b"\0")
    texts = [(text, False) for text in process.matched_args] + [(line, process.args_cut)]
    if cut:
        texts[-2] = texts[-2][0], True
    fits = any(fnmatch.fnmatchcase(text.decode("latin-1"), glob)
               for glob in globs for text, is_cut in texts if not is_cut or glob.endswith("*"))
    return fits or (None if process.args_cut else False)


class Session:
    def __init__(self, recording, options):
        self.recording, self.options = recording, options
        self.env = recording.env
        self.lives = lives.Lives(bool(self.env["features"] >> abi.NUMBERS["exiting"] & 1), all(
            self.env["mm_marks"] >> what & 1 for what, name in lives.MM.items()
            if name in ("teardown", "gone")), bool(self.env["features"] >> abi.NUMBERS["notify"] & 1))
        self.shown = []  # for --events: the record, and what is known of its life then
        self.others = []  # records that are about no task
        self.has_snapshot = False
        self.lost = 0
        self.suppressed = {"wait": 0, "rename": 0, "signal": 0, "cgroup": 0, "mm": 0, "notify": 0, "birth": 0,
                           "fail": 0}
        self.waiting_for = list(options.pids)
        self.command = not options.pids and self.env["command"]
        self.is_selective = bool(options.pids or self.command)
        self.begotten = set()  # ids of processes whose creator was selected at their birth
        self.run()

    def matches(self, process):
        options = self.options
        comm = process.comm.decode("latin-1")
        path = self.recording.cgroups.get(process.cgroup)
        return every([
            not options.ends or ended_so(process, options.ends),
            not options.args or has_args(process, options.args),
            not options.comms or any(fnmatch.fnmatchcase(comm, glob) for glob in options.comms),
            not options.uids or (None if process.uid is None else any(uid in options.uids for uid in process.uids)),
            not options.cgroups or some([below(path, wanted.encode()) for wanted in options.cgroups])])

    def lived_before(self, process):
        """How long it had lived when first seen, if its start is known but its birth was not seen; or 0."""
        if process.born is not None or not process.start:
            return 0
        return max(process.seen + self.env["to_boottime"] - process.start, 0)

    def lifetime(self, process):
        """From birth, as seen or by its start, to exit; None if one of them is not known."""
        before = self.lived_before(process)
        known = process.exited is not None and (process.born is not None or before)
        return process.exited - process.seen + before if known else None

    def unjudged(self, shown):
        """How many of the processes that the view covers ("ended", "all", or "zombies") cannot be judged."""
        def would_tell(process):
            over = process.reaped is not None or process.freed is not None
            ends = process.last_exit is not None or process.exiting is not None
            return {"all": True, "ended": ends or process.freed is not None, "zombies": (ends or process.state == "zombie") and not over}[shown]
        return sum(self.is_selected(each) and self.matches(each) is None and would_tell(each)
                   for each in self.lives.processes)

    def is_selected(self, process):
        """Chosen, created by one that is selected, or if it is older, child of one."""
        if not self.is_selective or process.selected:
            return True
        above = process.creator or process.parent
        if process.creator and process.creator is not process.parent and process.id not in self.begotten:
            return False  # its creator's later selection does not include it, as it is no child of it
        process.selected = bool(above and self.is_selected(above))
        return process.selected

    def told(self):
        """The processes that the views show."""
        return [each for each in self.lives.processes
                if self.is_selected(each) and self.matches(each)]

    def told_threads(self):
        return [task for each in self.lives.processes if self.is_selected(each)
                for task in each.tasks if (task.matches if task.freed else self.matches(each))]

    def choose(self):
        for process in self.lives.open:
            if process.tgid in self.waiting_for and not process.ghost and \
                    process.reaped in (None, process.seen):
                process.selected = True  # whichever process had it
            if self.command == process.tgid and process.born is not None and \
                    process.creator_pid == self.env["command_creator"]:
                self.command = None
                process.selected = True

    def stop(self, reason, when):
        self.reason, self.ended = reason, when
        self.lives.settle_memory()
        for process in self.lives.processes:
            lives.settle(process)
        return True

    def is_over(self, ts):
        options = self.options
        selected = [each for each in self.lives.processes if self.is_selected(each)]
        if options.events and options.count:
            counted = [event for event, extra in self.shown if event["type"] not in ("task", "lost", "history")]
            if len(counted) >= options.count:
                return self.stop("count", ts)
        elif options.count:
            gone = [each for each in selected if each.freed is not None and self.matches(each)]
            if len(gone) >= options.count:
                return self.stop("count", ts)
        if self.is_selective and not options.pids and selected and not self.command and \
                all(each.freed is not None for each in selected):
            return self.stop("gone", ts)
        return False

    def run(self):
        options, env = self.options, self.env
        until = env["began"] + options.duration if options.duration else None
        running = not env["complete"] and self.recording.running
        for event in self.recording.events:
            if running and event.get("ts", event.get("from")) >= env["synced"]:
                break  # other CPUs' records may not be there yet
            ts = event["ts"] if "ts" in event else event["from"]
            if until is not None and ts > until and \
                    not (options.snapshot and event["type"] in ("task", "history")):
                self.stop("duration", until)
                return
            if event["type"] == "lost":
                self.lost += event["lost"]
                self.shown.append((event, {}))
                continue
            if event["type"] == "history":
                self.shown.append((event, {}))
                continue
            if event["type"] in ("suppressed", "cgroup"):
                self.others.append(event)
            self.has_snapshot |= event["type"] == "task"
            if event["type"] == "suppressed":
                if event["ended"]:
                    self.suppressed[abi.TYPES[event["what"]]] += event["count"]
                self.lives.suppress(event)
                self.shown.append((event, {}))
                if self.is_over(ts):
                    return
                continue
            task = self.lives.feed(event)
            if not task:
                if not self.is_selective and not options.filters():
                    self.show(event, None, None)
                if self.is_over(ts):
                    return
                continue
            self.choose()
            process = task.process
            if event["type"] == "fork" and task.pid == process.tgid and process.creator and \
                    self.is_selected(process.creator):
                self.begotten.add(process.id)
            self.note(event, task, process)
            task.matches = self.matches(process)  # a thread by its state at its end
            if self.is_selected(process) and task.matches:
                self.show(event, task, process)
            if self.is_over(ts):
                return
        if env["complete"]:
            reason, ended = env["reason"].decode(), env["ended"]
        elif running:
            reason, ended = "running", env["synced"]
        else:
            reason, ended = "cut", self.recording.last
        if until is not None and ended >= until:
            reason, ended = "duration", until
        self.stop(reason, ended)

    def note(self, event, task, process):
        """Hook for subclasses: called for every event, shown or not."""

    def show(self, event, task, process):
        extra = {}
        if task is None:
            pass
        elif event["type"] == "exit":
            extra["life"] = lives.mark(task.exited, task.born)
            if "group_dead" in event["flags"]:
                extra["killer"] = process.killer
                extra["max_rss"] = process.max_rss
        elif event["type"] == "reap":
            phases = lives.process_phases(process) if task is process.leader else \
                lives.task_phases(task)
            extra = {name: phases[name] for name in ("teardown", "traced", "zombie")}
        elif event["type"] == "free":
            extra = {"rcu_free": lives.mark(task.freed, task.reaped),
                     "exit_free": lives.mark(task.freed, task.exited)}
        elif event["type"] == "args":
            last = "truncated" in event["flags"] or event["offset"] + event["len"] >= event["total"]
            if not last:
                return
            extra = {"args": process.args, "bytes": event["total"], "cut": process.args_cut}
        self.shown.append((event, extra))
