# SPDX-License-Identifier: GPL-2.0-only
"""
From records to lives, in the simplest way that proclife(4) and proclife-views(7) allow. It knows
nothing of loss: if records are missing, the program's output is compared with the truth instead.
"""
import errno

from abi import CONSTANTS, NUMBERS
from values import texts

SIGKILL = 9
CORE = (3, 4, 5, 6, 7, 8, 11, 24, 25, 31)  # these can dump core, see signal(7)


def goes_on(before, now):
    """Is it a search of PATH, whose next files are not there? Then the one that could not be executed counts."""
    missing = (errno.ENOENT, errno.ENOTDIR)
    return before is not None and base(before["path"]) and before["error"] not in missing and now["error"] in missing and \
        base(before["path"]) == base(now["path"])


def base(path):
    return path.split(b"\0")[0].split(b"/")[-1]


class Task:
    def __init__(self, handle, process, ts):
        self.handle, self.process, self.seen = handle, process, ts
        self.born = self.exited = self.reaped = self.freed = None
        self.exiting = self.last_exit = None  # EXITING and EXIT: the exit, `exited`, begins with the first
        self.exit_code = self.reaper = self.waited = self.reaper_waited = None
        self.exit_cpu = self.free_cpu = None
        self.gone_before = False  # its EXIT was before the trace
        self.found_exiting = False  # perhaps: the snapshot found it in its exit
        self.found_ending = False  # in its exit, or after it, whether that was seen or not
        self.runtime = 0
        self.comm = b""
        self.forking = self.execing = None  # until it forks, or execs
        self.at_forking = self.at_execing = self.at_exiting = None  # what it had used then
        self.forked = None  # the task that it has forked since
        self.created = self.started = None  # when its creator began to fork it; its first run

    @property
    def state(self):
        dead = self.last_exit is not None or self.gone_before
        return "freed" if self.freed is not None else "unfreed" if self.reaped is not None else \
            "zombie" if dead else "alive"


MM = {CONSTANTS["MM_" + name]: name.lower() for name in ("LEFT", "ASYNC", "EARLY", "TEARDOWN", "GONE")}
RSS = ("rss_anon", "rss_file", "rss_shmem", "swap")


class Memory:
    """An address space that its process drops, once that is known."""

    def __init__(self):
        self.process = self.own = self.by = None
        self.left = self.early = self.teardown = self.gone = self.last = None
        self.open = True  # more records can follow

    def since(self):
        """Since when no record of it can have been missed."""
        return (self.teardown or self.left or self.early)["ts"]


