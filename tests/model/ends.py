# SPDX-License-Identifier: GPL-2.0-only
"""
A signal ends the program. The result so far is printed, and the status is 128 + N if it leaves a command
that has not ended: 129 for SIGHUP.
"""
import json
import os
import random
import signal
import subprocess
import time

import checks
import device
import machine

ENDERS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def wait_for(process, ready):
    """Waits until it handles signals, or runs its command."""
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        if ready():
            return True
        time.sleep(.002)
    return False


def has(pid, mask, signo):
    """Is the signal in SigBlk (blocked) or ShdPnd (pending)?"""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        found = [line.split()[1] for line in file if line.startswith(mask)]
    return bool(int(found[0], 16) >> (signo - 1) & 1)


def command_of(pid):
    """Its child, once that has become sleep(1)."""
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        children = file.read().split()
    if not children:
        return None
    with open("/proc/%s/comm" % children[0], encoding="ascii") as file:
        return int(children[0]) if file.read() == "sleep\n" else None


def run(checker, words, signo):
    """Its status, objects and messages."""
    checker.runs += 1
    # None of these may be ignored, as nohup(1) would make it.
    with subprocess.Popen([checker.program, *words], env=checker.environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=lambda: [
                              signal.signal(each, signal.SIG_DFL) for each in ENDERS]) as process:
        command = "--" in words
        wait_for(process, lambda: command_of(process.pid) if command else has(process.pid, "SigBlk", signo))
        child = command_of(process.pid) if command else None
        process.send_signal(signo)
        if command and signo == signal.SIGINT:  # the first one is the command's
            wait_for(process, lambda: not has(process.pid, "ShdPnd", signo))
            process.send_signal(signo)
        try:
            if child:  # which has the program's output open, too
                process.wait(timeout=20)
                os.kill(child, signal.SIGKILL)
            out, errors = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, [json.loads(line) for line in out.splitlines()], errors


def check_ends(checker, seed):
    rng = random.Random("ends %d" % seed)
    made = machine.Machine(rng, cpus=2, now=10 ** 9)
    made.begin()
    made.run(30)
    path = os.path.join(checker.path, "ends")
    device.write(path, made.records, 1 << 12, checks.HEADER)
    signo = rng.choice(ENDERS)
    records = sum(map(len, made.records))
    words = ["--device", path, "--history", "--json"]
    code, objects, _ = run(checker, words + ["--events"], signo)
    checker.equal(words + ["--events"], "status, reason", (0, "signal"), (code, objects[-1]["reason"]))
    events = [each for each in objects[1:-1] if each["type"] not in ("args", "suppressed")]
    checker.equal(words, "events", records - sum(
        record["type"] in ("args", "suppressed") for of in made.records for record in of), len(events))
    words = words[:2] + ["--json", "--tree", "--", "sleep", "60"]
    code, objects, _ = run(checker, words, signo)
    checker.equal(words, "status, reason after %s" % signo.name, (128 + signo, "signal", None),
                  (code, objects[-1]["reason"], objects[-1].get("status")))
    words = words[:2] + ["--json", "--expect", "lost==0"] + words[-3:]
    code, _, errors = run(checker, words, signo)
    checker.equal(words, "status of what had not ended (%s)" % errors, 3, code)
