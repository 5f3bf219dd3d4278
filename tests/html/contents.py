# SPDX-License-Identifier: GPL-2.0-only
"""The page agrees with the other views of the same recordings."""
import os
import random
import re
import sys

import shell
from stage import color_at, lane_point, same

STORIES = ("build", "lossy", "marks", "hostile", "death", "command")


def compare_sums(stage, recording, *words):
    """The sums equal --summary's, in the facts, by row, and in words. Returns the page."""
    programs = [line for line in stage.json(recording, "--summary", *words) if line["type"] == "program"]
    sums = {key: sum(program[key] for program in programs) for key in ("runs", "failed", "open", "runtime")}
    page = stage.open(recording, *words)
    facts = page.value("page.lives.facts")
    what = f"{recording} {words}"
    same(what, {"runs": facts["ended"], **{key: facts[key] for key in ("failed", "open", "runtime")}}, sums)
    by_row = page.value("""(() => {
        const sums = { runs: 0, failed: 0, open: 0 };
        for (let row = 0; row < page.lives.count; row++) {
            if (page.lives.is(row, context))
                continue;
            sums.runs += page.lives.is(row, ended);
            sums.failed += page.lives.is(row, failed);
            sums.open += !page.lives.is(row, ended);
        }
        return sums;
    })()""")
    same(what, by_row, {key: sums[key] for key in by_row})
    text = page.value("document.getElementById('sums').textContent").removeprefix("killed by SIGKILL from init (1); ")
    plural = "process ended" if sums["runs"] == 1 else "processes ended"
    assert text.startswith(f"{sums['runs']:,} {plural}"), f"{what}: {text}"
    assert (f", {sums['failed']:,} failed" in text) == (sums["failed"] > 0), f"{what}: {text}"
    assert ("no loss" in text) == (facts["lost"] == 0), f"{what}: {text}"
    rows = page.value("page.programs.all.map((p) => [p.runs, p.failed, p.open, p.runtime, p.rss])")
    same(what, sorted(map(tuple, rows)),
         sorted((p["runs"], p["failed"], p["open"], p["runtime"], p["max_rss"] or 0) for p in programs))
    same(what, page.complaints(), [])
    return page


def check_counts(stage):
    """The sums are right with any selection."""
    for name in (*STORIES, stage.build_of(6000)):
        for words in ((), ("--failed",), ("--from", "+20ms")):
            compare_sums(stage, name, *words)


