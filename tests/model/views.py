# SPDX-License-Identifier: GPL-2.0-only
"""The expected JSON of the views, after proclife-read-json(5), for what a session has seen."""
import errno

import abi
import cgroup_ends
import lives
from values import (AUTOREAPS, CAUSES, SCOPES, WAITS, Any, Either, Near, Percentile, figures, handle, killer, named, signal_name, text, texts,
                    wait_status)

BIRTH_PHASES = ["fork", "first_run", "exec", "spawn"]
PHASES = [*BIRTH_PHASES, "wait", "kill", "teardown", "held", "unmap", "traced", "zombie", "rcu_free", "exit_free", "life"]


def exit_mark(env):
    """The record at which exits begin."""
    if env["features"] >> abi.NUMBERS["exiting"] & 1:
        return "do_exit"
    return {1: "after_mm", 2: "before_mm"}.get(env["exit_mark"])


def source(env):
    return {1: "module", 2: "bpf"}.get(env["source"])


def trace(env):
    return {"v": 1, "type": "trace", "ts": env["began"], **texts("kernel", env["kernel_release"]),
            "source": source(env), **texts("module", env["tracer_version"]), "abi": env["abi_version"],
            "exit_mark": exit_mark(env),
            "reap_source": {1: "cgroup_release()", 2: "cgroup_task_release()"}.get(env["reap_source"]),
            "to_boottime": env["to_boottime"], "to_realtime": env["to_realtime"]}


def end(session, shown="ended"):
    found = {"v": 1, "type": "end", "ts": session.ended, "reason": session.reason,
             "lost": session.lost, "suppressed": session.suppressed}
    if session.options.filters():
        found["unjudged"] = session.unjudged(shown)
    if session.env["command_status"] >= 0 and session.is_selective and not session.options.pids:
        found["status"] = session.env["command_status"]
    return found


def cputime(record):
    """User and system time as wait4(2) has them: runtime, divided as the ticks were."""
    ticks = record["utime"] + record["stime"]
    user = record["runtime"] * record["utime"] // ticks if ticks else record["runtime"]
    return {"utime": Near(user), "stime": Near(record["runtime"] - user)}


# Events: fields that are copied from the record, by the names of proclife-read-json(5)
SAME = {
    "fork": "uid ns_inum cgroup",
    "exec": "path_len uid euid",
    "rename": "cgroup",
    "exit": "live runtime utime stime min_flt maj_flt nvcsw nivcsw",
    "reap": "cgroup",
    "free": "runtime utime stime users",
    "wait": "wanted",
    "signal": "signo code result",
    "task": "uid ns_inum cgroup runtime utime stime",
    "exiting": "cgroup rss_anon rss_file rss_shmem mm_users",
    "mm": "users rss_anon rss_file rss_shmem swap tables peak",
    "coredump": "signo",
    "fail": "path_len",
    "times": "runtime nvcsw nivcsw read_bytes write_bytes",
    "notify": "signo result",
}
# The program's `pid` is the process and `tid` the thread; abi.h has them as tgid and pid
THREADS = {"*": "tid=pid pid=tgid",
           "fork": "parent_tid=parent_pid parent_pid=parent_tgid creator_tid=creator_pid "
                   "creator_pid=creator_tgid ns_tid=ns_pid",
           "exec": "old_tid=old_pid", "exit": "parent_pid=parent_tgid",
           "reap": "reaper_tid=reaper_pid reaper_pid=reaper_tgid",
           "signal": "sender_tid=sender_pid sender_pid=sender_tgid",
           "free": "runner_tid=runner_pid",
           "exiting": "parent_pid=parent_tgid tracer_pid=tracer_tgid",
           "oom": "allocator_tid=allocator_pid allocator_pid=allocator_tgid",
           "notify": "receiver_tid=receiver_pid receiver_pid=receiver_tgid parent_pid=parent_tgid",
           "task": "parent_pid=parent_tgid ns_tid=ns_pid"}
HANDLES = {"fork": "group parent creator", "exec": "group", "reap": "reaper reaper_group",
           "free": "runner", "signal": "sender", "task": "group parent", "exiting": "parent tracer mm",
           "mm": "mm", "oom": "allocator", "notify": "receiver receiver_group"}
ABOUT_NOBODY = ("suppressed", "cgroup")  # about no task: these have no PIDs
MM = {1: "left", 2: "async", 3: "early", 4: "teardown", 5: "gone"}
TIMES = {1: "execing", 2: "exec", 3: "exiting", 4: "notify", 5: "forking", 6: "fork"}
BIRTHS = {1: "forking", 2: "started", 3: "execing"}
FAILS = {1: "fork", 2: "exec"}
LIMITS = {0: None, 1: "nproc", 2: "pids.max", 3: "pid_max"}


