# SPDX-License-Identifier: GPL-2.0-only
"""
Compares the machine's truth with the program's output. If nothing was
lost, all has to be equal. If records were lost, no line may be wrong: what is shown is true, lives that
a gap touches are marked as incomplete, and no others.
"""
from values import OrNone, signal_name, texts

MARKS = ("born", "exited", "notified", "reaped", "freed")


def freed(process):
    """The last FREE of the tasks that the trace can know; earlier ones were gone before."""
    marks = [task.freed for task in process.tasks if task.seen is not None]
    return None if None in marks else max(marks, default=None)


def expected(made, process, certain=True):
    """The truth of a process as far as the trace can show it; certain: only what a reader can be sure of."""
    seen = lambda mark: mark if mark is not None and mark >= made.began else None
    last = process.leader
    told = process.end_told or "exiting" in made.lacks or not certain
    over = seen(process.last_exit)
    # From the EXIT alone: if the address space is gone then, only if it was the first.
    found = {name: seen(getattr(process, name)) for name in MARKS}
    found["rss_told"] = over and (made.exit_mark == 2 and process.mm or process.born is not None and
                                  process.born >= made.began and not process.execs)
    found["freed"] = seen(freed(process))
    code = process.exit_code if over else None
    if not over and process.last_exit is not None:  # the snapshot has it, if it found it as a zombie
        code = OrNone(process.exit_code)
    found["exited"] = found["exited"] if told else None
    found["notified"] = None if "notify" in made.lacks else found["notified"]
    found.update(
        pid=process.tgid, threads=sum(task.seen is not None for task in process.tasks),
        execs=process.execs, uid=process.uid, ns_pid=process.ns_pid, ns_inum=process.ns_inum,
        cgroup=process.cgroup, max_rss=process.max_rss if over else None,
        wait_status=code,
        runtime=sum(task.runtime for task in process.tasks if task.seen is not None),
        kthread="kthread" in last.kind,
        reaper_pid=process.reaper[2] if found["reaped"] else None,
        parent=process.birth_parent)
    if process.birth_parent and found["born"]:
        found["creator_pid"] = process.creator.tgid
    killer = process.killer
    if killer and killer["ts"] >= made.began and over and killer["signal"] == process.exit_code & 0x7f:
        found["signal"] = signal_name(killer["signal"]), killer["pid"], killer["tid"]
    return found


def find(made, said):
    """The process of this line: by birth, or by PID and time."""
    for process in reversed(made.processes):  # the latest that is not freed yet has it
        if process.tgid != said["pid"] or \
                (said["state"] == "freed" and not said["incomplete"] and freed(process) is None):
            continue
        if said["start"] and said["start"] not in [task.start for task in process.tasks]:
            continue  # another holder of the PID
        if said["freed"] is not None and \
                said["freed"] not in [task.freed for task in process.tasks]:
            continue
        if said["born"] is not None:
            if process.born == said["born"]:
                return process
            continue
        begin = process.born or 0
        end = process.freed or made.now
        if begin <= said["seen"] <= end and all(
                said[name] is None or said[name] == getattr(process, name)
                for name in MARKS[1:-1]):
            return process
    return None


def touched(made, process, gaps):
    """Does a gap touch this life?"""
    end = process.freed if process.freed is not None else made.now
    begin = process.born if process.born is not None else made.began
    return any(gap["from"] <= end and gap["to"] >= begin for gap in gaps)


def lost_records(process, lost):
    """Has a record of this process been lost? The FREE of a thread that was reaped before does not count."""
    handles = {task.handle for task in process.tasks if task.seen is not None}
    return any(record["handle"] in handles for record in lost)


def left_alone(made, process, known=True):
    """
    How much of its life none of its children lived. Not `known`: if threads exit one by one, the last one is
    not known yet.
    """
    left, at = process.exited - process.born, process.born
    children = [each for each in made.processes if each.birth_parent is process and each.born is not None]
    for child in sorted(children, key=lambda each: each.born):
        begin, end = max(child.born, at), min(made.exit_so_far(child) or made.now, process.exited)
        if not known and len(child.tasks) > 1:
            end = process.exited
        if end > begin:
            left -= end - begin
            at = end
    return left


def last_left(process):
    """The LEFT of its last thread, if others held its address space then."""
    mm = process.mm
    if not mm or mm.own is process or any(task in mm.tasks for task in process.tasks):
        return None
    return mm.left.get(process)


def memory_phases(process):
    mm, left = process.mm, last_left(process)
    down = mm and mm.teardown and mm.teardown["ts"]
    return {"held": down - left["ts"] if down and left else None,
            "unmap": mm.gone["ts"] - down if down and mm.gone else None}


def check_memory(process, said):
    """What is shown of it and is wrong. A share of its creator's memory is not known if it began before the trace."""
    its = said["memory"]
    if not its:
        return None
    if process.shares and said["born"] is not None:
        return "it has none of its own"
    mm, left, wrong = process.mm, last_left(process), {}

    def check(name, value, *allowed):
        if value not in allowed:
            wrong[name] = allowed

    if its["left"] is not None:
        check("left", (its["left"], its["holders"]), left and (left["ts"], left["users"]))
    else:
        check("holders", its["holders"], None)
    said = lambda each, comm: dict(texts("comm", comm), **texts("thread_comm", each["thread_comm"]),
                                   pid=each["pid"], tid=each["tid"])

    def who(each):
        """A thread's process is named if the memory is its own and its leader was seen."""
        leads, own = each and each["pid"] == each["tid"], each and each["process"] is process
        return [None] if not each else [said(each, each["comm"])] if leads else \
            [said(each, None)] + ([said(each, each["comm"])] if own else [])

    kib = lambda each, names: tuple(each.get(name, 0) for name in names)
    down = mm.teardown
    if its["teardown"] is not None:
        names = ("rss_anon", "rss_file", "rss_shmem", "swap")
        check("teardown", (its["teardown"], *(its[name] for name in names)), down and (down["ts"], *kib(down, names)))
        check("by", its["by"], *who(down))
        check("last", its["last"], *who(mm.last), None)
    else:
        check("last", its["last"], None, *who(mm.last))
    if its["gone"] is not None:
        check("gone", its["gone"], mm.gone and mm.gone["ts"])
    if its["early"] is not None:
        check("early", (its["early"], its["early_anon"], its["early_by"]),
              *((each["ts"], each.get("rss_anon", 0), by) for each in mm.early for by in who(each)))
    return wrong


