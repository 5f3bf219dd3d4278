# SPDX-License-Identifier: GPL-2.0-only
"""
A made-up machine: tasks that fork, exec, wait and die as on Linux, from a seed, the
records that the module would write of it, and the truth of each process. No two figures are equal
unless they have to be, so that a mix-up shows.
"""
import signal

import abi
from cast import INIT_NS, Process, Task
from dying import Dying
from marks import Marks
from notices import Notices

NAMES = [b"", b"sh", b"cc1", b"make", b"a b", b"\x1b[31mred", b"two\nlines", b"bad\xff\xfe", b'"q"\\\'',
         b"exactly15bytes!", "ä→ö".encode(), b"sh", b"make", b"cc1", b"kworker/0:1", b"(itself)"]
PATHS = [b"/bin/sh", b"/usr/bin/make", b"/usr/lib/gcc/x86_64-linux-gnu/12/cc1-of-a-very-long-path-name",
         b"/opt/with space/\x1b[2J", b"/bin/\xc3\x28", b"/" + b"x" * 47, b"/" + b"y" * 48]


class Machine(Dying, Marks, Notices):
    def __init__(self, random, cpus=4, older=6, now=10 ** 12, pid_range=40, budget=False, lacks=None):
        self.random, self.cpus, self.now, self.budget = random, cpus, now, budget
        self.last = 0, 0
        self.records = [[] for cpu in range(cpus)]
        self.snapshot = []
        self.suppressing = {}  # (CPU, type): since when
        self.missing = {}  # (CPU, type): how many since then
        self.unrecorded = {}  # (CPU, type): how many in all
        self.suppressed = False  # was the last record suppressed?
        self.busy, self.execing = set(), []  # CPUs and processes in the middle of an exec
        self.processes = []  # all that ever existed
        self.next_pid, self.pid_range = 100, pid_range
        self.recording = False
        self.began = None
        self.cgroups = {number: b"/" + name for number, name in enumerate(
            [b"", b"system.slice", b"system.slice/a.service", b"user.slice",
             b"user.slice/x\\y z"], start=random.choice([1, 1, 4000]))}
        self.cgroup_numbers = sorted(self.cgroups)
        self.unnamed_cgroup = 99999  # has no path
        self.exit_mark = random.choice([1, 2])
        self.before_5_18 = random.random() < .3
        self.prepare_marks(lacks)
        self.init = self.new_process(None, pid=1, comm=b"init")
        self.kthreadd = self.new_process(None, pid=2, comm=b"kthreadd")
        self.kthreadd.leader.kind = {"kthread"}
        for process in (self.init, self.kthreadd):
            self.join(process.leader, process.leader)
        for _ in range(older):
            self.now += 1
            self.step()
        self.run(older * 6)

    # The parts of a record

    def number(self, most=10 ** 6):
        return self.random.randrange(1, most)

    def handle(self):
        return self.random.getrandbits(64) | 1

    def write(self, kind, task, flags=(), cpu=None, exempt=False, **payload):
        """exempt: from the module's budget, if it has one."""
        if cpu is None:
            cpu = self.free_cpu()
        # At the same time, a higher CPU comes later, so that no effect comes before its cause.
        self.now += (self.now, cpu) < self.last
        self.last = self.now, cpu
        ts = self.now
        flags = set(flags) | task.kind | ({"thread"} if task is not task.process.leader else set())
        record = {"ts": ts, "type": kind, "cpu": cpu, "flags": flags, "handle": task.handle,
                  "start": task.start, "pid": task.pid, "tgid": task.process.tgid,
                  "comm": task.comm}
        record.update(payload)
        self.suppressed = self.budget and not exempt and (cpu, kind) in self.suppressing
        if self.suppressed:
            self.missing[cpu, kind] += 1
            self.unrecorded[cpu, kind] = self.unrecorded.get((cpu, kind), 0) + 1
        elif self.recording and self.is_recorded(kind, payload):
            task.seen = task.seen or (ts if kind != "free" or "thread" not in flags else None)
            if kind == "exec" or (kind == "fork" and "thread" not in flags):
                task.process.shown_alive = True
            if kind == "task":
                self.snapshot.append(record)
            else:
                self.records[cpu].append(record)
        return ts

    def free_cpu(self):
        """A CPU that is not writing pieces of arguments."""
        return self.random.choice([cpu for cpu in range(self.cpus) if cpu not in self.busy])

    def tick(self):
        """Advances the time, or not: CPUs also write at the same time."""
        self.now += self.random.choice([0, 1, 1, self.random.randrange(50),
                                        self.random.randrange(20000), self.random.randrange(10 ** 7)])

    def new_pid(self):
        used = {task.pid for process in self.processes for task in process.tasks
                if task.reaped is None}
        while True:
            self.next_pid += 1
            if self.next_pid >= 100 + self.pid_range + len(used):
                self.next_pid = 100
            if self.next_pid not in used:
                return self.next_pid

    def new_task(self, process, pid, comm):
        task = Task(process, self.handle(), pid, self.now + 3 * 10 ** 9, comm)
        process.tasks.append(task)
        return task

    def new_process(self, parent, pid=None, comm=b""):
        process = Process(self, self.handle(), pid or self.new_pid(), parent)
        process.leader = self.new_task(process, process.tgid, comm)
        self.processes.append(process)
        return process

    # What tasks do

    def running(self):
        return [task for process in self.processes for task in process.working() if not task.waits]

    def step(self):
        self.tick()
        self.free_some()
        self.let_go_some()
        self.unmap_some()
        self.leave_some()
        users = [task for task in self.running() if "kthread" not in task.kind]
        task = self.random.choice(users)
        usual = task.process not in (self.init, self.kthreadd)
        choice = self.random.random()
        if choice < .30:
            if len(self.running()) < 60:
                self.fork(task)
        elif choice < .38:
            if usual and len(task.process.alive()) < 5:
                self.clone(task)
        elif choice < .50:
            if usual:
                self.exec(task)
        elif choice < .55:
            self.rename(task)
        elif choice < .60:
            self.other(task)
        elif choice < .68:
            self.wait(task)
        elif choice < .70:
            self.attach(task)
        elif choice < .78:
            if usual:
                self.kill(self.random.choice(users), task)
        elif usual:
            self.exit(task)
        self.reap_some()

    def run(self, steps):
        for _ in range(steps):
            self.step()

    def begin(self, calm=False):
        """The trace begins: a reader takes its positions, and then the snapshot, if calm of what is at rest."""
        self.tick()
        self.now += 1
        self.recording, self.began = True, self.now
        tasks = [task for process in self.processes for task in process.tasks
                 if task.reaped is None]
        for task in self.random.sample(tasks, len(tasks)):
            self.now += self.number(50)
            if task.reaped is None:
                self.snap(task)
            if self.random.random() < .1 and not calm:
                self.now += 1
                self.step()
                self.now += 1
        self.now += 1

    def snap(self, task):
        process, flags = task.process, self.exit_flags(task)
        if flags and (process.code is not None or task.exiting < self.began):
            process.found_ending = True
        if "group_exit" not in flags:
            process.shown_alive = True
        self.write("task", task, flags, parent=process.parent.leader.handle if process.parent else 0,
                   group=process.handle, cgroup=process.cgroup, runtime=task.runtime,
                   utime=task.utime, stime=task.stime,
                   parent_tgid=process.parent.tgid if process.parent else 0, uid=process.uid,
                   ns_pid=process.ns_pid if task is process.leader else task.pid,
                   ns_inum=process.ns_inum,
                   exit_code=self.group_code(process) if "group_exit" in flags else task.exit_code or 0,
                   tracer_tgid=process.tracer.process.tgid if "zombie" in flags and self.is_held(process) else 0)

    def group_code(self, process):
        """What wait(2) returns once all threads have ended; from Linux 5.18 on the last one to begin sets it."""
        if process.code is not None:
            return process.code
        return max((each for each in process.tasks if each.exiting), key=lambda each: each.exiting).leaves_with or 0

    def exit_flags(self, task):
        """The state that a snapshot finds."""
        process, flags = task.process, set()
        begun = [each for each in process.alive() if each.exiting is not None]
        if task.exited is not None:
            flags |= {"exiting", "zombie"}
        elif task in begun and self.random.random() < .7:  # which the kernel marks some time later
            flags.add("exiting")
        # It marks a core dump a moment later; and from Linux 5.18 on the last of threads that exit alone.
        if begun and process.code is not None or process.code is not None and self.random.random() < .7 \
                or begun == process.alive() and not self.before_5_18 and self.random.random() < .8:
            flags.add("group_exit")
        return flags

    def fork_record(self, task, parent, creator):
        process = task.process
        self.step_of_birth(creator, "forking")
        self.join(task, creator)
        task.born = self.write(
            "fork", task, {"shares"} if task is process.leader and process.shares else (), parent=parent.handle, group=process.handle, creator=creator.handle,
            cgroup=process.cgroup, parent_pid=parent.pid, parent_tgid=parent.process.tgid,
            creator_pid=creator.pid, creator_tgid=creator.process.tgid, uid=process.uid,
            ns_pid=process.ns_pid if task is process.leader else task.pid, ns_inum=process.ns_inum)
        self.say_used(creator, "FORK")
        self.blink()
        self.step_of_birth(task, "started")

    def fork(self, task):
        creator, parent = task.process, task
        if self.random.random() < .1 and creator.parent not in (None, self.init) and \
                creator.parent.alive():
            parent = self.random.choice(creator.parent.alive())  # CLONE_PARENT
        child = self.new_process(parent.process, comm=task.comm)
        if self.random.random() < .15:
            child.parent = child.birth_parent = self.kthreadd
            child.creator = self.kthreadd
            child.leader.kind = {"kthread"}
            creator, parent, task = self.kthreadd, self.kthreadd.leader, self.kthreadd.leader
        child.creator = creator
        child.uid, child.euid, child.cgroup = creator.uid, creator.euid, creator.cgroup
        if self.random.random() < .1:
            child.ns_pid, child.ns_inum = self.number(300), 4026530000 + self.number(4)
        elif self.random.random() < .1:  # CLONE_INTO_CGROUP
            child.cgroup = self.random.choice(self.cgroup_numbers + [self.unnamed_cgroup])
        self.fork_record(child.leader, parent, task)
        child.born = child.leader.born
        if self.random.random() < .1:
            child.ignores = True
        if self.random.random() < .1:
            child.exit_signal = self.random.choice([0, int(signal.SIGUSR1)])
        if self.random.random() < .05:
            child.subreaper = True
        return child

    def clone(self, task):
        process = task.process
        thread = self.new_task(process, self.new_pid(), task.comm)
        if self.random.random() < .2:
            thread.kind = {"worker"}
        if process.parent:
            self.fork_record(thread, self.parent_task(process), task)
        else:
            self.join(thread, task)

    def parent_task(self, process):
        """The task that the kernel has as real_parent: any living thread, else the leader."""
        return (process.parent.alive() or [process.parent.leader])[0]

    def rename(self, task, name=None, exempt=False):
        name = self.random.choice(NAMES) if name is None else name
        process = task.process
        cpu = self.free_cpu()
        told = exempt or not self.budget or (cpu, "rename") not in self.suppressing
        if task is process.leader and told and self.random.random() < .3:
            # Only if the record will show that it has moved.
            self.move(process, self.random.choice(self.cgroup_numbers + [self.unnamed_cgroup]))
        self.write("rename", task, cpu=cpu, exempt=exempt, name=name, cgroup=process.cgroup)
        task.comm = name

    def exec(self, task):
        process, old_pid = task.process, task.pid
        if "worker" in task.kind:
            return
        self.step_of_birth(task, "execing")
        code = 0
        for other in process.alive():
            if other is not task and other is not process.leader:
                self.exit_task(other, code)
                self.tick()
        if task is not process.leader:
            self.take_lead(task)
        self.replace_mm(task)
        process.shares = False
        self.rename(task, self.random.choice(NAMES), exempt=True)
        if self.random.random() < .3:
            process.uid = self.random.choice([0, 1000, 1001, 33])
        process.euid = self.random.choice([process.uid, 0])
        path = self.random.choice(PATHS)
        process.execs += self.recording
        process.path = b"..." + path[-48:] if len(path) > 48 else path
        process.execed = self.now
        cpu = self.free_cpu()
        self.execing.append(process)
        flags = {flag for flag in ("script", "by_fd") if self.random.random() < .1}
        self.write("exec", task, flags | ({"truncated"} if len(path) > 48 else set()), cpu,
                   group=process.handle, old_pid=old_pid, uid=process.uid, euid=process.euid,
                   path_len=len(path), path=path[-48:])
        self.say_used(task, "EXEC")
        self.arguments(task, cpu)
        self.execing.remove(process)

    def take_lead(self, task):
        """A thread that is not the leader calls exec: it becomes the leader."""
        process, leader = task.process, task.process.leader
        if leader.exited is None:
            self.exit_task(leader, 0)
        leader.pid, task.pid, task.start = task.pid, leader.pid, leader.start
        process.leader = task
        self.reap(leader, task)

    def arguments(self, task, cpu):
        process, random = task.process, self.random
        words = [random.choice([b"-c", b"", b"a b", b"--x=\x1b", b"\xff", b"'", b"long" * 20])
                 for _ in range(random.randrange(12))]
        vector = b"".join(word + b"\0" for word in words)
        recorded = vector[:256]
        if random.random() < .1:
            recorded = vector[:random.randrange(len(vector) + 1)]
        process.args, process.args_cut = recorded, len(recorded) < len(vector)
        if not vector:
            process.args = None  # no record has them
        for offset in range(0, len(recorded) or (1 if vector else 0), 64):
            piece = recorded[offset:offset + 64]
            last = offset + 64 >= len(recorded)
            self.write("args", task, {"truncated"} if last and process.args_cut else (), cpu,
                       total=len(vector), offset=offset, len=len(piece), text=piece)
            if random.random() < .3:
                self.meanwhile(task, cpu)

    def meanwhile(self, task, cpu):
        """
        Interrupts are off on the CPU that writes the pieces; on another one another task writes
        the same types, or sends a signal to this task.
        """
        self.busy.add(cpu)
        free = [other for other in range(self.cpus) if other not in self.busy]
        others = [other for other in self.running() if other.process.leader is other
                  and "kthread" not in other.kind and len(other.process.alive()) == 1
                  and other.process not in self.execing and other.process is not self.init]
        if free and others:
            if self.random.random() < .5:
                self.exec(self.random.choice(others))
            else:
                self.signal(task, self.random.choice(others), signal.SIGUSR1, 0)
        self.busy.discard(cpu)

    def other(self, task):
        if self.random.random() < .3:
            self.write("hang", task)
        elif self.random.random() < .2:
            self.fail(task, self.random.choice(["forking", "execing"]))
        elif self.random.random() < (.6 if self.budget else .2) and self.recording:
            self.suppress(self.random.randrange(self.cpus))
        else:  # a signal that does not end it: it is blocked, or pending already
            sender = self.random.choice(self.running())
            self.signal(task, sender, signal.SIGTERM if task.process is self.init else signal.SIGUSR1,
                        0, result=self.random.randrange(5), to_group=self.random.randrange(2),
                        blocked=self.random.randrange(2))

    def suppress(self, cpu):
        """An account of the module's budget is spent on a CPU, or has saved enough again."""
        kinds = ["wait", "rename", "signal", "cgroup", "mm"] if self.budget else ["rename", "cgroup"]
        kind = self.random.choice([each for each in kinds if each not in self.lacks])
        since = self.suppressing.pop((cpu, kind), None)
        missing = self.missing.pop((cpu, kind), 0)
        self.now += 1
        ts = self.write("suppressed", self.nobody, (), cpu, what=abi.NUMBERS[kind],
                        ended=int(bool(since)), since=since or self.now,
                        count=missing if self.budget or not since else self.number())
        if not since:
            self.suppressing[cpu, kind], self.missing[cpu, kind] = ts, 0
        self.now += 1

    def wait(self, task):
        children = [each for each in self.processes
                    if each.parent is task.process and each.leader.reaped is None]
        if children and task.process is not self.init:
            task.waits = True
            task.wants = self.random.choice([0, self.random.choice(children).tgid])
            what = 2 if task.wants else self.random.choice([0, 1, 1, 2, 3])  # perhaps no process has the number
            task.waited = self.write("wait", task, wanted=task.wants, what=what)

    def wanted(self, task):
        """The children that end this task's wait."""
        return [each for each in self.processes if each.leader.reaped is None and
                each.parent is task.process and task.wants in (0, each.tgid)]

    def crowd(self, name, count, zombie, life=10 ** 6):
        """Processes of one name, one after the other, that live and are zombies for about these times."""
        for _ in range(count):
            self.now += self.number(10 ** 6)
            child = self.new_process(self.init, comm=name)
            self.fork_record(child.leader, self.init.leader, self.init.leader)
            child.born = child.leader.born
            self.now += life + self.number(life // 10)
            self.exit_task(child.leader, 0)
            self.now += zombie * (80 + self.random.randrange(40)) // 100
            self.reap(child.leader, self.init.leader)
            self.now += 50000
            self.free(child.leader)