def event(record, extra, cgroups):
    kind, flags = record["type"], record["flags"]
    if kind == "suppressed":
        return {"v": 1, "type": kind, "ts": record["ts"], "cpu": record["cpu"],
                "record": abi.TYPES[record["what"]], "ended": bool(record["ended"]),
                "since": record["since"], "count": record["count"]}
    if kind == "cgroup":
        return {"v": 1, "type": kind, "ts": record["ts"], "cpu": record["cpu"],
                "cgroup": record["cgroup"], "populated": bool(record["populated"]),
                **texts("cgroup_path", cgroups.get(record["cgroup"]))}
    found = {"v": 1, "type": kind, "ts": record["ts"], "cpu": record["cpu"],
             "task": handle(record["handle"]), "start": record["start"],
             "thread": "thread" in flags}
    found.update(texts("comm", record["comm"]))
    found.update({name: True for name in ("kthread", "worker", "truncated") if name in flags})
    found.update({name: record[name] for name in SAME.get(kind, "").split()})
    for pair in (THREADS["*"] + " " + THREADS.get(kind, "")).split():
        name, member = pair.split("=")
        found[name] = record[member]
    found.update({name: handle(record[name]) for name in HANDLES.get(kind, "").split()})
    found.update({name: extra[name] for name in ("life", "teardown", "traced", "zombie", "rcu_free", "exit_free")
                  if extra.get(name) is not None})
    if "utime" in record:
        found.update(cputime(record))
    if kind == "exec":
        found.update(texts("path", record["path"].split(b"\0")[0]), script="script" in flags, by_fd="by_fd" in flags)
    elif kind == "rename":
        found.update(texts("name", record["name"]))
    elif kind == "args":
        found.update(args=[text(word) for word in extra["args"]], args_cut=extra["cut"],
                     args_bytes=extra["bytes"])
    elif kind == "exit":
        found.update(wait_status(record["exit_code"]), group_dead="group_dead" in flags)
        if found["group_dead"]:
            found.update(max_rss=extra["max_rss"], killer=killer(extra["killer"]))
    elif kind == "reap":
        found.update(texts("reaper_thread_comm", record["reaper_comm"]),
                     **texts("reaper_comm", record["reaper_group_comm"]))
        if "user" in flags:
            found.update(uid=record["uid"], euid=record["euid"])
    elif kind == "signal":
        found.update(texts("sender_thread_comm", record["sender_comm"]),
                     **texts("sender_comm", record["sender_group_comm"]), cause=CAUSES.get(record["cause"]),
                     group_dead="group_dead" in flags, sender_kthread=bool(record["sender_flags"] & abi.FLAGS["kthread"]),
                     sender_exiting=bool(record["sender_flags"] & abi.FLAGS["exiting"]),
                     signal=signal_name(record["signo"]),
                     to_group=bool(record["to_group"]), blocked=bool(record["blocked"]))
    elif kind == "notify":
        found.update(texts("receiver_thread_comm", record["receiver_comm"]),
                     **texts("receiver_comm", record["receiver_group_comm"]), autoreap_why=AUTOREAPS.get(record["autoreap"]),
                     signal=signal_name(record["signo"]) if record["signo"] else None,
                     **{name: name in flags for name in ("group_dead", "tracer", "autoreap")})
    elif kind == "free":
        found.update(texts("runner_comm", record["runner_comm"]), softirq="softirq" in flags)
        if "io" in flags:
            found.update(read_bytes=record["read_bytes"], write_bytes=record["write_bytes"])
    elif kind == "exiting":
        found.update(wait_status(record["exit_code"]))
    elif kind == "mm":
        found.update(what=MM[record["what"]], execing="execing" in flags)
    elif kind == "birth":
        found["what"] = BIRTHS[record["what"]]
    elif kind == "times":
        found.update(what=TIMES[record["what"]], waiting=record["delay"])
    elif kind == "fail":
        found.update(texts("path", record["path"].split(b"\0")[0]), what=FAILS[record["what"]], errno=record["error"],
                     error=errno.errorcode[record["error"]], limit=LIMITS[record["limit"]], by_fd="by_fd" in flags)
    elif kind == "coredump":
        found["signal"] = signal_name(record["signo"])
    elif kind == "wait":
        found["what"] = WAITS.get(record["what"])
    elif kind == "oom":
        found.update(texts("allocator_thread_comm", record["allocator_comm"]), scope=SCOPES.get(record["scope"]),
                     cgroup=record["cgroup"], **texts("allocator_comm", record["allocator_group_comm"]))
    elif kind == "task":
        found["state"] = "zombie" if "zombie" in flags else "exiting" if "exiting" in flags else "alive"
        found.update(wait_status(None if found["state"] == "alive" else record["exit_code"]))
        if found["state"] == "zombie":
            found["tracer_pid"] = record["tracer_tgid"]
    return found


