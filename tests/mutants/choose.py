# SPDX-License-Identifier: GPL-2.0-only
"""Chooses changes at random places, of those that compile to something else."""
import glob
import hashlib
import os
import queue
import random
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import places
import sources

FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", '-DPROCLIFE_VERSION="0"', "-Iinclude", "-Iuser/lib", "-Iuser/read"]


def wanted(part):
    """proclife.h has declarations alone."""
    return lambda name: name.startswith("user/%s/" % part) and name != "user/lib/proclife.h"


class Compiler:
    """Says whether the code that a change leads to is another one: some trees, one for each job."""

    def __init__(self, jobs, users):
        self.users = users
        self.folder = tempfile.mkdtemp(prefix="proclife-mutants-")
        self.trees, self.originals = queue.Queue(), {}
        for job in range(jobs):
            tree = os.path.join(self.folder, str(job))
            for name in ("include", "user"):
                shutil.copytree(os.path.join(sources.ROOT, name), os.path.join(tree, name))
            self.trees.put(tree)

    def end(self):
        shutil.rmtree(self.folder)

    def code(self, tree, unit):
        run = subprocess.run(["gcc", *FLAGS, "-O2", "-w", "-fPIC", "-fno-semantic-interposition", "-S",
                              "-o", "-", unit], cwd=tree, capture_output=True, check=False)
        return hashlib.sha256(run.stdout).digest() if not run.returncode else None

    def differs(self, mutant, text):
        """Whether a unit that has the file compiles, and to other code than before."""
        tree = self.trees.get()
        path = os.path.join(tree, mutant.file)
        try:
            for unit in self.users[mutant.file]:
                if unit not in self.originals:
                    self.originals[unit] = self.code(tree, unit)
                sources.write(path, mutant.applied(text))
                code = self.code(tree, unit)
                sources.write(path, text)
                if code is None:
                    return False
                if code != self.originals[unit]:
                    return True
            return False
        finally:
            sources.write(path, text)
            self.trees.put(tree)


def find(part):
    """The files of the part by name, with all places, and which units have which file."""
    os.chdir(sources.ROOT)
    units = sorted(glob.glob("user/%s/**/*.c" % part, recursive=True))
    return places.find([(unit, FLAGS) for unit in units], wanted(part),
                       lambda path: os.path.normpath(path))


def choose(part, seed, count, jobs):
    """This many mutants of the part; the same ones for each seed. Also how many places there are, and
    how many changes were left out, because they do not compile or make no difference to the code."""
    files, found, users = find(part)
    rng = random.Random("%s %d" % (part, seed))
    changes = [(place, rng.choice(place.choices)) for place in found]
    rng.shuffle(changes)
    compiler = Compiler(jobs, users)
    chosen, left_out = [], 0

    def attempt(change):
        place, new = change
        mutant = sources.Mutant(0, place.file, place.operator, place.start, place.end, new, place.body,
                                place.labels, place.mark)
        return mutant, compiler.differs(mutant, files[place.file].text)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            at = 0
            while len(chosen) < count and at < len(changes):
                more = changes[at:at + max(count - len(chosen), jobs)]
                for mutant, good in pool.map(attempt, more):
                    at += 1
                    left_out += not good
                    if good:
                        mutant.number = len(chosen) + 1
                        chosen.append(mutant)
                        if len(chosen) == count:
                            break
    finally:
        compiler.end()
    return files, chosen, len(found), left_out
