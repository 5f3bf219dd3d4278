# SPDX-License-Identifier: GPL-2.0-only
"""Changed copies of the sources: one change alone, or all of them, to choose from at run time."""
import hashlib
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Mutant:
    """One change of one file: text[start:end] becomes new."""

    def __init__(self, number, file, operator, start, end, new, body=None, labels=(), mark=None):
        self.number, self.file, self.operator = number, file, operator
        self.start, self.end, self.new = start, end, new
        self.body, self.labels, self.mark = body, list(labels), mark

    def applied(self, text):
        return text[:self.start] + self.new.encode() + text[self.end:]

    def lines(self, text):
        """The changed lines, before and after, on one line each."""
        first = text.rfind(b"\n", 0, self.start) + 1
        last = text.find(b"\n", self.end)
        last = len(text) if last < 0 else last
        words = lambda part: " ".join(part.decode().split())
        return words(text[first:last]), words(
            text[first:self.start] + self.new.encode() + text[self.end:last])

    def line(self, text):
        return text.count(b"\n", 0, self.start) + 1


def listed():
    """The files of the project, as they are now."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         cwd=ROOT, check=True, capture_output=True).stdout
    return sorted({name for name in out.decode().split("\0")
                   if name and os.path.isfile(os.path.join(ROOT, name))})


def judged():
    """The files on which the results depend."""
    return [name for name in listed() if name.startswith(("user/", "include/", "module/", "tests/")) and
            not name.startswith("tests/mutants/")]


def digest(names):
    total = hashlib.sha256()
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as file:
            total.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def copy(to, names):
    """A tree of these files; unchanged ones keep their times, for make."""
    for name in names:
        source, path = os.path.join(ROOT, name), os.path.join(to, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy2(source, path)


def write(path, text):
    """Writes it unless it is unchanged."""
    try:
        with open(path, "rb") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)


def own_labels(labels):
    return ("__label__ %s;" % ", ".join(labels) if labels else "").encode()


def schemata(text, mutants, prelude):
    """The text with all these mutants of functions: each changed body stands before the original, which
    notes what is reached. Lines keep their numbers as far as they are the original's."""
    edits = []
    for body in {each.body for each in mutants}:
        inside = [each for each in mutants if each.body == body]
        start, end = body
        changed = b""
        for each in inside:
            new = each.applied(text)[start:end + len(each.new.encode()) - (each.end - each.start)]
            changed += b"if (MUTANT_IS(%d)) {%s %s goto mutant_end; }\n" % (
                each.number, own_labels(each.labels), new)
        line = text.count(b"\n", 0, start) + 1
        edits.append((start, 0, b"{\n%s%s\n#line %d\n" % (own_labels(inside[0].labels), changed, line)))
        # A body that ends without a return must not go on in the original one.
        edits.append((end, 0, b" mutant_end: ;}"))
        for each in inside:
            note = b"MUTANT_REACHED(%d)" % each.number
            kind, at, until = each.mark or ("statement", start + 1, None)
            if kind == "expression":
                edits.append((at, 1, note + b", "))
            elif kind == "statement":
                edits.append((at, 1, note + b"; "))
            else:
                edits += [(at, 1, b"{ " + note + b"; "), (until, -1, b" }")]
    edits.sort(key=lambda edit: edit[:2])
    pieces, done = [b'#include "%s"\n#line 1\n' % prelude.encode()], 0
    for at, _, more in edits:
        pieces += [text[done:at], more]
        done = at
    return b"".join(pieces) + text[done:]
