# SPDX-License-Identifier: GPL-2.0-only
"""What tests/html/run checks, one function each."""
import json
import os
import stat
import subprocess

import values

STORIES = ("build", "lossy", "marks", "hostile", "death")
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
    for name in (*STORIES, stage.build_of(6000)):
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
    for name in (*STORIES, stage.build_of(6000)):
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
    same("elements", page.value("document.querySelectorAll('img, iframe, object, embed, link, base, form, svg:not(figure > svg)').length"), 1)
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
    page = stage.open(stage.build_of(6000))
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
    page = stage.open(stage.build_of(6000))
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


def lane_point(page, row, part=0.5):
    """Where a life is on the screen, this part of the way from its birth to its end."""
    return page.value(f"""(() => {{
        const t = page.timeline, lives = page.lives, box = t.box.getBoundingClientRect();
        const ts = lives.begin[{row}] + {part} * (lives.lastSeen({row}) - lives.begin[{row}]);
        return [box.left + t.painter.x(ts), box.top + t.laneTop(t.lanes.laneOf[{row}]) + t.laneHeight() / 2];
    }})()""")


def color_at(page, ts, row, height):
    """What is painted at this time, at this part of the height of a life's lane, as a name of the style."""
    return page.value(f"""(() => {{
        const t = page.timeline, painter = t.painter, ratio = window.devicePixelRatio || 1;
        t.drawNow();
        const x = Math.floor(painter.x({ts}) * ratio), y = t.laneTop(t.lanes.laneOf[{row}]) + 1 + {height} * (t.laneHeight() - 1);
        const pixel = [...painter.context.getImageData(x, Math.floor(y * ratio), 1, 1).data].slice(0, 3).join();
        for (const [name, value] of Object.entries(painter.colors)) {{
            const probe = document.createElement('canvas').getContext('2d');
            probe.fillStyle = value;
            probe.fillRect(0, 0, 1, 1);
            if ([...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).join() === pixel)
                return name;
        }}
        return pixel;
    }})()""")


def sight(page):
    return page.value("[page.timeline.from, page.timeline.to]")


def check_timeline(stage):
    """It zooms and pans by buttons, wheel, mouse and keys, and selects what is clicked."""
    page = stage.open(stage.build_of(6000))
    page.click("#timeline-title")
    whole = sight(page)
    page.click("#zoom-in")
    closer = sight(page)
    assert abs((closer[1] - closer[0]) * 2 - (whole[1] - whole[0])) < 2, (whole, closer)
    page.click("#pan-right")
    assert sight(page)[0] > closer[0]
    page.click("#zoom-fit")
    same("all", sight(page), whole)
    x, y = page.place("#timeline")
    there = page.value(f"page.timeline.timeAt({{ clientX: {x} }})")
    page.wheel(x, y, -300, ctrl=True)
    closer = sight(page)
    assert closer[1] - closer[0] < (whole[1] - whole[0]) * 0.6, closer
    same("below the pointer", round(page.value(f"page.timeline.timeAt({{ clientX: {x} }})") / 1e5), round(there / 1e5))
    page.drag(x, y, x + 200, y)
    moved = sight(page)
    assert moved[0] < closer[0] and abs((moved[1] - moved[0]) - (closer[1] - closer[0])) < 2, (closer, moved)
    same("below the pointer", round(page.value(f"page.timeline.timeAt({{ clientX: {x + 200} }})") / 1e5), round(there / 1e5))
    page.value("document.getElementById('timeline').focus()")
    page.key("ArrowRight")
    assert sight(page)[0] > moved[0]
    page.key("+")
    assert sight(page)[1] - sight(page)[0] < moved[1] - moved[0]
    page.key("Home")
    same("all", sight(page), whole)
    # Every one that can be hit.
    longest = page.value("""Array.from({ length: page.lives.count }, (_, row) => row)
        .sort((a, b) => page.lives.life(b) - page.lives.life(a)).slice(0, 20)""")
    for row in longest:
        page.value(f"shared.select(-1), page.timeline.zoomTo({row}), page.timeline.reveal({row})")
        page.settle()
        page.click_at(*lane_point(page, row))
        same("clicked", page.value("shared.selected"), row)
        assert page.value(f"document.getElementById('detail-name').textContent.startsWith(page.lives.name({row}))")
    page.click("#detail-close")
    same("closed", page.value("[shared.selected, document.getElementById('detail').hidden]"), [-1, True])
    page.value("document.getElementById('timeline').focus()")
    page.key("Home")
    page.key("f")
    first = page.value("shared.selected")
    page.key("f")
    second = page.value("shared.selected")
    assert page.value(f"page.lives.is({first}, failed) && page.lives.is({second}, failed)") and second > first
    page.key("F", shift=True)
    same("back", page.value("shared.selected"), first)
    page.key("Enter")
    span = sight(page)
    assert span[0] <= page.value(f"page.lives.begin[{first}]") and span[1] >= page.value(f"page.lives.exited[{first}]")
    page.key("Escape")
    x, y = lane_point(page, first)
    page.mouse("mouseMoved", x, y)
    page.settle()
    assert page.value(f"!page.timeline.tip.hidden && document.getElementById('tip-name').textContent.includes(page.lives.pid[{first}])")
    stage.picture("timeline")
    same("complaints", page.complaints(), [])


