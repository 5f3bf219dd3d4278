# SPDX-License-Identifier: GPL-2.0-only
"""What tests/html/run checks, one function each."""
import json
import os
import stat
import subprocess

import values

STORIES = ("build", "lossy", "marks", "hostile")
HIDDEN = "".join(map(chr, [*range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2070), 0xfeff]))


class Stage:
    """A browser, and recordings that become pages."""

    def __init__(self, browser, build, folder):
        self.browser = browser
        self.build = build
        self.folder = folder

    def recording(self, name):
        return f"{self.folder}/recordings/{name}"

    def run(self, *words, status=None):
        # The page has UTF-8, whatever the locale is.
        result = subprocess.run([f"{self.build}/proclife-read", *words], capture_output=True,
                                env={**os.environ, "LC_ALL": "C"})
        if status is None:
            assert result.returncode in (0, 3), f"{words}: {result.stderr.decode()}"
        else:
            assert result.returncode == status, f"{words}: status {result.returncode}: {result.stderr.decode()}"
        return result

    def json(self, name, *words):
        return [json.loads(line) for line in self.run("-i", self.recording(name), "--json", *words).stdout.splitlines()]

    def write(self, name, *words):
        path = f"{self.folder}/{name}.html"
        self.run("-i", self.recording(name), "--html", path, *words)
        return path

    def open(self, name, *words):
        """The page of a recording."""
        self.browser.open(self.write(name, *words))
        return self.browser

    def build_of(self, processes):
        """A build's recording, of so many processes."""
        name = f"build-{processes}"
        if not os.path.exists(self.recording(name)):
            subprocess.run([f"{self.build}/tests/bench/record", "-B", "-J", "8", "-p", str(processes),
                            self.recording(name)], check=True, stdout=subprocess.DEVNULL)
        return name

    def picture(self, name):
        self.browser.screenshot(f"{self.folder}/{name}.png")


def same(what, actual, expected):
    assert actual == expected, f"{what}: {actual!r}, instead of {expected!r}"


def check_counts(stage):
    """The sums are those of --summary, in the facts, by row, and in words."""
    for name in (*STORIES, stage.build_of(2000)):
        for words in ((), ("--failed",), ("--from", "+20ms")):
            programs = [line for line in stage.json(name, "--summary", *words) if line["type"] == "program"]
            sums = {key: sum(program[key] for program in programs) for key in ("runs", "failed", "open", "runtime")}
            page = stage.open(name, *words)
            facts = page.value("page.lives.facts")
            what = f"{name} {words}"
            same(what, {key: facts[key] for key in ("failed", "open", "runtime")}, {key: sums[key] for key in ("failed", "open", "runtime")})
            same(what, facts["ended"], sums["runs"])
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
            text = page.value("document.getElementById('sums').textContent")
            plural = "process ended" if sums["runs"] == 1 else "processes ended"
            assert text.startswith(f"{sums['runs']:,} {plural}"), f"{what}: {text}"
            assert (f", {sums['failed']:,} failed" in text) == (sums["failed"] > 0), f"{what}: {text}"
            assert ("no loss" in text) == (facts["lost"] == 0), f"{what}: {text}"
            rows = page.value("page.programs.all.map((p) => [p.runs, p.failed, p.open, p.runtime, p.rss])")
            same(what, sorted(map(tuple, rows)),
                 sorted((p["runs"], p["failed"], p["open"], p["runtime"], p["max_rss"]) for p in programs))
            same(what, page.complaints(), [])


