# SPDX-License-Identifier: GPL-2.0-only
"""
Which processes are notified of the ends of a machine's tasks: Linux's exit_notify(), ptrace and reapers. A task
that traces a process traces all of its threads.
"""
import signal


class Notices:
    """A part of Machine."""

    def attach(self, tracer):
        """Traces like a debugger, which detaches at its end."""
        those = [each for each in self.processes
                 if each.tracer is None and each.working() and each.leader.exited is None
                 and each not in (self.init, self.kthreadd, tracer.process)
                 and "kthread" not in each.leader.kind]
        if those:
            self.random.choice(those).tracer = tracer

    def is_held(self, process):
        """Its parent cannot wait for it."""
        return process.tracer is not None and process.tracer.process is not process.parent

    def announce(self, task, receiver, flags, signo, cpu, why=0):
        process = task.process
        return self.write("notify", task, flags, cpu, receiver=receiver.handle,
                          receiver_group=receiver.process.handle, receiver_pid=receiver.pid,
                          receiver_tgid=receiver.process.tgid, receiver_comm=receiver.comm,
                          receiver_group_comm=self.name_of(receiver), autoreap=why, signo=int(signo),
                          result=self.random.choice([0, 0, 1, 1, 2]) if signo else 0,
                          parent_tgid=process.parent.tgid if process.parent else 0)

    def announce_to_tracer(self, task, cpu=None):
        """Notifies of a thread's or leader's end, which is not the process's."""
        process, flags = task.process, {"tracer"} if self.is_held(task.process) else set()
        if task is process.leader and not process.alive() and \
                all(each is task or each.reaped is not None for each in process.tasks):
            flags.add("group_dead")
        ts = self.announce(task, process.tracer, flags, signal.SIGCHLD, cpu)
        if flags == {"tracer", "group_dead"}:
            process.traced = process.traced or ts
        elif "group_dead" in flags:
            process.notified = process.notified or ts

    def announce_to_parent(self, process, task, cpu=None):
        """@task notifies the parent, and releases the process if the parent ignores SIGCHLD."""
        parent, signo = process.parent, process.exit_signal
        if signo != signal.SIGCHLD and self.random.random() < .3:
            signo = signal.SIGCHLD  # one of both has executed a program since
        ignored = parent.ignores and signo == signal.SIGCHLD or "kthread" in process.leader.kind
        if ignored and self.random.random() < .5:
            signo = 0  # for SIG_IGN, but not for SA_NOCLDWAIT
        flags = {"group_dead"} | ({"autoreap"} if ignored else set())
        why = 0 if not ignored else 2 if signo else self.random.choice([1, 3])
        ts = self.announce(process.leader, self.parent_task(process), flags, signo, cpu, why)
        process.autoreaped = ignored
        process.notified = process.notified or ts
        if task is process.leader:
            self.say_used(task, "NOTIFY")
        if ignored:
            self.reap(process.leader, task)

    def detach_all(self, tracer, cpu):
        """A task exits, and detaches from its tracees."""
        for process in self.processes:
            if process.tracer is not tracer:
                continue
            held = self.is_held(process)
            process.tracer = None
            if not process.zombie():
                continue
            if held:
                self.announce_to_parent(process, tracer, cpu)
            elif process.parent.ignores:
                self.reap(process.leader, tracer)
            self.now += self.number(1000)

    def wait_for(self, tracer):
        """A tracer calls wait(2) now, unless it is in it; false if it is about to end."""
        if tracer not in tracer.process.working():
            return False
        if not tracer.waits:
            self.write("wait", tracer, wanted=0, what=1)
            self.tick()
        return True

    def let_thread_go(self, task, cpu):
        """No process waits for a thread, unless it is traced."""
        process = task.process
        tracer = process.tracer
        if tracer is None:
            self.reap(task, task)
            return
        self.announce_to_tracer(task, cpu)
        self.wait_for(tracer)
        self.tick()
        self.reap(task, tracer)
        tracer.waits, tracer.waited = False, None

    def let_go_held(self):
        """Tracers later wait for tracees whose end they know; then the parents are notified."""
        for process in self.processes:
            if not process.zombie() or not self.is_held(process) or self.random.random() < .6:
                continue
            tracer = process.tracer
            if self.wait_for(tracer):
                tracer.waits, tracer.waited = False, None
                process.tracer = None
                self.announce_to_parent(process, tracer)
