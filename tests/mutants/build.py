# SPDX-License-Identifier: GPL-2.0-only
"""Builds library, program and unit tests with all mutants of functions in them, and a tree for each
mutant outside functions."""
import os
import queue
import shutil
import subprocess

import judge
import sources

ASAN = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"


def make(tree, jobs, *words):
    """Returns make's output if it failed."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "B", "CFLAGS", "LDFLAGS")}
    run = subprocess.run(["make", "-s", "-j%d" % jobs, *words], cwd=tree, env=environment, check=False,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.stdout.decode(errors="replace") if run.returncode else None


class Trees:
    """The tree with the mutants of functions, and copies of it for mutants outside functions."""

    def __init__(self, folder, files, mutants, jobs):
        self.folder, self.files, self.jobs = folder, files, jobs
        self.main = os.path.join(folder, "tree")
        self.switched = [each for each in mutants if each.body]
        self.copies = queue.Queue()
        for job in range(jobs):
            self.copies.put(os.path.join(folder, "copy-%d" % job))

    def build(self, sanitized):
        names = sources.listed()
        kept = os.path.join(self.main, "tests/mutants/mutant.h")
        sources.copy(self.main, [name for name in names if name not in self.files])
        for name, source in self.files.items():
            inside = [each for each in self.switched if each.file == name]
            sources.write(os.path.join(self.main, name),
                          sources.schemata(source.text, inside, kept) if inside else source.text)
        self.flags = ["CFLAGS=-O2 -w", "CMOCKA_LIBS=%s/filter.o -lcmocka" % self.folder]
        subprocess.run(["gcc", "-c", "-o", os.path.join(self.folder, "filter.o"),
                        os.path.join(sources.ROOT, "tests/mutants/filter.c")], check=True)
        failed = make(self.main, self.jobs, *self.flags, "all", "unit-tests")
        if not failed and sanitized:
            failed = make(self.main, self.jobs, "B=build-asan", self.flags[1], "CFLAGS=%s -w" % ASAN,
                          "LDFLAGS=-fsanitize=address,undefined", "all", "unit-tests")
        if failed:
            raise SystemExit("the mutants do not build in %s:\n%s" % (self.main, failed))

    def judge_copy(self, mutant, tests):
        """Judges a mutant that has to be compiled alone, like judge.judge()."""
        tree = self.copies.get()
        path = os.path.join(tree, mutant.file)
        try:
            if not os.path.isdir(tree):
                # Other jobs' tests write and remove transcripts there.
                shutil.copytree(self.main, tree, symlinks=True,
                                ignore=lambda folder, names: {"build-asan"} & set(names) or
                                {each for each in names if folder.endswith("build/tests/unit") and ".txt" in each})
            with open(path, "rb") as file:
                before = file.read()
            sources.write(path, mutant.applied(self.files[mutant.file].text))
            try:
                return self.judge_built(tree, mutant, tests)
            finally:
                sources.write(path, before)
        finally:
            self.copies.put(tree)

    def judge_built(self, tree, mutant, tests):
        runner = judge.Runner(tree)
        failed = make(tree, 1, *self.flags, "all")
        at = 0
        tests = sorted(tests, key=lambda each: (each.stage == "model", each.seconds))
        while at < len(tests) and not failed:
            some = tests[at:at + 12]
            at += len(some)
            failed = make(tree, 1, *self.flags, *("build/tests/unit/" + name for name in {
                each.name.partition(":")[0] for each in some if each.stage == "unit"}))
            killed = None if failed else judge.judge(runner, mutant, some, 0)
            if killed:
                return killed
        return ("unit", "the build", False) if failed else None
