# SPDX-License-Identifier: GPL-2.0-only
"""What the page looks like, in light, in dark, and in print."""
from stage import color_at, same

NAMED = ("button", "link", "textbox", "searchbox", "combobox", "checkbox", "grid", "tree", "application", "image", "img", "table")

CONTRASTS = (("ink", "back", 7), ("ink", "panel", 7), ("dim", "back", 4.5), ("dim", "panel", 4.5), ("bad", "back", 4.5),
             ("bad", "panel", 4.5), ("link", "back", 4.5), ("link", "panel", 4.5), ("ink", "life", 4.5), ("ink", "wait", 4.5), ("ink", "failed", 4.5),
             ("ink", "mark", 4.5), ("ink", "active", 4.5), ("life", "back", 1.9), ("bad", "failed", 1.8), ("critical", "life", 3),
             ("zombie", "back", 2.5), ("teardown", "back", 2.5), ("rcu", "back", 2.5), ("kill", "back", 2.5))


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


def check_empty(stage):
    """The page works without a life, and with a single one."""
    for words, lives in (("--to", "+0"), 1), (("--comm", "nobody"), 0), (("--comm", "victim"), 2):
        page = stage.open("death", *words)
        same(words, page.value("page.lives.count"), lives)  # with its ancestor
        same(words, page.value("[...document.querySelectorAll('nav a')].filter((link) => link.getClientRects().length && "
                               "!document.querySelector(link.getAttribute('href')).getClientRects().length).length"), 0)
        for key in ("n", "f", "+", "Home", "Enter"):
            page.value("document.getElementById('timeline').focus()")
            page.key(key)
        page.choose("#lanes-by", "tree")
        page.click("#lives-title")
        same(words, page.complaints(), [])
    same("its ancestor", page.value("[page.lives.is(0, context), page.lives.is(1, context)]"), [True, False])
    same("in the table", page.value("page.table.rows"), [1])


def check_access(stage):
    """Every control has a name and can be reached by keys; and all text can be read, in light and in dark."""
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
    for width in (390, 320, 280):
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=2, mobile=False)
        page.choose("#lanes-by", "tree")
        wide = page.value("document.documentElement.scrollWidth")
        room = page.value("page.timeline.painter.width - page.timeline.painter.left")
        if width == 390:
            stage.picture("narrow")
        page.choose("#lanes-by", "slots")
        assert wide <= width, f"on a screen of {width} pixels, it is {wide} wide"
        assert room > width * 0.4, f"on a screen of {width} pixels, the tree's lanes have {room} of them for the times"
    page.call("Emulation.clearDeviceMetricsOverride")
    same("complaints", page.complaints(), [])


def check_paper(stage):
    """Printed, the page has the sums, the tables, and the first lives, without controls."""
    page = stage.open(stage.build_of(6000))
    data = page.paper(f"{stage.folder}/paper.pdf")
    assert data.startswith(b"%PDF") and len(data) > 20000
    page.dark(True)
    page.value("(({ tree }) => { for (let i = 0; tree.lines.length < 300; i++) tree.open(i); tree.changed(); })(page)")
    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.value("window.dispatchEvent(new Event('beforeprint'))")
    page.settle()
    same("the paper", page.value("[getComputedStyle(document.body).backgroundColor, page.timeline.painter.colors.back]"),
         ["rgb(255, 255, 255)", "#fff"])
    for name, more in (("tree", page.value("page.tree.lines.length") - 200), ("lives", page.value("page.lives.count") - 200)):
        assert f"{more:,} more lines" in page.value(f"getComputedStyle(document.getElementById('{name}'), '::after').content"), name
        assert page.value(f"""(() => {{
            const section = document.getElementById('{name}').closest('section'), lines = section.querySelectorAll('.line');
            return lines[lines.length - 1].getBoundingClientRect().bottom <= section.nextElementSibling.getBoundingClientRect().top;
        }})()"""), f"the {name} is on top of what follows"
    page.call("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
    cut = page.value("""[...document.querySelectorAll('#lives .line .cell')].filter((cell) =>
        !cell.matches('.args, .status, .name') && cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)""")
    page.call("Emulation.clearDeviceMetricsOverride")
    same("figures that are cut", cut, [])
    page.screenshot(f"{stage.folder}/paper.png", full=True)
    for hidden in (".bar", "#zoom-in", "#only", "#detail"):
        same(hidden, page.value(f"document.querySelector('{hidden}').getClientRects().length"), 0)
    rows = page.value("[...document.querySelectorAll('#lives .line')].map((line) => line.getBoundingClientRect().top)")
    same("lives", len(rows), 200)
    assert rows == sorted(set(rows)), "lives are on top of one another"
    page.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.value("window.dispatchEvent(new Event('afterprint'))")
    assert page.value("page.timeline.painter.colors.back") != "#fff", "it is dark again"
    page.dark(False)
    page.settle()
    assert page.value("document.querySelectorAll('#lives .line').length") < 60
    same("complaints", page.complaints(), [])
