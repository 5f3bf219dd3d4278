# SPDX-License-Identifier: GPL-2.0-only
"""
--critical-path, after proclife-views(7). The chain is found forwards, from the first birth on, by what each
process has waited for; what a step saves and what ran beside it, by looking
at all processes.
"""
import heapq
import random

import checks
import machine
import session
import views
from values import Any, text, texts


MOST = 120  # processes: the model walks all of them again and again


class Life:
    def __init__(self, process, sees_reaps):
        self.process, self.id, self.born = process, process.id, process.seen
        above = process.creator or process.parent
        self.creator, self.reaper = above, process.reaper_process or process.parent
        ends = [process.announced, process.exited, process.reaped, process.freed]
        self.ended = next((end for end in ends if end is not None), None)
        self.open = self.ended is None and process.state in ("alive", "dying")
        if self.ended is not None:
            self.ended = max(self.ended, self.born)
        self.reaped = None
        if process.reaped is not None:
            self.reaped = max(process.reaped, self.ended)
        elif process.freed is not None or not sees_reaps:
            self.reaped = self.ended

    def done(self):
        return self.reaped if self.reaped is not None and self.reaper is self.creator else self.ended


class Path:
    def __init__(self, seen):
        self.seen = seen
        events = seen.recording.events
        self.first = events[0].get("ts", events[0].get("from")) if events else 0
        kept = {each: Life(each, True) for each in seen.lives.processes if seen.is_selected(each)}
        self.lives = sorted(kept.values(), key=lambda life: life.id)
        for life in self.lives:
            life.creator = kept.get(life.creator)
            life.reaper = kept.get(life.reaper)
        self.candidates = 0
        self.root = self.choose()
        if self.root:
            self.cut()
            self.steps = self.forwards()
            self.walk()

    # The end of a life

    def has_ended(self, life):
        return life.ended is not None and life.ended <= self.seen.ended

    def length(self, life):
        end = life.ended if self.has_ended(life) else self.seen.ended
        return max(end - max(life.born, self.first), 0)

    def choose(self):
        seen, env = self.seen, self.seen.env
        pids = seen.options.pids or ([env["command"]] if env["command"] else [])
        if pids:
            of = [life for life in self.lives if life.process.tgid in pids and not life.creator]
            key = lambda life: (self.has_ended(life), self.length(life), -life.id)
            return max(of, key=key, default=None)
        for can in (self.has_ended, lambda life: life.process.born is not None):
            of = [life for life in self.lives if not life.process.kthread and can(life)
                  and (life.open or life.ended is not None)]
            top = [life for life in of if not any(other in of for other in self.above(life))]
            if top:
                self.candidates = len(top)
                return max(top, key=lambda life: (self.length(life), -life.id))
        return None

    @staticmethod
    def above(life):
        while life.creator:
            life = life.creator
            yield life

    def cut(self):
        """Lives that end later go on at the end of the range."""
        ended = self.has_ended(self.root)
        self.begin = max(self.first, self.root.born)
        self.end = max(self.root.ended if ended else self.seen.ended, self.begin)
        for life in self.lives:
            if not life.open and (life.ended is None or life.ended <= self.end):
                continue
            life.open = True
            life.ended = max(self.end, life.born)
            life.reaped = self.end if life.born < self.end and not ended else None
            life.reaper = life.creator
        for life in self.lives:
            if life.reaper is life or life.reaped is None or life.ended is None:
                life.reaper = None
            if life.ended is None:
                life.ended = life.born

    # The chain

    def forwards(self):
        """[(life, from, to)]: the chain behind each process so far, event by event."""
        behind = {}  # life: the chain before its own time, since when the time is its own, the end that it waited for
        final = {}

        def until(life, ts):
            before, since, _ = behind.get(life, (None, life.born, ()))
            return before, life, since, ts

        def reap(life):
            last = life.ended, -life.reaped, -life.id
            if life.reaper not in behind or last > behind[life.reaper][2]:
                behind[life.reaper] = final[life], life.ended, last

        happens = []
        for life in self.lives:
            happens.append((life.born, 2, life.id, life))
            happens.append((life.ended, 1, -life.id, life))
            if life.reaper and life.reaped > life.ended:
                happens.append((life.reaped, 0, life.id, life))
        for ts, kind, _, life in sorted(happens, key=lambda each: each[:3]):
            if kind == 2 and life in behind:
                pass  # it reaped before a snapshot came to it
            elif kind == 2:
                maker = life.creator or life.reaper
                while maker and maker not in behind:
                    maker = maker.creator  # a snapshot can show the creator later
                behind[life] = until(maker, ts) if maker else None, ts, ()
            elif kind == 0:
                reap(life)
            else:
                final[life] = until(life, ts)
                if life.reaper and life.reaped == ts:
                    reap(life)
        steps, at = [], until(self.root, self.end)
        while at and at[3] > self.begin:
            before, life, since, ts = at
            if ts > max(since, self.begin):
                steps.append((life, max(since, self.begin), ts))
            at = before
        return steps[::-1]

    # Savings

    def waited_for(self, parent, ts):
        return sorted((life for life in self.lives if life.reaper is parent and life.reaped <= ts),
                      key=lambda life: (-life.ended, life.reaped, life.id))

    def saved(self, parent, best):
        child = best[0]
        others = [life.born for life in self.lives if life.creator is parent and life.born < child.ended]
        return child.ended - max([child.born] + others + [life.ended for life in best[1:2]])

    def held_slot(self, parent, child, ts):
        of = sorted((life for life in self.lives if life.creator is parent),
                    key=lambda life: (life.born, life.id))
        taken = lambda when: sum(life.born < when for life in of) - sum(life.done() < when for life in of)
        levels = [n + 1 - sum(other.done() <= life.born for other in of) for n, life in enumerate(of)]
        most = max(levels, default=0)
        if most < 2 or levels.count(most) < 3 or child.creator is not parent:
            return 0
        following = min((life.done() for life in of if life.done() > ts), default=float("inf"))
        others = any(life.born < ts < life.done() for life in of)
        full = taken(child.ended) >= most - most // 4 and taken(following) == most
        return most if full and others else 0

    def walk(self):
        """Backwards, for the steps that each step is a part of."""
        within, ts, forks = [(self.root, float("inf"), False)], self.end, False
        self.found, self.slots, entered = [], 0, {self.root}
        while True:
            life, most, slots = within[-1]
            best = self.waited_for(life, ts)
            child = best[0] if best and best[0] not in entered and best[0].ended > self.begin else None
            start = child.ended if child else max(life.born, self.begin)
            if start < ts:
                self.found.append((life, start, ts, min(ts - start, most), slots))
            if child:
                held = self.held_slot(life, child, ts) if forks and not slots else 0
                self.slots = max(self.slots, self.held_slot(life, child, ts) if forks and not slots else 0)
                entered.add(child)
                within.append((child, min(most, self.saved(life, best)), slots or held > 0))
            elif start == self.begin:
                break
            else:
                within.pop()
                creator = life.creator or within[-1][0]
                entered.add(creator)
                if creator not in [each for each, _, _ in within]:
                    within.append((creator, most, slots))
                while within[-1][0] is not creator:
                    within.pop()
            ts, forks = min(start, ts), not child
        self.found.reverse()

    # What ran beside the chain

    def family(self):
        """A process whose FORK was lost is in the family by the chain."""
        roots = {self.root} | {life for life, *_ in self.found}
        return [life for life in self.lives if life in roots or not roots.isdisjoint(self.above(life))]

    def alone(self, life, begin, end):
        """How much of a time it lived without living children."""
        begin, end = max(begin, life.born), min(end, life.ended)
        left, at = max(end - begin, 0), begin
        for child in sorted((each for each in self.lives if each.creator is life),
                            key=lambda each: each.born):
            first, last = max(child.born, at), min(child.ended, end)
            if last > first:
                left -= last - first
                at = last
        return left

    def objects(self):
        if not self.root:
            return []
        family = self.family()
        cpus = len({cpu for each in self.seen.lives.processes if each.exited is not None
                    for cpu in (each.exit_cpu, each.free_cpu) if cpu is not None})
        head = dict(named(self.root.process), v=1, type="critical_path", open=self.root.open,
                    candidates=self.candidates, steps=len(self.found), lives=len(family), incomplete=0,
                    slots=self.slots, cpus=cpus if cpus > 1 else int(self.seen.env["cpus"] == 1))
        head.update({"from": self.begin, "to": self.end})
        found = [head]
        for life, begin, end, saves, slots in self.found:
            beside = sum(self.alone(other, begin, end) for other in family if other is not life)
            found.append(dict(named(life.process), v=1, type="step", beside=beside, saves=saves,
                              slots=slots, by=Any(str), cpus_busy=Any(int), incomplete=False,
                              **{"from": begin, "to": end}))
        return found