class Process:
    def __init__(self, number, record, with_notify):
        self.id, self.tgid, self.seen = number, record["tgid"], record["ts"]
        self.with_notify = with_notify
        self.comm = record["comm"]  # of the leader, as soon as that is known
        self.ghost = record["type"] == "free"  # its PID was another's already
        self.group = self.leader = self.start = None
        self.tasks = []
        self.parent = self.linked = None  # by birth; since when it is known
        self.parent_handle = self.creator_handle = None
        self.parent_pid = self.creator_pid = self.real_parent = 0
        self.parent_comm = None
        self.born = self.exited = self.notified = self.reaped = self.freed = None
        self.released = False  # a snapshot found it without the tracer that had been notified
        self.tracer = None  # the NOTIFY to it, or the TASK that showed it
        self.tracer_process = None  # as far as it is known
        self.told_pid, self.told, self.told_at = 0, None, 0  # notified as its parent, the last one if there were several
        self.autoreaped = self.notice_missed = False
        self.found_zombie = 0  # when the snapshot found it
        self.ended_before = False  # before anything else of it
        self.found_exiting = False
        self.last_exit = None  # of its threads
        self.exiting, self.ends = None, False  # since when it ends as a whole; whether it does
        self.shown_alive = self.end_hidden = False  # a record shows that it did not, or it may have unseen
        self.dead = False
        self.uid, self.uids = None, []  # the latest one, and those that it had
        self.ns_pid = self.ns_inum = self.cgroup = self.execs = 0
        self.exit_rss, self.peak = None, None  # from the EXIT; of the address space since the exec
        self.waited = self.seen_as_zombie = self.reaper_process = self.last_parent = None
        self.path = self.args = self.matched_args = None
        self.pieces, self.total = None, 0
        self.exit_code = self.killer = self.reaper = self.reaper_waited = None
        self.sent = {}  # number: the signal that would end it
        self.kthread = self.worker = False
        self.selected, self.creator = False, None
        self.coalesced = False
        self.exit_cpu = self.free_cpu = None
        self.mm, self.shares, self.sole = 0, False, False
        self.its_memory, self.execed = None, 0
        self.ended_with = self.script = self.by_fd = False
        self.ran = False  # something that it did was seen
        self.splits, self.used, self.io = {}, [], []
        self.created = self.started = self.first_execing = self.first_execed = None
        self.failed_exec = None  # the record of the last one, until it execs

    def known_parent(self):
        """Its FORK or the snapshot had it; init has none."""
        return self.parent_pid if self.parent_pid or self.ns_inum else None

    def set_uid(self, uid):
        self.uid = uid
        if uid not in self.uids:
            self.uids = self.uids[:2] + [uid]

    @property
    def memory(self):
        """As far as it is certain: a LEFT can be another thread's than the last one's."""
        its = self.its_memory
        sure = self.sole or self.announced is not None or self.reaped is not None or self.freed is not None
        return its if its and (its.teardown or sure) else None

    @property
    def ended(self):
        return self.last_exit is not None or self.announced is not None or bool(self.told_pid) or \
            self.reaped is not None or (self.leader is not None and self.leader.freed is not None)

    @property
    def max_rss(self):
        if self.exit_rss is not None:
            return self.exit_rss or None
        return self.peak if self.ended else None

    @property
    def runtime(self):
        return sum(task.runtime for task in self.tasks)

    @property
    def state(self):
        if self.freed is not None:
            return "freed"
        if self.reaped is not None:
            return "unfreed"
        if self.start is None and not self.dead and self.is_over:
            return "unknown"  # nothing of it but a thread that ends
        if self.announced is not None or self.told_pid:
            return "zombie"
        if self.dead:
            return "dying" if self.with_notify and not self.found_dead else "zombie"
        if self.found_dead and self.is_over:
            return "zombie"
        return "dying" if self.ends or (self.found_exiting or self.found_zombie) and self.is_over else "alive"

    @property
    def found_dead(self):
        """A thread that the snapshot finds beside it shows that the parent had not been notified of its end."""
        return self.found_zombie and (self.last_exit or 0) < self.found_zombie and not any(
            task is not self.leader and task.reaped is None and task.found_ending
            for task in self.tasks)

    @property
    def shown_zombie(self):
        """By a notice, or by the snapshot, whether its EXIT is in the trace or not."""
        return self.announced is not None or bool(self.told_pid) or bool(self.found_dead and self.is_over)

    @property
    def first_shown_zombie(self):
        """By the snapshot, or by its first record, if that is a notice to another parent."""
        return self.seen if self.ended_before else max(self.found_zombie, self.told_at) or None

    @property
    def is_over(self):
        """No thread of it goes on, as far as it is known."""
        return all(task.state != "alive" or task.found_exiting for task in self.tasks)

    @property
    def traced(self):
        """When its tracer was notified."""
        return self.tracer["ts"] if self.tracer and self.tracer["type"] == "notify" else None

    @property
    def announced(self):
        """The end of its exit: the first notification."""
        return self.traced if self.traced is not None else self.notified

    @property
    def is_held(self):
        """Held by its tracer, which delays the parent."""
        return self.tracer is not None and not self.released and not self.told_pid and self.state == "zombie"

    @property
    def zombie_since(self):
        return self.traced if self.is_held else self.notified or (None if self.with_notify else self.exited)

    @property
    def awaits(self):
        """The PID of the process that has to reap it."""
        if self.is_held:
            return self.tracer["receiver_tgid"]
        return self.told_pid or self.real_parent


