# SPDX-License-Identifier: GPL-2.0-only
"""Judges the mutants of the module in guests; all are in one module. Mutants outside functions
are not tried: each would need its own module, and mostly its own guest."""
import os
import queue
import re
import shlex
import signal
import subprocess
import threading

import build
import judge
import sources

# These need another kind of guest, or load the module in a storm.
OTHERS = {"test_module", "test_suspend", "test_stalled", "test_wakeups", "test_faults"}
SECONDS = 120  # of tests for one mutant, as long as they take without it


class Guests:
    """A tree with all mutants, and what runs in guests of it."""

    def __init__(self, folder, files, mutants, options):
        self.tree = os.path.join(folder, "tree")
        self.files, self.mutants = files, mutants
        self.command, self.jobs = shlex.split(options.vm), options.jobs

    def build(self):
        names = sources.listed()
        sources.copy(self.tree, [name for name in names if name not in self.files])
        for name, source in self.files.items():
            inside = [each for each in self.mutants if each.file == name]
            sources.write(os.path.join(self.tree, name),
                          sources.schemata(source.text, inside, "mutant.h") if inside else source.text)
        own = os.path.join(sources.ROOT, "tests/mutants")
        for name in ("mutant.h", "switch.c"):
            with open(os.path.join(own, name), "rb") as file:
                sources.write(os.path.join(self.tree, "module", name), file.read())
        self.append("Kbuild", "mutants-y := module/switch.o\nobj-m += mutants.o\n")
        self.append("dkms.conf", 'BUILT_MODULE_NAME[1]="mutants"\nDEST_MODULE_LOCATION[1]="/updates/dkms"\n')
        failed = build.make(self.tree, self.jobs, "all", "guest-tests")
        if failed:
            raise SystemExit("the guest tests do not build in %s:\n%s" % (self.tree, failed))

    def append(self, name, more):
        with open(os.path.join(sources.ROOT, name), encoding="utf-8") as file:
            sources.write(os.path.join(self.tree, name), (file.read() + more).encode())

    def lines(self, words, limit):
        """What tests/mutants/guest prints in a guest, as it comes; None after no output for this
        many seconds, or for ten minutes before the first line, after which the guest is ended."""
        process = subprocess.Popen(
            [*self.command, "--timeout", "20000", "--", "tests/mutants/guest", *words], cwd=self.tree,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", start_new_session=True)
        came = queue.Queue()
        self.errors = []

        def read(stream, to):
            for line in stream:
                to(line.rstrip("\n"))
            to(None)

        threads = [threading.Thread(target=read, args=each, daemon=True) for each in (
            (process.stdout, came.put), (process.stderr, self.errors.append))]
        for each in threads:
            each.start()
        first = True
        try:
            while True:
                line = came.get(timeout=None if first else limit)
                if line is None:
                    break
                first = False
                yield line
        except queue.Empty:
            yield None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    def measure(self):
        """The tests, the quickest first. They have to pass."""
        names = sorted(name for name in os.listdir(os.path.join(self.tree, "build/tests/guest"))
                       if re.fullmatch("test_[a-z_]+", name) and name not in OTHERS)
        names += ["exactness", "witness"]
        tests, failed = [], []
        for line in self.lines(["--measure", *names], 900):
            words = (line or "").split()
            if len(words) < 3 or words[0] not in names:
                continue
            reached = [int(each) for each in "".join(words[3:]).split(",") if each]
            tests.append(judge.Test("guest", words[0], None, int(words[2]) / 1000, reached))
            if words[1] != "0":
                failed.append(words[0])
        if failed or len(tests) != len(names):
            raise SystemExit("%d of %d guest tests ran without any mutant, and these fail: %s\n%s" % (
                len(tests), len(names), " ".join(failed), "\n".join(map(str, self.errors[-30:]))))
        return sorted(tests, key=lambda each: each.seconds)

    def judge(self, todo, tests, done):
        """Calls done(mutant, killed, reached) for each, from as many guests as it takes."""
        left, again = list(todo), set()
        while left:
            chosen = {each.number: self.selected(each, tests) for each in left}
            for mutant in [each for each in left if not chosen[each.number]]:
                done(mutant, None, False)
            left = [each for each in left if chosen[each.number]]
            if left:
                left = self.one_guest(left, chosen, again, done)

    def selected(self, mutant, tests):
        left, mine = SECONDS, []
        for test in tests:
            if mutant.number in test.reached and left > test.seconds:
                left -= test.seconds
                mine.append(test)
        return mine

    def one_guest(self, left, chosen, again, done):
        """Returns the mutants that are left, once the guest has ended."""
        limit = lambda test: 30 + int(4 * test.seconds)
        words = ["%d:%s" % (each.number, " ".join("%s=%d" % (test.name, limit(test))
                                                  for test in chosen[each.number])) for each in left]
        # A living guest prints something within this time.
        most = max(limit(test) for each in left for test in chosen[each.number]) + 100
        current, finished = None, 0
        hung = False
        for line in self.lines(words, most):
            if line is None:
                hung = True
                break
            match = re.fullmatch(r"begin (\d+)", line)
            if match:
                current = int(match[1])
            match = re.fullmatch(r"(\d+) (passed|failed|hung) ?(\w*)", line)
            if match and left and int(match[1]) == left[0].number:
                killed = None if match[2] == "passed" else ("guest", match[3], match[2] == "hung")
                done(left.pop(0), killed, True)
                current, finished = None, finished + 1
        if current is None and not finished:
            raise SystemExit("no guest begins:\n" + "\n".join(map(str, self.errors[-30:])))
        if current is not None:
            # An earlier mutant may be the cause: it gets a guest of its own.
            if finished and current not in again:
                again.add(current)
            else:
                done(left.pop(0), ("guest", "the guest is lost", hung), True)
        return left
