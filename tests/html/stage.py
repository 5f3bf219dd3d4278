# SPDX-License-Identifier: GPL-2.0-only
"""Shared by the checks of the page."""
import json
import os
import subprocess


class Stage:
    """A browser, and recordings that become pages."""

    def __init__(self, browser, build, folder):
        self.browser = browser
        self.build = build
        self.folder = folder

    def recording(self, name):
        return os.path.join(f"{self.folder}/recordings", name)

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
        path = f"{self.folder}/{os.path.basename(name)}.html"
        self.run("-i", self.recording(name), "--html", path, *words)
        return path

    def open(self, name, *words):
        """The page of a recording."""
        self.browser.open(self.write(name, *words))
        return self.browser

    def build_of(self, processes):
        """A build's recording, of this many processes."""
        name = f"build-{processes}"
        if not os.path.exists(self.recording(name)):
            subprocess.run([f"{self.build}/tests/bench/record", "-B", "-J", "8", "-p", str(processes),
                            self.recording(name)], check=True, stdout=subprocess.DEVNULL)
        return name

    def picture(self, name):
        self.browser.screenshot(f"{self.folder}/{name}.png")


def same(what, actual, expected):
    assert actual == expected, f"{what}: {actual!r}, instead of {expected!r}"


def lane_point(page, row, part=0.5):
    """Where a life is on the screen, this part of the way from its birth to its end."""
    return page.value(f"""(() => {{
        const t = page.timeline, lives = page.lives, box = t.box.getBoundingClientRect();
        const ts = lives.begin[{row}] + {part} * (lives.lastSeen({row}) - lives.begin[{row}]);
        return [box.left + t.painter.x(ts), box.top + t.laneTop(t.lanes.laneOf[{row}]) + t.laneHeight() / 2];
    }})()""")


def color_at(page, ts, row, height):
    """The colour, by its name in the style, at this time and at this part of the height of a life's lane."""
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