def events(session):
    return [dict(each, v=1) if each["type"] in ("lost", "history")
            else event(each, extra, session.recording.cgroups)
            for each, extra in session.shown]


# The tree

def used(each):
    """The CPU time of a process or a thread; None if no record has it."""
    return each.runtime if each.last_exit is not None or each.freed is not None or each.runtime else None


def failed_exec(each):
    """A member; null if its last exec did not fail, or it has not ended."""
    record = each.failed_exec
    if not record or not (each.last_exit or each.shown_zombie or each.reaped):
        return {"failed_exec": None}
    path = record["path"].split(b"\0")[0]
    if "truncated" in record["flags"]:
        path = b"..." + path
    return {"failed_exec": {**texts("path", path or None), "error": errno.errorcode[record["error"]]}}


def process(session, each, in_tree):
    found = {
        "v": 1, "type": "process", "id": each.id,
        "parent_id": each.parent.id if each.parent in in_tree else None,
        "pid": each.tgid, "parent_pid": each.known_parent(),
        "creator_pid": each.creator_pid or None if each.born else None, "start": each.start, "uid": each.uid,
        "ns_pid": each.ns_pid or each.tgid, "ns_inum": each.ns_inum, "cgroup": each.cgroup,
        "kthread": each.kthread, "threads": len(each.tasks), "execs": each.execs,
        "script": each.script, "by_fd": each.by_fd,
        "born": each.born, "seen": each.seen, "exited": each.exited, "notified": each.notified,
        "reaped": each.reaped, "freed": each.freed,
        **wait_status(each.exit_code if each.last_exit or each.shown_zombie else None), "killer": killer(each.killer),
        "runtime": used(each), "max_rss": each.max_rss,
        "reaper_pid": each.reaper["reaper_tgid"] if each.reaper else None,
        "state": each.state, "incomplete": False, **failed_exec(each)}
    found.update(texts("comm", each.comm))
    found.update(texts("path", each.path))
    found.update(texts("cgroup_path", session.recording.cgroups.get(each.cgroup)))
    if each.args is not None:
        found.update(args=[text(word) for word in each.args], args_cut=each.args_cut)
    return found


def thread(task):
    return dict(texts("comm", task.comm), v=1, type="thread", process_id=task.process.id,
                tid=task.pid, born=task.born, seen=task.seen, exited=task.exited,
                reaped=task.reaped, freed=task.freed,
                runtime=used(task),
                state=task.state, incomplete=False,
                **wait_status(task.exit_code if task.exited else None))


def tree(session):
    """All that is selected; with --threads, the threads of each behind it."""
    nodes = [each for each in session.lives.processes if session.is_selected(each)]
    found = []
    for each in nodes:
        found.append(dict(process(session, each, nodes)))
        if session.options.threads:
            found += [thread(task) for task in each.tasks if not is_leader(task)]
    return found


# Latency

def counted(session):
    """The lives of --latency: (phases, state, life) of each process, or task."""
    if isinstance(session, Several):
        return [each for part in session.parts for each in counted(part)]
    if not session.options.threads:
        return [(lives.process_phases(each), each.state, each) for each in session.told()]
    return [(lives.task_phases(task), task.state, task) for task in session.told_threads()]


def spent(of, phase):
    """How these processes spent a phase, in all; None if that is known of none."""
    known = [split for split in (lives.split(each, phase) for each in of) if split]
    if not known:
        return None
    return {"count": len(known), "exact": sum(exact for *_, exact in known), "on_cpu": sum(split[0] for split in known),
            "waiting": sum(split[1] for split in known), "blocked": sum(split[2] for split in known)}


