# SPDX-License-Identifier: GPL-2.0-only
"""The tasks and processes of a made-up machine, and the truth of each."""
INIT_NS = 0xEFFFFFFC


class Task:
    def __init__(self, process, handle, pid, start, comm):
        self.process, self.handle, self.pid, self.start, self.comm = process, handle, pid, start, comm
        self.kind = set()  # kthread, worker
        self.born = self.exiting = self.exited = self.reaped = self.freed = self.seen = None
        self.leaves_with = None  # its exit code, if it has begun to exit alone
        self.cgroup = None  # the cgroup that counts it
        self.runtime = self.utime = self.stime = 0
        self.used = dict.fromkeys(("runtime", "delay", "nvcsw", "nivcsw", "read_bytes", "write_bytes"), 0)
        self.exit_code = None
        self.waits = False  # in wait(2) just now
        self.waited = None  # the ts of that WAIT


class Process:
    def __init__(self, machine, handle, pid, parent):
        self.machine, self.handle, self.tgid = machine, handle, pid
        self.tasks = []
        self.parent = parent  # a process: real_parent's, which changes by adoption
        self.parent_task = None
        self.birth_parent = parent
        self.creator = parent
        self.born = self.exited = self.notified = self.reaped = self.freed = None
        self.tracer = None  # a task
        self.traced = None  # when the tracer was notified of the end
        self.autoreaped = False  # no process had to wait for it
        self.exit_signal = 17
        self.ending = None  # since when it ends as a whole
        self.end_told = False  # can a reader know that nothing of its end was before that?
        self.code = None  # its exit code, if it ends as a whole
        self.last_exit = None  # of its threads; `exited` is the beginning of its exit
        self.shown_alive = False  # a record shows that it was not ending yet
        self.found_ending = False  # the snapshot shows that an exit had begun before
        self.uid = self.euid = 0
        self.cgroup, self.ns_pid, self.ns_inum = 1, pid, INIT_NS
        self.path = self.args = self.execed = None
        self.mm = None
        self.shares = False  # its creator's address space
        self.execs = 0
        self.ignores = self.subreaper = self.args_cut = False
        self.reaper = self.killer = self.exit_code = None
        self.max_rss = 0  # of its address space, once it has dropped that
        self.dropped = 0  # the largest peak of those that it had before an exec

    def alive(self):
        return [task for task in self.tasks if task.exited is None]

    def working(self):
        """The tasks that have not begun to exit."""
        return [] if self.code is not None else [task for task in self.alive() if task.exiting is None]

    def zombie(self):
        return not self.alive() and self.leader.reaped is None
