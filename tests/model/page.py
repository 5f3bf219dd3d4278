# SPDX-License-Identifier: GPL-2.0-only
"""The page of --html: it packs the lives of the trace, and the sums of --summary."""
import base64
import json
import os
import re

import lives
import summary
import triggers
import values
import views

COLUMNS = ("begin before flags state pid parent parent_pid comm path args end code exited traced notified reaped freed lived_to killed left "
           "teardown gone forking started execing execed waited mapped runtime rss user cgroup threads execs creator reaper cpu").split()
ENDED, FAILED, UNSURE, OLDER, INCOMPLETE, KTHREAD, CONTEXT, ARGS_CUT, NOTIFIED_LOST, TRACER_LOST, CPU_KNOWN = (1 << bit for bit in range(11))
STATES = ["alive", "dying", "zombie", "unfreed", "freed", "unknown"]
RECENT = 64


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def uint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def part(self, size):
        self.at += size
        return Reader(self.data[self.at - size:self.at])


def signed(value):
    return -(value + 1) // 2 if value % 2 else value // 2


def column(reader, count):
    """After two equal values comes the number of further repetitions."""
    part, found, last = reader.part(reader.uint()), [], None
    while len(found) < count:
        value = part.uint()
        found.append(value)
        if value == last:
            found += [value] * part.uint()
            value = None
        last = value
    return found


def strings(reader):
    sizes = [reader.uint() for _ in range(reader.uint())]
    return [""] + [reader.part(size).data.decode() for size in sizes]


def lines(reader):
    """Command lines: the part that each shares with an earlier one, and the rest."""
    words, found, recent = strings(reader), [[]], []
    count = reader.uint()
    packed = reader.part(reader.uint())
    for number in range(1, count + 1):
        back, size, line, at = packed.uint(), packed.uint(), [], 0
        other = found[number - back] if back else []
        while len(line) < size:
            same = packed.uint()
            line += other[at:at + same]
            at += same
            if len(line) == size:
                break
            both = packed.uint()
            at += both >> 4
            for _ in range(both & 15):
                word = packed.uint()
                if word < RECENT:
                    word = recent[-1 - word]
                else:
                    word -= RECENT - 1
                    recent.append(word)
                line.append(word)
        found.append(line)
    return ["".join(words[word] for word in line) for line in found]


def unescape(text):
    escapes = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\", "'": b"'"}
    return b"".join(bytes([int(part[2:], 16)]) if part[:2] == "\\x" else escapes[part[1]] if part[0] == "\\" else part.encode()
                    for part in re.findall(r"\\x[0-9a-f]{2}|\\.|[^\\]+", text, re.S))


def arguments(text):
    """Arguments as a shell reads them."""
    found = []
    for plain, quoted, escaped in re.findall(r"([^ '$]+)|(?<!\$)'([^']*)'|\$'((?:[^'\\]|\\.)*)'", text):
        found.append(plain.encode() or quoted.encode() or unescape(escaped))
    return found


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        data = {name: base64.b64decode(re.search('id="%s">([^<]*)<' % name, text)[1]) for name in ("rows", "facts", "texts")}
        self.facts = json.loads(data["facts"])
        self.zero = self.facts["begin"][0] * 10 ** 9 + self.facts["begin"][1]
        texts = Reader(data["texts"])
        self.strings = strings(texts)
        self.lines = lines(texts)
        reader = Reader(data["rows"])
        count = reader.uint()
        packed = {name: column(reader, count) for name in COLUMNS}
        self.rows = []
        last = {"begin": 0, "pid": 0}
        for number in range(count):
            row = {name: packed[name][number] for name in COLUMNS}
            for name in last:
                row[name] = last[name] = last[name] + signed(row[name])
            row["parent"] = number - signed(row["parent"]) if row["parent"] else None
            self.set_marks(row)
            self.rows.append(row)
        assert reader.uint() == 0, "nothing is folded"
        self.open = {}
        names = {phase["number"]: phase["name"] for phase in self.facts["phases"]}
        while (number := reader.uint()):
            name = names[reader.uint()]
            self.open[number - 1, name] = reader.uint() + self.zero

    def set_marks(self, row):
        def mark(name, *before):
            since = next((row[each] for each in before if row[each] is not None))
            row[name] = since + signed(row[name] - 1) if row[name] else None
        mark("exited", "begin")
        mark("traced", "exited", "begin")
        mark("notified", "traced", "exited", "begin")
        mark("reaped", "notified", "traced", "exited", "begin")
        mark("freed", "reaped", "notified", "traced", "exited", "begin")
        mark("lived_to", "begin")
        for name in ("killed", "left", "teardown"):
            mark(name, "exited", "begin")
        mark("gone", "teardown", "exited", "begin")
        mark("forking", "begin")
        mark("started", "begin")
        mark("execing", "started", "begin")
        mark("execed", "execing", "started", "begin")

    def time(self, row, name):
        return None if row[name] is None else row[name] + self.zero

    def zombie(self, row):
        if row["flags"] & NOTIFIED_LOST:
            return None
        return self.phase(row, "exited" if row["notified"] is None else "notified", "reaped")

    def teardown(self, row):
        return self.phase(row, "exited", "notified" if row["traced"] is None else "traced")

    def phase(self, row, first, last):
        row = {**row, "born": None if row["flags"] & OLDER else row["begin"]}
        return None if row[first] is None or row[last] is None else row[last] - row[first]

    def life(self, row):
        """What --tree --json has of it, and its phases."""
        found = {"pid": row["pid"], "seen": self.time(row, "begin"), "before": row["before"],
                 "lived_to": self.time(row, "lived_to" if row["exited"] is None else "exited"),
                 "runtime": row["runtime"] if row["flags"] & CPU_KNOWN else None, "max_rss": row["rss"] or None,
                 "threads": row["threads"], "execs": row["execs"], "state": STATES[row["state"]],
                 "kthread": bool(row["flags"] & KTHREAD), "wait_status": row["code"] - 1 if row["code"] else None,
                 "parent": None if row["parent"] is None else self.rows[row["parent"]]["pid"],
                 "comm": values.text(unescape(self.strings[row["comm"]].replace('""', ""))),
                 "path": values.text(unescape(self.strings[row["path"]])) if row["path"] else None,
                 **{name: self.time(row, name) for name in ("exited", "notified", "reaped", "freed")}}
        if row["args"]:
            found["args"] = [values.text(word) for word in arguments(self.lines[row["args"]])]
            found["args_cut"] = bool(row["flags"] & ARGS_CUT)
        return found