def latency(session):
    of = counted(session)
    found = [dict(figures([phases[phase] for phases, _, _ in of if phases[phase] is not None]),
                  v=1, type="latency", phase=phase,
                  spent=None if session.options.threads else spent([each for _, _, each in of], phase)) for phase in PHASES]
    states = [state for _, state, _ in of]
    found.append({"v": 1, "type": "lives", "of": "threads" if session.options.threads else "processes",
                  "lives": len(of), "alive": states.count("alive"), "dying": states.count("dying"), "zombies": states.count("zombie"),
                  "unfreed": states.count("unfreed"), "unknown": states.count("unknown"),
                  "partial": sum(each.born is None for _, _, each in of), "incomplete": 0})
    return found


def is_leader(task):
    return task.pid == task.process.tgid


def group_key(session, by, each):
    """The group of a life; None if not known."""
    task = each if isinstance(each, lives.Task) else None
    process = each.process if task else each
    if by == "comm":
        return task.comm if task else process.comm
    if by == "parent":
        return task.last["parent"] if task and task.freed else process.parent_comm
    if by == "reaper":
        reap = task.reaper if task else process.reaper
        if reap is None:
            return None
        return b"(itself)" if reap["reaper_tgid"] == process.tgid else named(reap, "reaper")
    if by == "cgroup":
        return (task.last["cgroup"] if task and task.freed else process.cgroup) or None
    if by == "cpu":
        return each.exit_cpu
    return task.last["uid"] if task and task.freed else process.uid


def grouped(session, by):
    """The lives of each group. Cgroups of several recordings are the same by path."""
    found, with_path = {}, set()
    for part in session.parts if isinstance(session, Several) else [session]:
        for phases, _, each in counted(part):
            key = group_key(part, by, each)
            if by == "cgroup" and key is not None:
                key = part.recording.cgroups.get(key, key)
                key = None if key in with_path else key  # it may be that one, or another
            found.setdefault(key, []).append((phases, None if part.options.threads else each))
        with_path |= {number for number in part.recording.cgroups if number not in found}
    return found


def groups(session, by):
    objects = []
    for key, of in grouped(session, by).items():
        said = texts("group", key) if isinstance(key, bytes) else {"group": key}
        if by == "cgroup" and key is not None:
            said = texts("group", key if isinstance(key, bytes) else None)
            said["cgroup"] = cgroup_number(session, key)
        for phase in PHASES:
            values = [phases[phase] for phases, _ in of if phases[phase] is not None]
            objects.append(dict(figures(values), v=1, type="group", by=by, phase=phase,
                                spent=spent([each for _, each in of if each], phase), **said))
    if by == "cgroup" and not isinstance(session, Several):
        shown = {group_key(session, by, each) for _, _, each in counted(session)}
        objects += cgroup_ends.ends(session, sorted(shown - {None}))
    return objects


def cgroup_number(session, key):
    """With several recordings, a key that no other has: it need not be any of theirs."""
    if isinstance(session, Several) and len(session.parts) > 1:
        return Any(int)
    numbers = [number for number, path in session.recording.cgroups.items() if path == key]
    return numbers[0] if numbers else key


def slowest(session):
    of = []
    for phases, state, each in counted(session):
        if each.exited is not None:
            took = (each.freed if each.freed is not None else session.ended) - each.exited
            process = each.process if isinstance(each, lives.Task) else each
            reap = each.reaper
            of.append(dict(
                texts("comm", each.comm), v=1, type="slowest", took=took, exited=each.exited,
                tid=each.pid if isinstance(each, lives.Task) else process.tgid, pid=process.tgid,
                notified=None if isinstance(each, lives.Task) else process.notified,
                tracer=None if isinstance(each, lives.Task) else lives.tracer(process),
                reaped=each.reaped, freed=each.freed,
                parent_pid=each.last["parent_pid"] if isinstance(each, lives.Task) and each.freed else process.known_parent(),
                reaper_pid=reap["reaper_tgid"] if reap else None, reaper_waited=each.reaper_waited,
                free_cpu=Any(int) if each.freed is None else each.free_cpu, why=Any(str), **texts("reaper_comm", named(reap, "reaper") if reap else None)))
    of.sort(key=lambda each: -each["took"])
    return [Either([other for other in of if other["took"] == each["took"]]) for each in of[:5]]


# Parents: forks, reaps, and zombies

def reaper_of(session, each):
    """Its parent at its exit, unless that is gone: a later process with the PID is another one."""
    for process in reversed(session.lives.processes):
        if process.tgid == each.awaits and process.state in ("alive", "dying") and \
                (process.born or 0) <= (each.exited or each.seen):
            return process
    return None


