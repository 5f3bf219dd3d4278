# SPDX-License-Identifier: GPL-2.0-only
"""
What leads to and accompanies the end of a machine's tasks: the beginning of an exit, address spaces and
their holders, core dumps, the OOM killer, and which cgroups have tasks.
"""
import collections
import errno
import signal

import abi
from cast import Process, Task

MM = {name: abi.CONSTANTS["MM_" + name.upper()] for name in ("left", "async", "early", "teardown", "gone")}
BIRTH = {name: abi.CONSTANTS["BIRTH_" + name.upper()] for name in ("forking", "started", "execing")}
# Types that the module's parameters, or the kernel, can leave out
SWITCHES = [({"exiting", "coredump"}, .2), ({"mm"}, .2), ({"cgroup"}, .1), ({"oom"}, .05), ({"notify"}, .1),
            ({"birth"}, .5)]
ALL = sum(1 << number for number, name in abi.TYPES.items() if name not in ("none", "types"))


class Mm:
    """An address space, its holders, and what became of it."""

    def __init__(self, handle, peak):
        self.handle, self.tasks, self.visitors = handle, set(), []
        self.peak = peak  # KiB; it grows
        self.left = {}  # the LEFT of each process whose last thread dropped it while others held it
        self.early = []
        self.teardown = self.gone = self.last = None
        self.own = None  # the process that dropped it last as it exited

    def users(self):
        return len(self.tasks) + len(self.visitors)