def check_lives(stage):
    """Each life is there with its marks, figures and arguments, as --tree --json has them."""
    for name in (*STORIES, stage.build_of(2000)):
        page = stage.open(name)
        lives = [line for line in stage.json(name, "--tree") if line["type"] == "process"]
        same(name, page.value("page.lives.count"), len(lives))
        rows = page.value("""Array.from({ length: page.lives.count }, (_, row) => {
            const lives = page.lives, mark = (name) => lives[name][row] < 0 ? null : lives[name][row];
            return { pid: lives.pid[row], seen: lives.begin[row], exited: mark('exited'), notified: mark('notified'),
                     reaped: mark('reaped'), freed: mark('freed'), runtime: lives.runtime[row], max_rss: lives.rss[row],
                     threads: lives.threads[row], execs: lives.execs[row], incomplete: lives.is(row, incomplete),
                     kthread: lives.is(row, kthread),
                     state: ['alive', 'zombie', 'unfreed', 'freed', 'unknown'][lives.state[row]],
                     parent: lives.parent[row] < 0 ? null : lives.pid[lives.parent[row]],
                     code: lives.code[row] < 0 ? null : lives.code[row], args: lives.argsText(row) };
        })""")
        begin = page.value("page.lives.facts.begin")
        begin = begin[0] * 10 ** 9 + begin[1]
        pids = {life["id"]: life["pid"] for life in lives}
        for row, life in zip(rows, sorted(lives, key=lambda life: life["id"])):
            what = f"{name}, pid {life['pid']}"
            for key in ("pid", "runtime", "max_rss", "threads", "execs", "incomplete", "kthread", "state"):
                same(f"{what}, {key}", row[key], life[key])
            for key in ("seen", "exited", "notified", "reaped", "freed"):
                same(f"{what}, {key}", row[key], None if life[key] is None else life[key] - begin)
            same(f"{what}, parent", row["parent"], pids.get(life["parent_id"]))
            same(f"{what}, code", row["code"], life["wait_status"])
            if "args" in life and not life["args_cut"]:
                same(f"{what}, args", values.shell_words(row["args"]), life["args"])


def check_hostile(stage):
    """Whatever names and arguments are, they are text, and none of it is hidden."""
    page = stage.open("hostile")
    stage.picture("hostile")
    for life in range(page.value("page.lives.count")):
        page.value(f"shared.select({life})")
        page.settle()
    for text in ("script", "<", "\\xff", "__proto__", "${"):
        page.click("#search")
        page.value("document.getElementById('search').select()")
        page.type(text)
        assert page.value("shared.matches.some((match) => match)"), f"{text}: nothing was found"
    same("it ran", page.value("window.ran === undefined"), True)
    same("elements", page.value("document.querySelectorAll('img, svg, iframe, object, embed, link, base, form').length"), 1)
    same("scripts", page.value("document.querySelectorAll('script').length"), 1)
    text = page.value("document.documentElement.innerText + document.title")
    same("hidden characters", [hex(ord(c)) for c in text if c in HIDDEN or (c < " " and c not in "\n\t")], [])
    page.value("page.search.set('')")
    page.settle()
    shown = page.value("document.getElementById('lives').innerText")
    for text in ("window.ran=1", "\u00e9t\u00e9", "\U0001f600", "\\xe2\\x80\\xae", "\\xff"):
        assert text in shown, f"{text} is not shown"
    same("complaints", page.complaints(), [])
    # What is run has to have the nonce, and nothing else is: a script that gets in all the same is not.
    page.value("""(() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = 20';
        document.body.append(script);
        const image = document.createElement('img');
        image.setAttribute('onerror', 'window.ran = 21');
        image.src = 'http://127.0.0.1:9/x';
        document.body.append(image);
        const style = document.createElement('style');
        style.textContent = 'body { display: none }';
        document.body.append(style);
    })()""")
    page.settle()
    same("it ran", page.value("window.ran === undefined"), True)
    same("its style", page.value("getComputedStyle(document.body).display"), "block")
    policy = [said for said in page.complaints() if "Content Security Policy" in said]
    assert len(policy) >= 3, f"the policy: {policy}"