def check_overtime(stage):
    """The numbers of living and busy processes equal --summary's, also in the last, shorter slice."""
    for name in (*STORIES, "zombie", "crowd", stage.build_of(6000)):
        page = stage.open(name)
        overtime = page.value("page.lives.facts.overtime")
        graph = {line.split()[0]: line for line in stage.run("-i", stage.recording(name), "--summary").stdout.decode().splitlines()
                 if line.startswith(("lived", "busy"))}
        said = re.findall(r"mean ([\d.,]+), most ([\d.,]+)", page.value("document.getElementById('overtime').textContent"))
        for which, figures in zip(("lived", "busy"), said, strict=True):
            wanted = re.search(r"mean ([\d.,]+), most ([\d.,]+)", graph[which]).groups()
            number = lambda figure: float(figure.replace(",", ""))
            for shown, value in zip(map(number, figures), map(number, wanted)):
                assert abs(shown - value) <= 0.006 * value + 0.0006, f"{name}, {which}: {shown}, instead of {value}"
            assert len(overtime[which]) == -(-(overtime["to"] - overtime["from"]) // overtime["slice"]), name
        same(name, page.complaints(), [])


def check_figures(stage):
    """Figures are rounded as by the program, also exactly between two."""
    page = stage.open("command")
    same("times", page.value("[1004, 1005, 1125, 1375, 9995, 12250, 12350, 100500, 101500, 999499, 999500].map(time)"),
         ["1.00 µs", "1.00 µs", "1.12 µs", "1.38 µs", "10.0 µs", "12.2 µs", "12.3 µs", "100 µs", "102 µs", "999 µs", "1.00 ms"])
    same("sizes", page.value("[999, 1000, 1152, 10496, 1023488].map(size)"), ["999 KiB", "0.98 MiB", "1.12 MiB", "10.2 MiB", "0.98 GiB"])


def check_days(stage):
    """If a recording spans several days, times have dates; and the timeline's lines are at round times."""
    page = stage.open("days", "--utc")
    assert "1970-01-01 00:00:01 – 1970-01-04 00:00:01" in page.value("document.getElementById('when').textContent")
    rows = page.value("[...document.querySelectorAll('#lives .line .begin')].map((cell) => cell.textContent)")
    same("in the table", rows[-2:], ["1970-01-03 00:00:01.008", "1970-01-03 12:00:01.010"])
    page.value("shared.select(page.lives.count - 1)")
    assert "Began1970-01-03 12:00:01.010" in page.value("document.getElementById('detail').textContent")
    labels = """(() => {
        const painter = page.timeline.painter, context = painter.context, texts = [], draw = context.fillText;
        context.fillText = (text) => texts.push(text);
        painter.axis(page.clock, 22);
        context.fillText = draw;
        return texts;
    })()"""
    for text in page.value(labels):
        assert text.endswith(":00:00"), text
    assert any(text.startswith("1970-01-03 ") for text in page.value(labels))
    same("complaints", page.complaints(), [])
    page = stage.open("zombie", "--utc")
    same("one day", page.value("document.getElementById('when').textContent.match(/1970-01-01/g).length"), 1)
    same("no date", page.value("document.querySelector('#lives .line .begin').textContent"), "00:00:01.000000")


def check_words(stage):
    """The words that distinguish a command line from others of its program are marked."""
    page = stage.open(stage.build_of(6000))
    rows = page.value("Array.from({ length: page.lives.count }, (_, row) => row).filter((row) => page.lives.name(row) === 'cc1')")
    for row in rows[::97]:
        best, telling, line = page.value(f"[page.lives.words.best({row}), page.lives.words.telling({row}), page.lives.argsText({row})]")
        assert best.endswith(".c") and "/" in best and f" {best} " in line, (best, line)
        assert best in telling.split() and "-quiet" not in telling and "\u2026" in telling, telling
    page = stage.open("zombie")
    same("of those that have none", page.value("page.lives.words.telling(page.lives.count - 1)"), "")
    assert "\u2026" not in page.value("document.querySelector('#tree .lines').textContent")
    page = stage.open("command")
    same("of a single one", page.value("page.lives.words.best(0)"), page.value("page.lives.arguments(0)"))


def check_command(stage):
    """A followed command gives the page its name, and its status is shown."""
    page = stage.open("command")
    same("title", page.value("[document.getElementById('title').textContent, document.title]"), ["victim", "victim – proclife"])
    same("its end", page.value("document.querySelector('#sums strong').textContent"), "killed by SIGKILL from init (1)")
    call = page.value("document.getElementById('making').textContent")
    assert f"proclife-read -i {stage.recording('command')} --html" in call, call
    # Without a followed command, the page has another name.
    page = stage.open("death")
    assert page.value("document.getElementById('title').textContent").startswith("All processes"), "it has no command"


def check_machines(stage):
    """Made-up machines, with losses: the sums are right, and no process is missing from the tree."""
    sys.path.append("tests/model")
    import checks
    import machine

    checker = checks.Checker(stage.build, 1)
    try:
        for seed in range(1, 13):
            checker.begin(seed)
            rng = random.Random(seed)
            made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([10, 40, 1000]))
            made.begin()
            made.run(rng.choice([20, 120, 250]))
            gaps = [(0, 5, rng.randrange(1, 30))] if seed % 2 and len(made.records[0]) > 50 else []
            path, read = checks.make(checker, "whole", made, gaps)
            page = compare_sums(stage, path)
            same(path, page.value("page.lives.facts.lost"), read.lost)
            for mode in ("tree", "slots"):
                page.choose("#lanes-by", mode)
            page.value("document.getElementById('show-idle').click()")
            for row in range(0, page.value("page.lives.count"), 7):
                page.value(f"shared.select({row})")
                same(path, page.value("page.tree.lines[page.tree.list.active].row"), row)
            same(path, page.complaints(), [])
            checker.finish()
    finally:
        checker.end()


