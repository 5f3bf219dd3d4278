# SPDX-License-Identifier: GPL-2.0-only
"""--info: what a recording is, by its own files."""
import os

import abi
import session
import values
import views

REAP_SOURCES = {0: None, 1: "cgroup_release()", 2: "cgroup_task_release()"}
KNOWN = [name for name in abi.NUMBERS if name not in ("none", "types")]


class Whole(session.Session):
    """The recording goes on when the command is gone."""

    def is_over(self, ts):
        return False


def command(read, seen):
    env = read.env
    if not env["command"]:
        return None
    found = {"pid": env["command"], "status": max(env["command_status"], -1), "path": None}
    if found["status"] < 0:
        found["status"] = None
    for process in seen.lives.processes:
        if process.tgid != env["command"] or process.born is None or process.path is None or \
                process.creator_pid != env["command_creator"] or found["path"] is not None:
            continue
        found.update(values.texts("path", process.path))
        if process.args is not None:
            found["args"] = [values.text(each) for each in process.args]
            found["args_cut"] = process.args_cut
    return found


def processes(read, seen):
    """For a recording that is whole."""
    of = seen.lives.processes
    left = [each.state for each in of if each.freed is None]
    return {"all": len(of), "born": sum(each.born is not None for each in of),
            "ended": sum(each.last_exit is not None for each in of),
            "alive": left.count("alive"), "dying": left.count("dying"), "zombies": left.count("zombie"),
            "unfreed": left.count("unfreed"), "unknown": left.count("unknown")}


def describe(path, read):
    env = read.env
    seen = Whole(read, session.Options())
    records = [event for event in read.events if event["type"] not in ("lost", "history")]
    times = [event["ts"] for event in records if event["type"] != "task"]
    types = {name: sum(event["type"] == name for event in records) for name in KNOWN}
    uuid = read.metadata.uuid.hex()
    suppressed = {name: 0 for name in ("wait", "rename", "signal", "cgroup", "mm", "notify", "birth", "fail")}
    for event in records:
        if event["type"] == "suppressed":
            suppressed[abi.TYPES[event["what"]]] += event["count"]
    return dict(
        {"v": 1, "type": "recording", "recording": path,
         "uuid": "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:])),
         "slice_of": values.text(env["slice_of"]) if "slice_of" in env else None,
         "part": None, "parts": None,
         "state": "complete" if env["complete"] else "cut", "reason": values.text(env["reason"]) or None,
         "began": env["began"], "first": min(times, default=None), "synced": env["synced"] or None,
         "ended": env["ended"] if env["complete"] else read.last,
         "kernel": values.text(env["kernel_release"]), "source": views.source(env),
         "module": values.text(env["tracer_version"]),
         "abi": env["abi_version"], "exit_mark": views.exit_mark(env),
         "reap_source": REAP_SOURCES[env["reap_source"]], "reap_missed": env["reap_missed"],
         "marks_missed": env["marks_missed"], "cgroup_leave": {1: "exit", 2: "switch"}[env["cgroup_leave"]],
         "mm_marks": [name for what, name in views.MM.items() if env["mm_marks"] >> what & 1],
         "birth_marks": [name for what, name in views.BIRTHS.items() if env["birth_marks"] >> what & 1],
         "path_marks": [],
         "rss_error": env["rss_error"] or None, "cpus": env["cpus"],
         "args_bytes": env["args_bytes"], "hz": env["hz"] or None, "to_realtime": env["to_realtime"],
         "not_recorded": [name for number, name in sorted((abi.NUMBERS[name], name) for name in KNOWN)
                          if name not in ("task", "suppressed") and not env["features"] >> number & 1],
         "clock_steps": [], "command": command(read, seen), "processes": processes(read, seen),
         "records": len(records), "types": dict(types, unknown=0), "lost": read.lost,
         "suppressed": suppressed,
         "bytes": sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))},
        **{name: values.text(env[key]) or None for name, key in (("host", "hostname"), ("rcu", "rcu"))})


def streams(path, read):
    for name in sorted(os.listdir(path), key=lambda name: (name == "snapshot", len(name), name)):
        if name == "snapshot" or name.startswith("cpu_"):
            cpu = 2 ** 32 - 1 if name == "snapshot" else int(name[4:])
            yield {"v": 1, "type": "stream", "recording": path, "stream": name,
                   "bytes": os.path.getsize(os.path.join(path, name)),
                   "lost": sum(event["lost"] for event in read.events
                               if event["type"] == "lost" and event["cpu"] == cpu)}


def check(checker, path, read, status=0):
    checker.objects(["-i", path, "--info"], [describe(path, read), *streams(path, read)], status)