def check_colors(stage):
    """Failures, phases of death, the critical path and what was lost can be seen, in light and in dark."""
    page = stage.open("build")
    for dark in (False, True):
        page.dark(dark)
        for name, first, last, part in (("zombie", "notified", "reaped", 0.5), ("rcu", "reaped", "freed", 0.85)):
            row, ts = page.value(f"""(() => {{
                const lives = page.lives, length = (row) => lives.{first}[row] >= 0 ? lives.{last}[row] - lives.{first}[row] : -1;
                const rows = Array.from({{ length: lives.count }}, (_, row) => row).filter((row) => page.timeline.slots.laneOf[row] >= 0);
                const row = rows.reduce((a, b) => length(b) > length(a) ? b : a);
                page.timeline.show(lives.{first}[row], lives.{last}[row], true);
                return [row, (lives.{first}[row] + lives.{last}[row]) / 2];
            }})()""")
            same(f"{name}, dark: {dark}", color_at(page, ts, row, part), name)
        row = page.value("page.lives.flags.findIndex((flags, row) => flags & failed && page.lives.life(row) > 1e6 && page.lives.firstChild[row] < 0)")
        page.value(f"page.timeline.zoomTo({row})")
        middle = page.value(f"page.lives.begin[{row}] + page.lives.life({row}) / 2")
        same("failed", [color_at(page, middle, row, part) for part in (0.2, 0.95)], ["failed", "bad"])
        same("nothing", color_at(page, middle, row, 1.06), "back")
        step = page.value("page.timeline.steps.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a)")
        page.value(f"page.timeline.show({step['from']}, {step['to']}, true)")
        middle = (step["from"] + step["to"]) / 2
        same("critical path", color_at(page, middle, step["row"], 0.06), "critical")
        page.click("#show-critical")
        assert color_at(page, middle, step["row"], 0.06) != "critical"
        page.click("#show-critical")
    stage.picture("dark")
    page = stage.open("death")
    row = page.value("page.lives.killed.findIndex((ts) => ts >= 0)")
    page.value(f"page.timeline.zoomTo({row})")
    for name, first, last, part in (("kill", "killed", "exited", 0.8), ("teardown", "exited", "notified", 0.4),
                                    ("zombie", "notified", "reaped", 0.4), ("rcu", "reaped", "freed", 0.85)):
        ts = page.value(f"(page.lives.{first}[{row}] + page.lives.{last}[{row}]) / 2")
        same(name, color_at(page, ts, row, part), name)
    page.value(f"shared.select({row})")
    text = page.value("document.getElementById('detail').textContent")
    for phase in ("Kill to exit3.00 ms", "Teardown7.00 ms", "Memory held2.00 ms", "Unmap4.00 ms", "Zombie5.00 ms",
                  "Reap to free6.00 ms", "killed by SIGKILL from init (1)"):
        assert phase in text, f"{phase} is not in {text}"
    page = stage.open("lossy")
    lost, begin, end, _ = page.value("page.lives.facts.gaps.find(([lost]) => lost)")
    assert lost
    page.value(f"page.timeline.show({begin} - 1e6, {end} + 1e6, true)")
    red = page.value(f"""(() => {{
        page.timeline.drawNow();
        const painter = page.timeline.painter, x = painter.x({begin}), wide = painter.x({end}) - x;
        const data = painter.context.getImageData(x, 30, Math.max(wide, 1), page.timeline.box.clientHeight - 32).data;
        let red = 0;
        for (let i = 0; i < data.length; i += 4)
            red += data[i] > data[i + 1] + 40 && data[i] > data[i + 2] + 40;
        return red;
    }})()""")
    assert red > 100, f"{red} pixels say that something was lost"
    same("complaints", page.complaints(), [])


