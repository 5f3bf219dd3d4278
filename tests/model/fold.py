# SPDX-License-Identifier: GPL-2.0-only
"""
--tree --fold: siblings of one program, which ended alike and have equal numbers of the same descendants,
become one line, and so do the descendants. This is computed from the JSON, and the lines' common words
from --no-fold, whose order and depth equal the JSON's.
"""
import json
import random

import checks
import machine
import values


class Line:
    def __init__(self, text, depth, object_):
        self.depth, self.children, self.members = depth, [], [self]
        self.pid, self.life, self.cpu, self.rss = (
            text[:7].strip(), text[8:17].strip(), text[18:26].strip(), text[27:35].strip())
        self.label = text[37 + 3 * depth:]
        self.head, _, notes = self.label.partition("  ")
        self.notes = notes.split(", ") if notes else []
        self.runtime, self.kib = object_["runtime"] or 0, object_["max_rss"] or 0
        self.lasted = -1 if self.life == "?" else \
            (object_["exited"] or self.ended) - object_["seen"] + self.lived_before(object_)
        path, self.words = object_["path"], object_.get("args", [])[1:]
        self.base = path and path.rpartition("/")[2]
        self.program = (object_["comm"], self.base, object_["kthread"], object_["state"],
                        object_["wait_status"] or 0, object_["exited"] is None)  # as in the line
        self.command_line = tuple(object_["args"]) if "args" in object_ else path

    def lived_before(self, object_):
        """The time of an older process, until the trace begins."""
        if object_["born"] is not None or not object_["start"]:
            return 0
        return max(object_["seen"] + self.to_boottime - object_["start"], 0)

    def shape(self):
        """Alike processes have the same program, the same kind of end, and equal numbers of each descendant."""
        return (self.program, sorted(
            (repr(child.shape()), len(child.members) // len(self.members))
            for child in self.children))

    def take(self, other):
        """This line stands for the other, too."""
        self.members += other.members
        mine = {repr(child.shape()): child for child in self.children}
        for child in other.children:
            mine[repr(child.shape())].take(child)

    def slowest(self):
        return max(self.members, key=lambda each: (each.lasted, -self.members.index(each)))

    def telling(self):
        """The word that distinguishes the slowest from the others, or its process ID."""
        slowest, best = self.slowest(), None
        for i, word in enumerate(slowest.words):
            have = sum(word in each.words for each in self.members)
            if 2 * have > len(self.members):
                continue
            rank = 3 if have > 1 else 2 if word.startswith(("-", "/tmp/", "/var/tmp/")) else \
                1 if i and slowest.words[i - 1].startswith("-") else 0
            if best is None or rank <= best[0]:
                best = rank, word
        return best[1] if best else "pid " + slowest.pid

    def common_notes(self):
        found, some = [], sum("incomplete" in each.notes for each in self.members)
        for note in self.notes:
            if all(note in each.notes for each in self.members):
                found.append(note)
            elif note.startswith("SIG"):
                found.append(note.split(" ")[0])
        if 0 < some < len(self.members):
            at = [i for i, note in enumerate(found) if note.startswith(
                ("forked by", "reaped by", "parent ")) or note.endswith("threads")]
            found.insert(at[0] if at else len(found), "%d incomplete" % some)
        return "  " + ", ".join(found) if found else ""

    def said(self):
        """As the program shows it, and all below it."""
        many, label = len(self.members), self.label
        life, cpu, rss, pid = self.life, self.cpu, self.rss, self.pid
        if many > 1:
            runtime = sum(each.runtime for each in self.members)
            life, pid = self.slowest().life, "x%d" % many
            cpu = values.short(runtime) if cpu or runtime else ""
            rss = max(self.members, key=lambda each: each.kib).rss
            lines, head = len({each.command_line for each in self.members}), self.head
            if lines > 1:
                # Its words are plain, so they follow the program unquoted.
                head = head.removesuffix("".join(" " + word for word in self.words))
                head += "  (%d command lines; slowest %s)" % (lines, self.telling())
            label = head + self.common_notes()
        found = [(self.depth, pid, life, cpu, rss, label)]
        return found + [line for child in self.children for line in child.said()]


def fold(siblings):
    """From the leaves up: the first of alike ones stays."""
    kept = []
    for line in siblings:
        line.children = fold(line.children)
        same = [each for each in kept if each.shape() == line.shape()]
        if same:
            same[0].take(line)
        else:
            kept.append(line)
    return kept


def body(text):
    """The lines between the header and the summary."""
    lines = text.splitlines()
    return lines[1:lines.index("") if "" in lines else None]


def tree(objects):
    """(depth, object) of each process in the text, in its order."""
    children, ids = {}, {each["id"] for each in objects}
    for each in objects:
        parent = each["parent_id"] if each["parent_id"] in ids else None
        children.setdefault(parent, []).append(each)

    def walk(parent, depth):
        for each in children.get(parent, []):
            yield depth, each
            yield from walk(each["id"], depth + 1)
    return list(walk(None, 0))


def execute(made, task, path, args):
    made.write("exec", task, group=task.process.handle, old_pid=task.pid, path_len=len(path),
               path=path, cpu=0)
    if args:
        made.write("args", task, total=len(args), len=len(args), text=args, cpu=0)


def grow(made, rng, parent, kinds):
    """
    Processes of these kinds: (name, arguments, status, kinds of its children). A kind has the
    same children in most cases, and so is alike.
    """
    for comm, args, code, below in kinds:
        child = made.new_process(parent.process, comm=comm)
        made.tick()
        made.fork_record(child.leader, parent, parent)
        child.born = child.leader.born
        if args is not None:
            execute(made, child.leader, b"/bin/" + comm,
                    args.replace(b"#", b"%d" % rng.randrange(9)))
        made.tick()
        grow(made, rng, child.leader, below[rng.random() < .1:])
        if rng.random() < .95:
            made.end(child, code)
            if child.leader.reaped is None and rng.random() < .95:
                made.reap(child.leader, parent)
            if child.leader.reaped is not None and rng.random() < .95:
                made.free(child.leader)


# Each # becomes a random digit.
ARGS = [None, b"", b"a\0-c\0", b"a\0-d\0", b"a\0-O2\0-o\0b#.o\0s#.c\0", b"a\0-t\0/tmp/#\0-D#\0",
        b"a\0-I#\0c#\0d#\0-v\0"]


def kinds_of(rng, depth):
    """One to three kinds, each of them once or several times, in any order."""
    found = []
    for _ in range(rng.randrange(1, 4)):
        kind = (rng.choice([b"cc1", b"sh", b"a b"]), rng.choice(ARGS),
                rng.choice([0, 0, 1 << 8, 9]), kinds_of(rng, depth - 1) if depth else [])
        found += [kind] * rng.randrange(1, 4)
    rng.shuffle(found)
    return found


def check_fold(checker, seed):
    rng = random.Random("fold %d" % seed)
    made = machine.Machine(rng, cpus=2, older=4)
    made.begin()
    grow(made, rng, made.init.leader, kinds_of(rng, 2))
    made.run(rng.choice([0, 40]))
    path, _ = checks.make(checker, "fold", made)
    words = ["-i", path, "--tree"]
    # With a cut that cuts nothing, the JSON has what the text has.
    objects = [json.loads(line) for line in
               checker.call(*words, "--depth=1000", "--json")[1].splitlines()]
    shown = tree([each for each in objects if each["type"] == "process"])
    out = body(checker.call(*words, "--no-fold")[1])
    checker.equal(words + ["--no-fold"], "pids in order", [each["pid"] for _, each in shown],
                  [int(line.split()[0]) for line in out])
    Line.ended, Line.to_boottime = objects[-1]["ts"], objects[0]["to_boottime"]
    above = []
    roots = []
    for text, (depth, each) in zip(out, shown):
        line = Line(text, depth, each)
        del above[depth:]
        (above[-1].children if above else roots).append(line)
        above.append(line)
    mine = [line for root in fold(roots) for line in root.said()]
    words.append("--fold")
    code, out, _ = checker.call(*words)
    checker.equal(words, "status", 0, code)
    its = [(depth, text[:7].strip(), text[8:17].strip(), text[18:26].strip(), text[27:35].strip(),
            text[37 + 3 * depth:]) for (depth, *_), text in zip(mine, body(out))]
    checker.equal(words, "lines", len(mine), len(body(out)))
    for expected, got in zip(mine, its):
        if expected != got:
            checker.differ(words, "folded line", expected, got)
            break