class Lives:
    def __init__(self, with_exiting=False, with_memory=False, with_notify=True):
        self.with_exiting, self.with_memory, self.with_notify = with_exiting, with_memory, with_notify
        self.memories = {}  # by handle, the open ones
        self.mm_missed = (set(), 0)  # CPUs on which MMs are suppressed, and the time until which they were
        self.tasks = {}  # handle: the task that has it now
        self.processes = []
        self.open = []  # processes that are not gone
        self.unwatched = set()  # CPUs on which WAITs are suppressed
        self.unwatched_until = 0

    def older(self, record, fits):
        """A process that can have this task: if its birth was seen, all its tasks are known."""
        for process in reversed(self.open):
            if process.tgid == record["tgid"] and process.born is None and fits(process) and \
                    (process.leader is None or record["pid"] != record["tgid"]):
                return process
        return None

    def process_of(self, record):
        """The process of this record: by its group if that is known, else by PID."""
        group = record.get("group")
        found = None
        if group is not None and record["type"] in ("fork", "exec", "task"):
            found = [each for each in self.open if each.group == group]
            found = found[0] if found else None
            if not found and (record["type"] != "fork" or record["pid"] != record["tgid"]):
                found = self.older(record, lambda each: each.group is None)
        else:
            found = self.older(record, lambda each: True)
        if not found:
            found = Process(len(self.processes) + 1, record, self.with_notify)
            self.processes.append(found)
            self.open.append(found)
        if group is not None and record["type"] in ("fork", "exec", "task"):
            found.group = group
        return found

    def feed(self, record):
        """Takes a record into account, and gives its task."""
        self.ts = record["ts"]
        task = self.tasks.get(record["handle"])
        if not task and not record["pid"]:
            return None  # an idle task, which was not forked
        if not task and record["type"] == "free" and record["pid"] != record["tgid"]:
            return None  # a thread: its process can be long gone
        if not task or (record["type"] == "fork" and task.freed is not None):
            process = self.process_of(record)
            task = Task(record["handle"], process, record["ts"])
            process.tasks.append(task)
            self.tasks[record["handle"]] = task
            late = [each for each in self.open if not each.parent
                    and each.parent_handle == task.handle and each is not process]
        else:
            late = []
            if record["type"] in ("fork", "exec", "task"):
                task.process.group = record["group"]
        task.pid, task.comm = record["pid"], record["comm"]
        process = task.process
        if record["pid"] == record["tgid"]:
            process.leader, process.start, process.comm = task, record["start"], record["comm"]
            process.kthread = "kthread" in record["flags"]
        elif process.leader is task:
            process.leader = None  # a thread takes its place
        for child in late:
            self.adopt(child, task)
        getattr(self, "on_" + record["type"], lambda *_: None)(record, task, process)
        return task

    def link(self, process, record, parent):
        process.parent_pid = process.real_parent = record["parent_tgid"]
        process.parent_handle = record["parent"]
        self.adopt(process, parent)

    def adopt(self, process, parent):
        if parent:
            process.linked = process.linked or self.ts
            process.parent = parent.process
            process.parent_comm = parent.process.comm

    def on_fork(self, record, task, process):
        task.born = record["ts"]
        creator = self.tasks.get(record["creator"])
        if creator:
            task.created, creator.forking = creator.forking, None
            creator.forked = task
            creator.process.ran = True
        if task.pid != process.tgid:
            return
        process.created = task.created
        process.born, process.shown_alive = record["ts"], True
        process.shares = "shares" in record["flags"]
        process.creator = creator.process if creator else None
        self.link(process, record, self.tasks.get(record["parent"]))
        process.creator_pid = record["creator_tgid"]
        process.set_uid(record["uid"])
        process.cgroup = record["cgroup"]
        process.ns_pid = record["ns_pid"] or process.tgid
        process.ns_inum = record["ns_inum"]

    def on_task(self, record, task, process):
        if task is not process.leader and process.found_zombie:
            self.outlive(process)
        if not task.runtime:
            task.runtime = record["runtime"]
        if "group_exit" in record["flags"] or (task.exiting is None and "exiting" in record["flags"]):
            process.end_hidden = True  # its first EXITING can have been before
        process.shown_alive |= "group_exit" not in record["flags"]
        task.found_exiting = "exiting" in record["flags"] and "zombie" not in record["flags"]
        task.found_ending = "exiting" in record["flags"] or "zombie" in record["flags"]
        if "zombie" in record["flags"] and task.last_exit is None:
            task.gone_before = True
            task.exit_code = record["exit_code"]
            if task is process.leader:
                process.exit_code = record["exit_code"]
            process.seen_as_zombie = record["ts"]
        if task is not process.leader and process.uid is not None:
            return
        process.cgroup = record["cgroup"]
        if process.born is None:
            process.uids = []  # another thread's can be there
            process.set_uid(record["uid"])
        # The first record with the parent is nearest to the birth: later the parent can have exited.
        if process.born is None and process.parent_handle is None:
            self.link(process, record, self.tasks.get(record["parent"]))
        if task is not process.leader:
            return
        process.ns_pid, process.ns_inum = record["ns_pid"] or process.tgid, record["ns_inum"]
        process.real_parent = record["parent_tgid"]
        process.found_exiting = task.found_exiting
        process.found_zombie = record["ts"] if "zombie" in record["flags"] else 0
        if process.found_zombie:  # by its first record, but for a notice to a parent that inherits it
            process.ended_before |= process.seen in (record["ts"], process.told_at)
        process.released = bool("zombie" in record["flags"] and process.tracer and
                                process.tracer["receiver_tgid"] != record["tracer_tgid"])
        if record["tracer_tgid"] and process.tracer is None and not process.told_pid:
            process.tracer = dict(record, receiver_tgid=record["tracer_tgid"], receiver_comm=None)

    def on_rename(self, record, task, process):
        task.comm = record["name"]
        if task is process.leader:
            process.comm, process.cgroup = record["name"], record["cgroup"]

    def on_birth(self, record, task, process):
        process.ran |= record["what"] in (CONSTANTS["BIRTH_FORKING"], CONSTANTS["BIRTH_EXECING"])
        if record["what"] == CONSTANTS["BIRTH_FORKING"]:
            task.forking = record["ts"]
            task.at_forking = task.forked = None
        elif record["what"] == CONSTANTS["BIRTH_EXECING"]:
            task.execing = record["ts"]
        else:
            task.started = record["ts"]
            if task is process.leader:
                process.started = record["ts"]

    def on_times(self, record, task, process):
        what = record["what"]
        if what == CONSTANTS["TIMES_FORKING"]:
            task.at_forking = record
        elif what == CONSTANTS["TIMES_FORK"]:
            child = task.forked
            if task.at_forking and child and child.process.created is not None and child.born == child.process.born:
                child.process.splits["fork"] = task.at_forking, record, child.born - child.process.created
            task.at_forking = task.forked = None
        elif what == CONSTANTS["TIMES_EXECING"]:
            task.at_execing = record
        elif what == CONSTANTS["TIMES_EXEC"]:
            if task.at_execing and process.first_execing is not None and process.execs == 1:
                process.splits["exec"] = task.at_execing, record, process.first_execed - process.first_execing
            task.at_execing = None
        elif what == CONSTANTS["TIMES_EXITING"] and task.exiting is not None and not task.at_exiting:
            task.at_exiting = record
            process.used.append(record)
            if len(process.tasks) == 1 and process.born is not None and task.born == process.born:
                process.splits["life"] = None, record, task.exiting - process.born
        elif what == CONSTANTS["TIMES_NOTIFY"] and task.at_exiting and process.announced is not None and \
                task.exiting == process.exited:
            process.splits["teardown"] = task.at_exiting, record, process.announced - task.exiting

    def on_fail(self, record, task, process):
        process.ran = True
        if record["what"] == CONSTANTS["FAIL_FORK"]:
            task.forking = None
        else:
            task.execing = None
            if not goes_on(process.failed_exec, record):
                process.failed_exec = dict(record)

    def on_exec(self, record, task, process):
        if not process.execs and process.born is not None:
            process.first_execing, process.first_execed = task.execing, record["ts"]
        task.execing = process.failed_exec = None
        process.execs += 1
        process.peak = None
        process.script, process.by_fd = "script" in record["flags"], "by_fd" in record["flags"]
        process.shown_alive, process.shares = True, False
        process.execed = record["ts"]
        process.set_uid(record["uid"])
        process.path = record["path"].split(b"\0")[0]
        if "truncated" in record["flags"]:
            process.path = b"..." + process.path
        process.pieces, process.total, process.args_cut = None, 0, False
        process.args = process.matched_args = None

    def on_args(self, record, task, process):
        process.pieces = (process.pieces or b"") + record["text"][:record["len"]]
        process.total = record["total"]
        process.args_cut = record["offset"] + record["len"] < record["total"]
        words = process.pieces.split(b"\0")
        process.args = words[:-1] + ([words[-1]] if words[-1] else [])
        if not process.args_cut or "truncated" in record["flags"]:
            process.matched_args = process.args  # a filter waits for the last piece

    def on_exiting(self, record, task, process):
        task.exiting, process.mm = record["ts"], record["mm"]
        if task is process.leader:
            process.cgroup = record["cgroup"]
        process.sole |= "sole" in record["flags"]
        core = record["exit_code"] & 0x7f in CORE
        if "sole" in record["flags"] and not core:
            self.begin_end(process, record, True)
        elif record["flags"] & {"sole", "group_exit"}:  # with a core, COREDUMP came first
            self.begin_end(process, record, process.born is not None or not core)

    def on_coredump(self, record, task, process):
        self.begin_end(process, record, True)

    @staticmethod
    def begin_end(process, record, certain):
        sure = "sole" in record["flags"] or (process.shown_alive and not process.end_hidden)
        if not process.ends and certain and sure:
            process.exiting = record["ts"]
        process.ends = True

    def exit_of(self, process):
        if not self.with_exiting:
            return process.last_exit
        if process.ends:
            return process.exiting
        return max((task.exiting for task in process.tasks if task.exiting is not None), default=None)

    @staticmethod
    def outlive(process):
        """Only its leader had ended when the snapshot found it: the tracer was not notified of the process's end."""
        process.ended_before = False
        if process.tracer and process.tracer["type"] == "task":
            process.tracer = None

    def on_exit(self, record, task, process):
        if process.found_zombie:
            self.outlive(process)
        task.last_exit, task.exit_cpu = record["ts"], record["cpu"]
        task.exited = task.exiting if self.with_exiting else record["ts"]
        if self.with_exiting and task.exiting is None and not process.end_hidden:
            process.exiting = None  # before the trace, or missed by a kprobe: it can have been the first
        task.exit_code, task.runtime = record["exit_code"], record["runtime"]
        process.real_parent = record["parent_tgid"]
        process.dead |= "group_dead" in record["flags"]
        if process.dead:
            process.last_exit, process.exit_cpu = record["ts"], record["cpu"]
            process.exited = self.exit_of(process)
            # The kernel's peak covers all address spaces that it had; it counts only if there was just one.
            if "peak" in record["flags"] or (process.born is not None and not process.execs):
                process.exit_rss = record["max_rss"]
            group = "group_exit" in record["flags"]
            # Otherwise it is the leader's code, which may have exited unseen.
            process.exit_code = record["exit_code"] if group else \
                process.leader and process.leader.exit_code
            process.killer = process.sent.get((process.exit_code or 0) & 0x7f)

    @staticmethod
    def note_signal(process, signal):
        """
        A signal that is not blocked decides it, unless it dumps core. But a tracer can hold it back: if there
        is another one before the end begins, the time of the deadly one is not certain.
        """
        first = process.sent.get(signal["signo"])
        if signal["result"] != 0 or (first and (signal["signo"] == SIGKILL or process.ends)):
            return
        again = bool(first) and (first["again"] or not first["blocked"])
        if again and signal["signo"] not in CORE and not first["blocked"]:
            signal = first
        process.sent[signal["signo"]] = dict(signal, again=again)

    def on_oom(self, record, task, process):
        """The SIGKILL before it, by the same task, was the OOM killer's."""
        sent = process.sent.get(SIGKILL)
        if sent and not sent.get("oom") and not sent["cause"] and sent["code"] == 128 and \
                sent["sender"] == record["allocator"]:
            sent["oom"] = record

    def on_signal(self, record, task, process):
        self.note_signal(process, record)

    def on_notify(self, record, task, process):
        if task is not process.leader or "group_dead" not in record["flags"]:
            return  # of a thread, or of a leader that others outlive
        if not (process.dead or process.found_zombie or process.traced or process.told_pid):
            process.real_parent = record["parent_tgid"]
        if "tracer" in record["flags"]:
            if process.traced is None:
                receiver = self.tasks.get(record["receiver"])
                process.tracer, process.tracer_process = record, receiver.process if receiver else None
            return
        if not process.told_pid and (process.dead or process.found_exiting or process.tracer):
            process.notified = record["ts"]  # otherwise the first one was before the trace
            process.coalesced = record["signo"] != 0 and record["result"] == 2
        process.autoreaped = "autoreap" in record["flags"]
        process.told_pid, process.told_at = record["receiver_tgid"], record["ts"]  # the others adopt it
        receiver = self.tasks.get(record["receiver"])
        process.told = receiver.process if receiver else None

    # Address spaces

    def may_lack(self, memory):
        """Can another one have its handle now? Its holder need not have had a record."""
        cpus, until = self.mm_missed
        return bool(cpus) or until >= memory.since()

    def open_memory(self, mm):
        """A task that goes on after its own TEARDOWN has finished it, though there is no GONE."""
        its = self.memories.get(mm)
        if its and its.own and (its.process.announced is not None or its.process.reaped is not None):
            self.end_memory(its, mm)
        return its if its and its.open else None

    def end_memory(self, its, mm):
        its.open = False
        self.memories.pop(mm, None)

    def drop_memory(self, its, mm):
        """What was known of it no longer counts, or belongs to another one."""
        self.end_memory(its, mm)
        if its.process:
            its.process.its_memory = None
            self.forget_peak(its.process)

    @staticmethod
    def forget_peak(process):
        if not process.ended:
            process.peak = None

    def own_memory(self, process, mm):
        its = self.open_memory(mm)
        older = its and not its.process and its.since() < max(process.born or 0, process.execed)
        if its and its.process is not process and (its.process or older or self.may_lack(its)):
            self.drop_memory(its, mm)
            its = None
        if not its:
            its = self.memories[mm] = Memory()
        if process.its_memory is not its:
            self.forget_peak(process)
        its.process, process.its_memory = process, its
        return its

    def on_mm(self, record, task, process):
        if self.with_memory:
            what, mm = MM[record["what"]], record["mm"]
            record = dict(record, process=process)
            its = self.open_memory(mm)
            own = process.mm == mm and not process.shares and bool(
                task.exiting or what == "left" or its and its.process is process and not self.may_lack(its))
            getattr(self, "mm_" + what)(record, process, its, own)

    def mm_left(self, record, process, _, own):
        if own:
            self.own_memory(process, record["mm"]).left = record
            process.peak = max(process.peak or 0, record["peak"])

    def mm_early(self, record, _, its, __):
        if its and its.process and self.may_lack(its) or its and its.by == record["handle"]:
            return
        if its and self.may_lack(its):
            self.drop_memory(its, record["mm"])
            its = None
        its = its or self.memories.setdefault(record["mm"], Memory())
        its.early = its.early or record

    def mm_async(self, record, _, its, __):
        if its and (self.may_lack(its) or its.teardown):
            self.drop_memory(its, record["mm"])
        elif its:
            its.last = record

    def mm_teardown(self, record, process, its, own):
        if own:
            its = self.own_memory(process, record["mm"])
            process.peak = max(process.peak or 0, record["peak"])
            its.own, its.left = True, None
        elif not its:
            return
        elif not its.process or its.teardown or self.may_lack(its) or \
                "execing" in record["flags"] and not process.shares:
            self.drop_memory(its, record["mm"])  # the task that execs had it, too
            return
        its.teardown, its.by = record, record["handle"]
        if "kthread" not in record["flags"]:  # a kthread can do it for others
            its.last = record
        if not own and not any(record[name] for name in (*RSS, "tables")):
            self.end_memory(its, record["mm"])  # a GONE need not follow

    def mm_gone(self, record, _, its, __):
        if its and its.teardown and its.by == record["handle"] and (its.own or not self.may_lack(its)):
            its.gone = record
            self.end_memory(its, record["mm"])
        elif its:
            self.drop_memory(its, record["mm"])

    def at_memory(self, process):
        """The processes of the tasks that had a part in it."""
        its = process.memory
        return [each["process"] for each in (its.last, its.teardown, its.early) if each] if its else []

    def settle_memory(self):
        """The trace ends. What may have ended unseen does not count as going on."""
        for mm, its in list(self.memories.items()):
            if self.open_memory(mm) and self.may_lack(its):
                self.end_memory(its, mm)

    def on_wait(self, record, task, process):
        task.waited = process.waited = record["ts"]
        process.ran = True
        process.wait = record

    def suppress(self, record):
        """From here on, or up to here, the module suppressed records of a type."""
        if record["what"] == NUMBERS["mm"]:
            cpus, until = self.mm_missed
            (cpus.discard if record["ended"] else cpus.add)(record["cpu"])
            self.mm_missed = cpus, record["ts"] if record["ended"] else until
        if record["what"] == NUMBERS["wait"]:
            if record["ended"]:
                self.unwatched.discard(record["cpu"])
                self.unwatched_until = record["ts"]
            else:
                self.unwatched.add(record["cpu"])

    def last_wait(self, of):
        """The last wait(2), unless it can have called wait(2) since without a record."""
        known = of.waited is not None and not self.unwatched and of.waited > self.unwatched_until
        return of.waited if known else None

    def on_reap(self, record, task, process):
        task.reaped = record["ts"]
        task.reaper = record
        if task is not process.leader and process.found_zombie:  # only its leader had ended then
            process.found_zombie, process.found_exiting = 0, True
            self.outlive(process)
        if task is process.leader:
            process.cgroup = record["cgroup"]
            if "user" in record["flags"]:
                process.set_uid(record["uid"])
        reaper = self.tasks.get(record["reaper"])
        if not reaper or reaper.process is not process:  # otherwise an exec releases it, and no wait(2)
            task.reaper_waited = self.last_wait(reaper) if reaper else None
        if task is process.leader:
            parent = process.told_pid or process.real_parent
            inits = [each for each in self.open if each.tgid == parent and each.reaped is None]
            process.autoreaped |= record["reaper_tgid"] == process.tgid
            process.ended_with = process.autoreaped and parent > 1 and any(
                each.ns_pid == 1 and (each.exiting or (each.leader and each.leader.exiting)) for each in inits[-1:])
            process.reaped, process.reaper = record["ts"], record
            process.reaper_process = reaper.process if reaper else None
            process.reaper_waited = task.reaper_waited
            process.notice_missed = self.with_notify and process.notified is None
        if reaper and reaper.process is not process:
            reaper.waited = None

    def tracer_of(self, process):
        """Only the PID is known of a tracer from the snapshot."""
        if process.tracer is None or process.traced is not None:
            return process.tracer_process
        holders = [each for each in self.open if each.tgid == process.tracer["receiver_tgid"]]
        return holders[-1] if holders and holders[-1].reaped is None else None

    def on_free(self, record, task, process):
        task.freed, task.free_cpu = record["ts"], record["cpu"]
        task.runtime = record["runtime"]
        if "io" in record["flags"]:
            process.io.append(record)
        # A thread counts with what is known of its process when the thread is gone.
        task.last = {"cgroup": process.cgroup, "uid": process.uid, "parent": process.parent_comm,
                     "parent_pid": process.known_parent()}
        # If its leader has not been seen yet, the leader lives on.
        if process.start is not None and all(each.freed is not None for each in process.tasks):
            process.freed, process.free_cpu = record["ts"], record["cpu"]
            its = process.its_memory
            if its and its.open and its.own:
                self.end_memory(its, process.mm)
            process.last_parent = process.parent  # as far as known now
            process.tracer_process = self.tracer_of(process)
            self.open.remove(process)


