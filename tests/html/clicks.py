# SPDX-License-Identifier: GPL-2.0-only
"""The page is used with a mouse and with keys."""
from stage import lane_point, same, sight


def check_table(stage):
    """The table is sorted, filtered and searched by clicks."""
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


def check_programs(stage):
    """A program's name leads to its lives, and to no others."""
    for name in (stage.build_of(6000), "hostile", "marks"):
        page = stage.open(name)
        programs = page.value("page.programs.all.map((p) => [p.label, p.runs + p.open])")
        assert len(programs) > 2, programs
        for i, (label, lives) in enumerate(programs):
            page.value(f"document.querySelectorAll('#programs-body button')[{i}].click()")
            page.settle()
            same(f"{name}, {label}", page.value("page.table.rows.length"), lives)
        same("complaints", page.complaints(), [])


def check_unknown(stage):
    """Unknown values are left out, and come last in either order."""
    page = stage.open("marks")
    total, title = page.value("page.lives.count"), "document.getElementById('order').textContent"
    for key in ("cpu", "rss", "phase"):
        orders = []
        for _ in (False, True):
            page.click(f"#lives .head .{key} button")
            texts = page.value("page.table.rows.map((row) => page.table.columns.find(([key]) => key === page.table.key)[2](row))")
            same("rows", len(texts), total)
            known = [text for text in texts if text]
            assert 0 < len(known) < total, f"{key}: {texts}"
            same(key, texts[len(known):], [""] * (total - len(known)))
            orders.append(page.value(title))
        same("the orders", orders, ["Largest first", "Smallest first"])
    page.click("#lives .head .begin button")
    same("by time", page.value(title), "Earliest first")
    page.click("#lives .head .name button")
    same("by name", page.value(title), "A to Z")
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
    page.key("Home")
    page.value("page.search.set('collect2')")
    page.settle()
    same("when it is not there", page.value("document.getElementById('lives').getAttribute('aria-activedescendant')"), None)
    page.value("page.search.set('')")
    page.settle()
    same("when it is again", page.value(f"{active}.getAttribute('aria-rowindex')"), "2")
    page.value("document.getElementById('lives').focus()")
    page.key("Escape")
    same("none", page.value("shared.selected"), -1)
    page.key("/")
    same("the search", page.value("document.activeElement.id"), "search")
    same("complaints", page.complaints(), [])


def check_timeline(stage):
    """The timeline zooms and pans by buttons, wheel, mouse and keys, and selects what is clicked."""
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
    # Each that is large enough to be hit.
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


def check_tree(stage):
    """The tree opens and closes by mouse and keys, has each life once, and leads to the selected one."""
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
    # Each life is there once.
    page.value("shared.select(-1), page.tree.begin()")
    page.value("""(() => {
        const tree = page.tree;
        for (let i = 0; i < tree.lines.length; i++)
            if (!tree.lines[i].open && (!tree.lines[i].rows || tree.lines[i].each || !tree.lines[i].below))
                tree.open(i);
            else if (tree.lines[i].rows && !tree.lines[i].each) {
                if (!tree.lines[i].open)
                    tree.open(i);
                // The folded children are there again below each of them.
                while (tree.lines[i + 2] && tree.lines[i + 2].depth > tree.lines[i].depth)
                    tree.lines.splice(i + 2, 1);
            }
        tree.changed();
    })()""")
    rows = page.value("page.tree.lines.filter((line) => !line.rows).map((line) => line.row)")
    same("lives", sorted(rows), list(range(n)))
    same("complaints", page.complaints(), [])


def check_deep(stage):
    """A name in the tree can be read at any depth."""
    page = stage.open("deep")
    page.value("shared.select(page.lives.count - 1)")
    page.settle()
    same("its level", page.value("document.querySelector('#tree .active').getAttribute('aria-level')"), "120")
    assert page.value("""(() => {
        const box = document.querySelector('#tree .active .process').getBoundingClientRect();
        return document.querySelector('#tree .active b').getBoundingClientRect().right < box.right;
    })()"""), "its name is not in its line"
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
    # A process without a line is in its ancestor's line, or in its fold's.
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