def check_file(stage):
    """Nobody else may read it, whatever was there before; without arguments, there are none in it."""
    path = stage.write("build")
    same("mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o600")
    os.chmod(path, 0o644)
    first = os.stat(path).st_ino
    stage.write("build")
    same("mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o600")
    assert os.stat(path).st_ino != first, "it was not replaced"
    same("files", [name for name in os.listdir(stage.folder) if name.startswith("build.html.")], [])
    page = stage.open("build", "--hide-args")
    same("arguments", page.value("page.lives.args.some((line) => line)"), False)
    assert "left out" in page.value("document.getElementById('making').textContent")
    assert "-jar" not in page.value("JSON.stringify([page.lives.strings, page.lives.lines.words, page.lives.facts])")
    page = stage.open("build")
    assert "-jar" in page.value("page.lives.lines.words.join('')")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "//" not in text.split("</style>")[0].replace("// SPDX", ""), "an address"


def lines(page):
    """The lives in sight, as lists of cells."""
    return page.value("""[...document.querySelectorAll('#lives .line')].map((line) =>
        [...line.children].map((cell) => cell.textContent))""")


def check_table(stage):
    """It is sorted, filtered and searched by clicks."""
    page = stage.open(stage.build_of(2000))
    total = page.value("page.lives.count")
    page.click("#lives .head .cpu button")
    same("sorted", page.value("document.querySelector('#lives .cpu').getAttribute('aria-sort')"), "descending")
    cpu = page.value("page.table.rows.map((row) => page.lives.runtime[row])")
    same("the order", cpu, sorted(cpu, reverse=True))
    page.click("#lives .head .cpu button")
    same("the other order", page.value("page.table.rows.map((row) => page.lives.runtime[row])"), sorted(cpu))
    page.click("#lives .head .name button")
    names = page.value("page.table.rows.map((row) => page.lives.name(row))")
    same("by name", names, sorted(names))
    page.choose("#only", "failed")
    failures = page.value("page.lives.facts.failed")
    same("failed", page.value("page.table.rows.length"), failures)
    assert f"{failures} of {total:,} lives" in page.value("document.getElementById('lives-count').textContent")
    page.choose("#only", "")
    page.click("#search")
    page.type("cc1 drivers/")
    found = page.value("page.table.rows.map((row) => page.lives.commandLine(row))")
    assert found and all("cc1" in line and "drivers/" in line for line in found), found[:3]
    assert 0 < len(found) < total
    first = page.value("shared.selected")
    page.key("Enter")
    second = page.value("shared.selected")
    assert first == -1 and second >= 0, (first, second)
    page.key("Enter")
    assert page.value("shared.selected") > second
    assert page.value("!document.getElementById('detail').hidden")
    page.value("document.getElementById('search').select()")
    page.type("20000000")
    same("nothing", page.value("page.table.rows.length"), 0)
    page.value("page.search.set('')")
    page.click("#at-least")
    page.type("50ms")
    assert page.value("page.table.rows.every((row) => page.lives.life(row) >= 50e6)")
    assert 0 < page.value("page.table.rows.length") < total
    page.type("x")
    same("no time", page.value("document.getElementById('at-least').getAttribute('aria-invalid')"), "true")
    same("complaints", page.complaints(), [])


def check_keys(stage):
    """The table without a mouse."""
    page = stage.open(stage.build_of(2000))
    page.value("document.getElementById('lives').focus()")
    page.key("ArrowDown")
    same("the first", page.value("page.table.list.active"), 0)
    page.key("ArrowDown")
    same("selected", page.value("shared.selected"), page.value("page.table.rows[1]"))
    active = "document.getElementById(document.getElementById('lives').getAttribute('aria-activedescendant'))"
    same("what is read aloud", page.value(f"{active}.getAttribute('aria-rowindex')"), "3")
    page.key("End")
    same("the last", page.value(f"Number({active}.getAttribute('aria-rowindex'))"),
         page.value("Number(document.getElementById('lives').getAttribute('aria-rowcount'))"))
    assert page.value(f"(() => {{ const a = {active}.getBoundingClientRect(), b = document.getElementById('lives').getBoundingClientRect();"
                      "return a.top >= b.top && a.bottom <= b.bottom + 1; })()"), "it is not in sight"
    page.key("Escape")
    same("none", page.value("shared.selected"), -1)
    page.key("/")
    same("the search", page.value("document.activeElement.id"), "search")
    same("complaints", page.complaints(), [])