def lived_to(process):
    """By when it lived no more, as the trace has it."""
    over = (process.announced, process.reaped, process.freed,
            process.first_shown_zombie if process.shown_zombie else None)
    return process.exited or min((mark for mark in over if mark is not None), default=None)


PHASES = {"kill": ("killed", "exited"), "traced": ("traced", "notified"), "held": ("left", "teardown"),
          "unmap": ("teardown", "gone"), "rcu_free": ("reaped", "freed"), "exit_free": ("exited", "freed"),
          "fork": ("forking", "born"), "first_run": ("born", "started"), "exec": ("execing", "execed"),
          "spawn": ("forking", "execed")}


def check(checker, words, session, status=0):
    path = os.path.join(checker.path, "page.html")
    words = words + ["--html", path]
    code, out, errors = checker.call(*words)
    checker.equal(words, "status" + (" (%s)" % errors.strip() if errors else ""), status, code)
    checker.equal(words, "output", "", out)
    page = Page(path)
    programs = [each for each in summary.summary(session, "comm") if each["type"] == "program"]
    for mine, its in (("ended", "runs"), ("failed", "failed"), ("open", "open"), ("runtime", "runtime")):
        checker.equal(words, mine, sum(each[its] for each in programs), page.facts[mine])
    checker.equal(words, "lost", session.lost, page.facts["lost"])
    shown = [row for row in page.rows if not row["flags"] & CONTEXT]
    for name, flag in (("ended", ENDED), ("failed", FAILED)):
        checker.equal(words, name + " by row", page.facts[name], sum(bool(row["flags"] & flag) for row in shown))
    if session.options.filters() or session.options.threads:
        return
    expected = sorted(views.tree(session), key=lambda each: each["id"])
    pids = {each["id"]: each["pid"] for each in expected}
    checker.equal(words, "lives", len(expected), len(page.rows))
    processes = {each.id: each for each in session.lives.processes}
    for mine, row in zip(expected, page.rows):
        mine = {**mine, "parent": pids.get(mine["parent_id"]), "lived_to": lived_to(processes[mine["id"]]),
                "before": session.lived_before(processes[mine["id"]])}
        its = page.life(row)
        checker.equal(words, "life of %d" % mine["pid"], {name: mine.get(name) for name in its}, its)
        phases = lives.process_phases(processes[mine["id"]])
        going = triggers.going_on(session, processes[mine["id"]])
        checker.equal(words, "open phases of %d" % mine["pid"],
                      {name: since for name, since in going.items() if name != "life"},
                      {name: since for (number, name), since in page.open.items() if page.rows[number] is row})
        checker.equal(words, "phases of %d" % mine["pid"], {name: phases[name] for name in (*PHASES, "teardown", "zombie", "wait")},
                      {**{name: page.phase(row, *marks) for name, marks in PHASES.items()}, "teardown": page.teardown(row), "zombie": page.zombie(row), "wait": row["waited"] - 1 if row["waited"] else None})