def settle(process):
    """A zombie that the snapshot found has exited, too."""
    if not process.dead and process.leader and all(
            each.gone_before or each.last_exit is not None for each in process.tasks):
        process.dead = True
        if process.exit_code is None:
            process.exit_code = process.leader.exit_code


def mark(later, earlier):
    return later - earlier if later is not None and earlier is not None else None


def killed(process):
    """The time at which the deadly signal was sent."""
    sent = process.killer
    return sent["ts"] if sent and not (
        sent["blocked"] or sent["again"] or process.end_hidden or
        not (process.shown_alive or process.sole)) else None


def tracer(process):
    """The object of that name."""
    its = process.tracer
    return its and dict(texts("comm", its.get("receiver_group_comm") or its["receiver_comm"]), pid=its["receiver_tgid"], notified=process.traced)


def actor(record, process):
    """MM names only the thread: its process if it is the leader, or if the memory was its own."""
    own = record and record["process"] is process and process.start is not None
    return record and dict(texts("comm", record["comm"] if record["pid"] == record["tgid"] else
                                 process.comm if own else None),
                           **texts("thread_comm", record["comm"]), pid=record["tgid"], tid=record["pid"])


def memory(process):
    """The object of --lives."""
    its = process.memory
    if not its:
        return None
    ts = lambda record: record and record["ts"]
    kib = its.teardown or dict.fromkeys(RSS)
    return dict({name: kib[name] for name in RSS}, left=ts(its.left), holders=its.left["users"] if its.left else None,
                early=ts(its.early), early_by=actor(its.early, process),
                early_anon=its.early["rss_anon"] if its.early else None, teardown=ts(its.teardown),
                last=actor(its.last, process), by=actor(its.teardown, process), gone=ts(its.gone))


