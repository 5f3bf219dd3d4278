# SPDX-License-Identifier: GPL-2.0-only
"""
What leads to the end of a machine's tasks and comes along with it: where an exit begins, address spaces and
their holders, files, core dumps, the OOM killer, and which cgroups have tasks.
"""
import collections
import signal

import abi
from cast import Process, Task

MM = {name: abi.CONSTANTS["MM_" + name.upper()] for name in ("left", "async", "early", "teardown", "gone")}
# What the module's parameters, or the kernel, can leave out
SWITCHES = [({"exiting", "coredump"}, .2), ({"mm"}, .2), ({"files"}, .2), ({"cgroup"}, .1), ({"oom"}, .05)]
ALL = sum(1 << number for number, name in abi.TYPES.items() if name not in ("none", "types"))


class Mm:
    """An address space, and who holds it."""

    def __init__(self, handle):
        self.handle, self.tasks, self.visitors = handle, set(), []

    def users(self):
        return len(self.tasks) + len(self.visitors)


class Marks:
    """A part of Machine."""

    def prepare_marks(self, lacks):
        """lacks: what the trace does not have; None: whatever comes up."""
        random = self.random
        self.lacks = set().union(*(kinds for kinds, chance in SWITCHES if random.random() < chance))
        self.lacks = self.lacks if lacks is None else lacks
        self.mm_marks = {what for what in MM.values() if random.random() < .95 and "mm" not in self.lacks}
        self.cgroup_leave = random.choice([1, 2])
        self.visits = []  # (address space, who holds it for a while)
        self.late = []  # address spaces that a worker of the kernel will tear down
        self.switching = []  # tasks that have exited, and have not been switched away from
        self.population = collections.Counter()  # of each cgroup: tasks there and below
        paths = {path: number for number, path in self.cgroups.items()}
        self.above = {number: paths[path.rsplit(b"/", 1)[0] or b"/"]
                      for path, number in paths.items() if path != b"/"}
        self.above[self.unnamed_cgroup] = paths[b"/"]
        self.idle = [self.no_process(self.handle(), b"swapper/%d" % cpu, {"kthread"})
                     for cpu in range(self.cpus)]
        self.nobody = self.no_process(0, b"", set())  # whom a record is about that is about no task
        self.leaving = []  # tasks that begin to exit, or have begun, and take their time
        self.blocked = []  # (process, signal, killer): deadly ones that are blocked

    def no_process(self, handle, comm, kind):
        """What runs where nothing else does: no task that anybody made."""
        process = Process(self, handle, 0, None)
        process.leader = Task(process, handle, 0, 0, comm)
        process.leader.kind = kind
        return process.leader

    def header(self):
        """What the module's header says of these records."""
        return {"features": ALL & ~sum(1 << abi.NUMBERS[kind] for kind in self.lacks),
                "mm_marks": sum(1 << what for what in self.mm_marks),
                "cgroup_leave": self.cgroup_leave, "exit_mark": self.exit_mark}

    def is_recorded(self, kind, payload):
        return kind not in self.lacks and (kind != "mm" or payload["what"] in self.mm_marks)

    def blink(self):
        self.now += self.random.randrange(1000)

    def kernel_thread(self):
        return self.random.choice([task for process in self.processes for task in process.working()
                                   if "kthread" in task.kind])

    # Address spaces and files

    def join(self, task, creator):
        """A task that begins: its cgroup, and what it shares with others."""
        process = task.process
        self.enter(task, process.cgroup)
        if "kthread" in task.kind:
            return
        if task is process.leader:
            shares = creator.process.mm and self.random.random() < .1  # as with vfork(2)
            process.mm = creator.process.mm if shares else Mm(self.handle())
            process.files = creator.process.files if shares else set()
            process.files.add(process)
        process.mm.tasks.add(task)

    def mark(self, mm, what, head, flags=(), users=0):
        kib = {} if what == "gone" else dict(
            {name: self.number() for name in ("rss_anon", "rss_file", "rss_shmem", "tables")},
            swap=self.random.choice([0, self.number()]))
        self.write("mm", head, flags, mm=mm.handle, what=MM[what], users=users, **kib)

    def tear_down(self, mm, head, flags=()):
        self.mark(mm, "teardown", head, flags)
        self.blink()
        self.mark(mm, "gone", head, flags)

    def replace_mm(self, task):
        """An exec gets a new address space, and files that nobody shares."""
        process, old = task.process, task.process.mm
        process.mm = Mm(self.handle())
        process.mm.tasks.add(task)
        process.files.discard(process)
        process.files = {process}
        old.tasks.discard(task)
        if not old.users():
            self.tear_down(old, task, {"execing"})

    def leave_mm(self, task, last):
        mm = task.process.mm
        if not mm:
            return
        if last and mm.users() > 1:
            self.mark(mm, "left", task, users=mm.users() - 1)
        mm.tasks.discard(task)
        if not mm.users():
            self.tear_down(mm, task)

    def leave_files(self, task, last):
        process = task.process
        if last and process.files == {process}:
            self.write("files", task)
        if last and process.files:
            process.files.discard(process)
        for mm, visitor in list(self.visits):
            if visitor is task:
                self.let_go(mm, visitor)

    def visit(self):
        """Somebody looks into an address space, as through /proc, which can outlive its owner by that."""
        owners = [process for process in self.processes if process.mm and process.alive()]
        visitor = self.random.choice(self.running())
        mm = self.random.choice(owners).mm
        if visitor.process.mm is not mm:
            mm.visitors.append(visitor)
            self.visits.append((mm, visitor))

    def let_go(self, mm, visitor):
        self.visits.remove((mm, visitor))
        if mm.users() == 1 and self.random.random() < .3:
            self.mark(mm, "async", visitor)
            self.late.append(mm)
        mm.visitors.remove(visitor)
        if not mm.users() and mm not in self.late:
            self.tear_down(mm, visitor)

    def let_go_some(self):
        if self.random.random() < .06:
            self.visit()
        for mm, visitor in list(self.visits):
            if self.random.random() < .04:
                self.let_go(mm, visitor)
        for mm in list(self.late):
            if self.random.random() < .3:
                self.late.remove(mm)
                self.tear_down(mm, self.kernel_thread())
        for task in list(self.switching):
            if self.random.random() < .5:
                self.switch_away(task)

    # Deaths begin

    def begin_exit(self, task, code):
        process, payload = task.process, {}
        group, sole = process.code is not None, process.tasks == [task]
        task.leaves_with = None if group else code
        task.waits = False
        if sole and code & 0x7f not in self.CORE:
            process.end_told = True
        flags = ({"group_exit"} if group else set()) | ({"sole"} if sole else set())
        if process.parent:
            parent = self.parent_task(process)
            payload.update(parent=parent.handle, parent_tgid=parent.process.tgid)
            if self.random.random() < .1:
                payload.update(tracer=parent.handle, tracer_tgid=parent.process.tgid)
        if process.mm:
            payload.update({name: self.number() for name in ("rss_anon", "rss_file", "rss_shmem")},
                           mm=process.mm.handle, mm_users=process.mm.users())
        task.exiting = self.write("exiting", task, flags, exit_code=code, cgroup=process.cgroup, **payload)
        if group:
            # A dump of its core, which comes first, would have been seen if it was not before the trace.
            self.note_end(process, task.exiting, code & 0x7f in self.CORE and process.born is None)
        self.blink()

    def note_end(self, process, ts, doubtful=False):
        """Here it begins to end as a whole, unless it has before."""
        if process.ending is None:
            process.ending = ts
            process.end_told |= process.shown_alive and not process.found_ending and not doubtful

    def exit_so_far(self, process):
        """Where its exit begins, if it has begun."""
        if process.exited is not None or "exiting" in self.lacks:
            return process.exited
        begun = [task.exiting for task in process.tasks]
        return process.ending if process.ending is not None else None if None in begun else max(begun)

    def exit_of(self, process):
        """Where its exit begins."""
        if "exiting" in self.lacks:
            return process.last_exit
        if process.ending is not None:
            return process.ending
        process.end_told = True
        return max(task.exiting for task in process.tasks)

    def begin_exits(self, tasks, code):
        """Of a process that ends as a whole: the others can begin before the first one is through."""
        signo = code & 0x7f
        if signo in self.CORE and tasks:
            process = tasks[0].process
            self.note_end(process, self.write("coredump", tasks[0], signo=signo))
            self.blink()
            for task in tasks[1:]:
                self.begin_exit(task, signo)  # whether there will be a core is not known yet
        elif self.random.random() < .3:
            for task in tasks:
                self.begin_exit(task, code)

    def oom(self, victim, allocator):
        """The OOM killer: it ends all that share the address space."""
        processes = [process for process in self.processes
                     if process.mm is victim.process.mm and process.working()]
        if self.init in processes:
            return
        for process in processes:
            chosen = process is victim.process
            self.strike(victim if chosen else process.leader, allocator, signal.SIGKILL, 128)
            self.blink()
            if chosen:
                self.write("oom", victim, allocator=allocator.handle, allocator_pid=allocator.pid,
                           allocator_tgid=allocator.process.tgid, allocator_comm=allocator.comm)
        if self.random.random() < .5:
            self.mark(victim.process.mm, "early", self.kernel_thread())
        for process in processes:
            self.end(process, int(signal.SIGKILL), slow=True)

    # Cgroups

    def chain(self, number):
        """It and those above it."""
        while number is not None:
            yield number
            number = self.above.get(number)

    def tell_populated(self, number, populated, cpu=None):
        self.write("cgroup", self.nobody, cpu=cpu, cgroup=number, populated=populated)

    def enter(self, task, number):
        task.cgroup = number
        for each in self.chain(number):
            self.population[each] += 1
            if self.population[each] == 1:
                self.tell_populated(each, 1)

    def leave(self, number, cpu=None):
        for each in self.chain(number):
            self.population[each] -= 1
            if not self.population[each]:
                self.tell_populated(each, 0, cpu)

    def move(self, process, number):
        process.cgroup = number
        for task in process.alive():
            old = task.cgroup
            self.enter(task, number)
            self.leave(old)

    def leave_cgroup(self, task):
        if self.cgroup_leave == 1:
            self.leave(task.cgroup)
        else:
            self.switching.append(task)

    def switch_away(self, task):
        if task in self.switching:
            self.switching.remove(task)
            self.leave(task.cgroup, self.free_cpu())
