# SPDX-License-Identifier: GPL-2.0-only
"""
Files of changes, and the table of the mutants' results. As a program, this prints which blocks of
`lies` and `equivalent` no longer stand in the sources.
"""
import os
import re
import sys

import sources

EQUIVALENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "equivalent")
LIES = os.path.join(os.path.dirname(EQUIVALENT), "lies")


def words(text):
    return " ".join(text.split())


def blocks(path):
    """Blocks of a file, with empty lines between them: the name that the first line begins with, and
    the texts of the lines that begin with "-", "+" and "=". Lines that begin with "#" are remarks."""
    with open(path, encoding="utf-8") as file:
        texts = file.read()
    for block in re.split(r"\n\s*\n", texts):
        lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
        if not lines:
            continue
        parts = {sign: [line[1:] for line in lines[1:] if line[0] == sign] for sign in "-+="}
        if not parts["-"] or len(lines) - 1 != sum(map(len, parts.values())):
            raise SystemExit("%s: not a block of FILE, -OLD and +NEW:\n%s" % (path, block))
        yield lines[0].strip(), {sign: "\n".join(part) for sign, part in parts.items()}


def place(text, line, old):
    """The place of OLD nearest to that line, since lines move; None: nowhere."""
    pattern = rb"\s+".join(re.escape(word) for word in old.encode().split())
    return min(re.finditer(pattern, text), default=None,
               key=lambda match: abs(text.count(b"\n", 0, match.start()) + 1 - line))


def stale(path):
    """The blocks whose OLD is not in their file."""
    for head, parts in blocks(path):
        name, _, line = head.rpartition(":")
        source = os.path.join(sources.ROOT, name)
        text = b""
        if os.path.isfile(source):
            with open(source, "rb") as file:
                text = file.read()
        if not place(text, int(line), parts["-"]):
            yield "%s: not there:\n%s" % (head, parts["-"])


def changes(path, files):
    """Mutants that a file describes: OLD at FILE:LINE becomes NEW."""
    made = []
    for head, parts in blocks(path):
        name, _, line = head.rpartition(":")
        if not line.isdigit() or not os.path.isfile(os.path.join(sources.ROOT, name)):
            raise SystemExit("%s: %s: not a line of a file" % (path, head))
        if name not in files:  # of another part
            continue
        source = files[name]
        match = place(source.text, int(line), parts["-"])
        if not match:
            raise SystemExit("%s: %s: not there:\n%s" % (path, head, parts["-"]))
        body = next(((start, end, labels) for start, end, labels in source.bodies
                     if start < match.start() and match.end() < end), None)
        made.append(sources.Mutant(len(made) + 1, name, "by hand", match.start(), match.end(),
                                   parts["+"].strip(), body and body[:2], body[2] if body else ()))
    return made


class Equivalent:
    """Changes that are known to make no difference, by their lines before and after."""

    def __init__(self):
        self.reasons = {}
        wrong = []
        for name, parts in blocks(EQUIVALENT):
            self.reasons[name, words(parts["-"]), words(parts["+"])] = words(parts["="])
            path = os.path.join(sources.ROOT, name)
            text = ""
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    text = words(file.read())
            if words(parts["-"]) not in text or not parts["="].strip():
                wrong.append("%s: %s" % (name, words(parts["-"])))
        if wrong:
            raise SystemExit("tests/mutants/equivalent: not there, or without a reason:\n" +
                             "\n".join(wrong))

    def reason(self, mutant, text):
        return self.reasons.get((mutant.file, *mutant.lines(text)))


def entry(mutant, text, remark=""):
    """Which change it is."""
    return "%d  %s:%d  %s%s\n- %s\n+ %s" % (
        mutant.number, mutant.file, mutant.line(text), mutant.operator, remark, *mutant.lines(text))


def show(part, seed, files, mutants, results, equivalent, total, left_out):
    """The table of a part, and its survivors. Returns whether the file of equivalent ones is right."""
    done = [each for each in mutants if each.number in results]
    count = lambda test: sum(1 for each in done if test(results[each.number]))
    survivors = [each for each in done if not results[each.number]["by"]]
    known = [each for each in survivors if equivalent.reason(each, files[each.file].text)]
    killed = [each for each in done if results[each.number]["by"] and
              equivalent.reason(each, files[each.file].text)]
    print("\n%d places; %d changes left out, which do not compile or lead to the same code" %
          (total, left_out))
    print("%-7s %9s %8s %6s %10s %6s %6s %10s %9s %11s %9s" % (
        "part", "seed", "mutants", "unit", "sanitizers", "model", "guest", "timed out", "survived",
        "equivalent", "killed"))
    stages = [count(lambda each, stage=stage: each["stage"] == stage and not each["hung"])
              for stage in ("unit", "sanitizers", "model", "guest")]
    print("%-7s %9s %8d %6d %10d %6d %6d %10d %9d %11d %7.1f %%" % (
        part, seed, len(done), *stages, count(lambda each: each["hung"]), len(survivors), len(known),
        100.0 * (len(done) - len(survivors)) / max(len(done) - len(known), 1)))
    for each in survivors:
        text = files[each.file].text
        reason = equivalent.reason(each, text)
        print("\n" + entry(each, text, "" if results[each.number]["reached"] else ", which no test reaches"))
        if reason:
            print("= " + reason)
    for each in killed:
        print("\ntests/mutants/equivalent has this, but %s kills it: %s: %s" % (
            results[each.number]["by"], each.file, each.lines(files[each.file].text)[0]))
    return not killed


def main():
    Equivalent()
    gone = list(stale(LIES))
    if gone:
        raise SystemExit("%s\n%s: bring %d up to date, or drop them" % ("\n".join(gone), LIES, len(gone)))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
