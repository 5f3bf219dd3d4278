# SPDX-License-Identifier: GPL-2.0-only
"""
speedscope.py PACKAGE [FOLDED SUMMARY]...: does speedscope read from each file written by --export folded
the stacks and CPU times that are in it and in --summary of the same recording?

Its own page, of npm's package, runs in a browser without a screen, and a script has it save what it has read.
"""
import sys

sys.dont_write_bytecode = True

import base64
import json
import os
import re

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../html"))
from browser import Browser

# What the page saves is kept here instead of being downloaded.
KEEP = """
window.saved = [];
URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return ""; };
HTMLAnchorElement.prototype.click = () => {};
"""
SAVE = "window.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true })), saved.length > 0"
complaints = 0


def complain(text):
    global complaints
    complaints += 1
    print("speedscope.py:", text, file=sys.stderr)


def imported(browser, page, path):
    """The CPU time of each stack, as the page read it."""
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    browser.call("Page.navigate", url="about:blank")
    # With this, the page offers to read a file that a script passes in.
    browser.call("Page.navigate", url=f"file://{page}#localProfilePath=dev/null")
    browser.wait("document.readyState === 'complete' && !!window.speedscope")
    browser.value(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, '{data}')")
    browser.wait(SAVE)
    saved = json.loads(browser.value("saved[0]"))
    names = [frame["name"] for frame in saved["shared"]["frames"]]
    (profile,) = saved["profiles"]
    stacks, stack, before = {}, [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] > before:
            stacks[tuple(stack)] = stacks.get(tuple(stack), 0) + event["at"] - before
        before = event["at"]
        if event["type"] == "O":
            stack.append(names[event["frame"]])
        elif stack.pop() != names[event["frame"]]:
            complain(f"{path}: its frames do not nest")
    if sorted(names) != sorted({name for stack in stacks for name in stack}):
        complain(f"{path}: it has other frames, or twice: {names}")
    return stacks


def check(browser, page, path, summary):
    wanted = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            stack, number = line.rsplit(" ", 1)
            wanted[tuple(stack.split(";"))] = int(number)
    stacks = imported(browser, page, path)
    if stacks != wanted:
        complain(f"{path}: {stacks}, not {wanted}")
    with open(summary, encoding="utf-8") as file:
        programs = [line for line in map(json.loads, file) if line["type"] == "program"]
    total = sum(program["runtime"] for program in programs) // 1000
    if sum(stacks.values()) != total:
        complain(f"{path}: {sum(stacks.values())} us in all, not {total}")
    for program in programs:
        own = [us for stack, us in stacks.items() if stack[-1] == program["group"]]
        # Each line can have up to a microsecond more or less.
        if re.fullmatch("[A-Za-z0-9_.-]+", program["group"]) and \
                abs(sum(own) * 1000 - program["runtime"]) > 1000 * len(own) + 1000:
            complain(f"{path}: {program['group']} has {sum(own)} us, not {program['runtime']} ns")
    return sum(stacks.values()), len({name for stack in stacks for name in stack})


def main(package, *files):
    page = os.path.join(os.path.abspath(package), "dist/release/index.html")
    browser = Browser()
    try:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=KEEP)
        for path, summary in zip(files[::2], files[1::2]):
            print("%s: %d us, %d names" % (os.path.basename(path), *check(browser, page, path, summary)))
    finally:
        browser.close()
    return 1 if complaints or not files else 0


sys.exit(main(*sys.argv[1:]))