class Marks:
    """A part of Machine."""

    def prepare_marks(self, lacks):
        """lacks: the types that the trace does not have; None: random."""
        random = self.random
        self.lacks = set().union(*(kinds for kinds, chance in SWITCHES if random.random() < chance))
        self.dice = type(random)()  # for what fails: the machines are the same as without that
        self.dice.setstate(random.getstate())
        if self.dice.random() < .5:
            self.lacks.add("fail")
        if self.dice.random() < .5:
            self.lacks.add("times")
        self.with_io = self.dice.random() < .9
        self.lacks = {*(self.lacks if lacks is None else lacks), "path"}
        self.mm_marks = {what for what in MM.values() if random.random() < .95 and "mm" not in self.lacks}
        self.cgroup_leave = random.choice([1, 2])
        self.visits = []  # (address space, its temporary holder)
        self.late = []  # address spaces that a worker of the kernel will tear down
        self.unmapping = []  # (address space, the worker that unmaps it)
        self.free_mms = []  # handles of address spaces that are gone
        self.switching = []  # tasks that have exited, and have not been switched away from
        self.population = collections.Counter()  # of each cgroup: tasks there and below
        paths = {path: number for number, path in self.cgroups.items()}
        self.above = {number: paths[path.rsplit(b"/", 1)[0] or b"/"]
                      for path, number in paths.items() if path != b"/"}
        self.above[self.unnamed_cgroup] = paths[b"/"]
        self.idle = [self.no_process(self.handle(), b"swapper/%d" % cpu, {"kthread"})
                     for cpu in range(self.cpus)]
        self.nobody = self.no_process(0, b"", set())  # the subject of a record about no task
        self.leaving = []  # tasks that begin to exit, or have begun, and take their time
        self.blocked = []  # (process, signal, killer): deadly ones that are blocked

    def no_process(self, handle, comm, kind):
        """The idle task, which was not forked."""
        process = Process(self, handle, 0, None)
        process.leader = Task(process, handle, 0, 0, comm)
        process.leader.kind = kind
        return process.leader

    def header(self):
        """The module's header fields about these records."""
        return {"features": ALL & ~sum(1 << abi.NUMBERS[kind] for kind in self.lacks),
                "mm_marks": sum(1 << what for what in self.mm_marks),
                "birth_marks": 0 if "birth" in self.lacks else sum(1 << what for what in BIRTH.values()),
                "cgroup_leave": self.cgroup_leave, "exit_mark": self.exit_mark}

    def is_recorded(self, kind, payload):
        return kind not in self.lacks and (kind != "mm" or payload["what"] in self.mm_marks)

    def step_of_birth(self, task, what):
        self.write("birth", task, what=BIRTH[what])
        if what != "started":
            self.say_used(task, what.upper())
        self.blink()

    def use(self, task):
        dice, used = self.dice, task.used
        for name in used:
            used[name] += dice.choice([0, 1, 3]) if name in ("nvcsw", "nivcsw") else dice.choice([0, dice.randrange(1000)])

    def say_used(self, task, what):
        """What it has used by this mark; it can have been blocked since the one before, or not."""
        self.use(task)
        self.write("times", task, (), self.last[1], what=abi.CONSTANTS["TIMES_" + what], **task.used)

    def fail(self, task, what):
        """A fork or an exec of it fails."""
        self.step_of_birth(task, what)
        cpu, dice = self.last[1], self.dice
        if what == "forking":
            limit = dice.choice([0, abi.CONSTANTS["LIMIT_NPROC"], abi.CONSTANTS["LIMIT_PID_MAX"]])
            self.write("fail", task, (), cpu, what=abi.CONSTANTS["FAIL_FORK"], limit=limit,
                       error=errno.EAGAIN if limit else errno.ENOMEM)
            return
        path = b"/usr/local/bin/" + b"x" * dice.randrange(60)
        self.write("fail", task, {"truncated"} if len(path) > 48 else (), cpu, what=abi.CONSTANTS["FAIL_EXEC"],
                   error=dice.choice([errno.ENOENT, errno.EACCES, errno.E2BIG]), path_len=len(path), path=path[-48:])

    def blink(self):
        self.now += self.random.randrange(1000)

    def kernel_thread(self):
        """A kernel thread that is idle; None: all are busy."""
        busy = [worker for _, worker in self.unmapping]
        idle = [task for process in self.processes for task in process.working()
                if "kthread" in task.kind and task not in busy]
        return self.random.choice(idle) if idle else None

    # Address spaces

    def join(self, task, creator):
        """A task that begins: its cgroup, and what it shares with others."""
        process = task.process
        self.enter(task, process.cgroup)
        if "kthread" in task.kind:
            process.shares = True  # kthreadd's, which has none
            return
        if task is process.leader:
            process.shares = bool(creator.process.mm) and self.random.random() < .15  # as with vfork(2)
            process.mm = creator.process.mm if process.shares else self.new_mm()
        process.mm.tasks.add(task)

    def new_mm(self):
        """In half of the cases it has the address of an earlier one."""
        reused = self.free_mms and self.random.random() < .5
        handle = self.free_mms.pop(self.random.randrange(len(self.free_mms))) if reused else self.handle()
        return Mm(handle, 1 + self.number())

    def mark(self, mm, what, head, flags=(), users=0, empty=False):
        """Writes a record, and returns its time and its task."""
        kib = {} if what == "gone" or empty else dict(
            {name: self.number() for name in ("rss_anon", "rss_file", "rss_shmem", "tables")},
            swap=self.random.choice([0, self.number()]))
        if what != "gone":
            kib["peak"] = mm.peak
        exempt = head.exiting is not None  # from the budget
        ts = self.write("mm", head, flags, exempt=exempt, mm=mm.handle, what=MM[what], users=users, **kib)
        return dict(kib, ts=ts, users=users, process=head.process, pid=head.process.tgid, tid=head.pid,
                    comm=self.name_of(head), thread_comm=head.comm)

    def tear_down(self, mm, head, flags=(), last=None):
        """last: the task that dropped it, if that was not the head."""
        empty = self.random.random() < .05  # nothing is mapped, and then there is no GONE
        mm.teardown = self.mark(mm, "teardown", head, flags, empty=empty)
        mm.last = mm.teardown if last is None else last
        if last is not None and not empty and self.random.random() < .5:
            self.unmapping.append((mm, head))
            return
        self.blink()
        if self.random.random() < .1 and not empty:
            self.take_early(mm, head)
            self.blink()
        self.end_teardown(mm, head, flags, empty)

    def end_teardown(self, mm, head, flags=(), empty=False):
        if not empty:
            mm.gone = self.mark(mm, "gone", head, flags)
        self.free_mms.append(mm.handle)

    def unmap_some(self):
        for each in list(self.unmapping):
            if self.random.random() < .3:
                self.unmapping.remove(each)
                self.end_teardown(*each)
            elif self.random.random() < .1:
                self.take_early(*each)

    def take_early(self, mm, head=None):
        """Old kernels take a victim's memory early themselves, in its teardown: this does not count."""
        if head and self.random.random() < .3:
            self.mark(mm, "early", head)
            return
        # process_mrelease(2), whose record can be suppressed, or the OOM reaper
        others = [task for task in [self.kernel_thread()] + self.running()[:1] if task and task is not head]
        if not others:
            return
        mm.early.append(self.mark(mm, "early", self.random.choice(others)))

    def replace_mm(self, task):
        """An exec gets a new address space."""
        process, old = task.process, task.process.mm
        process.dropped = max(process.dropped, old.peak)
        process.mm = self.new_mm()
        process.mm.tasks.add(task)
        old.tasks.discard(task)
        if not old.users():
            self.tear_down(old, task, {"execing"})

    def leave_mm(self, task, last):
        mm = task.process.mm
        if not mm:
            return
        all_exit = all(each.exiting is not None for each in task.process.tasks)
        if all_exit and mm.users() > 1:
            mm.left[task.process] = self.mark(mm, "left", task, users=mm.users() - 1)
        mm.tasks.discard(task)
        if not mm.users():
            mm.own = task.process
            self.tear_down(mm, task)

    def end_visits(self, task):
        for mm, visitor in list(self.visits):
            if visitor is task:
                self.let_go(mm, visitor)

    def visit(self):
        """A process reads an address space, as through /proc, so that it can outlive its owner."""
        owners = [process for process in self.processes if process.mm and process.alive()]
        dying = [process for process in owners if process.mm.users() and not process.working()]
        visitor = self.random.choice(self.running())
        mm = self.random.choice(dying if dying and self.random.random() < .5 else owners).mm
        if visitor.process.mm is not mm and mm.users():
            mm.visitors.append(visitor)
            self.visits.append((mm, visitor))

    def let_go(self, mm, visitor):
        self.visits.remove((mm, visitor))
        late = mm.users() == 1 and self.random.random() < .3
        if late and (mm.last or self.random.random() < .8):  # another's can be in between, and then there is none
            mm.last = self.mark(mm, "async", visitor)
            others = [task for task in self.running() if task.process.mm is not mm and task is not visitor]
            if others and self.random.random() < .1:  # a process that takes a reference at this moment
                late = False
                mm.visitors.append(others[0])
                self.visits.append((mm, others[0]))
        mm.visitors.remove(visitor)
        if late:
            self.late.append((mm, mm.last or {}))
        elif not mm.users():
            self.tear_down(mm, visitor)

    def let_go_some(self):
        if self.random.random() < .12:
            self.visit()
        for mm, visitor in list(self.visits):
            if self.random.random() < .04 + .2 * (mm.handle & 2):  # some at once
                self.let_go(mm, visitor)
            elif not mm.tasks and self.random.random() < .02:
                self.take_early(mm)
        for each in list(self.late):
            worker = self.kernel_thread() if self.random.random() < .3 else None
            if worker:
                self.late.remove(each)
                self.tear_down(each[0], worker, last=each[1])
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
            process.mm.peak += self.random.choice([0, 4])
            payload.update({name: self.number() for name in ("rss_anon", "rss_file", "rss_shmem")},
                           mm=process.mm.handle, mm_users=process.mm.users())
        task.exiting = self.write("exiting", task, flags, exit_code=code, cgroup=process.cgroup, **payload)
        self.say_used(task, "EXITING")
        if group:
            # A core dump, which comes first, would have been seen unless it was before the trace.
            self.note_end(process, task.exiting, code & 0x7f in self.CORE and process.born is None)
        self.blink()

    def note_end(self, process, ts, doubtful=False):
        """It begins to end as a whole here, unless it has before."""
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
        """For a process that ends as a whole: other threads can begin before the first one has exited."""
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
                           allocator_tgid=allocator.process.tgid, allocator_comm=allocator.comm,
                           allocator_group_comm=self.name_of(allocator), scope=self.random.randrange(3),
                           cgroup=self.random.choice(self.cgroup_numbers + [0]))
        if self.random.random() < .5:
            self.take_early(victim.process.mm)
        for process in processes:
            self.end(process, int(signal.SIGKILL), slow=True)

    # Cgroups

    def chain(self, number):
        """The cgroup and its ancestors."""
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