def check_lives(stage):
    """Each life has the marks, figures and arguments of --tree --json."""
    for name in (*STORIES, stage.build_of(6000)):
        page = stage.open(name)
        lives = [line for line in stage.json(name, "--tree") if line["type"] == "process"]
        same(name, page.value("page.lives.count"), len(lives))
        rows = page.value("""Array.from({ length: page.lives.count }, (_, row) => {
            const lives = page.lives, mark = (name) => lives[name][row] < 0 ? null : lives[name][row];
            return { pid: lives.pid[row], seen: lives.begin[row], exited: mark('exited'), notified: mark('notified'),
                     reaped: mark('reaped'), freed: mark('freed'), runtime: lives.cpuText(row) ? lives.runtime[row] : null, max_rss: lives.rss[row],
                     threads: lives.threads[row], execs: lives.execs[row], incomplete: lives.is(row, incomplete),
                     kthread: lives.is(row, kthread),
                     state: ['alive', 'dying', 'zombie', 'unfreed', 'freed', 'unknown'][lives.state[row]],
                     parent: lives.parent[row] < 0 ? null : lives.pid[lives.parent[row]],
                     code: lives.code[row] < 0 ? null : lives.code[row], args: lives.argsText(row) };
        })""")
        begin = page.value("page.lives.facts.begin")
        begin = begin[0] * 10 ** 9 + begin[1]
        pids = {life["id"]: life["pid"] for life in lives}
        for row, life in zip(rows, sorted(lives, key=lambda life: life["id"])):
            what = f"{name}, pid {life['pid']}"
            for key in ("pid", "runtime", "threads", "execs", "incomplete", "kthread", "state"):
                same(f"{what}, {key}", row[key], life[key])
            same(f"{what}, max_rss", row["max_rss"], life["max_rss"] or 0)
            for key in ("seen", "exited", "notified", "reaped", "freed"):
                same(f"{what}, {key}", row[key], None if life[key] is None else life[key] - begin)
            same(f"{what}, parent", row["parent"], pids.get(life["parent_id"]))
            same(f"{what}, code", row["code"], life["wait_status"])
            if "args" in life and not life["args_cut"]:
                same(f"{what}, args", shell.shell_words(row["args"]), life["args"])


def check_phases(stage):
    """The percentiles equal --latency's, and the bars have all lives."""
    for name in ("build", "death", "lossy", stage.build_of(6000)):
        page = stage.open(name)
        latency = {line["phase"]: line for line in stage.json(name, "--latency") if line["type"] == "latency"}
        phases = page.value("page.lives.facts.phases")
        assert len(phases) >= 4, phases
        for phase in phases:
            expected = latency[phase["name"]]
            for key in ("count", "min", "mean", "p50", "p90", "p99", "p99.9", "max"):
                same(f"{name}, {phase['name']}, {key}", phase.get(key), expected.get(key))
            same(f"{name}, {phase['name']}, bars", sum(n for _, n in phase["bars"]), expected["count"])
            octaves = {}
            for low, n in phase["bars"]:
                octave = 1 << (low.bit_length() - 1) if low > 1 else 0
                octaves[octave] = octaves.get(octave, 0) + n
            same(f"{name}, {phase['name']}, bars", octaves, {low: n for low, n in expected["histogram"] if n})
        same("histograms", page.value("document.querySelectorAll('#histograms svg').length"),
             sum(phase["count"] > 0 for phase in phases))
        same("rows", page.value("document.querySelectorAll('#phases-body tr').length"), len(phases))
        # The column of the table of lives has the same phases, life by life.
        for phase in phases:
            if phase["name"] == "life" or not phase["count"]:
                continue
            page.choose("#phase", phase["name"])
            page.choose("#sort", "phase")
            # Lives that are in the phase at the end can come before it.
            longest = page.value(f"Math.max(...page.table.rows.map((row) => page.lives.phase('{phase['name']}', row)))")
            same(f"{name}, the longest {phase['name']}", longest, phase["max"])
            page.choose("#sort", "begin")
        same("complaints", page.complaints(), [])


