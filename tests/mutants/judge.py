# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests that reach a mutant, the quickest first, on one mutant after the other."""
import os
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

NOTES = 65536  # MUTANT_MAX of mutant.h
PASSED, FAILED, TIMED_OUT = "passed", "failed", "timed out"
# A mutant may fill the memory, and kill all processes that it sees, so it sees only its own. In the model
# the program has to be in the initial PID namespace: there, mutant.h makes kill() harmless.
MEMORY = ["--kill-child", "sh", "-c", 'mount -t tmpfs -o size=1g mutant /dev/shm && "$@"; exit $?', "sh"]
APART = ["unshare", "-pfm", "--mount-proc", *MEMORY]
IN_MODEL = ["unshare", "-fm", *MEMORY]


def can_part():
    return not subprocess.run([*APART, "true"], capture_output=True, check=False).returncode


class Runner:
    """Runs a command in the tree, with a time limit."""

    def __init__(self, tree):
        self.tree = tree
        self.can_part = can_part()
        if not self.can_part:
            print("no namespaces here: mutants can reach other processes of this user", flush=True)

    def run(self, test, limit, number, reached=None, out=subprocess.DEVNULL):
        apart = IN_MODEL if test.stage == "model" else APART
        command = [*(apart if self.can_part else []), *test.command]
        environment = dict(os.environ, PROCLIFE_MUTANT=str(number))
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PROCLIFE_REACHED"):
            environment.pop(name, None)
        if reached:
            environment["PROCLIFE_REACHED"] = reached
        memory = tempfile.mkdtemp(prefix="proclife-mutant-")
        environment["TMUX_TMPDIR"] = memory  # tests name its sockets by their PIDs, which are the same ones in each namespace
        if not self.can_part:
            environment["TMPDIR"] = memory
        begin = time.monotonic()
        try:
            with subprocess.Popen(command, cwd=self.tree, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as process:
                try:
                    status = process.wait(limit)
                    verdict = FAILED if status else PASSED
                except subprocess.TimeoutExpired:
                    verdict = TIMED_OUT
                try:
                    os.killpg(process.pid, 9)
                except ProcessLookupError:
                    pass
        finally:
            shutil.rmtree(memory, ignore_errors=True)
        return verdict, time.monotonic() - begin


class Test:
    """A test program or one of its tests, or the model with one seed: how long it takes, and which mutants it reaches."""

    def __init__(self, stage, name, command, seconds=0.0, reached=()):
        self.stage, self.name, self.command = stage, name, command
        self.seconds, self.reached = seconds, set(reached)

    def limit(self):
        return 5 + 4 * self.seconds


def unit_tests(tree, build, stage):
    """The unit tests that are built there; each has B in its environment."""
    folder = os.path.join(tree, build, "tests/unit")
    return [Test(stage, name, ["env", "B=" + build, "%s/tests/unit/%s" % (build, name)])
            for name in sorted(os.listdir(folder))
            if name.startswith("test_") and "." not in name]


def model_tests(seeds):
    """Each seed is a test. The copy of the build keeps the recordings of two jobs apart."""
    script = ('b=$(mktemp -d) && ln -s "$PWD/$1"/proclife-read "$PWD/$1"/lib* "$b" &&'
              ' tests/model/run --build "$b" --seeds $2-$2 --stop-at 1; s=$?; rm -rf "$b"; exit $s')
    return [Test("model", "seed %d" % seed, ["sh", "-c", script, "sh", "build", str(seed)])
            for seed in seeds]


def measure(runner, test):
    """Runs it without a mutant: how long it takes, and which mutants it reaches. Also sets its list of tests."""
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryFile() as out:
        file.truncate(NOTES)
        verdict, test.seconds = runner.run(test, 600, 0, file.name, out)
        notes = file.read()
        out.seek(0)
        test.parts = re.findall(r"^\[ RUN +\] (\w+)", out.read().decode(errors="replace"), re.M)
    test.reached = {n for n in range(NOTES) if notes[n]}
    return verdict


def measure_parts(runner, test):
    """The tests of a program that takes some time, if each can run alone, or the program."""
    if test.seconds < 0.5 or len(test.parts) < 2:
        return [test]
    parts = [Test(test.stage, "%s: %s" % (test.name, part),
                  ["env", "PROCLIFE_TEST=" + part, *test.command]) for part in test.parts]
    alone = all(measure(runner, part) == PASSED for part in parts)
    reached = set().union(*(part.reached for part in parts))
    return parts if alone and reached >= test.reached else [test]


def measure_all(runner, tests, jobs):
    """The tests to be run. A test that fails without any mutant is an error."""
    with ThreadPoolExecutor(jobs) as pool:
        verdicts = list(pool.map(lambda test: measure(runner, test), tests))
        failed = ["%s: %s" % (test.name, verdict) for test, verdict in zip(tests, verdicts)
                  if verdict != PASSED]
        if failed:
            raise SystemExit("these fail without any mutant:\n" + "\n".join(failed))
        tests.sort(key=lambda test: -test.seconds)
        return [part for parts in pool.map(lambda test: measure_parts(runner, test), tests)
                for part in parts]


def try_on(runner, test, number):
    """The machine may be slow now: a mutant hangs only if the original takes far less at the same time."""
    limit = test.limit()
    while True:
        verdict, _ = runner.run(test, limit, number)
        if verdict != TIMED_OUT or limit > 20 * test.limit():
            return verdict
        _, seconds = runner.run(test, limit, 0)
        if seconds < limit / 3:
            return verdict
        limit *= 3


def judge(runner, mutant, tests, number=None):
    """Which test kills it: the stage, the test, and whether it hung there; None if none does."""
    number = mutant.number if number is None else number
    for test in tests:
        verdict = try_on(runner, test, number)
        if verdict != PASSED:
            return test.stage, test.name, verdict == TIMED_OUT
    return None


def order(tests, number):
    """The tests that reach the mutant: unit tests before the model, the quick ones first."""
    stages = ["unit", "sanitizers", "model"]
    return sorted((each for each in tests if number in each.reached),
                  key=lambda each: (stages.index(each.stage), each.seconds))