class Build(machine.Machine):
    """
    Processes that wait for one another, as programs: generators that yield how long they work, a program
    that they run, or None to wait for the end of any child.
    """

    def perform(self, program):
        self.ready, self.turn, self.waiting, self.programs = [], 0, set(), {}
        first = self.start(self.init, program)
        while self.ready:
            ts, _, process, result = heapq.heappop(self.ready)
            self.now = max(self.now, ts)
            if self.random.random() < .2:
                self.free_some()
            self.go_on(process, result)
        if first.zombie():
            self.reap(first.leader, self.init.leader)

    def at(self, ts, process, result=None):
        self.turn += 1
        heapq.heappush(self.ready, (ts, self.turn, process, result))

    def start(self, parent, program):
        child = self.new_process(parent, comm=parent.leader.comm)
        child.creator, child.uid, child.cgroup = parent, parent.uid, parent.cgroup
        self.fork_record(child.leader, parent.leader, parent.leader)
        child.born = child.leader.born
        self.programs[child] = program
        self.at(self.now + self.number(2000), child)
        return child

    def go_on(self, process, result):
        try:
            wish = self.programs[process].send(result)
        except StopIteration:
            self.end(process, 0)
            if process.parent in self.waiting and process.zombie():
                self.take(process.parent, process)
            return
        if isinstance(wish, int):
            self.at(self.now + wish, process)
        elif wish is not None:
            self.start(process, wish)
            self.at(self.now + self.number(3000), process)
        else:
            zombies = [each for each in self.processes if each.parent is process and each.zombie()]
            if zombies:
                self.take(process, self.random.choice(zombies))
            else:
                self.waiting.add(process)

    def take(self, parent, child):
        self.waiting.discard(parent)
        self.reap(child.leader, parent.leader)
        self.at(self.now + self.number(3000), parent, child)

    # The programs

    def work(self):
        yield self.number(10 ** self.random.randrange(4, 9))

    def script(self, depth):
        for _ in range(self.random.randrange(4)):
            yield self.number(10 ** 5)
            yield self.any(depth)
            if self.random.random() < .9:
                yield None
        yield self.number(10 ** 5)

    def make(self, depth):
        slots, running = self.random.randrange(1, 6), 0
        for _ in range(self.random.randrange(15)):
            while running >= slots:
                yield None
                running -= 1
            yield self.any(depth)
            running += 1
        for _ in range(running):
            yield None

    def pipeline(self, depth):
        count = self.random.randrange(2, 5)
        for _ in range(self.random.randrange(1, 5)):
            for _ in range(count):
                yield self.any(depth)
            for _ in range(count):
                yield None

    def any(self, depth):
        kinds = [self.script, self.make, self.pipeline]
        if not depth or self.random.random() < .5 or len(self.processes) > MOST:
            return self.work()
        return self.random.choice(kinds)(depth - 1)