def check_deaths(checker, words, made, objects):
    """What --lives shows of each is true, or left out."""
    for said in objects:
        process = find(made, said) if said["type"] == "life" else None
        if not process:
            continue
        mine = expected(made, process, not said["incomplete"])
        mine = {name: mine[name] for name in MARKS}
        sent = process.killer
        certain = sent and not (sent["blocked"] or sent["again"]) and sent["ts"] >= made.began and \
            sent["signal"] == process.exit_code & 0x7f
        mine["ts"], mine["killed"] = mine["exited"], sent["ts"] if certain else None
        since = mine["notified"] if mine["notified"] is not None else mine["exited"]
        # Its start is a little before its FORK, and counts if that is lost.
        begun = said["born"] if said["born"] is not None else process.leader.start - 3 * 10 ** 9
        traced = process.traced if (process.traced or 0) >= made.began and "notify" not in made.lacks else None
        mine["announced"], mine["traced_by"] = traced or mine["notified"], traced
        for phase, to, begin in (("life", "exited", begun), ("kill", "exited", mine["killed"]),
                                 ("teardown", "announced", mine["exited"]), ("traced", "notified", mine["traced_by"]), ("zombie", "reaped", since),
                                 ("rcu_free", "freed", mine["reaped"]), ("exit_free", "freed", mine["exited"])):
            mine[phase] = None if mine[to] is None or begin is None else mine[to] - begin
        del mine["announced"], mine["traced_by"]
        if mine["born"] is not None and mine["exited"] is not None and not said["incomplete"]:
            mine["alone"] = left_alone(made, process)
            if said["alone"] == left_alone(made, process, False):
                mine["alone"] = said["alone"]  # at its death, when a child's last thread had not exited
        mine.update(memory_phases(process))
        wrong_memory = check_memory(process, said)
        if wrong_memory:
            checker.differ(words, "truth of a memory", wrong_memory, said)
        wrong = {name: value for name, value in mine.items() if said[name] not in (None, value)}
        if wrong:
            checker.differ(words, "truth of a death", wrong, said)


def check(checker, words, made, objects, lost=(), gaps=(), partial=False):
    """partial: older lives are not known, and can be in pieces."""
    lines = {each["id"]: each for each in objects if each["type"] == "process"}
    owners = {}
    for number, said in lines.items():
        process = find(made, said)
        if not process:
            checker.differ(words, "no such process", "one of the machine", said)
            return
        others = [lines[number] for number, owner in owners.items() if owner is process]
        if others and not all(each["incomplete"] or (partial and each["born"] is None)
                              for each in others + [said]):
            checker.differ(words, "two lines of one process", others, said)
        owners[number] = process
    for number, said in lines.items():
        process = owners[number]
        if not check_line(checker, words, made, process, said, lines, owners, lost, gaps, partial):
            return
    for process in made.processes:
        known = process.born is not None and process.born >= made.began
        if process not in owners.values() and not lost and (known or not partial) and \
                any(task.seen is not None for task in process.tasks):
            checker.differ(words, "processes", "pid %d" % process.tgid, "not there")


def check_line(checker, words, made, process, said, lines, owners, lost, gaps, partial):
    lenient = said["incomplete"] or (partial and said["born"] is None)
    mine = expected(made, process, not lenient)
    parent = mine.pop("parent")
    signal = mine.pop("signal", None)
    wrong = []
    if said["runtime"] is None and (lenient or said["exited"] is None and said["freed"] is None):
        said = {**said, "runtime": 0}
    if said["max_rss"] is None and (lenient or not mine["rss_told"]):
        del mine["max_rss"]
    del mine["rss_told"]
    if lenient:
        if said["incomplete"] and not touched(made, process, gaps):
            wrong.append(("incomplete", False))
        for name in MARKS:
            if said[name] is not None and said[name] != mine[name]:
                wrong.append((name, mine[name]))
        wrong += [(name, mine[name]) for name in ("runtime", "execs") if said[name] > mine[name]]
        if said["max_rss"] != mine.get("max_rss"):
            wrong.append(("max_rss", mine["max_rss"]))
    else:
        if lost_records(process, lost):
            wrong.append(("incomplete", True))
        if any((task.exiting or made.began) < made.began for task in process.tasks):
            # A reader need not conclude that only this thread had begun to exit before the trace.
            mine["exited"] = OrNone(mine["exited"])
        if said["ns_inum"] == 0:  # neither a FORK nor a TASK has shown it
            mine = {name: mine[name] for name in MARKS}
        wrong += [(name, value) for name, value in mine.items() if said[name] != value]
        killer = said["killer"] and (said["killer"]["signal"], said["killer"]["pid"],
                                     said["killer"]["tid"])
        if mine.get("wait_status") is not None and killer != signal and not gaps:
            wrong.append(("killer", signal))
    if said["parent_id"] is not None and owners.get(said["parent_id"]) is not parent and \
            said["born"] is not None:
        wrong.append(("parent", parent and parent.tgid))
    if wrong:
        checker.differ(words, "truth", dict(wrong), said)
    return not wrong
