# SPDX-License-Identifier: GPL-2.0-only
"""Chooses changes at random places that compile to other code."""
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

GCC = "/usr/lib/gcc/x86_64-linux-gnu/12/include"
USER = ["-std=gnu11", "-D_GNU_SOURCE", '-DPROCLIFE_VERSION="0"', "-Iinclude", "-Iuser/lib", "-Iuser/read"]
SKELETON = "build/bpf/proclife.skel.h"  # generated
SHARED = ["-fPIC", "-fno-semantic-interposition"]
# The flags of the kernel's build, as far as the code depends on them.
KERNEL = ["-std=gnu11", "-nostdinc", "-D__KERNEL__", "-DMODULE", "-DCC_USING_FENTRY", '-DKBUILD_MODNAME="proclife"',
          '-DKBUILD_BASENAME="proclife"', '-DPROCLIFE_VERSION="0"', "-Iinclude", "-fshort-wchar"]
IN_KERNEL = ["-isystem", GCC, "-mcmodel=kernel", "-mno-sse", "-mno-red-zone", "-fno-pic",
             "-fno-strict-aliasing", "-fcf-protection=none"]


def kernel_flags():
    """The folder of the headers of the guest's kernel, which tests/vm/run downloads."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "proclife/kernel")
    kernels = os.path.join(cache, "bookworm.packages")
    if not os.path.exists(kernels):
        subprocess.run(["tests/vm/run", "--chroot", "--", "true"], check=True)
    with open(kernels, encoding="ascii") as file:
        kernel = os.path.join(cache, file.readline().strip())
    with open(os.path.join(kernel, "release"), encoding="ascii") as file:
        release = file.read().strip()
    own = "%s/root/usr/src/linux-headers-%s/" % (kernel, release)
    common = own.replace("-amd64/", "-common/")
    flags = KERNEL + ["-I" + each for each in (
        common + "arch/x86/include", own + "arch/x86/include/generated", common + "include",
        own + "include", common + "arch/x86/include/uapi", own + "arch/x86/include/generated/uapi",
        common + "include/uapi", own + "include/generated/uapi")]
    for name in "compiler-version", "kconfig", "compiler_types":
        flags += ["-include", "%sinclude/linux/%s.h" % (common, name)]
    return flags


class Part:
    """The files of a part, and how they are compiled."""

    def __init__(self, name):
        self.name = name
        self.folder = "module/" if name == "module" else "user/%s/" % name
        if name == "module":
            self.flags, self.more = kernel_flags(), IN_KERNEL
        else:
            self.flags, self.more = USER + ["-I" + os.path.dirname(SKELETON)], SHARED

    def wanted(self, name):
        """proclife.h has declarations alone."""
        return name.startswith(self.folder) and name != "user/lib/proclife.h"

    def find(self):
        """The files of the part by name, with all places, and which units have which file."""
        os.chdir(sources.ROOT)
        if self.name == "read":
            subprocess.run(["make", "-s", SKELETON], check=True)
        units = sorted(name for name in glob.glob(self.folder + "**/*.c", recursive=True)
                       if not name.endswith(".mod.c"))
        own = ["-isystem", "/usr/lib/llvm-14/lib/clang/14.0.6/include"]
        return places.find([(unit, self.flags + own) for unit in units], self.wanted, os.path.normpath)


class Compiler:
    """Checks whether a change leads to other code, in several trees, one for each job."""

    def __init__(self, part, jobs, users):
        self.command = ["gcc", *part.flags, *part.more, "-O2", "-w", "-S", "-o", "-"]
        self.users = users
        self.folder = tempfile.mkdtemp(prefix="proclife-mutants-")
        self.trees, self.originals = queue.Queue(), {}
        for job in range(jobs):
            tree = os.path.join(self.folder, str(job))
            for name in ("include", "user", "module"):
                shutil.copytree(os.path.join(sources.ROOT, name), os.path.join(tree, name))
            self.trees.put(tree)

    def end(self):
        shutil.rmtree(self.folder)

    def code(self, tree, unit):
        run = subprocess.run([*self.command, unit], cwd=tree, capture_output=True, check=False)
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


def choose(part, seed, count, jobs):
    """This many mutants of the part; the same ones for each seed. Also how many places there are, and
    how many changes were left out, because they do not compile or make no difference to the code."""
    files, found, users = part.find()
    rng = random.Random("%s %d" % (part.name, seed))
    if part.name == "module":  # see module.py
        found = [each for each in found if each.body]
    changes = [(place, rng.choice(place.choices)) for place in found]
    rng.shuffle(changes)
    compiler = Compiler(part, jobs, users)
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