def named(process):
    found = dict(texts("comm", process.comm), id=process.id, pid=process.tgid)
    found.update(texts("path", process.path))
    if process.args is not None:
        found.update(args=[text(word) for word in process.args], args_cut=process.args_cut)
    return found


def check_options(checker, path, read, options):
    words = ["-i", path, "--critical-path", *options.words()]
    seen = session.Session(read, options)
    mine = Path(seen)
    if mine.root:
        chain = [(life.process.id, begin, end) for life, begin, end, _, _ in mine.found]
        checker.equal(words, "the model's own two chains",
                      [(life.process.id, begin, end) for life, begin, end in mine.steps], chain)
    checker.objects(words, [views.trace(read.env), *mine.objects(), views.end(seen, "all")])


def check(checker, seed):
    rng = random.Random("critical %d" % seed)
    for number in range(2):
        made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([10, 40, 1000]))
        made.begin()
        made.run(rng.choice([60, 200]))
        path, read = checks.make(checker, "critical%d" % number, made)
        for options in checks.choices(rng, read):
            if not set(options) - {"pids", "duration"}:
                check_options(checker, path, read, session.Options(**options))
    made = Build(rng, cpus=rng.choice([1, 2, 4]), pid_range=1000)
    made.begin()
    made.perform(rng.choice([made.make, made.script])(3))
    path, read = checks.make(checker, "build", made)
    first = session.Session(read, session.Options()).lives.processes
    pids = [each.tgid for each in first if each.parent_pid == 1 and each.born is not None]
    check_options(checker, path, read, session.Options())
    check_options(checker, path, read, session.Options(duration=rng.randrange(1, made.now - made.began)))
    for pid in pids[-2:]:
        check_options(checker, path, read, session.Options(pids=(pid,)))