def memory_phases(process):
    its = process.memory
    if not its:
        return {"held": None, "unmap": None}
    ts = lambda record: record and record["ts"]
    return {"held": mark(ts(its.teardown), ts(its.left)), "unmap": mark(ts(its.gone), ts(its.teardown))}


def process_phases(process):
    notified, announced, sent = process.notified, process.announced, killed(process)
    late = sent is not None and process.exited is not None and sent > process.exited
    return {"kill": None if late else mark(process.exited, sent),
            "teardown": mark(announced, process.exited), **memory_phases(process),
            "traced": mark(notified, process.traced),
            "zombie": mark(process.reaped, notified if notified is not None or process.notice_missed
                           else process.exited),
            "rcu_free": mark(process.freed, process.reaped),
            "exit_free": mark(process.freed, process.exited),
            "life": mark(process.exited, process.born),
            "fork": mark(process.born, process.created), "first_run": mark(process.started, process.born),
            "exec": mark(process.first_execed, process.first_execing),
            "spawn": mark(process.first_execed, process.created), "wait": used(process, "delay") if process.born is not None else None}


def used(process, name):
    """By all of its threads when they began to exit; None if that is not known of each."""
    if len(process.used) != len(process.tasks) or not (process.sole or process.born is not None):
        return None
    return sum(each[name] for each in process.used)