def lived(session, process):
    """How much of the trace it was there for, if that is known."""
    if process.freed is not None and process.exited is None:
        return None
    first = next(event.get("ts", event.get("from")) for event in session.recording.events)
    end = min(process.exited or session.ended, session.ended)
    return max(end - max(process.born or 0, first), 0) or None


def parents(session):
    found = {}

    def line(process, pid=None, comm=None):
        pid = process.tgid if process else pid
        if (process, pid) not in found:
            known = dict(texts("comm", comm), id=0, init=pid == 1, gone=False, lived=None)
            if process:
                known = dict(texts("comm", process.comm), id=process.id,
                             init=process.ns_pid == 1 or process.tgid == 1, gone=process.freed is not None,
                             lived=lived(session, process))
            found[process, pid] = dict(
                known, v=1, type="parent", pid=pid, reaped=0, adopted=0, awaited=0, belated=0,
                ignored=0, ended_with=0, zombies=0, oldest=None, born=0, dead_runtime=0, coalesced=0, phases=[])
        return found[process, pid]

    for each in session.told():
        parent = each.parent if each.freed is None else each.last_parent
        if each.born is not None and each.parent_pid:
            line(parent, each.parent_pid)["born"] += 1
        if each.state == "zombie":
            by_birth = parent if each.awaits == each.parent_pid else None
            said = line(reaper_of(session, each) or by_birth, each.awaits)
            said["coalesced"] += each.coalesced
            said["zombies"] += 1
            since = each.zombie_since or 0
            said["oldest"] = min(since, said["oldest"]) if said["oldest"] is not None else since
        if each.reaped is None:
            continue
        reaper = each.reaper_process
        if each.autoreaped:
            # If no parent was notified, only a parent by birth is known to be the one that ignores SIGCHLD.
            last = each.told_pid or each.real_parent
            if each.told_pid or each.parent_pid and last == each.parent_pid:
                said = line(each.told or (parent if last == each.parent_pid else None), last)
                said["ended_with" if each.ended_with else "ignored"] += 1
                said["dead_runtime"] += each.runtime
            continue
        pid = each.reaper["reaper_tgid"]
        said = line(reaper, pid, named(each.reaper, "reaper"))
        said["reaped"] += 1
        said["dead_runtime"] += each.runtime
        said["coalesced"] += each.coalesced
        said["adopted"] += each.parent is not reaper if each.parent and reaper else \
            each.parent_pid not in (0, pid)
        if each.notified is not None and each.reaper_waited is not None:
            said["awaited" if each.reaper_waited <= each.notified else "belated"] += 1
        zombie = lives.process_phases(each)["zombie"]
        if zombie is not None:
            said["phases"].append(zombie)
    for said in found.values():
        said["oldest"] = said["oldest"] or None
        said.update(figures(said.pop("phases")))
    return sorted(found.values(), key=lambda each: (-each["zombies"], -each.get("max", -1)))


def last_wait(session, reaper):
    waited = session.lives.last_wait(reaper) if reaper else None
    what = WAITS.get(reaper.wait["what"]) if waited is not None else None
    return {"reaper_waited": waited, "reaper_wait": what,
            "reaper_wanted": reaper.wait["wanted"] or None if waited is not None else None}


def zombies(session):
    found = []
    for each in session.told():
        if each.state != "zombie":
            continue
        reaper = reaper_of(session, each)
        found.append(dict(
            texts("comm", each.comm), v=1, type="zombie", pid=each.tgid, start=each.start,
            uid=each.uid, **wait_status(each.exit_code), killer=killer(each.killer), exited=each.exited,
            tracer=lives.tracer(each) if each.is_held else None,
            notified=each.notified, parent_pid=each.parent_pid, reaper_pid=each.awaits or None,
            **last_wait(session, reaper), **texts("reaper_comm", reaper.comm if reaper else None)))
    return sorted(found, key=lambda each: (
        (each["tracer"] or each)["notified"] or (not each["tracer"] and each["exited"]) or 0, each["start"] or 0))


# How much of the tree

def failed(each):
    return bool(each.exit_code) and (each.last_exit is not None or each.shown_zombie)


def life(session, each):
    """How long it lived as far as known, and whether that is its whole life."""
    if each.exited is None and each.state != "alive":
        return 0, False
    until = each.exited if each.exited is not None else session.ended
    before = session.lived_before(each)
    return until - each.seen + before, bool(each.born is not None or before) and each.exited is not None


def happened(each):
    return each.born is not None or each.last_exit is not None or each.reaped is not None or \
        each.freed is not None