def check_zombie(stage):
    """A life that is still a zombie is shown as one, with its minimum time; it keeps its lane, and can be clicked."""
    page = stage.open("zombie")
    row = page.value("page.lives.pid.indexOf(100)")
    longest = [line for line in stage.json("zombie", "--lives", "--sort", "zombie", "--top", "1") if line["type"] == "life"]
    same("--lives --sort zombie", [life["pid"] for life in longest], [100])
    tree = page.value("[...document.querySelectorAll('#tree .line')].map((line) => line.textContent)")
    assert any("left" in line and "zombie" in line for line in tree), tree
    page.choose("#phase", "zombie")
    page.choose("#sort", "phase")
    same("the longest", page.value("page.table.rows[0]"), row)
    same("so far", page.value("[...document.querySelectorAll('#life-0 .phase, #life-0 .status')].map((cell) => cell.textContent)"),
         ["≥145 ms", "0, zombie"])
    page.value(f"shared.select({row})")
    page.settle()
    text = page.value("document.getElementById('detail').textContent")
    assert "Endedstatus 0, zombie" in text and "Zombie≥145 ms" in text, text
    same("alone in its lane", page.value(f"page.timeline.slots.lanes[page.timeline.slots.laneOf[{row}]].rows"), [row])
    late = page.value("page.lives.traceEnd - 2e6")
    same("its color", color_at(page, late, row, 0.5), "zombie")
    page.click_at(*lane_point(page, row, 13))
    same("clicked", page.value("shared.selected"), row)
    same("complaints", page.complaints(), [])


def check_range(stage):
    """The length of a life does not depend on which times are shown."""
    def text(page):
        return page.value("(({ lives }) => lives.lifeText(lives.pid.indexOf(1)))(page)")
    whole = text(stage.open("zombie"))
    assert whole.startswith("≥"), whole
    page = stage.open("zombie", "--to", "+1050ms")
    same("with --to", text(page), whole)
    same("what is in sight", page.value("page.timeline.to < 0.5 * page.lives.traceEnd"), True)
    same("complaints", page.complaints(), [])


def check_unnoticed(stage):
    """If the NOTIFY may have been lost, the time as a zombie is shown as unknown."""
    page = stage.open("unnoticed")
    latency = {line["phase"]: line for line in stage.json("unnoticed", "--latency") if line["type"] == "latency"}
    same("--latency", [latency[name]["count"] for name in ("zombie", "rcu_free")], [0, 1])
    row = page.value("page.lives.pid.indexOf(100)")
    same("in the page", page.value(f"[page.lives.phase('zombie', {row}), page.lives.phase('rcu_free', {row})]"), [-1, latency["rcu_free"]["max"]])
    page.value(f"page.timeline.show(page.lives.exited[{row}], page.lives.reaped[{row}], true)")
    same("its color", color_at(page, page.value(f"(page.lives.exited[{row}] + page.lives.reaped[{row}]) / 2"), row, 0.5), "back")
    same("complaints", page.complaints(), [])


