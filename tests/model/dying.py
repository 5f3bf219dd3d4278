# SPDX-License-Identifier: GPL-2.0-only
"""How the tasks of a machine end: signals, exits, notifications, and reaps."""
import signal

import abi

DEADLY = [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT, signal.SIGALRM, signal.SIGQUIT]


class Dying:
    """A part of Machine."""
    CORE = {signal.SIGSEGV, signal.SIGQUIT}

    @staticmethod
    def name_of(task):
        """The address space of its process."""
        return task.process.leader.comm

    def signal(self, target, sender, signo, code, result=0, to_group=1, exempt=False,
               cpu=None, blocked=0):
        who = {} if sender is None else {
            "sender": sender.handle, "sender_pid": sender.pid, "sender_tgid": sender.process.tgid,
            "sender_comm": sender.comm, "sender_group_comm": self.name_of(sender),
            "sender_flags": (abi.FLAGS["kthread"] if "kthread" in sender.kind else 0) |
                            (abi.FLAGS["exiting"] if sender.exiting is not None else 0)}
        return self.write("signal", target, exempt=exempt, cpu=cpu, signo=int(signo), code=code,
                          result=result, to_group=to_group, blocked=blocked, **who)

    def kill(self, target, sender):
        process = target.process
        if process in (self.init, self.kthreadd) or "kthread" in target.kind:
            return
        signo = self.random.choice(DEADLY)
        code = 0
        if (process, signo) in [each[:2] for each in self.blocked]:
            return
        if signo == signal.SIGSEGV:
            sender, code = target, 1
        if signo == signal.SIGALRM:
            sender, code = None, 128
        if signo == signal.SIGKILL and self.random.random() < .4:
            self.oom(target, sender)
            return
        to_group = self.random.randrange(2)
        if signo not in self.CORE and signo != signal.SIGKILL and self.random.random() < .2:
            self.block(target, sender, signo, code, to_group)
            return
        self.strike(target, sender, signo, code, to_group)
        if signo not in self.CORE and self.random.random() < .1:
            self.strike_again(target, signo, to_group)
        if self.random.random() < .5:  # too late: it is ending already
            late = self.random.choice(self.running())
            self.now += 1
            self.signal(target, late, signo, 0, result=2, to_group=to_group)
        dumped = signo in self.CORE and self.random.random() < .8
        self.end(process, int(signo) | (0x80 if dumped else 0), slow=True)

    def strike(self, target, sender, signo, code, to_group=1, blocked=0):
        """A signal that ends its target, at once or when the target no longer blocks it."""
        # A queued signal that ends its target is recorded despite the budget, unless it dumps core.
        ts = self.signal(target, sender, signo, code, to_group=to_group, blocked=blocked,
                         exempt=signo not in self.CORE and not blocked)
        target.process.killer = None if self.suppressed else {
            "signal": int(signo), "code": code, "ts": ts, "blocked": blocked, "again": False,
            "pid": sender.process.tgid if sender else 0, "tid": sender.pid if sender else 0,
            "comm": self.name_of(sender) if sender else b""}

    def strike_again(self, target, signo, to_group):
        """Another signal of the same number, in the other queue: it has no effect."""
        self.now += 1
        self.signal(target, self.random.choice(self.running()), signo, 0, to_group=1 - to_group,
                    exempt=True)
        if target.process.killer and signo != signal.SIGKILL:
            target.process.killer["again"] = True  # a tracer could have held the first one back

    def block(self, target, sender, signo, code, to_group):
        self.strike(target, sender, signo, code, to_group, blocked=1)
        self.blocked.append((target.process, int(signo), target.process.killer))

    def exit(self, task):
        process, others = task.process, len(task.process.alive()) > 1
        if self.random.random() < (.7 if others else .3):  # exit(2)
            code = self.random.randrange(4) << 8
            if self.random.random() < .4:  # it takes a while
                self.begin_exit(task, code)
                self.leaving.append(task)
            else:
                self.exit_task(task, code)
        else:
            self.end(process, self.random.choice([0, 0, 1, 2, 139]) << 8, slow=True)

    def end(self, process, code, slow=False):
        """Ends all threads, in any order, as exit_group(2) does; slow: they may take a while."""
        tasks = self.random.sample(process.working(), len(process.working()))
        process.exit_code = process.code = code
        for task in tasks:
            task.waits = False
        self.begin_exits(tasks, code)
        if slow and self.random.random() < .3:
            self.leaving += tasks
            return  # threads that had begun are in it already
        for task in tasks + [each for each in process.alive() if each not in tasks]:
            self.exit_task(task, code)
            self.tick()

    def leave_some(self):
        """Tasks that are leaving begin to exit, or exit."""
        for task in list(self.leaving):
            # A task that exits alone can be overtaken by all others.
            if task.exited is None and self.random.random() < (.3 if task.process.code is not None else .1):
                if task.exiting is None:
                    self.begin_exit(task, task.process.code)
                else:
                    self.exit_task(task, task.process.code)
        self.leaving = [task for task in self.leaving if task.exited is None]
        for each in list(self.blocked):
            process, signo, killer = each
            if not process.working() or self.random.random() < .1:
                self.blocked.remove(each)
                if process.working() and process.killer is killer:
                    self.end(process, signo, slow=True)

    def exit_task(self, task, code):
        process = task.process
        task.waits = False
        if process.tracer and process.tracer not in process.tracer.process.working() and len(process.tasks) > 1:
            process.tracer = None  # it has detached
        if task.exiting is None:
            self.begin_exit(task, code)
        group = process.code is not None
        task.exit_code = code = code if task.leaves_with is None else task.leaves_with
        live = len(process.alive()) - 1
        task.runtime, task.utime, task.stime = self.number(10 ** 9), self.number(), self.number()
        flags, rss = set(), 0
        if not live:
            flags, rss = {"group_dead"}, self.number()
            process.max_rss = process.mm.peak if process.mm else rss
            if process.mm and self.exit_mark == 2:
                flags.add("peak")
                rss = process.mm.peak
            elif process.mm:  # it is gone, and the kernel has the largest peak of all
                rss = max(process.mm.peak, process.dropped)
            if group or not self.before_5_18:
                flags.add("group_exit")
                # The kernel takes the code of the last one to begin.
                task.exit_code = code = process.code if group else \
                    max(process.tasks, key=lambda each: each.exiting).leaves_with
            else:
                code = process.leader.exit_code
            process.exit_code = code
        if self.exit_mark == 1:
            self.leave_mm(task, not live)
        task.exit_cpu = self.random.randrange(self.cpus)
        task.exited = self.write(
            "exit", task, flags, task.exit_cpu, exit_code=task.exit_code, live=live, runtime=task.runtime,
            utime=task.utime, stime=task.stime, min_flt=self.number(), maj_flt=self.number(),
            nvcsw=self.number(), nivcsw=self.number(), max_rss=rss,
            parent_tgid=process.parent.tgid if process.parent else 0)
        if self.exit_mark == 2:
            self.leave_mm(task, not live)
        self.end_visits(task)
        self.leave_cgroup(task)
        self.tick()
        cpu = self.free_cpu()  # interrupts are off there until the parent is notified
        if not live:
            process.last_exit = task.exited
            process.exited = self.exit_of(process)
            process.exit_cpu = task.exit_cpu
        self.detach_all(task, cpu)
        if not live:
            self.orphans(process, task, cpu)
        releaser = task
        if task is not process.leader:
            releaser = process.tracer or task
            self.let_thread_go(task, cpu)
            cpu = None
            self.tick()
        elif live and process.tracer:
            self.announce_to_tracer(task, cpu)
        if not live:
            self.notify(process, releaser, cpu)

    def orphans(self, process, task, cpu):
        """Its children get another parent, which its last thread notifies of those that are zombies."""
        heir = process.parent
        while heir and not (heir.subreaper and heir.alive()):
            heir = heir.parent
        for child in self.processes:
            if child.parent is not process or child.leader.reaped is not None:
                continue
            child.parent = heir or self.init
            if child.zombie() and child.tracer is None:
                self.announce_to_parent(child, task, cpu)
                self.now += self.number(1000)

    def notify(self, process, task, cpu):
        """The last thread, or the tracer that releases it, notifies the parent of the end."""
        if process.tracer:
            self.announce_to_tracer(process.leader, cpu)
        else:
            self.announce_to_parent(process, task, cpu)

    def reap(self, task, reaper):
        process = task.process
        self.now += self.random.randrange(3)
        task.reaped = self.write("reap", task, {"user"}, uid=process.uid, euid=process.euid, reaper=reaper.handle,
                                 reaper_group=reaper.process.handle, reaper_pid=reaper.pid,
                                 reaper_tgid=reaper.process.tgid, reaper_comm=reaper.comm,
                                 reaper_group_comm=self.name_of(reaper),
                                 cgroup=process.cgroup)
        if task is process.leader:
            process.reaped = task.reaped
            process.reaper = (reaper.process, reaper.pid, reaper.process.tgid, self.name_of(reaper))
            process.reaper_waited = reaper.waited if reaper.process is not process else None
            process.tracer = None
        task.reaper = (reaper.process, reaper.pid, reaper.process.tgid, self.name_of(reaper))

    def reap_some(self):
        """A process in wait(2) gets a zombie; others reap theirs later, or never."""
        self.let_go_held()
        for process in self.processes:
            if not process.zombie() or process.parent is None or self.is_held(process):
                continue
            parent = process.parent
            tasks = [task for task in parent.alive()
                     if task.waits and process in self.wanted(task)]
            if parent is self.init and self.random.random() < .3:
                tasks = tasks or [parent.leader]
                if not tasks[0].waits:
                    tasks[0].wants, tasks[0].waited = 0, self.write("wait", tasks[0], wanted=0)
            if tasks and self.random.random() < .5:
                self.tick()
                reaper = tasks[0]
                self.reap(process.leader, reaper)
                reaper.waits, reaper.waited = False, None
        for process in self.processes:
            for task in process.alive():
                task.waits = task.waits and bool(self.wanted(task))

    def free_some(self):
        for process in self.processes:
            for task in process.tasks:
                if task.reaped is not None and task.freed is None and self.random.random() < .2:
                    self.free(task)

    def free(self, task):
        process = task.process
        task.runtime += self.number()
        task.utime += self.number()
        task.stime += self.number()
        task.free_cpu = self.random.randrange(self.cpus)
        self.switch_away(task)
        runner = self.random.choice([self.idle[task.free_cpu], *self.running()])
        flags = self.random.choice([set(), {"softirq"}])
        if self.with_io:
            flags |= {"io"}
        self.use(task)
        task.freed = self.write("free", task, flags, task.free_cpu,
                                read_bytes=task.used["read_bytes"] if self.with_io else 0,
                                write_bytes=task.used["write_bytes"] if self.with_io else 0,
                                runtime=task.runtime, utime=task.utime, stime=task.stime,
                                runner=runner.handle, runner_pid=runner.pid, runner_comm=runner.comm,
                                users=self.random.choice([0, 0, 1, 3]))
        if all(each.freed is not None for each in process.tasks):
            process.freed = task.freed
            process.free_cpu = task.free_cpu
