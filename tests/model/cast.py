# SPDX-License-Identifier: GPL-2.0-only
"""Who lives on a made-up machine: tasks and processes, and the truth of each."""
INIT_NS = 0xEFFFFFFC


class Task:
    def __init__(self, process, handle, pid, start, comm):
        self.process, self.handle, self.pid, self.start, self.comm = process, handle, pid, start, comm
        self.kind = set()  # kthread, worker
        self.born = self.exited = self.reaped = self.freed = self.seen = None
        self.runtime = self.utime = self.stime = 0
        self.exit_code = None
        self.waits = False  # in wait(2) just now
        self.waited = None  # the ts of that WAIT


class Process:
    def __init__(self, machine, handle, pid, parent):
        self.machine, self.handle, self.tgid = machine, handle, pid
        self.tasks = []
        self.parent = parent  # a process; real_parent's, which adoption changes
        self.parent_task = None
        self.birth_parent = parent
        self.creator = parent
        self.born = self.exited = self.notified = self.reaped = self.freed = None
        self.uid = self.euid = 0
        self.cgroup, self.ns_pid, self.ns_inum = 1, pid, INIT_NS
        self.path = self.args = self.execed = None
        self.execs = 0
        self.ignores = self.subreaper = self.args_cut = False
        self.reaper = self.killer = self.exit_code = None
        self.max_rss = 0

    def alive(self):
        return [task for task in self.tasks if task.exited is None]

    def zombie(self):
        return not self.alive() and self.leader.reaped is None