def check_tree(stage):
    """It opens and closes by mouse and keys, has each life once, and leads to the one that is selected."""
    page = stage.open(stage.build_of(6000))
    lines = page.value("page.tree.lines.length")
    assert 5 < lines < 60, lines
    shells = page.value("""[...document.querySelectorAll('#tree .line')].find((line) =>
        (line.querySelector('b') || line).textContent === 'sh').querySelector('.pid').textContent""")
    same("shells", shells, f"×{page.value('page.programs.all.find((p) => p.label === `sh`).runs'):,}")
    closed = page.value("page.tree.lines.findIndex((line) => line.each && !line.open)")
    page.click(f"#line-{closed} .twist")
    more = page.value("page.tree.lines.length")
    same("each of them", more - lines, page.value(f"page.tree.lines[{closed}].rows.length"))
    same("open", page.value(f"document.getElementById('line-{closed}').getAttribute('aria-expanded')"), "true")
    page.click(f"#line-{closed} .twist")
    same("closed again", page.value("page.tree.lines.length"), lines)
    page.value("document.getElementById('tree').focus()")
    page.key("Home")
    page.key("ArrowLeft")
    same("all closed", page.value("page.tree.lines.length"), 1)
    page.key("ArrowRight")
    page.key("ArrowRight")
    same("the first child", page.value("page.tree.list.active"), 1)
    page.key("Enter")
    opened = page.value("page.tree.lines[1].open")
    page.key(" ")
    assert opened != page.value("page.tree.lines[1].open")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    same("up", page.value("page.tree.list.active"), 0)
    n = page.value("page.lives.count")
    for row in (0, 1, n // 3, n // 2, n - 1):
        page.value(f"shared.select({row})")
        page.settle()
        same("selected", page.value("page.tree.lines[page.tree.list.active].row"), row)
        ancestors = page.value("""(() => {
            const lines = page.tree.lines, found = [];
            let depth = Infinity;
            for (let i = page.tree.list.active; i >= 0; i--)
                if (lines[i].depth < depth) {
                    depth = lines[i].depth;
                    if (!lines[i].rows)
                        found.push(lines[i].row);
                }
            return found;
        })()""")
        chain = page.value(f"(() => {{ const all = []; for (let row = {row}; row >= 0; row = page.lives.parent[row]) all.push(row); return all; }})()")
        same("its ancestors", ancestors, chain)
    # All of it is there, each once.
    page.value("shared.select(-1), page.tree.begin()")
    page.value("""(() => {
        const tree = page.tree;
        for (let i = 0; i < tree.lines.length; i++)
            if (!tree.lines[i].open && (!tree.lines[i].rows || tree.lines[i].each || !tree.lines[i].below))
                tree.open(i);
            else if (tree.lines[i].rows && !tree.lines[i].each) {
                if (!tree.lines[i].open)
                    tree.open(i);
                // What they all started is there again below each of them.
                while (tree.lines[i + 2] && tree.lines[i + 2].depth > tree.lines[i].depth)
                    tree.lines.splice(i + 2, 1);
            }
        tree.changed();
    })()""")
    rows = page.value("page.tree.lines.filter((line) => !line.rows).map((line) => line.row)")
    same("lives", sorted(rows), list(range(n)))
    same("complaints", page.complaints(), [])


def check_tree_lanes(stage):
    """The tree's lines are lanes, whose names open and close them."""
    page = stage.open(stage.build_of(6000))
    page.click("#timeline-title")
    page.choose("#lanes-by", "tree")
    same("lanes", page.value("page.timeline.lanes.count"), page.value("page.tree.lines.length"))
    box = page.value("(() => { const box = page.timeline.box.getBoundingClientRect(); return [box.left, box.top]; })()")
    before = page.value("page.tree.lines.length")
    y = page.value("page.timeline.laneTop(1) + page.timeline.laneHeight() / 2")
    page.click_at(box[0] + 60, box[1] + y)
    assert page.value("page.tree.lines.length") < before, "a click on its name closes a line"
    page.click_at(box[0] + 60, box[1] + y)
    assert page.value("page.tree.lines[1].open"), "and opens it"
    same("complaints", page.complaints(), [])
    # Who has no line is in that of an ancestor, or of those that it is one of.
    assert page.value("page.treeLanes.laneOf.every((lane) => lane >= 0)")
    row = page.value("page.lives.flags.findIndex((flags) => flags & failed)")
    page.value(f"shared.select({row})")
    page.settle()
    lane = page.value(f"page.treeLanes.laneOf[{row}]")
    same("its lane", page.value(f"page.tree.lines[{lane}].row"), row)
    page.key("Escape")
    page.value("shared.select(-1)")
    page.click_at(*lane_point(page, row))
    same("clicked", page.value("shared.selected"), row)
    stage.picture("tree-lanes")
    same("complaints", page.complaints(), [])


def check_phases(stage):
    """The percentiles are those of --latency, and the bars have all lives."""
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
            longest = page.value(f"page.lives.phase('{phase['name']}', page.table.rows[0])")
            same(f"{name}, the longest {phase['name']}", longest, phase["max"])
            page.choose("#sort", "begin")
        same("complaints", page.complaints(), [])


def check_critical(stage):
    """The steps are those of --critical-path, and lead to the lives that they are of."""
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


def check_empty(stage):
    """Without a life, and with one alone, it is a page all the same."""
    for words, lives in (("--comm", "nobody"), 0), (("--comm", "victim"), 2):
        page = stage.open("death", *words)
        same(words, page.value("page.lives.count"), lives)  # with its ancestor
        for key in ("n", "f", "+", "Home", "Enter"):
            page.value("document.getElementById('timeline').focus()")
            page.key(key)
        page.choose("#lanes-by", "tree")
        page.click("#lives-title")
        same(words, page.complaints(), [])
    same("its ancestor", page.value("[page.lives.is(0, context), page.lives.is(1, context)]"), [True, False])
    same("in the table", page.value("page.table.rows"), [1])


NAMED = ("button", "link", "textbox", "searchbox", "combobox", "checkbox", "grid", "tree", "application", "image", "img", "table")

CONTRASTS = (("ink", "back", 7), ("ink", "panel", 7), ("dim", "back", 4.5), ("dim", "panel", 4.5), ("bad", "back", 4.5),
             ("bad", "panel", 4.5), ("link", "back", 4.5), ("link", "panel", 4.5), ("ink", "life", 4.5), ("ink", "wait", 4.5), ("ink", "failed", 4.5),
             ("ink", "mark", 4.5), ("ink", "active", 4.5), ("life", "back", 1.9), ("bad", "failed", 1.8), ("critical", "life", 3),
             ("zombie", "back", 2.5), ("teardown", "back", 2.5), ("rcu", "back", 2.5), ("kill", "back", 2.5))


def check_access(stage):
    """Everything that can be used has a name and can be reached by keys; and what is said can be read, in light and in dark."""
    page = stage.open("build")
    page.value("shared.select(3)")
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes
             if not node["ignored"] and node["role"]["value"] in NAMED]
    same("without a name", [role for role, name in named if not name and role != "table"], [])
    roles = {role for role, _ in named}
    assert {"button", "searchbox", "combobox", "checkbox", "grid", "tree", "application", "image"} <= roles | {"image" if "img" in roles else ""}, roles
    headings = [node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] == "heading"]
    for title in ("Timeline", "Tree", "Critical path", "Programs", "Phases", "Lives", "What was lost"):
        assert title in headings, f"{title} is no heading: {headings}"
    page.value("shared.select(-1), document.activeElement.blur(), window.scrollTo(0, 0)")
    reached = []
    for _ in range(80):
        page.key("Tab")
        reached.append(page.value("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
    same("the first", reached[0], "skip")
    for name in ("search", "zoom-in", "lanes-by", "show-critical", "timeline", "tree", "only", "at-least", "phase", "sort", "order", "lives"):
        assert name in reached, f"{name} is not reached by Tab: {reached}"
    for dark in (False, True):
        page.dark(dark)
        for front, back, least in CONTRASTS:
            contrast = page.value(f"""(() => {{
                const light = (name) => {{
                    const context = document.createElement('canvas').getContext('2d');
                    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
                    context.fillRect(0, 0, 1, 1);
                    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((c) => c / 255)
                        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                }};
                const a = light('{front}'), b = light('{back}');
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            }})()""")
            assert contrast >= least, f"{front} on {back}, dark: {dark}: {contrast:.2f}, less than {least}"
    page.dark(False)
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=False)
    page.settle()
    wide = page.value("document.documentElement.scrollWidth")
    stage.picture("narrow")
    page.call("Emulation.clearDeviceMetricsOverride")
    assert wide <= 390, f"on a screen of 390 pixels, it is {wide} wide"
    same("complaints", page.complaints(), [])


def check_paper(stage):
    """Printed, it has the sums, the tables, and the first lives, without what can only be clicked."""
    page = stage.open(stage.build_of(6000))
    data = page.paper(f"{stage.folder}/paper.pdf")
    assert data.startswith(b"%PDF") and len(data) > 20000
    page.call("Emulation.setEmulatedMedia", media="print")
    page.value("for (const list of [page.table.list, page.tree.list]) list.print(true)")
    page.settle()
    page.screenshot(f"{stage.folder}/paper.png", full=True)
    for hidden in (".bar", "#zoom-in", "#only", "#detail"):
        same(hidden, page.value(f"document.querySelector('{hidden}').getClientRects().length"), 0)
    rows = page.value("[...document.querySelectorAll('#lives .line')].map((line) => line.getBoundingClientRect().top)")
    same("lives", len(rows), 200)
    assert rows == sorted(set(rows)), "lives are on top of one another"
    page.value("for (const list of [page.table.list, page.tree.list]) list.print(false)")
    page.call("Emulation.setEmulatedMedia", media="")
    page.settle()
    assert page.value("document.querySelectorAll('#lives .line').length") < 60
    same("complaints", page.complaints(), [])


def check_folded(stage):
    """More lives than 150,000: those that are long, or failed, have rows, and the others are counted in their place."""
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
    # Of the shells, those that have no rows are the short ones.
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