def check_critical(stage):
    """The steps equal --critical-path's, and lead to their lives."""
    for name in ("build", stage.build_of(6000)):
        page = stage.open(name)
        steps = [line for line in stage.json(name, "--critical-path") if line["type"] == "step"]
        begin = page.value("page.lives.facts.begin")
        begin = begin[0] * 10 ** 9 + begin[1]
        shown = page.value("""page.timeline.steps.map((step) =>
            [page.lives.pid[step.row], step.from, step.to, step.saves, ['order', 'slots', 'cpus'][step.by]])""")
        same(name, shown, [[step["pid"], step["from"] - begin, step["to"] - begin, step["saves"], step["by"]] for step in steps])
        rows = page.value("document.querySelectorAll('#critical-body tr').length")
        same(name, rows, min(len(steps), 20))
        longest = max(steps, key=lambda step: step["to"] - step["from"])
        at = page.value(f"[...document.querySelectorAll('#critical-body button')].findIndex((b) => b.textContent.endsWith('({longest['pid']})'))")
        assert at >= 0, f"{name}: the longest step is not there"
        page.click(f"#critical-body tr:nth-child({at + 1}) button")
        same(name, page.value("page.lives.pid[shared.selected]"), longest["pid"])
        assert page.value("page.timeline.from <= page.lives.begin[shared.selected] && page.timeline.to >= page.lives.lastSeen(shared.selected)")
        same("complaints", page.complaints(), [])


def check_folded(stage):
    """More than 150,000 lives: long or failed ones have rows, and the others are counted in their place."""
    name = stage.build_of(170000)
    page = stage.open(name)
    assert os.path.getsize(f"{stage.folder}/{name}.html") < 15e6
    same("complaints", page.complaints(), [])
    programs = [line for line in stage.json(name, "--summary") if line["type"] == "program"]
    rows, folds = page.value("[page.lives.count, page.lives.folds.size]")
    assert 50000 < rows <= 150000 and folds > 100, (rows, folds)
    sums = page.value("""(() => {
        const lives = page.lives, sums = { runs: 0, failed: 0, runtime: 0, alone: 0 };
        for (let row = 0; row < lives.count; row++) {
            const fold = lives.fold(row);
            sums.runs += fold ? fold.ended : lives.is(row, ended);
            sums.failed += lives.failedLives(row);
            sums.runtime += lives.cpuTime(row);
            sums.alone += !fold && lives.is(row, failed);
        }
        return sums;
    })()""")
    for key in ("runs", "failed", "runtime"):
        same(key, sums[key], sum(program[key] for program in programs))
    same("failures with rows of their own", sums["alone"], sums["failed"])
    same("folded", page.value("page.lives.facts.folded"), page.value("[...page.lives.folds.values()].reduce((sum, fold) => sum + fold.count, 0)"))
    same("below the first", page.value("page.lives.below[page.lives.roots[0]] + 1"), sums["runs"])
    # Shells without rows are the short ones.
    assert page.value("""(() => {
        const lives = page.lives, own = [], folded = [];
        for (let row = 0; row < lives.count; row++)
            if (lives.name(row) === 'sh' && !lives.failedLives(row))
                (lives.fold(row) ? folded : own).push(lives.life(row));
        return Math.max(...folded) <= own.reduce((a, b) => Math.min(a, b));
    })()"""), "a longer life has no row"
    row = page.value("[...page.lives.folds.keys()].reduce((a, b) => page.lives.fold(b).count > page.lives.fold(a).count ? b : a)")
    page.value(f"shared.select({row})")
    page.settle()
    many = page.value(f"page.lives.fold({row}).count")
    assert f"{many:,} lives" in page.value("document.getElementById('detail').textContent")
    same("its line", page.value("document.querySelector('#tree .active .pid').textContent"), f"×{many:,}")
    page.choose("#lanes-by", "tree")
    page.value(f"page.timeline.show(page.lives.fold({row}).first, page.lives.fold({row}).last, true), page.timeline.reveal({row})")
    page.settle()
    stage.picture("folded")
    middle = page.value(f"page.lives.lastSeen({row}) + 0.4 * (page.lives.fold({row}).last - page.lives.lastSeen({row}))")
    same("as one", color_at(page, middle, row, 0.25), "wait")
    assert "folded" in page.value("document.getElementById('making').textContent").lower()
    same("complaints", page.complaints(), [])