def cut_tree(session, depth=None, min_life=None, top=None, key="cpu"):
    """The tree's processes, with what is not shown counted at the nearest ancestor that is."""
    selected = [each for each in session.lives.processes if session.is_selected(each)]
    children = {}
    for each in selected:
        parent = each.parent if each.parent in selected else None
        children.setdefault(parent, []).append(each)

    def below(each):
        return [lower for child in children.get(each, []) for lower in [child] + below(child)]

    nodes = [each for each in selected if session.is_selective or happened(each) or any(map(happened, below(each)))]

    def level(each):
        return 1 + level(each.parent) if each.parent in selected else 0

    wanted = [each for each in nodes if session.matches(each)
              and (depth is None or level(each) <= depth)
              and (min_life is None or life(session, each)[0] >= min_life or
                   not life(session, each)[1])]
    ranks = {}
    if top is not None:
        size = {"cpu": lambda each: each.runtime, "life": lambda each: life(session, each)[0],
                "rss": lambda each: each.max_rss or 0,
                "count": lambda each: sum(lower in nodes for lower in below(each))}[key]
        wanted = sorted(wanted, key=lambda each: (-size(each), each.id))[:top]
        ranks = {each: rank for rank, each in enumerate(wanted, 1)}
    shown = [each for each in nodes if each in wanted or any(low in wanted for low in below(each))]

    def count(of):
        return {"": len(of), "_failed": sum(map(failed, of)),
                "_runtime": sum(each.runtime for each in of)}

    def hidden_at(parent):
        return [lower for child in children.get(parent, []) if child in nodes and child not in shown
                for lower in [child] + [low for low in below(child) if low in nodes]]

    found = []
    for each in shown:
        said = process(session, each, selected)
        said.update(context=each not in wanted, descendants=sum(low in nodes for low in below(each)))
        said.update({"hidden" + name: value for name, value in count(hidden_at(each)).items()})
        if each in ranks:
            said["rank"] = ranks[each]
        found.append(said)
        if session.options.threads:
            found += [thread(task) for task in each.tasks if not is_leader(task)]
    counts = count(hidden_at(None))
    found.append({"v": 1, "type": "hidden", "processes": counts[""], "failed": counts["_failed"],
                  "runtime": counts["_runtime"], "older": len(selected) - len(nodes)})
    return found


class Several:
    """Sessions that are added up."""

    def __init__(self, parts):
        self.parts, self.options = parts, parts[0].options
        self.lost = sum(part.lost for part in parts)
        self.recording = parts[0].recording


# Verdicts

RELATIONS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b,
             "=": lambda a, b: a == b, ">=": lambda a, b: a >= b, ">": lambda a, b: a > b}


# What shows the marks of a phase, beside FORK, EXIT and FREE: types of records, and some of them by what they say.
NEEDS = {"kill": {"signal"}, "teardown": {"notify"}, "traced": {"notify"}, "zombie": {"reap"}, "rcu_free": {"reap"},
         "held": {"exiting", "mm", "MM_LEFT", "MM_TEARDOWN"}, "unmap": {"exiting", "mm", "MM_TEARDOWN", "MM_GONE"},
         "fork": {"birth", "BIRTH_FORKING"}, "first_run": {"birth", "BIRTH_STARTED"}, "exec": {"birth", "BIRTH_EXECING"},
         "spawn": {"birth", "BIRTH_FORKING"}, "wait": {"exiting", "times"}}


def is_recorded(env, what):
    if what in abi.NUMBERS:
        return env["features"] >> abi.NUMBERS[what] & 1
    return env[what.split("_")[0].lower() + "_marks"] >> abi.CONSTANTS[what] & 1


def measure(session, figure):
    """The value of a figure, None if there is nothing to measure, and the number of lives in it."""
    if figure == "lost":
        return session.lost, None
    if figure == "zombies" and not counted(session):
        return None, None  # no process at all
    if figure == "zombies":
        return sum(state == "zombie" for _, state, _ in counted(session)), None
    phase, statistic = figure.split(".", 1)
    values = [phases[phase] for phases, _, _ in counted(session) if phases[phase] is not None]
    if not values and not all(is_recorded(session.recording.env, what) for what in NEEDS.get(phase, ())):
        return None, 0
    if statistic == "count":
        return len(values), len(values)
    if not values:
        return None, 0
    value = {"min": lambda: min(values), "max": lambda: max(values),
             "mean": lambda: Near(sum(values) / len(values))}.get(
                 statistic, lambda: Percentile(values, float(statistic[1:])))()
    return value, len(values)