def io(process, name):
    """By all of its threads, once they are freed; else when they began to exit, if that is known."""
    if len(process.io) == len(process.tasks) and (process.sole or process.born is not None):
        return sum(each[name] for each in process.io)
    return used(process, name)


def split(process, phase):
    """(on a CPU, waiting for one, blocked, exactly?) of a phase; None if that is not known."""
    if phase not in process.splits or process_phases(process)[phase] != process.splits[phase][2]:
        return None
    begin, end, elapsed = process.splits[phase]
    ran, waiting, switches = (end[name] - (begin[name] if begin else 0) for name in ("runtime", "delay", "nvcsw"))
    waiting = min(waiting, elapsed)
    on_cpu = elapsed - waiting if not switches else min(ran, elapsed - waiting)
    return on_cpu, waiting, elapsed - waiting - on_cpu, not switches


def task_phases(task):
    return {"kill": None, "teardown": None, "held": None, "unmap": None, "traced": None,
            "zombie": mark(task.reaped, task.exited),
            "rcu_free": mark(task.freed, task.reaped),
            "exit_free": mark(task.freed, task.exited), "life": mark(task.exited, task.born),
            "fork": mark(task.born, task.created), "first_run": mark(task.started, task.born), "exec": None, "spawn": None, "wait": None}
